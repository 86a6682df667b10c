//! Simple bound of a material's tangent, for methods that solve element by element.
//!
//! Newton's method on one element is stable if the stiffness it uses is above half of the true one in every direction.
//! Each solve then lowers the energy, however stiff the element is compared with its masses. A bound of the form
//!
//!   M : dF = shape dF + volume (cof F : dF) cof F
//!
//! costs one 3x3 inverse, where the tangent, a 9x9 matrix, would cost a factorisation.

use numerics::mat3::{Mat3, trace};
use numerics::real::Real;

/// Stress, and a bound of the tangent.
#[derive(Debug, Clone, Copy)]
pub struct Majorant<R> {
    /// P(F) [Pa].
    pub stress: Mat3<R>,
    /// cof F.
    pub cofactor: Mat3<R>,
    /// Modulus in every direction [Pa]; not negative.
    pub shape: R,
    /// Modulus along cof F, the change of volume [Pa]; not negative.
    pub volume: R,
}

/// Bounds the largest eigenvalue of a symmetric matrix: mean + sqrt 2 standard deviation of the three (Wolkowicz and
/// Styan 1980). Exact where the two smaller ones are equal, hence at rest.
#[inline(always)]
pub fn largest_eigenvalue<R: Real>(a: &Mat3<R>) -> R {
    let mean = trace(a) * R::splat(1.0 / 3.0);
    let [x, y, z] = [a[0][0] - mean, a[1][1] - mean, a[2][2] - mean];
    let off = a[0][1].mul_add(a[0][1], a[0][2].mul_add(a[0][2], a[1][2] * a[1][2]));
    let squares = x.mul_add(x, y.mul_add(y, z * z)) + off + off;
    mean + (squares * R::splat(2.0 / 3.0)).sqrt()
}

/// Returns the absolute value.
#[inline(always)]
pub fn size<R: Real>(x: R) -> R {
    R::splat(0.0).select_gt(x, -x, x)
}
