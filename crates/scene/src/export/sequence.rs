//! OBJ, PLY and STL: a file a frame, by the writers of mesh files.

use super::draft::Draft;
use super::{Export, ExportError, Task};
use formats::{Encoding, FORMATS};

/// OBJ's row of the table.
pub(super) const OBJ: Export = Export {
    name: "obj",
    extension: "obj",
    description: "Wavefront's surfaces as text, a file a frame; bodies are groups",
    file_a_frame: true,
    whole: false,
    lines: true,
    exact: true,
    write,
};

/// PLY's row of the table.
pub(super) const PLY: Export = Export {
    name: "ply",
    extension: "ply",
    description: "Stanford's surfaces in double precision, a file a frame",
    file_a_frame: true,
    whole: false,
    // It could say edges, but many readers then refuse it.
    lines: false,
    exact: true,
    write,
};

/// STL's row of the table.
pub(super) const STL: Export = Export {
    name: "stl",
    extension: "stl",
    description: "Stereolithography's loose triangles, a file a frame, for printers",
    file_a_frame: true,
    whole: false,
    lines: false,
    exact: false,
    write,
};

fn write(task: &mut Task) -> Result<(), ExportError> {
    let format = FORMATS.iter().find(|format| format.name == task.export.name);
    let Some(write) = format.and_then(|format| format.write) else { return Ok(()) };
    task.shown.name_groups();
    let draft = Draft::directory(task.output, task.export.extension)?;
    for frame in 0..task.source.frames.len() {
        task.place(frame)?;
        draft.write_frame(frame, &write(&task.shown.mesh, Encoding::Binary))?;
    }
    task.outputs.push(draft.finish()?);
    Ok(())
}
