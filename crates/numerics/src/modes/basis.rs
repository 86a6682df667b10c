//! The basis V of block Davidson with K V and M V, its Gram matrices and its Ritz pairs.

use super::ritz::ritz;
use super::tall::{block, combine, gram, grams, scratch_size, squares_over_mass};
use super::{Pairs, Pencil};
use crate::linear::LinearError;
use faer::Mat;
use rayon::prelude::*;

pub(super) struct Basis {
    n: usize,
    /// Number of vectors, and the limit.
    len: usize,
    capacity: usize,
    v: Vec<f64>,
    kv: Vec<f64>,
    mv: Vec<f64>,
    /// V^T M V and V^T K V.
    g: Mat<f64>,
    h: Mat<f64>,
    /// Ritz values, and their vectors in the basis.
    pub values: Vec<f64>,
    coefficients: Mat<f64>,
    /// |M^-1 r|_M of each.
    residuals: Vec<f64>,
    /// |(K + sigma M)^-1 r|_M of the pairs at the beginning of the last pass, and the sigma of that pass.
    corrections: Vec<f64>,
    sigma: f64,
    /// Estimated angles of the current pairs, and of those at the beginning of the last pass.
    pub angles: Vec<f64>,
    pub before: Vec<f64>,
    /// Least kept square of a direction: errors of orthogonality of Ritz vectors are rounding over this.
    least: f64,
    /// Known null vectors U, and M U.
    known_count: usize,
    known: Vec<f64>,
    mass_known: Vec<f64>,
    /// R = K X - M X Lam, and space for a right-hand side beside it.
    r: Vec<f64>,
    /// Scratch for restarts.
    spare: Vec<f64>,
    scratch: Vec<f64>,
}

/// Least square of a direction below which Ritz vectors are orthogonalised once more.
const CLEAN: f64 = 1e-4;
/// Relative size of the rest of a vector that lies in a space.
const NOTHING: f64 = 1e-11;
/// Least gap to the modes that are not carried, as a share of the largest carried value. Where more modes than there
/// are guards have nearly the same value, the captured ones are not defined, and separating them may never end.
const CLUSTER: f64 = 0.05;
/// The same for the first carried mode that is not wanted, which Rayleigh-Ritz separates better.
const TWINS: f64 = 1e-4;
/// Differences of values that are rounding, relative to the largest eigenvalue.
const ROUNDING: f64 = 1e-11;

