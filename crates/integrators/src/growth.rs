//! Growth of motions: the spectral radius of a method's step on a linear model, without loads.
//!
//! A step of a linear model is z -> P z + p, with z all displacements and velocities. P is applied by taking the step.
//!
//! Cost: for small models one step per unknown and a dense eigenvalue problem; for others some hundred steps of a power
//! iteration in the energy norm, in which backward Euler never grows. That is an estimate: it may miss slow growth, or
//! growth of modes nearly absent at the start, and it may see growth that is only temporary.

use crate::stepper::Stepper;
use faer::Mat;
use model::{Model, State};

/// Largest number of unknowns whose eigenvalues are all computed.
const DENSE: usize = 300;
/// Number of squarings of a matrix: the condition enters by its 2^-30th power, 1e-9.
const SQUARINGS: usize = 30;
/// Unknowns times steps of a power iteration, about; least and largest number of steps.
const WORK: usize = 10_000_000;
const STEPS: [usize; 2] = [60, 400];
/// Displacements of nodes over the size of the model: far from everything nonlinear.
const SMALL: f64 = 1e-6;

/// Growth of motions per step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Growth {
    /// Factor per step.
    pub radius: f64,
    /// True if this is the spectral radius, not an estimate.
    pub is_exact: bool,
}

impl Growth {
    /// Returns true if motions grow by themselves. Free bodies have a double eigenvalue 1 from their translation.
    /// Displacements of a millionth of the body are known to ten digits, and rounding splits that eigenvalue by the
    /// root of it, 1e-5. An estimate may also see energy exchanged between modes.
    pub fn is_unstable(&self) -> bool {
        self.radius > if self.is_exact { 1.0 + 1e-4 } else { 1.0 + 1e-3 }
    }
}

/// Computes the growth of steps of h [s] for a linear model at rest. `None` where the model is not linear there, or a
/// step fails.
pub fn growth(model: &Model, stepper: &mut dyn Stepper, h: f64) -> Option<Growth> {
    let rest = model.state_at_rest();
    if !model.is_linear() || model.is_touching(&rest.x) {
        return None;
    }
    let low_high = (0..3).map(|c| {
        let along = || rest.x.iter().skip(c).step_by(3).copied();
        along().fold(f64::NEG_INFINITY, f64::max) - along().fold(f64::INFINITY, f64::min)
    });
    let size = SMALL * low_high.fold(0.0, f64::max).max(f64::MIN_POSITIVE);
    let mut still = rest.clone();
    stepper.step(model, &mut still, h).ok()?;
    let mut step = Step { model, stepper, h, state: rest.clone(), rest, still, size };
    let n = model.dofs();
    if n <= DENSE {
        let mut columns = Mat::zeros(2 * n, 2 * n);
        let mut z = vec![0.0; 2 * n];
        for j in 0..2 * n {
            z.fill(0.0);
            z[j] = 1.0;
            step.apply(&mut z)?;
            z.iter().enumerate().for_each(|(i, z)| columns[(i, j)] = *z);
        }
        return Some(Growth { radius: spectral_radius(columns)?, is_exact: true });
    }
    // A deterministic start that resembles no mode of the body.
    let mut z: Vec<f64> = (0..2 * n).map(|i| (1.7 * i as f64 + 0.3 * (i * i) as f64).sin()).collect();
    let steps = (WORK / n).clamp(STEPS[0], STEPS[1]);
    let mut grown = 0.0;
    for k in 0..steps {
        let most = z.iter().fold(0.0_f64, |m, z| m.max(z.abs()));
        z.iter_mut().for_each(|z| *z /= most);
        let before = step.norm(&z);
        step.apply(&mut z)?;
        let by = (step.norm(&z) / before).ln();
        if !by.is_finite() {
            return None;
        }
        // The first half lets shrinking modes decay.
        if k >= steps / 2 {
            grown += by;
        }
    }
    let radius = (grown / (steps - steps / 2) as f64).exp();
    Some(Growth { radius, is_exact: false })
}

/// Computes the spectral radius of a matrix by squaring: the root of the norm of a power. Free bodies have an exact
/// double eigenvalue 1, for which eigenvalue iterations may never end; this always does.
fn spectral_radius(mut power: Mat<f64>) -> Option<f64> {
    let (mut logarithm, mut share) = (0.0, 1.0);
    for _ in 0..=SQUARINGS {
        let norm = power.norm_l2();
        if norm == 0.0 {
            return Some(0.0);
        }
        if !norm.is_finite() {
            return None;
        }
        logarithm += share * norm.ln();
        share *= 0.5;
        let unit = power * faer::Scale(1.0 / norm);
        power = &unit * &unit;
    }
    Some(f64::exp(logarithm))
}

/// A step as a matrix on displacements, in units of a small part of the model's size, and velocities, in that unit per
/// h.
struct Step<'a> {
    model: &'a Model,
    stepper: &'a mut dyn Stepper,
    h: f64,
    rest: State,
    still: State,
    state: State,
    size: f64,
}

impl Step<'_> {
    fn put(&mut self, z: &[f64]) {
        let n = self.model.dofs();
        self.state.clone_from(&self.rest);
        for i in 0..n {
            self.state.x[i] += self.size * z[i];
            self.state.v[i] += self.size / self.h * z[n + i];
        }
    }

    fn apply(&mut self, z: &mut [f64]) -> Option<()> {
        let n = self.model.dofs();
        self.put(z);
        self.stepper.forget();
        self.stepper.step(self.model, &mut self.state, self.h).ok()?;
        for i in 0..n {
            z[i] = (self.state.x[i] - self.still.x[i]) / self.size;
            z[n + i] = (self.state.v[i] - self.still.v[i]) / (self.size / self.h);
        }
        Some(())
    }

    /// Returns the square root of the energy.
    fn norm(&mut self, z: &[f64]) -> f64 {
        self.put(z);
        (self.model.kinetic(&self.state) + self.model.elastic_energy(&self.state.x)).sqrt()
    }
}
