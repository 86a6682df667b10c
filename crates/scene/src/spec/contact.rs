//! Obstacles, and contact between bodies.

use super::motion::motion;
use super::parts::vertices;
use super::place::{ball, on_and, plane};
use super::sections::{FINITE, NOT_NEGATIVE, POSITIVE, VECTOR, number, variant, vector};
use super::{Bounds, Choice, Key, Kind, Presence, Section};
use crate::tree::Value;
use Presence::{Optional, Required};

/// Describes an obstacle.
pub(super) fn contact() -> Section {
    let obstacle = Kind::OneOf(vec![
        Key::new("plane", Kind::Table(plane()), Optional, "", "nodes may be where its normal points to"),
        Key::new("ball", Kind::Table(ball()), Optional, "", "nodes may be outside"),
        Key::new("box", Kind::Table(cuboid()), Optional, "", "of constraints: nodes may be outside"),
        Key::new("capsule", Kind::Table(capsule()), Optional, "", "of constraints: nodes may be outside"),
        Key::new("mesh", Kind::Table(mesh()), Optional, "", "of constraints: nodes may be where its triangles look to"),
    ]);
    let more = vec![Key::new("obstacle", obstacle, Required, "", "what nodes meet")];
    let moves = Section::new("How the obstacle moves.", vec![]).with(motion("kind", "how it moves"));
    Section::new("An obstacle.", on_and(Optional, more)).with(Choice {
        key: "kind",
        doc: "how it acts",
        default: None,
        variants: vec![
            variant(
                "penalty",
                "a spring that pushes nodes out",
                vec![Key::new("stiffness", POSITIVE, Required, "N/m", "stiffness of the spring at each node")],
            ),
            variant("projection", "nodes inside a ball are put back on its surface after each step", vec![]),
            variant(
                "constraint",
                "nodes are kept outside, with friction, by methods that know constraints",
                vec![
                    friction("Coulomb's coefficient against the obstacle"),
                    Key::new("motion", Kind::Table(moves), Optional, "", "how it moves; still if left out"),
                ],
            ),
        ],
    })
}

/// Describes contact of bodies with themselves and each other.
pub(super) fn collisions() -> Section {
    let flag = |name, doc| Key::new(name, Kind::Flag, Presence::Default(Value::Flag(true)), "", doc);
    Section::new(
        "Bodies that meet themselves and each other, and the laws of contact as a constraint.",
        vec![
            Key::new(
                "thickness",
                POSITIVE,
                Optional,
                "m",
                "layers keep this apart, and half of it from obstacles; a quarter of the shortest edge if left out",
            ),
            Key::new(
                "margin",
                NOT_NEGATIVE,
                Optional,
                "m",
                "how much nearer than foreseen things may come within a step; the thickness if left out",
            ),
            friction("Coulomb's coefficient between bodies"),
            Key::new(
                "max_separation_speed",
                POSITIVE,
                Optional,
                "m/s",
                "how fast overlaps that are there are undone; the thickness a step if left out",
            ),
            flag("self", "whether bodies meet themselves"),
            flag("between", "whether bodies meet each other"),
        ],
    )
}

fn friction(doc: &'static str) -> Key {
    Key::new("friction", NOT_NEGATIVE, number(0.0), "", doc)
}

fn turn() -> Key {
    let rotation = Section::new(
        "A rotation of the obstacle about its own origin.",
        vec![
            Key::new("axis", Kind::Direction, Required, "", "axis, of any length"),
            Key::new("degrees", FINITE, Required, "degrees", "angle"),
        ],
    );
    Key::new("rotation", Kind::Table(rotation), Optional, "", "rotation about its centre or origin")
}

fn cuboid() -> Section {
    let sides = Kind::Numbers { components: 3, bounds: Bounds::POSITIVE, spread: true };
    Section::new(
        "A box.",
        vec![
            Key::new("center", VECTOR, Required, "m", "centre"),
            Key::new("size", sides, Required, "m", "its sides; one number for a cube"),
            turn(),
        ],
    )
}

fn capsule() -> Section {
    Section::new(
        "All that is nearer than a radius to a segment.",
        vec![
            Key::new("from", VECTOR, Required, "m", "one end of the segment"),
            Key::new("to", VECTOR, Required, "m", "the other end"),
            Key::new("radius", POSITIVE, Required, "m", "radius"),
        ],
    )
}

fn mesh() -> Section {
    Section::new(
        "The surface of a mesh: its triangles, or the boundary of its tets. An open surface has one side.",
        vec![
            Key::new("path", Kind::Text, Required, "", "a mesh file, or a shape file (.toml)"),
            vertices(Optional, "of a shape file: about how many vertices it is filled with"),
            Key::new("position", VECTOR, vector([0.0; 3]), "m", "added to all points, after scale and rotation"),
            turn(),
            Key::new("scale", POSITIVE, number(1.0), "", "factor of its size"),
            Key::new("checksum", Kind::Text, Optional, "", "what the checksum of the file must be; run.toml says it"),
        ],
    )
}
