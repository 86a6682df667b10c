//! PLY, text and binary of either byte order: vertices, faces, strips of triangles and edges.
//!
//! Other elements and properties are skipped, whatever their types.

use std::io::Write;

use model::mesh::Mesh;

use crate::binary::Binary;
use crate::care::{Care, Doubt, NOWHERE};
use crate::error::{Fault, FormatError};
use crate::numbering::few_enough;
use crate::scalar::Scalar;
use crate::surface::{Surface, fan, strip};
use crate::text::{Text, parse, quote};
use crate::{Encoding, Format, Groups, Holds, Input, numbers};

/// Row of the table.
pub(crate) const FORMAT: Format = Format {
    name: "ply",
    extensions: &["ply"],
    description: "Stanford's polygons, text and binary",
    holds: Holds { tets: false, triangles: true, edges: true, groups: Groups::None, exact: true },
    read: Some(read),
    write: Some(write),
    pair: None,
};

/// A list of things with the same properties.
struct Element<'a> {
    name: &'a [u8],
    count: u64,
    properties: Vec<Property<'a>>,
}

/// A number, or a list of them if it has a length type.
struct Property<'a> {
    name: &'a [u8],
    length: Option<Scalar>,
    kind: Scalar,
}

/// Numbers after the head.
enum Numbers<'a> {
    Text(Text<'a>),
    Binary(Binary<'a>),
}

fn read(input: &Input, care: Care) -> Result<Mesh, FormatError> {
    let (mut numbers, elements) = header(input.bytes)?;
    match &mut numbers {
        Numbers::Text(text) => text.care = care,
        Numbers::Binary(binary) => binary.care = care,
    }
    let points = elements.iter().find(|element| element.name == b"vertex").map_or(0, |element| element.count);
    let most = u32::try_from(points).unwrap_or(u32::MAX);
    let mut mesh = Mesh::default();
    for element in &elements {
        let mut row = 0;
        if let Err(error) = element.read(&mut numbers, most, &mut mesh, &mut row) {
            // A truncated file has the content before the cut.
            if !(care.is_lenient() && matches!(error.fault, Fault::Ended { .. })) {
                return Err(error);
            }
            let things = format!("elements of the kind {}", quote(element.name));
            care.doubt(Doubt::Count { things, announced: element.count, found: row });
            break;
        }
    }
    few_enough("vertices", mesh.points.len()).map_err(|fault| FormatError::whole("ply", fault))?;
    if mesh.points.len() as u64 > points || mesh.points.len() as u64 != points && !care.is_lenient() {
        let (what, cure) = ("there are several elements named vertex".to_string(), "keep one of them".to_string());
        return Err(FormatError::whole("ply", Fault::Contradiction { what, cure }));
    }
    Ok(mesh)
}

/// Reads the head, up to the numbers.
fn header(bytes: &[u8]) -> Result<(Numbers<'_>, Vec<Element<'_>>), FormatError> {
    let mut text = Text::new("ply", bytes);
    let first = text.line().unwrap_or_default();
    if first != b"ply" {
        return Err(text.error_at(0, Fault::Expected { what: "'ply'".to_string(), found: quote(first) }));
    }
    // Binary with the high byte first, binary, or text.
    let mut binary = None;
    let mut elements: Vec<Element> = Vec::new();
    loop {
        let at = text.at;
        let line = text.line().ok_or_else(|| text.error(Fault::Ended { what: "'end_header'".to_string() }))?;
        let words: Vec<&[u8]> = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).take(6).collect();
        let wrong = |what: &str| text.error_at(at, Fault::Expected { what: what.to_string(), found: quote(line) });
        let kind = |word: &[u8]| scalar(word).ok_or_else(|| wrong("a type of numbers (char to uint, float, double)"));
        match words.as_slice() {
            [] | [b"comment" | b"obj_info", ..] => {}
            [b"format", b"ascii", ..] => binary = Some(None),
            [b"format", b"binary_little_endian", ..] => binary = Some(Some(false)),
            [b"format", b"binary_big_endian", ..] => binary = Some(Some(true)),
            [b"element", name, count] => {
                let count = parse(count).ok_or_else(|| wrong("an element, its name and its count"))?;
                elements.push(Element { name, count, properties: Vec::new() });
            }
            [b"property", rest @ ..] => {
                let (length, type_name, name) = match rest {
                    [b"list", length, type_name, name] => (Some(kind(length)?), type_name, name),
                    [type_name, name] => (None, type_name, name),
                    _ => return Err(wrong("a property, its type and its name")),
                };
                let property = Property { name, length, kind: kind(type_name)? };
                elements.last_mut().ok_or_else(|| wrong("an element before its properties"))?.properties.push(property);
            }
            [b"end_header"] => break,
            _ => return Err(wrong("a line of the head (format, element, property, comment, end_header)")),
        }
    }
    let binary = binary.ok_or_else(|| {
        let what = "the head does not say the format".to_string();
        let cure = "add 'format ascii 1.0', or the binary format that it is".to_string();
        text.error_at(first.len() + 1, Fault::Contradiction { what, cure })
    })?;
    let numbers = match binary {
        None => Numbers::Text(text),
        Some(big_endian) => Numbers::Binary(Binary { big_endian, ..Binary::new("ply", bytes, text.at) }),
    };
    Ok((numbers, elements))
}

