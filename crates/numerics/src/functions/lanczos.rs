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
//! and f(L) b ~ |b| Q_k f(T_k) e_1. The runs go in lockstep, so one pass over K serves all; nothing is reorthogonalised,
//! and one basis serves all samples.
//!
//! **Size.** For z = t sqrt(lam_max) the error is J_2k(z)-like: nothing happens before k = z/2, then it falls faster than
//! any power. The first check is where it should be small enough.
//!
//! **Error.** Q_k u(s), u = |b| f(s; T_k) e_1, misses the equation by beta_(k+1) p_(k+1) (u_k + beta u_k')(s), so its
//! error is that, convolved with S or S'. For k > z/2 the last entry u_k(s) grows like s^rate: the integrals are t/rate
//! (t^2/rate^2) times its value at t. To that we add the last two entries of f(T_k) e_1, what the latest two vectors
//! brought. Below k = z/2 small last entries mean nothing, and no check is made.
//!
//! Cost: k products and divisions by M a run, three passes over vectors each, memory k n a run; beyond the memory limit
//! the basis is made twice. Fails when t sqrt(lam_max) / 2 exceeds the limit on k.

use super::scalar::response;
use super::tridiagonal::{Chebyshev, Tridiagonal};
use super::vectors::{dot, sweep};
use super::{Damping, FunctionError, Motion, Oscillator, Propagator, Report, Sample};
use crate::linear::Work;
use rayon::prelude::*;

/// Longest basis.
const LIMIT: usize = 20_000;

/// beta below this part of T ends a run: the rest is rounding errors.
const INVARIANT: f64 = 1e-14;

/// Rounding errors, relative to the frequency and to the largest value of a function.
const ROUNDING: f64 = 8.0 * f64::EPSILON;

/// Rows of the basis combined at a time: the sums stay in the cache.
const ROWS: usize = 512;

/// Symmetric Lanczos in the M product; needs Rayleigh damping.
#[derive(Debug, Clone)]
pub struct Lanczos {
    memory: usize,
    limit: usize,
    runs: Vec<Run>,
    /// size_j q_j of all runs, at j modulo the number of slots.
    basis: Vec<Vec<f64>>,
    /// size_j p_j of all runs: the last, the one before, and the next in the making.
    images: [Vec<f64>; 3],
    combined: Vec<f64>,
    partial: Vec<f64>,
    chebyshev: Chebyshev,
}

/// What one run starts from.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
enum Start {
    #[default]
    Velocity,
    Load(usize),
}

/// The scalars of one run.
#[derive(Debug, Clone, Default)]
struct Run {
    start: Start,
    /// alpha_j.
    diagonal: Vec<f64>,
    /// |b|, then beta_1, beta_2, ...: what each vector was divided by.
    sizes: Vec<f64>,
    /// The largest entry of T.
    largest: f64,
    ended: bool,
    /// |b| f(T) e_1: y, y' of the first sample, then of the next.
    columns: Vec<f64>,
}

/// Bounds of the errors of a sample, and what they are compared with.
#[derive(Debug, Clone, Copy, Default)]
struct Accuracy {
    /// Of y / t.
    y: f64,
    /// Of y'.
    velocity: f64,
    /// Of both, what rounding does: no larger basis makes it smaller.
    rounding: f64,
    /// V of the module above.
    scale: f64,
    /// The scale is that of the sample; before that, of the largest of the parts it is summed from.
    measured: bool,
}

impl Accuracy {
    fn ratio(&self) -> f64 {
        let error = self.y.max(self.velocity) + self.rounding;
        if error > 0.0 { error / self.scale } else { 0.0 }
    }
}

impl Default for Lanczos {
    fn default() -> Lanczos {
        Lanczos::new()
    }
}

impl Lanczos {
    /// A basis of at most 1 GiB at a time.
    pub fn new() -> Lanczos {
        Lanczos::with_memory(1 << 30)
    }

    /// A basis of at most so many bytes at a time; where more is needed it is made twice.
    pub fn with_memory(bytes: usize) -> Lanczos {
        Lanczos {
            memory: bytes,
            limit: LIMIT,
            runs: Vec::new(),
            basis: Vec::new(),
            images: Default::default(),
            combined: Vec::new(),
            partial: Vec::new(),
            chebyshev: Chebyshev::default(),
        }
    }

    /// At most so many vectors a run.
    pub fn with_limit(self, vectors: usize) -> Lanczos {
        Lanczos { limit: vectors.max(1), ..self }
    }

