//! Bodies put together from shapes, in the form of documents.

use super::body::parameters;
use super::turn;
use crate::solid::{PartKind, ShapePart, Solid};
use crate::spec::{ASSEMBLY, SURFACE};
use crate::tree::Table;
use geometry::shape::{Mirror, Operation};

/// Returns the keys of a body of parts. Only a shape file has a title.
pub(super) fn solid(solid: &Solid) -> Table {
    Table::default()
        .with("vertices", solid.vertices)
        .with("grading", solid.grading)
        .maybe("surface", solid.surface)
        .list("part", solid.parts.iter().map(part))
}

fn part(part: &ShapePart) -> Table {
    let operation = Operation::NAMES.iter().find(|(_, known)| *known == part.operation).map_or("", |(name, _)| name);
    let mirror = part.mirror.map(|mirror| match mirror {
        Mirror::X => "x",
        Mirror::Y => "y",
        Mirror::Z => "z",
    });
    let twist = part
        .twist
        .as_ref()
        .map(|twist| Table::default().with("axis", twist.axis).with("degrees_per_metre", twist.degrees_per_metre));
    let repeat = part.repeat.as_ref().map(|repeat| {
        Table::default()
            .with("count", repeat.count)
            .with("offset", repeat.offset)
            .with("axis", repeat.turn.axis)
            .with("degrees", repeat.turn.degrees)
            .with("factor", repeat.factor)
    });
    let table = Table::default()
        .maybe("name", part.name.as_deref())
        .maybe("into", part.into.as_deref())
        .with("operation", operation)
        .with("blend", part.blend)
        .with("position", part.position)
        .maybe("rotation", turn(part.rotation))
        .with("scale", part.scale)
        .maybe("mirror", mirror)
        .maybe("twist", twist)
        .maybe("repeat", repeat);
    match &part.kind {
        PartKind::Simple { shape, parameters: given } => {
            parameters(table.with("kind", shape.name), given, shape.parameters)
        }
        PartKind::Assembly { of } => table.with("kind", ASSEMBLY).with("of", of.as_str()),
        PartKind::Surface { file } => table.with("kind", SURFACE).with("file", file.as_str()),
    }
}
