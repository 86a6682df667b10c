//! PC2, the point cache of 3ds Max and Blender: where all points are in every frame, in single precision, and beside it the
//! mesh of the first frame, whose vertices are in the same order.
//!
//! Samples are evenly spaced; the format has no place for times.

use super::draft::Draft;
use super::{Export, ExportError, Task};
use formats::{Encoding, FORMATS};

/// The row of the table.
pub(super) const EXPORT: Export = Export {
    name: "pc2",
    extension: "pc2",
    description: "A point cache, and the first frame as OBJ beside it, for Blender's mesh cache modifier and 3ds Max",
    file_a_frame: false,
    whole: false,
    lines: true,
    write,
};

/// Of the usual time between frames: how much that between others may differ before it is said.
const UNEVEN: f64 = 1e-3;

fn write(task: &mut Task) -> Result<(), ExportError> {
    let Task { source, shown, output, .. } = task;
    let draft = Draft::file(output)?;
    let mut file = draft.begin()?;
    file.put(b"POINTCACHE2\0")?;
    let (points, samples) = (shown.mesh.points.len() as i32, source.frames.len() as i32);
    for whole in [1i32, points] {
        file.put(&whole.to_le_bytes())?;
    }
    // The first frame, and frames from sample to sample.
    file.floats([0.0f32, 1.0].into_iter())?;
    file.put(&samples.to_le_bytes())?;

    // No file that others may have made has this name.
    let mut mesh = output.as_os_str().to_os_string();
    mesh.push(".obj");
    let obj = Draft::file(mesh.as_ref())?;
    for frame in 0..source.frames.len() {
        shown.place(&source.read(frame)?);
        file.floats(shown.mesh.points.as_flattened().iter().map(|&x| x as f32))?;
        let format = FORMATS.iter().find(|format| format.name == "obj");
        if let (0, Some(write)) = (frame, format.and_then(|format| format.write)) {
            obj.begin()?.put_all(&write(&shown.mesh, Encoding::Ascii))?;
        }
    }
    file.end()?;

    let times: Vec<f64> = source.times().collect();
    let steps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
    if let Some(&usual) = steps.first()
        && steps.iter().any(|step| (step - usual).abs() > UNEVEN * usual)
    {
        task.notes.push(format!(
            "frames are not all {usual} s apart, but a point cache has no times: what is elsewhere plays at another speed"
        ));
    }
    task.outputs.extend([draft.finish()?, obj.finish()?]);
    Ok(())
}