    /// Finds the runs and their first vectors; |v|.
    fn start(&mut self, system: &mut dyn Oscillator, motion: &Motion) -> Result<f64, FunctionError> {
        let starts = std::iter::once((Start::Velocity, motion.velocity))
            .chain(motion.loads.iter().enumerate().map(|(j, load)| (Start::Load(j), *load)));
        let mut count = 0;
        for (start, _) in starts.filter(|(_, b)| b.iter().any(|&b| b != 0.0)) {
            if self.runs.len() == count {
                self.runs.push(Run::default());
            }
            self.runs[count].restart(start);
            count += 1;
        }
        self.runs.truncate(count);
        let length = system.dim() * count;
        self.images.iter_mut().for_each(|image| image.resize(length, 0.0));
        self.basis.truncate(self.slots());
        self.first_vectors(system, motion)?;

        let mut speed = 0.0;
        let n = system.dim().max(1);
        for (r, run) in self.runs.iter_mut().enumerate() {
            let column = r * n..(r + 1) * n;
            let (q, p) = (&mut self.basis[0][column.clone()], &self.images[0][column]);
            let size = sweep(q, p, p, &mut self.partial, |q, p, _| dot(q, p)).sqrt();
            if !size.is_finite() {
                return Err(FunctionError::Overflow);
            }
            run.sizes.push(size);
            run.ended = size == 0.0;
            if run.start == Start::Velocity {
                speed = size;
            }
        }
        Ok(speed)
    }

    /// Writes M^-1 p and p of every run to the first slots.
    fn first_vectors(&mut self, system: &mut dyn Oscillator, motion: &Motion) -> Result<(), FunctionError> {
        self.reserve(0);
        let n = system.dim();
        let (q, p) = (&mut self.basis[0], &mut self.images[0]);
        for (r, run) in self.runs.iter().enumerate() {
            let column = r * n..(r + 1) * n;
            match run.start {
                Start::Velocity => {
                    q[column.clone()].copy_from_slice(motion.velocity);
                    system.mass_times(motion.velocity, &mut p[column], 1);
                }
                Start::Load(j) => {
                    p[column.clone()].copy_from_slice(motion.loads[j]);
                    q[column.clone()].copy_from_slice(motion.loads[j]);
                    system.divide_by_mass(&mut q[column], 1)?;
                }
            }
        }
        Ok(())
    }

    /// Vectors the memory holds.
    fn slots(&self) -> usize {
        (self.memory / (8 * self.images[0].len()).max(1)).max(2)
    }

    /// The slot of vector j, made if it is not there yet.
    fn reserve(&mut self, j: usize) -> usize {
        let (slot, length) = (j % self.slots(), self.images[0].len());
        if self.basis.len() <= slot {
            self.basis.resize_with(slot + 1, Vec::new);
        }
        self.basis[slot].resize(length, 0.0);
        slot
    }

    /// Vector j + 1 of all runs. Its scalars are appended, or taken from the first time if they are known.
    fn step(&mut self, system: &mut dyn Oscillator, j: usize) -> Result<(), FunctionError> {
        let n = system.dim();
        let slot = j % self.slots();
        let next_slot = self.reserve(j + 1);
        let mut next_q = std::mem::take(&mut self.basis[next_slot]);
        let Lanczos { runs, basis, images: [p, old, next], partial, .. } = self;
        let q = &basis[slot];

        system.stiffness_times(q, next, runs.len());
        let again = runs.iter().all(|run| run.sizes.len() > j + 1 || run.ended);
        for (r, run) in runs.iter_mut().enumerate() {
            let column = r * n..(r + 1) * n;
            let (next, p, old) = (&mut next[column.clone()], &p[column.clone()], &old[column.clone()]);
            if j + 1 >= run.sizes.len() && run.ended {
                next.fill(0.0);
                next_q[column].fill(0.0);
                continue;
            }
            let inverse = 1.0 / run.sizes[j];
            let coupling = if j > 0 { run.sizes[j] / run.sizes[j - 1] } else { 0.0 };
            let product = sweep(next, old, &q[column.clone()], partial, |next, old, q| {
                if j > 0 {
                    next.iter_mut().zip(old).for_each(|(next, old)| *next = inverse * *next - coupling * old);
                } else {
                    next.iter_mut().for_each(|next| *next *= inverse);
                }
                if again { 0.0 } else { dot(next, q) }
            });
            if !again {
                run.diagonal.push(product * inverse);
            }
            let back = run.diagonal[j] * inverse;
            sweep(next, p, p, partial, |next, p, _| {
                next.iter_mut().zip(p).for_each(|(next, p)| *next -= back * p);
                0.0
            });
            next_q[column].copy_from_slice(next);
        }
        let divided = system.divide_by_mass(&mut next_q, runs.len());
        basis[next_slot] = next_q;
        divided?;

        if !again {
            for (r, run) in runs.iter_mut().enumerate().filter(|(_, run)| !run.ended) {
                let column = r * n..(r + 1) * n;
                let (q, p) = (&mut basis[next_slot][column.clone()], &mut next[column]);
                let square = sweep(q, p, p, partial, |q, p, _| dot(q, p));
                if !square.is_finite() {
                    return Err(FunctionError::Overflow);
                }
                run.sizes.push(square.max(0.0).sqrt());
                run.largest = run.largest.max(run.sizes[j + 1]).max(run.diagonal[j].abs());
                run.ended = run.sizes[j + 1] <= INVARIANT * run.largest;
            }
        }
        // An ended run leaves zeros, so that products with it cost nothing but time.
        for (r, _) in runs.iter().enumerate().filter(|(_, run)| run.ended && run.sizes.len() == j + 2) {
            basis[next_slot][r * n..(r + 1) * n].fill(0.0);
            next[r * n..(r + 1) * n].fill(0.0);
        }
        self.images.rotate_right(1);
        Ok(())
    }

