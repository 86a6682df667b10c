//! Rigid bodies and joints.

use super::place::place;
use super::sections::{FINITE, NOT_NEGATIVE, POSITIVE, VECTOR, number, variant, vector};
use super::tables::density;
use super::{Bounds, Choice, Key, Kind, Presence, Section};
use crate::tree::Value;
use Presence::{Optional, Required};

/// Describes a rigid body.
pub(super) fn rigid() -> Section {
    let rotation = Section::new(
        "A rotation of the shape about its own origin.",
        vec![
            Key::new("axis", Kind::Direction, Required, "", "axis, of any length"),
            Key::new("degrees", FINITE, Required, "degrees", "angle"),
        ],
    );
    Section::new(
        "A rigid body, of uniform density.",
        vec![
            Key::new("name", Kind::Text, Optional, "", "its name, unlike all others; rigid-1 ... if none is given"),
            Key::new("shape", Kind::Table(shape()), Required, "", "what it looks like"),
            Key::new("position", VECTOR, vector([0.0; 3]), "m", "where the origin of the shape is"),
            Key::new("rotation", Kind::Table(rotation), Optional, "", "rotation about the origin of the shape"),
            density(Optional),
            Key::new("mass", POSITIVE, Optional, "kg", "its mass, instead of a density"),
            Key::new("velocity", VECTOR, vector([0.0; 3]), "m/s", "velocity of its centre of mass at the beginning"),
            Key::new("angular_velocity", VECTOR, vector([0.0; 3]), "rad/s", "angular velocity at the beginning"),
            Key::new(
                "friction",
                NOT_NEGATIVE,
                number(0.5),
                "",
                "Coulomb's coefficient; of two that touch the geometric mean counts",
            ),
            Key::new("fixed", Kind::Flag, Presence::Default(Value::Flag(false)), "", "whether it never moves"),
        ],
    )
}

fn shape() -> Section {
    let sides = Kind::Numbers { components: 3, bounds: Bounds::POSITIVE, spread: true };
    let radius = || Key::new("radius", POSITIVE, Required, "m", "radius");
    Section::new("A rigid shape.", vec![]).with(Choice {
        key: "kind",
        doc: "what it looks like",
        default: None,
        variants: vec![
            variant(
                "box",
                "a box around the origin",
                vec![Key::new("size", sides, Required, "m", "its sides; one number for a cube")],
            ),
            variant("ball", "a ball around the origin", vec![radius()]),
            variant(
                "capsule",
                "all that is nearer than the radius to a segment along z around the origin",
                vec![
                    Key::new("length", POSITIVE, Required, "m", "length of the segment, without the round ends"),
                    radius(),
                ],
            ),
            variant(
                "hull",
                "the convex hull of points, or of a mesh",
                vec![
                    Key::new("points", Kind::Vectors { components: 3 }, Optional, "m", "the points"),
                    Key::new("path", Kind::Text, Optional, "", "a mesh file, from the directory of the scene"),
                    Key::new(
                        "checksum",
                        Kind::Text,
                        Optional,
                        "",
                        "what the checksum of the file must be; run.toml says it",
                    ),
                ],
            ),
        ],
    })
}

/// Describes a joint.
pub(super) fn joint() -> Section {
    let at = || Key::new("at", VECTOR, Required, "m", "where; a body that is not rigid is held by its nearest node");
    Section::new(
        "A joint between two bodies, at least one of them rigid, or between a body and the world.",
        vec![
            Key::new("body", Kind::Text, Required, "", "the body it holds"),
            Key::new("to", Kind::Text, Optional, "", "the body it is held by; the world if left out"),
            Key::new(
                "compliance",
                NOT_NEGATIVE,
                number(0.0),
                "m/N",
                "how far the points of the joint give; turns never",
            ),
        ],
    )
    .with(Choice {
        key: "kind",
        doc: "what it keeps",
        default: None,
        variants: vec![
            variant("ball", "a point of both", vec![at()]),
            variant(
                "hinge",
                "a point of both, and an axis they turn about",
                vec![at(), Key::new("axis", Kind::Direction, Required, "", "axis, of any length")],
            ),
            variant("fixed", "a point of both, and all directions", vec![at()]),
            variant(
                "distance",
                "how far two points are apart",
                vec![
                    at(),
                    Key::new("to_at", VECTOR, Required, "m", "the point of the other body, or of the world"),
                    Key::new("length", NOT_NEGATIVE, Optional, "m", "distance; that at the beginning if left out"),
                ],
            ),
        ],
    })
}

/// Describes the expected position of a body at the end.
pub(super) fn position() -> Section {
    let corner = || Kind::Numbers { components: 3, bounds: Bounds::INFINITE, spread: false };
    Section::new(
        "Where the centre of mass of a body, or of a part of it, must be at the end.",
        vec![
            Key::new("body", Kind::Text, Required, "", "name of the body"),
            place(Optional, "which of its nodes, by their place at rest; the whole body if left out"),
            Key::new("low", corner(), Required, "m", "lowest corner; may be -inf"),
            Key::new("high", corner(), Required, "m", "highest corner; may be inf"),
        ],
    )
}
