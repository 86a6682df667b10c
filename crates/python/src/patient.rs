//! Oscillators whose motion can be interrupted.

use numerics::functions::{Damping, FunctionError, Oscillator, SparseOscillator};
use numerics::interrupt;
use numerics::linear::{LinearError, Work};

/// An oscillator that looks for requests to stop before every product and solve.
pub struct Patient(pub SparseOscillator);

impl Oscillator for Patient {
    fn dim(&self) -> usize {
        self.0.dim()
    }

    fn stiffness_times(&self, x: &[f64], y: &mut [f64], columns: usize) {
        self.0.stiffness_times(x, y, columns);
    }

    fn mass_times(&self, x: &[f64], y: &mut [f64], columns: usize) {
        self.0.mass_times(x, y, columns);
    }

    fn divide_by_mass(&mut self, x: &mut [f64], columns: usize) -> Result<(), LinearError> {
        self.0.divide_by_mass(x, columns)
    }

    fn damping(&self) -> Damping {
        self.0.damping()
    }

    fn damping_times(&self, x: &[f64], y: &mut [f64], columns: usize) {
        self.0.damping_times(x, y, columns);
    }

    fn prepare_shifted(&mut self, factors: [f64; 3]) -> Result<(), LinearError> {
        self.0.prepare_shifted(factors)
    }

    fn solve_shifted(&mut self, x: &mut [f64], columns: usize) -> Result<(), LinearError> {
        self.0.solve_shifted(x, columns)
    }

    fn go_on(&self, _: &Work) -> Result<(), FunctionError> {
        Ok(interrupt::check().map_err(LinearError::from)?)
    }
}
