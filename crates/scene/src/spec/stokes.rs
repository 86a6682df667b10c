//! Stokes flow and motors.

use super::sections::{FINITE, POSITIVE, text};
use super::tables::parameter;
use super::{Key, Kind, Presence, Section};
use Presence::{Optional, Required};
use model::stokes::PARAMETERS;

/// Describes a fluid without inertia.
pub(super) fn stokes() -> Section {
    let wet = Section::new(
        "A body in the fluid.",
        vec![
            Key::new("body", Kind::Text, Required, "", "name of the body or of the fibres"),
            Key::new(
                "epsilon",
                POSITIVE,
                Optional,
                "m",
                "size of the blobs of a body, instead of `surface_epsilon` times the distance of its nodes; one without a surface \
                 needs it",
            ),
        ],
    );
    let mut keys: Vec<Key> = PARAMETERS.iter().map(parameter).collect();
    keys.push(Key::new("wet", Kind::Tables(wet), Optional, "", "bodies and fibres in the fluid; all if left out"));
    Section::new(
        "A fluid so viscous that neither it nor bodies have inertia, as around bacteria: Stokes flow. It drags bodies, and they drag \
         each other through it.",
        keys,
    )
}

/// Describes a motor.
pub(super) fn motor() -> Section {
    Section::new(
        "A motor: a torque on the root of a fibre about an axle of a body, and its opposite on the body. Springs hold the root on the \
         axle.",
        vec![
            Key::new(
                "fibres",
                Kind::Text,
                Required,
                "",
                "name of the [[fibres]], with one fibre, whose first ring it turns",
            ),
            Key::new("body", Kind::Text, Required, "", "name of the body that it pushes off from"),
            Key::new("axle", Kind::Text, text("axle"), "", "group of the two nodes of the axle, in that body"),
            Key::new(
                "torque",
                FINITE,
                Required,
                "N m",
                "torque about the direction from the first to the second node of the axle",
            ),
            Key::new(
                "hinge",
                POSITIVE,
                Required,
                "N/m",
                "stiffness of the springs from the corners of the ring to the nodes of the axle, whose lengths do not change as it \
                 turns",
            ),
        ],
    )
}
