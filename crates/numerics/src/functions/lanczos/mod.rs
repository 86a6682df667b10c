//! Symmetric Lanczos: all functions of L = M^-1 K from products with K and divisions by M alone.
//!
//! With D = alpha M + beta K every matrix function of (1) is a function of the one matrix L, symmetric in the M product:
//!
//!   y(t) = S(t; L) v + sum_j R_j(t; L) M^-1 r_j,     y'(t) = S'(t; L) v + S(t; L) M^-1 r_0 + sum_j R_(j-1)(t; L) M^-1 r_j
//!
//! with the scalar functions of [`super::scalar`]. The velocity and each load start one run of the three-term recurrence
//!
//!   beta_(j+1) p_(j+1) = K q_j - alpha_j p_j - beta_j p_(j-1),     q = M^-1 p,     q_i . p_j = delta_ij
//!
//! and f(L) b ~ |b| Q_k f(T_k) e_1. The runs go in lockstep, so one pass over K serves all; nothing is
//! reorthogonalised, and one basis serves all samples.
//!
//! [`estimate`] finds the length of the basis and its error.
//!
//! Cost per run: k products and divisions by M, three passes over vectors each, memory k n; beyond the memory limit the
//! basis is made twice. Where t sqrt(lam_max) / 2 exceeds the limit on k, the motion is cut into [`pieces`].

mod estimate;
mod pieces;
mod recurrence;

use super::first_order::Form;
use super::march::March;
use super::{Damping, FunctionError, Motion, Oscillator, Propagator, Report, Sample, rounding_floor};
use crate::linear::Work;
use estimate::{Accuracy, size_for};
use pieces::Pieces;
use recurrence::Recurrence;

/// Longest basis: functions of its matrix take its square in flops, a tenth of a second.
const LIMIT: usize = 4_000;

/// Symmetric Lanczos in the M product; needs Rayleigh damping.
#[derive(Debug, Clone)]
pub struct Lanczos {
    pieces: Pieces,
    march: March,
}

impl Default for Lanczos {
    fn default() -> Lanczos {
        Lanczos::new()
    }
}

impl Lanczos {
    /// Makes it with a basis of at most 1 GiB at a time.
    pub fn new() -> Lanczos {
        Lanczos::with_memory(1 << 30)
    }

    /// Makes it with a basis of at most this many bytes at a time; where more is needed it is made twice.
    pub fn with_memory(bytes: usize) -> Lanczos {
        Lanczos { pieces: Pieces::new(LIMIT, Recurrence::with_memory(bytes)), march: March::default() }
    }

    /// Limits the vectors per run.
    pub fn with_limit(mut self, vectors: usize) -> Lanczos {
        self.pieces.limit = vectors.max(1);
        self
    }
}

