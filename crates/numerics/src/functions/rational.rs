//! Rational (shift-and-invert) Lanczos: a basis that does not care how stiff the system is, as long as it is damped.
//!
//! For D = alpha M + beta K the operator is C = (M + sigma K)^-1 M = (1 + sigma L)^-1, sigma = gamma (t^2 + beta t),
//! symmetric in the M product. With C Q = Q T + beta_(k+1) q_(k+1) e_k^T, Lam = (T^-1 - 1) / sigma stands for L, and
//!
//!   f(L) b ~ |b| Q f(Lam) e_1
//!
//! for the functions of [`super::scalar`], by the eigenvalues of T. One basis a vector (the velocity and each load), in
//! lockstep; all of them reorthogonalised, since k is small.
//!
//! **Error.** Q u(s), u = |b| f(s; Lam) e_1, misses y'' + (alpha + beta L) y' + L y by
//! (beta_(k+1) / sigma) (1 + sigma L) q_(k+1) w(s), w = e_k^T T^-1 (u + beta u'). Its size at times between t/2 and
//! t, and what the last two vectors changed, make the estimate.
//!
//! Cost: k solves a vector with a matrix factorised once; k <= 20 for what damping smooths. Where modes with
//! t omega >> 1 are not damped away (beta below about t/10) nothing converges, and that is an error.

use super::scalar::response;
use super::vectors::{dot, sweep};
use super::{Damping, FunctionError, Motion, Oscillator, Propagator, Report, Sample};
use crate::linear::Work;
use faer::{Mat, Side};

/// Longest basis.
const LIMIT: usize = 80;

/// gamma: flat around the best for damped systems.
const GAMMA: f64 = 0.2;

/// Times at which the defect of the equation is looked at.
const LOOKS: usize = 8;

/// beta below this part of T ends a run.
const INVARIANT: f64 = 1e-14;

/// Rounding errors, relative to each part of a sum.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// Shift-and-invert Lanczos in the M product; needs Rayleigh damping.
#[derive(Debug, Clone)]
pub struct Rational {
    gamma: f64,
    limit: usize,
    runs: Vec<Run>,
    block: Vec<f64>,
    image: Vec<f64>,
    partial: Vec<f64>,
}

/// One starting vector and its basis.
#[derive(Debug, Clone, Default)]
struct Run {
    /// `None`: the velocity.
    load: Option<usize>,
    size: f64,
    /// q_j and M q_j.
    basis: Vec<[Vec<f64>; 2]>,
    diagonal: Vec<f64>,
    off: Vec<f64>,
    ended: bool,
    /// |b| f(Lam) e_1 of the last three sizes: y, y' of the first sample, then of the next.
    columns: [Vec<Vec<f64>>; 3],
}

/// The error of a sample relative to V, as far as known.
#[derive(Debug, Clone, Copy, Default)]
struct Accuracy {
    error: f64,
    scale: f64,
}

impl Default for Rational {
    fn default() -> Rational {
        Rational::new()
    }
}

impl Rational {
    /// With gamma = 0.2.
    pub fn new() -> Rational {
        Rational::with_gamma(GAMMA)
    }

    /// `gamma` (above 0) places the pole: 0.1 to 0.3 for most, 1 for very stiff systems.
    pub fn with_gamma(gamma: f64) -> Rational {
        let (runs, block, image, partial) = Default::default();
        Rational { gamma, limit: LIMIT, runs, block, image, partial }
    }

