//! Rational (shift-and-invert) Krylov methods: bases independent of the stiffness of the system, as long as it is
//! damped.
//!
//! With Rayleigh damping everything is a function of M^-1 K, and symmetric Lanczos is enough ([`symmetric`]); with any
//! other damping Arnoldi works on (y / t, y') ([`general`]). Both take k solves per vector (the velocity and each load,
//! in lockstep) with one matrix factorised once, and k <= 25 where damping smooths the motion. Where modes with t omega
//! >> 1 are not damped away (beta below about t/10) nothing converges, and that is an error.

mod general;
mod symmetric;

use super::start::Start;
use super::{Damping, FunctionError, Motion, Oscillator, Propagator, Report, Sample, rounding_floor};
use crate::linear::Work;
use crate::vectors::inner;

/// Longest basis.
const LIMIT: usize = 80;

/// gamma: the optimum for damped systems is flat around it.
const GAMMA: f64 = 0.2;

/// Share of the projected matrix below which the rest of a new vector is rounding errors: the basis is complete.
const INVARIANT: f64 = 1e-14;

/// Rounding errors, relative to each part of a sum.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Number of times at which the residual of the equation is evaluated.
const LOOKS: usize = 8;

/// Shift-and-invert Krylov method in the M product, for any damping.
#[derive(Debug, Clone)]
pub struct Rational {
    gamma: f64,
    symmetric: symmetric::Lanczos,
    general: general::Arnoldi,
    product: Vec<f64>,
    partial: Vec<f64>,
}

/// Bases of all Krylov spaces, each started with the velocity or with M^-1 times a load.
trait Bases {
    /// Starts all Krylov spaces for a motion of length `time`; returns |v|.
    fn begin(
        &mut self,
        system: &mut dyn Oscillator,
        motion: &Motion,
        gamma: f64,
        time: f64,
    ) -> Result<f64, FunctionError>;

    /// Returns the shifted matrix to solve with.
    fn shift(&self) -> [f64; 3];

    /// Returns the vectors in the largest basis.
    fn dimension(&self) -> usize;

    /// Returns true if every basis is invariant: no step would add anything.
    fn complete(&self) -> bool;

    /// Adds one vector to each space that is not complete.
    fn step(&mut self, system: &mut dyn Oscillator, work: &mut Work) -> Result<(), FunctionError>;

    /// Computes the coefficients of all samples and adds to their errors; `false` where that is not possible yet.
    fn evaluate(&mut self, samples: &[Sample], accuracy: &mut [Accuracy]) -> Result<bool, FunctionError>;

    /// Sums the bases into the samples.
    fn combine(&mut self, samples: &mut [Sample]);
}

/// Error of a sample, and its scale.
#[derive(Debug, Clone, Copy, Default)]
struct Accuracy {
    error: f64,
    scale: f64,
}

impl Accuracy {
    /// Returns the largest error in the measure of the module above.
    fn largest(all: &[Accuracy]) -> f64 {
        let ratio = |a: &Accuracy| if a.error == 0.0 { 0.0 } else { a.error / a.scale };
        // Not f64::max, which would drop a NaN.
        all.iter().map(ratio).fold(0.0, |m, x| if x <= m { m } else { x })
    }
}

impl Default for Rational {
    fn default() -> Rational {
        Rational::new()
    }
}

impl Rational {
    /// Makes it with gamma = 0.2.
    pub fn new() -> Rational {
        Rational::with_gamma(GAMMA)
    }

    /// Makes it with a pole at `gamma` (above 0): 0.1 to 0.3 for most, 1 for very stiff systems.
    pub fn with_gamma(gamma: f64) -> Rational {
        let (symmetric, general) = Default::default();
        Rational { gamma, symmetric, general, product: Vec::new(), partial: Vec::new() }
    }
}

impl Propagator for Rational {
    fn propagate(
        &mut self,
        system: &mut dyn Oscillator,
        motion: &Motion,
        tolerance: f64,
        samples: &mut [Sample],
    ) -> Result<Report, FunctionError> {
        let Some(last) = samples.last().map(|sample| sample.time) else {
            return Ok(Report::default());
        };
        let Rational { gamma, symmetric, general, product, partial } = self;
        let bases: &mut dyn Bases = match system.damping() {
            Damping::Rayleigh { mass, stiffness } => {
                symmetric.damping = (mass, stiffness);
                symmetric
            }
            Damping::General => general,
        };
        product.resize(system.dim(), 0.0);
        let tolerance = tolerance.max(rounding_floor(0.0));
        let speed = bases.begin(system, motion, *gamma, last)?;
        let mut work = Work::default();
        if !bases.complete() {
            system.go_on(&work)?;
            system.prepare_shifted(bases.shift())?;
            work.factorisations += 1;
        }
        let mut accuracy = vec![Accuracy::default(); samples.len()];
        loop {
            let complete = bases.complete();
            accuracy.fill(Accuracy { error: 0.0, scale: speed });
            let known = bases.evaluate(samples, &mut accuracy)?;
            let mut error = if known { Accuracy::largest(&accuracy) } else { f64::INFINITY };
            if error <= tolerance {
                bases.combine(samples);
                measure(system, speed, samples, &mut accuracy, product, partial)?;
                error = Accuracy::largest(&accuracy);
                if error <= tolerance {
                    return Ok(Report { work, dimension: bases.dimension(), substeps: 1, error });
                }
            }
            if complete || bases.dimension() == LIMIT {
                return Err(FunctionError::NotConverged { work, error });
            }
            system.go_on(&work)?;
            bases.step(system, &mut work)?;
        }
    }
}

