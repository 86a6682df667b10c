//! Nodes whose motion is given: fixed, along keyframes, turning, shaken.

use collision::Pose;
use numerics::mat3::{Vec3, add, cross, mat_vec, rotation, scale, sub};
use numerics::quaternion::{from_axis_angle, product};
use std::f64::consts::TAU;

/// A motion: where a node that began at X is at time t, and how fast it moves.
#[derive(Debug, Clone, PartialEq)]
pub enum Motion {
    /// Translation through given offsets at given times, straight and at constant speed in between;
    /// still before the first and after the last.
    Keyframes {
        /// Times, ascending [s].
        times: Vec<f64>,
        /// Offset from the start at each time [m].
        offsets: Vec<Vec3>,
    },
    /// Rotation about an axis at a constant rate between two times.
    Rotation {
        /// A point of the axis [m].
        center: Vec3,
        /// Unit vector along the axis.
        axis: Vec3,
        /// Angular velocity [rad/s].
        rate: f64,
        /// When it begins [s].
        start: f64,
        /// When it ends [s].
        end: f64,
    },
    /// A sine along a direction between two times; afterwards the nodes stay where they are.
    Shake {
        /// Direction and amplitude [m].
        amplitude: Vec3,
        /// Oscillations a second [Hz].
        frequency: f64,
        /// When it begins [s].
        start: f64,
        /// When it ends [s].
        end: f64,
    },
}

impl Motion {
    /// Position [m] and velocity [m/s] at time `t` of the node that began at `origin`.
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

    /// Where a frame that began at `pose` is at time `t`.
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
    /// The nodes, as numbered in the model.
    pub nodes: Vec<u32>,
    /// What they do.
    pub motion: Motion,
}