    /// The largest t sqrt(lam) of the runs that go on.
    fn largest_phase(&self, time: f64) -> Result<f64, FunctionError> {
        let mut z = 0.0_f64;
        for run in self.runs.iter().filter(|run| !run.ended) {
            z = z.max(time * run.frequency(time)?);
        }
        Ok(z)
    }

    /// Evaluates y and y' in the bases, and bounds their errors.
    fn evaluate(
        &mut self,
        damping: (f64, f64),
        samples: &[Sample],
        accuracy: &mut [Accuracy],
    ) -> Result<bool, FunctionError> {
        let (alpha, beta) = damping;
        accuracy.iter_mut().for_each(|a| (a.y, a.velocity, a.rounding) = (0.0, 0.0, 0.0));
        let last = samples.last().map_or(0.0, |sample| sample.time);
        for run in &mut self.runs {
            let k = run.diagonal.len();
            if k == 0 {
                continue;
            }
            let t = run.tridiagonal();
            let interval = t.extremes();
            let z = last * run.frequency(last)?;
            let start = run.start;
            let evaluate = |lam: f64, f: &mut [f64]| {
                for (sample, f) in samples.iter().zip(f.chunks_exact_mut(2)) {
                    let modal = response(sample.time, lam, alpha + beta * lam);
                    (f[0], f[1]) = match start {
                        Start::Velocity => (modal.impulse, modal.impulse_rate),
                        Start::Load(0) => (modal.loaded[0], modal.impulse),
                        Start::Load(j) => (modal.loaded[j], modal.loaded[j - 1]),
                    };
                }
            };
            let degree = size_for(z, f64::EPSILON).min(1e6) as usize;
            if !self.chebyshev.apply(t, interval, degree, 2 * samples.len(), evaluate) {
                let overflow = self.chebyshev.sizes.iter().any(|size| !size.is_finite());
                return if overflow { Err(FunctionError::Overflow) } else { Ok(false) };
            }
            run.columns.clear();
            run.columns.extend(self.chebyshev.columns.iter().map(|f| run.sizes[0] * f));

            let residual = run.sizes[k];
            for ((s, sample), accuracy) in samples.iter().enumerate().zip(accuracy.iter_mut()) {
                let t = sample.time;
                let (y, velocity) = run.columns[2 * s * k..(2 * s + 2) * k].split_at(k);
                let defect = residual * (y[k - 1] + beta * velocity[k - 1]).abs();
                let rate = growth_rate(k, t / last * z, t * (alpha + beta * interval.1).max(0.0));
                let tail = |f: &[f64]| if run.ended { 0.0 } else { f[k - 1].hypot(f[k.saturating_sub(2)]) };
                let rate = if run.ended { 1.0 } else { rate };
                let (y_norm, velocity_norm) = (dot(y, y).sqrt(), dot(velocity, velocity).sqrt());
                let size = |f: usize| run.sizes[0] * self.chebyshev.sizes[f];
                let rounding = |norm: f64, size: f64| ROUNDING * ((4.0 + z) * norm + size);
                let rounding = rounding(y_norm, size(2 * s)).max(t * rounding(velocity_norm, size(2 * s + 1))) / t;
                accuracy.y += defect * t / (rate * rate) + tail(y) / t;
                accuracy.velocity += defect * t / rate + tail(velocity);
                accuracy.rounding += rounding;
                if !accuracy.measured {
                    accuracy.scale = accuracy.scale.max(velocity_norm).max(y_norm / t);
                }
            }
        }
        Ok(true)
    }

