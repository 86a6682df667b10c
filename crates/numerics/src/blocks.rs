//! Symmetric sparse matrices in 3x3 blocks with a fixed pattern.
//!
//! Only the lower triangle is stored, block row by block row, one slot per block. The [`Pattern`] also lists the blocks
//! right of the diagonal of each row as transposes of slots. So a product with a vector runs row by row, needs no
//! scatter, and gives the same bits for any thread count.

use crate::mat3::Mat3;
use crate::real::{Lanes, Real};
use rayon::prelude::*;
use std::cell::Cell;
use std::sync::Arc;
use wide::f64x4;

/// Rows per task of a parallel product; fixed, so that threads never change the result.
const ROWS_PER_TASK: usize = 512;
/// Rows ahead whose distant blocks are fetched: as long as memory takes to answer.
const AHEAD: usize = 8;
/// Columns side by side in lanes.
const WIDE: usize = 8;

thread_local! {
    /// Columns of a product, packed: a buffer for each thread that begins one, so that products do not allocate.
    static PACKED: Cell<Vec<Lanes>> = const { Cell::new(Vec::new()) };
}
/// Blocks per task of a parallel pass over the values.
const BLOCKS_PER_TASK: usize = 8192;

/// Positions of the blocks of a symmetric block matrix that may be nonzero.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// Row i owns the entries `start[i]..start[i + 1]` of `column` and `slot`, columns ascending.
    start: Vec<usize>,
    column: Vec<u32>,
    /// Slot of the block: stored as it is for column <= row, transposed for column > row.
    slot: Vec<u32>,
    /// Position in `column` of each row's diagonal entry.
    diagonal: Vec<usize>,
    /// Number of stored blocks.
    slots: usize,
}

