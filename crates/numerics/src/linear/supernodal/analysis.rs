//! Supernodes of the factor, in blocks.

use super::tree::Tree;
use dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::SymbolicSupernodalParams;
use faer::sparse::linalg::cholesky::simplicial;
use faer::sparse::linalg::cholesky::supernodal::{self, SymbolicSupernodalCholesky};
use std::ops::Range;

/// The supernodes in the order of their columns.
pub(super) struct Analysis {
    /// Block columns of each. The three scalar columns of a block have the same rows, so no supernode splits a block.
    pub columns: Vec<Range<usize>>,
    /// Block rows below the triangle of each, ascending.
    pub rows: Vec<Vec<u32>>,
    /// The supernode of each block column.
    pub owner: Vec<u32>,
    pub tree: Tree,
    /// Multiplications and additions in the front of each.
    pub flops: Vec<f64>,
}

impl Analysis {
    pub fn new(symbolic: &SymbolicSupernodalCholesky<usize>) -> Analysis {
        let supernodes = symbolic.n_supernodes();
        let scalar = |s: usize| symbolic.supernode_begin()[s]..symbolic.supernode_end()[s];
        let columns: Vec<Range<usize>> = (0..supernodes).map(|s| scalar(s).start / 3..scalar(s).end / 3).collect();
        let blocks = |s: usize| symbolic.supernode(s).pattern().iter().step_by(3).map(|&i| (i / 3) as u32).collect();
        let rows: Vec<Vec<u32>> = (0..supernodes).map(blocks).collect();
        let mut owner = vec![0; symbolic.nrows() / 3];
        columns.iter().enumerate().for_each(|(s, columns)| owner[columns.clone()].fill(s as u32));
        let tree = Tree::new(rows.iter().map(|rows| rows.first().map(|&i| owner[i as usize] as usize)).collect());
        let front = |s: usize| {
            let (w, r) = (3.0 * columns[s].len() as f64, 3.0 * rows[s].len() as f64);
            w * (r * (r + w) + w * w / 3.0)
        };
        let flops = (0..supernodes).map(front).collect();
        Analysis { columns, rows, owner, tree, flops }
    }

    /// Returns the position of block row `row` in the front of supernode `s`: its own columns first, then the rows
    /// below.
    pub fn row_in_front(&self, s: usize, row: u32) -> u32 {
        let own = &self.columns[s];
        if (row as usize) < own.end {
            row - own.start as u32
        } else {
            (own.len() + self.rows[s].partition_point(|&i| i < row)) as u32
        }
    }
}

/// Share of zeros, by columns, that supernodes may include to become wider. Factors for repeated solves read them each
/// time, so they get few.
pub(super) const FEW_ZEROS: &[(usize, f64)] = &[(4, 1.0), (10, 0.3), (16, 0.2), (48, 0.05), (usize::MAX, 0.02)];

/// Finds the supernodes of the factor of a matrix with this upper triangle, with this share of zeros or the default;
/// `None` if there is no memory for the analysis.
pub(super) fn analyse(
    upper: SymbolicSparseColMatRef<'_, usize>,
    zeros: Option<&[(usize, f64)]>,
) -> Option<SymbolicSupernodalCholesky<usize>> {
    let n = upper.ncols();
    let (mut parent, mut counts) = (vec![0_isize; n], vec![0_usize; n]);
    let required = simplicial::prefactorize_symbolic_cholesky_scratch::<usize>(n, upper.row_idx().len())
        .or(supernodal::factorize_supernodal_symbolic_cholesky_scratch::<usize>(n));
    let mut memory = MemBuffer::new(required);
    let stack = MemStack::new(&mut memory);
    let tree = simplicial::prefactorize_symbolic_cholesky(&mut parent, &mut counts, upper, stack);
    let mut params = SymbolicSupernodalParams::default();
    params.relax = zeros.or(params.relax);
    supernodal::factorize_supernodal_symbolic_cholesky(upper, tree, &counts, stack, params).ok()
}
