//! Selectors: the part of a body that a section is about.

use super::sections::{NOT_NEGATIVE, POSITIVE, VECTOR};
use super::{Bounds, Key, Kind, Presence, Section};
use Presence::{Optional, Required};

/// Describes a selector.
pub(super) fn where_key(presence: Presence, doc: &'static str) -> Key {
    let corner = Kind::Numbers { components: 3, bounds: Bounds::INFINITE, spread: false };
    let center = || Key::new("center", VECTOR, Required, "m", "centre");
    let selectors = vec![
        Key::new(
            "box",
            Kind::Table(Section::new(
                "An axis-aligned box; sides may be inf.",
                vec![
                    Key::new("min", corner.clone(), Required, "m", "lowest corner"),
                    Key::new("max", corner, Required, "m", "highest corner"),
                ],
            )),
            Optional,
            "",
            "an axis-aligned box",
        ),
        Key::new("ball", Kind::Table(ball()), Optional, "", "a ball"),
        Key::new(
            "shell",
            Kind::Table(Section::new(
                "The space between two spheres.",
                vec![
                    center(),
                    Key::new("inner", NOT_NEGATIVE, Required, "m", "inner radius"),
                    Key::new("outer", POSITIVE, Required, "m", "outer radius"),
                ],
            )),
            Optional,
            "",
            "the space between two spheres",
        ),
        Key::new("half_space", Kind::Table(plane()), Optional, "", "the side of a plane that its normal points to"),
        Key::new("group", Kind::Text, Optional, "", "a named group of the shape"),
        Key::new("all", Kind::Flag, Optional, "", "everything: all = true"),
    ];
    Key::new("where", Kind::OneOf(selectors), presence, "", doc)
}

/// Describes a ball, as a selector or an obstacle.
pub(super) fn ball() -> Section {
    Section::new(
        "A ball.",
        vec![
            Key::new("center", VECTOR, Required, "m", "centre"),
            Key::new("radius", POSITIVE, Required, "m", "radius"),
        ],
    )
}

/// Describes a plane, as a selector or an obstacle.
pub(super) fn plane() -> Section {
    Section::new(
        "A plane.",
        vec![
            Key::new("point", VECTOR, Required, "m", "a point of the plane"),
            Key::new("normal", Kind::Direction, Required, "", "its normal, of any length"),
        ],
    )
}

/// Describes `body` and `where`; `where` is required, or everything by default.
pub(super) fn on(presence: Presence) -> Vec<Key> {
    let doc = match presence {
        Required => "name of the body; may be left out where there is one only",
        _ => "name of the body; all bodies if left out",
    };
    vec![
        Key::new("body", Kind::Text, Optional, "", doc),
        where_key(presence, "selected nodes, by their position at rest"),
    ]
}

/// Describes `body` and `where`, followed by more keys.
pub(super) fn on_and(presence: Presence, more: Vec<Key>) -> Vec<Key> {
    on(presence).into_iter().chain(more).collect()
}
