//! Blocks of constraints that solve a tet for its stress.
//!
//! The multiplier is a matrix A, in the end -dt^2 V P(F). Node a is pushed by A g_a, with g_a the gradient of its shape
//! function, which changes F by A Q, Q = sum w_a g_a g_a^T. With a bound M of the tangent (`material::Majorant`), the
//! damping gamma = beta / dt and U the change of F in this substep, a step of Newton's method is
//!
//!   dA + (1 + gamma) dt^2 V M : (dA Q) = -dt^2 V (P + gamma M : U) - A.
//!
//! M is a multiple of the identity plus one dyad, so this is a 3x3 matrix applied from the right and a Sherman-Morrison
//! correction, without a division by less than one.

use super::solid::{REST, deformation, inverse_of, spread};
use super::{Majorant, Material};
use crate::energy::relaxation::{Block, Surroundings};
use numerics::mat3::{IDENTITY, Mat3, Vec3, cofactor, contract, dot, mat_mul, mat_scale};
use numerics::real::Real;

/// Tets of a material with a majorant; its `K` rows are not used here.
pub struct ByStress<M, const K: usize>(pub M);

/// Computes M : dF.
#[inline(always)]
pub fn bound_times<R: Real>(bound: &Majorant<R>, change: &Mat3<R>) -> Mat3<R> {
    let volume = bound.volume * contract(&bound.cofactor, change);
    plus(&mat_scale(bound.shape, change), volume, &bound.cofactor)
}

/// Computes A + b B.
#[inline(always)]
fn plus<R: Real>(a: &Mat3<R>, b: R, other: &Mat3<R>) -> Mat3<R> {
    std::array::from_fn(|i| std::array::from_fn(|j| b.mul_add(other[i][j], a[i][j])))
}

/// Computes Q = sum w_a g_a g_a^T, with g_0 = -g_1 - g_2 - g_3.
#[inline(always)]
fn mobility<R: Real>(rest: &[R; REST], w: &[R; 4]) -> Mat3<R> {
    let g = inverse_of(rest);
    let first: Vec3<R> = std::array::from_fn(|i| g[0][i] + g[1][i] + g[2][i]);
    let entry = |i: usize, j: usize| {
        let others = (0..3).fold(R::splat(0.0), |sum, a| (w[a + 1] * g[a][i]).mul_add(g[a][j], sum));
        (w[0] * first[i]).mul_add(first[j], others)
    };
    symmetric(entry)
}

/// Builds a symmetric matrix from its entries, each computed once.
#[inline(always)]
fn symmetric<R: Real>(entry: impl Fn(usize, usize) -> R) -> Mat3<R> {
    let [xx, xy, xz, yy, yz, zz] = [entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)];
    [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]
}

/// Computes the change of A.
#[inline(always)]
fn solve<R: Real>(bound: &Majorant<R>, q: &Mat3<R>, scaled: R, right: &Mat3<R>) -> Mat3<R> {
    let (one, shape) = (R::splat(1.0), scaled * bound.shape);
    let matrix = symmetric(|i, j| shape.mul_add(q[i][j], if i == j { one } else { R::splat(0.0) }));
    let minors = cofactor(&matrix);
    let inverse = mat_scale(one / dot(matrix[0], minors[0]), &minors);
    let (alone, along, moved) =
        (mat_mul(right, &inverse), mat_mul(&bound.cofactor, &inverse), mat_mul(&bound.cofactor, q));
    let volume = scaled * bound.volume;
    let change = contract(&moved, &alone) / volume.mul_add(contract(&moved, &along), one);
    plus(&alone, -(volume * change), &along)
}

impl<M: Material<K>, const K: usize> Block<4, REST, 9> for ByStress<M, K> {
    fn is_defined_everywhere(&self) -> bool {
        self.0.density(&mat_scale(-1.0, &IDENTITY)).is_finite()
    }

    #[inline(always)]
    fn relax<R: Real>(
        &self,
        rest: &[R; REST],
        x: &[Vec3<R>; 4],
        surroundings: &Surroundings<R, 4>,
        lambda: &mut [R; 9],
    ) -> [Vec3<R>; 4] {
        let &Surroundings { w, moved, dt2, gamma } = surroundings;
        let Some(bound) = self.0.majorant(&deformation(rest, x)) else {
            return [[R::splat(0.0); 3]; 4];
        };
        let scale = R::splat(dt2) * rest[9];
        let mut stress = bound.stress;
        if gamma != 0.0 {
            stress = plus(&stress, R::splat(gamma), &bound_times(&bound, &deformation(rest, &moved)));
        }
        let right = std::array::from_fn(|i| std::array::from_fn(|j| -(scale.mul_add(stress[i][j], lambda[3 * i + j]))));
        let change = solve(&bound, &mobility(rest, &w), R::splat(1.0 + gamma) * scale, &right);
        *lambda = std::array::from_fn(|ij| lambda[ij] + change[ij / 3][ij % 3]);
        spread(&change, rest)
    }
}
