//! Components of a group that are not positive definite, each with a general solver of its own.
//!
//! The general solver decides what they are: indefinite, singular or, after all, positive definite. Solvers are made
//! when first needed and kept for the next matrix, whichever components it is about.

use super::pack::Sources;
use super::packs::Packs;
use crate::blocks::BlockMatrix;
use crate::linear::ordering::Ordering;
use crate::linear::supernodal::Structure;
use crate::linear::{Cholesky, Definiteness, LinearError, LinearSolver};
use crate::mat3::transpose;
use rayon::prelude::*;
use std::sync::Arc;

#[derive(Default)]
pub(super) struct Doubtful {
    structure: Option<Arc<Structure>>,
    /// The first `count` belong to the current matrix.
    single: Vec<Single>,
    count: usize,
}

/// One component.
struct Single {
    rows: Vec<u32>,
    matrix: BlockMatrix,
    solver: Cholesky,
    x: Vec<f64>,
    done: Result<Definiteness, LinearError>,
}

impl Doubtful {
    /// Factorises the components at `failed`: packs and lanes.
    pub fn prepare(
        &mut self,
        packs: &Packs,
        sources: &[Sources],
        failed: impl Iterator<Item = (usize, usize)>,
        a: &BlockMatrix,
    ) -> Result<(), LinearError> {
        let Packs { shape, rows, .. } = packs;
        self.count = 0;
        for (pack, lane) in failed {
            if self.count == self.single.len() {
                let structure = match &self.structure {
                    Some(structure) => structure,
                    None => {
                        let new = Structure::new(&shape.pattern, &Ordering::best(&shape.pattern))?;
                        self.structure.insert(new)
                    }
                };
                self.single.push(Single {
                    rows: vec![0; shape.rows()],
                    matrix: BlockMatrix::zeros(shape.pattern.clone()),
                    solver: Cholesky::with_structure(structure)?,
                    x: Vec::new(),
                    done: Ok(Definiteness::Unknown),
                });
            }
            let single = &mut self.single[self.count];
            let (rows, sources) = (&rows[pack * shape.rows()..], &sources[pack * shape.pattern.slots()..]);
            single.rows.iter_mut().zip(rows).for_each(|(to, rows)| *to = rows[lane]);
            for (to, sources) in single.matrix.values.iter_mut().zip(sources) {
                let block = &a.values[sources[lane] as usize / 2];
                *to = if sources[lane] % 2 == 1 { transpose(block) } else { *block };
            }
            self.count += 1;
        }
        let singles = &mut self.single[..self.count];
        singles.par_iter_mut().for_each(|single| single.done = single.solver.prepare(&single.matrix));
        // The first error, whichever thread came first.
        singles.iter().try_for_each(|single| match single.done {
            Ok(_) => Ok(()),
            Err(error) => Err(error.of_rows(&single.rows)),
        })
    }

    /// Returns true if there is any.
    pub fn is_some(&self) -> bool {
        self.count > 0
    }

    /// Counts the negative eigenvalues of all.
    pub fn negative(&self) -> usize {
        let negative = |single: &Single| match single.done {
            Ok(Definiteness::Indefinite { negative }) => negative,
            _ => 0,
        };
        self.single[..self.count].iter().map(negative).sum()
    }

    /// Takes the right-hand sides of these components before they are overwritten. Call `put` after `solve`.
    pub fn solve(&mut self, rhs: &[f64], columns: usize) -> Result<(), LinearError> {
        let dim = rhs.len() / columns.max(1);
        let singles = &mut self.single[..self.count];
        singles.par_iter_mut().for_each(|single| {
            let Single { rows, solver, x, done, .. } = single;
            x.clear();
            for rhs in rhs.chunks_exact(dim.max(1)) {
                let rhs = rhs.as_chunks::<3>().0;
                x.extend(rows.iter().flat_map(|&i| rhs[i as usize]));
            }
            if let Err(error) = solver.solve_factored(x, columns) {
                *done = Err(error);
            }
        });
        singles.iter().try_for_each(|single| match single.done {
            Ok(_) => Ok(()),
            Err(error) => Err(error.of_rows(&single.rows)),
        })
    }

    /// Overwrites the rows of these components with their solutions.
    pub fn put(&self, rhs: &mut [f64], columns: usize) {
        let dim = rhs.len() / columns.max(1);
        for Single { rows, x, .. } in &self.single[..self.count] {
            for (rhs, x) in rhs.chunks_exact_mut(dim.max(1)).zip(x.chunks_exact(3 * rows.len())) {
                let rhs = rhs.as_chunks_mut::<3>().0;
                rows.iter().zip(x.as_chunks::<3>().0).for_each(|(&i, x)| rhs[i as usize] = *x);
            }
        }
    }
}
