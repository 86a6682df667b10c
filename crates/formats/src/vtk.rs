//! Legacy VTK: unstructured grids and polygonal data, text or binary, up to version 5.1.
//!
//! Binary numbers have the high byte first. Data of points and cells are skipped.

use model::mesh::Mesh;

use crate::care::Care;
use crate::error::{Fault, FormatError, Position};
use crate::numbering::few_enough;
use crate::scalar::{AnyNode, Anywhere, Scalar, Wanted};
use crate::text::{Text, parse, quote};
use crate::vtk_cells::{Cells, POLY_LINE, POLY_VERTEX, POLYGON, TRIANGLE_STRIP};
use crate::{Format, Groups, Holds, Input, numbers};

/// Row of the table.
pub(crate) const FORMAT: Format = Format {
    name: "vtk",
    extensions: &["vtk"],
    description: "VTK's legacy files: unstructured grids and polygonal data",
    holds: Holds { tets: true, triangles: true, edges: true, groups: Groups::None, exact: true },
    read: Some(read),
    write: None,
    pair: None,
};

/// A file and the encoding of its numbers.
struct Legacy<'a> {
    text: Text<'a>,
    binary: bool,
    /// True if cells are offsets and nodes (from version 5 on), not counts among the nodes.
    offsets: bool,
}

fn read(input: &Input, care: Care) -> Result<Mesh, FormatError> {
    let mut file = header(input.bytes)?;
    file.text.care = care;
    let mut mesh = Mesh::default();
    // Lists of cells, each with its position; some get their kinds later.
    let mut lists: Vec<(usize, Cells)> = Vec::new();
    let mut kinds: Option<(usize, Vec<u8>)> = None;
    let mut grid = None;
    let mut points_read = false;
    while let Some(word) = file.text.maybe_word() {
        let at = file.text.at - word.len();
        match word.to_ascii_uppercase().as_slice() {
            b"DATASET" => {
                let kind = file.text.word(|| "the kind of the data set".to_string())?;
                grid = match kind.to_ascii_uppercase().as_slice() {
                    b"UNSTRUCTURED_GRID" => Some(true),
                    b"POLYDATA" => Some(false),
                    _ => {
                        let what = format!("a data set of the kind '{}' is not read", quote(kind));
                        let cure = "save it as UNSTRUCTURED_GRID or POLYDATA".to_string();
                        return Err(file.text.error_at(at, Fault::Unsupported { what, cure }));
                    }
                };
            }
            b"POINTS" => {
                let count = file.number("the number of points")?;
                let scalar = file.scalar()?;
                if points_read {
                    let (what, cure) = ("there are POINTS twice".to_string(), "join them".to_string());
                    return Err(file.error(at, Fault::Contradiction { what, cure }));
                }
                let (count, what) = (count.saturating_mul(3), "a coordinate of a point");
                let numbers = match care.is_lenient() {
                    true => file.numbers::<Anywhere>(scalar, count, what)?.into_iter().map(|x| x.0).collect(),
                    false => file.numbers::<f64>(scalar, count, what)?,
                };
                mesh.points = numbers.as_chunks().0.to_vec();
                few_enough("points", mesh.points.len()).map_err(|fault| file.error(at, fault))?;
                points_read = true;
            }
            b"CELLS" if grid == Some(true) => lists.push((at, file.cells(None)?)),
            b"CELL_TYPES" if grid == Some(true) => {
                let count = file.number("the number of types of cells")?;
                kinds = Some((at, file.numbers(Scalar::I32, count, "the type of a cell")?));
            }
            b"VERTICES" if grid == Some(false) => lists.push((at, file.cells(Some(POLY_VERTEX))?)),
            b"LINES" if grid == Some(false) => lists.push((at, file.cells(Some(POLY_LINE))?)),
            b"POLYGONS" if grid == Some(false) => lists.push((at, file.cells(Some(POLYGON))?)),
            b"TRIANGLE_STRIPS" if grid == Some(false) => lists.push((at, file.cells(Some(TRIANGLE_STRIP))?)),
            b"FIELD" => file.skip_field()?,
            b"METADATA" => file.skip_metadata(),
            b"POINT_DATA" | b"CELL_DATA" => break,
            _ => {
                let what = "a keyword such as DATASET, POINTS, CELLS, CELL_TYPES or POLYGONS".to_string();
                return Err(file.error(at, Fault::Expected { what, found: quote(word) }));
            }
        }
    }
    if grid.is_none() {
        return Err(file.text.error(Fault::Ended { what: "DATASET".to_string() }));
    }
    let points = mesh.points.len();
    for (at, mut cells) in lists {
        if grid == Some(true) {
            let count = kinds.as_ref().map_or(0, |(_, kinds)| kinds.len());
            if count != cells.ends.len() {
                let what = format!("there are {} cells, but types of {count}", cells.ends.len());
                let cure = "correct CELLS or CELL_TYPES".to_string();
                return Err(file.error(at, Fault::Contradiction { what, cure }));
            }
            cells.kinds = kinds.take().map_or(Vec::new(), |(_, kinds)| kinds);
        }
        cells.add_to(&mut mesh, points, 0, care.is_lenient()).map_err(|fault| file.error(at, fault))?;
    }
    match kinds {
        Some((at, kinds)) if !kinds.is_empty() => {
            Err(file.error(at, Fault::Expected { what: "CELLS".to_string(), found: "types without cells".to_string() }))
        }
        _ => Ok(mesh),
    }
}