/// Sets the scales to the norms of the samples.
fn measure(
    system: &dyn Oscillator,
    speed: f64,
    samples: &mut [Sample],
    accuracy: &mut [Accuracy],
    product: &mut [f64],
    partial: &mut Vec<f64>,
) -> Result<(), FunctionError> {
    for (sample, accuracy) in samples.iter_mut().zip(accuracy) {
        let [y, velocity] = [&*sample.y, &*sample.velocity].map(|x| {
            system.mass_times(x, product, 1);
            inner(x, product, partial).max(0.0).sqrt()
        });
        accuracy.scale = speed.max(velocity).max(y / sample.time);
        if !accuracy.scale.is_finite() {
            return Err(FunctionError::Overflow);
        }
    }
    Ok(())
}

/// Sets q to v or M^-1 r at unit length, and M q; returns the length.
fn first_vector(
    start: Start,
    system: &mut dyn Oscillator,
    motion: &Motion,
    q: &mut [f64],
    mq: &mut [f64],
    partial: &mut Vec<f64>,
) -> Result<f64, FunctionError> {
    start.write(system, motion, q, mq)?;
    let size = inner(q, mq, partial).max(0.0).sqrt();
    if !size.is_finite() {
        return Err(FunctionError::Overflow);
    }
    if size > 0.0 {
        q.iter_mut().chain(mq).for_each(|x| *x /= size);
    }
    Ok(size)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::LinearError;

    /// Independent unit masses on springs; K = 0.7 i + 1, D = K / 100 or, if general, not quite.
    struct Apart {
        n: usize,
        damping: Damping,
        shift: [f64; 3],
    }

    impl Apart {
        fn stiffness(&self, i: usize) -> f64 {
            0.7 * (i % self.n) as f64 + 1.0
        }
        fn damping_of(&self, i: usize) -> f64 {
            let odd = if self.damping == Damping::General { 0.3 * (i % 2) as f64 } else { 0.0 };
            0.01 * (1.0 + odd) * self.stiffness(i)
        }
    }

    impl Oscillator for Apart {
        fn dim(&self) -> usize {
            self.n
        }
        fn stiffness_times(&self, x: &[f64], y: &mut [f64], _: usize) {
            (0..x.len()).for_each(|i| y[i] = self.stiffness(i) * x[i]);
        }
        fn mass_times(&self, x: &[f64], y: &mut [f64], _: usize) {
            y.copy_from_slice(x);
        }
        fn divide_by_mass(&mut self, _: &mut [f64], _: usize) -> Result<(), LinearError> {
            Ok(())
        }
        fn damping(&self) -> Damping {
            self.damping
        }
        fn damping_times(&self, x: &[f64], y: &mut [f64], _: usize) {
            (0..x.len()).for_each(|i| y[i] = self.damping_of(i) * x[i]);
        }
        fn prepare_shifted(&mut self, factors: [f64; 3]) -> Result<(), LinearError> {
            self.shift = factors;
            Ok(())
        }
        fn solve_shifted(&mut self, x: &mut [f64], _: usize) -> Result<(), LinearError> {
            let [m, d, k] = self.shift;
            (0..x.len()).for_each(|i| x[i] /= m + d * self.damping_of(i) + k * self.stiffness(i));
            Ok(())
        }
    }

    #[test]
    fn threads_do_not_matter() {
        let n = 70_000;
        let v: Vec<f64> = (0..n).map(|i| ((i * i) % 101) as f64 - 50.0).collect();
        for damping in [Damping::Rayleigh { mass: 0.0, stiffness: 0.01 }, Damping::General] {
            let answers = [1, 2].map(|threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let (mut y, mut velocity) = (vec![0.0; n], vec![0.0; n]);
                let mut samples = [Sample { time: 0.02, y: &mut y, velocity: &mut velocity }];
                let motion = Motion { velocity: &v, loads: &[&v] };
                let mut system = Apart { n, damping, shift: [0.0; 3] };
                let report = pool.install(|| Rational::new().propagate(&mut system, &motion, 1e-6, &mut samples));
                (report.unwrap(), y, velocity)
            });
            assert!(answers[0] == answers[1], "{damping:?}");
        }
    }
}
