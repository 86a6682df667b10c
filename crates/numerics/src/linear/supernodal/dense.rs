//! Elimination inside a front: dense kernels on pieces that are large enough to share.
//!
//! Where the cuts are depends on sizes only; threads decide who does a piece, not what it is.

use super::Precision;
use dyn_stack::MemStack;
use faer::linalg::cholesky::llt::factor::cholesky_in_place;
use faer::linalg::matmul::matmul;
use faer::linalg::matmul::triangular::{self, BlockStructure};
use faer::linalg::triangular_solve::solve_lower_triangular_in_place;
use faer::{Accum, MatMut, MatRef, Par};

/// Columns eliminated at a time.
const BLOCK: usize = 256;
/// Columns of a piece of an update.
const COLUMNS: usize = 128;
/// Rows of a piece of a triangular solve.
const ROWS: usize = 512;

/// Replaces the columns of a panel (at least as many rows) by those of its Cholesky factor; false at a pivot that is not
/// positive.
pub(super) fn factorise<T: Precision>(panel: MatMut<'_, T>, threads: bool, stack: &mut MemStack) -> bool {
    let width = panel.ncols().min(BLOCK);
    let (left, right) = panel.split_at_col_mut(width);
    let (mut triangle, mut below) = left.split_at_row_mut(width);
    if cholesky_in_place(triangle.as_mut(), Default::default(), Par::Seq, stack, Default::default()).is_err() {
        return false;
    }
    solve_rows(triangle.as_ref(), below.as_mut(), threads);
    if right.ncols() == 0 {
        return true;
    }
    let (_, mut rest) = right.split_at_row_mut(width);
    update_lower(rest.as_mut(), below.as_ref(), Accum::Add, threads);
    factorise(rest, threads, stack)
}

/// X = X L^-T.
fn solve_rows<T: Precision>(l: MatRef<'_, T>, x: MatMut<'_, T>, threads: bool) {
    if x.nrows() <= ROWS {
        if x.nrows() > 0 {
            solve_lower_triangular_in_place(l, x.transpose_mut(), Par::Seq);
        }
        return;
    }
    let (upper, lower) = {
        let half = (x.nrows() / 2).next_multiple_of(ROWS);
        x.split_at_row_mut(half)
    };
    both(threads, || solve_rows(l, upper, threads), || solve_rows(l, lower, threads));
}

/// C -= X X^T in the lower trapezoid of C, whose columns are its first rows; or C = -X X^T.
pub(super) fn update_lower<T: Precision>(c: MatMut<'_, T>, x: MatRef<'_, T>, accum: Accum, threads: bool) {
    let columns = c.ncols();
    if columns > COLUMNS {
        let half = (columns / 2).next_multiple_of(COLUMNS);
        let (left, right) = c.split_at_col_mut(half);
        let (_, right) = right.split_at_row_mut(half);
        let (_, lower) = x.split_at_row(half);
        both(threads, || update_lower(left, x, accum, threads), || update_lower(right, lower, accum, threads));
        return;
    }
    let (top, bottom) = c.split_at_row_mut(columns);
    let (first, rest) = x.split_at_row(columns);
    let (whole, lower) = (BlockStructure::Rectangular, BlockStructure::TriangularLower);
    triangular::matmul(top, lower, accum, first, whole, first.transpose(), whole, T::of(-1.0), Par::Seq);
    if rest.nrows() > 0 {
        matmul(bottom, accum, rest, first.transpose(), T::of(-1.0), Par::Seq);
    }
}

fn both(threads: bool, a: impl FnOnce() + Send, b: impl FnOnce() + Send) {
    if threads {
        rayon::join(a, b);
    } else {
        a();
        b();
    }
}
