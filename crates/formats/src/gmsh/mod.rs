//! Gmsh's `.msh`, versions 2.2 and 4.1, text or binary of either byte order.
//!
//! Tets, triangles and lines become tets, triangles and edges; a quadrilateral becomes two triangles. Physical groups
//! become groups of their name, or `physical-N` of tag N if they have none: of tets (dimension 3), triangles (2), or nodes
//! (1 and 0). Curved elements and other shapes are refused. The parts of partitioned meshes are joined; periodicity,
//! data and comments are ignored.
//!
//! Files are written in version 4.1. Each set of groups is an entity with their tags; elements keep their order. Shear
//! and bending springs are left out.

use std::collections::BTreeMap;

use model::mesh::Mesh;

use crate::care::Care;
use crate::error::{Fault, FormatError};
use crate::text::{Text, quote};
use crate::{Format, Groups, Holds, Input};

mod elements;
mod entities;
mod sections;
mod version2;
mod version4;
mod write;

use sections::{Section, sections};

const NAME: &str = "gmsh";

/// Row of the table.
pub(crate) const FORMAT: Format = Format {
    name: NAME,
    extensions: &["msh"],
    description: "Gmsh's meshes: 2.2 and 4.1, physical groups become groups",
    holds: Holds { tets: true, triangles: true, edges: true, groups: Groups::Named, exact: true },
    read: Some(read),
    write: Some(write::write),
    pair: None,
};

/// Nodes with their numbers.
#[derive(Default)]
struct Nodes {
    numbers: Vec<i64>,
    points: Vec<[f64; 3]>,
}

/// Physical tags of an entity, by its dimension and tag.
type Physical = BTreeMap<(usize, i64), Vec<i64>>;

fn read(input: &Input, care: Care) -> Result<Mesh, FormatError> {
    let bytes = input.bytes;
    let (header, sections) = sections(bytes)?;
    let names = find(&sections, "PhysicalNames").map_or(Ok(BTreeMap::new()), |section| names(bytes, section))?;
    let mut mesh = Mesh::default();
    let nodes = find(&sections, "Nodes").ok_or_else(|| without("$Nodes"))?;
    let (elements, physical) = match header.version {
        2 => {
            let mut elements = version2::read((bytes, care), &header, nodes, find(&sections, "Elements"), &mut mesh)?;
            let physical = elements.join_copies();
            (elements, physical)
        }
        _ => {
            let (elements, physical) = version4::read((bytes, care), &header, &sections, nodes, &mut mesh)?;
            (elements, Some(physical))
        }
    };
    elements.finish(&mut mesh, &names, physical.as_ref(), bytes.len()).map_err(|f| FormatError::whole(NAME, f))?;
    Ok(mesh)
}

fn find<'a, 'b>(sections: &'b [Section<'a>], name: &str) -> Option<&'b Section<'a>> {
    sections.iter().find(|section| section.name == name.as_bytes())
}

fn without(section: &str) -> FormatError {
    let what = format!("there is no {section} section");
    FormatError::whole(NAME, Fault::Contradiction { what, cure: "export the mesh again".to_string() })
}

/// Reads the names of physical groups by dimension and tag; they are text in binary files too.
fn names(bytes: &[u8], section: &Section) -> Result<BTreeMap<(usize, i64), String>, FormatError> {
    let mut text = section.text(bytes);
    let mut names = BTreeMap::new();
    for i in 0..text.count("physical names", "0 1 \"\"".len())? {
        let what = || format!("the dimension of physical name {i}");
        let dimension: usize = text.number(what)?;
        let tag: i64 = text.number(|| format!("the tag of physical name {i}"))?;
        let line = text.line().unwrap_or_default().trim_ascii();
        let name = line.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\"")).ok_or_else(|| {
            let what = format!("the name of the physical group {tag} in quotation marks");
            text.error_at(text.at.saturating_sub(1), Fault::Expected { what, found: quote(line) })
        })?;
        names.insert((dimension, tag), String::from_utf8_lossy(name).into_owned());
    }
    section.end(&mut text)?;
    Ok(names)
}

impl Section<'_> {
    /// Returns the section as text, from after its name up to and including its end.
    fn text<'a>(&self, bytes: &'a [u8]) -> Text<'a> {
        let mut text = Text::new(NAME, &bytes[..self.end]);
        text.at = self.start;
        text
    }

    /// Checks that the section is finished.
    fn end(&self, text: &mut Text) -> Result<(), FormatError> {
        let found = text.maybe_word().unwrap_or_default();
        if found.starts_with(b"$End") {
            return Ok(());
        }
        let what = format!("$End{} after as many as were announced", quote(self.name));
        Err(text.error(Fault::Expected { what, found: quote(found) }))
    }
}
