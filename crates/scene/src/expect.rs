//! What a run of a scene must give, as the file says it.

use crate::Simulation;
use crate::mark::Mark;
use crate::run::{Ending, Energies, Outcome as Ended, Progress};
use model::mesh::Selector;
use numerics::mat3::Vec3;

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
    pub measure: fn(&Simulation, &Ended) -> f64,
}

/// Every quantity that a scene may expect. `kinetic` tells a body that still moves from a numb one, `moved` one that
/// came to rest from one that never left.
pub static QUANTITIES: &[Quantity] = &[
    Quantity {
        name: "energy",
        unit: "J",
        description: "bounds of the total energy at the end",
        measure: |_, outcome| outcome.last.total(),
    },
    Quantity {
        name: "kinetic",
        unit: "J",
        description: "bounds of the kinetic energy at the end",
        measure: |_, outcome| outcome.last.kinetic,
    },
    Quantity {
        name: "moved",
        unit: "m",
        description: "bounds of how far the node that went farthest is at the end from where it began",
        measure: |simulation, _| simulation.moved(),
    },
    Quantity {
        name: "stretch",
        unit: "",
        description: "bounds of how much longer springs are at the end than at rest, in the mean",
        measure: |simulation, _| simulation.model.stretch(&simulation.state.x).map_or(0.0, |[mean, _]| mean),
    },
    Quantity {
        name: "compression",
        unit: "",
        description: "bounds of the most that fluids are ever compressed, in the mean over their particles",
        measure: |_, outcome| outcome.work.compression,
    },
    Quantity {
        name: "joint_gap",
        unit: "m",
        description: "bounds of the most that joints are ever apart at the end of a step",
        measure: |_, outcome| outcome.work.joint_gap,
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

impl Expect {
    /// Whether the run gave all of it; `None` for a run that was interrupted.
    pub fn is_met(&self, simulation: &Simulation, outcome: &Ended) -> Option<bool> {
        let ended = match outcome.ending {
            Ending::Done => Outcome::Done,
            _ if outcome.ending.is_failure() => return Some(false),
            Ending::Diverged(_) => Outcome::Diverged,
            Ending::Interrupted => return None,
        };
        let holds = |bound: &Bound| bound.holds((bound.of.measure)(simulation, outcome));
        let is_there = |position: &Position| position.holds(simulation);
        Some(ended == self.outcome && self.bounds.iter().all(holds) && self.positions.iter().all(is_there))
    }
}

impl Simulation {
    /// Whether a run in which nothing ever moves would give what the scene expects: then it expects too little to tell.
    /// Asked before the first step.
    pub fn expects_stillness(&self) -> bool {
        let mut still = self.state.clone();
        still.v.fill(0.0);
        still.turns.iter_mut().for_each(|turn| turn.spin = [0.0; 3]);
        let energies = Energies::of(&self.model, &still);
        let progress =
            Progress { steps: self.schedule.steps(), first: energies, last: energies, ..Progress::default() };
        let outcome = Ended::new(Ending::Done, self.schedule.duration, &progress);
        self.expect.as_ref().is_some_and(|expect| expect.is_met(self, &outcome) == Some(true))
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
