//! Balls.

use std::sync::Arc;

use numerics::mat3::{Vec3, norm, sub};

use super::{Shape, length, position};
use crate::Distance;

pub(super) const BALL: Shape = Shape {
    name: "ball",
    description: "A ball.",
    parameters: &[position("center", &[0.0; 3], "its centre"), length("radius", &[0.5], "its radius")],
    make: |p| Ok(Arc::new(Ball { center: p.vector("center")?, radius: p.length("radius")? })),
};

struct Ball {
    center: Vec3,
    radius: f64,
}

impl Distance for Ball {
    fn at(&self, point: Vec3) -> f64 {
        norm(sub(point, self.center)) - self.radius
    }

    fn bounds(&self) -> [Vec3; 2] {
        [self.center.map(|x| x - self.radius), self.center.map(|x| x + self.radius)]
    }
}
