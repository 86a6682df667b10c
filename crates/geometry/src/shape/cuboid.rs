//! Boxes, sharp or rounded.

use std::sync::Arc;

use model::mesh::generate::{Kind, Parameter, Preset};
use numerics::mat3::{Vec3, norm, sub};

use super::{Shape, position, width};
use crate::Distance;

pub(super) const BOX: Shape = Shape {
    name: "box",
    description: "A box along x, y and z.",
    parameters: &[
        position("center", &[0.0; 3], "its centre"),
        Parameter {
            name: "size",
            kind: Kind::lengths(3),
            default: Preset::Numbers(&[1.0, 1.0, 1.0]),
            doc: "its length along x, y and z",
            unit: "m",
        },
        width("round", &[0.0], "radius of its edges and corners"),
    ],
    make: |p| {
        let (size, round) = (p.lengths3("size")?, p.length("round")?);
        if size.iter().any(|&x| 2.0 * round > x) {
            return Err(p.refuse("round", "at most half of the shortest side".to_string()));
        }
        Ok(Arc::new(Cuboid { center: p.vector("center")?, half: size.map(|x| 0.5 * x), round }))
    },
};

struct Cuboid {
    center: Vec3,
    half: Vec3,
    round: f64,
}

impl Distance for Cuboid {
    fn at(&self, point: Vec3) -> f64 {
        let q = sub(point, self.center);
        let beyond: Vec3 = std::array::from_fn(|k| q[k].abs() - (self.half[k] - self.round));
        let inside = beyond[0].max(beyond[1]).max(beyond[2]).min(0.0);
        norm(beyond.map(|x| x.max(0.0))) + inside - self.round
    }

    fn bounds(&self) -> [Vec3; 2] {
        let side = |sign: f64| std::array::from_fn(|k| self.center[k] + sign * self.half[k]);
        [side(-1.0), side(1.0)]
    }
}
