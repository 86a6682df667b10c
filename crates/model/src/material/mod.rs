//! Hyperelastic materials: an energy density of the deformation gradient F and its derivatives.
//!
//! Young's modulus E and Poisson's ratio nu mean the same in every material: at rest the tangent is
//! Hooke's law (for ARAP that of lambda = 0). The contract tests walk [`MATERIALS`].

use numerics::mat3::Mat3;
use numerics::real::Real;

/// dP/dF: entry `[3 i + j][3 k + l]` is dP_ij / dF_kl [Pa]. Symmetric.
pub type Tangent<R = f64> = [[R; 9]; 9];

/// One term of an energy density written as a constraint: W = const + sum 1/2 k C^2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row {
    /// The constraint C(F), dimensionless.
    pub c: f64,
    /// dC/dF, so that sum k C dC/dF = P.
    pub gradient: Mat3,
    /// Its stiffness k [Pa].
    pub k: f64,
}

/// A hyperelastic material. A new one is one file and one row of [`MATERIALS`].
pub trait Material: Copy + Send + Sync + 'static {
    /// Energy density W(F) [J/m^3], zero at rest.
    fn density<R: Real>(&self, f: &Mat3<R>) -> R;
    /// First Piola-Kirchhoff stress P = dW/dF [Pa].
    fn stress<R: Real>(&self, f: &Mat3<R>) -> Mat3<R>;
    /// dP/dF [Pa].
    fn tangent<R: Real>(&self, f: &Mat3<R>) -> Tangent<R>;
    /// dP/dF with its negative eigenvalues set to zero [Pa].
    fn tangent_psd<R: Real>(&self, f: &Mat3<R>) -> Tangent<R>;
    /// The density as a sum of squares; at most [`MAX_ROWS`] rows are appended to `rows`.
    fn rows(&self, f: &Mat3, rows: &mut Vec<Row>);
}

/// No material has more rows an element than this.
pub const MAX_ROWS: usize = 8;
