//! C = B A^-1 B^T of a dense symmetric positive definite matrix A of m rows and a matrix B of n rows.
//!
//!   A = L L^T,   X = B L^-T,   C = X X^T
//!
//! C is symmetric and has no negative eigenvalue, whatever the rounding. Pieces of fixed size run in parallel, so the
//! bits do not depend on the number of threads.
//!
//! Zeros at the start of a row of B stay zeros in X. So where rows start one after the other, as those of a selection do, the
//! products are triangular, and all of it costs (m^3 + n m^2 + m n^2)/3 flops; for a full B m^3/3 + n m^2 + m n^2. Memory:
//! max(m, n)^2 + m n numbers; C takes the place of A.

use super::LinearError;
use super::supernodal::{NOISE, Pivots, dense};
use crate::interrupt::{self, Carried, Interrupted};
use dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt::factor::cholesky_in_place_scratch;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, MatMut, MatRef, Par};

/// Rows of a piece of X, and rows and columns of a piece that is mirrored alone.
const PIECE: usize = 128;
/// Columns of X that are multiplied at a time.
const PANEL: usize = 256;

/// The two matrices, and their congruence.
pub struct Congruence {
    size: [usize; 2],
    /// A, then L, then C.
    square: Vec<f64>,
    /// B, then X.
    factor: Vec<f64>,
    /// Diagonal of A.
    diagonal: Vec<f64>,
    /// First column in which a row of B, or one after it, is not zero.
    starts: Vec<usize>,
    memory: MemBuffer,
}

impl Congruence {
    /// Allocates for an A of m rows and a B of n rows.
    pub fn new(m: usize, n: usize) -> Result<Congruence, LinearError> {
        let zeros = |len: usize| {
            let mut numbers: Vec<f64> = Vec::new();
            let entries = Congruence::bytes(m, n) / 8.0;
            numbers.try_reserve_exact(len).map_err(|_| LinearError::TooLarge { entries })?;
            numbers.resize(len, 0.0);
            Ok::<_, LinearError>(numbers)
        };
        let most = m.max(n);
        let memory = MemBuffer::new(cholesky_in_place_scratch::<f64>(m, Par::Seq, Default::default()));
        let (square, factor, diagonal) = (zeros(most * most)?, zeros(m * n)?, zeros(m)?);
        Ok(Congruence { size: [m, n], square, factor, diagonal, starts: vec![m; n], memory })
    }

    /// Returns the bytes that it takes for an A of m rows and a B of n rows.
    pub fn bytes(m: usize, n: usize) -> f64 {
        let [m, n] = [m as f64, n as f64];
        8.0 * (m.max(n).powi(2) + m * n)
    }

    /// Returns the flops of a congruence whose rows of B start one after the other.
    pub fn flops(m: usize, n: usize) -> f64 {
        let [m, n] = [m as f64, n as f64];
        (m.powi(3) + n * m * m + m * n * n) / 3.0
    }

    /// Returns A to be filled, column by column: its lower triangle is read.
    pub fn matrix(&mut self) -> &mut [f64] {
        let m = self.size[0];
        &mut self.square[..m * m]
    }

    /// Returns B to be filled, column by column.
    pub fn factor(&mut self) -> &mut [f64] {
        &mut self.factor
    }

    /// Replaces A and B, filled before, by C. Checks for requests to stop between pieces of work.
    pub fn compute(&mut self) -> Result<(), LinearError> {
        let threads = rayon::current_num_threads() > 1;
        let [m, n] = self.size;
        find_starts(&self.factor, m, &mut self.starts);
        interrupt::carry(|watched| {
            self.factorise(threads, watched)?;
            let Congruence { square, factor, starts, .. } = self;
            let l = MatRef::from_column_major_slice(&square[..m * m], m, m);
            let mut x = MatMut::from_column_major_slice_mut(factor, n, m);
            solve_by_blocks(l, x.as_mut(), starts, threads, watched)?;
            square[..n * n].fill(0.0);
            let mut c = MatMut::from_column_major_slice_mut(&mut square[..n * n], n, n);
            for first in (0..m).step_by(PANEL) {
                let last = (first + PANEL).min(m);
                let rows = starts.partition_point(|start| *start < last);
                let x = x.as_ref().submatrix(0, first, rows, last - first);
                let c = c.as_mut().submatrix_mut(0, 0, rows, rows);
                dense::update_lower(c, x, Accum::Add, threads, watched)?;
            }
            negate_and_mirror(c, threads);
            Ok(())
        })
    }

