//! Turned tangent: dP/dF without its action on rotations of the body.
//!
//! With the polar rotation R of F, the matrices R W, W skew, are the infinitesimal rotations of the deformed body. For
//! an isotropic material they are three eigendirections of dP/dF, with the eigenvalues tau_c = (p_a + p_b) / (s_a +
//! s_b) in principal stresses p and stretches s (the `twist` of `principal.rs`). These are zero at rest, and they are
//! the whole geometric stiffness: a stressed body resists rotation. A step that is linear in the displacement rotates a
//! body along a tangent, which stretches it. The stress of that false stretch resists the rotation, and a stiff body
//! locks. Without the three eigenvalues it does not lock:
//!
//!   A' = (I - Q Q^T) A (I - Q Q^T),      Q = the three R W of unit length
//!
//! For an anisotropic material the R W are not eigendirections, and A' also omits their coupling with strain.

use numerics::mat3::Mat3;
use numerics::real::Real;

use super::{Tangent, symmetric_tangent};

/// Removes from a tangent its action on rotations of a body, whose current rotation is `rotation`.
#[inline(always)]
pub fn without_twist<R: Real>(tangent: &Tangent<R>, rotation: &Mat3<R>) -> Tangent<R> {
    let (zero, half) = (R::splat(0.0), R::splat(0.5));
    let root = R::splat(std::f64::consts::FRAC_1_SQRT_2);
    // Column b of R W_c is column a of R, and column a is minus column b; a, b, c cyclic.
    let turns: [[R; 9]; 3] = std::array::from_fn(|c| {
        let (a, b) = ((c + 1) % 3, (c + 2) % 3);
        let mut turn = [zero; 9];
        for i in 0..3 {
            turn[3 * i + b] = root * rotation[i][a];
            turn[3 * i + a] = -(root * rotation[i][b]);
        }
        turn
    });
    let dot = |x: &[R; 9], y: &[R; 9]| (1..9).fold(x[0] * y[0], |sum, m| x[m].mul_add(y[m], sum));
    let images: [[R; 9]; 3] = std::array::from_fn(|c| std::array::from_fn(|m| dot(&tangent[m], &turns[c])));
    // Z = A Q - Q (Q^T A Q) / 2, so that A' = A - Q Z^T - Z Q^T.
    let halves: [[R; 9]; 3] = std::array::from_fn(|c| {
        let among: [R; 3] = std::array::from_fn(|d| half * dot(&turns[d], &images[c]));
        std::array::from_fn(|m| (0..3).fold(images[c][m], |sum, d| sum - among[d] * turns[d][m]))
    });
    symmetric_tangent(|i, j, k, l| {
        let (m, n) = (3 * i + j, 3 * k + l);
        (0..3).fold(tangent[m][n], |sum, c| sum - turns[c][m].mul_add(halves[c][n], halves[c][m] * turns[c][n]))
    })
}
