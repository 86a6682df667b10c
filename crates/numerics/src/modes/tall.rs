//! Products of tall matrices with few columns, column-major: cut into pieces of rows of fixed length, the pieces in
//! parallel, sums over pieces in order. The same bits on any number of threads, no allocation except the small results.
//!
//! (Matrix products of a general library pack their factors, and allocate for it; here nothing would be reused.)

use crate::real::{Lanes, Real};
use faer::{Mat, MatMut, MatRef};
use rayon::prelude::*;

/// Rows of a piece: a few columns of it fit the inner caches.
const ROWS: usize = 768;
/// Columns processed at once.
const WIDE: usize = 4;

/// Vectors of `n` numbers, column-major.
#[derive(Clone, Copy)]
pub struct Block<'a> {
    data: &'a [f64],
    n: usize,
    columns: usize,
}

/// Returns the first `columns` vectors of `a`.
pub fn block(data: &[f64], n: usize, columns: usize) -> Block<'_> {
    Block { data: &data[..n * columns], n, columns }
}

impl<'a> Block<'a> {
    /// Returns true if there are no vectors.
    pub fn is_empty(&self) -> bool {
        self.columns == 0
    }

    /// Returns some rows of column `j`; the last column replaces those beyond.
    #[inline(always)]
    fn column(&self, j: usize, first: usize, rows: usize) -> &'a [f64] {
        &self.data[j.min(self.columns - 1) * self.n + first..][..rows]
    }
}

/// Loads eight numbers, with zeros beyond the end.
#[inline(always)]
fn lanes(a: &[f64], at: usize) -> Lanes {
    match a[at..].first_chunk::<8>() {
        Some(chunk) => Lanes::new(*chunk),
        None => Lanes::from_fn(|k| a.get(at + k).copied().unwrap_or(0.0)),
    }
}

/// Returns the length of `scratch` for A^T B, A of `p` and B of `q` columns.
pub fn scratch_size(n: usize, p: usize, q: usize) -> usize {
    n.div_ceil(ROWS) * p * q
}

/// Computes A^T B. `scratch` holds the sums of the pieces.
pub fn gram(a: Block, b: Block, scratch: &mut Vec<f64>) -> Mat<f64> {
    grams(a, &[b], scratch)
}

/// Computes A^T [B_1, B_2, ...] in one pass over A.
pub fn grams(a: Block, bs: &[Block], scratch: &mut Vec<f64>) -> Mat<f64> {
    let (n, p, q) = (a.n, a.columns, bs.iter().map(|b| b.columns).sum::<usize>());
    let mut sum = Mat::zeros(p, q);
    if p * q == 0 {
        return sum;
    }
    scratch.resize(scratch_size(n, p, q), 0.0);
    scratch.par_chunks_exact_mut(p * q).enumerate().for_each(|(piece, part)| {
        let first = piece * ROWS;
        let rows = ROWS.min(n - first);
        for i in (0..p).step_by(WIDE) {
            let left: [&[f64]; WIDE] = std::array::from_fn(|k| a.column(i + k, first, rows));
            let ends = bs.iter().scan(0, |end, b| Some(std::mem::replace(end, *end + b.columns)));
            let tiles = bs.iter().zip(ends).flat_map(|(b, at)| (0..b.columns).step_by(WIDE).map(move |j| (b, at, j)));
            for (b, at_block, j) in tiles {
                let right: [&[f64]; WIDE] = std::array::from_fn(|k| b.column(j + k, first, rows));
                for (i, sums) in (i..p).zip(tile(left, right)) {
                    let columns = (j..b.columns).map(|j| at_block + j);
                    columns.zip(sums).for_each(|(j, sum)| part[i + p * j] = sum.reduce_add());
                }
            }
        }
    });
    for part in scratch.chunks_exact(p * q) {
        sum += MatRef::from_column_major_slice(part, p, q);
    }
    sum
}

/// Computes the products of four columns with four others, by lanes. Loops run over numbers known to the compiler, so that the sums
/// stay in registers: five times as fast as with iterators.
#[inline(always)]
fn tile(left: [&[f64]; WIDE], right: [&[f64]; WIDE]) -> [[Lanes; WIDE]; WIDE] {
    let mut sums = [[Lanes::splat(0.0); WIDE]; WIDE];
    let (a, b) = (left.map(|x| x.as_chunks::<8>()), right.map(|y| y.as_chunks::<8>()));
    let whole = a.iter().chain(&b).fold(usize::MAX, |least, (chunks, _)| least.min(chunks.len()));
    let (x, y) = (a.map(|(chunks, _)| &chunks[..whole]), b.map(|(chunks, _)| &chunks[..whole]));
    for at in 0..whole {
        let x: [Lanes; WIDE] = std::array::from_fn(|i| Lanes::new(x[i][at]));
        for j in 0..WIDE {
            let y = Lanes::new(y[j][at]);
            for i in 0..WIDE {
                sums[i][j] = x[i].mul_add(y, sums[i][j]);
            }
        }
    }
    let (x, y) = (a.map(|(_, rest)| lanes(rest, 0)), b.map(|(_, rest)| lanes(rest, 0)));
    for i in 0..WIDE {
        for j in 0..WIDE {
            sums[i][j] = x[i].mul_add(y[j], sums[i][j]);
        }
    }
    sums
}

