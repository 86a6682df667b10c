//! What a run of a scene must give, as the file says it.

use crate::mark::Mark;
use model::mesh::Selector;
use numerics::mat3::Vec3;
use simulation::Outcome as Ended;

/// What a run of this scene must give.
#[derive(Debug, Clone, PartialEq)]
pub struct Expect {
    /// How it ends.
    pub outcome: Outcome,
    /// Numbers that the run must give, in the order of [`QUANTITIES`].
    pub bounds: Vec<Bound>,
    /// Where bodies are at the end.
    pub positions: Vec<Position>,
}

/// Bounds of a quantity.
#[derive(Debug, Clone, Copy)]
pub struct Bound {
    /// Which quantity.
    pub of: &'static Quantity,
    /// Its lowest and highest value.
    pub range: [f64; 2],
}

/// A number of a run that a scene may expect: a key of `[expect]`.
#[derive(Debug)]
pub struct Quantity {
    /// The key.
    pub name: &'static str,
    /// Its unit.
    pub unit: &'static str,
    /// What it is, in a line.
    pub description: &'static str,
    /// The number that a run gave.
    pub measure: fn(&Reached) -> f64,
}

/// What a run came to.
#[derive(Debug, Clone, Copy)]
pub struct Reached<'a> {
    /// What it did.
    pub outcome: &'a Ended,
    /// How far the node that went farthest is from where it began [m].
    pub moved: f64,
    /// How much longer springs are than at rest, in the mean; 0 without springs.
    pub stretch: f64,
}

/// Every quantity that a scene may expect. `kinetic` tells a body that still moves from a numb one, `moved` one that
/// came to rest from one that never left.
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
        description: "bounds of how far the node that went farthest is at the end from where it began",
        measure: |reached| reached.moved,
    },
    Quantity {
        name: "stretch",
        unit: "",
        description: "bounds of how much longer springs are at the end than at rest, in the mean",
        measure: |reached| reached.stretch,
    },
    Quantity {
        name: "compression",
        unit: "",
        description: "bounds of the most that fluids are ever compressed, in the mean over their particles",
        measure: |reached| reached.outcome.work.compression,
    },
    Quantity {
        name: "joint_gap",
        unit: "m",
        description: "bounds of the most that joints are ever apart at the end of a step",
        measure: |reached| reached.outcome.work.joint_gap,
    },
];

impl Bound {
    /// Whether the value lies within.
    pub fn holds(&self, value: f64) -> bool {
        (self.range[0]..=self.range[1]).contains(&value)
    }
}

impl PartialEq for Bound {
    fn eq(&self, other: &Bound) -> bool {
        std::ptr::eq(self.of, other.of) && self.range == other.range
    }
}

/// Where the centre of mass of a part of a body is at the end of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Position {
    /// The name of the body.
    pub body: String,
    /// Which part of it.
    pub part: Selector,
    /// Mark of the part.
    pub at: Mark,
    /// The lowest it may be along x, y and z [m].
    pub low: Vec3,
    /// The highest [m].
    pub high: Vec3,
}

/// How a run is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// At its duration.
    Done,
    /// With a step that failed.
    Diverged,
}

impl Outcome {
    /// The word of the scene file.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Done => "done",
            Outcome::Diverged => "diverged",
        }
    }
}
