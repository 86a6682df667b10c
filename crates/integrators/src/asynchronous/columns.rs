//! Two dense matrices over the unknowns of a region, a column for each unknown of its border, without the rows that are nothing.

use numerics::vectors::dot;

/// Entries of a column below this share of its largest are nothing but rounding errors.
const NOTHING: f64 = f64::EPSILON;

pub(super) struct Columns {
    /// Rows that the columns have when they are put in.
    n: usize,
    /// By columns.
    pair: [Vec<f64>; 2],
    /// The nodes whose rows are kept: what a border does within a step does not reach far.
    reached: Vec<u32>,
    /// Room for two vectors over the region.
    room: Vec<f64>,
}

impl Columns {
    /// Room for so many columns of n rows.
    pub fn new(n: usize, columns: usize) -> Columns {
        let zeros = || vec![0.0; n * columns];
        Columns { n, pair: [zeros(), zeros()], reached: Vec::with_capacity(n / 3), room: vec![0.0; 2 * n] }
    }

    /// Puts a column into one of the matrices, with all rows. [`Columns::keep`] must follow on the last one.
    pub fn put(&mut self, matrix: usize, column: usize, numbers: impl Iterator<Item = f64>) {
        let to = &mut self.pair[matrix][column * self.n..(column + 1) * self.n];
        to.iter_mut().zip(numbers).for_each(|(to, number)| *to = number);
    }

    /// Leaves out the rows that are nothing.
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

    /// y -= the columns weighed and summed up, for the matrix and the vector of each of the pair.
    pub fn subtract(&mut self, weights: &[f64], y: [&mut [f64]; 2]) {
        let Columns { n, pair: [first, second], reached, room } = self;
        let ([one, other], (here, there)) = (y, room.split_at_mut(*n));
        // They are larger than caches and read once: two threads read them faster than one.
        rayon::join(
            || subtract_product(first, weights, reached, here, one),
            || subtract_product(second, weights, reached, there, other),
        );
    }

    /// The transposed matrices times a vector each, added up.
    pub fn project(&mut self, x: [&[f64]; 2], sums: &mut [f64]) {
        let Columns { pair, reached, room, .. } = self;
        let kept = 3 * reached.len();
        let (rows, _) = room.as_chunks_mut::<3>();
        for (k, &a) in reached.iter().enumerate() {
            let at = 3 * a as usize;
            for (m, x) in x.iter().enumerate() {
                rows[m * reached.len() + k] = [x[at], x[at + 1], x[at + 2]];
            }
        }
        let (here, there) = room[..2 * kept].split_at(kept);
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

/// The nodes with a number in any column of n that is more than nothing, in any of these matrices. Columns have limits of
/// their own: those of stiff nodes are smaller than those of soft ones.
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

/// y -= Y dv, with the rows of Y that are kept, by columns.
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
