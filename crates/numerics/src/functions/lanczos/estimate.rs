//! Length of a basis, and its error.
//!
//! **Size.** For z = t sqrt(lam_max) the error behaves like J_2k(z): it is constant up to k = z/2, then falls faster
//! than any power. The first check is where it should be small enough.
//!
//! **Error.** Q_k u(s), u = |b| f(s; T_k) e_1, leaves the residual beta_(k+1) p_(k+1) (u_k + beta u_k')(s) in the
//! equation, so its error is that, convolved with S or S'. For k > z/2 the last entry u_k(s) grows like s^rate: the
//! integrals are t/rate (t^2/rate^2) times its value at t. To that we add the last two entries of f(T_k) e_1, the
//! contribution of the latest two vectors. Below k = z/2 small last entries mean nothing, and no check is made.

use super::super::tridiagonal::Chebyshev;
use super::super::{FunctionError, Sample};
use super::recurrence::LanczosRun;
use crate::vectors::dot;

/// Rounding errors, relative to the frequency and to the largest value of a function.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Bounds of the errors of a sample, and their scale.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Accuracy {
    /// Error of y / t.
    pub y: f64,
    /// Error of y'.
    pub velocity: f64,
    /// Rounding error of both: no larger basis reduces it.
    pub rounding: f64,
    /// V of the module above.
    pub scale: f64,
    /// True if the scale is that of the sample; before that, it is that of the largest part of its sum.
    pub measured: bool,
}

impl Accuracy {
    pub fn ratio(&self) -> f64 {
        let error = self.y.max(self.velocity) + self.rounding;
        if error > 0.0 { error / self.scale } else { 0.0 }
    }
}

impl LanczosRun {
    /// Evaluates y and y' in the basis and adds to the bounds of their errors; `false` where that is impossible.
    pub fn evaluate(
        &mut self,
        (alpha, beta): (f64, f64),
        chebyshev: &mut Chebyshev,
        samples: &[Sample],
        accuracy: &mut [Accuracy],
    ) -> Result<bool, FunctionError> {
        let last = samples.last().map_or(0.0, |sample| sample.time);
        let k = self.diagonal.len();
        if k == 0 {
            return Ok(true);
        }
        let t = self.tridiagonal();
        let interval = t.extremes();
        let z = last * self.frequency(last)?;
        let start = self.start;
        let evaluate = |lam: f64, f: &mut [f64]| {
            for (sample, f) in samples.iter().zip(f.chunks_exact_mut(2)) {
                f.copy_from_slice(&start.response(sample.time, lam, alpha + beta * lam));
            }
        };
        let degree = size_for(z, f64::EPSILON).min(1e6) as usize;
        if !chebyshev.apply(t, interval, degree, 2 * samples.len(), evaluate)? {
            let overflow = chebyshev.sizes.iter().any(|size| !size.is_finite());
            return if overflow { Err(FunctionError::Overflow) } else { Ok(false) };
        }
        self.columns.clear();
        self.columns.extend(chebyshev.columns.iter().map(|f| self.sizes[0] * f));

        let residual = self.sizes[k];
        for ((s, sample), accuracy) in samples.iter().enumerate().zip(accuracy.iter_mut()) {
            let t = sample.time;
            let (y, velocity) = self.columns[2 * s * k..(2 * s + 2) * k].split_at(k);
            let defect = residual * (y[k - 1] + beta * velocity[k - 1]).abs();
            let rate = growth_rate(k, t / last * z, t * (alpha + beta * interval.1).max(0.0));
            let tail = |f: &[f64]| if self.ended { 0.0 } else { f[k - 1].hypot(f[k.saturating_sub(2)]) };
            let rate = if self.ended { 1.0 } else { rate };
            let (y_norm, velocity_norm) = (dot(y, y).sqrt(), dot(velocity, velocity).sqrt());
            let size = |f: usize| self.sizes[0] * chebyshev.sizes[f];
            let rounding = |norm: f64, size: f64| ROUNDING * ((4.0 + z) * norm + size);
            let rounding = rounding(y_norm, size(2 * s)).max(t * rounding(velocity_norm, size(2 * s + 1))) / t;
            accuracy.y += defect * t / (rate * rate) + tail(y) / t;
            accuracy.velocity += defect * t / rate + tail(velocity);
            accuracy.rounding += rounding;
            if !accuracy.measured {
                accuracy.scale = accuracy.scale.max(velocity_norm).max(y_norm / t);
            }
        }
        Ok(true)
    }
}

/// Returns the size where J_2k(z) has fallen to the tolerance: J_(z+d)(z) ~ exp(-(2 sqrt 2 / 3) d^(3/2) / z^(1/2)).
pub(super) fn size_for(z: f64, tolerance: f64) -> f64 {
    let digits = -tolerance.clamp(f64::EPSILON, 0.1).ln();
    0.5 * (z + (1.06 * digits).powf(2.0 / 3.0) * z.cbrt()) + 2.0
}

/// Returns s u'/u of the last entry u of f(s; T_k) e_1: from J_2k(z) where the motion oscillates, from exp(-c/2)
/// I_k(c/2) where it is damped by c = t d; the slower one.
fn growth_rate(k: usize, z: f64, c: f64) -> f64 {
    let order = (2 * k) as f64;
    let oscillating = (order * order - z * z).max(0.0).sqrt().max(order.powf(2.0 / 3.0));
    let damped = {
        let (k, half) = (k as f64, 0.5 * c);
        k * k / ((k * k + half * half).sqrt() + half)
    };
    oscillating.min(damped).max(1.0)
}
