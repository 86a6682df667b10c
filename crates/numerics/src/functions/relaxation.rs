//! Relaxation of a body without inertia, the linear part of D x' = f:
//!
//!   D y' + K y = r,   y(0) = 0:    y(t) = t phi_1(-A) D^-1 r,   y'(t) = exp(-A) D^-1 r,   A = t D^-1 K
//!
//! by Lanczos with the shifted inverse S = (I + g A)^-1 = (D + g t K)^-1 D, which is symmetric in the inner product of D (van den
//! Eshof, Hochbruck 2006). Its eigenvalues 1 / (1 + g a) are bounded however stiff K is, so that some ten to thirty vectors do.
//! The space begins with q = (D + g t K)^-1 r, because D^-1 r = S^-1 q needs no solve with D:
//!
//!   y = t phi_1(-A) S^-1 q,   y' = exp(-A) S^-1 q
//!
//! Errors are measured in the norm of D, relative to max(|y'|, |y| / t), as those of oscillators are.
//! Cost: one solve and one product with D per vector. K may be indefinite: then the body buckles, exp grows.

use super::FunctionError;
use super::dense::eigen;
use crate::linear::{LinearError, Work};
use crate::vectors::dot;
use faer::Mat;

/// g.
const SHIFT: f64 = 0.1;
/// Most vectors.
const MOST: usize = 120;
/// Share of an eigenvalue of S, at most 1 for stiff bodies, below which it is rounding: that mode is at rest.
const ROUNDING: f64 = 1e-12;

/// D and K, as products and solves.
///
/// ```
/// use numerics::functions::{FunctionError, Relaxation, Relaxing};
/// use numerics::linear::LinearError;
///
/// /// A dashpot of 1 N s/m beside a spring of 3 N/m.
/// struct Door(f64);
///
/// impl Relaxing for Door {
///     fn damping_times(&mut self, x: &[f64], y: &mut [f64]) {
///         y.copy_from_slice(x);
///     }
///     fn prepare_shifted(&mut self, k: f64) -> Result<(), LinearError> {
///         self.0 = 1.0 + 3.0 * k;
///         Ok(())
///     }
///     fn solve_shifted(&mut self, x: &mut [f64]) -> Result<(), LinearError> {
///         x.iter_mut().for_each(|x| *x /= self.0);
///         Ok(())
///     }
/// }
///
/// // Pushed by 6 N, it moves as 2 (1 - exp(-3 t)).
/// let (mut y, mut velocity) = ([0.0], [0.0]);
/// Relaxation::default().relax(&mut Door(0.0), 0.5, &[6.0], 1e-10, [&mut y, &mut velocity])?;
/// assert!((y[0] - 2.0 * (1.0 - (-1.5_f64).exp())).abs() < 1e-12);
/// # Ok::<(), FunctionError>(())
/// ```
pub trait Relaxing {
    /// y = D x.
    fn damping_times(&mut self, x: &[f64], y: &mut [f64]);
    /// Prepares D + k K [s].
    fn prepare_shifted(&mut self, k: f64) -> Result<(), LinearError>;
    /// x = (D + k K)^-1 x with the k prepared last.
    fn solve_shifted(&mut self, x: &mut [f64]) -> Result<(), LinearError>;
}

/// Memory of a relaxation, kept from step to step.
#[derive(Default)]
pub struct Relaxation {
    /// Vectors of the space, orthonormal in D, and D times each.
    basis: Vec<[Vec<f64>; 2]>,
    /// S in the space, lower half by rows.
    small: Vec<Vec<f64>>,
}

impl Relaxation {
    /// Computes y and y' at `time` into `end`, to a relative error of `tolerance`; returns the number of vectors.
    pub fn relax(
        &mut self,
        body: &mut dyn Relaxing,
        time: f64,
        r: &[f64],
        tolerance: f64,
        end: [&mut [f64]; 2],
    ) -> Result<usize, FunctionError> {
        let [y, velocity] = end;
        // All at once, so that no later step allocates.
        self.basis.resize_with(MOST + 1, || [vec![0.0; r.len()], vec![0.0; r.len()]]);
        body.prepare_shifted(SHIFT * time)?;
        y.copy_from_slice(r);
        body.solve_shifted(y)?;
        let Some(begin) = self.append(0, y, body) else {
            y.fill(0.0);
            velocity.fill(0.0);
            return Ok(0);
        };
        let (mut before, mut quiet) = ([Vec::new(), Vec::new()], 0);
        for count in 1..=MOST {
            // S v, orthogonal to the others twice.
            y.copy_from_slice(&self.basis[count - 1][1]);
            body.solve_shifted(y)?;
            let mut row = vec![0.0; count];
            for _ in 0..2 {
                for (k, [v, dv]) in self.basis[..count].iter().enumerate() {
                    let share = dot(dv, y);
                    row[k] += share;
                    y.iter_mut().zip(v).for_each(|(y, v)| *y -= share * v);
                }
            }
            self.small.truncate(count - 1);
            self.small.push(row);
            let next = self.append(count, y, body);
            let found = self
                .coefficients(time, begin)
                .ok_or(FunctionError::NotConverged { work: Work::default(), error: f64::INFINITY })?;
            let change = |k: usize| {
                let old = |i: usize| before[k].get(i).copied().unwrap_or(0.0);
                found[k].iter().enumerate().map(|(i, c)| (c - old(i)).powi(2)).sum::<f64>().sqrt()
            };
            let size = |c: &[f64]| dot(c, c).sqrt();
            let scale = size(&found[1]).max(size(&found[0]) / time);
            let error = (change(0) / time).max(change(1)) / scale.max(f64::MIN_POSITIVE);
            quiet = if error <= tolerance { quiet + 1 } else { 0 };
            if quiet == 2 || next.is_none() {
                for (target, c) in [(y, &found[0]), (velocity, &found[1])] {
                    target.fill(0.0);
                    for ([v, _], c) in self.basis.iter().zip(c) {
                        target.iter_mut().zip(v).for_each(|(x, v)| *x += c * v);
                    }
                }
                return Ok(count);
            }
            if count == MOST {
                return Err(FunctionError::NotConverged { work: Work::default(), error });
            }
            before = found;
        }
        Ok(MOST)
    }

