//! Tori.

use std::sync::Arc;

use numerics::mat3::{Vec3, sub};

use super::{Shape, length, position};
use crate::Distance;

pub(super) const TORUS: Shape = Shape {
    name: "torus",
    description: "A ring around z.",
    parameters: &[
        position("center", &[0.0; 3], "its centre"),
        length("radius", &[0.5], "radius of the ring, to the middle of its tube"),
        length("tube", &[0.15], "radius of its tube"),
    ],
    make: |p| {
        let (center, radius, tube) = (p.vector("center")?, p.length("radius")?, p.length("tube")?);
        Ok(Arc::new(Torus { center, radius, tube }))
    },
};

struct Torus {
    center: Vec3,
    radius: f64,
    tube: f64,
}

impl Distance for Torus {
    fn at(&self, point: Vec3) -> f64 {
        let [x, y, z] = sub(point, self.center);
        (x.hypot(y) - self.radius).hypot(z) - self.tube
    }

    fn bounds(&self) -> [Vec3; 2] {
        let reach = [self.radius + self.tube, self.radius + self.tube, self.tube];
        let side = |sign: f64| std::array::from_fn(|k| self.center[k] + sign * reach[k]);
        [side(-1.0), side(1.0)]
    }
}
