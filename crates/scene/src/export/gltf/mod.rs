//! glTF 2.0 in one binary file: a mesh a body, whose frames are morph targets that take turns.
//!
//! The first frame is the mesh; each other one is a target, what its points and normals have moved by. The weight of a
//! target is 1 in its frame and 0 in the others, and goes linearly in between: so do the points.
//!
//! The JSON comes first and says the bounds of every target, which are known last: it is given room for the longest
//! numbers, and filled with blanks.

mod json;

use super::body::{bounds, normals};
use super::draft::{Draft, Sink};
use super::{Export, ExportError, Task};
use crate::output::OutputError;
use json::{Bounds, json};
use numerics::mat3::Vec3;

/// The row of the table.
pub(super) const EXPORT: Export = Export {
    name: "gltf",
    extension: "glb",
    description: "A binary glTF 2.0 scene that moves, by morph targets, for Blender, web pages and game engines",
    file_a_frame: false,
    whole: false,
    lines: true,
    particles: true,
    exact: false,
    write,
};

/// The most frames and bytes: every frame is a shape key in Blender, and lies in memory.
const MOST: (usize, u64) = (300, 500_000_000);
/// Bytes of JSON that say where the points and normals of a body are in a frame.
const DESCRIPTION: u64 = 600;
/// Bytes of the file's head and of that of a part of it.
const HEAD: usize = 12;
const PART_HEAD: usize = 8;

fn write(task: &mut Task) -> Result<(), ExportError> {
    check_size(task)?;
    let times = times(task.source.times());
    let room = json(&task.shown, &times, &Bounds::longest()).len().next_multiple_of(4);
    let begin = HEAD + PART_HEAD + room + PART_HEAD;

    let draft = Draft::file(task.output)?;
    let mut file = draft.begin()?;
    file.seek(begin as u64)?;
    let bytes = fixed(task, &times, &mut file)?;
    let (bounds, moving) = frames(task, &mut file)?;
    let bytes = bytes + moving;

    file.seek(0)?;
    file.put(b"glTF")?;
    file.whole(2)?;
    file.whole(begin + bytes)?;
    let mut text = json(&task.shown, &times, &bounds);
    text.resize(room, b' ');
    file.whole(room)?;
    file.put(b"JSON")?;
    file.put(&text)?;
    file.whole(bytes)?;
    file.put(b"BIN\0")?;
    file.end()?;
    task.outputs.push(draft.finish()?);
    Ok(())
}

/// Refuses what nothing would open.
fn check_size(task: &Task) -> Result<(), ExportError> {
    let (nodes, frames) = (task.shown.mesh.points.len() as u64, task.source.frames.len());
    // Points and normals, of three floats each, what is said of them, and the weights.
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

/// Writes times, weights and indices; says how many bytes.
fn fixed(task: &Task, times: &[f32], file: &mut Sink) -> Result<usize, OutputError> {
    let (frames, shown) = (times.len(), &task.shown);
    let mut bytes = 0;
    if frames > 1 {
        file.floats(times.iter().copied())?;
        for frame in 0..frames {
            file.floats((1..frames).map(|target| if target == frame { 1.0 } else { 0.0 }))?;
        }
        bytes += 4 * frames * frames;
    }
    for body in &shown.bodies {
        let indices = shown.triangles_of(body).flatten().chain(shown.lines_of(body).flatten());
        for index in indices {
            file.whole(index)?;
            bytes += 4;
        }
    }
    Ok(bytes)
}

/// Writes the points and normals of the first frame and how they moved in the others; says the bounds of each list of
/// points, and how many bytes.
fn frames(task: &mut Task, file: &mut Sink) -> Result<(Bounds, usize), ExportError> {
    let (mut boxes, mut bytes) = (Vec::new(), 0);
    let mut first: Vec<([f32; 3], Vec3)> = Vec::new();
    let (mut normal, mut list) = (Vec::new(), Vec::new());
    let single = |from: Vec3, x: Vec3| -> [f32; 3] { std::array::from_fn(|k| (x[k] - from[k]) as f32) };
    for frame in 0..task.source.frames.len() {
        task.place(frame)?;
        for body in &task.shown.bodies {
            let points = &task.shown.mesh.points[body.nodes.clone()];
            normals(points, task.shown.triangles_of(body), &mut normal);
            if frame == 0 {
                // What moves is counted from the points as they are written.
                first.extend(points.iter().zip(&normal).map(|(x, n)| (x.map(|x| x as f32), *n)));
            }
            let base = &first[body.nodes.clone()];
            let origin = |k: usize| if frame == 0 { [0.0; 3] } else { base[k].0.map(f64::from) };
            let upright = |k: usize| if frame == 0 { [0.0; 3] } else { base[k].1 };
            list.clear();
            list.extend(points.iter().enumerate().map(|(k, x)| single(origin(k), *x)));
            boxes.push(bounds(&list));
            if !body.triangles.is_empty() {
                list.extend(normal.iter().enumerate().map(|(k, n)| single(upright(k), *n)));
            }
            file.floats(list.as_flattened().iter().copied())?;
            bytes += 12 * list.len();
        }
    }
    Ok((Bounds::of(boxes), bytes))
}
