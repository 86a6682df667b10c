//! Bodies put together from shapes: in a scene, or in a file of their own.

use super::tables::words;
use super::{Choice, Content, Key, Section, Variant, keys};
use geometry::shape::{Operation, SHAPES};
use model::parameter::Preset::{Numbers, Optional, Required, Word};
use model::parameter::{Kind, Preset};
use std::sync::LazyLock;

/// Word for a body that is put together in the scene.
pub(crate) const PARTS: &str = "parts";
/// Word for a part that was put together before.
pub(crate) const ASSEMBLY: &str = "assembly";
/// Word for a fine surface that is the one of the file.
pub(crate) const GIVEN: &str = "given";
/// Word for a part that is the inside of a closed surface.
pub(crate) const SURFACE: &str = "surface";

/// Largest number of vertices: more exhaust the memory before the first step.
const MOST_VERTICES: u32 = 5_000_000;
/// Largest number of vertices of a surface: it is the boundary of tets, which are several times as many.
const MOST_OF_SURFACE: u32 = 1_000_000;

/// Describes a file that holds a body.
pub(crate) fn shape_file() -> &'static Section {
    static ROOT: LazyLock<Section> = LazyLock::new(|| {
        let mut keys = vec![Key::new("title", Kind::Text, Word(""), "", "title")];
        keys.extend(solid());
        Section::new(
            "A body put together from shapes, filled with tets: the file that a scene names with `generator = \"file\"`.",
            keys,
        )
    });
    &ROOT
}

/// Describes a body that is put together in the scene.
pub(super) fn parts() -> Variant {
    Variant { name: PARTS, aliases: &[], doc: "a body put together from shapes, filled with tets", keys: solid() }
}

/// Describes the approximate number of vertices of a body filled with tets.
pub(super) fn vertices(default: Preset, doc: &'static str) -> Key {
    Key::new("vertices", Kind::count_within(8, MOST_VERTICES), default, "", doc)
}

/// Describes the growth of tets towards the inside.
pub(super) fn grading(default: Preset) -> Key {
    let doc =
        "number of times that tets may double in size from the surface to the middle; 0 for the same size everywhere";
    Key::new("grading", Kind::count_within(0, 8), default, "", doc)
}

/// Describes the fine surface that follows the tets.
fn surface() -> Key {
    let doc = "approximate number of vertices of a finer surface that follows the tets, for display; none if left out";
    Key::new("surface", Kind::count_within(8, MOST_OF_SURFACE), Optional, "", doc)
}

/// Describes the fine surface of a body of a file.
pub(super) fn surface_of_file() -> Key {
    let doc = "approximate number of vertices of a finer surface that follows the tets, for display; \"given\" for the \
               triangles of the file that is filled; none if left out";
    Key::new("surface", Kind::CountOr { range: [8, MOST_OF_SURFACE], word: GIVEN }, Optional, "", doc)
}

fn solid() -> Vec<Key> {
    vec![
        vertices(Required, "approximate number of vertices of its mesh"),
        grading(Numbers(&const { [crate::solid::GRADING as f64] })),
        surface(),
        Key::new("part", Content::Tables(part()), Required, "", "its parts, joined in this order"),
    ]
}

fn part() -> Section {
    let rotation = Section::new(
        "A rotation of the part about its own origin.",
        vec![
            Key::new("axis", Kind::Direction, Required, "", "axis, of any length"),
            Key::new("degrees", Kind::FINITE, Required, "degrees", "angle"),
        ],
    );
    let twist = Section::new(
        "A rotation about an axis through the origin of the shape, by an angle that grows along it.",
        vec![
            Key::new("axis", Kind::Direction, Required, "", "axis, of any length"),
            Key::new("degrees_per_metre", Kind::FINITE, Required, "degrees/m", "angle per metre along the axis"),
        ],
    );
    let repeat = Section::new(
        "Copies of the part, each made from the one before: scaled, turned about the origin, moved.",
        vec![
            Key::new("count", Kind::count_within(1, 10_000), Required, "", "total number"),
            Key::new("offset", Kind::VECTOR, Numbers(&[0.0; 3]), "m", "displacement of each from the one before"),
            Key::new("axis", Kind::Direction, Numbers(&[0.0, 0.0, 1.0]), "", "axis of the rotation of each"),
            Key::new("degrees", Kind::FINITE, Numbers(&[0.0]), "degrees", "angle of the rotation of each"),
            Key::new("factor", Kind::POSITIVE, Numbers(&[1.0]), "", "factor of the size of each"),
        ],
    );
    // Files said "region" before that word meant a part with small steps.
    let old = |of: Operation| -> &'static [&'static str] { if of == Operation::Label { &["region"] } else { &[] } };
    let operations = Operation::NAMES.iter().map(|(name, of)| (*name, old(*of))).collect();
    Section::new(
        "A part of a body: a shape; twisted, repeated, scaled, turned, moved, mirrored, in that order.",
        vec![
            Key::new("name", Kind::Text, Optional, "", "its name, a group of the mesh; several may share one"),
            Key::new(
                "into",
                Kind::Text,
                Optional,
                "",
                "adds the part to the assembly of this name, for later parts, instead of to the body",
            ),
            Key::new(
                "operation",
                Content::Row(operations),
                Word("union"),
                "",
                "added, cut away, everything else cut away, or only a name for its inside",
            ),
            Key::new(
                "blend",
                Kind::NOT_NEGATIVE,
                Numbers(&[0.0]),
                "m",
                "width of the smooth seam to the parts before it",
            ),
            Key::new(
                "position",
                Kind::VECTOR,
                Numbers(&[0.0; 3]),
                "m",
                "added to all points, after scale and rotation",
            ),
            Key::new("rotation", Content::Table(rotation), Optional, "", "rotation about the origin of the part"),
            Key::new("scale", Kind::POSITIVE, Numbers(&[1.0]), "", "factor of its size"),
            Key::new(
                "mirror",
                words(&["x", "y", "z"]),
                Optional,
                "",
                "adds a copy on the other side of the origin along this axis",
            ),
            Key::new("twist", Content::Table(twist), Optional, "", "a turn that grows along an axis"),
            Key::new("repeat", Content::Table(repeat), Optional, "", "copies, each made from the one before"),
        ],
    )
    .with(Choice { key: "kind", doc: "its shape", default: None, variants: shapes() })
}

fn shapes() -> Vec<Variant> {
    let mut variants: Vec<Variant> = SHAPES
        .iter()
        .map(|shape| Variant { name: shape.name, aliases: &[], doc: shape.description, keys: keys(shape.parameters) })
        .collect();
    variants.push(Variant {
        name: ASSEMBLY,
        aliases: &[],
        doc: "an assembly of earlier parts",
        keys: vec![Key::new("of", Kind::Text, Required, "", "the name that earlier parts gave with `into`")],
    });
    let path = "the file (OBJ, PLY, STL ...) in the directory of the shape file; holes are closed, if small";
    variants.push(Variant {
        name: SURFACE,
        aliases: &[],
        doc: "the inside of a closed surface of triangles; only in a shape file",
        keys: vec![Key::new("file", Kind::Text, Required, "", path)],
    });
    variants
}
