//! Rational Lanczos for D = alpha M + beta K.
//!
//! The operator is C = (M + sigma K)^-1 M = (1 + sigma L)^-1, sigma = gamma t (gamma t + beta), symmetric in the M product.
//! With C Q = Q T + beta_(k+1) q_(k+1) e_k^T, Lam = (T^-1 - 1) / sigma represents L, and
//!
//!   f(L) b ~ |b| Q f(Lam) e_1
//!
//! for the functions of [`crate::functions::scalar`], by the eigenvalues of T. All of Q is reorthogonalised, since k is
//! small.
//!
//! **Error.** Q u(s), u = |b| f(s; Lam) e_1, leaves in y'' + (alpha + beta L) y' + L y the residual (beta_(k+1) /
//! sigma) (1 + sigma L) q_(k+1) w(s), w = e_k^T T^-1 (u + beta u'). Fast modes follow its second term: e + beta e' =
//! -beta_(k+1) w, so that |e'| is at most the largest w' and 2 w / beta. That at times between t/2 and t, and the
//! changes by the last two vectors, make the estimate; the first term is smooth, and the next vectors add it.

use super::super::dense::eigen;
use super::super::start::Start;
use super::super::{FunctionError, Motion, Oscillator, Sample};
use super::{Accuracy, Bases, INVARIANT, LOOKS, ROUNDING, first_vector};
use crate::linear::Work;
use crate::vectors::{add, inner, subtract_projections};
use faer::Mat;

/// The bases of all Krylov spaces.
#[derive(Debug, Clone, Default)]
pub(super) struct Lanczos {
    /// alpha [1/s] and beta [s].
    pub damping: (f64, f64),
    sigma: f64,
    spaces: Vec<KrylovSpace>,
    block: Vec<f64>,
    image: Vec<f64>,
    projections: Vec<f64>,
    partial: Vec<f64>,
}

/// One starting vector and its basis.
#[derive(Debug, Clone, Default)]
struct KrylovSpace {
    start: Start,
    size: f64,
    /// q_j and M q_j.
    basis: Vec<[Vec<f64>; 2]>,
    diagonal: Vec<f64>,
    off: Vec<f64>,
    ended: bool,
    /// |b| f(Lam) e_1 of the last three sizes: y, y' of the first sample, then of the next.
    columns: [Vec<Vec<f64>>; 3],
}

impl Bases for Lanczos {
    fn begin(
        &mut self,
        system: &mut dyn Oscillator,
        motion: &Motion,
        gamma: f64,
        time: f64,
    ) -> Result<f64, FunctionError> {
        let n = system.dim();
        let mut speed = 0.0;
        let mut count = 0;
        for start in Start::all(motion) {
            if self.spaces.len() == count {
                self.spaces.push(KrylovSpace::default());
            }
            let space = &mut self.spaces[count];
            count += 1;
            space.start = start;
            space.diagonal.clear();
            space.off.clear();
            space.columns.iter_mut().for_each(Vec::clear);
            space.reserve(0, n);
            let [q, p] = &mut space.basis[0];
            space.size = first_vector(start, system, motion, q, p, &mut self.partial)?;
            space.ended = space.size == 0.0;
            if start == Start::Velocity {
                speed = space.size;
            }
        }
        self.spaces.truncate(count);
        self.block.resize(n * count, 0.0);
        self.image.resize(n * count, 0.0);
        self.sigma = gamma * time * (gamma * time + self.damping.1);
        Ok(speed)
    }

    fn shift(&self) -> [f64; 3] {
        [1.0, 0.0, self.sigma]
    }

    fn dimension(&self) -> usize {
        self.spaces.iter().map(|space| space.diagonal.len()).max().unwrap_or(0)
    }

    fn complete(&self) -> bool {
        self.spaces.iter().all(|space| space.ended)
    }

    fn step(&mut self, system: &mut dyn Oscillator, work: &mut Work) -> Result<(), FunctionError> {
        let (n, j) = (system.dim(), self.dimension());
        let Lanczos { spaces, block, image, projections, partial, .. } = self;
        for (space, x) in spaces.iter().zip(block.chunks_exact_mut(n)) {
            if space.ended { x.fill(0.0) } else { x.copy_from_slice(&space.basis[j][1]) }
        }
        system.solve_shifted(block, spaces.len())?;
        work.solves += spaces.len() as u64;
        for (space, x) in spaces.iter_mut().zip(block.chunks_exact_mut(n)).filter(|(space, _)| !space.ended) {
            // Two passes are enough, also with all products of a pass taken at once.
            let mut alpha = 0.0;
            for _ in 0..2 {
                subtract_projections(x, &space.basis[..=j], projections, partial);
                alpha += projections[j];
            }
            space.diagonal.push(alpha);
        }
        system.mass_times(block, image, spaces.len());
        let blocks = block.chunks_exact(n).zip(image.chunks_exact(n));
        for (space, (x, px)) in spaces.iter_mut().zip(blocks).filter(|(space, _)| !space.ended) {
            let beta = inner(x, px, partial).max(0.0).sqrt();
            if !(beta.is_finite() && space.diagonal[j].is_finite()) {
                return Err(FunctionError::Overflow);
            }
            space.off.push(beta);
            let largest = space.diagonal.iter().chain(&space.off).fold(0.0_f64, |m, t| m.max(t.abs()));
            space.ended = beta <= INVARIANT * largest;
            if space.ended {
                continue;
            }
            space.reserve(j + 1, n);
            let [q, p] = &mut space.basis[j + 1];
            q.iter_mut().zip(x).for_each(|(q, x)| *q = x / beta);
            p.iter_mut().zip(px).for_each(|(p, x)| *p = x / beta);
        }
        Ok(())
    }

