//! An element as constraints, U = const + sum 1/2 k C^2, whose rows are solved together.
//!
//! The change of the multipliers follows from (Macklin, Storey, Lu, Terdiman, Mueller 2019, eq. 4, 5, 8)
//!
//!   ((1 + gamma) G W G^T + a) dlambda = -C - a lambda - gamma G u,   a = 1 / (k dt^2),   gamma = beta / dt
//!
//! with u the displacement of the nodes in this substep. gamma is a b / dt with b = dt^2 beta k: the damping beta K of
//! the rows. Multiplied by s = 1/a = k dt^2 there is no division by k, and pivots are never below one:
//!
//!   (I + (1 + gamma) s G W G^T) dlambda = -s C - lambda - gamma s G u.
//!
//! A row with k <= 0 (no stiffness, or a negative lambda) enters with its force only, lambda = -s C, without the
//! matrix. A row without a gradient, or whose nodes all have prescribed motion, moves nothing.

use super::relaxation::{Block, Surroundings};
use super::{Energy, Row};
use numerics::mat3::{Vec3, add, dot, scale};
use numerics::real::Real;

/// An energy solved by its rows.
pub struct ByRows<E>(pub E);

impl<E: Energy<N, D, K>, const N: usize, const D: usize, const K: usize> Block<N, D, K> for ByRows<E> {
    #[inline(always)]
    fn relax<R: Real>(
        &self,
        rest: &[R; D],
        x: &[Vec3<R>; N],
        surroundings: &Surroundings<R, N>,
        lambda: &mut [R; K],
    ) -> [Vec3<R>; N] {
        let rows = self.0.rows(rest, x);
        let delta = solve(&rows, surroundings, lambda);
        *lambda = std::array::from_fn(|r| lambda[r] + delta[r]);
        push(&rows, &delta)
    }
}

/// Computes the change of the multipliers of a block.
#[inline(always)]
fn solve<R: Real, const N: usize, const K: usize>(
    rows: &[Row<R, N>; K],
    surroundings: &Surroundings<R, N>,
    lambda: &[R; K],
) -> [R; K] {
    let &Surroundings { w, moved: shift, dt2, gamma } = surroundings;
    let (zero, one) = (R::splat(0.0), R::splat(1.0));
    let mut matrix = [[zero; K]; K];
    let mut delta = [zero; K];
    for r in 0..K {
        let s = rows[r].k * R::splat(dt2);
        let within = s.max(zero);
        delta[r] = -(s.mul_add(rows[r].c, lambda[r]));
        if gamma != 0.0 {
            let moved = (0..N).fold(zero, |sum, a| sum + dot(rows[r].gradient[a], shift[a]));
            delta[r] -= R::splat(gamma) * within * moved;
        }
        for a in 0..N {
            let wg = scale(w[a], rows[r].gradient[a]);
            for q in 0..K {
                matrix[r][q] += dot(wg, rows[q].gradient[a]);
            }
        }
        let factor = R::splat(1.0 + gamma) * within;
        for q in 0..K {
            matrix[r][q] = factor.mul_add(matrix[r][q], if q == r { one } else { zero });
        }
    }
    // Elimination without pivoting: the matrix is similar to the identity plus a positive semidefinite matrix.
    for p in 0..K {
        let inverse = one / matrix[p][p];
        for r in p + 1..K {
            let factor = matrix[r][p] * inverse;
            for q in p + 1..K {
                matrix[r][q] -= factor * matrix[p][q];
            }
            let change = factor * delta[p];
            delta[r] -= change;
        }
        matrix[p][p] = inverse;
    }
    for p in (0..K).rev() {
        for q in p + 1..K {
            let change = matrix[p][q] * delta[q];
            delta[p] -= change;
        }
        delta[p] *= matrix[p][p];
    }
    delta
}

/// Computes sum_r g_r lambda_r for each node.
#[inline(always)]
fn push<R: Real, const N: usize, const K: usize>(rows: &[Row<R, N>; K], lambda: &[R; K]) -> [Vec3<R>; N] {
    std::array::from_fn(|a| {
        (1..K).fold(scale(lambda[0], rows[0].gradient[a]), |sum, r| add(sum, scale(lambda[r], rows[r].gradient[a])))
    })
}
