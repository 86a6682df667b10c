//! Cones, blunt or pointed, with flat ends: the distance in the half-plane through the axis.

use std::sync::Arc;

use model::mesh::generate::{Kind, Parameter, Preset, Range};
use numerics::mat3::{Vec3, dot, norm, scale, sub};

use super::{Shape, position};
use crate::Distance;

pub(super) const CONE: Shape = Shape {
    name: "cone",
    description: "A cone with flat ends; with equal radii a cylinder.",
    parameters: &[
        position("from", &[0.0; 3], "the centre of one end"),
        position("to", &[0.0, 0.0, 1.0], "the centre of the other"),
        Parameter {
            name: "radii",
            kind: Kind::Number { components: 2, range: Range::NotNegative },
            default: Preset::Numbers(&[0.5, 0.0]),
            doc: "radius of the first and of the second end",
            unit: "m",
        },
    ],
    make: |p| {
        let (from, to, radii) = (p.vector("from")?, p.vector("to")?, p.lengths2("radii")?);
        let length = norm(sub(to, from));
        if !(length > 0.0 && length.is_finite()) {
            return Err(p.refuse("to", "a point away from `from`".to_string()));
        }
        if radii == [0.0; 2] {
            return Err(p.refuse("radii", "at least one above 0".to_string()));
        }
        Ok(Arc::new(Cone { from, axis: scale(1.0 / length, sub(to, from)), length, radii }))
    },
};

struct Cone {
    from: Vec3,
    /// Unit vector.
    axis: Vec3,
    length: f64,
    radii: [f64; 2],
}

impl Distance for Cone {
    fn at(&self, point: Vec3) -> f64 {
        let q = sub(point, self.from);
        let z = dot(q, self.axis);
        let r = norm(sub(q, scale(z, self.axis)));
        let ([a, b], length) = (self.radii, self.length);

        // The nearer end: beyond its rim, or only beyond its plane.
        let end = if z < 0.5 * length { a } else { b };
        let to_end = [(r - end).max(0.0), (z - 0.5 * length).abs() - 0.5 * length];
        // The mantle: the segment from (a, 0) to (b, length).
        let along = [b - a, length];
        let t = (((r - a) * along[0] + z * along[1]) / (along[0] * along[0] + along[1] * along[1])).clamp(0.0, 1.0);
        let to_mantle = [r - a - t * along[0], z - t * along[1]];

        let square = |x: [f64; 2]| x[0] * x[0] + x[1] * x[1];
        let inside = to_mantle[0] < 0.0 && to_end[1] < 0.0;
        let distance = square(to_end).min(square(to_mantle)).sqrt();
        if inside { -distance } else { distance }
    }

    fn bounds(&self) -> [Vec3; 2] {
        // A disc of radius r across the axis reaches r sqrt(1 - axis_k^2) along k.
        let reach = |r: f64, k: usize| r * (1.0 - self.axis[k] * self.axis[k]).max(0.0).sqrt();
        let ends = |k: usize| [self.from[k], self.from[k] + self.length * self.axis[k]];
        let [a, b] = self.radii;
        [
            std::array::from_fn(|k| (ends(k)[0] - reach(a, k)).min(ends(k)[1] - reach(b, k))),
            std::array::from_fn(|k| (ends(k)[0] + reach(a, k)).max(ends(k)[1] + reach(b, k))),
        ]
    }
}