fn scalar(word: &[u8]) -> Option<Scalar> {
    Some(match word {
        b"char" | b"int8" => Scalar::I8,
        b"uchar" | b"uint8" => Scalar::U8,
        b"short" | b"int16" => Scalar::I16,
        b"ushort" | b"uint16" => Scalar::U16,
        b"int" | b"int32" => Scalar::I32,
        b"uint" | b"uint32" => Scalar::U32,
        b"float" | b"float32" => Scalar::F32,
        b"double" | b"float64" => Scalar::F64,
        _ => return None,
    })
}

/// Meaning of a number of an element.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    Coordinate(usize),
    Face,
    Strip,
    End(usize),
    None,
}

impl Element<'_> {
    fn role(&self, property: &Property) -> Role {
        if property.length.is_none() {
            return match (self.name, property.name) {
                (b"vertex", b"x") => Role::Coordinate(0),
                (b"vertex", b"y") => Role::Coordinate(1),
                (b"vertex", b"z") => Role::Coordinate(2),
                (b"edge", b"vertex1") => Role::End(0),
                (b"edge", b"vertex2") => Role::End(1),
                _ => Role::None,
            };
        }
        match (self.name, property.name) {
            (b"face", b"vertex_indices" | b"vertex_index") => Role::Face,
            (b"tristrips", b"vertex_indices" | b"vertex_index") => Role::Strip,
            _ => Role::None,
        }
    }

    /// Reads all of this element into the mesh; `at` is the current row.
    fn read(&self, numbers: &mut Numbers, points: u32, mesh: &mut Mesh, at: &mut u64) -> Result<(), FormatError> {
        let name = quote(self.name);
        let roles: Vec<Role> = self.properties.iter().map(|property| self.role(property)).collect();
        let needed: &[(Role, &str)] = match self.name {
            b"vertex" => &[(Role::Coordinate(0), "x"), (Role::Coordinate(1), "y"), (Role::Coordinate(2), "z")],
            b"face" => &[(Role::Face, "vertex_indices")],
            b"tristrips" => &[(Role::Strip, "vertex_indices")],
            b"edge" => &[(Role::End(0), "vertex1"), (Role::End(1), "vertex2")],
            _ => &[],
        };
        if let Some((_, property)) = needed.iter().find(|(role, _)| self.count > 0 && !roles.contains(role)) {
            let (what, found) = (format!("the property {property} of the element {name}"), "others alone".to_string());
            return Err(numbers.error(Fault::Expected { what, found }));
        }
        if self.properties.is_empty() {
            return Ok(());
        }
        numbers.check_fits(
            self.count,
            &format!("elements of the kind {name}"),
            self.properties.iter().map(|p| p.length.unwrap_or(p.kind)),
        )?;
        let (mut point, mut ends, mut nodes) = ([0.0; 3], [0; 2], Vec::new());
        for row in 0..self.count {
            *at = row;
            let what = |property: &Property| format!("{} of {name} {row}", quote(property.name));
            for (property, &role) in self.properties.iter().zip(&roles) {
                let Some(length) = property.length else {
                    let value = numbers.next(property.kind, || what(property))?;
                    match role {
                        Role::Coordinate(_) if !value.is_finite() && !numbers.is_lenient() => {
                            return Err(numbers.error(Fault::NotFinite { what: what(property), value }));
                        }
                        Role::Coordinate(axis) => point[axis] = value,
                        Role::End(k) => {
                            ends[k] = index(numbers, value, points, || format!("a vertex of {name} {row}"))?
                        }
                        _ => {}
                    }
                    continue;
                };
                let count = numbers.next(length, || format!("the length of {}", what(property)))?;
                if !(count >= 0.0 && count.fract() == 0.0) {
                    let (what, found) = (format!("a length of {}", what(property)), count.to_string());
                    return Err(numbers.error(Fault::Expected { what, found }));
                }
                numbers.check_fits(count as u64, &format!("numbers of {name} {row}"), [property.kind].into_iter())?;
                nodes.clear();
                for _ in 0..count as u64 {
                    let value = numbers.next(property.kind, || what(property))?;
                    match role {
                        // A strip ends with -1, and another may follow.
                        Role::Strip if value == -1.0 => {
                            mesh.triangles.extend(strip(&nodes));
                            nodes.clear();
                        }
                        Role::Face | Role::Strip => {
                            nodes.push(index(numbers, value, points, || format!("a vertex of {name} {row}"))?);
                        }
                        _ => {}
                    }
                }
                match role {
                    Role::Face if nodes.len() < 3 => {
                        let (what, found) = (format!("3 vertices or more of face {row}"), nodes.len().to_string());
                        return Err(numbers.error(Fault::Expected { what, found }));
                    }
                    Role::Face => mesh.triangles.extend(fan(&nodes)),
                    Role::Strip => mesh.triangles.extend(strip(&nodes)),
                    _ => {}
                }
            }
            match self.name {
                b"vertex" => mesh.points.push(point),
                b"edge" => mesh.edges.push(ends),
                _ => {}
            }
        }
        Ok(())
    }
}

