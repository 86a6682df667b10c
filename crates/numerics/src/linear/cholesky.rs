//! Direct solver: Cholesky, or a symmetric indefinite factorisation if the matrix is not positive definite.
//!
//! L L^T = P A P^T is tried first ([`Factor`]). A non-positive pivot makes the solver start again with L B L^T
//! ([`Indefinite`]), in the same memory.
//!
//! Symbolic analysis, memory and the permutation are made once per pattern; `prepare` and `solve` then allocate nothing
//! that grows with the matrix. Cost: [`Ordering::flops`] per factorisation, 4 [`Ordering::entries`] flops per column
//! solved.

use super::indefinite::Indefinite;
use super::ordering::Ordering;
use super::pcg::Preconditioner;
use super::supernodal::{Factor, Inverse, Structure};
use super::{Definiteness, LinearError, LinearSolver, Work};
use crate::blocks::{BlockMatrix, Pattern};
use crate::interrupt;
use crate::vectors::is_finite;
use std::sync::Arc;

/// The direct solver of one pattern.
pub struct Cholesky {
    structure: Arc<Structure>,
    factor: Factor<f64>,
    /// Made for the first indefinite matrix.
    indefinite: Option<Indefinite>,
    /// Inverse for single columns, where there are many; `is_inverted` is true if it belongs to the matrix last
    /// prepared.
    inverse: Option<Inverse>,
    is_inverted: bool,
    refuses_indefinite: bool,
    definiteness: Definiteness,
    held: Held,
    work: Work,
}

/// Parts of a solve that wait for rows that are known late.
pub struct Late(Vec<bool>);

/// Content of `factor`.
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

    /// Makes a solver for matrices of an analysed pattern.
    pub fn with_structure(structure: &Arc<Structure>) -> Result<Cholesky, LinearError> {
        Ok(Cholesky {
            structure: structure.clone(),
            factor: Factor::new(structure)?,
            indefinite: None,
            inverse: None,
            is_inverted: false,
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

    /// Makes solves of single columns faster, each factorisation slower, and the factor twice as large. Has no effect
    /// on factors that are cut into tasks.
    pub fn for_many_solves(mut self) -> Cholesky {
        self.inverse = Inverse::new(&self.structure);
        self
    }

    /// Overwrites the columns of `rhs` with the solutions for the matrix last prepared.
    pub fn solve_factored(&mut self, rhs: &mut [f64], columns: usize) -> Result<(), LinearError> {
        self.check(rhs, columns)?;
        match (&mut self.indefinite, &mut self.inverse, self.held) {
            (Some(indefinite), _, Held::Indefinite) => indefinite.solve(self.factor.values(), rhs, columns),
            (_, Some(inverse), Held::Definite) if columns == 1 && self.is_inverted => {
                inverse.solve(&self.structure, rhs)
            }
            _ => self.factor.solve(rhs, columns, None),
        }
        self.work.solves += columns as u64;
        Ok(())
    }

    /// Returns the numbers of the factor that one thread sweeps while the others are idle.
    pub fn alone(&self) -> f64 {
        self.structure.top_entries()
    }

    /// Returns the parts of a solve that wait if these block rows of its right-hand side are known late.
    pub fn late(&self, rows: impl Iterator<Item = usize>) -> Late {
        Late(self.structure.late(rows))
    }

    /// Begins a solve of one column before the late rows of `rhs` are known. Call [`Cholesky::end_solve`] next.
    pub fn begin_solve(&mut self, rhs: &[f64], Late(late): &Late) {
        if self.is_swept() {
            self.factor.begin(rhs, late);
        }
    }

    /// Overwrites `rhs`, whose rows are now all known, with the solution.
    pub fn end_solve(&mut self, rhs: &mut [f64], Late(late): &Late) -> Result<(), LinearError> {
        if !self.is_swept() {
            return self.solve_factored(rhs, 1);
        }
        self.check(rhs, 1)?;
        self.factor.end(rhs, late);
        self.work.solves += 1;
        Ok(())
    }

    /// Overwrites one right-hand side with the solution, bit-for-bit as [`Cholesky::solve_factored`] does, while idle
    /// threads run `beside`. That may not run if there is an error.
    pub fn solve_beside(&mut self, rhs: &mut [f64], beside: impl FnOnce() + Send) -> Result<(), LinearError> {
        if !self.is_swept() {
            return rayon::join(|| self.solve_factored(rhs, 1), beside).0;
        }
        self.check(rhs, 1)?;
        self.factor.solve_beside(rhs, beside);
        self.work.solves += 1;
        Ok(())
    }

    /// Returns true if solves of one column sweep the tasks of the factor.
    fn is_swept(&self) -> bool {
        self.held == Held::Definite && !self.is_inverted
    }

    /// Checks that there is a factor, and that right-hand sides are finite.
    fn check(&self, rhs: &[f64], columns: usize) -> Result<(), LinearError> {
        let n = self.structure.layout.dim();
        if self.held == Held::Nothing {
            return Err(LinearError::NotPrepared);
        }
        assert_eq!(rhs.len(), n * columns, "right-hand sides do not have the size of the matrix");
        if is_finite(rhs) {
            return Ok(());
        }
        let first = rhs.iter().position(|v| !v.is_finite()).unwrap_or(0);
        Err(LinearError::NonFinite { row: first % n / 3 })
    }

    fn factorise(&mut self, a: &BlockMatrix) -> Result<Definiteness, LinearError> {
        let done = self.factor.factorise(a);
        self.work.factorisations += u64::from(!matches!(done, Err(LinearError::Pattern { .. })));
        match done {
            Err(LinearError::Indefinite { .. }) if !self.refuses_indefinite => {}
            done => {
                done?;
                let Cholesky { structure, factor, inverse, .. } = self;
                self.is_inverted = inverse.as_mut().is_some_and(|inverse| inverse.take(structure, factor));
                self.held = Held::Definite;
                return Ok(Definiteness::Positive);
            }
        }
        // The library makes the other kind in one piece.
        interrupt::check()?;
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
