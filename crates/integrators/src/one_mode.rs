//! Response of one undamped mode to a step: a fact in every row of the table of methods.

use crate::options::Options;
use faer::Mat;

/// Response of one undamped mode to a step, a fact of every method.
#[derive(Debug, Clone, Copy)]
pub struct OneMode {
    /// Number of roots of the recursion x_(n + roots) = sum_k c_k x_(n + k) of its positions.
    pub roots: fn(&Options) -> usize,
    /// Spectral radius of the step at h omega.
    pub radius: fn(&Options, f64) -> f64,
}

/// Two roots: position and velocity, and no other memory.
pub(crate) const TWO: fn(&Options) -> usize = |_| 2;

/// No damping: for methods that conserve energy, and for exact ones.
pub(crate) const UNDAMPED: OneMode = OneMode { roots: TWO, radius: |_, _| 1.0 };

/// For backward Euler, linearised or not: both are the same on a linear problem.
pub(crate) const IMPLICIT_EULER: OneMode = OneMode { roots: TWO, radius: |_, z| 1.0 / z.hypot(1.0) };

/// Returns the largest modulus of an eigenvalue; NaN if they cannot be found.
pub(crate) fn radius(amplification: &[[f64; 3]; 3]) -> f64 {
    spectral_radius(&Mat::from_fn(3, 3, |i, j| amplification[i][j])).unwrap_or(f64::NAN)
}

/// Returns the largest modulus of an eigenvalue; `None` if they cannot be found.
pub(crate) fn spectral_radius(matrix: &Mat<f64>) -> Option<f64> {
    let roots = matrix.eigenvalues().ok()?;
    Some(roots.iter().map(|root| root.re.hypot(root.im)).fold(0.0, f64::max))
}
