//! Products of tall matrices of few columns, column-major: cut into pieces of rows of fixed length, the pieces in
//! parallel, sums over pieces in order. Same bits on any number of threads.

use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatMut, MatRef, Par};
use rayon::prelude::*;

/// Rows of a piece: a few columns of it fit the inner caches.
const ROWS: usize = 1024;

/// A column-major block of vectors of `n` numbers.
pub fn block(a: &[f64], n: usize, columns: usize) -> MatRef<'_, f64> {
    MatRef::from_column_major_slice(&a[..n * columns], n, columns)
}

/// A^T B. `room` is for the sums of the pieces.
pub fn gram(a: MatRef<f64>, b: MatRef<f64>, room: &mut Vec<f64>) -> Mat<f64> {
    let (n, p, q) = (a.nrows(), a.ncols(), b.ncols());
    let mut sum = Mat::zeros(p, q);
    if p * q == 0 {
        return sum;
    }
    room.resize(n.div_ceil(ROWS) * p * q, 0.0);
    room.par_chunks_exact_mut(p * q).enumerate().for_each(|(piece, part)| {
        let first = piece * ROWS;
        let rows = ROWS.min(n - first);
        let part = MatMut::from_column_major_slice_mut(part, p, q);
        let (a, b) = (a.subrows(first, rows), b.subrows(first, rows));
        matmul(part, Accum::Replace, a.transpose(), b, 1.0, Par::Seq);
    });
    for part in room.chunks_exact(p * q) {
        sum += MatRef::from_column_major_slice(part, p, q);
    }
    sum
}

/// out = sum_i A_i C_i.
pub fn combine(out: &mut [f64], columns: usize, terms: &[(MatRef<f64>, MatRef<f64>)]) {
    let Some(n) = terms.first().map(|(a, _)| a.nrows()) else { return };
    if n * columns == 0 {
        return;
    }
    let out = MatMut::from_column_major_slice_mut(&mut out[..n * columns], n, columns);
    out.par_row_chunks_mut(ROWS).enumerate().for_each(|(piece, mut out)| {
        let mut accum = Accum::Replace;
        for (a, c) in terms {
            let a = a.subrows(piece * ROWS, out.nrows());
            matmul(out.as_mut(), accum, a, c, 1.0, Par::Seq);
            accum = Accum::Add;
        }
    });
}

/// The sum over the rows of a[i]^2 / mass[i / 3], for each column.
pub fn squares_over_mass(a: &[f64], mass: &[f64], columns: usize, room: &mut Vec<f64>) -> Vec<f64> {
    let n = 3 * mass.len();
    let pieces = mass.len().div_ceil(ROWS);
    room.resize(pieces * columns, 0.0);
    room.par_iter_mut().enumerate().for_each(|(k, sum)| {
        let (column, first) = (k / pieces, k % pieces * ROWS);
        let mass = &mass[first..mass.len().min(first + ROWS)];
        let a = &a[column * n + 3 * first..][..3 * mass.len()];
        *sum = a.as_chunks::<3>().0.iter().zip(mass).map(|(a, m)| (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) / m).sum();
    });
    room.chunks_exact(pieces.max(1)).map(|sums| sums.iter().sum()).collect()
}
