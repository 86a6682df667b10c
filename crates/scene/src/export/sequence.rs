//! OBJ, PLY and STL: one file per frame, by the writers of mesh files.

use super::body::{ExportedBody, words};
use super::draft::Draft;
use super::{Export, ExportError, Task};
use formats::{Encoding, FORMATS};
use std::io::Write;

/// OBJ's row of the table.
pub(super) const OBJ: Export = Export {
    name: "obj",
    extension: "obj",
    description: "Wavefront's surfaces as text, one file per frame; bodies and obstacles are objects",
    file_per_frame: true,
    whole: false,
    lines: true,
    particles: true,
    exact: true,
    obstacles: true,
    write: write_obj,
};

/// PLY's row of the table.
pub(super) const PLY: Export = Export {
    name: "ply",
    extension: "ply",
    description: "Stanford's surfaces in double precision, one file per frame",
    file_per_frame: true,
    whole: false,
    // PLY supports edges, but many readers then refuse it.
    lines: false,
    particles: true,
    exact: true,
    obstacles: false,
    write,
};

/// STL's row of the table.
pub(super) const STL: Export = Export {
    name: "stl",
    extension: "stl",
    description: "Stereolithography's loose triangles, one file per frame, for printers",
    file_per_frame: true,
    whole: false,
    lines: false,
    particles: false,
    exact: false,
    obstacles: false,
    write,
};

/// Adds a group of points for each fluid.
pub(super) fn add_points<'a>(file: &mut Vec<u8>, fluids: impl Iterator<Item = &'a ExportedBody>) {
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
        draft.write_frame(frame, &write(&task.shown.mesh, Encoding::Binary))?;
    }
    task.note_uneven();
    task.outputs.push(draft.finish()?);
    Ok(())
}

/// Writes OBJ: all points, then one object per body with its normals, texture coordinates, triangles, lines and
/// particles.
fn write_obj(task: &mut Task) -> Result<(), ExportError> {
    let draft = Draft::directory(task.output, task.export.extension)?;
    let skins = task.shown.skins();
    let names = words(task.shown.bodies.iter().map(|body| body.name.as_str()));
    let mut normals = Vec::new();
    for frame in 0..task.source.frames.len() {
        task.place(frame)?;
        let shown = &task.shown;
        let mut out = Vec::new();
        // Writing to memory cannot fail.
        shown.mesh.points.iter().for_each(|[x, y, z]| drop(writeln!(out, "v {x:?} {y:?} {z:?}")));
        // OBJ counts from 1, through all objects.
        let (mut first_texture_point, mut first_normal) = (1, 1);
        for ((body, skin), name) in shown.bodies.iter().zip(&skins).zip(&names) {
            let first = body.nodes.start + 1;
            let _ = writeln!(out, "o {name}");
            skin.texture_points.iter().for_each(|[u, v]| drop(writeln!(out, "vt {u:?} {v:?}")));
            skin.normals(&shown.mesh.points[body.nodes.clone()], &mut normals);
            for normal in &normals {
                let [x, y, z] = normal.map(|c| c as f32);
                let _ = writeln!(out, "vn {x:?} {y:?} {z:?}");
            }
            for (t, triangle) in skin.triangles.iter().enumerate() {
                out.extend_from_slice(b"f");
                for k in 0..3 {
                    let texture_point =
                        skin.texture_point_of.get(t).map(|corners| (first_texture_point + corners[k]).to_string());
                    let (node, normal) = (first + triangle[k], first_normal + skin.normal_of[t][k]);
                    let _ = write!(out, " {node}/{}/{normal}", texture_point.unwrap_or_default());
                }
                out.push(b'\n');
            }
            shown.lines_of(body).for_each(|[a, b]| drop(writeln!(out, "l {} {}", first + a, first + b)));
            if body.is_fluid() {
                body.nodes.clone().for_each(|node| drop(writeln!(out, "p {}", node + 1)));
            }
            (first_texture_point, first_normal) =
                (first_texture_point + skin.texture_points.len(), first_normal + normals.len());
        }
        draft.write_frame(frame, &out)?;
    }
    task.note_uneven();
    task.outputs.push(draft.finish()?);
    Ok(())
}
