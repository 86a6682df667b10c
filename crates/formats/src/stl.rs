//! STL, text and binary: loose triangles, whose corners are welded where they agree to the bit.
//!
//! Several solids in a text become groups of triangles. Normals and attributes are ignored: the order of the corners
//! contains the same.

use std::collections::HashMap;
use std::io::Write;

use model::mesh::Mesh;
use numerics::mat3::{Vec3, cross, norm, scale, sub};

use crate::binary::Binary;
use crate::care::Care;
use crate::error::{Fault, FormatError};
use crate::surface::Surface;
use crate::text::{Text, quote};
use crate::{Encoding, Format, Groups, Holds, Input, numbers};

/// Row of the table.
pub(crate) const FORMAT: Format = Format {
    name: "stl",
    extensions: &["stl"],
    description: "Stereolithography's loose triangles; binary in single precision",
    holds: Holds { tets: false, triangles: true, edges: false, groups: Groups::None, exact: false },
    read: Some(read),
    write: Some(write),
    pair: None,
};

/// Bytes of the title and the count of a binary file, and of a triangle.
const HEAD: usize = 84;
const TITLE: usize = 80;
const FACET: usize = 50;

fn read(input: &Input, care: Care) -> Result<Mesh, FormatError> {
    let bytes = input.bytes;
    let count = bytes.get(TITLE..HEAD).map(|n| n.iter().rev().fold(0u64, |count, &byte| count << 8 | u64::from(byte)));
    // Binary files may begin with "solid" too, but texts do not have the right size, nor zero bytes.
    let sized = count.is_some_and(|count| bytes.len() as u64 == HEAD as u64 + FACET as u64 * count);
    let binary_like = sized || bytes.iter().take(HEAD + FACET).any(|&byte| byte == 0);
    let solid = bytes.trim_ascii_start().get(..5).is_some_and(|word| word.eq_ignore_ascii_case(b"solid"));
    match count {
        _ if solid && !binary_like => text(bytes, care),
        Some(count) => binary(bytes, count, care),
        None => {
            let (what, found) = ("'solid', or 84 bytes of a binary head".to_string(), quote(bytes));
            Err(FormatError::whole("stl", Fault::Expected { what, found }))
        }
    }
}

/// Corners that become points where they agree.
#[derive(Default)]
struct Welding {
    mesh: Mesh,
    points: HashMap<[u64; 3], u32>,
}

impl Welding {
    /// Returns the point of a corner; -0 is 0.
    fn point(&mut self, corner: Vec3) -> Option<u32> {
        let corner = corner.map(|x| x + 0.0);
        let next = u32::try_from(self.mesh.points.len()).ok()?;
        Some(*self.points.entry(corner.map(f64::to_bits)).or_insert_with(|| {
            self.mesh.points.push(corner);
            next
        }))
    }

    fn triangle(&mut self, corners: [Vec3; 3]) -> Result<(), Fault> {
        let [a, b, c] = corners.map(|corner| self.point(corner));
        let (Some(a), Some(b), Some(c)) = (a, b, c) else {
            let (count, limit) = (self.mesh.points.len() as u64, u64::from(u32::MAX));
            return Err(Fault::TooMany { what: "points".to_string(), count, limit });
        };
        self.mesh.triangles.push([a, b, c]);
        Ok(())
    }
}

fn binary(bytes: &[u8], count: u64, care: Care) -> Result<Mesh, FormatError> {
    let mut file = Binary { care, ..Binary::new("stl", bytes, HEAD) };
    let count = file.count(count, "triangles", FACET)?;
    if count == 0 && file.left() >= FACET {
        let what = "it has no triangles, but much else: it is no STL file".to_string();
        return Err(file.error(Fault::Unsupported { what, cure: "export the mesh again".to_string() }));
    }
    let mut welding = Welding::default();
    for triangle in 0..count {
        let facet = file.take(FACET, "a triangle")?;
        let row = file.row(facet);
        // The normal comes first.
        let corners = std::array::from_fn(|k| std::array::from_fn(|c| f64::from(row.f32(12 + 12 * k + 4 * c))));
        let wrong = corners.as_flattened().iter().position(|x: &f64| !x.is_finite() && !care.is_lenient());
        if let Some(wrong) = wrong {
            let what = format!("a coordinate of triangle {triangle}");
            return Err(row.error(12 + 4 * wrong, Fault::NotFinite { what, value: corners.as_flattened()[wrong] }));
        }
        welding.triangle(corners).map_err(|fault| row.error(0, fault))?;
    }
    Ok(welding.mesh)
}

