//! Penalty contact of nodes with fixed obstacles: U = 1/2 k d^2 for a node at depth d inside.

use super::{ElementKind, Energy, Group, MAX_BLOCKS, Row, Stiffness};
use crate::parameter::{Kind, Parameter, Variant};
use numerics::mat3::{Mat3, Vec3, add, dot, identity, mat_add, mat_scale, mat_sub, norm, outer, scale, sub};
use numerics::real::Real;

/// Obstacle of penalty contact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Obstacle {
    /// Half space below a point of its surface, given by a unit normal.
    Plane {
        /// Point of the surface [m].
        point: Vec3,
        /// Unit normal, towards the allowed side.
        normal: Vec3,
    },
    /// A ball.
    Ball {
        /// Centre [m].
        center: Vec3,
        /// Radius [m].
        radius: f64,
    },
}

impl Obstacle {
    /// Computes the distance from the surface [m], negative inside, its gradient, and its curvature across the gradient
    /// [1/m].
    #[inline(always)]
    pub fn distance<R: Real>(&self, x: Vec3<R>) -> (R, Vec3<R>, R) {
        match self {
            Obstacle::Plane { point, normal } => {
                let normal = normal.map(R::splat);
                (dot(sub(x, point.map(R::splat)), normal), normal, R::splat(0.0))
            }
            Obstacle::Ball { center, radius } => {
                let out = sub(x, center.map(R::splat));
                let r = norm(out).at_least(R::splat(1e-9 * radius));
                (r - R::splat(*radius), out.map(|c| c / r), R::splat(1.0) / r)
            }
        }
    }
}

/// Contact by an energy.
pub const PENALTY: Variant = Variant {
    name: "penalty",
    doc: "a spring that pushes nodes out",
    parameters: &[Parameter::required("stiffness", Kind::POSITIVE, "N/m", "stiffness of the spring at each node")],
};

/// Contact by a correction after each step.
pub const PROJECTION: Variant = Variant {
    name: "projection",
    doc: "nodes inside a ball are moved to its surface after each step",
    parameters: &[],
};

/// Nodes that a penalty keeps out of an obstacle.
#[derive(Debug, Clone, PartialEq)]
pub struct Penalty {
    /// Obstacle.
    pub obstacle: Obstacle,
    /// Free nodes, with their stiffness [N/m].
    pub nodes: Vec<(u32, f64)>,
}

impl Obstacle {
    /// Computes force [N] and stiffness [N/m] on a node at x, for a penalty of stiffness k [N/m].
    pub fn penalty(&self, kind: Stiffness, k: f64, x: Vec3) -> (Vec3, Mat3) {
        let contact = Contact { obstacle: *self };
        let ([gradient], [hessian, ..]) = (contact.gradient(&[k], &[x]), contact.hessian(kind, &[k], &[x]));
        (scale(-1.0, gradient), hessian)
    }
}

/// Contact of nodes with one obstacle. The rest state is the penalty stiffness k [N/m].
#[derive(Clone)]
pub struct Contact {
    obstacle: Obstacle,
}

impl Contact {
    /// Builds a group from nodes with their stiffness [N/m].
    pub fn group(obstacle: Obstacle, free: usize, nodes: impl Iterator<Item = (u32, f64)>) -> Group<Contact, 1, 1, 1> {
        let elements = nodes.map(|(node, k)| ([node], [k], node)).collect();
        Group::new(ElementKind::Contact, Contact { obstacle }, free, elements)
    }
}

/// Returns the value where the distance is not positive, else zero. The value must vanish at the surface.
#[inline(always)]
fn inside<R: Real>(distance: R, value: R) -> R {
    distance.select_gt(R::splat(0.0), R::splat(0.0), value)
}

/// Returns the stiffness where the distance is negative, else zero. At the surface nothing pushes, and a stiffness
/// would hold back a node that leaves.
#[inline(always)]
fn spring<R: Real>(distance: R, k: R) -> R {
    R::splat(0.0).select_gt(distance, k, R::splat(0.0))
}

impl Energy<1, 1, 1> for Contact {
    #[inline(always)]
    fn value<R: Real>(&self, rest: &[R; 1], x: &[Vec3<R>; 1]) -> R {
        let (d, ..) = self.obstacle.distance(x[0]);
        inside(d, R::splat(0.5) * rest[0] * d * d)
    }

    #[inline(always)]
    fn gradient<R: Real>(&self, rest: &[R; 1], x: &[Vec3<R>; 1]) -> [Vec3<R>; 1] {
        let (d, normal, _) = self.obstacle.distance(x[0]);
        [scale(inside(d, rest[0] * d), normal)]
    }

    #[inline(always)]
    fn hessian<R: Real>(&self, kind: Stiffness, rest: &[R; 1], x: &[Vec3<R>; 1]) -> [Mat3<R>; MAX_BLOCKS] {
        let (d, normal, curvature) = self.obstacle.distance(x[0]);
        let nn = outer(normal, normal);
        let along = mat_scale(spring(d, rest[0]), &nn);
        let mut blocks = [[[R::splat(0.0); 3]; 3]; MAX_BLOCKS];
        blocks[0] = match kind {
            // Across the normal, the stiffness k d curvature is negative inside a ball.
            Stiffness::Exact | Stiffness::Auto => {
                let across = mat_scale(inside(d, rest[0] * d * curvature), &mat_sub(&identity(), &nn));
                mat_add(&along, &across)
            }
            Stiffness::Projected | Stiffness::Turned | Stiffness::Corotated | Stiffness::Predicted => along,
        };
        blocks
    }

    /// Writes the energy as one row. Its stiffness is zero outside, so that a push applied inside is taken back and
    /// nothing is damped.
    #[inline(always)]
    fn rows<R: Real>(&self, rest: &[R; 1], x: &[Vec3<R>; 1]) -> [Row<R, 1>; 1] {
        let (d, normal, _) = self.obstacle.distance(x[0]);
        [Row { c: inside(d, d), gradient: [normal], k: spring(d, rest[0]) }]
    }
}

/// Hard ball: after each step, nodes inside are moved to its surface and lose their inward velocity.
#[derive(Debug, Clone, PartialEq)]
pub struct Projection {
    /// Nodes it acts on.
    pub nodes: Vec<u32>,
    /// Centre of the ball [m].
    pub center: Vec3,
    /// Radius of the ball [m].
    pub radius: f64,
}

impl Projection {
    /// Applies the projection; returns true if any node moved.
    pub fn apply(&self, x: &mut [f64], v: &mut [f64]) -> bool {
        let ball = Obstacle::Ball { center: self.center, radius: self.radius };
        let mut moved = false;
        for &node in &self.nodes {
            let i = 3 * node as usize;
            let (d, normal, _) = ball.distance([x[i], x[i + 1], x[i + 2]]);
            if d < 0.0 {
                moved = true;
                let surface = add(self.center, scale(self.radius, normal));
                let inward = dot([v[i], v[i + 1], v[i + 2]], normal).min(0.0);
                x[i..i + 3].copy_from_slice(&surface);
                (0..3).for_each(|c| v[i + c] -= inward * normal[c]);
            }
        }
        moved
    }
}
