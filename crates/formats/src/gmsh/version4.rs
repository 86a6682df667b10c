//! Version 4.1: blocks of nodes and of elements of one entity each.

use model::mesh::Mesh;

use super::elements::{Elements, Kind};
use super::sections::{Header, Section};
use super::{NAME, Physical, entities, find};
use crate::binary::{Binary, Row};
use crate::care::Care;
use crate::error::{Fault, FormatError};
use crate::numbering::Numbering;
use crate::rows::{self, Rows, Source};
use crate::text::Text;

/// Operations that text and binary sections share.
pub(super) trait SectionReader: Source<Error = FormatError> {
    /// Reads a count or a number.
    fn size(&mut self, what: impl Fn() -> String) -> Result<i64, FormatError>;

    /// Checks a count of things of at least this many bytes of text or binary.
    fn check(&self, count: usize, things: &str, text: usize, binary: usize) -> Result<(), FormatError>;

    /// Reads the numbers of nodes.
    fn numbers(&mut self, count: usize) -> Result<Vec<i64>, FormatError>;

    /// Reads the positions of nodes, each followed by some parameters.
    fn points(&mut self, numbers: &[i64], parameters: usize) -> Result<Vec<[f64; 3]>, FormatError>;

    /// Reads elements of one kind and entity.
    fn elements(&mut self, block: &Block, count: usize, all: &mut Elements) -> Result<(), FormatError>;

    /// Checks that the section ends here.
    fn end(&mut self, section: &Section) -> Result<(), FormatError>;

    /// Reads a checked count.
    fn count(&mut self, things: &str, text: usize, binary: usize) -> Result<usize, FormatError> {
        let what = || format!("the number of {things}");
        let count = self.size(what)?;
        let negative = || Fault::NotNumber { what: what(), found: count.to_string() };
        let count = usize::try_from(count).map_err(|_| self.fault(negative))?;
        self.check(count, things, text, binary)?;
        Ok(count)
    }
}

/// Data shared by the elements of a block.
pub(super) struct Block<'a> {
    kind: Kind,
    entity: i64,
    numbering: &'a Numbering,
}

pub(super) fn read(
    (bytes, care): (&[u8], Care),
    header: &Header,
    sections: &[Section],
    nodes: &Section,
    mesh: &mut Mesh,
) -> Result<(Elements, Physical), FormatError> {
    if header.binary {
        let open = |section: &Section| Sized {
            binary: Binary {
                big_endian: header.big_endian,
                care,
                ..Binary::new(NAME, &bytes[..section.end], section.start)
            },
            size: header.size,
        };
        read_sections(open, care, sections, nodes, mesh)
    } else {
        read_sections(|section| section.text(bytes).with_care(care), care, sections, nodes, mesh)
    }
}

fn read_sections<R: SectionReader>(
    open: impl Fn(&Section) -> R,
    care: Care,
    sections: &[Section],
    nodes: &Section,
    mesh: &mut Mesh,
) -> Result<(Elements, Physical), FormatError> {
    let mut physical = Physical::new();
    for (name, partitioned) in [("Entities", false), ("PartitionedEntities", true)] {
        if let Some(section) = find(sections, name) {
            let mut reader = open(section);
            entities::read(&mut reader, partitioned, &mut physical)?;
            reader.end(section)?;
        }
    }
    let mut reader = open(nodes);
    let numbers = read_nodes(&mut reader, &mut mesh.points)?;
    reader.end(nodes)?;
    let numbering = Numbering::new(&numbers, care).map_err(|fault| reader.fault(|| fault))?;
    let mut all = Elements::default();
    if let Some(section) = find(sections, "Elements") {
        let mut reader = open(section);
        read_elements(&mut reader, &numbering, &mut all)?;
        reader.end(section)?;
    }
    Ok((all, physical))
}

/// Reads the head of a section of blocks: the number of blocks, and of all their things.
fn head<R: SectionReader>(
    reader: &mut R,
    things: &str,
    text: usize,
    binary: usize,
) -> Result<(usize, usize), FormatError> {
    let blocks = reader.count(&format!("blocks of {things}"), 8, 20)?;
    let count = reader.count(things, text, binary)?;
    reader.size(|| format!("the lowest number of {things}"))?;
    reader.size(|| format!("the highest number of {things}"))?;
    Ok((blocks, count))
}

