//! Ribbons: a band around z that rotates about its own middle on the way; one half turn makes a Moebius band.

use std::f64::consts::PI;
use std::sync::Arc;

use model::mesh::generate::{Kind, Parameter, Preset};
use numerics::mat3::Vec3;

use super::{Shape, length};
use crate::Distance;

pub(super) const RIBBON: Shape = Shape {
    name: "ribbon",
    description: "A closed band around z that turns about its own middle: with one half turn a Moebius band.",
    parameters: &[
        length("radius", &[0.5], "radius of its middle line"),
        length("width", &[0.2], "width of the band"),
        length("thickness", &[0.04], "its thickness"),
        Parameter {
            name: "half_turns",
            kind: Kind::count_within(0, u32::MAX),
            default: Preset::Numbers(&[1.0]),
            doc: "number of half turns around the ring",
            unit: "",
        },
    ],
    make: |p| {
        let (radius, width, thickness) = (p.length("radius")?, p.length("width")?, p.length("thickness")?);
        if width.max(thickness) > 2.0 * radius {
            return Err(p.refuse("width", format!("at most twice the radius, {}", 2.0 * radius)));
        }
        let rate = 0.5 * f64::from(p.count("half_turns")?);
        if rate * PI > 1e3 {
            return Err(p.refuse("half_turns", "at most 600".to_string()));
        }
        Ok(Arc::new(Ribbon { radius, half: [0.5 * width, 0.5 * thickness], rate }))
    },
};

struct Ribbon {
    radius: f64,
    /// Half of width and thickness [m].
    half: [f64; 2],
    /// Turns of the band per turn around z.
    rate: f64,
}

impl Distance for Ribbon {
    fn at(&self, point: Vec3) -> f64 {
        let [x, y, z] = point;
        let out = x.hypot(y) - self.radius;
        let (sin, cos) = (self.rate * y.atan2(x)).sin_cos();
        // Across the band and through it, in the half-plane of this angle.
        let beyond = [(cos * z + sin * out).abs() - self.half[0], (cos * out - sin * z).abs() - self.half[1]];
        let flat = beyond[0].max(0.0).hypot(beyond[1].max(0.0)) + beyond[0].max(beyond[1]).min(0.0);
        // A step around z rotates the section by less the farther it is from z. Near z, where the rotation is
        // unbounded, the ring around the band is a better bound.
        let arm = out.hypot(z);
        let steepness = 1.0_f64.hypot(self.rate * arm / x.hypot(y).max(f64::MIN_POSITIVE));
        (flat / steepness).max(arm - self.half[0].hypot(self.half[1]))
    }

    fn bounds(&self) -> [Vec3; 2] {
        let reach = self.half[0].hypot(self.half[1]);
        let reach = [self.radius + reach, self.radius + reach, reach];
        [reach.map(|x| -x), reach]
    }
}
