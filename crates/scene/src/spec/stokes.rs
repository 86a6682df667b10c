//! Stokes flow and motors.

use super::{Content, Key, Section};
use model::parameter::Kind;
use model::parameter::Preset::{Optional, Required, Word};
use model::stokes::{EPSILON, MOTOR, PARAMETERS};

/// Describes a fluid without inertia.
pub(super) fn stokes() -> Section {
    let body = Key::new("body", Kind::Text, Required, "", "name of the body or of the fibres");
    let wet = Section::new("A body in the fluid.", vec![body, Key::from(&EPSILON)]);
    let mut keys: Vec<Key> = PARAMETERS.iter().map(Key::from).collect();
    keys.push(Key::new("wet", Content::Tables(wet), Optional, "", "bodies and fibres in the fluid; all if left out"));
    Section::new(
        "A fluid so viscous that neither it nor bodies have inertia, as around bacteria: Stokes flow. It drags bodies, and they drag \
         each other through it.",
        keys,
    )
}

/// Describes a motor.
pub(super) fn motor() -> Section {
    let mut keys = vec![
        Key::new(
            "fibres",
            Kind::Text,
            Required,
            "",
            "name of the [[fibres]], with one fibre, whose first ring it turns",
        ),
        Key::new("body", Kind::Text, Required, "", "name of the body that it pushes off from"),
        Key::new("axle", Kind::Text, Word("axle"), "", "group of the two nodes of the axle, in that body"),
    ];
    keys.extend(MOTOR.iter().map(Key::from));
    Section::new(
        "A motor: a torque on the root of a fibre about an axle of a body, and its opposite on the body. Springs hold the root on the \
         axle.",
        keys,
    )
}