    /// Replaces A, filled before, by its factor, and y by A^-1 y.
    pub fn solve(&mut self, y: &mut [f64]) -> Result<(), LinearError> {
        let threads = rayon::current_num_threads() > 1;
        interrupt::carry(|watched| self.factorise(threads, watched))?;
        let m = self.size[0];
        let l = MatRef::from_column_major_slice(&self.square[..m * m], m, m);
        let mut y = MatMut::from_column_major_slice_mut(y, m, 1);
        solve_lower_triangular_in_place(l, y.as_mut(), Par::Seq);
        solve_upper_triangular_in_place(l.transpose(), y, Par::Seq);
        Ok(())
    }

    /// Replaces A by L.
    fn factorise(&mut self, threads: bool, watched: &Carried) -> Result<(), LinearError> {
        let Congruence { size: [m, _], square, diagonal, memory, .. } = self;
        let m = *m;
        diagonal.iter_mut().enumerate().for_each(|(k, a)| *a = square[k * (m + 1)]);
        let a = MatMut::from_column_major_slice_mut(&mut square[..m * m], m, m);
        match dense::factorise(a, threads, watched, MemStack::new(memory)) {
            Pivots::Positive => {}
            Pivots::Interrupted => return Err(LinearError::Interrupted),
            Pivots::Negative => return Err(LinearError::Indefinite { negative: None }),
            Pivots::Lost(column) => return Err(LinearError::Singular { row: Some(column / 3) }),
        }
        // A pivot that is rounding error only is positive by chance.
        let lost = |k: &usize| square[k * (m + 1)].powi(2) <= NOISE * f64::EPSILON * diagonal[*k];
        (0..m).find(lost).map_or(Ok(()), |row| Err(LinearError::Singular { row: Some(row / 3) }))
    }

    /// Returns C after [`Congruence::compute`], column by column, both triangles.
    pub fn result(&self) -> &[f64] {
        let n = self.size[1];
        &self.square[..n * n]
    }

    /// Returns C to be changed.
    pub fn result_mut(&mut self) -> &mut [f64] {
        let n = self.size[1];
        &mut self.square[..n * n]
    }
}

/// Finds the first columns in which the rows of B (m columns), or those after them, are not zero.
fn find_starts(b: &[f64], m: usize, starts: &mut [usize]) {
    starts.fill(m);
    for (k, column) in b.chunks_exact(starts.len().max(1)).enumerate() {
        let new = starts.iter_mut().zip(column).filter(|(start, x)| **start == m && **x != 0.0);
        new.for_each(|(start, _)| *start = k);
    }
    starts.iter_mut().rev().fold(m, |least, start| {
        *start = least.min(*start);
        *start
    });
}

/// X = X L^-T, a few rows of X at a time, so that a request to stop does not wait for all.
fn solve_by_blocks(
    l: MatRef<'_, f64>,
    x: MatMut<'_, f64>,
    starts: &[usize],
    threads: bool,
    watched: &Carried,
) -> Result<(), Interrupted> {
    let flops_per_row = (l.nrows() as f64).powi(2).max(1.0);
    let rows = ((4.0 * dense::FLOPS_PER_CHECK / flops_per_row) as usize).next_multiple_of(PIECE).max(PIECE);
    let (mut rest, mut starts) = (x, starts);
    while rest.nrows() > 0 {
        watched.check()?;
        let count = rows.min(rest.nrows());
        let (piece, after) = rest.split_at_row_mut(count);
        solve_rows(l, piece, &starts[..count], threads);
        (rest, starts) = (after, &starts[count..]);
    }
    Ok(())
}

/// X = X L^-T for the rows of X, which do not depend on each other, in pieces.
fn solve_rows(l: MatRef<'_, f64>, x: MatMut<'_, f64>, starts: &[usize], threads: bool) {
    if x.nrows() <= PIECE {
        let (start, size) = (starts.first().copied().unwrap_or_default(), l.nrows());
        let l = l.submatrix(start, start, size - start, size - start);
        return dense::solve_rows(l, x.split_at_col_mut(start).1, false);
    }
    let half = (x.nrows() / 2).next_multiple_of(PIECE);
    let (upper, lower) = x.split_at_row_mut(half);
    let (before, after) = starts.split_at(half);
    dense::both(threads, || solve_rows(l, upper, before, threads), || solve_rows(l, lower, after, threads));
}

