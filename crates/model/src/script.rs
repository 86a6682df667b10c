//! Prescribed motion of nodes: keyframes, rotation, shaking.

use crate::parameter::{Kind, Parameter, Preset, Variant};
use collision::Pose;
use numerics::mat3::{Vec3, add, cross, mat_vec, rotation, scale, sub};
use numerics::quaternion::{from_axis_angle, product};
use std::f64::consts::TAU;

const START: Parameter = Parameter::new("start", Kind::FINITE, Preset::Numbers(&[0.0]), "s", "beginning");
const END: Parameter = Parameter::optional("end", Kind::FINITE, "s", "end; never if left out");

/// Kinds of motions.
pub const MOTIONS: &[Variant] = &[
    Variant {
        name: "keyframes",
        doc: "offsets at given times, straight in between",
        parameters: &[
            Parameter::required("times", Kind::NUMBERS, "s", "times, ascending"),
            Parameter::required("offsets", Kind::Points { components: 3 }, "m", "offset from the start at each time"),
        ],
    },
    Variant {
        name: "rotation",
        doc: "turning about an axis",
        parameters: &[
            Parameter::required("center", Kind::VECTOR, "m", "a point of the axis"),
            Parameter::required("axis", Kind::Direction, "", "axis, of any length"),
            Parameter::required("rate", Kind::FINITE, "rad/s", "angular velocity"),
            START,
            END,
        ],
    },
    Variant {
        name: "shake",
        doc: "a sine along a direction",
        parameters: &[
            Parameter::required("amplitude", Kind::VECTOR, "m", "direction and amplitude"),
            Parameter::required("frequency", Kind::POSITIVE, "Hz", "oscillations per second"),
            START,
            END,
        ],
    },
];

/// Motion: position and velocity at time t of a node that began at X.
#[derive(Debug, Clone, PartialEq)]
pub enum Motion {
    /// Translation through given offsets at given times, with constant velocity in between; at rest before the first
    /// and after the last.
    Keyframes {
        /// Times, ascending [s].
        times: Vec<f64>,
        /// Offset from the initial position at each time [m].
        offsets: Vec<Vec3>,
    },
    /// Rotation about an axis at a constant rate between two times.
    Rotation {
        /// Point on the axis [m].
        center: Vec3,
        /// Unit vector along the axis.
        axis: Vec3,
        /// Angular velocity [rad/s].
        rate: f64,
        /// Start time [s].
        start: f64,
        /// End time [s].
        end: f64,
    },
    /// Sine along a direction between two times; afterwards the nodes stay.
    Shake {
        /// Direction and amplitude [m].
        amplitude: Vec3,
        /// Frequency [Hz].
        frequency: f64,
        /// Start time [s].
        start: f64,
        /// End time [s].
        end: f64,
    },
}

impl Motion {
    /// Computes position [m] and velocity [m/s] at time `t` of the node that began at `origin`.
    pub fn at(&self, t: f64, origin: Vec3) -> (Vec3, Vec3) {
        match self {
            Motion::Keyframes { times, offsets } => {
                let next = times.partition_point(|&time| time <= t);
                let (offset, velocity) = match next {
                    0 => (offsets.first().copied().unwrap_or_default(), [0.0; 3]),
                    n if n == times.len() => (offsets[n - 1], [0.0; 3]),
                    n => {
                        let velocity = scale(1.0 / (times[n] - times[n - 1]), sub(offsets[n], offsets[n - 1]));
                        (add(offsets[n - 1], scale(t - times[n - 1], velocity)), velocity)
                    }
                };
                (add(origin, offset), velocity)
            }
            Motion::Rotation { center, axis, rate, start, end } => {
                let angle = rate * (t.clamp(*start, *end) - start);
                let arm = mat_vec(&rotation(*axis, angle), sub(origin, *center));
                let turning = if (*start..*end).contains(&t) { *rate } else { 0.0 };
                (add(*center, arm), scale(turning, cross(*axis, arm)))
            }
            Motion::Shake { amplitude, frequency, start, end } => {
                let omega = TAU * frequency;
                let (sin, cos) = (omega * (t.clamp(*start, *end) - start)).sin_cos();
                let speed = if (*start..*end).contains(&t) { omega * cos } else { 0.0 };
                (add(origin, scale(sin, *amplitude)), scale(speed, *amplitude))
            }
        }
    }

    /// Returns the pose at time `t` of a frame that began at `pose`.
    pub fn carry(&self, t: f64, pose: &Pose) -> Pose {
        let (position, _) = self.at(t, pose.position);
        let rotation = match self {
            Motion::Rotation { axis, rate, start, end, .. } => {
                product(from_axis_angle(*axis, rate * (t.clamp(*start, *end) - start)), pose.rotation)
            }
            Motion::Keyframes { .. } | Motion::Shake { .. } => pose.rotation,
        };
        Pose { position, rotation }
    }
}

/// Nodes that follow one motion.
#[derive(Debug, Clone, PartialEq)]
pub struct Script {
    /// Nodes, as numbered in the model.
    pub nodes: Vec<u32>,
    /// Their motion.
    pub motion: Motion,
}
