//! Elimination inside a front: dense kernels on pieces that are large enough to share.
//!
//! The cuts depend on sizes only; threads decide who does a piece, not what it is.

use super::Precision;
use super::eliminate::Pivots;
use crate::interrupt::{Carried, Interrupted};
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
/// Multiplications and additions between checks for a request to stop: about 50 ms of one core.
pub(in crate::linear) const FLOPS_PER_CHECK: f64 = 1e9;

/// Replaces the columns of a panel (at least as many rows) by those of its Cholesky factor.
pub(in crate::linear) fn factorise<T: Precision>(
    panel: MatMut<'_, T>,
    threads: bool,
    watched: &Carried,
    stack: &mut MemStack,
) -> Pivots {
    let width = panel.ncols().min(BLOCK);
    let (left, right) = panel.split_at_col_mut(width);
    let (mut triangle, mut below) = left.split_at_row_mut(width);
    if cholesky_in_place(triangle.as_mut(), Default::default(), Par::Seq, stack, Default::default()).is_err() {
        return Pivots::Negative;
    }
    solve_rows(triangle.as_ref(), below.as_mut(), threads);
    if right.ncols() == 0 {
        return Pivots::Positive;
    }
    let (_, mut rest) = right.split_at_row_mut(width);
    match update_lower(rest.as_mut(), below.as_ref(), Accum::Add, threads, watched) {
        Ok(()) => factorise(rest, threads, watched, stack),
        Err(Interrupted) => Pivots::Interrupted,
    }
}

/// X = X L^-T.
pub(in crate::linear) fn solve_rows<T: Precision>(l: MatRef<'_, T>, x: MatMut<'_, T>, threads: bool) {
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
pub(in crate::linear) fn update_lower<T: Precision>(
    c: MatMut<'_, T>,
    x: MatRef<'_, T>,
    accum: Accum,
    threads: bool,
    watched: &Carried,
) -> Result<(), Interrupted> {
    let columns = c.ncols();
    if columns > COLUMNS {
        let half = (columns / 2).next_multiple_of(COLUMNS);
        let (left, right) = c.split_at_col_mut(half);
        let (_, right) = right.split_at_row_mut(half);
        let (_, lower) = x.split_at_row(half);
        let (left, right) = both(
            threads,
            || update_lower(left, x, accum, threads, watched),
            || update_lower(right, lower, accum, threads, watched),
        );
        return left.and(right);
    }
    let (top, bottom) = c.split_at_row_mut(columns);
    let (first, rest) = x.split_at_row(columns);
    let (whole, lower) = (BlockStructure::Rectangular, BlockStructure::TriangularLower);
    triangular::matmul(top, lower, accum, first, whole, first.transpose(), whole, T::of(-1.0), Par::Seq);
    // A long piece is done by rows, with a check between, so that an interrupt waits for some of them only.
    let flops_per_row = 2.0 * columns as f64 * x.ncols() as f64;
    let rows = ((FLOPS_PER_CHECK / flops_per_row) as usize).next_multiple_of(ROWS);
    let (mut bottom, mut rest) = (bottom, rest);
    while rest.nrows() > 0 {
        let rows = rest.nrows().min(rows);
        if rows as f64 * flops_per_row >= 0.1 * FLOPS_PER_CHECK {
            watched.check()?;
        }
        let (c, below) = bottom.split_at_row_mut(rows);
        let (x, after) = rest.split_at_row(rows);
        matmul(c, accum, x, first.transpose(), T::of(-1.0), Par::Seq);
        (bottom, rest) = (below, after);
    }
    Ok(())
}

pub(in crate::linear) fn both<R: Send>(
    threads: bool,
    a: impl FnOnce() -> R + Send,
    b: impl FnOnce() -> R + Send,
) -> (R, R) {
    if threads { rayon::join(a, b) } else { (a(), b()) }
}
