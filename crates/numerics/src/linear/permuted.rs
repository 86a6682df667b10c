//! The matrix in the form that a direct factorisation needs: permuted, its lower triangle in scalar compressed columns.
//!
//! The structure is made once. Loading values is then one pass over the block columns that copies 3x3 blocks to their
//! places, so the factorisation needs no permutation.

use super::LinearError;
use super::ordering::Ordering;
use super::supernodal::Precision;
use crate::blocks::{BlockMatrix, Pattern};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};
use std::sync::Arc;

/// Positions of the blocks of A in P A P^T. Diagonal blocks are stored full; readers skip the part above the diagonal.
pub(super) struct Layout {
    /// `order[k]` is the block row of A that is block row k here.
    order: Vec<u32>,
    /// Blocks of block column k: `start[k]..start[k + 1]` of `source`.
    start: Vec<usize>,
    /// Twice the slot of each block; odd when the slot holds the transposed block.
    source: Vec<usize>,
    structure: SymbolicSparseColMat<usize>,
}

impl Layout {
    pub fn new(pattern: &Pattern, ordering: &Ordering) -> Layout {
        let position = ordering.position();
        let n = pattern.rows();
        let (mut start, mut source) = (vec![0], Vec::with_capacity(pattern.slots()));
        let (mut column_start, mut row) = (vec![0], Vec::with_capacity(9 * pattern.slots()));
        let mut blocks: Vec<(usize, usize)> = Vec::new();
        for (k, &j) in ordering.order.iter().enumerate() {
            blocks.clear();
            for &i in pattern.columns(j as usize).iter().filter(|&&i| position[i as usize] as usize >= k) {
                // Row by row, the pattern finds slots of row i >= column j; otherwise the slot is the transpose.
                if let Some(slot) = pattern.slot(i as usize, j as usize) {
                    blocks.push((position[i as usize] as usize, 2 * slot + usize::from(i < j)));
                }
            }
            blocks.sort_unstable();
            source.extend(blocks.iter().map(|b| b.1));
            start.push(source.len());
            for _ in 0..3 {
                row.extend(blocks.iter().flat_map(|&(i, _)| [3 * i, 3 * i + 1, 3 * i + 2]));
                column_start.push(row.len());
            }
        }
        let structure = SymbolicSparseColMat::new_checked(3 * n, 3 * n, column_start, None, row);
        Layout { order: ordering.order.clone(), start, source, structure }
    }

    /// Returns the transposed structure: the upper triangle, which symbolic factorisations read.
    pub fn upper(&self) -> SymbolicSparseColMat<usize> {
        let n = self.dim();
        let (start, row) = (self.structure.col_ptr(), self.structure.row_idx());
        let mut next = vec![0; n + 1];
        row.iter().for_each(|&i| next[i + 1] += 1);
        (0..n).for_each(|i| next[i + 1] += next[i]);
        let upper_start = next.clone();
        let mut upper_row = vec![0; row.len()];
        for j in 0..n {
            for &i in &row[start[j]..start[j + 1]] {
                upper_row[next[i]] = j;
                next[i] += 1;
            }
        }
        SymbolicSparseColMat::new_checked(n, n, upper_start, None, upper_row)
    }

    pub fn dim(&self) -> usize {
        3 * self.order.len()
    }

    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Returns true if the order of elimination is that of the matrix.
    pub fn is_natural(&self) -> bool {
        self.order.iter().enumerate().all(|(k, &i)| k == i as usize)
    }

    /// Returns the range of blocks of block column `k`.
    pub fn blocks(&self, k: usize) -> std::ops::Range<usize> {
        self.start[k]..self.start[k + 1]
    }

    /// Returns the source of each block: twice its slot; odd when the slot holds the transposed block.
    pub fn source(&self) -> &[usize] {
        &self.source
    }