    /// Finds the runs and their first vectors; |v|.
    fn start(&mut self, system: &mut dyn Oscillator, motion: &Motion) -> Result<f64, FunctionError> {
        let n = system.dim();
        let starts =
            std::iter::once((None, motion.velocity)).chain(motion.loads.iter().enumerate().map(|(j, r)| (Some(j), *r)));
        let mut count = 0;
        let mut speed = 0.0;
        for (load, b) in starts.filter(|(_, b)| b.iter().any(|&b| b != 0.0)) {
            if self.runs.len() == count {
                self.runs.push(Run::default());
            }
            let run = &mut self.runs[count];
            count += 1;
            run.load = load;
            run.diagonal.clear();
            run.off.clear();
            run.columns.iter_mut().for_each(Vec::clear);
            run.reserve(0, n);
            let [q, p] = &mut run.basis[0];
            q.copy_from_slice(b);
            match load {
                None => system.mass_times(b, p, 1),
                Some(_) => {
                    p.copy_from_slice(b);
                    system.divide_by_mass(q, 1)?;
                }
            }
            run.size = sweep(q, p, p, &mut self.partial, |q, p, _| dot(q, p)).max(0.0).sqrt();
            if !run.size.is_finite() {
                return Err(FunctionError::Overflow);
            }
            run.ended = run.size == 0.0;
            if !run.ended {
                [q, p].into_iter().for_each(|x| x.iter_mut().for_each(|x| *x /= run.size));
            }
            if load.is_none() {
                speed = run.size;
            }
        }
        self.runs.truncate(count);
        self.block.resize(n * count, 0.0);
        self.image.resize(n * count.max(1), 0.0);
        Ok(speed)
    }

    /// Vector j + 1 of all runs: one solve each.
    fn step(&mut self, system: &mut dyn Oscillator, j: usize) -> Result<(), FunctionError> {
        let n = system.dim();
        let Rational { runs, block, image, partial, .. } = self;
        for (run, x) in runs.iter().zip(block.chunks_exact_mut(n)) {
            if run.ended { x.fill(0.0) } else { x.copy_from_slice(&run.basis[j][1]) }
        }
        system.solve_shifted(block, runs.len())?;
        for (run, x) in runs.iter_mut().zip(block.chunks_exact_mut(n)).filter(|(run, _)| !run.ended) {
            // Twice is enough.
            let mut alpha = 0.0;
            for _ in 0..2 {
                for (i, [q, p]) in run.basis[..=j].iter().enumerate() {
                    let h = sweep(x, p, p, partial, |x, p, _| dot(x, p));
                    sweep(x, q, q, partial, |x, q, _| {
                        x.iter_mut().zip(q).for_each(|(x, q)| *x -= h * q);
                        0.0
                    });
                    alpha += if i == j { h } else { 0.0 };
                }
            }
            run.diagonal.push(alpha);
        }
        system.mass_times(block, image, runs.len());
        let blocks = block.chunks_exact_mut(n).zip(image.chunks_exact(n));
        for (run, (x, px)) in runs.iter_mut().zip(blocks).filter(|(run, _)| !run.ended) {
            let beta = sweep(x, px, px, partial, |x, px, _| dot(x, px)).max(0.0).sqrt();
            if !(beta.is_finite() && run.diagonal[j].is_finite()) {
                return Err(FunctionError::Overflow);
            }
            run.off.push(beta);
            let largest = run.diagonal.iter().chain(&run.off).fold(0.0_f64, |m, t| m.max(t.abs()));
            run.ended = beta <= INVARIANT * largest;
            if run.ended {
                continue;
            }
            run.reserve(j + 1, n);
            let [q, p] = &mut run.basis[j + 1];
            q.iter_mut().zip(&*x).for_each(|(q, x)| *q = x / beta);
            p.iter_mut().zip(px).for_each(|(p, x)| *p = x / beta);
        }
        Ok(())
    }

