//! Centre line of a fibre at rest, with the frame of its rings: straight, or a helix about its direction.

use numerics::mat3::{Vec3, add, cross, scale, unit};
use std::f64::consts::TAU;

/// Helix that a fibre follows.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Curl {
    /// Radius of the helix [m].
    pub radius: f64,
    /// Rise per turn [m].
    pub pitch: f64,
}

impl Curl {
    /// Returns the length of one turn [m].
    pub fn turn(&self) -> f64 {
        (TAU * self.radius).hypot(self.pitch)
    }

    /// Returns the radius of curvature [m].
    pub fn curvature_radius(&self) -> f64 {
        let rise = self.pitch / TAU;
        self.radius + rise * rise / self.radius
    }
}

/// Centre line that begins at a root.
#[derive(Debug, Clone, Copy)]
pub struct Curve {
    root: Vec3,
    /// Two directions across, and the direction of the fibre.
    axes: [Vec3; 3],
    curl: Option<Curl>,
}

/// Frame of a ring: the point of the centre line [m], and two directions across.
pub type RingFrame = (Vec3, [Vec3; 2]);

impl Curve {
    /// Begins at a root, in a direction of length 1. The angle [rad] turns the curve and its rings about the direction.
    pub fn new(root: Vec3, direction: Vec3, angle: f64, curl: Option<Curl>) -> Curve {
        let [u, v] = across(direction);
        let (sin, cos) = angle.sin_cos();
        let first = add(scale(cos, u), scale(sin, v));
        Curve { root, axes: [first, cross(direction, first), direction], curl }
    }

    /// Returns the place at a length along the curve [m].
    pub fn at(&self, length: f64) -> RingFrame {
        let [u, v, along] = self.axes;
        let Some(curl) = self.curl else {
            return (add(self.root, scale(length, along)), [u, v]);
        };
        let part = length / curl.turn();
        let (sin, cos) = (TAU * part).sin_cos();
        let outward = add(scale(cos, u), scale(sin, v));
        let around = add(scale(-sin, u), scale(cos, v));
        // The helix passes through the root; its axis is a radius beside it.
        let beside = add(scale(curl.radius * (cos - 1.0), u), scale(curl.radius * sin, v));
        let point = add(self.root, add(beside, scale(curl.pitch * part, along)));
        let tangent = unit(add(scale(TAU * curl.radius, around), scale(curl.pitch, along)));
        (point, [outward, cross(tangent, outward)])
    }
}

/// Returns two directions that form a right-handed frame with a direction of length 1.
pub(super) fn across(direction: Vec3) -> [Vec3; 2] {
    // The coordinate axis that is least along the direction; exact for directions along axes.
    let least = (0..3).min_by(|&a, &b| direction[a].abs().total_cmp(&direction[b].abs())).unwrap_or(0);
    let mut axis = [0.0; 3];
    axis[least] = 1.0;
    let first = unit(cross(axis, direction));
    [first, cross(direction, first)]
}
