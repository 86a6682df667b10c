//! Fibres and their roots.

use super::sections::variant;
use super::selection::where_key;
use super::{Choice, Content, Key, Section};
use model::fibre::PARAMETERS;
use model::parameter::Kind;
use model::parameter::Preset::{Numbers, Optional, Required};

/// Most roots of one entry.
const MOST: u32 = 10_000_000;

/// Describes fibres.
pub(super) fn fibres() -> Section {
    let mut keys = vec![
        Key::new("name", Kind::Text, Optional, "", "unique name; fibres-1 ... if left out"),
        Key::new("roots", Content::Table(roots()), Required, "", "places where the fibres begin"),
        Key::new(
            "direction",
            Kind::Direction,
            Optional,
            "",
            "direction of all fibres, of any length; the normal of the surface if left out",
        ),
    ];
    keys.extend(PARAMETERS.iter().map(Key::from));
    Section::new(
        "Hairs or bristles: chains of cuboids that stretch, bend and twist as rods do. Groups: roots, tips (the first and the \
         last ring of four nodes of every fibre); fix or script the roots to clamp them. stiffness = \"turned\" of the \
         integrator lets them move at steps that are practical.",
        keys,
    )
}

fn roots() -> Section {
    let count = || {
        let kind = Kind::count_within(1, MOST);
        Key::new("count", kind, Required, "", "number of roots, at random places that depend on the `seed`")
    };
    let part = || where_key(Optional, "part of the surface that has roots; all of it if left out");
    let center = || Key::new("center", Kind::VECTOR, Numbers(&[0.0; 3]), "m", "centre");
    Section::new("Roots of fibres.", vec![]).with(Choice {
        key: "on",
        doc: "what the fibres grow on",
        default: None,
        variants: vec![
            variant(
                "points",
                "given points",
                vec![
                    Key::new("points", Kind::Points { components: 3 }, Required, "m", "the points"),
                    Key::new(
                        "directions",
                        Kind::Points { components: 3 },
                        Optional,
                        "",
                        "a direction for each point, instead of one for all",
                    ),
                ],
            ),
            variant(
                "rows",
                "rows on a parallelogram, each root in the middle of its cell",
                vec![
                    center(),
                    Key::new("side", Kind::Direction, Required, "m", "its first side"),
                    Key::new(
                        "other_side",
                        Kind::Direction,
                        Required,
                        "m",
                        "its second side; the normal is first x second",
                    ),
                    Key::new(
                        "counts",
                        Kind::Count { components: 2, range: [1, MOST] },
                        Required,
                        "",
                        "number of roots along both sides",
                    ),
                ],
            ),
            variant(
                "ball",
                "a sphere",
                vec![center(), Key::new("radius", Kind::POSITIVE, Required, "m", "radius"), count(), part()],
            ),
            variant(
                "body",
                "the surface of a [[body]], at rest",
                vec![Key::new("body", Kind::Text, Required, "", "name of the body"), count(), part()],
            ),
            variant(
                "file",
                "the surface in a mesh file",
                vec![
                    Key::new("path", Kind::Text, Required, "", "the file, from the directory of the scene"),
                    Key::new("scale", Kind::POSITIVE, Numbers(&[1.0]), "", "factor of its size"),
                    Key::new("position", Kind::VECTOR, Numbers(&[0.0; 3]), "m", "translation, after scaling"),
                    count(),
                    part(),
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
