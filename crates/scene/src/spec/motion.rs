//! Given motions, of nodes and of obstacles.

use super::sections::{FINITE, POSITIVE, VECTOR, number, variant};
use super::{Bounds, Choice, Key, Kind, Presence};
use Presence::{Optional, Required};

/// Describes a motion whose kind is the word of `key`.
pub(super) fn motion(key: &'static str, doc: &'static str) -> Choice {
    let start = || Key::new("start", FINITE, number(0.0), "s", "beginning");
    let end = || Key::new("end", FINITE, Optional, "s", "end; never if left out");
    Choice {
        key,
        doc,
        default: None,
        variants: vec![
            variant(
                "keyframes",
                "offsets at given times, straight in between",
                vec![
                    Key::new("times", Kind::List(Bounds::FINITE), Required, "s", "times, ascending"),
                    Key::new(
                        "offsets",
                        Kind::Vectors { components: 3 },
                        Required,
                        "m",
                        "offset from the start at each time",
                    ),
                ],
            ),
            variant(
                "rotation",
                "turning about an axis",
                vec![
                    Key::new("center", VECTOR, Required, "m", "a point of the axis"),
                    Key::new("axis", Kind::Direction, Required, "", "axis, of any length"),
                    Key::new("rate", FINITE, Required, "rad/s", "angular velocity"),
                    start(),
                    end(),
                ],
            ),
            variant(
                "shake",
                "a sine along a direction",
                vec![
                    Key::new("amplitude", VECTOR, Required, "m", "direction and amplitude"),
                    Key::new("frequency", POSITIVE, Required, "Hz", "oscillations per second"),
                    start(),
                    end(),
                ],
            ),
        ],
    }
}
