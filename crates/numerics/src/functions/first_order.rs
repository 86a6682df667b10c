//! An oscillator as one linear first-order system u' = A u, for methods of first order.
//!
//!   u = (s y, y', z),   A = [ 0        s I      0 ]       z_k = g t^k / (k! T^k):  z_0' = 0,  z_k' = z_(k-1) / T
//!                           [ -L / s   -M^-1 D  B ]       L = M^-1 K,  B = (M^-1 r_0, T M^-1 r_1, ...) / g
//!                           [ 0        0        N ]
//!
//! exp(t A) (0, v, g e_0) contains the answer. g and T only scale the tail to the size of the rest. s is the balance:
//! with s = 1 ("raw", as in the papers) |A| is omega_max^2 while its eigenvalues are omega_max, and methods with short
//! recurrences fail without a sign; with s = omega_max, |A| is omega_max in the M norm.
//!
//! An application costs one product with K; with Rayleigh damping on y + beta y', with general damping also one with D.

use super::{Damping, FunctionError, Motion, Oscillator};
use crate::linear::Work;
use crate::vectors::{axpy, dot};
use faer::{Mat, Side};

/// Lanczos steps to bound a spectrum: the largest eigenvalue is found to a few per cent.
const LANCZOS_STEPS: usize = 10;

/// Form of A that a method works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// s = 1: nothing need be known about K.
    Raw,
    /// s = omega_max.
    Balanced,
}

/// The operator A with its memory.
#[derive(Debug, Clone, Default)]
pub(super) struct FirstOrder {
    n: usize,
    /// s [1/s].
    scale: f64,
    /// T [s].
    span: f64,
    /// g [m/s in the mean].
    tail: f64,
    forcing: Vec<f64>,
    scratch: [Vec<f64>; 4],
    /// Root of the mean mass.
    mean: f64,
    /// Largest |eigenvalue| of M^-1 K, its root [1/s], and of M^-1 D [1/s]; 0 where the form is raw.
    pub frequency: f64,
    pub damping: f64,
    /// Largest known frequency [1/s], for any form; 0 where none is known.
    pub fastest: f64,
    /// Products with K so far.
    pub products: u64,
}

impl FirstOrder {
    /// Makes A for a motion of length `span` [s].
    pub fn prepare(
        &mut self,
        system: &mut dyn Oscillator,
        motion: &Motion,
        span: f64,
        form: Form,
    ) -> Result<(), FunctionError> {
        let n = system.dim();
        *self = FirstOrder {
            n,
            span,
            forcing: std::mem::take(&mut self.forcing),
            scratch: std::mem::take(&mut self.scratch),
            ..FirstOrder::default()
        };
        self.scratch.iter_mut().for_each(|x| x.resize(n, 0.0));
        let [x, mx, ..] = &mut self.scratch;
        fill(x);
        system.mass_times(x, mx, 1);
        self.mean = (dot(x, mx) / dot(x, x).max(f64::MIN_POSITIVE)).max(0.0).sqrt();
        self.scale = 1.0;
        if form == Form::Balanced {
            let (largest, products) = self.largest(system, |system, x, y| system.stiffness_times(x, y, 1))?;
            self.frequency = largest.sqrt();
            self.fastest = self.frequency;
            self.products = products;
            self.damping = match system.damping() {
                Damping::Rayleigh { mass, stiffness } => mass.abs() + stiffness.abs() * self.frequency.powi(2),
                Damping::General => self.largest(system, |system, x, y| system.damping_times(x, y, 1))?.0,
            };
            // For soft bodies the time itself is the balance.
            self.scale = self.frequency.max(1.0 / span);
        }
        // Columns T^k M^-1 r_k, then the tail of size T |B|: the effect of the loads on the velocity.
        self.forcing.clear();
        let mut power = 1.0;
        for load in motion.loads {
            self.forcing.extend(load.iter().map(|r| power * r));
            power *= span;
        }
        if !motion.loads.is_empty() {
            system.divide_by_mass(&mut self.forcing, motion.loads.len())?;
        }
        let largest = self.forcing.chunks(n.max(1)).map(|b| dot(b, b)).fold(0.0, f64::max).sqrt();
        self.tail = if largest > 0.0 { span * largest } else { 1.0 };
        self.forcing.iter_mut().for_each(|b| *b /= self.tail);
        if self.tail.is_finite() && self.scale.is_finite() { Ok(()) } else { Err(FunctionError::Overflow) }
    }

