//! Version 2.2: a table of nodes and a table of elements that carry their physical tag.

use model::mesh::Mesh;

use super::elements::{Elements, Kind};
use super::sections::{Header, Section};
use super::{NAME, Nodes};
use crate::binary::Binary;
use crate::care::Care;
use crate::error::{Fault, FormatError};
use crate::numbering::Numbering;
use crate::rows::{self, Rows, Source};

/// A node in binary: its number and three coordinates.
const NODE_BYTES: usize = 4 + 3 * 8;

pub(super) fn read(
    (bytes, care): (&[u8], Care),
    header: &Header,
    nodes: &Section,
    elements: Option<&Section>,
    mesh: &mut Mesh,
) -> Result<Elements, FormatError> {
    let mut text = nodes.text(bytes).with_care(care);
    let read_nodes = if header.binary {
        let count = text.count("nodes", NODE_BYTES)?;
        text.skip_line();
        let mut binary = Binary { big_endian: header.big_endian, care, ..Binary::new(NAME, text.bytes, text.at) };
        let nodes = binary_nodes(&mut binary, count)?;
        text.at = binary.at;
        nodes
    } else {
        let count = text.count("nodes", "1 0 0 0\n".len())?;
        let mut all = Nodes::default();
        for part in rows::read_table(&NodeRows, &mut text, "nodes", count)? {
            all.numbers.extend(part.numbers);
            all.points.extend(part.points);
        }
        all
    };
    nodes.end(&mut text)?;
    mesh.points = read_nodes.points;
    let numbering = Numbering::new(&read_nodes.numbers, care).map_err(|fault| text.error(fault))?;
    let Some(section) = elements else { return Ok(Elements::default()) };
    let mut text = section.text(bytes).with_care(care);
    let mut all = Elements::default();
    if header.binary {
        let count = text.count("elements", 8)?;
        text.skip_line();
        let mut binary = Binary { big_endian: header.big_endian, care, ..Binary::new(NAME, text.bytes, text.at) };
        binary_elements(&mut binary, count, &numbering, &mut all)?;
        text.at = binary.at;
    } else {
        let count = text.count("elements", "1 15 0 1\n".len())?;
        for part in rows::read_table(&ElementRows { numbering: &numbering }, &mut text, "elements", count)? {
            all.append(part);
        }
    }
    section.end(&mut text)?;
    Ok(all)
}

struct NodeRows;

impl Rows for NodeRows {
    type Output = Nodes;

    fn row<S: Source>(&self, source: &mut S, number: usize, part: &mut Nodes) -> Result<(), S::Error> {
        let tag = source.integer(|| format!("the number of node {number} of the list"))?;
        part.points.push(source.point(|| format!("node {tag}"))?);
        part.numbers.push(tag);
        Ok(())
    }
}

struct ElementRows<'a> {
    numbering: &'a Numbering,
}

impl Rows for ElementRows<'_> {
    type Output = Elements;

    fn row<S: Source>(&self, source: &mut S, number: usize, part: &mut Elements) -> Result<(), S::Error> {
        let tag = source.integer(|| format!("the number of element {number} of the list"))?;
        let code = source.integer(|| format!("the type of element {tag}"))?;
        let kind = Kind::of(code).map_err(|fault| source.fault(|| fault))?;
        let physical = tags(source, tag)?;
        part.read(source, (kind, tag, physical), self.numbering)
    }
}

/// Reads the number of tags of an element and the tags; the first is physical.
fn tags<S: Source>(source: &mut S, element: i64) -> Result<i64, S::Error> {
    let mut physical = 0;
    for i in 0..source.integer(|| format!("the number of tags of element {element}"))? {
        let tag = source.integer(|| format!("tag {i} of element {element}"))?;
        if i == 0 {
            physical = tag;
        }
    }
    Ok(physical)
}

fn binary_nodes(binary: &mut Binary, count: usize) -> Result<Nodes, FormatError> {
    let nodes = binary.take(count.saturating_mul(NODE_BYTES), "the nodes")?;
    let numbers = nodes.chunks_exact(NODE_BYTES).map(|row| i64::from(binary.row(row).i32(0))).collect::<Vec<_>>();
    let points = binary.rows(nodes, NODE_BYTES, [0.0; 3], |row| row.point(4));
    let points = points.map_err(|(i, row)| row.no_point(4, &format!("node {}", numbers[i])))?;
    Ok(Nodes { numbers, points })
}

/// Blocks of elements of one type and number of tags; many files have blocks of one element.
fn binary_elements(
    binary: &mut Binary,
    count: usize,
    numbering: &Numbering,
    all: &mut Elements,
) -> Result<(), FormatError> {
    let mut left = count;
    while left > 0 {
        let mut head = || binary.integer(|| "the head of a block of elements".to_string());
        let (code, follow, tags) = (head()?, head()?, head()?);
        let kind = Kind::of(code).map_err(|fault| binary.error(fault))?;
        let follow = usize::try_from(follow).unwrap_or(0);
        if follow == 0 || follow > left {
            let what = format!("a block has {follow} elements where {left} of {count} are left");
            let cure = "export the mesh again".to_string();
            return Err(binary.error(Fault::Contradiction { what, cure }));
        }
        for _ in 0..follow {
            let number = binary.integer(|| format!("the number of a {}", kind.name()))?;
            let mut physical = 0;
            for i in 0..tags {
                let tag = binary.integer(|| format!("tag {i} of element {number}"))?;
                physical = if i == 0 { tag } else { physical };
            }
            all.read(binary, (kind, number, physical), numbering)?;
        }
        left -= follow;
    }
    Ok(())
}