/// out = c out + sum_i A_i C_i, where `c` is 0 or 1.
fn accumulate(out: &mut [f64], columns: usize, terms: &[(Block, MatRef<f64>)], c: f64) {
    let Some(n) = terms.first().map(|(a, _)| a.n) else { return };
    if n * columns == 0 {
        return;
    }
    let out = MatMut::from_column_major_slice_mut(&mut out[..n * columns], n, columns);
    out.par_row_chunks_mut(ROWS).enumerate().for_each(|(piece, out)| {
        let (first, rows) = (piece * ROWS, out.nrows());
        let mut columns = out.col_iter_mut().filter_map(|column| Some(column.try_as_col_major_mut()?.as_slice_mut()));
        for j in (0..).step_by(WIDE) {
            let mut out: [&mut [f64]; WIDE] = std::array::from_fn(|_| columns.next().unwrap_or_default());
            let wide = out.iter().filter(|out| !out.is_empty()).count();
            match wide {
                0 => break,
                1 => accumulate_columns::<1>(&mut out, [first, rows, j], terms, c),
                2 | 3 => {
                    accumulate_columns::<2>(&mut out, [first, rows, j], terms, c);
                    if wide == 3 {
                        accumulate_columns::<1>(&mut out[2..], [first, rows, j + 2], terms, c);
                    }
                }
                _ => accumulate_columns::<WIDE>(&mut out, [first, rows, j], terms, c),
            }
        }
    });
}

/// Computes L columns of the above from column `j` on, two groups of lanes at once.
#[inline(always)]
fn accumulate_columns<const L: usize>(
    out: &mut [&mut [f64]],
    [first, rows, j]: [usize; 3],
    terms: &[(Block, MatRef<f64>)],
    c: f64,
) {
    for at in (0..rows).step_by(2 * Lanes::LANES) {
        let mut sums = [[Lanes::splat(0.0); 2]; L];
        if c != 0.0 {
            for l in 0..L {
                sums[l] = two(out[l], at);
            }
        }
        for (a, c) in terms {
            for k in 0..a.columns {
                let x = two(a.column(k, first, rows), at);
                for l in 0..L {
                    let factor = Lanes::splat(c[(k, j + l)]);
                    sums[l] = [x[0].mul_add(factor, sums[l][0]), x[1].mul_add(factor, sums[l][1])];
                }
            }
        }
        for l in 0..L {
            let end = rows.min(at + 2 * Lanes::LANES);
            let [a, b] = &sums[l];
            for (out, sum) in out[l][at..end].chunks_mut(Lanes::LANES).zip([a, b]) {
                out.copy_from_slice(&sum.as_array()[..out.len()]);
            }
        }
    }
}

/// Loads two groups of lanes, with zeros beyond the end.
#[inline(always)]
fn two(a: &[f64], at: usize) -> [Lanes; 2] {
    match a[at..].first_chunk::<16>() {
        Some(chunk) => {
            let (pair, _) = chunk.as_chunks::<8>();
            [Lanes::new(pair[0]), Lanes::new(pair[1])]
        }
        None => [lanes(a, at), if at + 8 < a.len() { lanes(a, at + 8) } else { Lanes::splat(0.0) }],
    }
}

/// out = sum_i A_i C_i.
pub fn combine(out: &mut [f64], columns: usize, terms: &[(Block, MatRef<f64>)]) {
    accumulate(out, columns, terms, 0.0);
}

/// Sums a[i]^2 / mass[i / 3] over the rows, for each column.
pub fn squares_over_mass(a: &[f64], mass: &[f64], columns: usize, scratch: &mut Vec<f64>) -> Vec<f64> {
    let n = 3 * mass.len();
    let pieces = mass.len().div_ceil(ROWS);
    scratch.resize(pieces * columns, 0.0);
    scratch.par_iter_mut().enumerate().for_each(|(k, sum)| {
        let (column, first) = (k / pieces, k % pieces * ROWS);
        let mass = &mass[first..mass.len().min(first + ROWS)];
        let a = &a[column * n + 3 * first..][..3 * mass.len()];
        *sum = a.as_chunks::<3>().0.iter().zip(mass).map(|(a, m)| (a[0] * a[0] + a[1] * a[1] + a[2] * a[2]) / m).sum();
    });
    scratch.chunks_exact(pieces.max(1)).map(|sums| sums.iter().sum()).collect()
}

/// Computes U^T Y for column-major blocks of vectors of `n` numbers, column-major.
pub fn inner_products(u: &[f64], y: &[f64], n: usize, scratch: &mut Vec<f64>) -> Vec<f64> {
    let (p, q) = (u.len() / n.max(1), y.len() / n.max(1));
    let products = gram(block(u, n, p), block(y, n, q), scratch);
    (0..p * q).map(|k| products[(k % p, k / p)]).collect()
}

/// Y += U C, all column-major, U and Y of vectors of `n` numbers.
pub fn add_combinations(u: &[f64], c: &[f64], y: &mut [f64], n: usize) {
    let (p, q) = (u.len() / n.max(1), y.len() / n.max(1));
    accumulate(y, q, &[(block(u, n, p), MatRef::from_column_major_slice(&c[..p * q], p, q))], 1.0);
}