/// Reads the first three lines.
fn header(bytes: &[u8]) -> Result<Legacy<'_>, FormatError> {
    let mut text = Text::new("vtk", bytes);
    let first = text.line().unwrap_or_default().trim_ascii_start();
    let version = first.strip_prefix(b"# vtk DataFile Version").map(<[u8]>::trim_ascii);
    let major = version.and_then(|version| parse::<f64>(version.split(|&byte| byte == b' ').next()?));
    let Some(major) = major else {
        let what = "'# vtk DataFile Version' and a number".to_string();
        return Err(text.error_at(0, Fault::Expected { what, found: quote(first) }));
    };
    if !(1.0..6.0).contains(&major) {
        let what = format!("version {major} of legacy VTK is not read");
        return Err(text.error_at(0, Fault::Unsupported { what, cure: "save it as version 5.1 or 4.2".to_string() }));
    }
    text.skip_line();
    let at = text.at;
    let encoding = text.word(|| "ASCII or BINARY".to_string())?;
    let binary = match encoding.to_ascii_uppercase().as_slice() {
        b"ASCII" => false,
        b"BINARY" => true,
        _ => {
            let what = "ASCII or BINARY".to_string();
            return Err(text.error_at(at, Fault::Expected { what, found: quote(encoding) }));
        }
    };
    Ok(Legacy { text, binary, offsets: major >= 5.0 })
}

impl<'a> Legacy<'a> {
    /// Makes an error at a byte: with a line, in a text.
    fn error(&self, at: usize, fault: Fault) -> FormatError {
        if self.binary {
            return FormatError { format: self.text.format, position: Position::Byte(at), fault };
        }
        self.text.error_at(at, fault)
    }

    fn number(&mut self, what: &str) -> Result<u64, FormatError> {
        self.text.number(|| what.to_string())
    }

    /// Reads the type of the next numbers.
    fn scalar(&mut self) -> Result<Scalar, FormatError> {
        let word = self.text.word(|| "a type of numbers".to_string())?;
        Ok(match word.to_ascii_lowercase().as_slice() {
            b"char" | b"signed_char" | b"vtktypeint8" => Scalar::I8,
            b"unsigned_char" | b"vtktypeuint8" => Scalar::U8,
            b"short" | b"vtktypeint16" => Scalar::I16,
            b"unsigned_short" | b"vtktypeuint16" => Scalar::U16,
            b"int" | b"vtkidtype" | b"vtktypeint32" => Scalar::I32,
            b"unsigned_int" | b"vtktypeuint32" => Scalar::U32,
            b"long" | b"long_long" | b"vtktypeint64" => Scalar::I64,
            b"unsigned_long" | b"unsigned_long_long" | b"vtktypeuint64" => Scalar::U64,
            b"float" => Scalar::F32,
            b"double" => Scalar::F64,
            _ => {
                let what = "a type of numbers (char to unsigned_long, float, double, vtktypeint64)".to_string();
                let at = self.text.at - word.len();
                return Err(self.text.error_at(at, Fault::Expected { what, found: quote(word) }));
            }
        })
    }

