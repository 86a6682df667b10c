//! Two dense matrices with a row per unknown of a region and a column per unknown of its border, without rows of zeros.

use numerics::vectors::dot;

/// Entries of a column below this share of its largest are rounding errors, and count as zero.
const NOTHING: f64 = f64::EPSILON;

pub(super) struct Columns {
    /// Rows of a column when it is put in.
    n: usize,
    /// Column-major.
    pair: [Vec<f64>; 2],
    /// Nodes whose rows are kept: the effect of a border within a step does not reach far.
    reached: Vec<u32>,
    /// Scratch for two vectors over the region.
    scratch: Vec<f64>,
}

impl Columns {
    /// Allocates both matrices with n rows.
    pub fn new(n: usize, columns: usize) -> Columns {
        let zeros = || vec![0.0; n * columns];
        Columns { n, pair: [zeros(), zeros()], reached: Vec::with_capacity(n / 3), scratch: vec![0.0; 2 * n] }
    }

    /// Puts a full column into one of the matrices. Call [`Columns::keep`] after the last one.
    pub fn put(&mut self, matrix: usize, column: usize, numbers: impl Iterator<Item = f64>) {
        let to = &mut self.pair[matrix][column * self.n..(column + 1) * self.n];
        to.iter_mut().zip(numbers).for_each(|(to, number)| *to = number);
    }

    /// Drops the rows of zeros.
    pub fn keep(&mut self) {
        let Columns { n, pair, reached, .. } = self;
        reached.clear();
        reached.extend(rows_reached([&pair[0], &pair[1]], *n));
        let kept = 3 * reached.len();
        for matrix in pair {
            for c in 0..matrix.len() / *n {
                for (k, &a) in reached.iter().enumerate() {
                    let from = c * *n + 3 * a as usize;
                    matrix.copy_within(from..from + 3, c * kept + 3 * k);
                }
            }
        }
    }

    #[cfg(test)]
    pub fn reached(&self) -> usize {
        self.reached.len()
    }

    /// y -= weighted sum of the columns, for each matrix and its vector.
    pub fn subtract(&mut self, weights: &[f64], y: [&mut [f64]; 2]) {
        let Columns { n, pair: [first, second], reached, scratch } = self;
        let ([one, other], (here, there)) = (y, scratch.split_at_mut(*n));
        // They are larger than caches and read once: two threads read them faster than one.
        rayon::join(
            || subtract_product(first, weights, reached, here, one),
            || subtract_product(second, weights, reached, there, other),
        );
    }

    /// Adds up the products of each transposed matrix with its vector.
    pub fn project(&mut self, x: [&[f64]; 2], sums: &mut [f64]) {
        let Columns { pair, reached, scratch, .. } = self;
        let kept = 3 * reached.len();
        let (rows, _) = scratch.as_chunks_mut::<3>();
        for (k, &a) in reached.iter().enumerate() {
            let at = 3 * a as usize;
            for (m, x) in x.iter().enumerate() {
                rows[m * reached.len() + k] = [x[at], x[at + 1], x[at + 2]];
            }
        }
        let (here, there) = scratch[..2 * kept].split_at(kept);
        let of = |from: usize, sums: &mut [f64]| {
            for (c, sum) in (from..).zip(sums) {
                let [first, second] = [&pair[0], &pair[1]].map(|matrix| &matrix[c * kept..(c + 1) * kept]);
                *sum = dot(first, here) + dot(second, there);
            }
        };
        let half = sums.len() / 2;
        let (left, right) = sums.split_at_mut(half);
        rayon::join(|| of(0, left), || of(half, right));
    }
}

/// Returns the nodes with a nonzero entry in any column of length n. Each column has its own limit: those of stiff
/// nodes are smaller than those of soft ones.
pub(super) fn rows_reached(matrices: [&[f64]; 2], n: usize) -> impl Iterator<Item = u32> {
    let largest = |column: &[f64]| column.iter().fold(0.0_f64, |most, y| most.max(y.abs()));
    let columns =
        matrices.map(|y| y.chunks_exact(n).map(|column| (column, NOTHING * largest(column))).collect::<Vec<_>>());
    let is_reached = move |a: usize| {
        let mut all = columns.iter().flatten();
        all.any(|(column, limit)| column[3 * a..3 * a + 3].iter().any(|y| y.abs() > *limit))
    };
    (0..n / 3).filter(move |&a| is_reached(a)).map(|a| a as u32)
}

/// y -= Y dv, with the kept rows of Y, column-major.
fn subtract_product(columns: &[f64], weights: &[f64], reached: &[u32], product: &mut [f64], y: &mut [f64]) {
    let kept = 3 * reached.len();
    let product = &mut product[..kept];
    product.fill(0.0);
    // Four columns at a time: the product is read and written less often.
    let (mut weights, mut left) = (weights, &columns[..kept * weights.len()]);
    while let ([p, q, r, s, rest @ ..], true) = (weights, kept > 0) {
        let [a, b, c, d] = std::array::from_fn(|k| &left[k * kept..(k + 1) * kept]);
        for (i, y) in product.iter_mut().enumerate() {
            *y += (p * a[i] + q * b[i]) + (r * c[i] + s * d[i]);
        }
        (weights, left) = (rest, &left[4 * kept..]);
    }
    for (weight, column) in weights.iter().zip(left.chunks_exact(kept.max(1))) {
        product.iter_mut().zip(column).for_each(|(y, c)| *y += weight * c);
    }
    for (product, &a) in product.as_chunks::<3>().0.iter().zip(reached) {
        (0..3).for_each(|c| y[3 * a as usize + c] -= product[c]);
    }
}
