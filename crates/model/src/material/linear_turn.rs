//! Turn of an element in a step that was linear in the displacements, and the tangent without what it did.
//!
//! A linear step turns an element from F_- to F = F_- + dF along the tangent of its circle. With M = F F_-^-1 = S + W, S symmetric
//! and W = w^ S the spin, the element is stretched across w by sqrt(1 + |w|^2), |w| the tangent of the angle. The stress of this
//! stretch is false. Left in the tangent, it resists further turns (`twist.rs`), and of a nearly incompressible material its
//! pressure makes the rest of the tangent indefinite.
//!
//!   F' = F + a w^ w^ F / (s (s + 1)),   s = sqrt(1 + |w|^2)           F without the false stretch, for a = 1
//!   r(F) = P : (-w^ w^ F),   a = r(F) / (r(F) - r(F'))  within 0 and 1
//!
//! r is the resistance of the stress to the turn. It should not become negative: then there was no such step, as before the first
//! one, or the step itself has relaxed the stretch. The tangent is taken at F'. Its resistance to turns is that of true stress.
//! Strain up to |w|^2 / 2 is left out of it too: true tension of this size, as the centrifugal one of a stiff body, makes an
//! implicit step damp the turn as backward Euler does, and an explicit one does not.
//!
//! No part needs the law, or a polar decomposition: w solves (tr B - B) w = axial vector of dF G^T with B = sym(G F_-^T), where
//! G = F - w^ G is found by a second pass.

use super::twist::{strain, without_share};
use super::{Material, Tangent};
use crate::energy::false_share;
use numerics::mat3::{
    Mat3, Vec3, add, cofactor, contract, cross, dot, mat_add, mat_mul_t, mat_scale, mat_sub, mat_vec, norm, scale,
    trace, transpose,
};
use numerics::real::Real;

/// Square of the turn per step below which it counts as none [rad^2]. It stretches by half of that.
const LEAST: f64 = 1e-12;
/// Strain of true stress that is left out, over the square of the turn. With 0 a bar of 1e8 Pa that turns by 0.3 rad per step is
/// held fast by rounding and what earlier steps have left; with 1 siere loses accuracy on soft bodies (`docs/turning.md`).
const LEFT_OUT: f64 = 0.5;
/// Smallest determinant of tr B - B, over the cube of tr B: lines have no spin about themselves.
const LINE: f64 = 1e-6;

/// Turn of an element in a linear step.
pub(super) struct LinearTurn<R> {
    /// w, the axis times the tangent of the angle; zero below [`LEAST`].
    spin: Vec3<R>,
    /// |w|^2.
    pub square: R,
}

impl<R: Real> LinearTurn<R> {
    /// Finds the turn from the change of F in the step that ended at `f`.
    #[inline(always)]
    pub fn new(f: &Mat3<R>, df: &Mat3<R>) -> LinearTurn<R> {
        let before = mat_sub(f, df);
        let axial = axial(&mat_mul_t(df, &before));
        let first = turn_of(&mat_mul_t(&before, &before), axial);
        let straight = mat_sub(f, &turned(first, &before));
        let spin = turn_of(&mat_mul_t(&straight, &before), axial);
        let (square, zero) = (dot(spin, spin), R::splat(0.0));
        let least = R::splat(LEAST);
        LinearTurn {
            spin: spin.map(|w| square.select_gt(least, w, zero)),
            square: square.select_gt(least, square, zero),
        }
    }

    /// Returns true if no lane turned.
    #[inline(always)]
    pub fn is_none(&self) -> bool {
        (0..R::LANES).all(|lane| self.square.lane(lane) == 0.0)
    }

    /// Computes F': F without the stretch, as far as the stress of `law` shows it.
    #[inline(always)]
    pub fn straighten<M: Material<K>, const K: usize>(&self, law: &M, f: &Mat3<R>) -> Mat3<R> {
        let (zero, one) = (R::splat(0.0), R::splat(1.0));
        let root = (one + self.square).sqrt();
        let inward = turned(self.spin, &turned(self.spin, f));
        let back = mat_scale(one / (root * (root + one)), &inward);
        let resistance = |f: &Mat3<R>| -contract(&law.stress(f), &inward);
        let (now, later) = (resistance(f), resistance(&mat_add(f, &back)));
        let share = now.at_least(zero) / (now - later).at_least(R::splat(f64::MIN_POSITIVE));
        mat_add(f, &mat_scale(share.select_gt(one, one, share), &back))
    }

    /// Removes from the tangent at F' its action on turns, for strains up to half the square of the turn.
    #[inline(always)]
    pub fn release(&self, tangent: &Tangent<R>, f: &Mat3<R>) -> Tangent<R> {
        let rotation = rotation_of(f);
        let share = false_share(R::splat(LEFT_OUT) * self.square, strain(f, &rotation));
        without_share(tangent, &rotation, share)
    }
}

