//! What a run of a scene must give, as the file says it.

use crate::scene::Selection;
use numerics::mat3::Vec3;

/// What a run of this scene must give.
#[derive(Debug, Clone, PartialEq)]
pub struct Expect {
    /// How it ends.
    pub outcome: Outcome,
    /// Bounds of the total energy at the end [J].
    pub energy: Option<[f64; 2]>,
    /// Bounds of how much longer springs are at the end than at rest, in the mean.
    pub stretch: Option<[f64; 2]>,
    /// Bounds of the most that fluids are ever compressed, in the mean over their particles.
    pub compression: Option<[f64; 2]>,
    /// Bounds of the most that joints are ever apart at the end of a step [m].
    pub joint_gap: Option<[f64; 2]>,
    /// Where bodies are at the end.
    pub positions: Vec<Position>,
}

/// Where the centre of mass of a part of a body is at the end of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Position {
    /// The name of the body.
    pub body: String,
    /// Which part.
    pub on: Selection,
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
