//! TetGen's `.node` and `.ele`: give either, the other must be beside it.
//!
//! Nodes are numbered from 0, from 1 or arbitrarily. The region of a tet (its last attribute, if that is whole) becomes
//! the group `region-N`, the boundary marker of a node the group `marker-N` (0 is none). Other attributes are ignored.
//! Both files are written, counted from 1; regions and markers are the positions of groups in the order of their names.

use std::fmt::Write;

use model::mesh::Mesh;

use crate::care::{Care, Doubt};
use crate::cells::{Cells, Labels, name_labels};
use crate::error::{Fault, FormatError};
use crate::medit::write::references;
use crate::numbering::{Numbering, few_enough};
use crate::rows::{self, Rows, Source};
use crate::text::{Text, quote};
use crate::{Encoding, Format, Groups, Holds, Input};

const NAME: &str = "tetgen";
/// Label of a tet without a region.
const NO_REGION: i64 = i64::MIN;

/// Row of the table.
pub(crate) const FORMAT: Format = Format {
    name: NAME,
    extensions: &["ele", "node"],
    description: "TetGen's .node and .ele beside each other; regions and markers become groups",
    holds: Holds { tets: true, triangles: false, edges: false, groups: Groups::Numbered, exact: true },
    read: Some(read),
    write: None,
    pair: Some([("node", write_nodes), ("ele", write_tets)]),
};

fn read(input: &Input, care: Care) -> Result<Mesh, FormatError> {
    let (stem, ending) = input.name.rsplit_once('.').unwrap_or((input.name, ""));
    let given_nodes = ending.eq_ignore_ascii_case("node");
    let other = format!("{stem}.{}", if given_nodes { "ele" } else { "node" });
    let fetched = (input.beside)(&other).map_err(|reason| {
        let fault = Fault::Beside { name: other.clone(), reason };
        FormatError::whole(NAME, fault)
    })?;
    let [nodes, tets] = if given_nodes { [input.bytes, &fetched] } else { [&fetched, input.bytes] };
    let within =
        |of_nodes: bool, error: FormatError| if of_nodes == given_nodes { error } else { error.within(&other) };

    let nodes = whole(nodes, care, read_nodes).map_err(|error| within(true, error))?;
    let tets = whole(tets, care, |text| read_tets(text, &nodes.numbering)).map_err(|error| within(false, error))?;
    let mut mesh = Mesh { points: nodes.points, ..Mesh::default() };
    name_labels(&mut mesh.groups, "marker-", &nodes.markers, Some(0), |group| &mut group.nodes);
    name_labels(&mut mesh.groups, "region-", tets.cells.labels(), Some(NO_REGION), |group| &mut group.tets);
    mesh.tets = tets.cells.nodes;
    Ok(mesh)
}

/// Reads a file that is one table.
fn whole<T>(bytes: &[u8], care: Care, read: impl Fn(&mut Text) -> Result<T, FormatError>) -> Result<T, FormatError> {
    let mut text = Text::new(NAME, bytes).with_comments(b'#').with_care(care);
    let table = read(&mut text)?;
    match text.maybe_word() {
        None => Ok(table),
        Some(word) => {
            let what = "the end of the file after as many as were announced".to_string();
            Err(text.error_at(text.at - word.len(), Fault::Expected { what, found: quote(word) }))
        }
    }
}

/// A table of nodes.
pub(crate) struct Nodes {
    pub points: Vec<[f64; 3]>,
    pub numbering: Numbering,
    pub markers: Labels,
}

/// A table of tets.
pub(crate) struct Tets {
    pub cells: Cells<4>,
    /// Their numbers.
    pub numbers: Vec<i64>,
}