    /// Sums the bases into the samples, and puts the norms of the sums into the scales.
    fn combine(
        &mut self,
        system: &dyn Oscillator,
        speed: f64,
        samples: &mut [Sample],
        accuracy: &mut [Accuracy],
    ) -> Result<(), FunctionError> {
        let product = &mut self.image[..system.dim()];
        for (s, (sample, accuracy)) in samples.iter_mut().zip(accuracy).enumerate() {
            let mut norms = [0.0; 2];
            for (o, out) in [&mut *sample.y, &mut *sample.velocity].into_iter().enumerate() {
                out.fill(0.0);
                for run in &self.runs {
                    let Some(column) = run.columns[0].get(2 * s + o) else { continue };
                    for (c, [q, _]) in column.iter().zip(&run.basis) {
                        sweep(out, q, q, &mut self.partial, |out, q, _| {
                            out.iter_mut().zip(q).for_each(|(out, q)| *out += c * q);
                            0.0
                        });
                    }
                }
                system.mass_times(out, product, 1);
                norms[o] = sweep(out, product, product, &mut self.partial, |x, p, _| dot(x, p)).max(0.0).sqrt();
            }
            accuracy.scale = speed.max(norms[1]).max(norms[0] / sample.time);
            if !accuracy.scale.is_finite() {
                return Err(FunctionError::Overflow);
            }
        }
        Ok(())
    }
}

impl Run {
    /// Makes room for vector j.
    fn reserve(&mut self, j: usize, n: usize) {
        if self.basis.len() <= j {
            self.basis.push(Default::default());
        }
        self.basis[j].iter_mut().for_each(|x| x.resize(n, 0.0));
    }

    /// y and y' of the modal response that belongs to the run.
    fn response(&self, t: f64, lam: f64, d: f64) -> [f64; 2] {
        let modal = response(t, lam, d);
        match self.load {
            None => [modal.impulse, modal.impulse_rate],
            Some(0) => [modal.loaded[0], modal.impulse],
            Some(j) => [modal.loaded[j], modal.loaded[j - 1]],
        }
    }

