//! The basis V of block Davidson with K V and M V, its Gram matrices and its Ritz pairs.

use super::ritz::ritz;
use super::tall::{block, combine, gram, grams, squares_over_mass};
use super::{Pairs, Pencil};
use crate::linear::LinearError;
use faer::Mat;
use rayon::prelude::*;

pub(super) struct Basis {
    n: usize,
    /// Vectors in use, of those with products, and most there may be.
    len: usize,
    capacity: usize,
    v: Vec<f64>,
    kv: Vec<f64>,
    mv: Vec<f64>,
    /// V^T M V and V^T K V.
    g: Mat<f64>,
    h: Mat<f64>,
    /// Ritz values, their vectors in the basis, and their residuals.
    pub values: Vec<f64>,
    coefficients: Mat<f64>,
    pub residuals: Vec<f64>,
    /// rho of the pairs that the last pass began with.
    pub before: Vec<f64>,
    /// How far from orthogonality Ritz vectors may be: rounding over this.
    least: f64,
    /// Known null vectors U, and M U.
    known_count: usize,
    known: Vec<f64>,
    mass_known: Vec<f64>,
    /// R = K X - M X Lam, and room for a right-hand side beside it.
    r: Vec<f64>,
    /// For restarts.
    spare: Vec<f64>,
    room: Vec<f64>,
}

