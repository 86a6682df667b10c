//! What a step makes of a motion at most: the spectral radius of a method's step on a linear model, loads apart.
//!
//! A step of a linear model is z -> P z + p, with z all displacements and velocities. P is applied by taking the step.
//!
//! Cost: small models one step an unknown and a dense eigenvalue problem; others some hundred steps of a power iteration in
//! the norm of the energy, which backward Euler never lets grow. That is an estimate: what it does not see grows slowly,
//! or is hardly there at the start, and what it sees may grow for a while only.

use crate::stepper::Stepper;
use faer::Mat;
use model::{Model, State};

/// Largest number of unknowns whose eigenvalues are all computed.
const DENSE: usize = 300;
/// How often a matrix is squared: the root of its condition counts by 2^-30, 1e-9.
const SQUARINGS: usize = 30;
/// Unknowns times steps of a power iteration, about, and fewest and most steps.
const WORK: usize = 10_000_000;
const STEPS: [usize; 2] = [60, 400];
/// Displacements of nodes over the size of the model: far from everything that is not linear.
const SMALL: f64 = 1e-6;

/// What a step makes of a motion at most.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Growth {
    /// By what it is multiplied.
    pub radius: f64,
    /// Whether this is the spectral radius, and not an estimate.
    pub is_exact: bool,
}

impl Growth {
    /// Whether motions grow by themselves. Free bodies that move along have a double eigenvalue 1. Displacements of a millionth of
    /// the body are known to ten digits, and rounding splits it by the root of that, 1e-5; an estimate may see energy pass from
    /// hand to hand.
    pub fn is_unstable(&self) -> bool {
        self.radius > if self.is_exact { 1.0 + 1e-4 } else { 1.0 + 1e-3 }
    }
}

/// What steps of h [s] do to a linear model at rest. `None` where the model is not linear there, or a step fails.
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
    // A start that is like no mode of the body, and the same every time.
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
        // The first half is there to leave behind what shrinks.
        if k >= steps / 2 {
            grown += by;
        }
    }
    let radius = (grown / (steps - steps / 2) as f64).exp();
    Some(Growth { radius, is_exact: false })
}

/// The spectral radius of a matrix, by squaring it: the root of the norm of a power. Free bodies have an exact double eigenvalue 1,
/// at which iterations for eigenvalues may never end; this always does.
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

/// A step as a matrix on displacements, in a small part of the model's size, and velocities, in that an h.
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

    /// The root of the energy.
    fn norm(&mut self, z: &[f64]) -> f64 {
        self.put(z);
        (self.model.kinetic(&self.state) + self.model.elastic_energy(&self.state.x)).sqrt()
    }
}
