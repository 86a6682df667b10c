//! The stiffness and mass of a step, with its factor, as the search for modes sees them.

use crate::linear_system::LinearSystem;
use crate::stepper::StepReport;
use model::Model;
use model::mass::Mass;
use numerics::linear::LinearError;
use numerics::modes::Pencil;

/// K, M and A = M + h D + h^2 K of one step.
pub(super) struct StepPencil<'a> {
    pub model: &'a Model,
    pub system: &'a mut LinearSystem,
    pub h: f64,
    pub report: &'a mut StepReport,
}

/// Y = M X, by columns.
pub(super) fn mass_times(model: &Model, x: &[f64], y: &mut [f64], columns: usize) {
    let n = model.dofs();
    match model.mass() {
        Mass::Lumped(mass) => {
            for (x, y) in x.chunks_exact(n).zip(y.chunks_exact_mut(n)) {
                for ((x, y), m) in x.as_chunks::<3>().0.iter().zip(y.as_chunks_mut::<3>().0).zip(mass) {
                    *y = x.map(|x| m * x);
                }
            }
        }
        Mass::Consistent(matrix) => matrix.multiply_columns(x, y, columns),
    }
}

impl Pencil for StepPencil<'_> {
    fn dim(&self) -> usize {
        self.model.dofs()
    }

    fn stiffness_times(&self, x: &[f64], y: &mut [f64], columns: usize) {
        self.system.stiffness.multiply_columns(x, y, columns);
    }

    fn mass_times(&self, x: &[f64], y: &mut [f64], columns: usize) {
        mass_times(self.model, x, y, columns);
    }

    fn lumped_mass(&self) -> &[f64] {
        &self.model.node_mass()[..self.model.free_nodes()]
    }

    fn solve(&mut self, x: &mut [f64], columns: usize) -> Result<(), LinearError> {
        self.system.precondition(x, columns, self.report)
    }

    fn shift(&self) -> Option<[f64; 2]> {
        let damping = self.model.damping();
        let is_one_stiffness = damping.at_rest.is_none() || damping.stiffness == 0.0;
        (is_one_stiffness && self.system.is_exact())
            .then_some([1.0 + self.h * damping.mass, self.h * self.h + self.h * damping.stiffness])
    }

    fn scale(&self) -> f64 {
        self.h * self.h
    }
}
