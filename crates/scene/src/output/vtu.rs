//! One frame as an unstructured grid of VTK, in the encoding of mesh files.
//!
//! Points are those of the merged mesh in its order; cells are tets, then triangles, then edges.

use std::fmt::Write;

use formats::Encoding::Binary;
use formats::vtu::write::{CLOSING, OPENING, array, cells, count, write_cells};
use model::mesh::Mesh;
use model::{Model, State};

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
        let mut fixed = String::new();
        write_cells(&mut fixed, Binary, mesh);
        fixed.push_str("<CellData>\n");
        array(&mut fixed, Binary, "body", 1, cells(mesh).map(|(_, nodes)| body(nodes[0]) as i32));
        fixed.push_str("</CellData>\n");
        Grid { points: mesh.points.len(), cells: count(mesh), fixed }
    }

    /// The file of one state.
    pub fn frame(&self, mesh: &Mesh, model: &Model, state: &State) -> String {
        let at = |values: &'_ [f64], node: usize| -> [f64; 3] {
            let i = 3 * model.number(node);
            [values[i], values[i + 1], values[i + 2]]
        };
        let nodes = || 0..self.points;
        let displacement =
            |node: usize| -> [f64; 3] { std::array::from_fn(|c| at(&state.x, node)[c] - mesh.points[node][c]) };

        let mut out = String::with_capacity(self.fixed.len() + 3 * 33 * self.points + 1500);
        out.push_str(OPENING);
        out.push_str("<FieldData>\n");
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
        array(&mut out, Binary, "Points", 3, nodes().flat_map(|i| at(&state.x, i)));
        out.push_str("</Points>\n<PointData Vectors=\"displacement\">\n");
        array(&mut out, Binary, "displacement", 3, nodes().flat_map(displacement));
        array(&mut out, Binary, "velocity", 3, nodes().flat_map(|i| at(&state.v, i)));
        out.push_str("</PointData>\n");
        out.push_str(&self.fixed);
        out.push_str("</Piece>\n");
        out.push_str(CLOSING);
        out
    }
}