impl Basis {
    pub fn new(n: usize) -> Basis {
        Basis {
            n,
            len: 0,
            capacity: 0,
            v: Vec::new(),
            kv: Vec::new(),
            mv: Vec::new(),
            g: Mat::new(),
            h: Mat::new(),
            values: Vec::new(),
            coefficients: Mat::new(),
            residuals: Vec::new(),
            corrections: Vec::new(),
            sigma: 0.0,
            angles: Vec::new(),
            before: Vec::new(),
            least: 1.0,
            known_count: 0,
            known: Vec::new(),
            mass_known: Vec::new(),
            r: Vec::new(),
            spare: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Empties the basis; it may grow to `blocks` blocks of `columns`.
    pub fn clear(&mut self, columns: usize, blocks: usize) {
        self.len = 0;
        self.capacity = blocks * columns;
        // Allocates the largest size, so that a later search with more passes allocates nothing.
        let most = (self.capacity + 1) * self.n;
        [&mut self.v, &mut self.kv, &mut self.mv].into_iter().for_each(|part| grow(part, most));
        [&mut self.r, &mut self.spare].into_iter().for_each(|part| grow(part, (columns + 1) * self.n));
        let size = scratch_size(self.n, self.capacity, 2 * columns);
        self.scratch.reserve(size.saturating_sub(self.scratch.len()));
        self.corrections.clear();
        self.g.resize_with(0, 0, |_, _| 0.0);
        self.h.resize_with(0, 0, |_, _| 0.0);
    }

    /// Appends vectors that `write` fills in; they begin as zeros.
    pub fn push_with(&mut self, n: usize, count: usize, write: impl FnOnce(&mut [f64])) {
        let first = self.g.nrows() * n;
        grow(&mut self.v, first + count * n);
        let new = &mut self.v[first..first + count * n];
        new.fill(0.0);
        write(new);
        self.len = self.g.nrows() + count;
    }

    /// For the vectors pushed last: V <- B^-1 M V, which reduces the fast modes.
    pub fn smooth(&mut self, pencil: &mut dyn Pencil) -> Result<(), LinearError> {
        let (first, end) = (self.g.nrows() * self.n, self.len * self.n);
        grow(&mut self.mv, end);
        pencil.mass_times(&self.v[first..end], &mut self.mv[first..end], self.len - self.g.nrows());
        self.v[first..end].copy_from_slice(&self.mv[first..end]);
        pencil.solve(&mut self.v[first..end], self.len - self.g.nrows())
    }

    /// Stores null vectors U, M-orthonormal: vectors that join the basis from now on are made orthogonal to them.
    pub fn know(&mut self, known: &[f64], pencil: &dyn Pencil) {
        self.known_count = known.len() / self.n.max(1);
        grow(&mut self.known, known.len());
        grow(&mut self.mass_known, known.len());
        self.known[..known.len()].copy_from_slice(known);
        pencil.mass_times(known, &mut self.mass_known[..known.len()], self.known_count);
    }

    /// Makes the vectors pushed last orthogonal to the known ones, and to the basis before them, which must be
    /// orthonormal. Vectors inside that space become zeros, which Rayleigh-Ritz drops.
    pub fn make_orthogonal(&mut self, pencil: &dyn Pencil) {
        let (n, old, end) = (self.n, self.g.nrows(), self.len * self.n);
        let (first, count) = (old * n, self.len - old);
        if old + self.known_count == 0 || count == 0 {
            return;
        }
        grow(&mut self.mv, end);
        grow(&mut self.spare, count * n);
        let Basis { v, mv, known, mass_known, spare, scratch, known_count, .. } = self;
        let sizes = |v: &[f64], mv: &mut [f64]| -> Vec<f64> {
            pencil.mass_times(&v[first..end], &mut mv[first..end], count);
            let columns = v[first..end].chunks_exact(n).zip(mv[first..end].chunks_exact(n));
            columns.map(|(v, mv)| v.iter().zip(mv).map(|(v, mv)| v * mv).sum::<f64>().max(0.0).sqrt()).collect()
        };
        let before = sizes(v, mv);
        // Two passes are enough.
        for _ in 0..2 {
            let (basis, new) = v.split_at_mut(first);
            let (u, mass_u) = (block(known, n, *known_count), block(mass_known, n, *known_count));
            let (x, mass_x) = (block(basis, n, old), block(mv, n, old));
            let inside =
                [(u, gram(mass_u, block(new, n, count), scratch)), (x, gram(mass_x, block(new, n, count), scratch))];
            let inside = inside.iter().filter(|(u, _)| !u.is_empty()).map(|(u, c)| (*u, c.as_ref()));
            combine(spare, count, &inside.collect::<Vec<_>>());
            new[..count * n].iter_mut().zip(&*spare).for_each(|(v, u)| *v -= u);
        }
        let after = sizes(v, mv);
        for ((v, before), after) in v[first..end].chunks_exact_mut(n).zip(before).zip(after) {
            // The rest is rounding, or zeros.
            if after <= NOTHING * before {
                v.fill(0.0);
            }
        }
    }

    /// Fills the basis up to `columns` vectors with new directions: noise, different for each `seed`. It first shrinks
    /// to the Ritz vectors.
    pub fn fill(&mut self, pencil: &mut dyn Pencil, columns: usize, seed: usize) -> Result<(), LinearError> {
        self.restart();
        let count = columns - self.len;
        self.push_with(self.n, count, |v| {
            let first = seed * v.len();
            v.iter_mut().enumerate().for_each(|(k, v)| *v = noise(first + k));
        });
        // Before smoothing lets the slowest motions dominate, and after it for their rounding errors.
        self.make_orthogonal(pencil);
        self.smooth(pencil)?;
        self.make_orthogonal(pencil);
        self.extend(pencil, None);
        Ok(())
    }

    /// Computes products and Gram matrices of the vectors pushed last. `from` gives K V without a product.
    pub fn extend(&mut self, pencil: &dyn Pencil, from: Option<[f64; 2]>) {
        let (n, old, len) = (self.n, self.g.nrows(), self.len);
        let (first, end, count) = (old * n, len * n, len - old);
        grow(&mut self.kv, end);
        grow(&mut self.mv, end);
        let Basis { v, kv, mv, r, scratch, g, h, .. } = self;
        pencil.mass_times(&v[first..end], &mut mv[first..end], count);
        match from {
            Some([a, b]) => {
                let terms = kv[first..end].par_chunks_mut(4096).zip(mv[first..end].par_chunks(4096));
                terms.zip(r[..count * n].par_chunks(4096)).for_each(|((kv, mv), r)| {
                    kv.iter_mut().zip(mv).zip(r).for_each(|((kv, mv), r)| *kv = (r - a * mv) / b);
                });
            }
            None => pencil.stiffness_times(&v[first..end], &mut kv[first..end], count),
        }
        let all = block(v, n, len);
        let both = grams(all, &[block(&mv[first..], n, count), block(&kv[first..], n, count)], scratch);
        for (matrix, new) in [(g, both.subcols(0, count)), (h, both.subcols(count, count))] {
            matrix.resize_with(len, len, |_, _| 0.0);
            for j in 0..count {
                for i in 0..len {
                    // The corner of new with new is symmetric to the bit.
                    let value = if i < old { new[(i, j)] } else { 0.5 * (new[(i, j)] + new[(old + j, i - old)]) };
                    matrix[(i, old + j)] = value;
                    matrix[(old + j, i)] = value;
                }
            }
        }
    }

    /// Computes the lowest pairs, at most `count`.
    pub fn rayleigh_ritz(&mut self, count: usize) -> Result<(), LinearError> {
        if self.len == 0 {
            self.values.clear();
            self.coefficients = Mat::new();
            return Ok(());
        }
        let found = ritz(self.g.as_ref(), self.h.as_ref()).ok_or(LinearError::NonFinite { row: 0 })?;
        let count = count.min(found.values.len());
        self.least = found.least;
        self.values.clear();
        self.values.extend_from_slice(&found.values[..count]);
        self.coefficients = found.vectors.subcols(0, count).to_owned();
        Ok(())
    }

    /// Computes R and the residuals of the Ritz pairs.
    pub fn residuals(&mut self, pencil: &dyn Pencil) {
        let (n, len, count) = (self.n, self.len, self.values.len());
        grow(&mut self.r, (count + 1) * n);
        let c = self.coefficients.as_ref();
        let scaled = Mat::from_fn(len, count, |i, j| -c[(i, j)] * self.values[j]);
        combine(&mut self.r, count, &[(block(&self.kv, n, len), c), (block(&self.mv, n, len), scaled.as_ref())]);
        let squares = squares_over_mass(&self.r, pencil.lumped_mass(), count, &mut self.scratch);
        self.residuals.clear();
        self.residuals.extend(squares.iter().map(|square| square.sqrt()));
    }

    /// Estimates the angles between the Ritz vectors and the exact ones, of which the lowest `wanted` matter.
    pub fn estimate_angles(&mut self, wanted: usize, fastest: f64) {
        let Basis { values, residuals, corrections, sigma, angles, before, .. } = self;
        let last = values.last().copied().unwrap_or(0.0);
        let beyond = values.get(wanted).copied().unwrap_or(last);
        let largest = values.iter().fold(0.0_f64, |m, lam| m.max(lam.abs()));
        let rounding = ROUNDING * fastest;
        let angle = |size: f64, lam: f64| {
            if size == 0.0 {
                return 0.0;
            }
            let gap = (last - lam).max(CLUSTER * largest).max(rounding);
            let twin = (beyond - lam).max(TWINS * largest).max(rounding);
            (size / gap) * (1.0 + size / twin)
        };
        angles.clear();
        before.clear();
        for (k, (residual, lam)) in residuals.iter().zip(&*values).enumerate() {
            let correction = corrections.get(k).map_or(f64::INFINITY, |z| z * (last + *sigma).abs());
            before.push(angle(correction, *lam));
            angles.push(angle(residual.min(correction), *lam));
        }
    }

    /// Takes as the angles of the pairs what a pass of this gain has left of those before it, where that is less.
    pub fn expect(&mut self, gain: f64) {
        self.angles.iter_mut().zip(&self.before).for_each(|(angle, before)| *angle = angle.min(before / gain));
    }

    /// Adds Z = B^-1 R to the basis, which first shrinks to the Ritz vectors if it is full.
    pub fn expand(&mut self, pencil: &mut dyn Pencil, rider: &mut [f64]) -> Result<(), LinearError> {
        let (n, count) = (self.n, self.values.len());
        if self.len + count > self.capacity {
            self.restart();
        }
        let (riders, end) = (rider.len() / n.max(1), count * n);
        if self.known_count > 0 {
            // R is orthogonal to the known vectors except for rounding, which dominates a converging residual.
            let inside = gram(block(&self.known, n, self.known_count), block(&self.r, n, count), &mut self.scratch);
            grow(&mut self.spare, end);
            combine(&mut self.spare, count, &[(block(&self.mass_known, n, self.known_count), inside.as_ref())]);
            self.r[..end].iter_mut().zip(&self.spare).for_each(|(r, u)| *r -= u);
        }
        self.r[end..end + rider.len()].copy_from_slice(rider);
        let first = self.len * n;
        grow(&mut self.v, first + end + rider.len());
        let z = &mut self.v[first..first + end + rider.len()];
        z.copy_from_slice(&self.r[..end + rider.len()]);
        pencil.solve(z, count + riders)?;
        rider.copy_from_slice(&z[end..]);
        self.len += count;
        let [a, b] = pencil.shift();
        let is_exact = pencil.is_exact();
        if self.known_count > 0 && !is_exact {
            // With a matrix other than a M + b K, Z may not be orthogonal to the known vectors.
            let z = &mut self.v[first..first + end];
            let inside = gram(block(&self.mass_known, n, self.known_count), block(z, n, count), &mut self.scratch);
            combine(&mut self.spare, count, &[(block(&self.known, n, self.known_count), inside.as_ref())]);
            z.iter_mut().zip(&self.spare).for_each(|(z, u)| *z -= u);
        }
        self.extend(pencil, is_exact.then_some([a, b]));
        let first = self.len - count;
        self.sigma = a / b;
        self.corrections.clear();
        self.corrections.extend((first..self.len).map(|j| b * self.g[(j, j)].max(0.0).sqrt()));
        Ok(())
    }

    /// Makes the Ritz vectors the basis.
    fn restart(&mut self) {
        let (n, len, count) = (self.n, self.len, self.values.len());
        grow(&mut self.spare, count * n);
        let Basis { v, kv, mv, spare, coefficients, .. } = self;
        for part in [v, kv, mv] {
            combine(spare, count, &[(block(part, n, len), coefficients.as_ref())]);
            part[..count * n].copy_from_slice(&spare[..count * n]);
        }
        self.len = count;
        for (matrix, product) in [(&mut self.g, &self.mv), (&mut self.h, &self.kv)] {
            let new = gram(block(&self.v, n, count), block(product, n, count), &mut self.scratch);
            matrix.resize_with(count, count, |_, _| 0.0);
            *matrix = Mat::from_fn(count, count, |i, j| 0.5 * (new[(i, j)] + new[(j, i)]));
        }
        self.coefficients = Mat::identity(count, count);
    }

    /// Writes the Ritz pairs, after the known ones.
    pub fn write(&mut self, out: &mut Pairs) {
        let (n, known_count) = (self.n, self.known_count);
        if self.least < CLEAN {
            self.restart();
            if let Some(clean) = ritz(self.g.as_ref(), self.h.as_ref()) {
                let count = clean.values.len();
                self.values = clean.values;
                self.angles.truncate(count);
                self.coefficients = clean.vectors;
            }
        }
        let count = self.values.len();
        let known = &self.known[..known_count * n];
        out.known = known_count;
        grow(&mut out.vectors, known.len() + count * n);
        out.vectors.truncate(known.len() + count * n);
        out.vectors[..known.len()].copy_from_slice(known);
        let x = &mut out.vectors[known.len()..];
        combine(x, count, &[(block(&self.v, n, self.len), self.coefficients.as_ref())]);
        x.par_chunks_exact_mut(n.max(1)).for_each(fix_sign);
        for (all, new) in [(&mut out.values, &self.values), (&mut out.angles, &self.angles)] {
            all.clear();
            all.resize(known_count, 0.0);
            all.extend_from_slice(new);
        }
    }
}

/// Makes the largest component positive, the first of equals.
fn fix_sign(x: &mut [f64]) {
    let largest = x.iter().fold(0.0_f64, |m, &x| if x.abs() > m.abs() { x } else { m });
    if largest < 0.0 {
        x.iter_mut().for_each(|x| *x = -*x);
    }
}

/// Returns reproducible pseudo-random numbers between -1 and 1 (splitmix64).
fn noise(k: usize) -> f64 {
    let mut z = (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    (z >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

/// Grows to at least this length; never shrinks, so that a second call allocates nothing.
fn grow(v: &mut Vec<f64>, len: usize) {
    if v.len() < len {
        v.resize(len, 0.0);
    }
}
