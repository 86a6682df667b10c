//! External forces: gravity, pushes, pulses, wind.
//!
//! Every load is a weight per node, a direction and a profile in time: the force on node i is w_i p(t, X_i) d. It
//! depends on the rest position of the node, never on the current one. Loads therefore have no stiffness, and the
//! potential -f . x at each time.

use crate::parameter::{Kind, Parameter, Preset, Variant};
use numerics::mat3::{Vec3, dot};
use std::f64::consts::TAU;

/// Parameters of every load.
pub const PARAMETERS: &[Parameter] = &[
    Parameter::required(
        "kind",
        Kind::Word { choices: &["acceleration", "pressure", "force"] },
        "",
        "acceleration [m/s^2], pressure on the surface [Pa], or total force, distributed by mass [N]",
    ),
    Parameter::required("value", Kind::VECTOR, "m/s^2, Pa or N", "direction and strength"),
];

/// Profiles of loads in time; the first is the default.
pub const PROFILES: &[Variant] = &[
    Variant { name: "constant", doc: "no change with time", parameters: &[] },
    Variant {
        name: "pulse",
        doc: "on for the duration from the start, and again after each period",
        parameters: &[
            Parameter::new("start", Kind::FINITE, Preset::Numbers(&[0.0]), "s", "beginning"),
            Parameter::required("duration", Kind::POSITIVE, "s", "duration"),
            Parameter::optional(
                "period",
                Kind::POSITIVE,
                "s",
                "time from one pulse to the next; a single pulse if left out",
            ),
        ],
    },
    Variant {
        name: "gusts",
        doc: "wind: a mean of one, and gusts that travel downwind",
        parameters: &[
            Parameter::required("strength", Kind::NOT_NEGATIVE, "", "strength of the gusts relative to the mean"),
            Parameter::required("period", Kind::POSITIVE, "s", "the longest period"),
            Parameter::required("speed", Kind::POSITIVE, "m/s", "speed of the gusts"),
        ],
    },
];

/// Change of a load with time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Profile {
    /// Always one.
    Constant,
    /// One from `start` for `duration`, repeated after each `period` if it is finite [s].
    Pulse {
        /// Start time [s].
        start: f64,
        /// Duration [s].
        duration: f64,
        /// Time from the start of one pulse to the next [s]; infinite for a single pulse.
        period: f64,
    },
    /// Wind: a mean of one and gusts of incommensurate periods that travel downwind.
    Gusts {
        /// Strength of the gusts relative to the mean.
        strength: f64,
        /// Longest period [s].
        period: f64,
        /// Speed at which gusts travel along the load's direction [m/s].
        speed: f64,
    },
}

impl Profile {
    fn at(&self, t: f64, downwind: f64) -> f64 {
        match *self {
            Profile::Constant => 1.0,
            Profile::Pulse { start, duration, period } => {
                let since = t - start;
                let phase = if period.is_finite() && since >= 0.0 { since % period } else { since };
                f64::from((0.0..duration).contains(&phase))
            }
            Profile::Gusts { strength, period, speed } => {
                let phase = TAU * (t - downwind / speed) / period;
                // Ratios without a small common multiple: the wind does not repeat within a scene.
                let waves = phase.sin() + 0.5 * (1.618 * phase + 1.0).sin() + 0.25 * (3.303 * phase + 2.0).sin();
                1.0 + strength * waves / 1.75
            }
        }
    }
}

/// A load on some nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Load {
    /// Free nodes and their weights: mass [kg], area [m^2] or a share of one.
    pub weights: Vec<(u32, f64)>,
    /// Force per unit of weight: [m/s^2], [Pa] or [N].
    pub direction: Vec3,
    /// Change with time.
    pub profile: Profile,
}

impl Load {
    /// Returns true if the load is the same at two times.
    pub fn is_same(&self, t: f64, other: f64) -> bool {
        match self.profile {
            Profile::Gusts { .. } => t == other,
            profile => profile.at(t, 0.0) == profile.at(other, 0.0),
        }
    }

    fn for_each(&self, t: f64, rest: &[f64], mut f: impl FnMut(usize, f64)) {
        if matches!(self.profile, Profile::Pulse { .. }) && self.profile.at(t, 0.0) == 0.0 {
            return;
        }
        let length = dot(self.direction, self.direction).sqrt().max(f64::MIN_POSITIVE);
        for &(node, weight) in &self.weights {
            let i = 3 * node as usize;
            let downwind = dot(self.direction, [rest[i], rest[i + 1], rest[i + 2]]) / length;
            f(i, weight * self.profile.at(t, downwind));
        }
    }

    /// Computes f += c times this load at time `t` [N].
    pub fn add_force(&self, c: f64, t: f64, rest: &[f64], f: &mut [f64]) {
        let d = self.direction.map(|d| c * d);
        self.for_each(t, rest, |i, weight| (0..3).for_each(|c| f[i + c] += weight * d[c]));
    }

    /// Computes -f(t) . x [J].
    pub fn potential(&self, t: f64, rest: &[f64], x: &[f64]) -> f64 {
        let mut sum = 0.0;
        self.for_each(t, rest, |i, weight| sum -= weight * dot(self.direction, [x[i], x[i + 1], x[i + 2]]));
        sum
    }
}
