//! Wavefront OBJ: polygons become triangles, lines edges, names of groups and objects groups of triangles.
//!
//! Textures, normals, colours and materials are ignored; curved surfaces are refused. A face may name vertices that
//! come later.

use std::borrow::Cow;
use std::io::Write;

use model::mesh::Mesh;

use crate::care::{Care, NOWHERE};
use crate::error::{Fault, FormatError};
use crate::surface::{Surface, fan};
use crate::text::{Text, quote};
use crate::{Encoding, Format, Groups, Holds, Input, numbers};

/// Row of the table.
pub const FORMAT: Format = Format {
    name: "obj",
    extensions: &["obj"],
    description: "Wavefront's surfaces: polygons, lines, named groups",
    holds: Holds { tets: false, triangles: true, edges: true, groups: Groups::OfTriangles, exact: true },
    read: Some(read),
    write: Some(write),
    pair: None,
};

/// Limit of groups that a face may be in at once.
const MOST_GROUPS: usize = 32;
/// Group of faces without one.
const NO_GROUP: &[u8] = b"default";

/// Content read so far.
#[derive(Default)]
struct Reading {
    mesh: Mesh,
    /// Current names, and the first triangle they apply to.
    groups: Vec<String>,
    object: Option<String>,
    since: usize,
    /// Highest vertex that was named before it existed, and its position.
    ahead: Option<(i64, usize)>,
    /// True if missing vertices may be named.
    lenient: bool,
}

fn read(input: &Input, care: Care) -> Result<Mesh, FormatError> {
    let mut text = Text::new("obj", input.bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(input.bytes));
    let mut reading = Reading { lenient: care.is_lenient(), ..Reading::default() };
    let mut corners = Vec::new();
    loop {
        let at = text.at;
        let Some(line) = text.line() else { break };
        let line = whole(line, &mut text);
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let Some(keyword) = words.next() else { continue };
        let fail = |fault| text.error_at(at, fault);
        match keyword {
            [b'#', ..] => {}
            b"v" => {
                let number = reading.mesh.points.len() + 1;
                if number > u32::MAX as usize {
                    let (count, limit) = (number as u64, u64::from(u32::MAX));
                    return Err(fail(Fault::TooMany { what: "vertices".to_string(), count, limit }));
                }
                let mut point = [0.0; 3];
                for (x, axis) in point.iter_mut().zip(["x", "y", "z"]) {
                    let what = || format!("the {axis} coordinate of vertex {number}");
                    let word = words.next().ok_or_else(|| fail(Fault::Ended { what: what() }))?;
                    let value = numbers::real(word);
                    *x = value.ok_or_else(|| fail(Fault::NotNumber { what: what(), found: quote(word) }))?;
                    if !x.is_finite() && !care.is_lenient() {
                        return Err(fail(Fault::NotFinite { what: what(), value: *x }));
                    }
                }
                reading.mesh.points.push(point);
            }
            b"f" | b"fo" | b"l" => {
                corners.clear();
                for word in words.take_while(|word| word[0] != b'#') {
                    corners.push(reading.vertex(word, at).map_err(fail)?);
                }
                let (what, least) = if keyword == b"l" { ("a line", 2) } else { ("a face", 3) };
                if corners.len() < least {
                    let (what, found) = (format!("{what} of {least} vertices or more"), corners.len().to_string());
                    return Err(fail(Fault::Expected { what, found }));
                }
                match keyword {
                    b"l" => reading.mesh.edges.extend(corners.windows(2).map(|pair| [pair[0], pair[1]])),
                    _ => reading.mesh.triangles.extend(fan(&corners)),
                }
            }
            b"g" => {
                reading.end_groups();
                let names = words.take_while(|word| word[0] != b'#').filter(|word| *word != NO_GROUP);
                reading.groups = names.take(MOST_GROUPS + 1).map(name).collect();
                if reading.groups.len() > MOST_GROUPS {
                    let what = format!("a face in more than {MOST_GROUPS} groups");
                    return Err(fail(Fault::Unsupported { what, cure: "name fewer groups a line".to_string() }));
                }
            }
            b"o" => {
                reading.end_groups();
                let rest = line.trim_ascii()[1..].trim_ascii();
                reading.object = (!rest.is_empty()).then(|| name(rest));
            }
            b"vt" | b"vn" | b"vp" | b"vc" | b"p" | b"s" | b"mg" | b"usemtl" | b"mtllib" | b"usemap" | b"maplib"
            | b"bevel" | b"c_interp" | b"d_interp" | b"lod" | b"shadow_obj" | b"trace_obj" => {}
            b"cstype" | b"deg" | b"curv" | b"curv2" | b"surf" | b"parm" | b"bmat" | b"step" | b"call" => {
                let what = format!("'{}' (curved surfaces, calls) is not read", quote(keyword));
                return Err(fail(Fault::Unsupported { what, cure: "export polygons instead".to_string() }));
            }
            _ => {
                let what = "a keyword of OBJ (v, f, l, g, o and others)".to_string();
                return Err(fail(Fault::Expected { what, found: quote(keyword) }));
            }
        }
    }
    reading.end_groups();
    let points = reading.mesh.points.len();
    match reading.ahead {
        Some((index, at)) if index > points as i64 && !care.is_lenient() => {
            let (what, index, low, high) = ("a vertex of an element".to_string(), index.into(), 1, points as i128);
            Err(text.error_at(at, Fault::OutOfRange { what, index, low, high }))
        }
        _ if points == 0 => {
            let (what, cure) = ("there are no vertices (v x y z)".to_string(), "export the mesh again".to_string());
            Err(FormatError::whole("obj", Fault::Contradiction { what, cure }))
        }
        _ => Ok(reading.mesh),
    }
}

