//! Materials given by the invariants of F: stress and tangent from the derivatives of W(I1, I2, J).
//!
//! I1 = tr C, I2 = (I1^2 - tr C^2)/2 and J = det F with C = F^T F.
//! Their derivatives with respect to F are 2 F, 2 (I1 F - F C) and cof F.

use super::{Tangent, symmetric_tangent};
use numerics::mat3::{self, Mat3};
use numerics::real::Real;

/// Invariants of a deformation gradient, and their gradients.
pub struct Invariants<R> {
    /// tr C.
    pub i1: R,
    /// (I1^2 - tr C^2)/2.
    pub i2: R,
    /// det F.
    pub j: R,
    f: Mat3<R>,
    /// F^T F and F F^T.
    products: [Mat3<R>; 2],
    /// dI1/dF, dI2/dF, dJ/dF.
    gradients: [Mat3<R>; 3],
}

impl<R: Real> Invariants<R> {
    /// Computes the invariants of F.
    #[inline(always)]
    pub fn new(f: &Mat3<R>) -> Invariants<R> {
        let (c, two) = (mat3::mat_t_mul(f, f), R::splat(2.0));
        let (i1, cofactor, fc) = (mat3::trace(&c), mat3::cofactor(f), mat3::mat_mul(f, &c));
        let second = std::array::from_fn(|i| std::array::from_fn(|j| two * i1.mul_add(f[i][j], -fc[i][j])));
        Invariants {
            i1,
            i2: mat3::contract(&cofactor, &cofactor),
            j: mat3::dot(f[0], cofactor[0]),
            f: *f,
            products: [c, mat3::mat_mul_t(f, f)],
            gradients: [mat3::mat_scale(two, f), second, cofactor],
        }
    }

    /// Computes P from the derivatives of W with respect to I1, I2 and J.
    #[inline(always)]
    pub fn stress(&self, first: [R; 3]) -> Mat3<R> {
        let [a, b, c] = &self.gradients;
        let entry = |i: usize, j: usize| first[0].mul_add(a[i][j], first[1].mul_add(b[i][j], first[2] * c[i][j]));
        std::array::from_fn(|i| std::array::from_fn(|j| entry(i, j)))
    }

    /// Computes dP/dF from the first and second derivatives of W with respect to I1, I2 and J.
    #[inline(always)]
    pub fn tangent(&self, first: [R; 3], second: [[R; 3]; 3]) -> Tangent<R> {
        let Invariants { i1, f, products: [c, b], gradients, .. } = self;
        let two = R::splat(2.0);
        let images = second.map(|row| self.stress(row));
        let [of_i1, of_i2, of_j] = [two * first[0], two * first[1], first[2]];
        symmetric_tangent(|i, j, k, l| {
            let mut t = (0..3).fold(R::splat(0.0), |sum, a| gradients[a][i][j].mul_add(images[a][k][l], sum));
            // d2I2 = 2 (2 F_ij F_kl - F_il F_kj + I1 d_ik d_jl - d_ik C_jl - B_ik d_jl)
            let mut bent = two * f[i][j] * f[k][l] - f[i][l] * f[k][j];
            if i == k {
                bent -= c[j][l];
            }
            if j == l {
                bent -= b[i][k];
            }
            if i == k && j == l {
                bent += *i1;
                t += of_i1;
            }
            t = of_i2.mul_add(bent, t);
            if i == k || j == l {
                return t;
            }
            // d2J is the entry of F in the third row and column, positive for equal cyclic steps.
            let third = of_j * f[3 - i - k][3 - j - l];
            if (k + 3 - i) % 3 == (l + 3 - j) % 3 { t + third } else { t - third }
        })
    }
}
