//! Expected results of a run, as the file states them.

use crate::mark::Mark;
use model::mesh::Selector;
use numerics::mat3::Vec3;
use simulation::Outcome as Ended;

/// Expected results of a run of this scene.
#[derive(Debug, Clone, PartialEq)]
pub struct Expect {
    /// Expected end.
    pub outcome: Outcome,
    /// Bounds of quantities, in the order of [`QUANTITIES`].
    pub bounds: Vec<Bound>,
    /// Positions of bodies at the end.
    pub positions: Vec<Position>,
}

/// Bounds of a quantity.
#[derive(Debug, Clone, Copy)]
pub struct Bound {
    /// The quantity.
    pub of: &'static Quantity,
    /// Its lowest and highest value.
    pub range: [f64; 2],
}

/// Quantity of a run that a scene may expect: a key of `[expect]`.
#[derive(Debug)]
pub struct Quantity {
    /// The key.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// Description in a line.
    pub description: &'static str,
    /// Returns the value of a run.
    pub measure: fn(&Reached) -> f64,
}

/// Results of a run.
#[derive(Debug, Clone, Copy)]
pub struct Reached<'a> {
    /// Outcome of the run.
    pub outcome: &'a Ended,
    /// Distance of the farthest moved node from its initial position [m].
    pub moved: f64,
    /// Mean extension of springs relative to rest; 0 without springs.
    pub stretch: f64,
    /// Largest force that holds a node with a prescribed motion, from multipliers [N]; 0 for methods without them.
    pub holding_force: f64,
}

/// All quantities that a scene may expect. `kinetic` distinguishes a body that still moves from one that does not,
/// `moved` one that came to rest from one that never moved.
pub static QUANTITIES: &[Quantity] = &[
    Quantity {
        name: "energy",
        unit: "J",
        description: "bounds of the total energy at the end",
        measure: |reached| reached.outcome.last.total(),
    },
    Quantity {
        name: "kinetic",
        unit: "J",
        description: "bounds of the kinetic energy at the end",
        measure: |reached| reached.outcome.last.kinetic,
    },
    Quantity {
        name: "moved",
        unit: "m",
        description: "bounds of the largest displacement of a node between the beginning and the end",
        measure: |reached| reached.moved,
    },
    Quantity {
        name: "stretch",
        unit: "",
        description: "bounds of the mean relative elongation of springs at the end",
        measure: |reached| reached.stretch,
    },
    Quantity {
        name: "compression",
        unit: "",
        description: "bounds of the largest compression of fluids over time, in the mean over their particles",
        measure: |reached| reached.outcome.work.compression,
    },
    Quantity {
        name: "joint_gap",
        unit: "m",
        description: "bounds of the largest gap of joints over all steps",
        measure: |reached| reached.outcome.work.joint_gap,
    },
    Quantity {
        name: "holding_force",
        unit: "N",
        description: "bounds of the largest force that holds a node at the end, from the multipliers of small-steps",
        measure: |reached| reached.holding_force,
    },
];

impl Bound {
    /// Returns whether the value lies within the bounds.
    pub fn holds(&self, value: f64) -> bool {
        (self.range[0]..=self.range[1]).contains(&value)
    }
}

impl PartialEq for Bound {
    fn eq(&self, other: &Bound) -> bool {
        std::ptr::eq(self.of, other.of) && self.range == other.range
    }
}

/// Bounds of the centre of mass of a part of a body at the end of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Position {
    /// Name of the body.
    pub body: String,
    /// Selector of the part.
    pub part: Selector,
    /// Mark of the part.
    pub at: Mark,
    /// Lowest position along x, y and z [m].
    pub low: Vec3,
    /// Highest position [m].
    pub high: Vec3,
}

/// Expected end of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It reaches its duration.
    Done,
    /// A step fails.
    Diverged,
}

impl Outcome {
    /// Returns the word of the scene file.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Done => "done",
            Outcome::Diverged => "diverged",
        }
    }
}
