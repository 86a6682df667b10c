//! Tangent of an isotropic material in its principal directions, and its projection to positive semidefinite.
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
//! Here W_a = dW/ds_a. The quotients are 0/0 for equal stretches, so no material divides: each gives them in a closed
//! form in which the difference of the stretches has cancelled. Repeated stretches need no special case.

use numerics::mat3::Mat3;
use numerics::real::Real;
use numerics::spectral3::{Svd, compose_symmetric, eigen_symmetric};

use super::{Tangent, symmetric_tangent};

/// Moduli of an isotropic material in its principal directions [Pa].
#[derive(Debug, Clone, Copy)]
pub struct Principal<R> {
    /// W_ab, the Hessian of the density in the stretches.
    pub scaling: Mat3<R>,
    /// (W_a - W_b) / (s_a - s_b); entry c belongs to the two indices other than c.
    pub flip: [R; 3],
    /// (W_a + W_b) / (s_a + s_b); entry c belongs to the two indices other than c.
    pub twist: [R; 3],
}

impl<R: Real> Principal<R> {
    /// Extracts them from the tangent of an isotropic material, which does not mix the kinds of directions.
    #[inline(always)]
    pub fn of_tangent(tangent: &Tangent<R>, svd: &Svd<R>) -> Principal<R> {
        let dyad = |a: usize, b: usize| -> [R; 9] { std::array::from_fn(|m| svd.u[m / 3][a] * svd.v[m % 3][b]) };
        let dot = |a: &[R; 9], b: &[R; 9]| (0..9).fold(R::splat(0.0), |sum, m| a[m].mul_add(b[m], sum));
        let image = |d: &[R; 9]| -> [R; 9] { std::array::from_fn(|m| dot(&tangent[m], d)) };
        let stretch = [dyad(0, 0), dyad(1, 1), dyad(2, 2)];
        let images = [image(&stretch[0]), image(&stretch[1]), image(&stretch[2])];
        let (mut flip, mut twist) = ([R::splat(0.0); 3], [R::splat(0.0); 3]);
        for (c, (a, b)) in [(1, 2), (2, 0), (0, 1)].into_iter().enumerate() {
            let (ab, ba) = (dyad(a, b), dyad(b, a));
            let of_ab = image(&ab);
            let (same, swapped) = (dot(&ab, &of_ab), dot(&ba, &of_ab));
            (flip[c], twist[c]) = (same + swapped, same - swapped);
        }
        let scaling = std::array::from_fn(|a| std::array::from_fn(|b| dot(&stretch[a.min(b)], &images[a.max(b)])));
        Principal { scaling, flip, twist }
    }

    /// Computes them from the stretches s, the principal stresses W_a, the slopes d(s_a W_a) / d ln s_b, and the flips.
    /// Only the material can compute flips without dividing by zero.
    #[inline(always)]
    pub fn of_stresses(s: [R; 3], stress: [R; 3], slopes: &Mat3<R>, flip: [R; 3]) -> Principal<R> {
        let entry = |a: usize, b: usize| (slopes[a][b] / s[b] - if a == b { stress[a] } else { R::splat(0.0) }) / s[a];
        let sum = |of: &[R; 3], c: usize| of[(c + 1) % 3] + of[(c + 2) % 3];
        Principal {
            scaling: std::array::from_fn(|a| std::array::from_fn(|b| entry(a.min(b), a.max(b)))),
            flip,
            twist: std::array::from_fn(|c| sum(&stress, c) / sum(&s, c)),
        }
    }

    /// Sets negative eigenvalues to zero.
    #[inline(always)]
    pub fn clamped(self) -> Principal<R> {
        Principal {
            scaling: without_negative_part(&self.scaling),
            flip: self.flip.map(positive_part),
            twist: self.twist.map(positive_part),
        }
    }

    /// Computes dP/dF, as the sum over the nine directions u_a v_b^T of (direction) x (its image under the moduli).
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

/// Sets the negative eigenvalues of a symmetric matrix to zero.
///
/// Most elements are stable against scaling. The three pivots of a Cholesky factorisation show that for a tenth of the
/// cost of the eigenvectors, which are computed only when some lane needs them. The result of a lane depends on that
/// lane alone.
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

/// Returns x where x > 0, else 0. NaN stays NaN, so that an undefined stress is not mistaken for zero.
#[inline(always)]
fn positive_part<R: Real>(x: R) -> R {
    let zero = R::splat(0.0);
    zero.select_gt(x, zero, x)
}

/// Computes (a^n - b^n) / (a - b) of two positive numbers, from their logarithms; n a^(n - 1) where they are equal.
///
/// With x = ln a - ln b it is (ab)^((n - 1)/2) sinh(n x/2) / sinh(x/2): nothing cancels.
#[inline(always)]
pub fn power_quotient<R: Real>(ln_a: R, ln_b: R, n: f64) -> R {
    let (half, middle) = (R::splat(0.5) * (ln_a - ln_b), R::splat(0.5) * (ln_a + ln_b));
    let ratio = relative_sinh(R::splat(n) * half) / relative_sinh(half);
    R::splat(n) * (R::splat(n - 1.0) * middle).exp() * ratio
}

/// Computes sinh(y) / y.
#[inline(always)]
fn relative_sinh<R: Real>(y: R) -> R {
    let (one, square) = (R::splat(1.0), y * y);
    let near =
        (1..=8).rev().fold(one, |sum, k| (square * R::splat(1.0 / f64::from(2 * k * (2 * k + 1)))).mul_add(sum, one));
    let far = R::splat(0.5) * (y.exp() - (-y).exp()) / y;
    square.select_gt(one, far, near)
}