    /// Returns the bytes of `count` binary numbers, which begin in the next line.
    fn bytes(&mut self, size: usize, count: u64, what: &str) -> Result<&'a [u8], FormatError> {
        self.text.skip_line();
        let limit = (self.text.left() / size) as u64;
        if count > limit {
            let what = format!("numbers ({what})");
            return Err(self.error(self.text.at, Fault::TooMany { what, count, limit }));
        }
        let start = self.text.at;
        self.text.at += count as usize * size;
        Ok(&self.text.bytes[start..self.text.at])
    }

    /// Reads the next numbers.
    fn numbers<T: Wanted>(&mut self, scalar: Scalar, count: u64, what: &str) -> Result<Vec<T>, FormatError> {
        let what_of = |index: usize| format!("{what} (number {index}), which must be {},", T::WHAT);
        if self.binary {
            let bytes = self.bytes(scalar.size(), count, what)?;
            let mut to = vec![T::default(); count as usize];
            let converted = scalar.convert_all(bytes, true, &mut to);
            return converted.map(|()| to).map_err(|refused| {
                let at = self.text.at - (count as usize - refused.index) * scalar.size();
                self.error(at, Fault::NotNumber { what: what_of(refused.index), found: refused.value })
            });
        }
        // A number takes a digit and a blank.
        let limit = (self.text.left() / 2) as u64;
        if count > limit {
            return Err(self.text.error(Fault::TooMany { what: format!("numbers ({what})"), count, limit }));
        }
        let real = matches!(scalar, Scalar::F32 | Scalar::F64);
        (0..count as usize)
            .map(|index| {
                let word = self.text.word(|| what_of(index))?;
                let value = if real {
                    numbers::real(word).and_then(T::from_real)
                } else {
                    numbers::integer(word).and_then(T::from_integer)
                };
                value.ok_or_else(|| {
                    let at = self.text.at - word.len();
                    self.text.error_at(at, Fault::NotNumber { what: what_of(index), found: quote(word) })
                })
            })
            .collect()
    }

    /// Reads the next numbers as indices of points.
    fn nodes(&mut self, scalar: Scalar, count: u64) -> Result<Vec<u32>, FormatError> {
        let what = "a node of a cell";
        if !self.text.care.is_lenient() {
            return self.numbers(scalar, count, what);
        }
        Ok(self.numbers::<AnyNode>(scalar, count, what)?.into_iter().map(|node| node.0).collect())
    }

    /// Reads the next cells, of one kind if it is known.
    fn cells(&mut self, kind: Option<u8>) -> Result<Cells, FormatError> {
        let count = self.number("the number of cells")?;
        let size = self.number("the number of nodes of all cells")?;
        let start = self.text.at;
        let mut cells = Cells::default();
        if self.offsets {
            self.keyword("OFFSETS")?;
            let scalar = self.scalar()?;
            cells.ends = self.numbers(scalar, count, "an offset")?;
            self.keyword("CONNECTIVITY")?;
            let scalar = self.scalar()?;
            cells.nodes = self.nodes(scalar, size)?;
            // Offsets begin with that of the first cell.
            if !cells.ends.is_empty() && cells.ends.remove(0) != 0 {
                let (what, found) = ("the offset 0 of the first cell".to_string(), "another".to_string());
                return Err(self.error(start, Fault::Expected { what, found }));
            }
        } else {
            let list: Vec<u32> = self.nodes(Scalar::I32, size)?;
            let mut rest = list.as_slice();
            cells.nodes.reserve(list.len());
            cells.ends.reserve(list.len().min(count as usize));
            for cell in 0..count {
                let nodes = rest.split_first().and_then(|(&length, behind)| behind.split_at_checked(length as usize));
                let Some((nodes, behind)) = nodes else {
                    let what = format!("cell {cell} of {count} goes beyond the {size} numbers of all cells");
                    let cure = "correct its number of nodes, or the two numbers before the cells".to_string();
                    return Err(self.error(start, Fault::Contradiction { what, cure }));
                };
                cells.nodes.extend_from_slice(nodes);
                cells.ends.push(cells.nodes.len() as u64);
                rest = behind;
            }
            if !rest.is_empty() {
                let what = format!("{} of the {size} numbers of all cells belong to none", rest.len());
                let cure = "correct the two numbers before the cells".to_string();
                return Err(self.error(start, Fault::Contradiction { what, cure }));
            }
        }
        if let Some(kind) = kind {
            cells.kinds = vec![kind; cells.ends.len()];
        }
        Ok(cells)
    }

    fn keyword(&mut self, keyword: &str) -> Result<(), FormatError> {
        let mut word = self.text.word(|| keyword.to_string())?;
        while word.eq_ignore_ascii_case(b"METADATA") {
            self.skip_metadata();
            word = self.text.word(|| keyword.to_string())?;
        }
        if word.eq_ignore_ascii_case(keyword.as_bytes()) {
            return Ok(());
        }
        let at = self.text.at - word.len();
        Err(self.error(at, Fault::Expected { what: keyword.to_string(), found: quote(word) }))
    }

    /// Skips the arrays of a field.
    fn skip_field(&mut self) -> Result<(), FormatError> {
        self.text.word(|| "the name of a field".to_string())?;
        let arrays = self.number("the number of arrays of a field")?;
        for _ in 0..arrays {
            let mut name = self.text.word(|| "the name of an array".to_string())?;
            while name.eq_ignore_ascii_case(b"METADATA") {
                self.skip_metadata();
                name = self.text.word(|| "the name of an array".to_string())?;
            }
            let at = self.text.at;
            let components = self.number("the number of components of an array")?;
            let count = components.saturating_mul(self.number("the number of rows of an array")?);
            let scalar = self.scalar().map_err(|_| {
                let what = format!("the array '{}' of a field has a type that is not read", quote(name));
                self.error(at, Fault::Unsupported { what, cure: "save the file without field data".to_string() })
            })?;
            match self.binary {
                true => drop(self.bytes(scalar.size(), count, "of a field")?),
                false => (0..count).try_for_each(|_| self.text.word(|| "a number of a field".to_string()).map(drop))?,
            }
        }
        Ok(())
    }

    /// Skips a block that ends with an empty line.
    fn skip_metadata(&mut self) {
        self.text.skip_line();
        while self.text.line().is_some_and(|line| !line.is_empty()) {}
    }
}
