//! The rows of a matrix that belong to no group, solved by the general solver.

use crate::blocks::{BlockMatrix, Pattern};
use crate::linear::{LinearError, LinearSolver};
use std::sync::Arc;

pub(super) struct Rest {
    /// Rows of the whole matrix, ascending, and the slots of their blocks.
    rows: Vec<u32>,
    slots: Vec<u32>,
    matrix: BlockMatrix,
    pub solver: Box<dyn LinearSolver>,
    x: Vec<f64>,
}

/// Returns the pattern of some whole components, with the slots of its blocks in the pattern of all.
pub(super) fn restricted(pattern: &Pattern, rows: &[u32]) -> (Arc<Pattern>, Vec<u32>) {
    let place = |j: u32| rows.partition_point(|&row| row < j) as u32;
    let mut edges: Vec<[u32; 2]> = Vec::new();
    let mut slots = Vec::new();
    // Rows keep their order, so the blocks of a row do too.
    for (k, &i) in rows.iter().enumerate() {
        for (j, slot) in pattern.lower(i as usize) {
            edges.push([k as u32, place(j as u32)]);
            slots.push(slot as u32);
        }
    }
    (Arc::new(Pattern::from_cliques(rows.len(), edges.iter().map(|edge| edge.as_slice()))), slots)
}

impl Rest {
    pub fn new(pattern: Arc<Pattern>, rows: Vec<u32>, slots: Vec<u32>, solver: Box<dyn LinearSolver>) -> Rest {
        Rest { rows, slots, matrix: BlockMatrix::zeros(pattern), solver, x: Vec::new() }
    }

    pub fn prepare(&mut self, a: &BlockMatrix) -> Result<(), LinearError> {
        self.matrix.values.iter_mut().zip(&self.slots).for_each(|(to, &slot)| *to = a.values[slot as usize]);
        self.solver.prepare(&self.matrix).map(|_| ()).map_err(|error| error.of_rows(&self.rows))
    }

    pub fn solve(&mut self, rhs: &mut [f64], columns: usize) -> Result<(), LinearError> {
        let n = rhs.len() / columns.max(1);
        self.x.clear();
        for rhs in rhs.chunks_exact(n.max(1)) {
            let rhs = rhs.as_chunks::<3>().0;
            self.x.extend(self.rows.iter().flat_map(|&i| rhs[i as usize]));
        }
        self.solver.solve(&self.matrix, &mut self.x, columns).map_err(|error| error.of_rows(&self.rows))?;
        for (rhs, x) in rhs.chunks_exact_mut(n.max(1)).zip(self.x.chunks_exact(3 * self.rows.len().max(1))) {
            let rhs = rhs.as_chunks_mut::<3>().0;
            self.rows.iter().zip(x.as_chunks::<3>().0).for_each(|(&i, x)| rhs[i as usize] = *x);
        }
        Ok(())
    }
}