/// Converts a number to the index of a point.
fn index(numbers: &Numbers, value: f64, points: u32, what: impl Fn() -> String) -> Result<u32, FormatError> {
    if value >= 0.0 && value < f64::from(points) && value.fract() == 0.0 {
        return Ok(value as u32);
    }
    if numbers.is_lenient() {
        return Ok(NOWHERE);
    }
    if value.fract() != 0.0 {
        return Err(numbers.error(Fault::NotNumber { what: what(), found: value.to_string() }));
    }
    let (index, high) = (value as i128, i128::from(points) - 1);
    Err(numbers.error(Fault::OutOfRange { what: what(), index, low: 0, high }))
}

impl Numbers<'_> {
    fn is_lenient(&self) -> bool {
        match self {
            Numbers::Text(text) => text.care.is_lenient(),
            Numbers::Binary(binary) => binary.care.is_lenient(),
        }
    }

    fn error(&self, fault: Fault) -> FormatError {
        match self {
            Numbers::Text(text) => text.error(fault),
            Numbers::Binary(binary) => binary.error(fault),
        }
    }

    /// Checks a count of things of these numbers against the rest.
    fn check_fits(&self, count: u64, things: &str, kinds: impl Iterator<Item = Scalar>) -> Result<(), FormatError> {
        let limit = match self {
            // A number takes a digit and a blank, except the last.
            Numbers::Text(text) => (text.left() + 1) / (2 * kinds.count()),
            Numbers::Binary(binary) => binary.left() / kinds.map(Scalar::size).sum::<usize>(),
        } as u64;
        if count <= limit || self.is_lenient() {
            return Ok(());
        }
        Err(self.error(Fault::TooMany { what: things.to_string(), count, limit }))
    }

    /// Reads the next number; all types of PLY are exact in double precision.
    fn next(&mut self, kind: Scalar, what: impl Fn() -> String) -> Result<f64, FormatError> {
        match self {
            Numbers::Text(text) => {
                let word = text.word(&what)?;
                let at = text.at - word.len();
                let not_number = || text.error_at(at, Fault::NotNumber { what: what(), found: quote(word) });
                numbers::real(word).ok_or_else(not_number)
            }
            Numbers::Binary(binary) => {
                if binary.left() < kind.size() {
                    return Err(binary.error(Fault::Ended { what: what() }));
                }
                let bytes = binary.take(kind.size(), "")?;
                Ok(kind.real(bytes, binary.big_endian))
            }
        }
    }
}

/// Writes the surface of a mesh and its edges.
fn write(mesh: &Mesh, encoding: Encoding) -> Vec<u8> {
    let Surface { points, triangles, edges, .. } = Surface::of(mesh, true);
    let ascii = encoding == Encoding::Ascii;
    // The usual type, unless it is too small; the bits are the same.
    let int = if points.len() > i32::MAX as usize { "uint" } else { "int" };
    let mut out = Vec::new();
    // Writing to memory cannot fail.
    let _ = write!(
        out,
        "ply\nformat {} 1.0\nelement vertex {}\nproperty double x\nproperty double y\nproperty double z\n\
         element face {}\nproperty list uchar {int} vertex_indices\n",
        if ascii { "ascii" } else { "binary_little_endian" },
        points.len(),
        triangles.len(),
    );
    if !edges.is_empty() {
        let _ = write!(out, "element edge {}\nproperty {int} vertex1\nproperty {int} vertex2\n", edges.len());
    }
    out.extend_from_slice(b"end_header\n");
    if ascii {
        points.iter().for_each(|[x, y, z]| drop(writeln!(out, "{x:?} {y:?} {z:?}")));
        triangles.iter().for_each(|[a, b, c]| drop(writeln!(out, "3 {a} {b} {c}")));
        edges.iter().for_each(|[a, b]| drop(writeln!(out, "{a} {b}")));
        return out;
    }
    out.extend(points.as_flattened().iter().flat_map(|x| x.to_le_bytes()));
    for triangle in &triangles {
        out.push(3);
        out.extend(triangle.iter().flat_map(|i| i.to_le_bytes()));
    }
    out.extend(edges.as_flattened().iter().flat_map(|i| i.to_le_bytes()));
    out
}
