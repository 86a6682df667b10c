//! One frame as an unstructured grid of VTK, in the encoding of mesh files.
//!
//! Points are those of a mesh in its order, all bodies together; cells are tets, then triangles, then edges,
//! then points that belong to none of them, such as the particles of a fluid.

use std::fmt::Write;

use formats::Encoding::Binary;
use formats::vtu::THICKNESS;
use formats::vtu::write::{CLOSING, OPENING, array, cells, count, write_cells_and_points};
use model::mesh::Mesh;
use numerics::mat3::{Vec3, sub};

/// The part of a frame that never changes, encoded once.
pub(super) struct Grid {
    points: usize,
    cells: usize,
    /// Array of thicknesses, for <PointData>; empty without fibres.
    thickness: String,
    /// Complete <Cells> and <CellData> elements.
    fixed: String,
}

/// Values of each point in a frame.
pub(super) struct Fields<'a, X, V> {
    /// Time [s].
    pub time: f64,
    /// True if the values lie between two computed states.
    pub is_interpolated: bool,
    /// Positions at rest [m], in the order of the points.
    pub rest: &'a [Vec3],
    /// Position of a point [m].
    pub positions: X,
    /// Velocity of a point [m/s].
    pub velocities: V,
    /// Force of the constraints on a point [N], if the method computes it.
    pub constraint_forces: Option<&'a dyn Fn(usize) -> Vec3>,
}

impl Grid {
    /// Encodes the cells of a mesh; `body` returns the number of the body that a point belongs to. Thicknesses of lines
    /// [m] are those of all points, or there are none.
    pub fn new(mesh: &Mesh, body: impl Fn(u32) -> usize, of_lines: &[f64]) -> Grid {
        let mut fixed = String::new();
        let loose = mesh.loose_points();
        write_cells_and_points(&mut fixed, Binary, mesh, &loose);
        fixed.push_str("<CellData>\n");
        let first_nodes = cells(mesh).map(|(_, nodes)| nodes[0]).chain(loose.iter().copied());
        array(&mut fixed, Binary, "body", 1, first_nodes.map(|node| body(node) as i32));
        fixed.push_str("</CellData>\n");
        let mut thickness = String::new();
        if !of_lines.is_empty() {
            array(&mut thickness, Binary, THICKNESS, 1, of_lines.iter().copied());
        }
        Grid { points: mesh.points.len(), cells: count(mesh) + loose.len(), thickness, fixed }
    }

    /// Returns the file of one state.
    pub fn frame(&self, fields: &Fields<impl Fn(usize) -> Vec3, impl Fn(usize) -> Vec3>) -> String {
        let Fields { time, is_interpolated, rest, positions, velocities, constraint_forces } = fields;
        let points = || 0..self.points;

        let mut out = String::with_capacity(self.fixed.len() + self.thickness.len() + 3 * 33 * self.points + 1500);
        out.push_str(OPENING);
        out.push_str("<FieldData>\n");
        // Writing to a string cannot fail.
        let _ = writeln!(
            out,
            "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">{}</DataArray>",
            time
        );
        // 1 for a state between two computed ones.
        let _ = writeln!(
            out,
            "<DataArray type=\"UInt8\" Name=\"interpolated\" NumberOfTuples=\"1\" format=\"ascii\">{}</DataArray>",
            u8::from(*is_interpolated)
        );
        let _ = writeln!(
            out,
            "</FieldData>\n<Piece NumberOfPoints=\"{}\" NumberOfCells=\"{}\">\n<Points>",
            self.points, self.cells
        );
        array(&mut out, Binary, "Points", 3, points().flat_map(positions));
        out.push_str("</Points>\n<PointData Vectors=\"displacement\">\n");
        array(&mut out, Binary, "displacement", 3, points().flat_map(|i| sub(positions(i), rest[i])));
        array(&mut out, Binary, "velocity", 3, points().flat_map(velocities));
        if let Some(forces) = constraint_forces {
            array(&mut out, Binary, "constraint_force", 3, points().flat_map(forces));
        }
        out.push_str(&self.thickness);
        out.push_str("</PointData>\n");
        out.push_str(&self.fixed);
        out.push_str("</Piece>\n");
        out.push_str(CLOSING);
        out
    }
}