impl Pattern {
    /// Makes the pattern of `rows` block rows in which the nodes of each clique are coupled.
    ///
    /// Nodes at or above `rows` are ignored: they are not unknowns. Diagonals are always present.
    pub fn from_cliques<'a>(rows: usize, cliques: impl Iterator<Item = &'a [u32]>) -> Pattern {
        Pattern::from_cliques_and_one(rows, cliques, &[])
    }

    /// Makes the pattern of small cliques, and of one that may be large; its nodes ascend.
    pub fn from_cliques_and_one<'a>(rows: usize, cliques: impl Iterator<Item = &'a [u32]>, large: &[u32]) -> Pattern {
        let mut neighbours: Vec<Vec<u32>> = (0..rows).map(|i| vec![i as u32]).collect();
        for clique in cliques {
            for &i in clique.iter().filter(|&&i| (i as usize) < rows) {
                for &j in clique.iter().filter(|&&j| (j as usize) < rows) {
                    // The lists are short and neighbours repeat soon: a scan is faster than a hash set.
                    let list = &mut neighbours[i as usize];
                    if !list.contains(&j) {
                        list.push(j);
                    }
                }
            }
        }
        let large = &large[..large.partition_point(|&i| (i as usize) < rows)];
        large.iter().for_each(|&i| neighbours[i as usize].extend_from_slice(large));
        neighbours.iter_mut().for_each(|list| {
            list.sort_unstable();
            list.dedup();
        });
        Pattern::from_neighbours(&neighbours)
    }

    /// Makes the pattern of sorted lists of neighbours, which include the row itself and are symmetric.
    pub(crate) fn from_neighbours(neighbours: &[Vec<u32>]) -> Pattern {
        let rows = neighbours.len();
        let mut start = vec![0; rows + 1];
        let mut column = Vec::new();
        let mut slot = Vec::new();
        let mut diagonal = Vec::with_capacity(rows);
        let mut slots = 0_usize;
        for (i, list) in neighbours.iter().enumerate() {
            for &j in list {
                if j as usize == i {
                    diagonal.push(column.len());
                }
                column.push(j);
                // Blocks above the diagonal get their slot once the rows below have one.
                slot.push(if j as usize <= i { slots as u32 } else { u32::MAX });
                slots += usize::from(j as usize <= i);
            }
            start[i + 1] = column.len();
        }
        // Rows ascend, so the transposed blocks of row j are found in the order of their columns i.
        let mut next: Vec<usize> = diagonal.iter().map(|d| d + 1).collect();
        for i in 0..rows {
            for p in start[i]..diagonal[i] {
                let j = column[p] as usize;
                slot[next[j]] = slot[p];
                next[j] += 1;
            }
        }
        Pattern { start, column, slot, diagonal, slots }
    }

    /// Number of block rows.
    pub fn rows(&self) -> usize {
        self.diagonal.len()
    }

    /// Number of stored blocks: the lower triangle with the diagonal.
    pub fn slots(&self) -> usize {
        self.slots
    }

    /// Returns the columns of row `i`, on both sides of the diagonal, ascending.
    pub fn columns(&self, i: usize) -> &[u32] {
        &self.column[self.start[i]..self.start[i + 1]]
    }

    /// Returns columns and slots of row `i`, on both sides of the diagonal: right of it the slot holds the transposed
    /// block.
    pub fn neighbours(&self, i: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        let here = self.start[i]..self.start[i + 1];
        self.column[here.clone()].iter().zip(&self.slot[here]).map(|(&j, &slot)| (j as usize, slot as usize))
    }

    /// Returns columns and slots of row `i` up to and including the diagonal.
    pub fn lower(&self, i: usize) -> impl Iterator<Item = (usize, usize)> + '_ {
        (self.start[i]..=self.diagonal[i]).map(|p| (self.column[p] as usize, self.slot[p] as usize))
    }

    /// Number of blocks off the diagonal, on both sides of it.
    pub(crate) fn off_diagonal_blocks(&self) -> usize {
        self.column.len() - self.rows()
    }

    /// Returns the columns of row `i` left and right of the diagonal, and the count of blocks off the diagonal in the rows
    /// before.
    #[inline]
    pub(crate) fn off_diagonal(&self, i: usize) -> (usize, &[u32], &[u32]) {
        let (start, diagonal, end) = (self.start[i], self.diagonal[i], self.start[i + 1]);
        (start - i, &self.column[start..diagonal], &self.column[diagonal + 1..end])
    }

    /// Orders the rows such that neighbours are close: breadth first, each component from a row far from its middle
    /// (Cuthill-McKee). Vectors and matrices in this order are read almost sequentially.
    pub fn breadth_first(&self) -> Vec<u32> {
        let mut order: Vec<u32> = Vec::with_capacity(self.rows());
        let mut seen = vec![false; self.rows()];
        for seed in 0..self.rows() as u32 {
            if seen[seed as usize] {
                continue;
            }
            // The last row reached is far from the middle; start again from it.
            let first = order.len();
            self.spread(seed, &mut order, &mut seen);
            let far = order[order.len() - 1];
            order.drain(first..).for_each(|i| seen[i as usize] = false);
            self.spread(far, &mut order, &mut seen);
        }
        order
    }

    /// Appends all rows connected with `seed`, breadth first.
    fn spread(&self, seed: u32, order: &mut Vec<u32>, seen: &mut [bool]) {
        let mut next = order.len();
        seen[seed as usize] = true;
        order.push(seed);
        while next < order.len() {
            for &j in self.columns(order[next] as usize) {
                if !std::mem::replace(&mut seen[j as usize], true) {
                    order.push(j);
                }
            }
            next += 1;
        }
    }

    /// Returns the slot that stores block (i, j) or its transpose; `None` outside the pattern.
    pub fn slot(&self, i: usize, j: usize) -> Option<usize> {
        let columns = self.columns(i);
        let p = columns.binary_search(&(j as u32)).ok()?;
        Some(self.slot[self.start[i] + p] as usize)
    }

    /// Returns the slot of the diagonal block of row `i`.
    pub fn diagonal(&self, i: usize) -> usize {
        self.slot[self.diagonal[i]] as usize
    }
}