/// Reads a table of nodes: the head `count 3 attributes markers`, then rows.
pub(crate) fn read_nodes(text: &mut Text) -> Result<Nodes, FormatError> {
    let ([count, dimension, attributes, markers], at) = head(text, "nodes")?;
    if dimension != 3 {
        let what = format!("the nodes have {dimension} coordinates");
        return Err(text.error_at(at, Fault::Unsupported { what, cure: "give meshes of three dimensions".to_string() }));
    }
    let widths = [4, attributes, markers.min(1)];
    let rows = NodeRows { attributes, marked: markers > 0, extra: extra_columns(text, "nodes", count, &widths)? };
    let (mut numbers, mut points, mut markers) = (Vec::new(), Vec::new(), Labels::default());
    for part in rows::read_table(&rows, text, "nodes", check(text, at, "nodes", count, 8)?)? {
        numbers.extend(part.0);
        points.extend(part.1);
        markers.append(part.2);
    }
    let numbering = Numbering::new(&numbers, text.care).map_err(|fault| text.error(fault))?;
    Ok(Nodes { points, numbering, markers })
}

/// Reads a table of tets: the head `count 4 attributes`, then rows. If they count nodes from 0 and the nodes from 1, or
/// the other way round, a lenient reader accepts it.
pub(crate) fn read_tets(text: &mut Text, numbering: &Numbering) -> Result<Tets, FormatError> {
    let start = text.clone();
    let found = tets(text, numbering);
    if !text.care.is_lenient() && !matches!(found, Err(FormatError { fault: Fault::OutOfRange { .. }, .. })) {
        return found;
    }
    let strict = start.clone().with_care(Care::STRICT);
    let Ok(Tets { cells, .. }) = tets(&mut strict.clone(), &Numbering::any()) else { return found };
    let named = || cells.nodes.as_flattened().iter().map(|&node| i64::from(node));
    let (least, most) = (named().min().unwrap_or(0), named().max().unwrap_or(-1));
    let Some([nodes, elements]) = numbering.other_base(least..=most) else { return found };
    let count = cells.nodes.len();
    if !text.care.is_lenient() {
        return Err(start.error(Fault::OtherBase { nodes, elements, count }));
    }
    text.care.doubt(Doubt::OtherBase { nodes, elements, count });
    *text = start;
    tets(text, &numbering.from(elements))
}

fn tets(text: &mut Text, numbering: &Numbering) -> Result<Tets, FormatError> {
    let ([count, corners, attributes, _], at) = head(text, "tets")?;
    if corners != 4 {
        let what = format!("the elements have {corners} nodes each");
        let cure = "give tets of 4 nodes (run TetGen without -o2)".to_string();
        return Err(text.error_at(at, Fault::Unsupported { what, cure }));
    }
    let rows = TetRows { numbering, attributes, extra: extra_columns(text, "tets", count, &[5, attributes])? };
    let count = check(text, at, "tets", count, 10)?;
    few_enough("tets", count).map_err(|fault| text.error(fault))?;
    let (mut cells, mut numbers) = (Cells::default(), Vec::new());
    for part in rows::read_table(&rows, text, "tets", count)? {
        cells.append(part.0);
        numbers.extend(part.1);
    }
    Ok(Tets { cells, numbers })
}

/// Reads the numbers of the head of a table, which is a line, and its position; missing ones are 0.
fn head(text: &mut Text, things: &str) -> Result<([u64; 4], usize), FormatError> {
    let mut head = [0; 4];
    head[0] = text.number(|| format!("the number of {things}"))?;
    let at = text.at;
    let line = text.line().unwrap_or_default();
    let line = line.split(|&byte| Some(byte) == text.comment).next().unwrap_or_default();
    let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
    for (value, word) in head[1..].iter_mut().zip(words) {
        *value = crate::text::parse(word).ok_or_else(|| {
            let what = format!("a number of the head of the {things}");
            text.error_at(at, Fault::NotNumber { what, found: quote(word) })
        })?;
    }
    Ok((head, at))
}

/// Counts the columns of the first row that the head does not announce.
fn extra_columns(text: &Text, things: &str, count: u64, widths: &[u64]) -> Result<u64, FormatError> {
    let mut ahead = text.clone();
    if count == 0 || ahead.maybe_word().is_none() {
        return Ok(0);
    }
    let line = ahead.line().unwrap_or_default();
    let line = line.split(|&byte| Some(byte) == text.comment).next().unwrap_or_default();
    let columns = 1 + line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).count() as u64;
    let announced = widths.iter().fold(0, |sum: u64, width| sum.saturating_add(*width));
    columns.checked_sub(announced).ok_or_else(|| {
        let what = format!("the head of the {things} announces {announced} columns, but the first row has {columns}");
        ahead.error_at(
            ahead.at.saturating_sub(1),
            Fault::Contradiction { what, cure: "correct one of them".to_string() },
        )
    })
}

