//! Pairs of features whose boxes overlap, before anything is known of their distance.

use super::Kind;
use super::features::{Features, fits, parts};
use super::surface::Moving;
use numerics::mat3::{Vec3, add, cross, dot, scale, sub};

/// Two features that may come near each other within a step.
pub struct Candidate<'a> {
    /// Kinds of features.
    pub kind: Kind,
    /// Nodes of both.
    pub nodes: [u32; 4],
    /// Their positions now [m].
    pub x: [Vec3; 4],
    /// Their displacements in the step [m].
    pub u: [Vec3; 4],
    moving: &'a [Moving],
    features: Features<'a>,
}

impl<'a> Candidate<'a> {
    #[inline(always)]
    pub(super) fn new(moving: &'a [Moving], features: Features<'a>) -> Candidate<'a> {
        let (kind, nodes) = features.nodes();
        let mut x = [[0.0; 3]; 4];
        let mut u = [[0.0; 3]; 4];
        for k in 0..4 {
            let Moving { x: position, u: way } = &moving[nodes[k] as usize];
            (x[k], u[k]) = (*position, *way);
        }
        Candidate { kind, nodes, x, u, moving, features }
    }

    /// Returns true if a plane separates the two by more than a distance [m], now and throughout the step: cheaper than
    /// their distance, and true for most pairs.
    #[inline]
    pub fn is_apart(&self, distance: f64) -> bool {
        let Candidate { kind, x, u, .. } = self;
        let [a, b, c, d] = x;
        let parts = |n: usize, axis: Vec3| parts(n, x, u, axis, distance);
        match kind {
            Kind::VertexTriangle => parts(1, sub(*a, scale(1.0 / 3.0, add(add(*b, *c), *d)))),
            Kind::EdgeEdge => {
                let across = cross(sub(*b, *a), sub(*d, *c));
                let between = sub(add(*a, *b), add(*c, *d));
                let side = if dot(across, between) < 0.0 { across.map(|c| -c) } else { across };
                parts(2, side) || parts(2, between)
            }
        }
    }

    /// Returns true if the closest points of these weights, now, belong to this pair: no other pair has them, and the
    /// triangles behind the edges do not come nearer.
    pub fn owns(&self, weights: [f64; 4]) -> bool {
        fits(self.moving, &self.features, weights, 0.0)
    }
}