    fn evaluate(&mut self, samples: &[Sample], accuracy: &mut [Accuracy]) -> Result<bool, FunctionError> {
        let mut known = true;
        for space in self.spaces.iter_mut().filter(|space| space.size > 0.0) {
            known &= !space.diagonal.is_empty() && space.evaluate(self.sigma, self.damping, samples, accuracy)?;
        }
        Ok(known)
    }

    fn combine(&mut self, samples: &mut [Sample]) {
        for (s, sample) in samples.iter_mut().enumerate() {
            for (o, out) in [&mut *sample.y, &mut *sample.velocity].into_iter().enumerate() {
                out.fill(0.0);
                for space in &self.spaces {
                    let column = space.columns[0].get(2 * s + o).into_iter().flatten();
                    column.zip(&space.basis).for_each(|(c, [q, _])| add(*c, q, out));
                }
            }
        }
    }
}

impl KrylovSpace {
    /// Allocates vector j.
    fn reserve(&mut self, j: usize, n: usize) {
        if self.basis.len() <= j {
            self.basis.push(Default::default());
        }
        self.basis[j].iter_mut().for_each(|x| x.resize(n, 0.0));
    }

    /// Evaluates the samples in the basis and adds to their errors; `false` if T has no usable eigenvalues.
    fn evaluate(
        &mut self,
        sigma: f64,
        (alpha, beta): (f64, f64),
        samples: &[Sample],
        accuracy: &mut [Accuracy],
    ) -> Result<bool, FunctionError> {
        let k = self.diagonal.len();
        let t = Mat::from_fn(k, k, |i, j| match i.abs_diff(j) {
            0 => self.diagonal[i],
            1 => self.off[i.min(j)],
            _ => 0.0,
        });
        let Some((theta, vectors)) = eigen(t.as_ref()) else { return Ok(false) };
        if theta.contains(&0.0) {
            return Ok(false);
        }
        let lam = |i: usize| (1.0 / theta[i] - 1.0) / sigma;
        let d = |i: usize| alpha + beta * lam(i);

        self.columns.rotate_right(1);
        self.columns[0].resize_with(2 * samples.len(), Vec::new);
        let mut rounding = vec![0.0_f64; 2 * samples.len()];
        for (s, sample) in samples.iter().enumerate() {
            let mut columns = [vec![0.0; k], vec![0.0; k]];
            for i in 0..k {
                let f = self.start.response(sample.time, lam(i), d(i));
                for (o, column) in columns.iter_mut().enumerate() {
                    if !f[o].is_finite() {
                        return Err(FunctionError::Overflow);
                    }
                    let factor = self.size * f[o] * vectors[(0, i)];
                    // Rounding of theta moves lam, and with it the phase.
                    let phase = sample.time * lam(i).abs().sqrt() / theta[i].abs();
                    rounding[2 * s + o] += ROUNDING * factor.abs() * (4.0 + phase);
                    (0..k).for_each(|j| column[j] += factor * vectors[(j, i)]);
                }
            }
            for (o, column) in columns.into_iter().enumerate() {
                self.columns[0][2 * s + o] = column;
            }
        }

        // w and its changes, in the second half of the time: earlier effects of fast modes have been damped away.
        let last = samples.last().map_or(1.0, |sample| sample.time);
        let (mut w, mut change, mut before) = (0.0_f64, 0.0_f64, 0.0);
        for look in 0..=LOOKS {
            let time = 0.5 * last * (1.0 + look as f64 / LOOKS as f64);
            let mut sum = 0.0;
            for i in 0..k {
                let [u, rate] = self.start.response(time, lam(i), d(i));
                sum += vectors[(k - 1, i)] / theta[i] * (u + beta * rate) * vectors[(0, i)];
            }
            w = w.max(sum.abs());
            change = if look > 0 { change.max((sum - before).abs()) } else { 0.0 };
            before = sum;
        }
        let residual = self.off[k - 1] * self.size;
        let defect_y = residual * w;
        let defect_velocity = residual * (change * (2 * LOOKS) as f64 / last).min(2.0 * w / beta);
        for (s, (sample, accuracy)) in samples.iter().zip(accuracy).enumerate() {
            // Changes by the last two vectors; infinite while there are fewer.
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
            // An invariant basis is exact.
            let truncation = |o: usize, defect: f64| if self.ended { 0.0 } else { changed(o) + defect };
            let error_y = truncation(0, defect_y) + rounding[2 * s];
            let error_velocity = truncation(1, defect_velocity) + rounding[2 * s + 1];
            accuracy.error += (error_y / sample.time).max(error_velocity);
            let norm = |o: usize| self.columns[0][2 * s + o].iter().map(|c| c * c).sum::<f64>().sqrt();
            accuracy.scale = accuracy.scale.max(norm(1)).max(norm(0) / sample.time);
        }
        Ok(true)
    }
}
