//! Capsules: everything near a segment.

use std::sync::Arc;

use numerics::mat3::{Vec3, dot, norm, scale, sub};

use super::{Shape, length, position};
use crate::Distance;

pub(super) const CAPSULE: Shape = Shape {
    name: "capsule",
    description: "A rod with round ends.",
    parameters: &[
        position("from", &[0.0; 3], "one end of its axis"),
        position("to", &[0.0, 0.0, 1.0], "the other"),
        length("radius", &[0.25], "its radius"),
    ],
    make: |p| Ok(Arc::new(Capsule { from: p.vector("from")?, to: p.vector("to")?, radius: p.length("radius")? })),
};

struct Capsule {
    from: Vec3,
    to: Vec3,
    radius: f64,
}

impl Distance for Capsule {
    fn at(&self, point: Vec3) -> f64 {
        let (along, q) = (sub(self.to, self.from), sub(point, self.from));
        // A segment without length is a ball: avoids 0 / 0.
        let t = (dot(q, along) / dot(along, along).max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
        norm(sub(q, scale(t, along))) - self.radius
    }

    fn bounds(&self) -> [Vec3; 2] {
        [
            std::array::from_fn(|k| self.from[k].min(self.to[k]) - self.radius),
            std::array::from_fn(|k| self.from[k].max(self.to[k]) + self.radius),
        ]
    }
}
