//! Writes VTU: XML with the arrays inline, in base64 or as text, which every reader understands.

use std::fmt::{Debug, Write};

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use model::mesh::{Group, Mesh};

use crate::Encoding;
use crate::vtk_cells::{LINE, TETRA, TRIANGLE, VERTEX};

/// Beginning of a VTU file, up to its grid.
pub const OPENING: &str = "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" \
                           byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n";
/// End of a VTU file.
pub const CLOSING: &str = "</UnstructuredGrid>\n</VTKFile>\n";

/// A type of numbers in arrays.
pub trait Number: Copy + Debug {
    /// Its name in VTK.
    const KIND: &'static str;
    /// Adds its bytes, the low one first.
    fn put(self, bytes: &mut Vec<u8>);
}

macro_rules! number {
    ($type:ty, $kind:literal) => {
        impl Number for $type {
            const KIND: &'static str = $kind;
            fn put(self, bytes: &mut Vec<u8>) {
                bytes.extend_from_slice(&self.to_le_bytes());
            }
        }
    };
}
number!(f64, "Float64");
number!(i64, "Int64");
number!(i32, "Int32");
number!(u8, "UInt8");

/// Writes a mesh as a VTU file: tets, then triangles, then edges; groups as arrays of 0 and 1.
pub fn write(mesh: &Mesh, encoding: Encoding) -> Vec<u8> {
    let mut out = String::from(OPENING);
    let (points, cells) = (mesh.points.len(), count(mesh));
    // Writing to a string cannot fail, here and below.
    let _ = writeln!(out, "<Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cells}\">\n<Points>");
    array(&mut out, encoding, "Points", 3, mesh.points.as_flattened().iter().copied());
    out.push_str("</Points>\n");
    write_cells(&mut out, encoding, mesh);
    out.push_str("<PointData>\n");
    for (name, group) in mesh.groups.iter().filter(|(_, group)| !group.nodes.is_empty() || is_empty(group)) {
        let inside = mark(points, [(0, &group.nodes)]);
        array(&mut out, encoding, &format!("{}{name}", super::GROUP), 1, inside.into_iter());
    }
    out.push_str("</PointData>\n<CellData>\n");
    for (name, group) in mesh.groups.iter().filter(|(_, group)| !group.tets.is_empty() || !group.triangles.is_empty()) {
        let inside = mark(cells, [(0, &group.tets), (mesh.tets.len(), &group.triangles)]);
        array(&mut out, encoding, &format!("{}{name}", super::GROUP), 1, inside.into_iter());
    }
    out.push_str("</CellData>\n</Piece>\n");
    out.push_str(CLOSING);
    out.into_bytes()
}

/// Counts the cells of a mesh.
pub fn count(mesh: &Mesh) -> usize {
    mesh.tets.len() + mesh.triangles.len() + mesh.edges.len()
}

/// Returns the cells of a mesh in the order in which they are written, as VTK's type and nodes.
pub fn cells(mesh: &Mesh) -> impl Iterator<Item = (u8, &[u32])> {
    let tets = mesh.tets.iter().map(|cell| (TETRA, cell.as_slice()));
    let triangles = mesh.triangles.iter().map(|cell| (TRIANGLE, cell.as_slice()));
    let edges = mesh.edges.iter().map(|cell| (LINE, cell.as_slice()));
    tets.chain(triangles).chain(edges)
}

/// Adds the element Cells.
pub fn write_cells(out: &mut String, encoding: Encoding, mesh: &Mesh) {
    write_cells_and_points(out, encoding, mesh, &[]);
}

/// The same, with points as cells after all others: points without cells are not drawn otherwise.
pub fn write_cells_and_points(out: &mut String, encoding: Encoding, mesh: &Mesh, points: &[u32]) {
    let cells = |mesh| cells(mesh).chain(points.iter().map(|point| (VERTEX, std::slice::from_ref(point))));
    let offsets = cells(mesh).scan(0i64, |end, (_, nodes)| {
        *end += nodes.len() as i64;
        Some(*end)
    });
    out.push_str("<Cells>\n");
    let connectivity = cells(mesh).flat_map(|(_, nodes)| nodes.iter().map(|&i| i64::from(i)));
    array(out, encoding, "connectivity", 1, connectivity);
    array(out, encoding, "offsets", 1, offsets);
    array(out, encoding, "types", 1, cells(mesh).map(|(kind, _)| kind));
    out.push_str("</Cells>\n");
}

/// Adds an array. In base64 its length in bytes and its bytes are encoded together.
pub fn array<T: Number>(
    out: &mut String,
    encoding: Encoding,
    name: &str,
    components: usize,
    values: impl Iterator<Item = T>,
) {
    let shape = if components == 1 { String::new() } else { format!(" NumberOfComponents=\"{components}\"") };
    let name = quick_xml::escape::escape(name);
    let _ = write!(out, "<DataArray type=\"{}\" Name=\"{name}\"{shape} format=", T::KIND);
    match encoding {
        Encoding::Binary => {
            let mut bytes = vec![0; 8];
            values.for_each(|value| value.put(&mut bytes));
            let length = (bytes.len() - 8) as u64;
            bytes[..8].copy_from_slice(&length.to_le_bytes());
            out.push_str("\"binary\">");
            STANDARD.encode_string(&bytes, out);
        }
        Encoding::Ascii => {
            out.push_str("\"ascii\">\n");
            for (i, value) in values.enumerate() {
                // Enough digits to read a number back to the bit.
                let _ = write!(out, "{value:?}{}", if (i + 1).is_multiple_of(components.max(12)) { '\n' } else { ' ' });
            }
        }
    }
    out.push_str("</DataArray>\n");
}

fn is_empty(group: &Group) -> bool {
    group.nodes.is_empty() && group.tets.is_empty() && group.triangles.is_empty()
}

/// Returns 1 for the members of lists, each after an offset, 0 for the rest.
fn mark<const N: usize>(count: usize, lists: [(usize, &Vec<u32>); N]) -> Vec<u8> {
    let mut inside = vec![0; count];
    for (base, list) in lists {
        list.iter().for_each(|&i| inside[base + i as usize] = 1);
    }
    inside
}
