//! Obstacles, and contact between bodies.

use super::motion::motion;
use super::parts::vertices;
use super::sections::{FINITE, NOT_NEGATIVE, POSITIVE, VECTOR, number, variant, vector};
use super::selection::{ball, on_and, plane};
use super::{Bounds, Choice, Key, Kind, Presence, Section};
use crate::tree::Value;
use Presence::{Optional, Required};

/// Describes an obstacle.
pub(super) fn contact() -> Section {
    let obstacle = Kind::OneOf(vec![
        Key::new(
            "plane",
            Kind::Table(plane()),
            Optional,
            "",
            "a plane: nodes stay on the side that its normal points to",
        ),
        Key::new("ball", Kind::Table(ball()), Optional, "", "a ball: nodes stay outside"),
        Key::new("box", Kind::Table(cuboid()), Optional, "", "for constraints: nodes stay outside"),
        Key::new("capsule", Kind::Table(capsule()), Optional, "", "for constraints: nodes stay outside"),
        Key::new(
            "mesh",
            Kind::Table(mesh()),
            Optional,
            "",
            "for constraints: nodes stay on the outer side of its triangles",
        ),
    ]);
    let more = vec![Key::new("obstacle", obstacle, Required, "", "the obstacle")];
    let moves = Section::new("Motion of the obstacle.", vec![]).with(motion("kind", "its motion"));
    Section::new("An obstacle.", on_and(Optional, more)).with(Choice {
        key: "kind",
        doc: "kind of contact",
        default: None,
        variants: vec![
            variant(
                "penalty",
                "a spring that pushes nodes out",
                vec![Key::new("stiffness", POSITIVE, Required, "N/m", "stiffness of the spring at each node")],
            ),
            variant("projection", "nodes inside a ball are moved to its surface after each step", vec![]),
            variant(
                "constraint",
                "nodes are kept outside, with friction, by methods with constraints",
                vec![
                    friction("Coulomb's coefficient against the obstacle"),
                    Key::new("motion", Kind::Table(moves), Optional, "", "its motion; at rest if left out"),
                ],
            ),
        ],
    })
}

/// Describes contact of bodies with themselves and each other.
pub(super) fn collisions() -> Section {
    let flag = |name, doc| Key::new(name, Kind::Flag, Presence::Default(Value::Flag(true)), "", doc);
    Section::new(
        "Contact as a constraint: of bodies with themselves and with each other, and its parameters.",
        vec![
            Key::new(
                "thickness",
                POSITIVE,
                Optional,
                "m",
                "distance that layers keep from each other, and half of it from obstacles; a quarter of the shortest edge if left out",
            ),
            Key::new(
                "margin",
                NOT_NEGATIVE,
                Optional,
                "m",
                "margin for approaches within a step that the prediction misses; the thickness if left out",
            ),
            friction("Coulomb's coefficient between bodies"),
            Key::new(
                "max_separation_speed",
                POSITIVE,
                Optional,
                "m/s",
                "speed at which overlaps are removed; one thickness per step if left out",
            ),
            flag("self", "contact of bodies with themselves"),
            flag("between", "contact between different bodies"),
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
        "All points nearer than a radius to a segment.",
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
            vertices(Optional, "for a shape file: approximate number of vertices"),
            Key::new("position", VECTOR, vector([0.0; 3]), "m", "added to all points, after scale and rotation"),
            turn(),
            Key::new("scale", POSITIVE, number(1.0), "", "factor of its size"),
            Key::new("checksum", Kind::Text, Optional, "", "expected checksum of the file; written to run.toml"),
        ],
    )
}