/// Ritz vectors of a basis with directions below this are made orthogonal once more.
const CLEAN: f64 = 1e-4;

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
            before: Vec::new(),
            least: 1.0,
            known_count: 0,
            known: Vec::new(),
            mass_known: Vec::new(),
            r: Vec::new(),
            spare: Vec::new(),
            room: Vec::new(),
        }
    }

    /// Empties the basis; it may grow to `blocks` blocks of `columns`.
    pub fn clear(&mut self, columns: usize, blocks: usize) {
        self.len = 0;
        self.capacity = blocks * columns;
        self.before.clear();
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

    /// V <- A^-1 M V: less of the fast modes.
    pub fn smooth(&mut self, pencil: &mut dyn Pencil) -> Result<(), LinearError> {
        let size = self.len * self.n;
        grow(&mut self.mv, size);
        pencil.mass_times(&self.v[..size], &mut self.mv[..size], self.len);
        self.v[..size].copy_from_slice(&self.mv[..size]);
        pencil.solve(&mut self.v[..size], self.len)
    }

    /// V <- V - U U^T M V, with U known and M-orthonormal. What joins the basis later will be orthogonal too.
    pub fn make_orthogonal_to(&mut self, known: &[f64], pencil: &dyn Pencil) {
        self.known_count = known.len() / self.n.max(1);
        if known.is_empty() {
            return;
        }
        let (n, size) = (self.n, self.len * self.n);
        grow(&mut self.known, known.len());
        grow(&mut self.mass_known, known.len());
        self.known[..known.len()].copy_from_slice(known);
        pencil.mass_times(known, &mut self.mass_known[..known.len()], self.known_count);
        grow(&mut self.mv, size);
        grow(&mut self.spare, size);
        let u = block(known, n, known.len() / n);
        // Twice is enough.
        for _ in 0..2 {
            pencil.mass_times(&self.v[..size], &mut self.mv[..size], self.len);
            let inside = gram(u, block(&self.mv, n, self.len), &mut self.room);
            combine(&mut self.spare, self.len, &[(u, inside.as_ref())]);
            self.v[..size].iter_mut().zip(&self.spare).for_each(|(v, u)| *v -= u);
        }
    }

    /// Products and Gram matrices of the vectors pushed last. `from` tells how K V can be had without a product.
    pub fn extend(&mut self, pencil: &dyn Pencil, from: Option<[f64; 2]>) {
        let (n, old, len) = (self.n, self.g.nrows(), self.len);
        let (first, end, count) = (old * n, len * n, len - old);
        grow(&mut self.kv, end);
        grow(&mut self.mv, end);
        let Basis { v, kv, mv, r, room, g, h, .. } = self;
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
        let both = grams(all, &[block(&mv[first..], n, count), block(&kv[first..], n, count)], room);
        for (matrix, new) in [(g, both.subcols(0, count)), (h, both.subcols(count, count))] {
            matrix.resize_with(len, len, |_, _| 0.0);
            for j in 0..count {
                for i in 0..len {
                    // The corner of the new with the new is symmetric to the bit.
                    let value = if i < old { new[(i, j)] } else { 0.5 * (new[(i, j)] + new[(old + j, i - old)]) };
                    matrix[(i, old + j)] = value;
                    matrix[(old + j, i)] = value;
                }
            }
        }
    }

    /// The lowest pairs, at most `count`.
    pub fn rayleigh_ritz(&mut self, count: usize) -> Result<(), LinearError> {
        let found = ritz(self.g.as_ref(), self.h.as_ref()).ok_or(LinearError::NonFinite { row: 0 })?;
        let count = count.min(found.values.len());
        self.least = found.least;
        self.values.clear();
        self.values.extend_from_slice(&found.values[..count]);
        self.coefficients = found.vectors.subcols(0, count).to_owned();
        Ok(())
    }

    /// R and the residuals of the Ritz pairs.
    pub fn residuals(&mut self, pencil: &dyn Pencil) {
        let (n, len, count) = (self.n, self.len, self.values.len());
        grow(&mut self.r, (count + 1) * n);
        let c = self.coefficients.as_ref();
        let scaled = Mat::from_fn(len, count, |i, j| -c[(i, j)] * self.values[j]);
        combine(&mut self.r, count, &[(block(&self.kv, n, len), c), (block(&self.mv, n, len), scaled.as_ref())]);
        let squares = squares_over_mass(&self.r, pencil.lumped_mass(), count, &mut self.room);
        let scale = pencil.scale();
        self.residuals.clear();
        let before = self.before.iter().copied().chain(std::iter::repeat(f64::INFINITY));
        let rho = squares.iter().zip(&self.values).map(|(r, lam)| scale * r.sqrt() / (1.0 + scale * lam.abs()));
        self.residuals.extend(rho.zip(before).map(|(rho, before)| rho.min(before)));
    }

    /// Z = A^-1 R joins the basis, which first shrinks to the Ritz vectors if it is full.
    pub fn expand(&mut self, pencil: &mut dyn Pencil, rider: &mut [f64]) -> Result<(), LinearError> {
        let (n, count) = (self.n, self.values.len());
        if self.len + count > self.capacity {
            self.restart();
        }
        let (riders, end) = (rider.len() / n.max(1), count * n);
        if self.known_count > 0 {
            // R is orthogonal to what is known but for rounding, which is all there is of a residual that converges.
            let inside = gram(block(&self.known, n, self.known_count), block(&self.r, n, count), &mut self.room);
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
        let shift = pencil.shift();
        if self.known_count > 0 && shift.is_none() {
            // Another matrix than A need not leave Z orthogonal to what is known.
            let z = &mut self.v[first..first + end];
            let inside = gram(block(&self.mass_known, n, self.known_count), block(z, n, count), &mut self.room);
            combine(&mut self.spare, count, &[(block(&self.known, n, self.known_count), inside.as_ref())]);
            z.iter_mut().zip(&self.spare).for_each(|(z, u)| *z -= u);
        }
        self.extend(pencil, shift);
        let (first, scale) = (self.len - count, pencil.scale());
        self.before.clear();
        self.before.extend((first..self.len).map(|j| scale * self.g[(j, j)].max(0.0).sqrt()));
        Ok(())
    }

    /// The Ritz vectors become the basis.
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
            let new = gram(block(&self.v, n, count), block(product, n, count), &mut self.room);
            matrix.resize_with(count, count, |_, _| 0.0);
            *matrix = Mat::from_fn(count, count, |i, j| 0.5 * (new[(i, j)] + new[(j, i)]));
        }
        self.coefficients = Mat::identity(count, count);
    }

    /// The Ritz pairs, behind the known ones.
    pub fn write(&mut self, out: &mut Pairs) {
        let (n, known_count) = (self.n, self.known_count);
        if self.least < CLEAN {
            self.restart();
            if let Some(clean) = ritz(self.g.as_ref(), self.h.as_ref()) {
                let count = clean.values.len();
                self.values = clean.values;
                self.residuals.truncate(count);
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
        for (all, new) in [(&mut out.values, &self.values), (&mut out.residuals, &self.residuals)] {
            all.clear();
            all.resize(known_count, 0.0);
            all.extend_from_slice(new);
        }
    }
}

/// Makes the largest component positive, of equals the first.
fn fix_sign(x: &mut [f64]) {
    let largest = x.iter().fold(0.0_f64, |m, &x| if x.abs() > m.abs() { x } else { m });
    if largest < 0.0 {
        x.iter_mut().for_each(|x| *x = -*x);
    }
}

/// At least this long; never shorter, so that a second call allocates nothing.
fn grow(v: &mut Vec<f64>, len: usize) {
    if v.len() < len {
        v.resize(len, 0.0);
    }
}
