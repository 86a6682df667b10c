//! Half spaces, for cutting.

use std::sync::Arc;

use model::mesh::generate::{Kind, Parameter, Preset};
use numerics::mat3::{Vec3, dot, sub};

use super::{Shape, position};
use crate::Distance;
use crate::distance::ALL_SPACE;

pub(super) const HALF_SPACE: Shape = Shape {
    name: "half-space",
    description: "Everything behind a plane; to cut other parts with.",
    parameters: &[
        position("point", &[0.0; 3], "a point of the plane"),
        Parameter {
            name: "normal",
            kind: Kind::Direction,
            default: Preset::Numbers(&[0.0, 0.0, 1.0]),
            doc: "outward direction, of any length",
            unit: "",
        },
    ],
    make: |p| Ok(Arc::new(HalfSpace { point: p.vector("point")?, normal: p.direction("normal")? })),
};

struct HalfSpace {
    point: Vec3,
    normal: Vec3,
}

impl Distance for HalfSpace {
    fn at(&self, point: Vec3) -> f64 {
        dot(sub(point, self.point), self.normal)
    }

    fn bounds(&self) -> [Vec3; 2] {
        ALL_SPACE
    }
}
