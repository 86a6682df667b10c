//! Rigid bodies and joints.

use super::sections::variant;
use super::selection::where_key;
use super::tables::density;
use super::{Choice, Content, Key, Section};
use model::parameter::Preset::{Flag, Numbers, Optional, Required};
use model::parameter::{Kind, Range};

/// Describes a rigid body.
pub(super) fn rigid() -> Section {
    let rotation = Section::new(
        "A rotation of the shape about its own origin.",
        vec![
            Key::new("axis", Kind::Direction, Required, "", "axis, of any length"),
            Key::new("degrees", Kind::FINITE, Required, "degrees", "angle"),
        ],
    );
    Section::new(
        "A rigid body, of uniform density.",
        vec![
            Key::new("name", Kind::Text, Optional, "", "unique name; rigid-1 ... if left out"),
            Key::new("shape", Content::Table(shape()), Required, "", "its shape"),
            Key::new("position", Kind::VECTOR, Numbers(&[0.0; 3]), "m", "position of the origin of the shape"),
            Key::new("rotation", Content::Table(rotation), Optional, "", "rotation about the origin of the shape"),
            density(Optional),
            Key::new("mass", Kind::POSITIVE, Optional, "kg", "its mass, instead of a density"),
            Key::new(
                "velocity",
                Kind::VECTOR,
                Numbers(&[0.0; 3]),
                "m/s",
                "velocity of its centre of mass at the beginning",
            ),
            Key::new(
                "angular_velocity",
                Kind::VECTOR,
                Numbers(&[0.0; 3]),
                "rad/s",
                "angular velocity at the beginning",
            ),
            Key::new(
                "friction",
                Kind::NOT_NEGATIVE,
                Numbers(&[0.5]),
                "",
                "Coulomb's coefficient; two bodies in contact have the geometric mean of theirs",
            ),
            Key::new("fixed", Kind::Flag, Flag(false), "", "true for a body that never moves"),
        ],
    )
}

fn shape() -> Section {
    let radius = || Key::new("radius", Kind::POSITIVE, Required, "m", "radius");
    Section::new("A rigid shape.", vec![]).with(Choice {
        key: "kind",
        doc: "its shape",
        default: None,
        variants: vec![
            variant(
                "box",
                "a box around the origin",
                vec![Key::new("size", Kind::lengths(3), Required, "m", "its sides; one number for a cube")],
            ),
            variant("ball", "a ball around the origin", vec![radius()]),
            variant(
                "capsule",
                "all points nearer than the radius to a segment along z, centred at the origin",
                vec![
                    Key::new("length", Kind::POSITIVE, Required, "m", "length of the segment, without the round ends"),
                    radius(),
                ],
            ),
            variant(
                "hull",
                "the convex hull of points, or of a mesh",
                vec![
                    Key::new("points", Kind::Points { components: 3 }, Optional, "m", "the points"),
                    Key::new("path", Kind::Text, Optional, "", "a mesh file, from the directory of the scene"),
                    Key::new(
                        "checksum",
                        Kind::Text,
                        Optional,
                        "",
                        "expected checksum of the file; written to run.toml",
                    ),
                ],
            ),
        ],
    })
}

/// Describes a joint.
pub(super) fn joint() -> Section {
    let at = || {
        Key::new(
            "at",
            Kind::VECTOR,
            Required,
            "m",
            "position of the joint; of a deformable body its nearest node is held",
        )
    };
    Section::new(
        "A joint between two bodies, at least one of them rigid, or between a body and the world.",
        vec![
            Key::new("body", Kind::Text, Required, "", "the first body"),
            Key::new("to", Kind::Text, Optional, "", "the second body; the world if left out"),
            Key::new(
                "compliance",
                Kind::NOT_NEGATIVE,
                Numbers(&[0.0]),
                "m/N",
                "compliance of the points of the joint; directions are always rigid",
            ),
        ],
    )
    .with(Choice {
        key: "kind",
        doc: "kind of joint",
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
                "distance of two points",
                vec![
                    at(),
                    Key::new("to_at", Kind::VECTOR, Required, "m", "the point of the other body, or of the world"),
                    Key::new("length", Kind::NOT_NEGATIVE, Optional, "m", "distance; the initial one if left out"),
                ],
            ),
        ],
    })
}

/// Describes the expected position of a body at the end.
pub(super) fn position() -> Section {
    let corner = || Kind::Number { components: 3, range: Range::Infinite };
    Section::new(
        "Expected final position of the centre of mass of a body, or of a part of it.",
        vec![
            Key::new("body", Kind::Text, Required, "", "name of the body"),
            where_key(Optional, "selected nodes, by their position at rest; the whole body if left out"),
            Key::new("low", corner(), Required, "m", "lowest corner; may be -inf"),
            Key::new("high", corner(), Required, "m", "highest corner; may be inf"),
        ],
    )
}
