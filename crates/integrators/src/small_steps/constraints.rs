//! Kinds of constraints, the parts of position-based steps: each moves nodes.

use crate::stepper::{StepError, StepReport};
use model::Model;
use model::energy::{Bodies, Multipliers};

/// Position of the solver within a step.
#[derive(Debug, Clone, Copy)]
pub(super) struct Substep {
    /// Start time [s].
    pub t: f64,
    /// Length of the substep [s].
    pub dt: f64,
    /// Pass over all constraints, from zero.
    pub pass: usize,
    /// Passes per substep.
    pub passes: usize,
}

impl Substep {
    /// Returns the handling of multipliers in this pass: they are zero at the start of each substep and kept for its
    /// later passes.
    pub fn multipliers(&self) -> Multipliers {
        match self.pass {
            0 if self.passes == 1 => Multipliers::Dropped,
            0 => Multipliers::Begun,
            _ => Multipliers::Continued,
        }
    }
}

/// The step about to be taken.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ahead<'a> {
    /// Start time [s].
    pub t: f64,
    /// Length [s].
    pub h: f64,
    /// Length of its substeps [s]; shifts of nodes are over this time at first.
    pub dt: f64,
    /// Loads at its beginning, three numbers per free node [N].
    pub loads: &'a [f64],
}

/// One kind of constraints. The stepper walks its kinds in a fixed order.
pub(super) trait Constraints: Send + Sync {
    /// Once a step, before its first substep: finds out who touches whom.
    fn begin_step(&mut self, _model: &Model, _bodies: &Bodies, _ahead: &Ahead) -> Result<(), StepError> {
        Ok(())
    }

    /// Runs one pass: moves the nodes so that the constraints are met better.
    fn solve(&mut self, bodies: &mut Bodies, substep: &Substep);

    /// Called after the passes of a substep of `dt` [s]: nodes are at its end, and their shifts, now dt times their
    /// velocities, may be changed.
    fn end_substep(&mut self, _bodies: &mut Bodies, _dt: f64) {}

    /// Called after a successful step: keeps what the next one needs.
    fn end_step(&mut self) {}

    /// Drops everything kept from earlier steps.
    fn forget(&mut self) {}

    /// Appends everything kept from earlier steps, as numbers.
    fn memory(&self, _out: &mut Vec<f64>) {}

    /// Restores what `memory` appended; false if it cannot come from these constraints.
    fn recall(&mut self, memory: &[f64]) -> bool {
        memory.is_empty()
    }

    /// Returns the reason for positions that are not finite, if known.
    fn fault(&self) -> Option<StepError> {
        None
    }

    /// Adds the findings of these constraints to the report of a step.
    fn report(&self, _report: &mut StepReport) {}
}
