//! An energy from outside the crate.

use model::energy::{Energy, MAX_BLOCKS, Row, Stiffness};
use model::mesh::Mesh;
use numerics::mat3::{Mat3, Vec3, add, dot, identity, mat_add, mat_scale, mat_sub, outer, scale};
use numerics::real::Real;

/// Energy that keeps the kink of three nodes as sharp as at rest: U = k/2 (|w|^2 - w0^2)^2, w = x0 - 2 x1 + x2. The
/// rest state is w0^2 [m^2] and k [N/m^3].
#[derive(Clone)]
pub struct Kink;

const WEIGHTS: [f64; 3] = [1.0, -2.0, 1.0];

impl Kink {
    /// Returns the kink between three nodes of a mesh, with its rest state.
    pub fn between(nodes: [u32; 3], mesh: &Mesh) -> ([u32; 3], [f64; 2]) {
        let w = kink(&nodes.map(|i| mesh.points[i as usize]));
        (nodes, [dot(w, w), 40.0])
    }
}

fn kink<R: Real>(x: &[Vec3<R>; 3]) -> Vec3<R> {
    add(x[0], add(scale(R::splat(-2.0), x[1]), x[2]))
}

impl Energy<3, 2, 1> for Kink {
    fn value<R: Real>(&self, rest: &[R; 2], x: &[Vec3<R>; 3]) -> R {
        let excess = dot(kink(x), kink(x)) - rest[0];
        R::splat(0.5) * rest[1] * excess * excess
    }

    fn gradient<R: Real>(&self, rest: &[R; 2], x: &[Vec3<R>; 3]) -> [Vec3<R>; 3] {
        let w = kink(x);
        let pull = scale(R::splat(2.0) * rest[1] * (dot(w, w) - rest[0]), w);
        WEIGHTS.map(|weight| scale(R::splat(weight), pull))
    }

    fn hessian<R: Real>(&self, kind: Stiffness, rest: &[R; 2], x: &[Vec3<R>; 3]) -> [Mat3<R>; MAX_BLOCKS] {
        let (w, zero) = (kink(x), R::splat(0.0));
        let squared = dot(w, w);
        let (direction, k) = (mat_scale(R::splat(1.0) / squared, &outer(w, w)), rest[1]);
        let [across, along] = [R::splat(2.0) * k * (squared - rest[0]), R::splat(4.0) * k * squared];
        let [across, along] = match kind {
            Stiffness::Exact | Stiffness::Auto => [across, across + along],
            Stiffness::Projected => [across.at_least(zero), (across + along).at_least(zero)],
            Stiffness::Turned | Stiffness::Predicted => [zero, across + along],
            Stiffness::Corotated => [zero, R::splat(4.0) * k * rest[0]],
        };
        let h = mat_add(&mat_scale(along, &direction), &mat_scale(across, &mat_sub(&identity(), &direction)));
        let mut blocks = [[[zero; 3]; 3]; MAX_BLOCKS];
        for (a, b) in (0..3).flat_map(|a| (0..=a).map(move |b| (a, b))) {
            blocks[a * (a + 1) / 2 + b] = mat_scale(R::splat(WEIGHTS[a] * WEIGHTS[b]), &h);
        }
        blocks
    }

    fn rows<R: Real>(&self, rest: &[R; 2], x: &[Vec3<R>; 3]) -> [Row<R, 3>; 1] {
        let w = kink(x);
        let gradient = WEIGHTS.map(|weight| scale(R::splat(2.0 * weight), w));
        [Row { c: dot(w, w) - rest[0], gradient, k: rest[1] }]
    }

    fn is_admissible(&self, _: &[f64; 2], x: &[Vec3; 3]) -> bool {
        kink(x) != [0.0; 3]
    }
}
