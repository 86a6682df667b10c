//! Helix around z that coiled ropes follow, with its moving frame.

use std::f64::consts::TAU;

use numerics::mat3::{Vec3, add, scale};

use super::Parameters;
use crate::mesh::ParameterError;

/// Helix around z that starts at (radius, 0, 0) and rises by `pitch` per turn.
pub(super) struct Helix {
    /// Radius of the coil [m].
    pub radius: f64,
    /// Rise per turn [m].
    pub pitch: f64,
    /// Number of turns.
    pub turns: f64,
}

impl Helix {
    /// Reads the parameters radius, pitch and turns.
    pub fn from(p: &Parameters) -> Result<Self, ParameterError> {
        Ok(Self { radius: p.length("radius")?, pitch: p.length("pitch")?, turns: p.number("turns")? })
    }

    /// Returns the length of one turn [m].
    pub fn turn_length(&self) -> f64 {
        (TAU * self.radius).hypot(self.pitch)
    }

    /// Returns the distance of neighbouring turns, perpendicular to them [m].
    pub fn gap(&self) -> f64 {
        self.pitch * TAU * self.radius / self.turn_length()
    }

    /// Computes the point at fraction `s` (0 to 1) of the helix, moved by u [m] outward and by v [m] across.
    ///
    /// The frame (outward, across, tangent) is Frenet's except for signs: right-handed, and constant relative to the
    /// helix, so that a square section has the same orientation in every turn.
    pub fn point(&self, s: f64, [u, v]: [f64; 2]) -> Vec3 {
        let angle = TAU * self.turns * s;
        let (sin, cos) = angle.sin_cos();
        let around = TAU * self.radius / self.turn_length();
        let rise = self.pitch / self.turn_length();
        let outward = [cos, sin, 0.0];
        let across = [-rise * sin, rise * cos, -around];
        let center = [self.radius * cos, self.radius * sin, self.pitch * self.turns * s];
        add(center, add(scale(u, outward), scale(v, across)))
    }
}