/// Returns an error if the blocks do not hold as many as the head says.
fn check_sum<R: SectionReader>(reader: &R, things: &str, found: usize, count: usize) -> Result<(), FormatError> {
    if found == count {
        return Ok(());
    }
    let what = format!("{count} {things} are announced, but the blocks hold {found}");
    Err(reader.fault(|| Fault::Contradiction { what, cure: "correct the count, or export the mesh again".to_string() }))
}

fn read_nodes<R: SectionReader>(reader: &mut R, points: &mut Vec<[f64; 3]>) -> Result<Vec<i64>, FormatError> {
    let (blocks, count) = head(reader, "nodes", 8, 8)?;
    let mut numbers = Vec::new();
    for block in 0..blocks {
        let dimension = reader.integer(|| format!("the dimension of block {block} of nodes"))?;
        reader.integer(|| format!("the entity of block {block} of nodes"))?;
        let parametric = reader.integer(|| format!("whether block {block} of nodes is parametric"))?;
        let Ok(dimension @ 0..=3) = usize::try_from(dimension) else {
            let what = format!("the dimension of block {block} of nodes");
            return Err(reader.fault(|| Fault::OutOfRange { what, index: dimension.into(), low: 0, high: 3 }));
        };
        let parameters = if parametric == 0 { 0 } else { dimension };
        let length = reader.count("nodes of a block", 8, 8)?;
        let of_block = reader.numbers(length)?;
        points.append(&mut reader.points(&of_block, parameters)?);
        numbers.extend(of_block);
    }
    check_sum(reader, "nodes", numbers.len(), count)?;
    Ok(numbers)
}

fn read_elements<R: SectionReader>(
    reader: &mut R,
    numbering: &Numbering,
    all: &mut Elements,
) -> Result<(), FormatError> {
    let (blocks, count) = head(reader, "elements", 4, 8)?;
    let mut found = 0;
    for block in 0..blocks {
        reader.integer(|| format!("the dimension of block {block} of elements"))?;
        let entity = reader.integer(|| format!("the entity of block {block} of elements"))?;
        let code = reader.integer(|| format!("the type of block {block} of elements"))?;
        let length = reader.count("elements of a block", 4, 8)?;
        found += length;
        // An empty block of any kind does no harm.
        if length > 0 {
            let kind = Kind::of(code).map_err(|fault| reader.fault(|| fault))?;
            reader.elements(&Block { kind, entity, numbering }, length, all)?;
        }
    }
    check_sum(reader, "elements", found, count)
}

struct NumberRows;

impl Rows for NumberRows {
    type Output = Vec<i64>;

    fn row<S: Source>(&self, source: &mut S, number: usize, part: &mut Vec<i64>) -> Result<(), S::Error> {
        part.push(source.integer(|| format!("the number of node {number} of the block"))?);
        Ok(())
    }
}

struct PointRows<'a> {
    numbers: &'a [i64],
    parameters: usize,
}

impl Rows for PointRows<'_> {
    type Output = Vec<[f64; 3]>;

    fn row<S: Source>(&self, source: &mut S, number: usize, part: &mut Self::Output) -> Result<(), S::Error> {
        part.push(source.point(|| format!("node {}", self.numbers[number]))?);
        for _ in 0..self.parameters {
            source.real(|| format!("a parameter of node {}", self.numbers[number]))?;
        }
        Ok(())
    }
}

impl Rows for Block<'_> {
    type Output = Elements;

    fn row<S: Source>(&self, source: &mut S, number: usize, part: &mut Elements) -> Result<(), S::Error> {
        let tag = source.integer(|| format!("the number of {} {number} of the block", self.kind.name()))?;
        part.read(source, (self.kind, tag, self.entity), self.numbering)
    }
}

impl SectionReader for Text<'_> {
    fn size(&mut self, what: impl Fn() -> String) -> Result<i64, FormatError> {
        self.integer(what)
    }

    fn check(&self, count: usize, things: &str, text: usize, _: usize) -> Result<(), FormatError> {
        check(count, things, text, self.left()).map_err(|fault| self.error(fault))
    }

    fn numbers(&mut self, count: usize) -> Result<Vec<i64>, FormatError> {
        Ok(rows::read(&NumberRows, self, count)?.concat())
    }

    fn points(&mut self, numbers: &[i64], parameters: usize) -> Result<Vec<[f64; 3]>, FormatError> {
        Ok(rows::read(&PointRows { numbers, parameters }, self, numbers.len())?.concat())
    }

    fn elements(&mut self, block: &Block, count: usize, all: &mut Elements) -> Result<(), FormatError> {
        rows::read(block, self, count)?.into_iter().for_each(|part| all.append(part));
        Ok(())
    }

    fn end(&mut self, section: &Section) -> Result<(), FormatError> {
        section.end(self)
    }
}

