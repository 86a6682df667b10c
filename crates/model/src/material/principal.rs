//! The tangent of an isotropic material in its principal directions, and its projection to positive semidefinite.
//!
//! With F = U diag(s) V^T and W = W(s_0, s_1, s_2), dP/dF has nine eigendirections u_a v_b^T combined
//! (Smith, de Goes and Kim 2019):
//!
//! | directions | how many | eigenvalue |
//! |---|---|---|
//! | scaling, u_a v_a^T | 3 | those of the Hessian W_ab in the stretches |
//! | flip, (u_a v_b^T + u_b v_a^T) / sqrt 2 | 3 | (W_a - W_b) / (s_a - s_b) |
//! | twist, (u_a v_b^T - u_b v_a^T) / sqrt 2 | 3 | (W_a + W_b) / (s_a + s_b) |
//!
//! Here W_a = dW/ds_a. The quotients are 0/0 for equal stretches, so no material divides: each gives them in closed
//! form, in which the difference of the stretches has cancelled, and repeated stretches need no special case.

use numerics::mat3::Mat3;
use numerics::real::Real;
use numerics::spectral3::{Svd, compose_symmetric, eigen_symmetric};

use super::{Tangent, symmetric_tangent};

/// The moduli of an isotropic material in its principal directions [Pa].
#[derive(Debug, Clone, Copy)]
pub struct Principal<R> {
    /// W_ab, the Hessian of the density in the stretches.
    pub scaling: Mat3<R>,
    /// (W_a - W_b) / (s_a - s_b); entry c is that of the two that are not c.
    pub flip: [R; 3],
    /// (W_a + W_b) / (s_a + s_b); entry c is that of the two that are not c.
    pub twist: [R; 3],
}

impl<R: Real> Principal<R> {
    /// Negative eigenvalues set to zero.
    #[inline(always)]
    pub fn clamped(self) -> Principal<R> {
        Principal {
            scaling: without_negative_part(&self.scaling),
            flip: self.flip.map(positive_part),
            twist: self.twist.map(positive_part),
        }
    }

    /// dP/dF, as the sum over the nine u_a v_b^T of (direction) x (what the moduli make of it).
    ///
    /// Flip and twist act on the entries ab and ba together, as the matrix with (flip + twist)/2 on its diagonal and
    /// (flip - twist)/2 off it.
    #[inline(always)]
    pub fn tangent(&self, svd: &Svd<R>) -> Tangent<R> {
        let half = R::splat(0.5);
        let dyad = |a: usize, b: usize| -> [R; 9] { std::array::from_fn(|m| svd.u[m / 3][a] * svd.v[m % 3][b]) };
        let mut directions = [[R::splat(0.0); 9]; 9];
        let mut images = [[R::splat(0.0); 9]; 9];
        let stretch = [dyad(0, 0), dyad(1, 1), dyad(2, 2)];
        for a in 0..3 {
            directions[a] = stretch[a];
            images[a] = std::array::from_fn(|m| {
                self.scaling[a][0].mul_add(
                    stretch[0][m],
                    self.scaling[a][1].mul_add(stretch[1][m], self.scaling[a][2] * stretch[2][m]),
                )
            });
        }
        for (c, (a, b)) in [(1, 2), (2, 0), (0, 1)].into_iter().enumerate() {
            let same = half * (self.flip[c] + self.twist[c]);
            let swapped = half * (self.flip[c] - self.twist[c]);
            let (ab, ba) = (dyad(a, b), dyad(b, a));
            directions[3 + c] = ab;
            images[3 + c] = std::array::from_fn(|m| same.mul_add(ab[m], swapped * ba[m]));
            directions[6 + c] = ba;
            images[6 + c] = std::array::from_fn(|m| same.mul_add(ba[m], swapped * ab[m]));
        }
        symmetric_tangent(|i, j, k, l| {
            let (m, n) = (3 * i + j, 3 * k + l);
            (1..9).fold(directions[0][m] * images[0][n], |sum, d| directions[d][m].mul_add(images[d][n], sum))
        })
    }
}

/// A symmetric matrix with its negative eigenvalues set to zero.
///
/// Most elements are stable against scaling, and the three pivots of a Cholesky factorisation show that for a tenth of
/// the cost of the eigenvectors; those are computed only when some lane asks. A lane's result depends on itself alone.
#[inline(always)]
fn without_negative_part<R: Real>(a: &Mat3<R>) -> Mat3<R> {
    let (zero, one) = (R::splat(0.0), R::splat(1.0));
    let first = one / a[0][0];
    let second = a[1][1] - a[0][1] * a[0][1] * first;
    let rest = a[1][2] - a[0][1] * a[0][2] * first;
    let third = a[2][2] - a[0][2] * a[0][2] * first - rest * rest / second;
    let and = |pivot: R, others: R| pivot.select_gt(zero, others, zero);
    let positive = and(a[0][0], and(second, and(third, one)));
    if (0..R::LANES).all(|lane| positive.lane(lane) > 0.0) {
        return *a;
    }
    let (values, vectors) = eigen_symmetric(a);
    let projected = compose_symmetric(values.map(positive_part), &vectors);
    std::array::from_fn(|i| std::array::from_fn(|j| positive.select_gt(zero, a[i][j], projected[i][j])))
}

/// x where x > 0, else 0; NaN stays NaN, so that an undefined stress is not mistaken for none.
#[inline(always)]
fn positive_part<R: Real>(x: R) -> R {
    let zero = R::splat(0.0);
    zero.select_gt(x, zero, x)
}
