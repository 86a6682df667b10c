//! Extrusions: a polygon in the plane of x and y, drawn out along z.

use std::sync::Arc;

use model::mesh::generate::{Kind, Parameter, Preset};
use numerics::mat3::Vec3;

use super::{Shape, length, width};
use crate::Distance;

pub(super) const EXTRUSION: Shape = Shape {
    name: "extrusion",
    description: "A polygon in the plane of x and y, drawn out along z to both sides of it.",
    parameters: &[
        Parameter {
            name: "outline",
            kind: Kind::Points { components: 2 },
            default: Preset::Points(&[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]),
            doc: "the corners of the polygon in order, either way around, the last joined to the first",
            unit: "m",
        },
        length("height", &[0.2], "its height along z"),
        width("round", &[0.0], "by how much it is swollen, with round edges"),
    ],
    make: |p| {
        let outline: Vec<[f64; 2]> = p.points("outline")?.iter().map(|&[x, y, _]| [x, y]).collect();
        let corners = outline.iter().zip(outline.iter().cycle().skip(1));
        let area: f64 = corners.map(|(a, b)| 0.5 * (a[0] * b[1] - a[1] * b[0])).sum();
        if outline.len() < 3 || !(area.abs() > 0.0 && area.is_finite()) {
            return Err(p.refuse("outline", "three or more corners around an area".to_string()));
        }
        Ok(Arc::new(Extrusion { outline, half: 0.5 * p.length("height")?, round: p.length("round")? }))
    },
};

struct Extrusion {
    outline: Vec<[f64; 2]>,
    half: f64,
    round: f64,
}

impl Extrusion {
    /// Signed distance from the polygon in its plane: nearest side, sign by crossings of a ray.
    fn flat(&self, [x, y]: [f64; 2]) -> f64 {
        let (mut nearest, mut inside) = (f64::INFINITY, false);
        for (a, b) in self.outline.iter().zip(self.outline.iter().cycle().skip(1)) {
            let (side, q) = ([b[0] - a[0], b[1] - a[1]], [x - a[0], y - a[1]]);
            let length2 = (side[0] * side[0] + side[1] * side[1]).max(f64::MIN_POSITIVE);
            let t = ((q[0] * side[0] + q[1] * side[1]) / length2).clamp(0.0, 1.0);
            nearest = nearest.min((q[0] - t * side[0]).hypot(q[1] - t * side[1]));
            // Half-open, so that a ray through a corner crosses once.
            if (a[1] > y) != (b[1] > y) && x < a[0] + side[0] * (y - a[1]) / side[1] {
                inside = !inside;
            }
        }
        if inside { -nearest } else { nearest }
    }
}

impl Distance for Extrusion {
    fn at(&self, [x, y, z]: Vec3) -> f64 {
        let beyond = [self.flat([x, y]), z.abs() - self.half];
        beyond[0].max(0.0).hypot(beyond[1].max(0.0)) + beyond[0].max(beyond[1]).min(0.0) - self.round
    }

    fn bounds(&self) -> [Vec3; 2] {
        let fold = |k: usize, from: f64, pick: fn(f64, f64) -> f64| self.outline.iter().map(|c| c[k]).fold(from, pick);
        let [low, high] = [f64::INFINITY, f64::NEG_INFINITY];
        let r = self.round;
        [
            [fold(0, low, f64::min) - r, fold(1, low, f64::min) - r, -self.half - r],
            [fold(0, high, f64::max) + r, fold(1, high, f64::max) + r, self.half + r],
        ]
    }
}
