//! Progress of a simulation since its beginning.

use crate::energies::Energies;
use integrators::StepReport;

/// Work and energies of the steps so far. With the state and the stepper's memory it is all that is needed to continue,
/// bit for bit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Progress {
    /// Steps done.
    pub steps: u64,
    /// Energies at the beginning [J].
    pub first: Energies,
    /// Energies now [J].
    pub last: Energies,
    /// Energy at the beginning plus the energy added since [J].
    pub budget: f64,
    /// Work of the last step, attempts that failed included.
    pub step_work: StepReport,
    /// Work of all steps, attempts that failed included.
    pub work: StepReport,
    /// Steps that only succeeded as several shorter ones.
    pub recoveries: Vec<Recovery>,
    /// Seconds spent stepping, without output [s].
    pub seconds: f64,
    /// Cost of warping.
    pub warping: Warping,
}

/// Cost of warping what was shown.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Warping {
    /// Number of warped frames.
    pub frames: u64,
    /// Seconds it took [s].
    pub seconds: f64,
}

/// A step that only succeeded as several shorter ones.
#[derive(Debug, Clone, PartialEq)]
pub struct Recovery {
    /// Its number, counted from one.
    pub step: u64,
    /// Time of its beginning [s].
    pub time: f64,
    /// Number of times it was halved.
    pub halvings: u32,
    /// Cause of the failure of the whole step, in a word: see [`crate::Cause::word`].
    pub cause: String,
}

impl Progress {
    /// Returns the progress before the first step.
    pub fn new(first: Energies) -> Progress {
        Progress { first, last: first, budget: first.internal().abs(), ..Progress::default() }
    }
}
