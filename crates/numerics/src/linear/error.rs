//! Errors of linear solves, and their remedies.

use crate::interrupt::Interrupted;
use std::fmt;

/// Reason why a linear system was not solved. Rows are block rows, that is nodes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LinearError {
    /// The matrix has negative eigenvalues and the solver was asked for a positive definite one.
    Indefinite {
        /// Number of negative eigenvalues; `None` when the solver stopped at the first sign of one.
        negative: Option<usize>,
    },
    /// The matrix is singular to working precision.
    Singular {
        /// Block row of the vanishing pivot; `None` when only the residual of the answer showed it.
        row: Option<usize>,
    },
    /// The iteration did not reach its tolerance.
    NotConverged {
        /// Iterations done.
        iterations: usize,
        /// Relative residual |b - A x| / |b| reached.
        residual: f64,
    },
    /// The skew part of a nearly symmetric matrix was too large for the series to converge.
    NotSymmetric {
        /// Relative residual reached.
        residual: f64,
    },
    /// The matrix or the right-hand side holds a NaN or an infinity.
    NonFinite {
        /// First such block row.
        row: usize,
    },
    /// The matrix does not have the pattern the solver was made for.
    Pattern {
        /// Block rows of the solver.
        expected: usize,
        /// Block rows of the matrix.
        found: usize,
    },
    /// There is no memory for the factor.
    TooLarge {
        /// Numbers the factor would hold.
        entries: f64,
    },
    /// Coupling of an eliminated part to the others would take too much memory.
    PartTooLarge {
        /// Number of the part, from 0.
        part: usize,
        /// Block rows of the others that it is coupled to.
        interface: usize,
        /// Numbers to be held.
        entries: f64,
    },
    /// `solve` was called without a successful `prepare`.
    NotPrepared,
    /// Stopped on request.
    Interrupted,
}

impl LinearError {
    /// Names the row of a whole matrix, of which these rows were solved.
    pub(super) fn of_rows(self, rows: &[u32]) -> LinearError {
        let of_whole = |row: usize| rows.get(row).map_or(row, |&row| row as usize);
        match self {
            LinearError::Singular { row: Some(row) } => LinearError::Singular { row: Some(of_whole(row)) },
            LinearError::NonFinite { row } => LinearError::NonFinite { row: of_whole(row) },
            other => other,
        }
    }
}

impl From<Interrupted> for LinearError {
    fn from(_: Interrupted) -> LinearError {
        LinearError::Interrupted
    }
}

impl fmt::Display for LinearError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            LinearError::Indefinite { negative: Some(n) } => write!(
                f,
                "the system matrix has {n} negative eigenvalues; use a smaller time step or the projected stiffness"
            ),
            LinearError::Indefinite { negative: None } => write!(
                f,
                "the system matrix is not positive definite; use a smaller time step, the projected stiffness or a \
                 direct solver that accepts indefinite matrices"
            ),
            LinearError::Singular { row: Some(row) } => {
                write!(
                    f,
                    "the system matrix is singular to working precision at node {row}; connect the node, or bring its \
                     stiffness and its mass over the step squared closer together (less stiffness, more mass, a \
                     smaller step)"
                )
            }
            LinearError::Singular { row: None } => write!(
                f,
                "the system matrix is singular to working precision; fix more nodes or use a smaller time step"
            ),
            LinearError::NotConverged { iterations, residual } => write!(
                f,
                "conjugate gradients stopped after {iterations} iterations at a relative residual of {residual:.1e}; \
                 allow more iterations, a looser tolerance or use the direct solver"
            ),
            LinearError::NotSymmetric { residual } => write!(
                f,
                "a system that should be nearly symmetric is not, which leaves a relative residual of {residual:.1e}; use \
                 mass = \"lumped\" or a smaller step"
            ),
            LinearError::NonFinite { row } => write!(
                f,
                "the system matrix or the right-hand side is not finite at node {row}; look for inverted or \
                 zero-volume elements there, or use a smaller time step"
            ),
            LinearError::Pattern { expected, found } => write!(
                f,
                "the solver was made for a pattern of {expected} block rows and got another one of {found}; \
                 make a new solver for this matrix"
            ),
            LinearError::TooLarge { entries } => write!(
                f,
                "no memory for a factor of {:.1} GB; use the iterative solver or a coarser mesh",
                8e-9 * entries
            ),
            LinearError::PartTooLarge { part, interface, entries } => write!(
                f,
                "region {} would take {:.1} GB, for {interface} nodes of the rest border on it; choose a region with a smaller \
                 border or a lower ratio, or a method without regions",
                part + 1,
                8e-9 * entries
            ),
            LinearError::Interrupted => write!(f, "interrupted"),
            LinearError::NotPrepared => write!(f, "the solver holds no factor; call prepare before solve"),
        }
    }
}

impl std::error::Error for LinearError {}
