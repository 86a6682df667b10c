//! The helix around z that coiled ropes follow, and the frame that goes with it.

use std::f64::consts::TAU;

use numerics::mat3::{Vec3, add, scale};

use super::Parameters;
use crate::mesh::ParameterError;

/// A helix around z that starts at (radius, 0, 0) and rises by `pitch` a turn.
pub(super) struct Helix {
    /// Of the coil [m].
    pub radius: f64,
    /// Rise a turn [m].
    pub pitch: f64,
    /// How often around.
    pub turns: f64,
}

impl Helix {
    /// From the parameters radius, pitch and turns.
    pub fn from(p: &Parameters) -> Result<Self, ParameterError> {
        Ok(Self { radius: p.length("radius")?, pitch: p.length("pitch")?, turns: p.number("turns")? })
    }

    /// The length of one turn [m].
    pub fn turn_length(&self) -> f64 {
        (TAU * self.radius).hypot(self.pitch)
    }

    /// The distance of neighbouring turns at right angles to them [m].
    pub fn gap(&self) -> f64 {
        self.pitch * TAU * self.radius / self.turn_length()
    }

    /// The point at part `s` (0 to 1) of the way, moved by u [m] outward and by v [m] across.
    ///
    /// The frame (outward, across, tangent) is Frenet's but for signs: right-handed, and constant to an eye that
    /// climbs along, so that a square section lies the same way in every turn.
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
