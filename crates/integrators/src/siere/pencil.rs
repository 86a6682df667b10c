//! Stiffness and mass of a step, with its factor and another one for slow modes, for the search for modes.

use super::shifted::{Shifted, work_of};
use crate::linear_system::LinearSystem;
use crate::stepper::StepReport;
use model::Model;
use model::mass::Mass;
use numerics::linear::LinearError;
use numerics::modes::Pencil;

/// K, M and A = M + h D + h^2 K of one step, and K + sigma M where the modes are much slower than the step.
pub(super) struct StepPencil<'a> {
    pub model: &'a Model,
    pub system: &'a mut LinearSystem,
    pub shifted: &'a mut Shifted,
    pub h: f64,
    pub report: &'a mut StepReport,
}

/// Y = M X, column-major.
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

    fn fastest(&self) -> f64 {
        let k = &self.system.stiffness;
        let of_node = |(i, m): (usize, &f64)| {
            let block = k.values[k.pattern().diagonal(i)];
            (0..3).fold(0.0_f64, |most, c| most.max(block[c][c].abs())) / m
        };
        self.lumped_mass().iter().enumerate().map(of_node).fold(0.0, f64::max)
    }

    fn aim(&mut self, values: &[f64]) -> Result<(), LinearError> {
        let scales = [self.h, self.fastest()];
        self.shifted.aim(self.model, self.system, values, scales, self.report)
    }

    fn solve(&mut self, x: &mut [f64], columns: usize) -> Result<(), LinearError> {
        match self.shifted.system() {
            Some(shifted) => work_of(self.report, |report| shifted.precondition(x, columns, report)),
            None => self.system.precondition(x, columns, self.report),
        }
    }

    fn shift(&self) -> [f64; 2] {
        let damping = self.model.damping();
        match self.shifted.sigma() {
            Some(sigma) => [sigma, 1.0],
            None => [1.0 + self.h * damping.mass, self.h * self.h + self.h * damping.stiffness],
        }
    }

    fn takes_riders(&self) -> bool {
        self.shifted.sigma().is_none()
    }

    fn is_exact(&self) -> bool {
        let damping = self.model.damping();
        let is_one_stiffness = damping.at_rest.is_none() || damping.stiffness == 0.0;
        match self.shifted.sigma() {
            Some(_) => self.shifted.is_exact(),
            None => is_one_stiffness && self.system.is_direct(),
        }
    }
}