    /// Returns the work so far.
    pub fn work(&self) -> Work {
        Work { products: self.products, ..Work::default() }
    }

    /// Makes the error of a failed convergence; `error` is the last estimate.
    pub fn not_converged(&self, error: f64) -> FunctionError {
        FunctionError::NotConverged { work: self.work(), error }
    }

    /// Returns the length of u.
    pub fn dim(&self) -> usize {
        2 * self.n + self.forcing.len().checked_div(self.n).unwrap_or(0)
    }

    /// Returns s [1/s].
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Returns 1 / T [1/s]: the norm of N and of the loads.
    pub fn tail_rate(&self) -> f64 {
        1.0 / self.span
    }

    /// u = (0, v, g e_0).
    pub fn start(&self, velocity: &[f64], u: &mut Vec<f64>) {
        u.clear();
        u.resize(self.dim(), 0.0);
        u[self.n..2 * self.n].copy_from_slice(velocity);
        if let Some(first) = u.get_mut(2 * self.n) {
            *first = self.tail;
        }
    }

    /// Returns t^k/k! at the time of u, for k below the number of loads; 0 above.
    pub fn power_of_time(&self, u: &[f64], k: usize) -> f64 {
        u.get(2 * self.n + k).map_or(0.0, |z| z / self.tail * self.span.powi(k as i32))
    }

    /// Computes the tail `time` [s] after `before`.
    pub fn advance_tail(&self, before: &[f64], time: f64, after: &mut [f64]) {
        for (k, after) in after.iter_mut().enumerate() {
            let mut factor = 1.0;
            *after = 0.0;
            for i in 0..=k {
                *after += before[k - i] * factor;
                factor *= time / self.span / (i + 1) as f64;
            }
        }
    }

    /// Reads y and y' from u.
    pub fn read(&self, u: &[f64], y: &mut [f64], velocity: &mut [f64]) {
        y.iter_mut().zip(u).for_each(|(y, u)| *y = u / self.scale);
        velocity.copy_from_slice(&u[self.n..2 * self.n]);
    }

    /// Returns |y| and |y'| of u in the M norm.
    pub fn measure(&mut self, system: &dyn Oscillator, u: &[f64]) -> [f64; 2] {
        let mut norm = |x: &[f64]| {
            system.mass_times(x, &mut self.scratch[0], 1);
            dot(x, &self.scratch[0]).max(0.0).sqrt()
        };
        let [y, velocity] = [norm(&u[..self.n]), norm(&u[self.n..2 * self.n])];
        [y / self.scale, velocity]
    }

    /// Returns |y| and |y'| of u in the Euclidean norm, which is cheaper.
    pub fn lengths(&self, u: &[f64]) -> [f64; 2] {
        let (y, velocity) = (&u[..self.n], &u[self.n..2 * self.n]);
        [dot(y, y).sqrt() / self.scale, dot(velocity, velocity).sqrt()]
    }

    /// Converts Euclidean lengths of y and y' to the M norm of bodies with equal masses: cheap, and right to a factor.
    /// An error of y is one of y' a quarter period of `rate` [1/s] later.
    pub fn in_mass_norm(&self, [y, velocity]: [f64; 2], rate: f64) -> [f64; 2] {
        [self.mean * y, self.mean * (velocity + rate * y)]
    }

