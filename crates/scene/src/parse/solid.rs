//! Bodies put together from shapes: their keys.

use super::Checked;
use super::body::parameters;
use super::read::{turn, undeclared};
use crate::problem::{Problems, Source};
use crate::solid::{PartKind, ShapePart, Solid, SolidRepeat, SolidTwist};
use crate::spec::{self, ASSEMBLY, SURFACE};
use crate::tree::{Read, Table};
use crate::turn::Turn;
use geometry::shape::{Mirror, Operation};

impl Solid {
    /// Reads and checks the text of a shape file; `name` is its name in messages.
    pub fn parse(name: &str, text: &str) -> Result<Solid, Problems> {
        let source = Source::new(name, text);
        let Checked { table, found } = Checked::new(&source, spec::shape_file(), &[])?;
        found.finish()?;
        solid(&table).map_err(|undeclared| undeclared.problem(name))
    }
}

/// Reads a body put together from shapes.
pub(super) fn solid(table: &Table) -> Read<Solid> {
    Ok(Solid {
        title: table.maybe_text("title")?.unwrap_or_default().to_string(),
        vertices: table.count("vertices")? as usize,
        grading: table.count("grading")? as u32,
        surface: table.maybe_count("surface")?.map(|n| n as usize),
        parts: table.tables("part")?.iter().map(solid_part).collect::<Read<_>>()?,
    })
}

fn solid_part(table: &Table) -> Read<ShapePart> {
    let word = table.text("operation")?;
    let operation = Operation::NAMES.iter().find(|(name, _)| *name == word).map(|(_, operation)| *operation);
    let mirror = table.maybe_text("mirror")?.map(|axis| match axis {
        "x" => Mirror::X,
        "y" => Mirror::Y,
        _ => Mirror::Z,
    });
    let twist = |table: &Table| {
        Ok(SolidTwist { axis: table.vector("axis")?, degrees_per_metre: table.number("degrees_per_metre")? })
    };
    let repeat = |table: &Table| {
        Ok(SolidRepeat {
            count: table.count("count")? as u32,
            offset: table.vector("offset")?,
            turn: Turn { axis: table.vector("axis")?, degrees: table.number("degrees")? },
            factor: table.number("factor")?,
        })
    };
    Ok(ShapePart {
        name: table.maybe_text("name")?.map(str::to_string),
        into: table.maybe_text("into")?.map(str::to_string),
        operation: operation.ok_or_else(|| undeclared("operation"))?,
        blend: table.number("blend")?,
        position: table.vector("position")?,
        rotation: turn(table)?,
        scale: table.number("scale")?,
        twist: table.maybe_table("twist")?.map(twist).transpose()?,
        repeat: table.maybe_table("repeat")?.map(repeat).transpose()?,
        mirror,
        kind: match table.text("kind")? {
            ASSEMBLY => PartKind::Assembly { of: table.text("of")?.to_string() },
            SURFACE => PartKind::Surface { file: table.text("file")?.to_string() },
            word => {
                let shape = geometry::shape::Shape::find(word).map_err(|_| undeclared("kind"))?;
                let own = |name: &str| shape.parameters.iter().any(|parameter| parameter.name == name);
                PartKind::Simple { shape, parameters: parameters(table).into_iter().filter(|(k, _)| own(k)).collect() }
            }
        },
        at: table.at.clone().into(),
    })
}
