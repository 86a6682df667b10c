//! Direct solver: Cholesky, and its symmetric indefinite kin when the matrix is not positive definite.
//!
//! L L^T = P A P^T is tried first ([`Factor`]). A non-positive pivot makes the solver start again with L B L^T
//! ([`Indefinite`]), in the same memory.
//!
//! Symbolic analysis, memory and the permutation are made once per pattern; `prepare` and `solve` then allocate nothing
//! that grows with the matrix. Cost: [`Ordering::flops`] a factorisation, 4 [`Ordering::entries`] flops a column solved.

use super::indefinite::Indefinite;
use super::ordering::Ordering;
use super::pcg::Preconditioner;
use super::supernodal::{Factor, Structure};
use super::{Definiteness, LinearError, LinearSolver, Work};
use crate::blocks::{BlockMatrix, Pattern};
use std::sync::Arc;

/// The direct solver of one pattern.
pub struct Cholesky {
    structure: Arc<Structure>,
    factor: Factor<f64>,
    /// Made for the first indefinite matrix.
    indefinite: Option<Indefinite>,
    refuses_indefinite: bool,
    definiteness: Definiteness,
    held: Held,
    work: Work,
}

/// What `factor` holds.
#[derive(Clone, Copy, PartialEq)]
enum Held {
    Nothing,
    Definite,
    Indefinite,
}

impl Cholesky {
    /// Orders and analyses `pattern`.
    pub fn new(pattern: &Arc<Pattern>) -> Result<Cholesky, LinearError> {
        Cholesky::with_ordering(pattern, &Ordering::best(pattern))
    }

    /// Analyses `pattern` for a given order of elimination.
    pub fn with_ordering(pattern: &Arc<Pattern>, ordering: &Ordering) -> Result<Cholesky, LinearError> {
        Cholesky::with_structure(&Structure::new(pattern, ordering)?)
    }

    /// A solver for matrices of a pattern that is analysed already.
    pub fn with_structure(structure: &Arc<Structure>) -> Result<Cholesky, LinearError> {
        Ok(Cholesky {
            structure: structure.clone(),
            factor: Factor::new(structure)?,
            indefinite: None,
            refuses_indefinite: false,
            definiteness: Definiteness::Unknown,
            held: Held::Nothing,
            work: Work::default(),
        })
    }

    /// Makes `prepare` fail at the first non-positive pivot instead of factorising an indefinite matrix.
    pub fn refuse_indefinite(mut self) -> Cholesky {
        self.refuses_indefinite = true;
        self
    }

    /// Overwrites the columns of `rhs` with the solutions for the matrix last prepared.
    pub fn solve_factored(&mut self, rhs: &mut [f64], columns: usize) -> Result<(), LinearError> {
        let n = self.structure.layout.dim();
        if self.held == Held::Nothing {
            return Err(LinearError::NotPrepared);
        }
        assert_eq!(rhs.len(), n * columns, "right-hand sides do not have the size of the matrix");
        if let Some(k) = rhs.iter().position(|v| !v.is_finite()) {
            return Err(LinearError::NonFinite { row: k % n / 3 });
        }
        match (&mut self.indefinite, self.held) {
            (Some(indefinite), Held::Indefinite) => indefinite.solve(self.factor.values(), rhs, columns),
            _ => self.factor.solve(rhs, columns, None),
        }
        self.work.solves += columns as u64;
        Ok(())
    }

    fn factorise(&mut self, a: &BlockMatrix) -> Result<Definiteness, LinearError> {
        let done = self.factor.factorise(a);
        self.work.factorisations += u64::from(!matches!(done, Err(LinearError::Pattern { .. })));
        match done {
            Err(LinearError::Indefinite { .. }) if !self.refuses_indefinite => {}
            done => {
                done?;
                self.held = Held::Definite;
                return Ok(Definiteness::Positive);
            }
        }
        self.work.factorisations += 1;
        let indefinite = self.indefinite.get_or_insert_with(|| Indefinite::new(&self.structure));
        let negative = indefinite.factorise(a, self.factor.values_mut())?;
        self.held = Held::Indefinite;
        Ok(if negative == 0 { Definiteness::Positive } else { Definiteness::Indefinite { negative } })
    }
}

impl Preconditioner for Cholesky {
    fn apply(&mut self, r: &mut [f64], columns: usize) -> Result<(), LinearError> {
        self.solve_factored(r, columns)
    }
}

impl LinearSolver for Cholesky {
    fn prepare(&mut self, a: &BlockMatrix) -> Result<Definiteness, LinearError> {
        self.held = Held::Nothing;
        self.definiteness = Definiteness::Unknown;
        self.definiteness = self.factorise(a)?;
        Ok(self.definiteness)
    }

    fn solve(&mut self, _: &BlockMatrix, rhs: &mut [f64], columns: usize) -> Result<(), LinearError> {
        self.solve_factored(rhs, columns)
    }

    fn definiteness(&self) -> Definiteness {
        self.definiteness
    }

    fn work(&self) -> Work {
        self.work
    }
}
