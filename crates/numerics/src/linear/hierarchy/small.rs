//! Small dense matrices: scaling by the Cholesky factors of diagonal blocks, and orthonormal columns.

/// R x C numbers, row by row.
pub(super) type Block<const R: usize, const C: usize> = [[f64; C]; R];

/// Six rigid motions, or the unknowns that stand for them on coarser levels.
pub(super) const MOTIONS: usize = 6;
/// Relative length below which a column depends on those before it.
const DEPENDENT: f64 = 1e-6;

/// Returns the lower Cholesky factor; `None` if the block is not positive definite.
pub(super) fn cholesky<const B: usize>(a: &Block<B, B>) -> Option<Block<B, B>> {
    let mut l = [[0.0; B]; B];
    for j in 0..B {
        for i in j..B {
            let sum: f64 = (0..j).map(|k| l[i][k] * l[j][k]).sum();
            let left = a[i][j] - sum;
            if i > j {
                l[i][j] = left / l[j][j];
            } else if left > 0.0 && left.is_finite() {
                l[j][j] = left.sqrt();
            } else {
                return None;
            }
        }
    }
    Some(l)
}

/// Returns the inverse of a lower triangle.
pub(super) fn inverse<const B: usize>(l: &Block<B, B>) -> Block<B, B> {
    let mut out = [[0.0; B]; B];
    for j in 0..B {
        out[j][j] = 1.0 / l[j][j];
        for i in j + 1..B {
            let sum: f64 = (j..i).map(|k| l[i][k] * out[k][j]).sum();
            out[i][j] = -sum / l[i][i];
        }
    }
    out
}

/// The identity.
pub(super) fn identity<const B: usize>() -> Block<B, B> {
    std::array::from_fn(|r| std::array::from_fn(|c| f64::from(r == c)))
}

/// A B
#[inline(always)]
pub(super) fn times<const R: usize, const K: usize, const C: usize>(a: &Block<R, K>, b: &Block<K, C>) -> Block<R, C> {
    let mut out = [[0.0; C]; R];
    add_times(&mut out, 1.0, a, b);
    out
}

/// S += c A B
#[inline(always)]
pub(super) fn add_times<const R: usize, const K: usize, const C: usize>(
    sum: &mut Block<R, C>,
    c: f64,
    a: &Block<R, K>,
    b: &Block<K, C>,
) {
    for r in 0..R {
        for k in 0..K {
            let factor = c * a[r][k];
            (0..C).for_each(|j| sum[r][j] += factor * b[k][j]);
        }
    }
}

/// A^T
#[inline(always)]
pub(super) fn transpose<const R: usize, const C: usize>(a: &Block<R, C>) -> Block<C, R> {
    std::array::from_fn(|c| std::array::from_fn(|r| a[r][c]))
}

/// Overwrites columns, given as one block per node, with orthonormal ones of the same span, and returns R of Q R.
/// Columns that depend on those before them become zero, and so do their rows of R.
pub(super) fn orthonormalize<const B: usize>(blocks: &mut [Block<B, MOTIONS>]) -> Block<MOTIONS, MOTIONS> {
    let mut r = [[0.0; MOTIONS]; MOTIONS];
    let dot = |blocks: &[Block<B, MOTIONS>], a: usize, b: usize| -> f64 {
        blocks.iter().flatten().map(|row| row[a] * row[b]).sum()
    };
    for k in 0..MOTIONS {
        let before = dot(blocks, k, k).sqrt();
        // Twice is enough for any columns (Kahan, Parlett).
        for _ in 0..2 {
            for j in 0..k {
                let along = dot(blocks, j, k);
                r[j][k] += along;
                blocks.iter_mut().flatten().for_each(|row| row[k] -= along * row[j]);
            }
        }
        let left = dot(blocks, k, k).sqrt();
        let inverse = if left > DEPENDENT * before { 1.0 / left } else { 0.0 };
        r[k][k] = if inverse > 0.0 { left } else { 0.0 };
        blocks.iter_mut().flatten().for_each(|row| row[k] *= inverse);
    }
    r
}