    /// Returns the block rows of block column `k`.
    pub fn rows(&self, k: usize) -> impl Iterator<Item = usize> + '_ {
        let column = &self.structure.row_idx()[self.structure.col_ptr()[3 * k]..self.structure.col_ptr()[3 * k + 1]];
        column.iter().step_by(3).map(|&i| i / 3)
    }

    /// x = P rhs, column by column.
    pub fn gather(&self, rhs: &[f64], x: &mut [f64]) {
        let n = self.dim().max(1);
        for (rhs, x) in rhs.chunks_exact(n).zip(x.chunks_exact_mut(n)) {
            for (x, &i) in x.chunks_exact_mut(3).zip(&self.order) {
                x.copy_from_slice(&rhs[3 * i as usize..3 * i as usize + 3]);
            }
        }
    }

    /// The inverse of `gather`.
    pub fn scatter(&self, x: &[f64], rhs: &mut [f64]) {
        let n = self.dim().max(1);
        for (rhs, x) in rhs.chunks_exact_mut(n).zip(x.chunks_exact(n)) {
            for (x, &i) in x.chunks_exact(3).zip(&self.order) {
                rhs[3 * i as usize..3 * i as usize + 3].copy_from_slice(x);
            }
        }
    }
}

/// P A P^T.
pub(super) struct Permuted {
    layout: Arc<Layout>,
    values: Vec<f64>,
}

impl Permuted {
    pub fn new(layout: &Arc<Layout>) -> Permuted {
        Permuted { layout: layout.clone(), values: vec![0.0; layout.structure.row_idx().len()] }
    }

    /// Copies the values of `a`; an error names the block row of a value that is not finite.
    pub fn load(&mut self, a: &BlockMatrix) -> Result<(), LinearError> {
        // 0 x is NaN if x is not finite and 0 otherwise: one sum checks all, without a branch.
        let mut check = 0.0;
        let mut rest = &mut self.values[..];
        for blocks in self.layout.start.windows(2) {
            let source = &self.layout.source[blocks[0]..blocks[1]];
            let height = 3 * source.len();
            let (column, tail) = rest.split_at_mut(3 * height);
            rest = tail;
            for (b, &source) in source.iter().enumerate() {
                let block = &a.values[source / 2];
                let transposed = source % 2 == 1;
                for c in 0..3 {
                    for r in 0..3 {
                        let value = if transposed { block[c][r] } else { block[r][c] };
                        check += 0.0 * value;
                        column[c * height + 3 * b + r] = value;
                    }
                }
            }
        }
        if check == 0.0 { Ok(()) } else { Err(LinearError::NonFinite { row: first_non_finite::<f64>(a).unwrap_or(0) }) }
    }

    /// Returns the loaded values.
    pub fn lower(&self) -> SparseColMatRef<'_, usize, f64> {
        SparseColMatRef::new(self.layout.structure.as_ref(), &self.values)
    }

    /// Returns the diagonal entry of column `j`.
    pub fn diagonal(&self, j: usize) -> f64 {
        self.values[self.layout.structure.col_ptr()[j] + j % 3]
    }

    /// Returns the largest magnitude in column `j` on and below the diagonal.
    pub fn scale(&self, j: usize) -> f64 {
        let start = self.layout.structure.col_ptr();
        self.values[start[j]..start[j + 1]].iter().fold(0.0, |m, v| v.abs().max(m))
    }

    /// r -= P A P^T x.
    pub fn subtract_product(&self, x: &[f64], r: &mut [f64]) {
        let (start, row) = (self.layout.structure.col_ptr(), self.layout.structure.row_idx());
        for j in 0..x.len() {
            let mut sum = 0.0;
            for p in start[j]..start[j + 1] {
                let i = row[p];
                if i > j {
                    r[i] -= self.values[p] * x[j];
                    sum += self.values[p] * x[i];
                }
            }
            r[j] -= sum + self.diagonal(j) * x[j];
        }
    }
}

/// Returns the first block row of `a` with a value that is not finite in T.
pub(super) fn first_non_finite<T: Precision>(a: &BlockMatrix) -> Option<usize> {
    let finite = |slot: usize| a.values[slot].iter().flatten().all(|&v| T::of(v).to_f64().is_finite());
    (0..a.pattern().rows()).find(|&i| a.pattern().lower(i).any(|(_, slot)| !finite(slot)))
}