    /// Evaluates the samples in the basis and adds to their errors; `None` if T has no eigenvalues of use.
    fn evaluate(
        &mut self,
        sigma: f64,
        (alpha, beta): (f64, f64),
        samples: &[Sample],
        accuracy: &mut [Accuracy],
    ) -> Result<Option<()>, FunctionError> {
        let k = self.diagonal.len();
        let t = Mat::from_fn(k, k, |i, j| match i.abs_diff(j) {
            0 => self.diagonal[i],
            1 => self.off[i.min(j)],
            _ => 0.0,
        });
        let Ok(eigen) = t.self_adjoint_eigen(Side::Lower) else { return Ok(None) };
        let (theta, vectors) = (eigen.S().column_vector(), eigen.U());
        if theta.iter().any(|&theta| theta == 0.0) {
            return Ok(None);
        }
        let lam = |i: usize| (1.0 / theta[i] - 1.0) / sigma;
        let d = |i: usize| alpha + beta * lam(i);

        self.columns.rotate_right(1);
        self.columns[0].resize_with(2 * samples.len(), Vec::new);
        let mut rounding = vec![0.0_f64; 2 * samples.len()];
        for (s, sample) in samples.iter().enumerate() {
            let mut columns = [vec![0.0; k], vec![0.0; k]];
            for i in 0..k {
                let f = self.response(sample.time, lam(i), d(i));
                for (o, column) in columns.iter_mut().enumerate() {
                    if !f[o].is_finite() {
                        return Err(FunctionError::Overflow);
                    }
                    let factor = self.size * f[o] * vectors[(0, i)];
                    // A rounding of theta moves lam, and with it the phase.
                    let phase = sample.time * lam(i).abs().sqrt() / theta[i].abs();
                    rounding[2 * s + o] += ROUNDING * factor.abs() * (4.0 + phase);
                    (0..k).for_each(|j| column[j] += factor * vectors[(j, i)]);
                }
            }
            for (o, column) in columns.into_iter().enumerate() {
                self.columns[0][2 * s + o] = column;
            }
        }

        // w and its changes, in the second half of the time: what fast modes did before has been damped away.
        let last = samples.last().map_or(1.0, |sample| sample.time);
        let (mut w, mut change, mut before) = (0.0_f64, 0.0_f64, 0.0);
        for look in 0..=LOOKS {
            let time = 0.5 * last * (1.0 + look as f64 / LOOKS as f64);
            let mut sum = 0.0;
            for i in 0..k {
                let [u, rate] = self.response(time, lam(i), d(i));
                sum += vectors[(k - 1, i)] / theta[i] * (u + beta * rate) * vectors[(0, i)];
            }
            w = w.max(sum.abs());
            change = if look > 0 { change.max((sum - before).abs()) } else { 0.0 };
            before = sum;
        }
        let residual = self.off[k - 1] * self.size;
        let defect_y = residual * (0.5 * last * last / sigma * w + change);
        let defect_velocity = residual * (last / sigma * w + change * (2 * LOOKS) as f64 / last);
        for (s, (sample, accuracy)) in samples.iter().zip(accuracy).enumerate() {
            // What the last two vectors changed; infinite as long as there are not so many.
            let changed = |o: usize| -> f64 {
                let steps =
                    self.columns.windows(2).map(|pair| match (pair[0].get(2 * s + o), pair[1].get(2 * s + o)) {
                        (Some(new), Some(old)) => {
                            let old = old.iter().chain(std::iter::repeat(&0.0));
                            new.iter().zip(old).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt()
                        }
                        _ => f64::INFINITY,
                    });
                steps.sum()
            };
            // A basis that is invariant is exact.
            let truncation = |o: usize, defect: f64| if self.ended { 0.0 } else { changed(o) + defect };
            let error_y = truncation(0, defect_y) + rounding[2 * s];
            let error_velocity = truncation(1, defect_velocity) + rounding[2 * s + 1];
            accuracy.error += (error_y / sample.time).max(error_velocity);
            let norm = |o: usize| self.columns[0][2 * s + o].iter().map(|c| c * c).sum::<f64>().sqrt();
            accuracy.scale = accuracy.scale.max(norm(1)).max(norm(0) / sample.time);
        }
        Ok(Some(()))
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
        let Damping::Rayleigh { mass: alpha, stiffness: beta } = system.damping() else {
            return Err(FunctionError::DampingNotRayleigh);
        };
        let Some(last) = samples.last().map(|sample| sample.time) else {
            return Ok(Report::default());
        };
        let sigma = self.gamma * (last * last + beta * last);
        let speed = self.start(system, motion)?;
        let mut work = Work::default();
        if self.runs.iter().any(|run| !run.ended) {
            system.prepare_shifted([1.0, 0.0, sigma])?;
            work.factorisations += 1;
        }
        let mut accuracy = vec![Accuracy::default(); samples.len()];
        let mut error = f64::INFINITY;
        for k in 0..=self.limit {
            if k > 0 && self.runs.iter().all(|run| run.ended) && error.is_finite() {
                break;
            }
            if self.runs.iter().any(|run| !run.ended) {
                self.step(system, k)?;
                work.solves += self.runs.len() as u64;
            }
            accuracy.fill(Accuracy { error: 0.0, scale: speed });
            let mut known = true;
            for run in self.runs.iter_mut().filter(|run| !run.diagonal.is_empty()) {
                known &= run.evaluate(sigma, (alpha, beta), samples, &mut accuracy)?.is_some();
            }
            let ratio = |a: &Accuracy| if a.error > 0.0 { a.error / a.scale } else { 0.0 };
            let largest = |accuracy: &[Accuracy]| accuracy.iter().map(ratio).fold(0.0, f64::max);
            error = if known { largest(&accuracy) } else { f64::INFINITY };
            if error <= tolerance {
                self.combine(system, speed, samples, &mut accuracy)?;
                error = largest(&accuracy);
                if error <= tolerance {
                    let dimension = self.runs.iter().map(|run| run.diagonal.len()).max().unwrap_or(0);
                    return Ok(Report { work, dimension, substeps: 1, error });
                }
            }
        }
        Err(FunctionError::NotConverged { products: work.products, error })
    }
}