/// A symmetric matrix: a pattern and one 3x3 block per slot.
#[derive(Debug, Clone)]
pub struct BlockMatrix {
    pattern: Arc<Pattern>,
    /// Blocks by slot, row-major: entry (3 i + r, 3 j + c) with i >= j is `values[slot][r][c]`.
    pub values: Vec<Mat3>,
}

impl BlockMatrix {
    /// Makes the zero matrix of a pattern.
    pub fn zeros(pattern: Arc<Pattern>) -> BlockMatrix {
        let values = vec![[[0.0; 3]; 3]; pattern.slots()];
        BlockMatrix { pattern, values }
    }

    /// Returns the fixed pattern.
    pub fn pattern(&self) -> &Arc<Pattern> {
        &self.pattern
    }

    /// Number of scalar unknowns.
    pub fn dim(&self) -> usize {
        3 * self.pattern.rows()
    }

    /// Sets every block to zero.
    pub fn clear(&mut self) {
        self.values.par_chunks_mut(BLOCKS_PER_TASK).for_each(|values| values.fill([[0.0; 3]; 3]));
    }

    /// A = c A.
    pub fn scale(&mut self, c: f64) {
        let scale = |values: &mut [Mat3]| values.as_flattened_mut().as_flattened_mut().iter_mut().for_each(|a| *a *= c);
        self.values.par_chunks_mut(BLOCKS_PER_TASK).for_each(scale);
    }

    /// A = c B.
    pub fn set_scaled(&mut self, c: f64, b: &BlockMatrix) {
        self.for_each_block(b, |a, b| *a = crate::mat3::mat_scale(c, b));
    }

    /// A += c B.
    pub fn add_scaled(&mut self, c: f64, b: &BlockMatrix) {
        self.for_each_block(b, |a, b| (0..3).for_each(|r| (0..3).for_each(|k| a[r][k] += c * b[r][k])));
    }

    fn for_each_block(&mut self, b: &BlockMatrix, put: impl Fn(&mut Mat3, &Mat3) + Sync) {
        let (a, b) = (self.values.par_chunks_mut(BLOCKS_PER_TASK), b.values.par_chunks(BLOCKS_PER_TASK));
        a.zip(b).for_each(|(a, b)| a.iter_mut().zip(b).for_each(|(a, b)| put(a, b)));
    }

    /// Returns block (i, j), for tests and small matrices.
    pub fn block(&self, i: usize, j: usize) -> Mat3 {
        match self.pattern.slot(i, j) {
            Some(slot) if i >= j => self.values[slot],
            Some(slot) => crate::mat3::transpose(&self.values[slot]),
            None => [[0.0; 3]; 3],
        }
    }