/// Replaces the lower triangle by its negative, and the upper one by its mirror image.
fn negate_and_mirror(mut c: MatMut<'_, f64>, threads: bool) {
    let n = c.nrows();
    if n <= PIECE {
        for j in 0..n {
            for i in j..n {
                let value = -c[(i, j)];
                (c[(i, j)], c[(j, i)]) = (value, value);
            }
        }
        return;
    }
    let half = (n / 2).next_multiple_of(PIECE);
    let (first, mut above, mut below, last) = c.split_at_mut(half, half);
    for j in 0..half {
        for i in 0..n - half {
            let value = -below[(i, j)];
            (below[(i, j)], above[(j, i)]) = (value, value);
        }
    }
    dense::both(threads, || negate_and_mirror(first, threads), || negate_and_mirror(last, threads));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fills A = I + a smooth positive kernel, and B of bounded numbers.
    fn filled(m: usize, n: usize) -> Congruence {
        let mut all = Congruence::new(m, n).unwrap();
        let a = |i: usize, j: usize| (-(i as f64 - j as f64).powi(2) / 9.0).exp() + f64::from(i == j);
        (0..m * m).for_each(|k| all.matrix()[k] = a(k % m, k / m));
        (0..m * n).for_each(|k| all.factor()[k] = (0.7 * k as f64).sin());
        all
    }

    #[test]
    fn it_solves_and_is_symmetric() {
        // Against A y = b by a plain elimination, for sizes below and above the pieces; B wider and narrower than A.
        for (m, n) in [(1, 1), (5, 8), (300, 170), (150, 310)] {
            let mut all = filled(m, n);
            let (a, b) = (all.matrix().to_vec(), all.factor().to_vec());
            all.compute().unwrap();
            let column = n / 2;
            let mut y: Vec<f64> = (0..m).map(|k| b[k * n + column]).collect();
            let mut l = a.clone();
            for k in 0..m {
                for i in k + 1..m {
                    let share = l[k * m + i] / l[k * m + k];
                    (k + 1..m).for_each(|j| l[j * m + i] -= share * l[j * m + k]);
                    y[i] -= share * y[k];
                }
            }
            for k in (0..m).rev() {
                let known: f64 = (k + 1..m).map(|j| l[j * m + k] * y[j]).sum();
                y[k] = (y[k] - known) / l[k * m + k];
            }
            for i in 0..n {
                let expected: f64 = (0..m).map(|k| b[k * n + i] * y[k]).sum();
                let (c, mirrored) = (all.result()[column * n + i], all.result()[i * n + column]);
                assert!(c == mirrored && (c - expected).abs() < 1e-11 * m as f64, "{m} x {n}: {c} {expected}");
            }
            let mut alone = Congruence::new(m, 0).unwrap();
            alone.matrix().copy_from_slice(&a);
            let mut z: Vec<f64> = (0..m).map(|k| b[k * n + column]).collect();
            alone.solve(&mut z).unwrap();
            assert!(y.iter().zip(&z).all(|(y, z)| (y - z).abs() < 1e-11 * m as f64));
        }
    }

    #[test]
    fn rows_that_start_late_are_found() {
        // B whose rows start later and later, but for one: the same C as with tiny numbers where there were zeros.
        let (m, n) = (420, 300);
        let make = |tiny: f64| {
            let mut all = filled(m, n);
            let start = |i: usize| if i == 170 { 5 } else { (i * m / n).saturating_sub(3) };
            for k in 0..m * n {
                if k / n < start(k % n) {
                    all.factor()[k] = tiny;
                }
            }
            let mut starts = vec![m; n];
            find_starts(all.factor(), m, &mut starts);
            all.compute().unwrap();
            (starts, all.result().to_vec())
        };
        let ((starts, c), (full, expected)) = (make(0.0), make(1e-30));
        assert!(full.iter().all(|start| *start == 0) && starts[3..=170].iter().all(|start| *start <= 5), "{starts:?}");
        assert_eq!((starts[171], starts[299]), (171 * m / n - 3, 299 * m / n - 3));
        let wrong = c.iter().zip(&expected).fold(0.0_f64, |most, (c, e)| most.max((c - e).abs()));
        assert!(wrong < 1e-10, "{wrong:e}");
    }

    #[test]
    fn bits_do_not_depend_on_threads() {
        let of = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            let mut all = filled(700, 400);
            pool.install(|| all.compute()).unwrap();
            all.result().to_vec()
        };
        assert!(of(1) == of(2) && of(1) == of(5));
    }

    #[test]
    fn an_indefinite_or_singular_matrix_is_refused() {
        let mut all = filled(4, 4);
        all.matrix().fill(1.0);
        // A pivot of exactly zero is not positive; one of rounding error is lost.
        let refused = all.compute();
        assert!(matches!(refused, Err(LinearError::Singular { .. } | LinearError::Indefinite { .. })), "{refused:?}");
        let mut all = filled(4, 4);
        all.matrix()[5] = -1.0;
        assert_eq!(all.compute(), Err(LinearError::Indefinite { negative: None }));
    }
}
