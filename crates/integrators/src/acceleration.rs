//! Accelerations a = M^-1 f: a division for a lumped mass, a solve with a factor made once for a consistent one.

use crate::linear_system::{SOLVER, tight_stop};
use crate::options::Options;
use crate::stepper::{StepError, StepReport, check_finite};
use model::mass::Mass;
use model::{Model, State};
use numerics::interrupt;
use numerics::linear::{self, LinearError, LinearSolver, Work};

/// Turns forces into accelerations.
pub(crate) struct Acceleration {
    /// Holds the factor of a consistent mass; `None` for a lumped one.
    solver: Option<Box<dyn LinearSolver>>,
}

impl Acceleration {
    pub fn new(model: &Model, options: &Options) -> Result<Acceleration, LinearError> {
        let Mass::Consistent(matrix) = model.mass() else { return Ok(Acceleration { solver: None }) };
        let mut solver = linear::choose(model.pattern(), options.get(&SOLVER), tight_stop(model, options))?;
        solver.prepare(matrix)?;
        Ok(Acceleration { solver: Some(solver) })
    }

    /// Overwrites forces with the accelerations they cause, column by column; `work` counts solves.
    pub fn divide(&mut self, model: &Model, f: &mut [f64], columns: usize, work: &mut Work) -> Result<(), LinearError> {
        interrupt::check()?;
        match model.mass() {
            Mass::Lumped(mass) => {
                for f in f.chunks_exact_mut(model.dofs().max(1)).take(columns) {
                    for (f, m) in f.as_chunks_mut::<3>().0.iter_mut().zip(mass) {
                        *f = f.map(|f| f / m);
                    }
                }
                Ok(())
            }
            Mass::Consistent(matrix) => {
                let Some(solver) = &mut self.solver else { return Err(LinearError::NotPrepared) };
                let before = solver.work();
                let result = solver.solve(matrix, f, columns);
                *work += solver.work() - before;
                result
            }
        }
    }

    /// Computes the acceleration in a state from all forces.
    pub fn at(
        &mut self,
        model: &Model,
        state: &State,
        a: &mut [f64],
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        model.force(state.t, &state.x, &state.v, a);
        report.forces += 1;
        check_finite(model, &state.x, a)?;
        self.divide(model, a, 1, &mut report.linear).map_err(|error| StepError::linear(model, error))
    }
}