    /// y = A x.
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) {
        self.for_each_row(x, y, |y, product| *y = product);
    }

    /// y += c A x.
    pub fn multiply_add(&self, c: f64, x: &[f64], y: &mut [f64]) {
        self.for_each_row(x, y, |y, product| (0..3).for_each(|r| y[r] += c * product[r]));
    }

    fn for_each_row(&self, x: &[f64], y: &mut [f64], put: impl Fn(&mut [f64; 3], [f64; 3]) + Sync) {
        y.par_chunks_mut(3 * ROWS_PER_TASK).enumerate().for_each(|(task, y)| {
            for (k, y) in y.as_chunks_mut::<3>().0.iter_mut().enumerate() {
                put(y, self.row_times(task * ROWS_PER_TASK + k, x));
            }
        });
    }

    /// Returns block row `i` of A x.
    #[inline]
    pub fn row_times(&self, i: usize, x: &[f64]) -> [f64; 3] {
        let [row] = self.row_times_columns::<1>(i, x);
        row
    }

    /// Y = A X for `columns` columns, column-major. The matrix is read once per eight columns; each column is
    /// bit-for-bit the same as with [`BlockMatrix::multiply`].
    pub fn multiply_columns(&self, x: &[f64], y: &mut [f64], columns: usize) {
        self.for_each_panel(x, y, columns, |y, product| *y = product);
    }

    /// Y += c A X for `columns` columns, column-major; bit-for-bit the same as [`BlockMatrix::multiply_add`].
    pub fn multiply_add_columns(&self, c: f64, x: &[f64], y: &mut [f64], columns: usize) {
        self.for_each_panel(x, y, columns, |y, product| (0..3).for_each(|r| y[r] += c * product[r]));
    }

    /// Cuts the columns into panels of five to eight, side by side in lanes, of four, two and one.
    fn for_each_panel(
        &self,
        x: &[f64],
        y: &mut [f64],
        columns: usize,
        put: impl Fn(&mut [f64; 3], [f64; 3]) + Sync + Copy,
    ) {
        let n = self.dim();
        let (mut x, mut y, mut left) = (&x[..n * columns], &mut y[..n * columns], columns);
        while left > 0 {
            let width = if left > 4 {
                left.min(WIDE)
            } else if left == 4 {
                4
            } else {
                left.min(2)
            };
            let (panel, tail) = std::mem::take(&mut y).split_at_mut(width * n);
            match width {
                4 => self.panel_times::<4>(0, x, split_columns(panel, n), put),
                2 => self.panel_times::<2>(0, x, split_columns(panel, n), put),
                5.. => {
                    let mut packed = PACKED.take();
                    pack(&x[..width * n], n, &mut packed);
                    self.wide_panel_times(0, &packed, split_columns(panel, n), put);
                    PACKED.set(packed);
                }
                _ => self.for_each_row(&x[..n], panel, put),
            }
            (x, y, left) = (&x[width * n..], tail, left - width);
        }
    }

    /// Computes the rows from `first` on of the product with C columns, halved into tasks of [`ROWS_PER_TASK`].
    fn panel_times<const C: usize>(
        &self,
        first: usize,
        x: &[f64],
        y: [&mut [f64]; C],
        put: impl Fn(&mut [f64; 3], [f64; 3]) + Sync + Copy,
    ) {
        let rows = y[0].len() / 3;
        if rows > ROWS_PER_TASK {
            let half = rows.div_ceil(2 * ROWS_PER_TASK) * ROWS_PER_TASK;
            let mut lower: [&mut [f64]; C] = std::array::from_fn(|_| &mut [][..]);
            let mut upper: [&mut [f64]; C] = std::array::from_fn(|_| &mut [][..]);
            for (c, y) in y.into_iter().enumerate() {
                (lower[c], upper[c]) = y.split_at_mut(3 * half);
            }
            rayon::join(|| self.panel_times(first, x, lower, put), || self.panel_times(first + half, x, upper, put));
            return;
        }
        let mut y = y.map(|y| y.as_chunks_mut::<3>().0);
        for k in 0..rows {
            let products = self.row_times_columns::<C>(first + k, x);
            (0..C).for_each(|c| put(&mut y[c][k], products[c]));
        }
    }

    /// Does the same with up to eight columns that are side by side in lanes; absent ones have no rows in `y`.
    fn wide_panel_times(
        &self,
        first: usize,
        x: &[Lanes],
        y: [&mut [f64]; WIDE],
        put: impl Fn(&mut [f64; 3], [f64; 3]) + Sync + Copy,
    ) {
        let rows = y[0].len() / 3;
        if rows > ROWS_PER_TASK {
            let half = rows.div_ceil(2 * ROWS_PER_TASK) * ROWS_PER_TASK;
            let mut lower: [&mut [f64]; WIDE] = std::array::from_fn(|_| &mut [][..]);
            let mut upper: [&mut [f64]; WIDE] = std::array::from_fn(|_| &mut [][..]);
            for (c, y) in y.into_iter().enumerate() {
                (lower[c], upper[c]) = y.split_at_mut((3 * half).min(y.len()));
            }
            rayon::join(
                || self.wide_panel_times(first, x, lower, put),
                || self.wide_panel_times(first + half, x, upper, put),
            );
            return;
        }
        let mut y = y.map(|y| y.as_chunks_mut::<3>().0);
        for k in 0..rows {
            let sums = self.row_times_lanes(first + k, x);
            let sums = sums.each_ref().map(|sum| sum.as_array());
            for (c, y) in y.iter_mut().enumerate() {
                if let Some(y) = y.get_mut(k) {
                    put(y, [sums[0][c], sums[1][c], sums[2][c]]);
                }
            }
        }
    }

    /// Computes block row `i` of A X for columns in lanes: a number of A serves eight of them.
    #[inline]
    fn row_times_lanes(&self, i: usize, x: &[Lanes]) -> [Lanes; 3] {
        let Pattern { start, column, slot, diagonal, .. } = &*self.pattern;
        let mut sum = [Lanes::splat(0.0); 3];
        let mut add = |p: usize, a: [[f64; 3]; 3]| {
            let j = 3 * column[p] as usize;
            let x = [x[j], x[j + 1], x[j + 2]];
            for (sum, a) in sum.iter_mut().zip(a) {
                *sum += Lanes::splat(a[0]) * x[0] + Lanes::splat(a[1]) * x[1] + Lanes::splat(a[2]) * x[2];
            }
        };
        self.prefetch(i + AHEAD);
        for p in start[i]..=diagonal[i] {
            add(p, self.values[slot[p] as usize]);
        }
        for p in diagonal[i] + 1..start[i + 1] {
            let a = &self.values[slot[p] as usize];
            add(p, std::array::from_fn(|r| [a[0][r], a[1][r], a[2][r]]));
        }
        sum
    }

    /// Asks the processor for the blocks right of the diagonal of row `i`, which are stored with later rows: of a matrix
    /// larger than the cache every one would be waited for.
    #[inline]
    #[cfg_attr(not(target_arch = "x86_64"), expect(unused_variables))]
    fn prefetch(&self, i: usize) {
        #[cfg(target_arch = "x86_64")]
        if let Some(&diagonal) = self.pattern.diagonal.get(i) {
            use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            for &slot in &self.pattern.slot[diagonal + 1..self.pattern.start[i + 1]] {
                let block = self.values[slot as usize].as_flattened();
                // SAFETY: a prefetch reads nothing, and both numbers exist.
                unsafe {
                    _mm_prefetch::<_MM_HINT_T0>((&raw const block[0]).cast());
                    _mm_prefetch::<_MM_HINT_T0>((&raw const block[8]).cast());
                }
            }
        }
    }

    /// Computes block row `i` of A X for C columns: lanes are the three rows of a block, so numbers of X need no
    /// packing.
    #[inline]
    fn row_times_columns<const C: usize>(&self, i: usize, x: &[f64]) -> [[f64; 3]; C] {
        let Pattern { start, column, slot, diagonal, .. } = &*self.pattern;
        let n = self.dim();
        let mut sum = [f64x4::splat(0.0); C];
        let mut add = |p: usize, [a, b, c]: [f64x4; 3]| {
            let j = 3 * column[p] as usize;
            for (k, sum) in sum.iter_mut().enumerate() {
                let x = &x[k * n + j..k * n + j + 3];
                *sum += a * f64x4::splat(x[0]) + b * f64x4::splat(x[1]) + c * f64x4::splat(x[2]);
            }
        };
        self.prefetch(i + AHEAD);
        for p in start[i]..=diagonal[i] {
            let a = &self.values[slot[p] as usize];
            add(p, std::array::from_fn(|k| f64x4::new([a[0][k], a[1][k], a[2][k], 0.0])));
        }
        for p in diagonal[i] + 1..start[i + 1] {
            let a = &self.values[slot[p] as usize];
            add(p, std::array::from_fn(|k| f64x4::new([a[k][0], a[k][1], a[k][2], 0.0])));
        }
        sum.map(|sum| {
            let [x, y, z, _] = *sum.as_array();
            [x, y, z]
        })
    }
}

