//! VTU: one file per frame, with the time, the velocities and the bodies.

use super::draft::Draft;
use super::{Export, ExportError, Task};
use formats::Encoding::Binary;
use formats::vtu::write::{CLOSING, OPENING, array, count, write_cells_and_points};
use std::fmt::Write;

/// The row of the table.
pub(super) const EXPORT: Export = Export {
    name: "vtu",
    extension: "vtu",
    description: "VTK's unstructured grids, one file per frame: fewer frames, or surfaces alone, for ParaView",
    file_per_frame: true,
    whole: true,
    lines: true,
    particles: true,
    exact: true,
    obstacles: true,
    write,
};

fn write(task: &mut Task) -> Result<(), ExportError> {
    let shown = &task.shown;
    let mut cells = String::new();
    write_cells_and_points(&mut cells, Binary, &shown.mesh, &shown.particles);
    cells.push_str("<CellData>\n");
    array(&mut cells, Binary, "body", 1, shown.bodies_of_cells.iter().map(|&body| body as i32));
    cells.push_str("</CellData>\n");
    let draft = Draft::directory(task.output, task.export.extension)?;
    for (frame, time) in task.source.times().enumerate() {
        let moment = task.place(frame)?;
        let shown = &task.shown;
        let mut out = format!(
            "{OPENING}<FieldData>\n<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">\
             {time}</DataArray>\n</FieldData>\n"
        );
        let (points, cell_count) = (shown.mesh.points.len(), count(&shown.mesh) + shown.particles.len());
        // Writing to a string cannot fail.
        let _ = writeln!(out, "<Piece NumberOfPoints=\"{points}\" NumberOfCells=\"{cell_count}\">\n<Points>");
        array(&mut out, Binary, "Points", 3, shown.mesh.points.as_flattened().iter().copied());
        out.push_str("</Points>\n<PointData>\n");
        if let Some(velocities) = shown.velocities(&moment, time) {
            array(&mut out, Binary, "velocity", 3, velocities.flatten());
        }
        out.push_str("</PointData>\n");
        out.push_str(&cells);
        out.push_str("</Piece>\n");
        out.push_str(CLOSING);
        draft.write_frame(frame, out.as_bytes())?;
    }
    task.outputs.push(draft.finish()?);
    Ok(())
}
