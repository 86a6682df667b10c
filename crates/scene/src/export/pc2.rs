//! PC2, the point cache of 3ds Max and Blender: positions of all points in every frame, in single precision, and beside
//! it the mesh of the first frame, whose vertices are in the same order.
//!
//! Samples are evenly spaced; the format does not store times.

use super::draft::Draft;
use super::sequence::add_points;
use super::{Export, ExportError, Task};
use formats::{Encoding, OBJ};

/// The row of the table.
pub(super) const EXPORT: Export = Export {
    name: "pc2",
    extension: "pc2",
    description: "A point cache, and the first frame as OBJ beside it, for Blender's mesh cache modifier and 3ds Max",
    file_per_frame: false,
    whole: false,
    lines: true,
    particles: true,
    exact: false,
    obstacles: false,
    write,
};

fn write(task: &mut Task) -> Result<(), ExportError> {
    let (points, frames) = (task.shown.mesh.points.len(), task.source.frames.len());
    let draft = Draft::file(task.output)?;
    let mut file = draft.begin()?;
    file.put(b"POINTCACHE2\0")?;
    file.whole(1)?;
    file.whole(points)?;
    // Number of the first frame, and frames per sample.
    file.floats([0.0, 1.0].into_iter())?;
    file.whole(frames)?;
    for frame in 0..frames {
        task.place(frame)?;
        file.floats(task.shown.mesh.points.as_flattened().iter().map(|&x| x as f32))?;
    }
    file.end()?;

    // A name that files of others are unlikely to have.
    let mut name = task.output.as_os_str().to_os_string();
    name.push(".obj");
    let obj = Draft::file(name.as_ref())?;
    task.place(0)?;
    if let Some(write) = OBJ.write {
        let mut mesh = write(&task.shown.mesh, Encoding::Ascii);
        add_points(&mut mesh, task.shown.bodies.iter().filter(|body| body.is_fluid()));
        obj.begin()?.put_all(&mesh)?;
    }

    task.note_uneven();
    task.outputs.extend([draft.finish()?, obj.finish()?]);
    Ok(())
}
