//! OBJ, PLY and STL: a file a frame, by the writers of mesh files.

use super::body::Body;
use super::draft::Draft;
use super::{Export, ExportError, Task};
use formats::{Encoding, FORMATS};
use std::io::Write;

/// OBJ's row of the table.
pub(super) const OBJ: Export = Export {
    name: "obj",
    extension: "obj",
    description: "Wavefront's surfaces as text, a file a frame; bodies are groups",
    file_a_frame: true,
    whole: false,
    lines: true,
    particles: true,
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
    particles: true,
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
    particles: false,
    exact: false,
    write,
};

/// Adds a group of points for each fluid.
pub(super) fn add_points<'a>(file: &mut Vec<u8>, fluids: impl Iterator<Item = &'a Body>) {
    for body in fluids {
        let word = body.name.replace(|c: char| c.is_whitespace() || c == '#', "_");
        // Writing to memory cannot fail.
        let _ = writeln!(file, "g {word}");
        body.nodes.clone().for_each(|node| drop(writeln!(file, "p {}", node + 1)));
    }
}

fn write(task: &mut Task) -> Result<(), ExportError> {
    let format = FORMATS.iter().find(|format| format.name == task.export.name);
    let Some(write) = format.and_then(|format| format.write) else { return Ok(()) };
    task.shown.name_groups();
    let draft = Draft::directory(task.output, task.export.extension)?;
    for frame in 0..task.source.frames.len() {
        task.place(frame)?;
        let mut file = write(&task.shown.mesh, Encoding::Binary);
        // Vertices alone are not shown: particles are elements of OBJ. PLY's clouds are vertices.
        if task.export.name == OBJ.name {
            add_points(&mut file, task.shown.bodies.iter().filter(|body| body.is_fluid()));
        }
        draft.write_frame(frame, &file)?;
    }
    task.outputs.push(draft.finish()?);
    Ok(())
}
