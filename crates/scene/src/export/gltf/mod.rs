//! glTF 2.0 in one binary file: one mesh per body, whose frames are morph targets.
//!
//! The first frame is the mesh. Each other frame is a target: the displacements of points and normals from the first
//! frame. Obstacles that stand still have none. The weight of a target is 1 in its frame and 0 in the others, and is
//! linear in between: so are the points.
//!
//! The JSON comes first and states the bounds of every target, which are known last. Space is reserved for the longest
//! numbers, and padded with blanks.

mod json;

use super::body::bounds;
use super::draft::{Draft, Sink};
use super::skin::{Skin, Vertices};
use super::{Export, ExportError, Task};
use crate::output::OutputError;
use json::{Bounds, json};
use numerics::mat3::Vec3;

/// The row of the table.
pub(super) const EXPORT: Export = Export {
    name: "gltf",
    extension: "glb",
    description: "A binary glTF 2.0 scene that moves, by morph targets, for Blender, web pages and game engines",
    file_per_frame: false,
    whole: false,
    lines: true,
    particles: true,
    exact: false,
    obstacles: true,
    write,
};

/// Limits of frames and bytes: every frame is a shape key in Blender, held in memory.
const MOST: (usize, u64) = (300, 500_000_000);
/// Bytes of JSON that describe the points and normals of a body in a frame.
const DESCRIPTION: u64 = 600;
/// Bytes of the header of the file, and of a chunk.
const HEAD: usize = 12;
const PART_HEAD: usize = 8;

fn write(task: &mut Task) -> Result<(), ExportError> {
    let skins = task.shown.skins();
    let bodies: Vec<Vertices> =
        task.shown.bodies.iter().zip(&skins).map(|(body, skin)| Vertices::of(skin, body.nodes.len())).collect();
    check_size(task, &bodies)?;
    let times = times(task.source.times());
    let space = json(&task.shown, &bodies, &times, &Bounds::longest()).len().next_multiple_of(4);
    let begin = HEAD + PART_HEAD + space + PART_HEAD;

    let draft = Draft::file(task.output)?;
    let mut file = draft.begin()?;
    file.seek(begin as u64)?;
    let bytes = fixed(task, &skins, &bodies, &times, &mut file)?;
    let (bounds, moving) = frames(task, &skins, &bodies, &mut file)?;
    let bytes = bytes + moving;

    file.seek(0)?;
    file.put(b"glTF")?;
    file.whole(2)?;
    file.whole(begin + bytes)?;
    let mut text = json(&task.shown, &bodies, &times, &bounds);
    text.resize(space, b' ');
    file.whole(space)?;
    file.put(b"JSON")?;
    file.put(&text)?;
    file.whole(bytes)?;
    file.put(b"BIN\0")?;
    file.end()?;
    task.outputs.push(draft.finish()?);
    Ok(())
}

/// Refuses exports that are too large to be opened.
fn check_size(task: &Task, bodies: &[Vertices]) -> Result<(), ExportError> {
    let nodes: u64 = bodies.iter().map(|body| body.nodes.len() as u64).sum();
    let frames = task.source.frames.len();
    // Points and normals, of three floats each, their description, and the weights.
    let said = DESCRIPTION * task.shown.bodies.len() as u64;
    let size = |frames: usize| frames as u64 * (24 * nodes + said + 4 * frames as u64);
    if frames <= MOST.0 && size(frames) <= MOST.1 {
        return Ok(());
    }
    let fits = |every: &usize| frames.div_ceil(*every) <= MOST.0 && size(frames.div_ceil(*every)) <= MOST.1;
    let every = (2..frames).find(fits).map(|every| every * task.every);
    Err(ExportError::TooLarge { format: EXPORT.name, frames, bytes: size(frames), most: MOST, every })
}

/// Times from the first frame on [s], each later than the one before even in single precision.
pub(super) fn times(times: impl Iterator<Item = f64>) -> Vec<f32> {
    let mut out: Vec<f32> = Vec::new();
    let mut first = None;
    for time in times {
        let time = (time - *first.get_or_insert(time)) as f32;
        out.push(out.last().map_or(time, |last| time.max(last.next_up())));
    }
    out
}

/// Writes times, weights, indices and texture coordinates; returns the number of bytes.
fn fixed(
    task: &Task,
    skins: &[Skin],
    bodies: &[Vertices],
    times: &[f32],
    file: &mut Sink,
) -> Result<usize, OutputError> {
    let (frames, shown) = (times.len(), &task.shown);
    let mut bytes = 0;
    if frames > 1 {
        file.floats(times.iter().copied())?;
        for frame in 0..frames {
            file.floats((1..frames).map(|target| if target == frame { 1.0 } else { 0.0 }))?;
        }
        bytes += 4 * frames * frames;
    }
    for ((body, vertices), skin) in shown.bodies.iter().zip(bodies).zip(skins) {
        let indices = vertices.triangles.iter().flatten().copied().chain(shown.lines_of(body).flatten());
        for index in indices {
            file.whole(index)?;
            bytes += 4;
        }
        if !skin.texture_points.is_empty() {
            // Textures begin at their top in glTF.
            let texture_point = |number: &Option<usize>| {
                number.map_or([0.0, 0.0], |n| [skin.texture_points[n][0], 1.0 - skin.texture_points[n][1]])
            };
            file.floats(vertices.texture_points.iter().flat_map(texture_point))?;
            bytes += 8 * vertices.texture_points.len();
        }
    }
    Ok(bytes)
}

/// Writes the points and normals of the first frame and, for bodies that move, their displacements in the others.
/// Returns the bounds of each list of points, and the number of bytes.
fn frames(
    task: &mut Task,
    skins: &[Skin],
    bodies: &[Vertices],
    file: &mut Sink,
) -> Result<(Bounds, usize), ExportError> {
    let (mut boxes, mut bytes) = (Vec::new(), 0);
    // Points and normals of each body in the first frame, as written.
    let mut first: Vec<Vec<[f32; 3]>> = Vec::new();
    let (mut normals, mut list): (Vec<Vec3>, Vec<[f32; 3]>) = (Vec::new(), Vec::new());
    for frame in 0..task.source.frames.len() {
        task.place(frame)?;
        for (b, body) in task.shown.bodies.iter().enumerate() {
            if frame > 0 && body.still {
                boxes.push([[0.0; 3]; 2]);
                continue;
            }
            let points = &task.shown.mesh.points[body.nodes.clone()];
            skins[b].normals(points, &mut normals);
            let upright = [0.0, 0.0, 1.0];
            let normal = |number: &Option<usize>| number.map_or(upright, |n| normals[n]);
            let mut values: Vec<Vec3> = bodies[b].nodes.iter().map(|&node| points[node]).collect();
            if !body.triangles.is_empty() {
                values.extend(bodies[b].normals.iter().map(normal));
            }
            list.clear();
            match first.get(b) {
                // Displacements are relative to the written values.
                Some(base) => list.extend(
                    values
                        .iter()
                        .zip(base)
                        .map(|(x, from)| -> [f32; 3] { std::array::from_fn(|k| (x[k] - f64::from(from[k])) as f32) }),
                ),
                None => {
                    list.extend(values.iter().map(|x| x.map(|c| c as f32)));
                    first.push(list.clone());
                }
            }
            boxes.push(bounds(&list[..bodies[b].nodes.len()]));
            file.floats(list.as_flattened().iter().copied())?;
            bytes += 12 * list.len();
        }
    }
    Ok((Bounds::of(boxes), bytes))
}
