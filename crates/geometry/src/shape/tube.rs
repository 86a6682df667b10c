//! Tubes: a limb, neck or tail through points, its radius changing from one to the next.
//!
//! The points are joined by a Catmull-Rom curve (straight between two), cut into short round cones.

use std::sync::Arc;

use model::mesh::generate::{Kind, Parameter, Preset, Range};
use numerics::mat3::{Vec3, add, dot, norm, scale, sub};

use super::Shape;
use crate::Distance;

/// Straight pieces between two points: the corners between them are then invisible.
const PIECES: usize = 6;

pub(super) const TUBE: Shape = Shape {
    name: "tube",
    description: "A limb, neck or tail: a smooth curve through points, round, of changing radius.",
    parameters: &[
        Parameter {
            name: "points",
            kind: Kind::Points { components: 3 },
            default: Preset::Points(&[[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]),
            doc: "points of its middle line",
            unit: "m",
        },
        Parameter {
            name: "radii",
            kind: Kind::List { range: Range::Positive },
            default: Preset::Numbers(&[0.1]),
            doc: "its radius at each point, or one for all",
            unit: "m",
        },
    ],
    make: |p| {
        let (points, radii) = (p.points("points")?, p.list("radii")?);
        if radii.len() != 1 && radii.len() != points.len() {
            return Err(p.refuse("radii", format!("one radius, or one for each of the {} points", points.len())));
        }
        let radius = |i: usize| if radii.len() == 1 { radii[0] } else { radii[i] };
        let joints: Vec<([f64; 3], f64)> = (0..points.len()).map(|i| (points[i], radius(i))).collect();
        Ok(Arc::new(Tube { balls: along(&joints) }))
    },
};

/// Balls along the curve; the tube is the hull of each with the next.
struct Tube {
    balls: Vec<(Vec3, f64)>,
}

/// Returns points of the Catmull-Rom curve through the joints, radii interpolated alike but kept positive.
fn along(joints: &[(Vec3, f64)]) -> Vec<(Vec3, f64)> {
    if joints.len() < 3 {
        return joints.to_vec();
    }
    let mut balls = vec![joints[0]];
    for i in 0..joints.len() - 1 {
        let (b, c) = (joints[i], joints[i + 1]);
        // Beyond the ends the curve continues straight.
        let a = if i == 0 { (sub(scale(2.0, b.0), c.0), b.1) } else { joints[i - 1] };
        let d = joints.get(i + 2).copied().unwrap_or((sub(scale(2.0, c.0), b.0), c.1));
        for piece in 1..=PIECES {
            let t = piece as f64 / PIECES as f64;
            let weights = [
                0.5 * t * (t * (2.0 - t) - 1.0),
                0.5 * (t * t * (3.0 * t - 5.0) + 2.0),
                0.5 * t * (t * (4.0 - 3.0 * t) + 1.0),
                0.5 * t * t * (t - 1.0),
            ];
            let corners = [a, b, c, d];
            let point = (0..4).fold([0.0; 3], |sum, k| add(sum, scale(weights[k], corners[k].0)));
            let radius: f64 = (0..4).map(|k| weights[k] * corners[k].1).sum();
            balls.push((point, radius.clamp(b.1.min(c.1), b.1.max(c.1))));
        }
    }
    balls
}

/// Returns the distance from the hull of two balls: a cone tangent to both, with their caps.
fn round_cone(point: Vec3, (a, ra): (Vec3, f64), (b, rb): (Vec3, f64)) -> f64 {
    let (axis, q) = (sub(b, a), sub(point, a));
    let (length2, shrink) = (dot(axis, axis), ra - rb);
    // One ball inside the other, or both the same.
    if length2 <= shrink * shrink {
        return (norm(q) - ra).min(norm(sub(point, b)) - rb);
    }
    let length = length2.sqrt();
    let z = dot(q, axis) / length;
    let r = (dot(q, q) - z * z).max(0.0).sqrt();
    // The mantle is inclined by the angle with sine shrink / length; caps begin where its normals meet the axis.
    let sine = shrink / length;
    let cosine = (1.0 - sine * sine).sqrt();
    let foot = z - r * sine / cosine;
    if foot <= 0.0 {
        norm(q) - ra
    } else if foot >= length {
        norm(sub(point, b)) - rb
    } else {
        r * cosine + z * sine - ra
    }
}

impl Distance for Tube {
    fn at(&self, point: Vec3) -> f64 {
        match self.balls.as_slice() {
            [(center, radius)] => norm(sub(point, *center)) - radius,
            balls => balls.windows(2).map(|two| round_cone(point, two[0], two[1])).fold(f64::INFINITY, f64::min),
        }
    }

    fn bounds(&self) -> [Vec3; 2] {
        let fold = |side: f64, pick: fn(f64, f64) -> f64| {
            std::array::from_fn(|k| self.balls.iter().map(|(c, r)| c[k] + side * r).fold(-side * f64::INFINITY, pick))
        };
        [fold(-1.0, f64::min), fold(1.0, f64::max)]
    }
}