fn check(text: &Text, at: usize, things: &str, count: u64, least: usize) -> Result<usize, FormatError> {
    let limit = (text.left() / least) as u64 + 1;
    if count <= limit || text.care.is_lenient() {
        return Ok(count as usize);
    }
    Err(text.error_at(at, Fault::TooMany { what: things.to_string(), count, limit }))
}

struct NodeRows {
    attributes: u64,
    marked: bool,
    extra: u64,
}

impl Rows for NodeRows {
    type Output = (Vec<i64>, Vec<[f64; 3]>, Labels);

    fn row<S: Source>(&self, source: &mut S, number: usize, part: &mut Self::Output) -> Result<(), S::Error> {
        let tag = source.integer(|| format!("the number of node {number} of the list"))?;
        part.1.push(source.point(|| format!("node {tag}"))?);
        for _ in 0..self.attributes {
            source.real(|| format!("an attribute of node {tag}"))?;
        }
        let marker = if self.marked { source.integer(|| format!("the marker of node {tag}"))? } else { 0 };
        for _ in 0..self.extra {
            source.real(|| format!("a column of node {tag}"))?;
        }
        part.0.push(tag);
        part.2.push(marker, 1);
        Ok(())
    }
}

struct TetRows<'a> {
    numbering: &'a Numbering,
    attributes: u64,
    extra: u64,
}

impl Rows for TetRows<'_> {
    type Output = (Cells<4>, Vec<i64>);

    fn row<S: Source>(&self, source: &mut S, number: usize, part: &mut Self::Output) -> Result<(), S::Error> {
        let tag = source.integer(|| format!("the number of tet {number} of the list"))?;
        let mut nodes = [0; 4];
        for node in &mut nodes {
            let corner = source.integer(|| format!("a node of tet {tag}"))?;
            let index = self.numbering.get(corner);
            *node = index.ok_or_else(|| source.fault(|| self.numbering.missing(&format!("tet {tag}"), corner)))?;
        }
        let mut region = NO_REGION;
        for _ in 0..self.attributes {
            let value = source.real(|| format!("an attribute of tet {tag}"))?;
            region = if value == value.trunc() && value.abs() < 1e15 { value as i64 } else { NO_REGION };
        }
        for _ in 0..self.extra {
            source.real(|| format!("a column of tet {tag}"))?;
        }
        part.0.push(nodes, region);
        part.1.push(tag);
        Ok(())
    }
}

/// Writes the nodes.
fn write_nodes(mesh: &Mesh, _: Encoding) -> Vec<u8> {
    let markers = references(mesh, mesh.points.len(), |group| &group.nodes);
    let marked = markers.iter().any(|&marker| marker != 0);
    let mut out = format!("{} 3 0 {}\n", mesh.points.len(), u8::from(marked));
    for (i, ([x, y, z], marker)) in mesh.points.iter().zip(markers).enumerate() {
        // Writing to a string cannot fail.
        let _ = write!(out, "{} {x:?} {y:?} {z:?}", i + 1);
        let _ = if marked { writeln!(out, " {marker}") } else { writeln!(out) };
    }
    out.into_bytes()
}

/// Writes the tets.
fn write_tets(mesh: &Mesh, _: Encoding) -> Vec<u8> {
    let regions = references(mesh, mesh.tets.len(), |group| &group.tets);
    let grouped = regions.iter().any(|&region| region != 0);
    let mut out = format!("{} 4 {}\n", mesh.tets.len(), u8::from(grouped));
    for (e, (nodes, region)) in mesh.tets.iter().zip(regions).enumerate() {
        let [a, b, c, d] = nodes.map(|node| u64::from(node) + 1);
        let _ = write!(out, "{} {a} {b} {c} {d}", e + 1);
        let _ = if grouped { writeln!(out, " {region}") } else { writeln!(out) };
    }
    out.into_bytes()
}