    /// Appends a vector, normed in D, and returns its norm; `None` if it is zero next to those before.
    fn append(&mut self, count: usize, x: &[f64], body: &mut dyn Relaxing) -> Option<f64> {
        let [v, dv] = &mut self.basis[count];
        v.copy_from_slice(x);
        body.damping_times(v, dv);
        let norm = dot(v, dv).sqrt();
        // Vectors after the first are images of vectors of length 1 under S, whose eigenvalues are at most 1.
        let least = if count == 0 { 0.0 } else { ROUNDING };
        if norm <= least || norm.is_nan() {
            return None;
        }
        v.iter_mut().chain(dv).for_each(|x| *x /= norm);
        Some(norm)
    }

    /// Returns y and y' in the space; `None` if something is not finite.
    fn coefficients(&self, time: f64, begin: f64) -> Option<[Vec<f64>; 2]> {
        let n = self.small.len();
        let s = Mat::from_fn(n, n, |i, j| self.small[i.max(j)][i.min(j)]);
        let (values, q) = eigen(s.as_ref())?;
        let mut found = [vec![0.0; n], vec![0.0; n]];
        for (k, &value) in values.iter().enumerate() {
            let [y, velocity] = of_mode(value);
            let start = begin * q[(0, k)];
            for i in 0..n {
                found[0][i] += time * y * start * q[(i, k)];
                found[1][i] += velocity * start * q[(i, k)];
            }
        }
        found.iter().flatten().all(|c| c.is_finite()).then_some(found)
    }
}

/// Computes phi_1(-a) / s and exp(-a) / s for an eigenvalue s = 1 / (1 + g a).
fn of_mode(s: f64) -> [f64; 2] {
    if s.abs() <= ROUNDING {
        return [SHIFT, 0.0];
    }
    let a = (1.0 / s - 1.0) / SHIFT;
    let phi = match a.abs() {
        0.0 => 1.0 / s,
        ..1.0 => -(-a).exp_m1() / a / s,
        // a s = (1 - s) / g
        _ => -(-a).exp_m1() * SHIFT / (1.0 - s),
    };
    [phi, (-a).exp() / s]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Nodes with a drag and a spring of their own: both diagonal.
    struct Dashpots {
        d: Vec<f64>,
        k: Vec<f64>,
        shift: f64,
    }

    impl Relaxing for Dashpots {
        fn damping_times(&mut self, x: &[f64], y: &mut [f64]) {
            (0..x.len()).for_each(|i| y[i] = self.d[i] * x[i]);
        }
        fn prepare_shifted(&mut self, k: f64) -> Result<(), LinearError> {
            self.shift = k;
            Ok(())
        }
        fn solve_shifted(&mut self, x: &mut [f64]) -> Result<(), LinearError> {
            (0..x.len()).for_each(|i| x[i] /= self.d[i] + self.shift * self.k[i]);
            Ok(())
        }
    }

    #[test]
    fn it_relaxes_soft_and_stiff_modes_and_buckling_ones() {
        let n = 200;
        // Rates from 0 over 1e-4 to 1e12 per unit of time, and two negative ones.
        let rate = |i: usize| match i {
            0 => 0.0,
            1 | 2 => -2.0 * i as f64,
            _ => 10_f64.powf(-4.0 + 16.0 * i as f64 / n as f64),
        };
        let d: Vec<f64> = (0..n).map(|i| 1.0 + (i as f64).sin().powi(2)).collect();
        let k = (0..n).map(|i| rate(i) * d[i]).collect();
        let r: Vec<f64> = (0..n).map(|i| (0.3 * i as f64).cos()).collect();
        let mut body = Dashpots { d: d.clone(), k, shift: 0.0 };
        let mut relaxation = Relaxation::default();
        for time in [1e-3, 0.7] {
            let (mut y, mut velocity) = (vec![0.0; n], vec![0.0; n]);
            let vectors = relaxation.relax(&mut body, time, &r, 1e-9, [&mut y, &mut velocity]).unwrap();
            assert!(vectors < 60, "{vectors} vectors");
            let norm = |x: &dyn Fn(usize) -> f64| (0..n).map(|i| d[i] * x(i) * x(i)).sum::<f64>().sqrt();
            let exact = |i: usize| {
                let a = time * rate(i);
                let phi = if a == 0.0 { 1.0 } else { -(-a).exp_m1() / a };
                [time * phi * r[i] / d[i], (-a).exp() * r[i] / d[i]]
            };
            let scale = norm(&|i| exact(i)[1]).max(norm(&|i| exact(i)[0]) / time);
            let errors = [norm(&|i| y[i] - exact(i)[0]) / time, norm(&|i| velocity[i] - exact(i)[1])];
            assert!(errors.iter().all(|error| error / scale < 1e-8), "{errors:?} of {scale} at {time}");
        }
        // Nothing pushes.
        let (mut y, mut velocity) = (vec![1.0; n], vec![1.0; n]);
        let zero = vec![0.0; n];
        assert_eq!(relaxation.relax(&mut body, 1.0, &zero, 1e-9, [&mut y, &mut velocity]), Ok(0));
        assert!(y.iter().chain(&velocity).all(|x| *x == 0.0));
    }
}
