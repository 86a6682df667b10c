//! How far a run has come.

use crate::run::{Energies, Recovery};
use integrators::StepReport;
use std::cell::Cell;

/// What the steps so far did. With the state and the stepper's memory it is all that is needed to go on, to the bit.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Progress {
    /// Steps done.
    pub steps: u64,
    /// Energies at the beginning [J].
    pub first: Energies,
    /// Energies now [J].
    pub last: Energies,
    /// Energy that the scene began with and was given since [J].
    pub budget: f64,
    /// Work of the last step, attempts that failed included.
    pub step_work: StepReport,
    /// Work of all steps, attempts that failed included.
    pub work: StepReport,
    /// Steps that only succeeded as several shorter ones.
    pub recoveries: Vec<Recovery>,
    /// Seconds spent stepping, without output [s].
    pub seconds: f64,
    /// What warping has cost.
    pub warping: Cell<Warping>,
}

/// What it cost to warp what was shown.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Warping {
    /// How often it was done.
    pub frames: u64,
    /// Seconds it took [s].
    pub seconds: f64,
}

impl Progress {
    /// Before the first step.
    pub(super) fn new(first: Energies) -> Progress {
        Progress { first, last: first, budget: first.internal().abs(), ..Progress::default() }
    }
}
