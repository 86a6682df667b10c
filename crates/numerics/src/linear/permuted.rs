//! The matrix as a direct factorisation wants it: permuted, its lower triangle in scalar compressed columns.
//!
//! The structure is laid out once. Loading values then is one pass over the block columns that copies 3x3 blocks to
//! where they belong, so the factorisation needs no permutation of its own.

use super::LinearError;
use super::ordering::Ordering;
use crate::blocks::{BlockMatrix, Pattern};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMat};

/// P A P^T of a block matrix A. Diagonal blocks are stored full; readers skip what lies above the diagonal.
pub(super) struct Permuted {
    /// `order[k]` is the block row of A that is block row k here.
    order: Vec<u32>,
    /// Blocks of block column k: `start[k]..start[k + 1]` of `source`.
    start: Vec<usize>,
    /// The slot of each block, twice; odd when the slot holds the transposed block.
    source: Vec<usize>,
    structure: SymbolicSparseColMat<usize>,
    values: Vec<f64>,
}

impl Permuted {
    pub fn new(pattern: &Pattern, ordering: &Ordering) -> Permuted {
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
        let values = vec![0.0; row.len()];
        let structure = SymbolicSparseColMat::new_checked(3 * n, 3 * n, column_start, None, row);
        Permuted { order: ordering.order.clone(), start, source, structure, values }
    }

    /// The transposed structure: the upper triangle, which symbolic factorisations read.
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

    /// Copies the values of `a`, and names the block row of a value that is not finite.
    pub fn load(&mut self, a: &BlockMatrix) -> Result<(), LinearError> {
        // 0 x is NaN for what is not finite and 0 otherwise: one sum checks all, without a branch.
        let mut check = 0.0;
        let mut rest = &mut self.values[..];
        for blocks in self.start.windows(2) {
            let source = &self.source[blocks[0]..blocks[1]];
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
        if check == 0.0 { Ok(()) } else { Err(first_non_finite(a)) }
    }

    /// The loaded values.
    pub fn lower(&self) -> SparseColMatRef<'_, usize, f64> {
        SparseColMatRef::new(self.structure.as_ref(), &self.values)
    }

    /// The entry on the diagonal of column `j`.
    pub fn diagonal(&self, j: usize) -> f64 {
        self.values[self.structure.col_ptr()[j] + j % 3]
    }

    /// The largest magnitude in column `j` on and below the diagonal.
    pub fn scale(&self, j: usize) -> f64 {
        let start = self.structure.col_ptr();
        self.values[start[j]..start[j + 1]].iter().fold(0.0, |m, v| v.abs().max(m))
    }

    /// r -= P A P^T x.
    pub fn subtract_product(&self, x: &[f64], r: &mut [f64]) {
        let (start, row) = (self.structure.col_ptr(), self.structure.row_idx());
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

    /// Copies the columns of `rhs` into the order of this matrix.
    pub fn gather(&self, rhs: &[f64], x: &mut [f64]) {
        let n = self.dim().max(1);
        for (rhs, x) in rhs.chunks_exact(n).zip(x.chunks_exact_mut(n)) {
            for (x, &i) in x.chunks_exact_mut(3).zip(&self.order) {
                x.copy_from_slice(&rhs[3 * i as usize..3 * i as usize + 3]);
            }
        }
    }

    /// The way back.
    pub fn scatter(&self, x: &[f64], rhs: &mut [f64]) {
        let n = self.dim().max(1);
        for (rhs, x) in rhs.chunks_exact_mut(n).zip(x.chunks_exact(n)) {
            for (x, &i) in x.chunks_exact(3).zip(&self.order) {
                rhs[3 * i as usize..3 * i as usize + 3].copy_from_slice(x);
            }
        }
    }
}

/// The error that names the first block row of `a` with a value that is not finite.
pub(super) fn first_non_finite(a: &BlockMatrix) -> LinearError {
    let finite = |slot: usize| a.values[slot].iter().flatten().all(|v| v.is_finite());
    let row = (0..a.pattern().rows()).find(|&i| a.pattern().lower(i).any(|(_, slot)| !finite(slot)));
    LinearError::NonFinite { row: row.unwrap_or(0) }
}
