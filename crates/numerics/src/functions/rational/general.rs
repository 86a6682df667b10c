//! Rational Arnoldi for any symmetric D.
//!
//! On u = (p, r) = (y / t, y'), both velocities, and in the time tau = s / t of a motion as long as t, u' = A u with
//!
//!   A = [ 0         I         ]      C = (I - gamma A)^-1:   (M + gamma t D + gamma^2 t^2 K) w = M r - gamma t^2 K p
//!       [ -t^2 L    -t M^-1 D ]                              C (p, r) = (p + gamma w, w)
//!
//! One symmetric solve applies C. With C V = V H + h v_(k+1) e_k^T, A_k = (I - H^-1) / gamma represents A:
//!
//!   u(tau) ~ |b| V f(tau),     f = exp(tau A_k) e_1  or  t^m tau^m phi_m(tau A_k) e_1 for load m - 1,
//!
//! a column of the exponential of A_k with a chain of m integrators beside it.
//!
//! **Product.** V is orthonormal in |u|^2 = p . (M / gamma^2 + t^2 K) p + r . M r, an energy. In it A is dissipative
//! except for a part of size 1 / (2 gamma), and A_k inherits that: exp(A_k) is bounded for any stiffness. In the M
//! product of both parts it is not, and spurious growth hides every answer.
//!
//! **Error.** V f leaves the residual (h / gamma) (I - gamma A) v_(k+1) w, w = |b| e_k^T H^-1 f, in u' = A u.
//! Integrated (the part with A by parts) that leaves h w v_(k+1) at the end, and smoother terms that the next vectors
//! add. The first and the changes by the last two vectors make the estimate; parts of u are measured by those of each
//! v_j in the M norm.

use super::super::dense::{divide, exponential};
use super::super::start::Start;
use super::super::{FunctionError, Motion, Oscillator, Sample};
use super::{Accuracy, Bases, INVARIANT, LOOKS, ROUNDING, first_vector};
use crate::linear::Work;
use crate::vectors::{add, inner};
use faer::Mat;

/// The bases of all Krylov spaces.
#[derive(Debug, Clone, Default)]
pub(super) struct Arnoldi {
    gamma: f64,
    /// t [s].
    time: f64,
    spaces: Vec<KrylovSpace>,
    /// p and K p of the newest vectors.
    positions: Vec<f64>,
    forces: Vec<f64>,
    block: Vec<f64>,
    partial: Vec<f64>,
}

/// One starting vector and its basis.
#[derive(Debug, Clone, Default)]
struct KrylovSpace {
    /// m: 0 for the velocity, 1 + the number of a load.
    order: usize,
    size: f64,
    /// v_j, p above r, and the vector whose dot product with another is their product.
    basis: Vec<[Vec<f64>; 2]>,
    /// |p| and |r| of each in the M norm.
    lengths: Vec<[f64; 2]>,
    /// Columns of H, each with its entry below the diagonal.
    h: Vec<Vec<f64>>,
    ended: bool,
    /// |b| f of each sample, of the last three sizes.
    columns: [Vec<Vec<f64>>; 3],
}

