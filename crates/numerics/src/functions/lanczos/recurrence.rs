//! Three-term recurrence of all runs in lockstep, and sums of its vectors.

use super::super::start::Start;
use super::super::tridiagonal::Tridiagonal;
use super::super::{FunctionError, Motion, Oscillator, Sample};
use crate::vectors::{dot, inner, sweep};
use rayon::prelude::*;

/// A run ends if beta is below this share of T: the rest is rounding errors.
const INVARIANT: f64 = 1e-14;

/// Rows of the basis combined at a time: the sums stay in the cache.
const ROWS: usize = 512;

/// The runs, and their vectors as far as memory allows.
#[derive(Debug, Clone, Default)]
pub(super) struct Recurrence {
    memory: usize,
    pub runs: Vec<LanczosRun>,
    /// size_j q_j of all runs, at j modulo the number of slots.
    basis: Vec<Vec<f64>>,
    /// size_j p_j of all runs: the last, the one before, and the next in the making.
    images: [Vec<f64>; 3],
    combined: Vec<f64>,
    partial: Vec<f64>,
}

/// Scalars of the recurrence of one starting vector.
#[derive(Debug, Clone, Default)]
pub(super) struct LanczosRun {
    pub start: Start,
    /// alpha_j.
    pub diagonal: Vec<f64>,
    /// |b|, then beta_1, beta_2, ...: the divisors of the vectors.
    pub sizes: Vec<f64>,
    /// Largest entry of T.
    largest: f64,
    pub ended: bool,
    /// |b| f(T) e_1: y, y' of the first sample, then of the next.
    pub columns: Vec<f64>,
}

impl Recurrence {
    /// Makes it with a basis of at most this many bytes at a time.
    pub fn with_memory(memory: usize) -> Recurrence {
        Recurrence { memory, ..Recurrence::default() }
    }

    /// Finds the runs and their first vectors; returns |v|.
    pub fn begin(&mut self, system: &mut dyn Oscillator, motion: &Motion) -> Result<f64, FunctionError> {
        let mut count = 0;
        for start in Start::all(motion) {
            if self.runs.len() == count {
                self.runs.push(LanczosRun::default());
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
        let n = system.dim();
        for (r, run) in self.runs.iter_mut().enumerate() {
            let column = r * n..(r + 1) * n;
            let size = inner(&self.basis[0][column.clone()], &self.images[0][column], &mut self.partial).sqrt();
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
        for (r, run) in self.runs.iter().enumerate() {
            let column = r * n..(r + 1) * n;
            let (q, p) = (&mut self.basis[0][column.clone()], &mut self.images[0][column]);
            run.start.write(system, motion, q, p)?;
        }
        Ok(())
    }

    /// Returns true if every run is complete.
    pub fn ended(&self) -> bool {
        self.runs.iter().all(|run| run.ended)
    }

    /// Returns the number of vectors that fit the memory.
    fn slots(&self) -> usize {
        (self.memory / (8 * self.images[0].len()).max(1)).max(2)
    }

    /// Returns the slot of vector j, allocated if needed.
    fn reserve(&mut self, j: usize) -> usize {
        let (slot, length) = (j % self.slots(), self.images[0].len());
        if self.basis.len() <= slot {
            self.basis.resize_with(slot + 1, Vec::new);
        }
        self.basis[slot].resize(length, 0.0);
        slot
    }

    /// Computes vector j + 1 of all runs. Its scalars are appended, or reused if they are known from the first pass.
    pub fn step(&mut self, system: &mut dyn Oscillator, j: usize) -> Result<(), FunctionError> {
        let n = system.dim();
        let slot = j % self.slots();
        let next_slot = self.reserve(j + 1);
        let mut next_q = std::mem::take(&mut self.basis[next_slot]);
        let Recurrence { runs, basis, images: [p, old, next], partial, .. } = self;
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
                let square = inner(&basis[next_slot][column.clone()], &next[column], partial);
                if !square.is_finite() {
                    return Err(FunctionError::Overflow);
                }
                run.sizes.push(square.max(0.0).sqrt());
                run.largest = run.largest.max(run.sizes[j + 1]).max(run.diagonal[j].abs());
                run.ended = run.sizes[j + 1] <= INVARIANT * run.largest;
            }
        }
        // An ended run leaves zeros, so that products with it change nothing.
        for (r, _) in runs.iter().enumerate().filter(|(_, run)| run.ended && run.sizes.len() == j + 2) {
            basis[next_slot][r * n..(r + 1) * n].fill(0.0);
            next[r * n..(r + 1) * n].fill(0.0);
        }
        self.images.rotate_right(1);
        Ok(())
    }

    /// Returns the largest t sqrt(lam) of the runs in progress.
    pub fn largest_phase(&self, time: f64) -> Result<f64, FunctionError> {
        let mut z = 0.0_f64;
        for run in self.runs.iter().filter(|run| !run.ended) {
            z = z.max(time * run.frequency(time)?);
        }
        Ok(z)
    }

    /// Returns the largest frequency of all runs [1/s], for a motion of length `time` [s].
    pub fn fastest(&self, time: f64) -> Result<f64, FunctionError> {
        self.runs.iter().try_fold(0.0_f64, |most, run| Ok(most.max(run.frequency(time)?)))
    }

    /// Sums the basis into the samples, in a second pass over the recurrence if it was too large to store.
    pub fn combine(
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
                // One more than is summed: if the answer is not accurate enough, the recurrence continues from there.
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

    /// Adds vectors `range` times their coefficients; by blocks of rows, outputs within.
    fn accumulate(&mut self, n: usize, range: std::ops::Range<usize>, outputs: usize) {
        let slots = self.slots();
        let Recurrence { combined, basis, runs, .. } = self;
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

    /// Returns |x| in the M norm.
    pub fn norm(&mut self, system: &dyn Oscillator, x: &[f64]) -> f64 {
        let product = &mut self.combined[..x.len()];
        system.mass_times(x, product, 1);
        inner(x, product, &mut self.partial).max(0.0).sqrt()
    }
}

impl LanczosRun {
    /// Resets everything except its memory.
    fn restart(&mut self, start: Start) {
        self.start = start;
        self.diagonal.clear();
        self.sizes.clear();
        self.columns.clear();
        self.largest = 0.0;
        self.ended = false;
    }

    pub fn tridiagonal(&self) -> Tridiagonal<'_> {
        Tridiagonal { diagonal: &self.diagonal, off: self.sizes.get(1..).unwrap_or_default() }
    }

    /// Returns the root of the width of the spectrum seen so far, including zero: it determines the degree of
    /// polynomials.
    pub fn frequency(&self, time: f64) -> Result<f64, FunctionError> {
        if self.diagonal.is_empty() {
            return Ok(0.0);
        }
        let (low, high) = self.tridiagonal().extremes();
        // exp(700) is about the largest number.
        if time * (-low).max(0.0).sqrt() > 700.0 {
            return Err(FunctionError::Overflow);
        }
        Ok((high.max(0.0) - low.min(0.0)).sqrt())
    }
}

#[cfg(test)]
impl Recurrence {
    /// Returns the addresses of the long vectors. Images are swapped; the set of addresses does not change.
    pub fn addresses(&self) -> Vec<(usize, usize)> {
        let vectors = self.basis.iter().chain(&self.images).chain([&self.combined, &self.partial]);
        let mut addresses: Vec<_> = vectors.map(|x| (x.as_ptr() as usize, x.capacity())).collect();
        addresses.sort();
        addresses
    }
}