    /// out = A u.
    pub fn apply(&mut self, system: &mut dyn Oscillator, u: &[f64], out: &mut [f64]) -> Result<(), FunctionError> {
        system.go_on(&self.work())?;
        self.products += 1;
        let n = self.n;
        let (y, velocity, tail) = (&u[..n], &u[n..2 * n], &u[2 * n..]);
        let (out_y, rest) = out.split_at_mut(n);
        let (out_v, out_tail) = rest.split_at_mut(n);
        let [x, dv, ..] = &mut self.scratch;
        let (s, mut proportional) = (self.scale, 0.0);
        match system.damping() {
            Damping::Rayleigh { mass, stiffness } => {
                proportional = mass;
                x.iter_mut().zip(y).zip(velocity).for_each(|((x, y), v)| *x = y / s + stiffness * v);
                system.stiffness_times(x, out_v, 1);
            }
            Damping::General => {
                x.iter_mut().zip(y).for_each(|(x, y)| *x = y / s);
                system.stiffness_times(x, out_v, 1);
                system.damping_times(velocity, dv, 1);
                axpy(1.0, dv, out_v);
            }
        }
        system.divide_by_mass(out_v, 1)?;
        out_v.iter_mut().zip(velocity).for_each(|(a, v)| *a = -*a - proportional * v);
        for (b, z) in self.forcing.chunks(n.max(1)).zip(tail) {
            axpy(*z, b, out_v);
        }
        out_y.iter_mut().zip(velocity).for_each(|(y, v)| *y = s * v);
        for k in 0..tail.len() {
            out_tail[k] = if k == 0 { 0.0 } else { tail[k - 1] / self.span };
        }
        Ok(())
    }

    /// Estimates the largest |eigenvalue| of M^-1 X from above, by Lanczos in the M inner product; returns also the
    /// products.
    fn largest(
        &mut self,
        system: &mut dyn Oscillator,
        times: impl Fn(&dyn Oscillator, &[f64], &mut [f64]),
    ) -> Result<(f64, u64), FunctionError> {
        let [q, mq, previous, w] = &mut self.scratch;
        fill(q);
        previous.fill(0.0);
        system.mass_times(q, mq, 1);
        let mut length = dot(q, mq).sqrt();
        let mut diagonal = [0.0; LANCZOS_STEPS];
        let mut below = [0.0; LANCZOS_STEPS];
        let mut steps = 0;
        while steps < LANCZOS_STEPS && length > 0.0 {
            q.iter_mut().for_each(|q| *q /= length);
            // w = M^-1 X q - beta q_before - alpha q
            system.go_on(&Work { products: steps as u64, ..Work::default() })?;
            times(system, q, w);
            diagonal[steps] = dot(q, w);
            system.divide_by_mass(w, 1)?;
            axpy(-diagonal[steps], q, w);
            if steps > 0 {
                axpy(-below[steps - 1], previous, w);
            }
            system.mass_times(w, mq, 1);
            length = dot(w, mq).max(0.0).sqrt();
            below[steps] = length;
            std::mem::swap(previous, q);
            std::mem::swap(q, w);
            steps += 1;
            if length <= 1e-12 * diagonal.iter().fold(0.0, |m: f64, a| m.max(a.abs())) {
                break;
            }
        }
        if steps == 0 {
            return Ok((0.0, 0));
        }
        let t = Mat::from_fn(steps, steps, |i, j| match i.abs_diff(j) {
            0 => diagonal[i],
            1 => below[i.min(j)],
            _ => 0.0,
        });
        let Ok(pairs) = t.self_adjoint_eigen(Side::Lower) else {
            return Err(FunctionError::Overflow);
        };
        // An eigenvalue lies within the residual of a Ritz value; the largest may lie as far again.
        let reach = |i: usize| pairs.S()[i].abs() + 2.0 * below[steps - 1] * pairs.U()[(steps - 1, i)].abs();
        let largest = reach(0).max(reach(steps - 1));
        if largest.is_finite() { Ok((largest, steps as u64)) } else { Err(FunctionError::Overflow) }
    }
}

/// Fills a vector with components in all modes; always the same.
fn fill(x: &mut [f64]) {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    for x in x {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        *x = (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5;
    }
}