/// A binary section whose counts have 4 or 8 bytes.
struct Sized<'a> {
    binary: Binary<'a>,
    size: usize,
}

fn check(count: usize, things: &str, least: usize, left: usize) -> Result<(), Fault> {
    let limit = left.checked_div(least).unwrap_or(usize::MAX);
    if count <= limit {
        return Ok(());
    }
    Err(Fault::TooMany { what: things.to_string(), count: count as u64, limit: limit as u64 })
}

impl Source for Sized<'_> {
    type Error = FormatError;

    fn integer(&mut self, what: impl Fn() -> String) -> Result<i64, FormatError> {
        self.binary.integer(what)
    }

    fn real(&mut self, what: impl Fn() -> String) -> Result<f64, FormatError> {
        self.binary.real(what)
    }

    fn fault(&self, fault: impl FnOnce() -> Fault) -> FormatError {
        self.binary.fault(fault)
    }

    fn is_lenient(&self) -> bool {
        self.binary.is_lenient()
    }
}

impl Sized<'_> {
    /// Reads the nodes of an element, after its number.
    #[inline]
    fn nodes<const N: usize>(&self, row: &Row, numbering: &Numbering) -> Option<[u32; N]> {
        let mut nodes = [0; N];
        for (i, node) in nodes.iter_mut().enumerate() {
            *node = numbering.get(row.integer((i + 1) * self.size, self.size))?;
        }
        Some(nodes)
    }

    fn cells<const N: usize>(&mut self, block: &Block, count: usize) -> Result<Vec<[u32; N]>, FormatError> {
        let (stride, size) = ((1 + N) * self.size, self.size);
        let table = self.binary.take(count.saturating_mul(stride), "the elements of a block")?;
        let cells = self.binary.rows(table, stride, [0; N], |row| self.nodes(&row, block.numbering));
        cells.map_err(|(_, row)| {
            let what = format!("{} {}", block.kind.name(), row.integer(0, size));
            let wrong = (1..=N).find(|i| block.numbering.get(row.integer(i * size, size)).is_none()).unwrap_or(1);
            row.error(wrong * size, block.numbering.missing(&what, row.integer(wrong * size, size)))
        })
    }
}

impl SectionReader for Sized<'_> {
    fn size(&mut self, what: impl Fn() -> String) -> Result<i64, FormatError> {
        if self.size == 4 {
            return self.integer(what);
        }
        if self.binary.left() < 8 {
            return Err(self.fault(|| Fault::Ended { what: what() }));
        }
        self.binary.u64("").map(|size| size as i64)
    }

    fn check(&self, count: usize, things: &str, _: usize, binary: usize) -> Result<(), FormatError> {
        check(count, things, binary * self.size / 8, self.binary.left()).map_err(|fault| self.binary.error(fault))
    }

    fn numbers(&mut self, count: usize) -> Result<Vec<i64>, FormatError> {
        let table = self.binary.take(count.saturating_mul(self.size), "the numbers of nodes")?;
        let size = self.size;
        Ok(table.chunks_exact(size).map(|row| self.binary.row(row).integer(0, size)).collect())
    }

    fn points(&mut self, numbers: &[i64], parameters: usize) -> Result<Vec<[f64; 3]>, FormatError> {
        let stride = (3 + parameters) * 8;
        let table = self.binary.take(numbers.len().saturating_mul(stride), "the coordinates of nodes")?;
        let points = self.binary.rows(table, stride, [0.0; 3], |row| row.point(0));
        points.map_err(|(i, row)| row.no_point(0, &format!("node {}", numbers[i])))
    }

    fn elements(&mut self, block: &Block, count: usize, all: &mut Elements) -> Result<(), FormatError> {
        match block.kind {
            Kind::Tet => all.tets.extend(self.cells(block, count)?, block.entity),
            Kind::Triangle => all.triangles.extend(self.cells(block, count)?, block.entity),
            Kind::Line => all.lines.extend(self.cells(block, count)?, block.entity),
            Kind::Point => all.points.extend(self.cells(block, count)?, block.entity),
            Kind::Quadrilateral => all.quadrilaterals.extend(self.cells(block, count)?, block.entity),
        }
        Ok(())
    }

    fn end(&mut self, section: &Section) -> Result<(), FormatError> {
        let mut text = Text::new(NAME, self.binary.bytes);
        text.at = self.binary.at;
        section.end(&mut text)
    }
}
