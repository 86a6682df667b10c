//! Selectors: the part of a body that a section is about.

use super::{Content, Key, Section};
use model::parameter::Preset::{Optional, Required};
use model::parameter::{Kind, Preset, Range};

/// Describes a selector.
pub(super) fn where_key(default: Preset, doc: &'static str) -> Key {
    let corner = Kind::Number { components: 3, range: Range::Infinite };
    let center = || Key::new("center", Kind::VECTOR, Required, "m", "centre");
    let selectors = vec![
        Key::new(
            "box",
            Content::Table(Section::new(
                "An axis-aligned box; sides may be inf.",
                vec![
                    Key::new("min", corner, Required, "m", "lowest corner"),
                    Key::new("max", corner, Required, "m", "highest corner"),
                ],
            )),
            Optional,
            "",
            "an axis-aligned box",
        ),
        Key::new("ball", Content::Table(ball()), Optional, "", "a ball"),
        Key::new(
            "shell",
            Content::Table(Section::new(
                "The space between two spheres.",
                vec![
                    center(),
                    Key::new("inner", Kind::NOT_NEGATIVE, Required, "m", "inner radius"),
                    Key::new("outer", Kind::POSITIVE, Required, "m", "outer radius"),
                ],
            )),
            Optional,
            "",
            "the space between two spheres",
        ),
        Key::new("half_space", Content::Table(plane()), Optional, "", "the side of a plane that its normal points to"),
        Key::new("group", Kind::Text, Optional, "", "a named group of the shape"),
        Key::new("all", Kind::Flag, Optional, "", "everything: all = true"),
    ];
    Key::new("where", Content::OneOf(selectors), default, "", doc)
}

/// Describes a ball, as a selector or an obstacle.
pub(super) fn ball() -> Section {
    Section::new(
        "A ball.",
        vec![
            Key::new("center", Kind::VECTOR, Required, "m", "centre"),
            Key::new("radius", Kind::POSITIVE, Required, "m", "radius"),
        ],
    )
}

/// Describes a plane, as a selector or an obstacle.
pub(super) fn plane() -> Section {
    Section::new(
        "A plane.",
        vec![
            Key::new("point", Kind::VECTOR, Required, "m", "a point of the plane"),
            Key::new("normal", Kind::Direction, Required, "", "its normal, of any length"),
        ],
    )
}

/// Describes `body` and `where`; `where` is required, or everything by default.
pub(super) fn on(default: Preset) -> Vec<Key> {
    let doc = match default {
        Required => "name of the body; may be left out where there is one only",
        _ => "name of the body; all bodies if left out",
    };
    vec![
        Key::new("body", Kind::Text, Optional, "", doc),
        where_key(default, "selected nodes, by their position at rest"),
    ]
}

/// Describes `body` and `where`, followed by more keys.
pub(super) fn on_and(default: Preset, more: Vec<Key>) -> Vec<Key> {
    on(default).into_iter().chain(more).collect()
}
