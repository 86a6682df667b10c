//! Ellipsoids.
//!
//! The distance is k (k - 1) / |grad k| with k = |q / r|, right to first order at the surface; no closed form of the true
//! distance exists. Towards the middle, where the quotient has no limit, k / |grad k| becomes the smallest radius.

use std::sync::Arc;

use model::mesh::generate::{Kind, Parameter, Preset};
use numerics::mat3::{Vec3, norm, sub};

use super::{Shape, position};
use crate::Distance;

pub(super) const ELLIPSOID: Shape = Shape {
    name: "ellipsoid",
    description: "An ellipsoid with axes along x, y and z.",
    parameters: &[
        position("center", &[0.0; 3], "its centre"),
        Parameter {
            name: "radii",
            kind: Kind::lengths(3),
            default: Preset::Numbers(&[0.5, 0.3, 0.2]),
            doc: "half its length along x, y and z",
            unit: "m",
        },
    ],
    make: |p| Ok(Arc::new(Ellipsoid { center: p.vector("center")?, radii: p.lengths3("radii")? })),
};

struct Ellipsoid {
    center: Vec3,
    radii: Vec3,
}

impl Distance for Ellipsoid {
    fn at(&self, point: Vec3) -> f64 {
        let q = sub(point, self.center);
        let k = norm(std::array::from_fn(|i| q[i] / self.radii[i]));
        let gradient = norm(std::array::from_fn(|i| q[i] / (self.radii[i] * self.radii[i])));
        let smallest = self.radii.iter().fold(f64::INFINITY, |m, &r| m.min(r));
        let radius = if k > 0.0 { smallest + (k / gradient - smallest) * (2.0 * k).min(1.0) } else { smallest };
        (k - 1.0) * radius
    }

    fn bounds(&self) -> [Vec3; 2] {
        let side = |sign: f64| std::array::from_fn(|i| self.center[i] + sign * self.radii[i]);
        [side(-1.0), side(1.0)]
    }
}
