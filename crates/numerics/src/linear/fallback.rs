//! Conjugate gradients, with the direct solver for matrices on which they fail.

use super::ordering::Ordering;
use super::{Cholesky, Definiteness, LinearError, LinearSolver, Pcg, Stop, Work};
use crate::blocks::{BlockMatrix, Pattern};
use std::sync::Arc;

/// Iterates; where a matrix is indefinite or does not converge, factorises it. Each matrix is tried by iteration first.
pub struct Fallback {
    iterative: Pcg,
    /// Made when first needed: a large factor that most runs never use.
    direct: Option<Cholesky>,
    pattern: Arc<Pattern>,
    ordering: Ordering,
    /// True if the current matrix is factorised.
    is_factorised: bool,
    /// Right-hand side, for the second attempt.
    rhs: Vec<f64>,
}

impl Fallback {
    /// Makes it for matrices of a pattern; `ordering` is for the direct solver.
    pub fn new(pattern: &Arc<Pattern>, ordering: Ordering, stop: Stop) -> Fallback {
        let iterative = Pcg::new(pattern, stop);
        Fallback { iterative, direct: None, pattern: pattern.clone(), ordering, is_factorised: false, rhs: Vec::new() }
    }

    fn factorise(&mut self, a: &BlockMatrix) -> Result<Definiteness, LinearError> {
        let direct = match &mut self.direct {
            Some(direct) => direct,
            none => none.insert(Cholesky::with_ordering(&self.pattern, &self.ordering)?),
        };
        let found = direct.prepare(a)?;
        self.is_factorised = true;
        Ok(found)
    }
}

/// Returns true if another solver may succeed.
fn is_worth_factorising(error: &LinearError) -> bool {
    matches!(error, LinearError::Indefinite { .. } | LinearError::NotConverged { .. } | LinearError::Singular { .. })
}

impl LinearSolver for Fallback {
    fn prepare(&mut self, a: &BlockMatrix) -> Result<Definiteness, LinearError> {
        self.is_factorised = false;
        match self.iterative.prepare(a) {
            Err(error) if is_worth_factorising(&error) => self.factorise(a),
            result => result,
        }
    }

    fn solve(&mut self, a: &BlockMatrix, rhs: &mut [f64], columns: usize) -> Result<(), LinearError> {
        if !self.is_factorised {
            self.rhs.clear();
            self.rhs.extend_from_slice(rhs);
            match self.iterative.solve(a, rhs, columns) {
                Err(error) if is_worth_factorising(&error) => {
                    rhs.copy_from_slice(&self.rhs);
                    self.factorise(a)?;
                }
                result => return result,
            }
        }
        match &mut self.direct {
            Some(direct) => direct.solve(a, rhs, columns),
            None => Err(LinearError::NotPrepared),
        }
    }

    fn definiteness(&self) -> Definiteness {
        match &self.direct {
            Some(direct) if self.is_factorised => direct.definiteness(),
            _ => Definiteness::Unknown,
        }
    }

    fn work(&self) -> Work {
        let mut work = self.iterative.work();
        work += self.direct.as_ref().map_or(Work::default(), |direct| direct.work());
        work
    }
}
