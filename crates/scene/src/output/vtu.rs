//! One frame as an unstructured grid of VTK: XML with the arrays inline in base64, which every reader understands.
//!
//! Points are those of the merged mesh in its order; cells are tets, then triangles, then edges.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use model::mesh::Mesh;
use model::{Model, State};
use std::fmt::Write;

/// VTK's numbers for the kinds of cells.
const LINE: u8 = 3;
const TRIANGLE: u8 = 5;
const TETRA: u8 = 10;

/// The part of a frame that never changes, encoded once.
pub(super) struct Grid {
    points: usize,
    cells: usize,
    /// The whole <Cells> element and the <CellData> element.
    fixed: String,
}

impl Grid {
    /// Encodes the cells of a mesh; `body` is the number of the body that a node belongs to.
    pub fn new(mesh: &Mesh, body: impl Fn(u32) -> usize) -> Grid {
        let cells = || {
            let tets = mesh.tets.iter().map(|cell| (TETRA, cell.as_slice()));
            let triangles = mesh.triangles.iter().map(|cell| (TRIANGLE, cell.as_slice()));
            let edges = mesh.edges.iter().map(|cell| (LINE, cell.as_slice()));
            tets.chain(triangles).chain(edges)
        };
        let offsets = cells().scan(0i64, |end, (_, nodes)| {
            *end += nodes.len() as i64;
            Some(*end)
        });
        let connectivity = cells().flat_map(|(_, nodes)| nodes.iter().map(|&i| i64::from(i)));
        let mut fixed = String::from("<Cells>\n");
        array(&mut fixed, "Int64", "connectivity", 1, connectivity.flat_map(i64::to_le_bytes));
        array(&mut fixed, "Int64", "offsets", 1, offsets.flat_map(i64::to_le_bytes));
        array(&mut fixed, "UInt8", "types", 1, cells().map(|(kind, _)| kind));
        fixed.push_str("</Cells>\n<CellData>\n");
        let bodies = cells().map(|(_, nodes)| body(nodes[0]) as i32);
        array(&mut fixed, "Int32", "body", 1, bodies.flat_map(i32::to_le_bytes));
        fixed.push_str("</CellData>\n");
        Grid { points: mesh.points.len(), cells: cells().count(), fixed }
    }

    /// The file of one state.
    pub fn frame(&self, mesh: &Mesh, model: &Model, state: &State) -> String {
        let at = |values: &'_ [f64], node: usize| -> [f64; 3] {
            let i = 3 * model.number(node);
            [values[i], values[i + 1], values[i + 2]]
        };
        let bytes = |vector: [f64; 3]| vector.into_iter().flat_map(f64::to_le_bytes);
        let nodes = || 0..self.points;
        let displacement = |node: usize| std::array::from_fn(|c| at(&state.x, node)[c] - mesh.points[node][c]);

        let mut out = String::with_capacity(self.fixed.len() + 3 * 33 * self.points + 1500);
        out.push_str("<?xml version=\"1.0\"?>\n");
        out.push_str("<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" ");
        out.push_str("byte_order=\"LittleEndian\" header_type=\"UInt64\">\n<UnstructuredGrid>\n<FieldData>\n");
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{}</DataArray>",
            state.t
        );
        let _ = writeln!(
            out,
            "</FieldData>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n<Points>",
            self.points, self.cells
        );
        array(&mut out, "Float64", "Points", 3, nodes().flat_map(|i| bytes(at(&state.x, i))));
        out.push_str("</Points>\n<PointData Vectors=\"displacement\">\n");
        array(&mut out, "Float64", "displacement", 3, nodes().flat_map(|i| bytes(displacement(i))));
        array(&mut out, "Float64", "velocity", 3, nodes().flat_map(|i| bytes(at(&state.v, i))));
        out.push_str("</PointData>\n");
        out.push_str(&self.fixed);
        out.push_str("</Piece>\n</UnstructuredGrid>\n</VTKFile>\n");
        out
    }
}

/// An array: the number of bytes and the bytes, encoded as one.
fn array(out: &mut String, kind: &str, name: &str, components: usize, data: impl Iterator<Item = u8>) {
    let mut bytes = vec![0; 8];
    bytes.extend(data);
    let length = (bytes.len() - 8) as u64;
    bytes[..8].copy_from_slice(&length.to_le_bytes());
    // Writing to a string cannot fail.
    let shape = if components == 1 { String::new() } else { format!(" NumberOfComponents=\"{components}\"") };
    let _ = write!(out, "<DataArray type=\"{kind}\" Name=\"{name}\"{shape} format=\"binary\">");
    STANDARD.encode_string(&bytes, out);
    out.push_str("</DataArray>\n");
}
