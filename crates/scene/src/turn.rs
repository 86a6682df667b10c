//! Directions and rotations in the form of scenes: axes of any length, angles in degrees. Models take unit vectors and
//! radians.

use model::script::Motion;
use numerics::mat3::{Vec3, unit};

/// A rotation about an axis.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turn {
    /// Axis, of any length but 0.
    pub axis: Vec3,
    /// Angle [degrees].
    pub degrees: f64,
}

impl Turn {
    /// Returns the unit axis and angle [rad]; those of no rotation for `None`.
    pub fn radians(turn: Option<Turn>) -> (Vec3, f64) {
        turn.map_or(([0.0, 0.0, 1.0], 0.0), |turn| (unit(turn.axis), turn.degrees.to_radians()))
    }
}

/// Returns the motion of a scene in the form of models, its axis of unit length.
pub fn unit_motion(motion: &Motion) -> Motion {
    match motion {
        Motion::Rotation { center, axis, rate, start, end } => {
            Motion::Rotation { center: *center, axis: unit(*axis), rate: *rate, start: *start, end: *end }
        }
        Motion::Keyframes { .. } | Motion::Shake { .. } => motion.clone(),
    }
}
