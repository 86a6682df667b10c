//! CSV: positions and velocities, one row per node and frame.

use super::draft::Draft;
use super::{Export, ExportError, Task};
use std::fmt::Write;

/// The row of the table.
pub(super) const EXPORT: Export = Export {
    name: "csv",
    extension: "csv",
    description: "A table of positions [m] and velocities [m/s], one row per node and frame",
    file_per_frame: false,
    whole: true,
    lines: true,
    particles: true,
    exact: true,
    obstacles: false,
    write,
};

fn write(task: &mut Task) -> Result<(), ExportError> {
    let draft = Draft::file(task.output)?;
    let mut file = draft.begin()?;
    file.put(b"frame,time,node,x,y,z,vx,vy,vz\n")?;
    let mut rows = String::new();
    for (frame, listed) in task.source.frames.iter().enumerate() {
        let moment = task.place(frame)?;
        let mut velocities = task.shown.velocities(&moment, listed.time);
        rows.clear();
        for (node, [x, y, z]) in task.shown.mesh.points.iter().enumerate() {
            // Writing to a string cannot fail. The shortest digits that read back as the same number.
            let _ = write!(rows, "{},{:?},{node},{x:?},{y:?},{z:?}", listed.number, listed.time);
            let _ = match velocities.as_mut().and_then(Iterator::next) {
                Some([x, y, z]) => writeln!(rows, ",{x:?},{y:?},{z:?}"),
                None => writeln!(rows, ",,,"),
            };
        }
        file.put(rows.as_bytes())?;
    }
    file.end()?;
    task.outputs.push(draft.finish()?);
    Ok(())
}