    /// Sums the basis into the samples, in a second pass over the recurrence if it was too large to keep.
    fn combine(
        &mut self,
        system: &mut dyn Oscillator,
        motion: &Motion,
        k: usize,
        samples: &mut [Sample],
    ) -> Result<u64, FunctionError> {
        let n = system.dim();
        let outputs = 2 * samples.len();
        self.combined.clear();
        self.combined.resize(n * outputs, 0.0);
        let slots = self.slots();
        let mut products = 0;
        if k <= slots {
            self.accumulate(n, 0..k, outputs);
        } else {
            self.first_vectors(system, motion)?;
            for j in 0..k {
                if (j + 1) % slots == 0 || j + 1 == k {
                    self.accumulate(n, j - j % slots..j + 1, outputs);
                }
                // One more than is summed: should the answer not do, the recurrence goes on from there.
                self.step(system, j)?;
                products += self.runs.len() as u64;
            }
        }
        for (block, rows) in self.combined.chunks(ROWS * outputs).enumerate() {
            let height = rows.len() / outputs;
            let range = block * ROWS..block * ROWS + height;
            for (sample, parts) in samples.iter_mut().zip(rows.chunks_exact(2 * height)) {
                sample.y[range.clone()].copy_from_slice(&parts[..height]);
                sample.velocity[range.clone()].copy_from_slice(&parts[height..]);
            }
        }
        Ok(products)
    }

    /// Adds vectors `range` times their coefficients; a block of rows at a time, outputs within.
    fn accumulate(&mut self, n: usize, range: std::ops::Range<usize>, outputs: usize) {
        let slots = self.slots();
        let Lanczos { combined, basis, runs, .. } = self;
        combined.par_chunks_mut(ROWS * outputs).enumerate().for_each(|(block, rows)| {
            let height = rows.len() / outputs;
            for j in range.clone() {
                for (r, run) in runs.iter().enumerate().filter(|(_, run)| j < run.columns.len() / outputs) {
                    let first = r * n + block * ROWS;
                    let q = &basis[j % slots][first..first + height];
                    let inverse = 1.0 / run.sizes[j];
                    let k = run.columns.len() / outputs;
                    for (o, out) in rows.chunks_exact_mut(height).enumerate() {
                        let factor = inverse * run.columns[o * k + j];
                        out.iter_mut().zip(q).for_each(|(out, q)| *out += factor * q);
                    }
                }
            }
        });
    }
}

impl Run {
    /// Forgets everything but its memory.
    fn restart(&mut self, start: Start) {
        self.start = start;
        self.diagonal.clear();
        self.sizes.clear();
        self.columns.clear();
        self.largest = 0.0;
        self.ended = false;
    }

    fn tridiagonal(&self) -> Tridiagonal<'_> {
        Tridiagonal { diagonal: &self.diagonal, off: self.sizes.get(1..).unwrap_or_default() }
    }

    /// sqrt of the width of the spectrum seen so far, from zero: what the degree of polynomials depends on.
    fn frequency(&self, time: f64) -> Result<f64, FunctionError> {
        if self.diagonal.is_empty() {
            return Ok(0.0);
        }
        let (low, high) = self.tridiagonal().extremes();
        // exp(700) is about the largest number there is.
        if time * (-low).max(0.0).sqrt() > 700.0 {
            return Err(FunctionError::Overflow);
        }
        Ok((high.max(0.0) - low.min(0.0)).sqrt())
    }
}

/// Where J_2k(z) has fallen to the tolerance: J_(z+d)(z) ~ exp(-(2 sqrt 2 / 3) d^(3/2) / z^(1/2)).
fn size_for(z: f64, tolerance: f64) -> f64 {
    let digits = -tolerance.clamp(f64::EPSILON, 0.1).ln();
    0.5 * (z + (1.06 * digits).powf(2.0 / 3.0) * z.cbrt()) + 2.0
}