/// Writes up to eight columns side by side into lanes.
fn pack(x: &[f64], n: usize, packed: &mut Vec<Lanes>) {
    packed.resize(n, Lanes::splat(0.0));
    packed.par_chunks_mut(3 * ROWS_PER_TASK).enumerate().for_each(|(task, packed)| {
        let first = 3 * ROWS_PER_TASK * task;
        for (j, lanes) in packed.iter_mut().enumerate() {
            *lanes = Lanes::from_fn(|c| x.get(c * n + first + j).copied().unwrap_or(0.0));
        }
    });
}

/// Splits a column-major panel into its columns.
fn split_columns<const C: usize>(panel: &mut [f64], n: usize) -> [&mut [f64]; C] {
    let mut columns = panel.chunks_exact_mut(n.max(1));
    std::array::from_fn(|_| columns.next().unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn breadth_first_is_a_permutation_that_keeps_neighbours_close() {
        // A chain with randomly numbered links, and one node without links.
        let links: Vec<u32> = (0..40).map(|k| (k * 17) % 41).collect();
        let cliques: Vec<[u32; 2]> = links.windows(2).map(|w| [w[0], w[1]]).collect();
        let pattern = Pattern::from_cliques(41, cliques.iter().map(|c| c.as_slice()));
        let order = pattern.breadth_first();
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert!(sorted.iter().enumerate().all(|(i, &j)| i == j as usize));
        let position: Vec<usize> = (0..41).map(|i| order.iter().position(|&j| j == i).unwrap()).collect();
        assert!(cliques.iter().all(|[i, j]| position[*i as usize].abs_diff(position[*j as usize]) == 1));
    }

    #[test]
    fn product_and_slots_agree_with_a_dense_matrix() {
        let cliques: [&[u32]; 4] = [&[0, 3, 2], &[1, 4], &[4, 0, 9], &[3, 1]];
        let pattern = Arc::new(Pattern::from_cliques(5, cliques.into_iter()));
        assert_eq!(pattern.slot(0, 1), None);
        assert_eq!(pattern.slot(3, 1), pattern.slot(1, 3));
        let mut a = BlockMatrix::zeros(pattern.clone());
        for (k, block) in a.values.iter_mut().enumerate() {
            *block = std::array::from_fn(|r| std::array::from_fn(|c| ((7 * k + 3 * r + c) as f64).sin()));
        }
        let x: Vec<f64> = (0..15).map(|k| (k as f64).cos()).collect();
        let mut y = vec![0.0; 15];
        a.multiply(&x, &mut y);
        for i in 0..5 {
            for r in 0..3 {
                let dense: f64 = (0..5)
                    .flat_map(|j| (0..3).map(move |c| (j, c)))
                    .map(|(j, c)| a.block(i, j)[r][c] * x[3 * j + c])
                    .sum();
                assert!((dense - y[3 * i + r]).abs() < 1e-13);
            }
        }
    }

    #[test]
    fn a_product_with_columns_has_the_bits_of_single_products() {
        // Long enough for several tasks.
        let cliques: Vec<[u32; 3]> = (0..1500_u32).map(|i| [i, (i + 1) % 1500, (7 * i + 40) % 1500]).collect();
        let pattern = Arc::new(Pattern::from_cliques(1500, cliques.iter().map(|c| c.as_slice())));
        let mut a = BlockMatrix::zeros(pattern);
        for (k, block) in a.values.iter_mut().enumerate() {
            *block = std::array::from_fn(|r| std::array::from_fn(|c| ((7 * k + 3 * r + c) as f64).sin()));
        }
        let n = a.dim();
        for columns in [0, 1, 2, 3, 5, 8, 15, 17] {
            let x: Vec<f64> = (0..columns * n).map(|k| (k as f64).cos()).collect();
            let mut y = vec![0.0; columns * n];
            a.multiply_columns(&x, &mut y, columns);
            let mut sum = x.clone();
            a.multiply_add_columns(0.3, &x, &mut sum, columns);
            for c in 0..columns {
                let at = c * n..(c + 1) * n;
                let (mut one, mut one_sum) = (vec![0.0; n], x[at.clone()].to_vec());
                a.multiply(&x[at.clone()], &mut one);
                a.multiply_add(0.3, &x[at.clone()], &mut one_sum);
                assert!(one == y[at.clone()] && one_sum == sum[at], "column {c} of {columns}");
            }
        }
    }
}
