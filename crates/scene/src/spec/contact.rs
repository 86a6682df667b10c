//! Obstacles, and contact between bodies.

use super::motion::motion;
use super::parts::vertices;
use super::selection::{ball, on_and, plane};
use super::{Choice, Content, Key, Section, Variant, keys};
use model::collisions::{CONSTRAINT, IMPULSES, PARAMETERS};
use model::energy::contact::{PENALTY, PROJECTION};
use model::parameter::Kind;
use model::parameter::Preset::{Numbers, Optional, Required};

/// Describes an obstacle.
pub(super) fn contact() -> Section {
    let obstacle = Content::OneOf(vec![
        Key::new(
            "plane",
            Content::Table(plane()),
            Optional,
            "",
            "a plane: nodes stay on the side that its normal points to",
        ),
        Key::new("ball", Content::Table(ball()), Optional, "", "a ball: nodes stay outside"),
        Key::new("box", Content::Table(cuboid()), Optional, "", "for constraints and impulses: nodes stay outside"),
        Key::new(
            "capsule",
            Content::Table(capsule()),
            Optional,
            "",
            "for constraints and impulses: nodes stay outside",
        ),
        Key::new(
            "mesh",
            Content::Table(mesh()),
            Optional,
            "",
            "for constraints and impulses: nodes stay on the outer side of its triangles",
        ),
    ]);
    let more = vec![Key::new("obstacle", obstacle, Required, "", "the obstacle")];
    let moves = Section::new("Motion of the obstacle.", vec![]).with(motion("kind", "its motion"));
    let moves = Key::new("motion", Content::Table(moves), Optional, "", "its motion; at rest if left out");
    Section::new("An obstacle.", on_and(Optional, more)).with(Choice {
        key: "kind",
        doc: "kind of contact",
        default: None,
        variants: vec![
            Variant::from(&PENALTY),
            Variant::from(&PROJECTION),
            Variant { keys: [keys(CONSTRAINT.parameters), vec![moves.clone()]].concat(), ..Variant::from(&CONSTRAINT) },
            Variant { keys: [keys(IMPULSES.parameters), vec![moves]].concat(), ..Variant::from(&IMPULSES) },
        ],
    })
}

/// Describes contact of bodies with themselves and each other.
pub(super) fn collisions() -> Section {
    Section::new(
        "Contact as a constraint or by impulses: of bodies with themselves and with each other, and its parameters.",
        keys(PARAMETERS),
    )
}

fn turn() -> Key {
    let rotation = Section::new(
        "A rotation of the obstacle about its own origin.",
        vec![
            Key::new("axis", Kind::Direction, Required, "", "axis, of any length"),
            Key::new("degrees", Kind::FINITE, Required, "degrees", "angle"),
        ],
    );
    Key::new("rotation", Content::Table(rotation), Optional, "", "rotation about its centre or origin")
}

fn cuboid() -> Section {
    Section::new(
        "A box.",
        vec![
            Key::new("center", Kind::VECTOR, Required, "m", "centre"),
            Key::new("size", Kind::lengths(3), Required, "m", "its sides; one number for a cube"),
            turn(),
        ],
    )
}

fn capsule() -> Section {
    Section::new(
        "All points nearer than a radius to a segment.",
        vec![
            Key::new("from", Kind::VECTOR, Required, "m", "one end of the segment"),
            Key::new("to", Kind::VECTOR, Required, "m", "the other end"),
            Key::new("radius", Kind::POSITIVE, Required, "m", "radius"),
        ],
    )
}

fn mesh() -> Section {
    Section::new(
        "The surface of a mesh: its triangles, or the boundary of its tets. An open surface has one side.",
        vec![
            Key::new("path", Kind::Text, Required, "", "a mesh file, or a shape file (.toml)"),
            vertices(Optional, "for a shape file: approximate number of vertices"),
            Key::new(
                "position",
                Kind::VECTOR,
                Numbers(&[0.0; 3]),
                "m",
                "added to all points, after scale and rotation",
            ),
            turn(),
            Key::new("scale", Kind::POSITIVE, Numbers(&[1.0]), "", "factor of its size"),
            Key::new("checksum", Kind::Text, Optional, "", "expected checksum of the file; written to run.toml"),
        ],
    )
}