/// s u'/u of the last entry u of f(s; T_k) e_1: from J_2k(z) where the motion oscillates, from exp(-c/2) I_k(c/2) where it
/// is damped by c = t d; the slower one.
fn growth_rate(k: usize, z: f64, c: f64) -> f64 {
    let order = (2 * k) as f64;
    let oscillating = (order * order - z * z).max(0.0).sqrt().max(order.powf(2.0 / 3.0));
    let damped = {
        let (k, half) = (k as f64, 0.5 * c);
        k * k / ((k * k + half * half).sqrt() + half)
    };
    oscillating.min(damped).max(1.0)
}

impl Propagator for Lanczos {
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
        let speed = self.start(system, motion)?;
        let mut accuracy: Vec<Accuracy> =
            samples.iter().map(|_| Accuracy { scale: speed, ..Accuracy::default() }).collect();

        let mut products = 0;
        let mut k = 0;
        let mut next = 4;
        loop {
            while k < next && self.runs.iter().any(|run| !run.ended) {
                self.step(system, k)?;
                products += self.runs.len() as u64;
                k += 1;
            }
            let error = |accuracy: &[Accuracy]| accuracy.iter().fold(0.0_f64, |m, a| m.max(a.ratio()));
            let z = self.largest_phase(last)?;
            let ended = self.runs.iter().all(|run| run.ended);
            let predicted = size_for(z, 30.0 * tolerance).ceil();
            if !ended && (k as f64) < predicted && k < self.limit && 0.5 * z < self.limit as f64 {
                next = self.limit.min(predicted as usize);
                continue;
            }
            let mut left = f64::INFINITY;
            if k as f64 >= 0.5 * z && self.evaluate((alpha, beta), samples, &mut accuracy)? {
                if error(&accuracy) <= tolerance {
                    products += self.combine(system, motion, k, samples)?;
                    self.measure(system, speed, samples, &mut accuracy)?;
                }
                left = error(&accuracy);
                if left <= tolerance {
                    let work = Work { products, ..Work::default() };
                    return Ok(Report { work, dimension: k, substeps: 1, error: left });
                }
            }
            let hopeless = accuracy.iter().any(|a| a.rounding > tolerance * a.scale);
            if ended || hopeless || k >= self.limit || 0.5 * z >= self.limit as f64 {
                return Err(FunctionError::NotConverged { products, error: left });
            }
            next = self.limit.min(k + 2 + k / 24);
        }
    }
}

impl Lanczos {
    /// Replaces the guessed scales of the errors by the norms of the samples.
    fn measure(
        &mut self,
        system: &mut dyn Oscillator,
        speed: f64,
        samples: &mut [Sample],
        accuracy: &mut [Accuracy],
    ) -> Result<(), FunctionError> {
        let product = &mut self.combined[..system.dim()];
        for (sample, accuracy) in samples.iter_mut().zip(accuracy) {
            let mut norm = |x: &mut [f64]| {
                system.mass_times(x, product, 1);
                sweep(x, product, product, &mut self.partial, |x, p, _| dot(x, p)).max(0.0).sqrt()
            };
            let (y, velocity) = (norm(sample.y), norm(sample.velocity));
            if !(y.is_finite() && velocity.is_finite()) {
                return Err(FunctionError::Overflow);
            }
            accuracy.scale = speed.max(velocity).max(y / sample.time);
            accuracy.measured = true;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::LinearError;

    /// Masses on springs in a row.
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

    /// The second call works in the memory of the first; the sums are the same for any number of threads.
    #[test]
    fn memory_is_kept_and_threads_do_not_matter() {
        let n = 100_000;
        let v: Vec<f64> = (0..n).map(|i| ((i * i) % 101) as f64 - 50.0).collect();
        let mut answers = Vec::new();
        for threads in [1, 2] {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut lanczos = Lanczos::new();
            let (mut y, mut velocity) = (vec![0.0; n], vec![0.0; n]);
            let mut places = Vec::new();
            for _ in 0..2 {
                let motion = Motion { velocity: &v, loads: &[&v] };
                let mut samples = [Sample { time: 0.05, y: &mut y, velocity: &mut velocity }];
                pool.install(|| lanczos.propagate(&mut Row(n), &motion, 1e-6, &mut samples)).unwrap();
                let vectors = lanczos.basis.iter().chain(&lanczos.images).chain([&lanczos.combined, &lanczos.partial]);
                // Images trade places; where they all live does not change.
                let mut memory: Vec<_> = vectors.map(|x| (x.as_ptr() as usize, x.capacity())).collect();
                memory.sort();
                places.push(memory);
            }
            assert_eq!(places[0], places[1]);
            answers.push((y, velocity));
        }
        assert!(answers[0] == answers[1]);
    }
}