impl Bases for Arnoldi {
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
            space.order = if let Start::Load(j) = start { j + 1 } else { 0 };
            space.h.clear();
            space.columns.iter_mut().for_each(Vec::clear);
            space.lengths.clear();
            space.lengths.push([0.0, 1.0]);
            space.reserve(0, n);
            let [v, image] = &mut space.basis[0];
            v[..n].fill(0.0);
            image[..n].fill(0.0);
            space.size = first_vector(start, system, motion, &mut v[n..], &mut image[n..], &mut self.partial)?;
            space.ended = space.size == 0.0;
            if start == Start::Velocity {
                speed = space.size;
            }
        }
        self.spaces.truncate(count);
        for memory in [&mut self.block, &mut self.positions, &mut self.forces] {
            memory.clear();
            memory.resize(n * count, 0.0);
        }
        (self.gamma, self.time) = (gamma, time);
        Ok(speed)
    }

    fn shift(&self) -> [f64; 3] {
        let step = self.gamma * self.time;
        [1.0, step, step * step]
    }

    fn dimension(&self) -> usize {
        self.spaces.iter().map(|space| space.h.len()).max().unwrap_or(0)
    }

    fn complete(&self) -> bool {
        self.spaces.iter().all(|space| space.ended)
    }

    fn step(&mut self, system: &mut dyn Oscillator, work: &mut Work) -> Result<(), FunctionError> {
        let (n, j) = (system.dim(), self.dimension());
        let Arnoldi { gamma, time, spaces, positions, forces, block, partial } = self;
        let columns = spaces.len();
        let stretch = *time * *time;
        for (r, space) in spaces.iter().enumerate() {
            let column = r * n..(r + 1) * n;
            let w = &mut block[column.clone()];
            if space.ended {
                w.fill(0.0);
                positions[column].fill(0.0);
            } else {
                w.copy_from_slice(&space.basis[j][1][n..]);
                add(-*gamma * stretch, &forces[column], w);
            }
        }
        system.solve_shifted(block, columns)?;
        for ((space, p), w) in spaces.iter_mut().zip(positions.chunks_exact_mut(n)).zip(block.chunks_exact(n)) {
            if !space.ended {
                space.reserve(j + 1, n);
                space.extend(p, w, *gamma, partial);
                p.copy_from_slice(&space.basis[j + 1][0][..n]);
            }
        }
        system.stiffness_times(positions, forces, columns);
        *work += Work { products: columns as u64, solves: columns as u64, ..Work::default() };
        for ((space, p), force) in spaces.iter_mut().zip(positions.chunks_exact_mut(n)).zip(forces.chunks_exact_mut(n))
        {
            if !space.ended {
                let length = space.normalise(system, force, [1.0 / (*gamma * *gamma), stretch], partial)?;
                p.iter_mut().chain(force).for_each(|x| *x /= length);
            }
        }
        Ok(())
    }

    fn evaluate(&mut self, samples: &[Sample], accuracy: &mut [Accuracy]) -> Result<bool, FunctionError> {
        let mut known = true;
        for space in self.spaces.iter_mut().filter(|space| space.size > 0.0) {
            known &= !space.h.is_empty() && space.evaluate(self.gamma, self.time, samples, accuracy);
        }
        Ok(known)
    }

    fn combine(&mut self, samples: &mut [Sample]) {
        for (s, sample) in samples.iter_mut().enumerate() {
            sample.y.fill(0.0);
            sample.velocity.fill(0.0);
            for space in &self.spaces {
                let column = space.columns[0].get(s).into_iter().flatten();
                for (c, [v, _]) in column.zip(&space.basis) {
                    let (p, r) = v.split_at(sample.y.len());
                    add(c * self.time, p, sample.y);
                    add(*c, r, sample.velocity);
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
        self.basis[j].iter_mut().for_each(|x| x.resize(2 * n, 0.0));
    }

    /// Computes the next vector, C times the last, orthogonal to all: a column of H.
    fn extend(&mut self, p: &[f64], w: &[f64], gamma: f64, partial: &mut Vec<f64>) {
        let k = self.h.len() + 1;
        let (before, after) = self.basis.split_at_mut(k);
        let x = &mut after[0][0];
        let (new_p, new_r) = x.split_at_mut(p.len());
        new_r.copy_from_slice(w);
        new_p.copy_from_slice(p);
        add(gamma, w, new_p);
        let mut column = vec![0.0; k + 1];
        // Two passes are enough.
        for _ in 0..2 {
            for (h, [v, image]) in column.iter_mut().zip(&*before) {
                let projection = inner(x, image, partial);
                add(-projection, v, x);
                *h += projection;
            }
        }
        self.h.push(column);
    }

    /// Normalises the newest vector, whose product with K is `force`; returns its length before.
    fn normalise(
        &mut self,
        system: &dyn Oscillator,
        force: &[f64],
        [mass, stiffness]: [f64; 2],
        partial: &mut Vec<f64>,
    ) -> Result<f64, FunctionError> {
        let (k, n) = (self.h.len(), force.len());
        let [x, image] = &mut self.basis[k];
        system.mass_times(x, image, 2);
        let squares = [0, n].map(|o| inner(&x[o..o + n], &image[o..o + n], partial).max(0.0));
        image[..n].iter_mut().zip(force).for_each(|(image, f)| *image = mass * *image + stiffness * f);
        let square = inner(x, image, partial);
        if !square.is_finite() {
            return Err(FunctionError::Overflow);
        }
        let length = square.abs().sqrt();
        self.h[k - 1][k] = length;
        let largest = self.h.iter().flatten().fold(0.0_f64, |m, h| m.max(h.abs()));
        self.ended = length <= INVARIANT * largest || k == 2 * n;
        if square < 0.0 && !self.ended {
            // K has an eigenvalue below -1 / (gamma t)^2: the product is not positive definite.
            let work = Work { products: k as u64, solves: k as u64, ..Work::default() };
            return Err(FunctionError::NotConverged { work, error: f64::INFINITY });
        }
        if self.ended {
            return Ok(1.0);
        }
        x.iter_mut().chain(image).for_each(|x| *x /= length);
        self.lengths.push(squares.map(|square| square.sqrt() / length));
        Ok(length)
    }

    /// Evaluates the samples in the basis and adds to their errors; `false` where that is not possible yet.
    fn evaluate(&mut self, gamma: f64, time: f64, samples: &[Sample], accuracy: &mut [Accuracy]) -> bool {
        let k = self.h.len();
        let h = Mat::from_fn(k, k, |i, j| self.h[j].get(i).copied().unwrap_or(0.0));
        let inverse = divide(h, Mat::identity(k, k));
        // A_k, and the integrators that make powers of time.
        let size = k + self.order;
        let one = |condition: bool| f64::from(u8::from(condition));
        let a = Mat::from_fn(size, size, |i, j| match (i < k, j < k) {
            (true, true) => (one(i == j) - inverse[(i, j)]) / gamma,
            (true, false) => one(i == 0 && j == k),
            _ => one(j == i + 1),
        });
        let scale = self.size * time.powi(self.order as i32);
        let start = if self.order == 0 { 0 } else { size - 1 };

        self.columns.rotate_right(1);
        self.columns[0].resize_with(samples.len(), Vec::new);
        for (sample, column) in samples.iter().zip(&mut self.columns[0]) {
            let f = exponential((&a * faer::Scale(sample.time / time)).as_ref());
            column.clear();
            column.extend((0..k).map(|i| scale * f[(i, start)]));
        }
        let finite = |column: &Vec<f64>| column.iter().map(|c| c * c).sum::<f64>().is_finite();
        if !self.columns[0].iter().all(finite) || (self.columns[2].is_empty() && !self.ended) {
            return false;
        }

        // Largest w in the second half of the time, so that a zero of it is not mistaken for convergence.
        let step = exponential((&a * faer::Scale(0.5 / LOOKS as f64)).as_ref());
        let mut f = vec![0.0; size];
        f[start] = scale * self.h[k - 1][k];
        let mut w = 0.0_f64;
        for look in 1..=2 * LOOKS {
            f = (0..size).map(|i| (0..size).map(|j| step[(i, j)] * f[j]).sum()).collect();
            if look >= LOOKS {
                w = w.max((0..k).map(|j| inverse[(k - 1, j)] * f[j]).sum::<f64>().abs());
            }
        }
        let reach = a.norm_l2();
        for (s, (sample, accuracy)) in samples.iter().zip(accuracy).enumerate() {
            let entry = |age: usize, j: usize| self.columns[age].get(s).and_then(|c| c.get(j)).copied().unwrap_or(0.0);
            let [y, velocity] = [0, 1].map(|part| {
                let length = |j: usize| self.lengths[j][part];
                let changed =
                    |age: usize| -> f64 { (0..k).map(|j| (entry(age, j) - entry(age + 1, j)).abs() * length(j)).sum() };
                let size = (0..k).map(|j| entry(0, j).abs() * length(j)).sum::<f64>();
                // An invariant basis is exact.
                let truncation: f64 = if self.ended { 0.0 } else { changed(0) + changed(1) + w * length(k) };
                [truncation + ROUNDING * (4.0 + reach) * size, size]
            });
            // y = t p, and its time is that of the sample.
            let earlier = time / sample.time;
            accuracy.error += velocity[0].max(y[0] * earlier);
            accuracy.scale = accuracy.scale.max(velocity[1]).max(y[1] * earlier);
        }
        true
    }
}