/// Returns the axial vector of A - A^T.
#[inline(always)]
fn axial<R: Real>(a: &Mat3<R>) -> Vec3<R> {
    [a[2][1] - a[1][2], a[0][2] - a[2][0], a[1][0] - a[0][1]]
}

/// Computes w^ A.
#[inline(always)]
fn turned<R: Real>(w: Vec3<R>, a: &Mat3<R>) -> Mat3<R> {
    transpose(&transpose(a).map(|column| cross(w, column)))
}

/// Solves (tr B - B) w = axial, with B the symmetric part of a matrix.
#[inline(always)]
fn turn_of<R: Real>(b: &Mat3<R>, axial: Vec3<R>) -> Vec3<R> {
    let (sum, half) = (trace(b), R::splat(0.5));
    let a: Mat3<R> = std::array::from_fn(|i| {
        std::array::from_fn(|j| if i == j { sum - b[i][i] } else { -(half * (b[i][j] + b[j][i])) })
    });
    let cofactor = cofactor(&a);
    let least = R::splat(LINE) * (sum * sum * sum).max(-(sum * sum * sum));
    let determinant = dot(a[0], cofactor[0]).at_least(least).at_least(R::splat(f64::MIN_POSITIVE));
    scale(R::splat(1.0) / determinant, mat_vec(&cofactor, axial))
}

/// Computes the rotation nearest to F, for small strains: an orthonormal frame of its columns, improved by two Newton steps. It is
/// a rotation for any F, and off by the fourth power of the strain.
#[inline(always)]
fn rotation_of<R: Real>(f: &Mat3<R>) -> Mat3<R> {
    let unit = |v: Vec3<R>| scale(R::splat(1.0) / norm(v).at_least(R::splat(1e-100)), v);
    let columns = transpose(f);
    let first = unit(columns[0]);
    let third = unit(cross(first, columns[1]));
    let mut rotation = transpose(&[first, cross(third, first), third]);
    for _ in 0..2 {
        let b = mat_mul_t(f, &rotation);
        // Half the turn, for Cayley's formula, which makes a rotation of any vector.
        let t = scale(R::splat(0.5), turn_of(&b, axial(&b)));
        let size = R::splat(2.0) / (R::splat(1.0) + dot(t, t));
        let turn = |column: Vec3<R>| add(column, scale(size, add(cross(t, column), cross(t, cross(t, column)))));
        rotation = transpose(&transpose(&rotation).map(turn));
    }
    rotation
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::StableNeoHookean;
    use numerics::mat3::{IDENTITY, mat_mul, rotation};
    use numerics::spectral3::polar;

    const STRETCH: Mat3 = [[1.1, 0.05, 0.0], [0.05, 1.02, -0.03], [0.0, -0.03, 1.05]];

    fn apart(a: &Mat3, b: &Mat3) -> f64 {
        mat_sub(a, b).as_flattened().iter().fold(0.0, |most, x| most.max(x.abs()))
    }

    #[test]
    fn the_rotation_is_the_polar_one() {
        for size in [0.0, 0.1, 1.0] {
            let stretch = mat_add(&IDENTITY, &mat_scale(size, &mat_sub(&STRETCH, &IDENTITY)));
            let f = mat_mul(&rotation([0.6, 0.0, 0.8], 2.0), &stretch);
            let off = apart(&rotation_of(&f), &polar(&f).0);
            assert!(off < 1e-14 + 1e-4 * size.powi(4), "{size}: {off:e}");
        }
        for f in [[[0.0; 3]; 3], [[1.0, 0.0, 0.0], [0.0; 3], [0.0; 3]], mat_scale(-1.0, &STRETCH)] {
            assert!(rotation_of(&f).as_flattened().iter().all(|r| r.is_finite() && r.abs() <= 1.0 + 1e-9));
        }
    }

    #[test]
    fn a_linear_turn_is_found_and_its_stretch_taken_back() {
        let law = StableNeoHookean::new(1e5, 0.4);
        let (axis, before) = ([0.0, 0.6, 0.8], mat_mul(&rotation([1.0, 0.0, 0.0], 0.4), &STRETCH));
        for angle in [0.01, 0.1, 0.5_f64] {
            let f = mat_add(&before, &turned(scale(angle.tan(), axis), &before));
            let turn = LinearTurn::new(&f, &mat_sub(&f, &before));
            assert!((turn.square.sqrt() / angle.tan() - 1.0).abs() < 1e-12, "{angle}: {}", turn.square);
            // What is left is the rotation of what was there before.
            let truth = mat_mul(&rotation(axis, angle), &before);
            let share = apart(&turn.straighten(&law, &f), &truth) / apart(&f, &truth);
            println!("{angle} rad: {share:e} of the false stretch is left");
            assert!(share < 1e-9, "{angle}: {share:e}");
        }
        // Nothing has been stretched before the first step.
        let turn = LinearTurn::new(&IDENTITY, &turned([0.0, 0.1, 0.0], &IDENTITY));
        assert_eq!(turn.straighten(&law, &IDENTITY), IDENTITY);
    }
}
