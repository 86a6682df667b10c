//! Shear of a four-sided face, blind to its stretch: the side faces of a fibre.
//!
//! A face has bottom nodes b1, b2 and top nodes t1, t2. With its mean axis and its mean side
//!
//!   A = (t1 + t2 - b1 - b2) / 2,   B = (t2 - t1 + b2 - b1) / 2,
//!
//! the energy is U = 1/2 kappa (C - C0)^2 with C = A . B [m^2]. 4 C is the difference of the squared diagonals. A
//! spring along a diagonal would also resist stretch, and for a slender face more strongly than all else.
//!
//! Nodes are in the order b1, b2, t1, t2. C is a quadratic form: with the weights alpha of A and beta of B,
//!
//!   dC/dx_i = alpha_i B + beta_i A,   d2C/dx_i dx_j = (alpha_i beta_j + alpha_j beta_i) I.

use super::{Energy, MAX_BLOCKS, Row, Stiffness};
use numerics::mat3::{Mat3, Vec3, add, dot, identity, mat_add, mat_scale, norm, outer, scale};
use numerics::real::Real;

/// Shear of faces. The rest state is kappa [N/m^3], C at rest [m^2], and the lengths of A and B at rest [m].
#[derive(Debug, Clone, Copy, Default)]
pub struct FaceShear;

/// Numbers of rest state per face.
pub const REST: usize = 4;

/// Weights of the nodes in the mean axis A and in the mean side B.
const AXIS: [f64; 4] = [-0.5, -0.5, 0.5, 0.5];
const SIDE: [f64; 4] = [-0.5, 0.5, -0.5, 0.5];

impl FaceShear {
    /// Returns the rest state of a face with these corners [m] and stiffness kappa [N/m^3].
    pub fn at_rest(kappa: f64, corners: &[Vec3; 4]) -> [f64; REST] {
        let [axis, side] = means(corners);
        [kappa, dot(axis, side), norm(axis), norm(side)]
    }
}

/// Computes the mean axis and the mean side.
#[inline(always)]
fn means<R: Real>(x: &[Vec3<R>; 4]) -> [Vec3<R>; 2] {
    [AXIS, SIDE].map(|weights| (0..4).fold([R::splat(0.0); 3], |sum, i| add(sum, scale(R::splat(weights[i]), x[i]))))
}

/// Computes dC/dx of each node.
#[inline(always)]
fn slope<R: Real>([axis, side]: [Vec3<R>; 2]) -> [Vec3<R>; 4] {
    std::array::from_fn(|i| add(scale(R::splat(AXIS[i]), side), scale(R::splat(SIDE[i]), axis)))
}

/// Scales a vector to a length; a vector of length 0 stays as it is.
#[inline(always)]
fn with_length<R: Real>(v: Vec3<R>, length: R) -> Vec3<R> {
    scale(length / norm(v).at_least(R::splat(f64::MIN_POSITIVE)), v)
}

/// Computes the Hessian from kappa, dC/dx and the pull kappa (C - C0).
#[inline(always)]
fn blocks<R: Real>(kappa: R, along: &[Vec3<R>; 4], pull: R) -> [Mat3<R>; MAX_BLOCKS] {
    let mut blocks = [[[R::splat(0.0); 3]; 3]; MAX_BLOCKS];
    for a in 0..4 {
        for b in 0..=a {
            let curvature = AXIS[a] * SIDE[b] + AXIS[b] * SIDE[a];
            let straight = mat_scale(kappa, &outer(along[a], along[b]));
            blocks[a * (a + 1) / 2 + b] = mat_add(&straight, &mat_scale(R::splat(curvature) * pull, &identity()));
        }
    }
    blocks
}

impl Energy<4, REST, 1> for FaceShear {
    #[inline(always)]
    fn value<R: Real>(&self, rest: &[R; REST], x: &[Vec3<R>; 4]) -> R {
        let [axis, side] = means(x);
        let c = dot(axis, side) - rest[1];
        R::splat(0.5) * rest[0] * c * c
    }

    #[inline(always)]
    fn gradient<R: Real>(&self, rest: &[R; REST], x: &[Vec3<R>; 4]) -> [Vec3<R>; 4] {
        let [axis, side] = means(x);
        let pull = rest[0] * (dot(axis, side) - rest[1]);
        slope([axis, side]).map(|along| scale(pull, along))
    }

    #[inline(always)]
    fn hessian<R: Real>(&self, kind: Stiffness, rest: &[R; REST], x: &[Vec3<R>; 4]) -> [Mat3<R>; MAX_BLOCKS] {
        let [axis, side] = means(x);
        let zero = R::splat(0.0);
        // The second derivative of C has eigenvalues of both signs, and its share is the stress: only the exact
        // stiffness has it. Without it the stiffness is positive semidefinite and a face turns freely.
        let (along, pull) = match kind {
            Stiffness::Exact | Stiffness::Auto => (slope([axis, side]), rest[0] * (dot(axis, side) - rest[1])),
            Stiffness::Projected | Stiffness::Turned | Stiffness::Predicted => (slope([axis, side]), zero),
            Stiffness::Corotated => (slope([with_length(axis, rest[2]), with_length(side, rest[3])]), zero),
        };
        blocks(rest[0], &along, pull)
    }

    #[inline(always)]
    fn hessian_predicted<R: Real>(
        &self,
        rest: &[R; REST],
        x: &[Vec3<R>; 4],
        way: &[Vec3<R>; 4],
    ) -> [Mat3<R>; MAX_BLOCKS] {
        let ([axis, side], [axis_way, side_way]) = (means(x), means(way));
        // C is quadratic: along the way it grew linearly but for the product of the changes.
        let c = dot(axis, side) - dot(axis_way, side_way) - rest[1];
        blocks(rest[0], &slope([axis, side]), rest[0] * c)
    }

    fn is_self_stressed(&self) -> bool {
        true
    }

    #[inline(always)]
    fn rows<R: Real>(&self, rest: &[R; REST], x: &[Vec3<R>; 4]) -> [Row<R, 4>; 1] {
        let [axis, side] = means(x);
        [Row { c: dot(axis, side) - rest[1], gradient: slope([axis, side]), k: rest[0] }]
    }
}
