//! Solvers of A x = b for symmetric matrices in 3x3 blocks.
//!
//! A [`LinearSolver`] is prepared for a matrix and then solves. The prepared data may be kept while the matrix changes:
//! a direct solver then still solves for the matrix it was prepared for (which makes it a preconditioner for the newer
//! one), an iterative one solves for the newer matrix.

mod cholesky;
mod choose;
mod components;
mod congruence;
mod error;
mod fallback;
mod hierarchy;
mod incomplete;
mod indefinite;
pub mod ordering;
mod pcg;
mod permuted;
mod recent;
mod stale;
mod supernodal;

pub use cholesky::{Cholesky, Late};
pub use choose::{FLOPS_A_BLOCK, FLOPS_A_BLOCK_KEPT, Solver, SolverKind, choose, choose_for_steps, factor_cost};
pub use components::{
    ComponentInput, ComponentModes, ComponentMotions, Components, Moved, PackFactor, PackMatrix, Packs, Place, Searched,
};
pub use congruence::Congruence;
pub use error::LinearError;
pub use fallback::Fallback;
pub use hierarchy::Hierarchy;
pub use incomplete::IncompleteCholesky;
pub use pcg::{Converged, Pcg, Preconditioner, Stop, Vectors, pcg};
pub use recent::Recent;
pub use stale::{Decision, Origin, Stale};
pub use supernodal::{Factor, Half, Precision, ScalarCholesky, Stored, Structure};

use crate::blocks::{BlockMatrix, Pattern};
use std::sync::Arc;

/// Signs of the eigenvalues, as found by `prepare`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Definiteness {
    /// All eigenvalues are positive.
    Positive,
    /// This many eigenvalues are negative, the others positive.
    Indefinite {
        /// Number of negative eigenvalues.
        negative: usize,
    },
    /// The solver cannot tell before it iterates.
    Unknown,
}

/// Work done since the solver was made. Counts, never seconds: they are the same on every machine.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Work {
    /// Complete or incomplete factorisations.
    pub factorisations: u64,
    /// Right-hand sides solved for, counted per column.
    pub solves: u64,
    /// Iterations of iterative solvers.
    pub iterations: u64,
    /// Products of the matrix with a vector.
    pub products: u64,
    /// Solves that reached the iteration limit short of their tolerance and were accepted.
    pub capped: u64,
}

impl std::ops::AddAssign for Work {
    fn add_assign(&mut self, other: Work) {
        self.factorisations += other.factorisations;
        self.solves += other.solves;
        self.iterations += other.iterations;
        self.products += other.products;
        self.capped += other.capped;
    }
}

impl std::ops::Sub for Work {
    type Output = Work;
    fn sub(self, before: Work) -> Work {
        Work {
            factorisations: self.factorisations - before.factorisations,
            solves: self.solves - before.solves,
            iterations: self.iterations - before.iterations,
            products: self.products - before.products,
            capped: self.capped - before.capped,
        }
    }
}

/// A solver of A x = b, A symmetric.
///
/// ```
/// use numerics::blocks::{BlockMatrix, Pattern};
/// use numerics::linear::{Cholesky, LinearError, LinearSolver, Pcg, Stop};
/// use std::sync::Arc;
///
/// // Two nodes: 2 on the diagonal, and -1 between them in x, y and z.
/// let pattern = Arc::new(Pattern::from_cliques(2, [&[0, 1][..]].into_iter()));
/// let mut a = BlockMatrix::zeros(pattern.clone());
/// for i in 0..2 {
///     for (j, slot) in pattern.lower(i) {
///         (0..3).for_each(|c| a.values[slot][c][c] = if i == j { 2.0 } else { -1.0 });
///     }
/// }
///
/// let solvers: [Box<dyn LinearSolver>; 2] =
///     [Box::new(Cholesky::new(&pattern)?), Box::new(Pcg::new(&pattern, Stop::at(1e-12, 100)))];
/// for mut solver in solvers {
///     solver.prepare(&a)?;
///     let mut x = vec![1.0; a.dim()];
///     solver.solve(&a, &mut x, 1)?;
///     assert!(x.iter().all(|x| (x - 1.0).abs() < 1e-9));
///     assert_eq!(solver.work().solves, 1);
/// }
/// # Ok::<(), LinearError>(())
/// ```
pub trait LinearSolver: Send + Sync {
    /// Makes the solver ready for `a`: factorises it, or builds a preconditioner.
    ///
    /// `a` must have the pattern the solver was made for. After an error the solver must be prepared
    /// again before it solves.
    fn prepare(&mut self, a: &BlockMatrix) -> Result<Definiteness, LinearError>;

    /// Overwrites each column of `rhs` (column-major, `a.dim()` x `columns`) with A^-1 times itself.
    ///
    /// `a` is the current matrix. A direct solver uses the factor of the matrix it was prepared for; an iterative one
    /// multiplies with `a` and uses its stored data as preconditioner. After an error the content of `rhs` is
    /// undefined.
    fn solve(&mut self, a: &BlockMatrix, rhs: &mut [f64], columns: usize) -> Result<(), LinearError>;

    /// Returns the signs of the eigenvalues, as far as known: `solve` may learn more than `prepare` did.
    fn definiteness(&self) -> Definiteness;

    /// Work done since the solver was made.
    fn work(&self) -> Work;
}

/// Accepts matrices of an equal pattern; remembers its address, so that the next comparison is free.
fn adopt(pattern: &mut Arc<Pattern>, a: &BlockMatrix) -> Result<(), LinearError> {
    if Arc::ptr_eq(pattern, a.pattern()) {
        return Ok(());
    }
    if pattern != a.pattern() {
        return Err(LinearError::Pattern { expected: pattern.rows(), found: a.pattern().rows() });
    }
    *pattern = a.pattern().clone();
    Ok(())
}

#[cfg(test)]
mod tests;
