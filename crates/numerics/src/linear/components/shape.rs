//! The factor of one shape of components: where its blocks are, and which products they take.
//!
//! A = L D L^T in 3x3 blocks, row by row. Block (i, j) of row i is
//!
//!   U_ij L_jj^T = A_ij - sum over k < j of U_ik L_jk^T,     U = L D
//!
//! and the list of its products is written down once, as pairs of blocks. Eight components share each entry of the
//! list, so reading it costs little.

use super::partition::permuted;
use crate::blocks::Pattern;
use crate::linear::ordering::Ordering;
use std::sync::Arc;

/// Multiplications and additions of a product of two blocks.
const FLOPS_OF_PRODUCT: f64 = 54.0;
/// Operations per block besides: the triangle of its column, the pivots, the diagonal of its row.
const FLOPS_OF_BLOCK: f64 = 63.0;
/// Operations per diagonal block.
const FLOPS_OF_PIVOTS: f64 = 20.0;

pub(super) struct Shape {
    /// Row k of the factor is row `order[k]` of the component.
    order: Vec<u32>,
    /// Blocks of the matrix: the lower triangle with the diagonal, in this order.
    pub pattern: Arc<Pattern>,
    /// Row i of L owns the blocks `start[i]..start[i + 1]` left of the diagonal, columns ascending.
    start: Vec<u32>,
    pub column: Vec<u32>,
    /// Slot of the matrix that block b of L begins with; `None` for fill.
    pub slot: Vec<Option<u32>>,
    /// Block b takes the products `products[product_start[b]..product_start[b + 1]]`: blocks of U in its row, of L in
    /// the row of its column.
    product_start: Vec<u32>,
    products: Vec<[u32; 2]>,
}

impl Shape {
    /// Orders the component with these neighbours by the fewest products, and analyses it.
    pub fn new(neighbours: &Vec<Vec<u32>>) -> Shape {
        let pattern = pattern_of(neighbours);
        let banded: Vec<u32> = pattern.breadth_first();
        let candidates = [banded, Ordering::best(&pattern).order];
        let [banded, sparse] = candidates.map(|order| Shape::ordered(neighbours, order));
        // A band uses the blocks of the last rows only, which are still in the first cache.
        if banded.products.len() <= sparse.products.len() { banded } else { sparse }
    }

    fn ordered(neighbours: &Vec<Vec<u32>>, order: Vec<u32>) -> Shape {
        let pattern = Arc::new(pattern_of(&permuted(neighbours, &order)));
        let rows = filled(&pattern);
        let (mut start, mut column, mut slot) = (vec![0], Vec::new(), Vec::new());
        let (mut product_start, mut products) = (vec![0], Vec::new());
        for (i, columns) in rows.iter().enumerate() {
            let first = start[i];
            for &j in columns {
                column.push(j);
                slot.push(pattern.slot(i, j as usize).map(|slot| slot as u32));
                // Columns that both rows have left of j: two ascending lists.
                let other = start[j as usize];
                for (p, k) in columns.iter().enumerate().take_while(|(_, k)| **k < j) {
                    if let Ok(q) = rows[j as usize].binary_search(k) {
                        products.push([first + p as u32, other + q as u32]);
                    }
                }
                product_start.push(products.len() as u32);
            }
            start.push(column.len() as u32);
        }
        Shape { order, pattern, start, column, slot, product_start, products }
    }

    pub fn order(&self) -> &[u32] {
        &self.order
    }

    pub fn rows(&self) -> usize {
        self.order.len()
    }

    /// Number of blocks of L left of the diagonal.
    pub fn blocks(&self) -> usize {
        self.column.len()
    }

    /// Returns the range of blocks of row `i`.
    pub fn row(&self, i: usize) -> std::ops::Range<usize> {
        self.start[i] as usize..self.start[i + 1] as usize
    }

    /// Returns the products that block `b` takes.
    pub fn products(&self, b: usize) -> &[[u32; 2]] {
        &self.products[self.product_start[b] as usize..self.product_start[b + 1] as usize]
    }

    /// Counts the multiplications and additions of a factorisation.
    pub fn flops(&self) -> f64 {
        FLOPS_OF_PRODUCT * self.products.len() as f64
            + FLOPS_OF_BLOCK * self.blocks() as f64
            + FLOPS_OF_PIVOTS * self.rows() as f64
    }
}

fn pattern_of(neighbours: &[Vec<u32>]) -> Pattern {
    let edges: Vec<[u32; 2]> =
        neighbours.iter().enumerate().flat_map(|(i, list)| list.iter().map(move |&j| [i as u32, j])).collect();
    Pattern::from_cliques(neighbours.len(), edges.iter().map(|edge| edge.as_slice()))
}

/// Returns the columns of each row of L left of the diagonal, ascending.
fn filled(pattern: &Pattern) -> Vec<Vec<u32>> {
    let n = pattern.rows();
    let mut below: Vec<Vec<u32>> =
        (0..n).map(|j| pattern.columns(j).iter().copied().filter(|&i| i as usize > j).collect()).collect();
    let mut rows = vec![Vec::new(); n];
    for j in 0..n {
        let column = std::mem::take(&mut below[j]);
        column.iter().for_each(|&i| rows[i as usize].push(j as u32));
        // Eliminating row j couples all rows below; the first of them passes them on.
        if let Some((&parent, others)) = column.split_first() {
            let list = &mut below[parent as usize];
            list.extend_from_slice(others);
            list.sort_unstable();
            list.dedup();
        }
    }
    rows
}