/// Returns a line joined with its continuation lines.
fn whole<'a>(line: &'a [u8], text: &mut Text<'a>) -> Cow<'a, [u8]> {
    let Some(start) = line.strip_suffix(b"\\") else { return Cow::Borrowed(line) };
    let mut whole = start.to_vec();
    while let Some(more) = text.line() {
        whole.push(b' ');
        match more.strip_suffix(b"\\") {
            Some(more) => whole.extend_from_slice(more),
            None => {
                whole.extend_from_slice(more);
                break;
            }
        }
    }
    Cow::Owned(whole)
}

fn name(word: &[u8]) -> String {
    String::from_utf8_lossy(word).into_owned()
}

impl Reading {
    /// Parses a corner `v`, `v/vt`, `v//vn` or `v/vt/vn`; negative numbers count back from the last vertex.
    fn vertex(&mut self, word: &[u8], at: usize) -> Result<u32, Fault> {
        let points = self.mesh.points.len() as i64;
        let first = word.split(|&byte| byte == b'/').next().unwrap_or_default();
        let what = || "a vertex of an element".to_string();
        let index = numbers::integer(first).ok_or_else(|| Fault::NotNumber { what: what(), found: quote(word) })?;
        let number = if index < 0 { (points + 1).saturating_add(index) } else { index };
        if self.lenient && !(1..i64::from(u32::MAX)).contains(&number) {
            return Ok(NOWHERE);
        }
        if index == 0 {
            let what = "a vertex of an element is 0, but the first vertex is 1".to_string();
            return Err(Fault::Contradiction { what, cure: "count from 1".to_string() });
        }
        if number < 1 || number > i64::from(u32::MAX) {
            let (low, high) = if index < 0 { (-i128::from(points), -1) } else { (1, i128::from(u32::MAX)) };
            return Err(Fault::OutOfRange { what: what(), index: index.into(), low, high });
        }
        if number > points && self.ahead.is_none_or(|(highest, _)| number > highest) {
            self.ahead = Some((number, at));
        }
        Ok((number - 1) as u32)
    }

    /// Adds the triangles since the last names to their groups.
    fn end_groups(&mut self) {
        let new = self.since as u32..self.mesh.triangles.len() as u32;
        self.since = self.mesh.triangles.len();
        if new.is_empty() {
            return;
        }
        for name in self.groups.iter().chain(&self.object) {
            let triangles = &mut self.mesh.groups.entry(name.clone()).or_default().triangles;
            // A name may occur twice, as group and as object.
            if triangles.last().is_none_or(|&last| last < new.start) {
                triangles.extend(new.clone());
            }
        }
    }
}

/// Writes the surface of a mesh and its edges.
fn write(mesh: &Mesh, _: Encoding) -> Vec<u8> {
    let surface = Surface::of(mesh, true);
    let mut out = Vec::new();
    // Writing to memory cannot fail.
    for [x, y, z] in &surface.points {
        let _ = writeln!(out, "v {x:?} {y:?} {z:?}");
    }
    // The groups of each triangle, as words.
    let word = |name: &String| name.replace(|c: char| c.is_whitespace() || c == '#', "_");
    let words: Vec<String> = mesh.groups.keys().map(word).collect();
    let mut names: Vec<Vec<&str>> = vec![Vec::new(); surface.triangles.len()];
    for (word, group) in words.iter().zip(mesh.groups.values()) {
        group.triangles.iter().for_each(|&i| names[surface.boundary + i as usize].push(word));
    }
    let mut before: &[&str] = &[];
    for ([a, b, c], names) in surface.triangles.iter().zip(&names) {
        if names != before {
            let _ = writeln!(out, "g {}", if names.is_empty() { "default".to_string() } else { names.join(" ") });
            before = names;
        }
        let _ = writeln!(out, "f {} {} {}", u64::from(*a) + 1, u64::from(*b) + 1, u64::from(*c) + 1);
    }
    for [a, b] in &surface.edges {
        let _ = writeln!(out, "l {} {}", u64::from(*a) + 1, u64::from(*b) + 1);
    }
    out
}

/// Returns the texture coordinates at the corners of the triangles that a file is read as, from the left and bottom of
/// a picture; `None` if not every corner of every face has them.
pub fn texture(bytes: &[u8]) -> Option<Vec<[[f32; 2]; 3]>> {
    let mut text = Text::new("obj", bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
    let (mut coordinates, mut corners): (Vec<[f32; 2]>, Vec<u32>) = (Vec::new(), Vec::new());
    let mut triangles = Vec::new();
    while let Some(line) = text.line() {
        let line = whole(line, &mut text);
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        match words.next() {
            Some(b"vt") => {
                let mut number = || numbers::real(words.next()?).map(|x| x as f32).filter(|x| x.is_finite());
                let first = number()?;
                coordinates.push([first, number().unwrap_or(0.0)]);
            }
            Some(b"f" | b"fo") => {
                corners.clear();
                for word in words.take_while(|word| word[0] != b'#') {
                    let index = numbers::integer(word.split(|&byte| byte == b'/').nth(1)?)?;
                    let index = if index < 0 { (coordinates.len() as i64 + 1).checked_add(index)? } else { index };
                    corners.push(u32::try_from(index.checked_sub(1)?).ok()?);
                }
                triangles.extend(fan(&corners));
            }
            _ => {}
        }
    }
    let corner = |&i: &u32| coordinates.get(i as usize).copied();
    let texture = triangles.iter().map(|[a, b, c]| Some([corner(a)?, corner(b)?, corner(c)?]));
    texture.collect::<Option<Vec<_>>>().filter(|texture| !texture.is_empty())
}
