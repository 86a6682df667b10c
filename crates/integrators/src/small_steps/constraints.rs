//! What position-based steps are made of: kinds of constraints that move nodes.

use crate::stepper::{StepError, StepReport};
use model::Model;
use model::energy::{Bodies, Multipliers};

/// Where in a step the solver is.
#[derive(Debug, Clone, Copy)]
pub(super) struct Substep {
    /// When it begins [s].
    pub t: f64,
    /// Length of the substep [s].
    pub dt: f64,
    /// The pass over all constraints, from zero.
    pub pass: usize,
    /// Passes a substep.
    pub passes: usize,
}

impl Substep {
    /// What becomes of multipliers in this pass: they begin at zero in each substep and are kept for its later passes.
    pub fn multipliers(&self) -> Multipliers {
        match self.pass {
            0 if self.passes == 1 => Multipliers::Dropped,
            0 => Multipliers::Begun,
            _ => Multipliers::Continued,
        }
    }
}

/// The step that lies ahead.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ahead<'a> {
    /// When it begins [s].
    pub t: f64,
    /// Its length [s].
    pub h: f64,
    /// The length of its substeps [s], over which nodes shift at first.
    pub dt: f64,
    /// Loads at its beginning, three numbers a free node [N].
    pub loads: &'a [f64],
}

/// One kind of constraints. The stepper walks its kinds in a fixed order.
pub(super) trait Constraints: Send + Sync {
    /// Once a step, before its first substep: finds out who touches whom.
    fn begin_step(&mut self, _model: &Model, _bodies: &Bodies, _ahead: &Ahead) -> Result<(), StepError> {
        Ok(())
    }

    /// One pass: pushes the nodes so that the constraints are met better.
    fn solve(&mut self, bodies: &mut Bodies, substep: &Substep);

    /// After the passes of a substep of `dt` [s]: nodes are where it ended, and their shifts, now dt times their
    /// velocities, may be changed.
    fn end_substep(&mut self, _bodies: &mut Bodies, _dt: f64) {}

    /// The step is over, and well: keeps what the next one needs to know of it.
    fn end_step(&mut self) {}

    /// Drops what was kept of earlier steps.
    fn forget(&mut self) {}

    /// Adds what was kept of earlier steps, as numbers.
    fn memory(&self, _out: &mut Vec<f64>) {}

    /// Takes up what `memory` added; false if it cannot come from these constraints.
    fn recall(&mut self, memory: &[f64]) -> bool {
        memory.is_empty()
    }

    /// Why nodes are at places that are no numbers, if that is known.
    fn fault(&self) -> Option<StepError> {
        None
    }

    /// Adds to the report of a step what is known of these constraints alone.
    fn report(&self, _report: &mut StepReport) {}
}