fn text(bytes: &[u8], care: Care) -> Result<Mesh, FormatError> {
    let mut text = Text::new("stl", bytes);
    let mut welding = Welding::default();
    // Names of solids and their triangles.
    let mut solids: Vec<(String, usize, usize)> = Vec::new();
    while let Some(word) = text.maybe_word() {
        if !is(word, "solid") {
            return Err(unexpected(&text, "'solid' or the end of the file", word));
        }
        let name = text.line().unwrap_or_default().trim_ascii();
        let start = welding.mesh.triangles.len();
        loop {
            let word = text.word(|| "'facet' or 'endsolid'".to_string())?;
            if is(word, "endsolid") {
                text.skip_line();
                break;
            }
            if !is(word, "facet") {
                return Err(unexpected(&text, "'facet' or 'endsolid'", word));
            }
            let triangle = welding.mesh.triangles.len();
            keyword(&mut text, "normal")?;
            for _ in 0..3 {
                text.word(|| format!("the normal of triangle {triangle}"))?;
            }
            keyword(&mut text, "outer")?;
            keyword(&mut text, "loop")?;
            let mut corners = [[0.0; 3]; 3];
            for x in &mut corners {
                keyword(&mut text, "vertex")?;
                for x in x {
                    let what = || format!("a coordinate of triangle {triangle}");
                    let word = text.word(what)?;
                    let at = text.at - word.len();
                    let value = numbers::real(word)
                        .ok_or_else(|| text.error_at(at, Fault::NotNumber { what: what(), found: quote(word) }))?;
                    if !value.is_finite() && !care.is_lenient() {
                        return Err(text.error_at(at, Fault::NotFinite { what: what(), value }));
                    }
                    *x = value;
                }
            }
            keyword(&mut text, "endloop")?;
            keyword(&mut text, "endfacet")?;
            welding.triangle(corners).map_err(|fault| text.error(fault))?;
        }
        let name = if name.is_empty() {
            format!("solid-{}", solids.len() + 1)
        } else {
            String::from_utf8_lossy(name).into_owned()
        };
        solids.push((name, start, welding.mesh.triangles.len()));
    }
    if solids.len() > 1 {
        for (name, start, end) in solids {
            let group = welding.mesh.groups.entry(name).or_default();
            group.triangles.extend(start as u32..end as u32);
        }
    }
    Ok(welding.mesh)
}

fn is(word: &[u8], keyword: &str) -> bool {
    word.eq_ignore_ascii_case(keyword.as_bytes())
}

fn keyword(text: &mut Text, keyword: &str) -> Result<(), FormatError> {
    let word = text.word(|| format!("'{keyword}'"))?;
    if is(word, keyword) { Ok(()) } else { Err(unexpected(text, keyword, word)) }
}

fn unexpected(text: &Text, what: &str, word: &[u8]) -> FormatError {
    text.error_at(text.at - word.len(), Fault::Expected { what: what.to_string(), found: quote(word) })
}

/// Writes the surface of a mesh.
fn write(mesh: &Mesh, encoding: Encoding) -> Vec<u8> {
    let surface = Surface::of(mesh, false);
    let facets = surface.triangles.iter().map(|triangle| {
        let [a, b, c] = triangle.map(|i| surface.points[i as usize]);
        let normal = cross(sub(b, a), sub(c, a));
        let length = norm(normal);
        // A flat triangle has no normal; readers compute them from the corners anyway.
        let normal = if length > 0.0 && length.is_finite() { scale(1.0 / length, normal) } else { [0.0; 3] };
        [normal, a, b, c]
    });
    let mut out = Vec::new();
    match encoding {
        Encoding::Binary => {
            out.extend_from_slice(&[b' '; TITLE]);
            out.extend_from_slice(&(surface.triangles.len() as u32).to_le_bytes());
            for facet in facets {
                let single = facet.as_flattened().iter().map(|&x| (x as f32).clamp(f32::MIN, f32::MAX));
                out.extend(single.flat_map(f32::to_le_bytes));
                out.extend_from_slice(&[0, 0]);
            }
        }
        // Writing to memory cannot fail.
        Encoding::Ascii => {
            let _ = writeln!(out, "solid mesh");
            for [[x, y, z], corners @ ..] in facets {
                let _ = writeln!(out, "facet normal {x:?} {y:?} {z:?}\nouter loop");
                for [x, y, z] in corners {
                    let _ = writeln!(out, "vertex {x:?} {y:?} {z:?}");
                }
                let _ = writeln!(out, "endloop\nendfacet");
            }
            let _ = writeln!(out, "endsolid mesh");
        }
    }
    out
}