impl Pieces {
    /// Evaluates y and y' in the bases, and bounds their errors.
    fn evaluate(
        &mut self,
        damping: (f64, f64),
        samples: &[Sample],
        accuracy: &mut [Accuracy],
    ) -> Result<bool, FunctionError> {
        accuracy.iter_mut().for_each(|a| (a.y, a.velocity, a.rounding) = (0.0, 0.0, 0.0));
        for run in &mut self.recurrence.runs {
            if !run.evaluate(damping, &mut self.chebyshev, samples, accuracy)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Replaces the guessed scales of the errors by the norms of the samples.
    fn measure(
        &mut self,
        system: &dyn Oscillator,
        speed: f64,
        samples: &[Sample],
        accuracy: &mut [Accuracy],
    ) -> Result<(), FunctionError> {
        for (sample, accuracy) in samples.iter().zip(accuracy) {
            let [y, velocity] = [&*sample.y, &*sample.velocity].map(|x| self.recurrence.norm(system, x));
            if !(y.is_finite() && velocity.is_finite()) {
                return Err(FunctionError::Overflow);
            }
            accuracy.scale = speed.max(velocity).max(y / sample.time);
            accuracy.measured = true;
        }
        Ok(())
    }

    /// Computes the whole motion in one basis; `None` where the limit on vectors is too low for that.
    fn whole(
        &mut self,
        system: &mut dyn Oscillator,
        motion: &Motion,
        damping: (f64, f64),
        tolerance: f64,
        samples: &mut [Sample],
    ) -> Result<Option<Report>, FunctionError> {
        let last = samples.last().map_or(0.0, |sample| sample.time);
        self.spent = (0, 0.0);
        let speed = self.recurrence.begin(system, motion)?;
        let mut accuracy: Vec<Accuracy> =
            samples.iter().map(|_| Accuracy { scale: speed, ..Accuracy::default() }).collect();

        let mut work = Work::default();
        let mut k = 0;
        let mut next = 4;
        loop {
            while k < next && !self.recurrence.ended() {
                system.go_on(&work)?;
                self.recurrence.step(system, k)?;
                work.products += self.recurrence.runs.len() as u64;
                k += 1;
            }
            let error = |accuracy: &[Accuracy]| accuracy.iter().fold(0.0_f64, |m, a| m.max(a.ratio()));
            let z = self.recurrence.largest_phase(last)?;
            let ended = self.recurrence.ended();
            let tolerance = tolerance.max(rounding_floor(last * self.recurrence.fastest(last)?));
            let predicted = size_for(z, 30.0 * tolerance).ceil();
            if !ended && (k as f64) < predicted && k < self.limit && 0.5 * z < self.limit as f64 {
                next = self.limit.min(predicted as usize);
                continue;
            }
            let mut left = f64::INFINITY;
            if k as f64 >= 0.5 * z && self.evaluate(damping, samples, &mut accuracy)? {
                if error(&accuracy) <= tolerance {
                    work.products += self.recurrence.combine(system, motion, k, samples)?;
                    self.measure(system, speed, samples, &mut accuracy)?;
                }
                left = error(&accuracy);
                if left <= tolerance {
                    return Ok(Some(Report { work, dimension: k, substeps: 1, error: left }));
                }
            }
            let hopeless = accuracy.iter().any(|a| a.rounding > tolerance * a.scale);
            let is_too_wild = ended && left.is_infinite();
            if (ended && !is_too_wild) || hopeless {
                return Err(FunctionError::NotConverged { work, error: left });
            }
            if is_too_wild || k >= self.limit || 0.5 * z >= self.limit as f64 {
                self.spent = (work.products, z / last);
                return Ok(None);
            }
            next = self.limit.min(k + 2 + k / 24);
        }
    }
}

impl Propagator for Lanczos {
    fn propagate(
        &mut self,
        system: &mut dyn Oscillator,
        motion: &Motion,
        tolerance: f64,
        samples: &mut [Sample],
    ) -> Result<Report, FunctionError> {
        let Damping::Rayleigh { mass, stiffness } = system.damping() else {
            return Err(FunctionError::DampingNotRayleigh);
        };
        if samples.is_empty() {
            return Ok(Report::default());
        }
        if let Some(report) = self.pieces.whole(system, motion, (mass, stiffness), tolerance, samples)? {
            return Ok(report);
        }
        self.pieces.take(motion);
        self.march.run(&mut self.pieces, Form::Raw, (system, motion), tolerance, samples)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::LinearError;

    /// Masses in a row, connected by springs.
    struct Row(usize);

    impl Oscillator for Row {
        fn dim(&self) -> usize {
            self.0
        }
        fn stiffness_times(&self, x: &[f64], y: &mut [f64], _: usize) {
            for (x, y) in x.chunks_exact(self.0).zip(y.chunks_exact_mut(self.0)) {
                for i in 0..self.0 {
                    let neighbours = if i > 0 { x[i - 1] } else { 0.0 } + x.get(i + 1).unwrap_or(&0.0);
                    y[i] = 1e4 * (2.0 * x[i] - neighbours);
                }
            }
        }
        fn mass_times(&self, x: &[f64], y: &mut [f64], _: usize) {
            y.copy_from_slice(x);
        }
        fn divide_by_mass(&mut self, _: &mut [f64], _: usize) -> Result<(), LinearError> {
            Ok(())
        }
        fn damping(&self) -> Damping {
            Damping::Rayleigh { mass: 0.0, stiffness: 0.0 }
        }
        fn damping_times(&self, _: &[f64], y: &mut [f64], _: usize) {
            y.fill(0.0);
        }
        fn prepare_shifted(&mut self, _: [f64; 3]) -> Result<(), LinearError> {
            Err(LinearError::NotPrepared)
        }
        fn solve_shifted(&mut self, _: &mut [f64], _: usize) -> Result<(), LinearError> {
            Err(LinearError::NotPrepared)
        }
    }

    /// The second call reuses the memory of the first; the sums are the same for any number of threads.
    #[test]
    fn memory_is_kept_and_threads_do_not_matter() {
        let n = 100_000;
        let v: Vec<f64> = (0..n).map(|i| ((i * i) % 101) as f64 - 50.0).collect();
        let mut answers = Vec::new();
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut lanczos = Lanczos::new();
            let (mut y, mut velocity) = (vec![0.0; n], vec![0.0; n]);
            let mut addresses = Vec::new();
            for _ in 0..2 {
                let motion = Motion { velocity: &v, loads: &[&v] };
                let mut samples = [Sample { time: 0.05, y: &mut y, velocity: &mut velocity }];
                pool.install(|| lanczos.propagate(&mut Row(n), &motion, 1e-6, &mut samples)).unwrap();
                addresses.push(lanczos.pieces.recurrence.addresses());
            }
            assert_eq!(addresses[0], addresses[1]);
            answers.push((y, velocity));
        }
        assert!(answers[0] == answers[1]);
    }
}
