//! USD as text: a stage with one mesh per body, whose points have one sample per frame; ropes are linear curves, fluids
//! points.

use super::body::{ExportedBody, bounds, identifiers};
use super::draft::{Draft, Sink};
use super::shown::Shown;
use super::skin::Skin;
use super::spool::Spool;
use super::{Export, ExportError, Task};
use crate::output::OutputError;
use numerics::mat3::{norm, sub};
use std::fmt::{Display, Write};

/// The row of the table.
pub(super) const EXPORT: Export = Export {
    name: "usda",
    extension: "usda",
    description: "A USD stage as text: one mesh per body with one sample per frame, for Blender, Houdini and usdview",
    file_per_frame: false,
    whole: false,
    lines: true,
    particles: true,
    exact: false,
    obstacles: true,
    write,
};

/// Frames per second of a stage with a single frame.
const RATE_OF_ONE: f64 = 24.0;
/// Highest rate that is tried, and largest deviation from a whole number of a time code that is rounded.
const MOST_RATE: u32 = 1000;
const ON_GRID: f64 = 1e-6;
/// Thickness of lines, relative to the length of an edge.
const THICKNESS: f64 = 0.1;

fn write(task: &mut Task) -> Result<(), ExportError> {
    let draft = Draft::file(task.output)?;
    let mut file = draft.begin()?;
    let mut spool = Spool::of(task)?;
    let times: Vec<f64> = task.source.times().collect();
    let rate = task.rate.unwrap_or_else(|| rate(&times));
    let skins = task.shown.skins();
    // Time codes that are whole up to rounding are made whole.
    let codes: Vec<f64> = times.iter().map(|t| whole(t * rate)).collect();
    let (first, last) = (codes[0], codes[codes.len() - 1]);
    file.put(
        format!(
            "#usda 1.0\n(\n    defaultPrim = \"World\"\n    endTimeCode = {last}\n    framesPerSecond = {rate}\n    \
             metersPerUnit = 1\n    startTimeCode = {first}\n    timeCodesPerSecond = {rate}\n    upAxis = \"Z\"\n)\n\n\
             def Xform \"World\"\n{{\n"
        )
        .as_bytes(),
    )?;
    // A body of both triangles and lines is two prims.
    let prims = task.shown.bodies.iter().flat_map(|body| {
        let fluid = body.is_fluid().then(|| (body.name.clone(), body, Prim::Points));
        let mesh = (!body.triangles.is_empty()).then(|| (body.name.clone(), body, Prim::Mesh));
        let both = if mesh.is_some() { format!("{} lines", body.name) } else { body.name.clone() };
        let lines = (!body.lines.is_empty()).then_some((both, body, Prim::Curves));
        mesh.into_iter().chain(lines).chain(fluid)
    });
    let prims: Vec<_> = prims.collect();
    let names = identifiers(prims.iter().map(|(name, ..)| name.as_str()));
    for (name, (_, body, prim)) in names.iter().zip(&prims) {
        match prim {
            Prim::Mesh => {
                let b = task.shown.bodies.iter().position(|other| other == *body).unwrap_or_default();
                mesh(&skins[b], body, name, &codes, &mut spool, &mut file)?;
            }
            Prim::Curves => curves(&task.shown, body, name, &codes, &mut spool, &mut file)?,
            Prim::Points => points(task.spacing, body, name, &codes, &mut spool, &mut file)?,
        }
    }
    file.put(b"}\n")?;
    file.end()?;
    task.outputs.push(draft.finish()?);
    Ok(())
}

/// Kinds of what a stage shows.
enum Prim {
    Mesh,
    Curves,
    Points,
}

fn mesh(
    skin: &Skin,
    body: &ExportedBody,
    name: &str,
    codes: &[f64],
    spool: &mut Spool,
    file: &mut Sink,
) -> Result<(), OutputError> {
    let counts = list(body.triangles.clone().map(|_| 3));
    let indices = list(skin.triangles.iter().flatten());
    file.put(
        format!(
            "    def Mesh \"{name}\"\n    {{\n        uniform bool doubleSided = 1\n        int[] faceVertexCounts = \
             {counts}\n        int[] faceVertexIndices = {indices}\n"
        )
        .as_bytes(),
    )?;
    // A body that never moves has one value instead of samples.
    let codes = if body.still { &codes[..1] } else { codes };
    let is_timed = !body.still;
    samples(codes, is_timed, file, |frame| spool.read(frame, body.nodes.clone()))?;
    normals(skin, body, (codes, is_timed), spool, file)?;
    if !skin.texture_points.is_empty() {
        let texture_points = list(skin.texture_points.iter().map(|[u, v]| format!("({u:?}, {v:?})")));
        let numbers = list(skin.texture_point_of.iter().flatten());
        file.put(
            format!(
                "        texCoord2f[] primvars:st = {texture_points} (\n            interpolation = \"faceVarying\"\n        )\n        \
                 int[] primvars:st:indices = {numbers}\n"
            )
            .as_bytes(),
        )?;
    }
    file.put(b"        uniform token subdivisionScheme = \"none\"\n    }\n")
}

/// Adds normals: one per node if nothing is sharp, else one per corner.
fn normals(
    skin: &Skin,
    body: &ExportedBody,
    (codes, is_timed): (&[f64], bool),
    spool: &mut Spool,
    file: &mut Sink,
) -> Result<(), OutputError> {
    let smooth = skin.node_of_normal.len() == body.nodes.len();
    let kind = if smooth { "vertex" } else { "faceVarying" };
    let attribute = "normal3f[] normals";
    file.put(format!("        {attribute} (\n            interpolation = \"{kind}\"\n        )\n").as_bytes())?;
    let (mut found, mut shown) = (Vec::new(), vec![[0.0f32; 3]; body.nodes.len()]);
    put_samples(codes, is_timed, attribute, file, |frame| {
        let points = spool.read(frame, body.nodes.clone())?;
        let points: Vec<[f64; 3]> = points.iter().map(|p| p.map(f64::from)).collect();
        skin.normals(&points, &mut found);
        let single = |normal: &[f64; 3]| normal.map(|x| x as f32);
        Ok(if smooth {
            skin.node_of_normal.iter().zip(&found).for_each(|(&node, normal)| shown[node] = single(normal));
            list(shown.iter().map(triple))
        } else {
            list(skin.normal_of.iter().flatten().map(|&n| triple(&single(&found[n]))))
        })
    })
}

fn curves(
    shown: &Shown,
    body: &ExportedBody,
    name: &str,
    codes: &[f64],
    spool: &mut Spool,
    file: &mut Sink,
) -> Result<(), OutputError> {
    // Curves take their points in order: edges that continue where the last one ended make one curve.
    let mut curves: Vec<Vec<usize>> = Vec::new();
    let mut length = 0.0;
    for [a, b] in shown.lines_of(body) {
        let [p, q] = [a, b].map(|i| shown.mesh.points[body.nodes.start + i]);
        length += norm(sub(q, p));
        match curves.last_mut() {
            Some(curve) if curve.last() == Some(&a) => curve.push(b),
            _ => curves.push(vec![a, b]),
        }
    }
    // Fibres say how thick they are; other lines are drawn as thin cylinders.
    let known = shown.thickness.get(body.nodes.clone()).filter(|known| known.iter().all(|width| *width > 0.0));
    let (widths, interpolation) = match known {
        Some(known) => (list(curves.iter().flatten().map(|&i| format!("{:?}", known[i] as f32))), "vertex"),
        None => (format!("[{:?}]", (THICKNESS * length / body.lines.len() as f64) as f32), "constant"),
    };
    let counts = list(curves.iter().map(Vec::len));
    file.put(
        format!("    def BasisCurves \"{name}\"\n    {{\n        int[] curveVertexCounts = {counts}\n").as_bytes(),
    )?;
    samples(codes, true, file, |frame| {
        let points = spool.read(frame, body.nodes.clone())?;
        Ok(curves.iter().flatten().map(|&i| points[i]).collect())
    })?;
    file.put(
        format!(
            "        uniform token type = \"linear\"\n        float[] widths = {widths} (\n            interpolation = \
             \"{interpolation}\"\n        )\n        uniform token wrap = \"nonperiodic\"\n    }}\n"
        )
        .as_bytes(),
    )
}

/// Adds particles, a spacing [m] wide.
fn points(
    spacing: Option<f64>,
    body: &ExportedBody,
    name: &str,
    codes: &[f64],
    spool: &mut Spool,
    file: &mut Sink,
) -> Result<(), OutputError> {
    file.put(format!("    def Points \"{name}\"\n    {{\n").as_bytes())?;
    samples(codes, true, file, |frame| spool.read(frame, body.nodes.clone()))?;
    if let Some(width) = spacing {
        let constant = "(\n            interpolation = \"constant\"\n        )";
        file.put(format!("        float[] widths = [{:?}] {constant}\n", width as f32).as_bytes())?;
    }
    file.put(b"    }\n")
}

/// Adds the points of every frame, then the boxes around them.
fn samples(
    codes: &[f64],
    is_timed: bool,
    file: &mut Sink,
    mut points: impl FnMut(usize) -> Result<Vec<[f32; 3]>, OutputError>,
) -> Result<(), OutputError> {
    let mut extents = Vec::new();
    put_samples(codes, is_timed, "point3f[] points", file, |frame| {
        let points = points(frame)?;
        extents.push(list(bounds(&points).iter().map(triple)));
        Ok(list(points.iter().map(triple)))
    })?;
    put_samples(codes, is_timed, "float3[] extent", file, |frame| Ok(extents[frame].clone()))
}

/// Adds an attribute with one value per time code, or with a single value for a body that never moves.
fn put_samples(
    codes: &[f64],
    is_timed: bool,
    attribute: &str,
    file: &mut Sink,
    mut value: impl FnMut(usize) -> Result<String, OutputError>,
) -> Result<(), OutputError> {
    if !is_timed {
        return file.put(format!("        {attribute} = {}\n", value(0)?).as_bytes());
    }
    file.put(format!("        {attribute}.timeSamples = {{\n").as_bytes())?;
    for (frame, code) in codes.iter().enumerate() {
        file.put(format!("            {code}: {},\n", value(frame)?).as_bytes())?;
    }
    file.put(b"        }\n")
}

fn triple([x, y, z]: &[f32; 3]) -> String {
    // The shortest digits that read back as the same number.
    format!("({x:?}, {y:?}, {z:?})")
}

fn list(items: impl Iterator<Item = impl Display>) -> String {
    let mut text = String::from("[");
    for (i, item) in items.enumerate() {
        let _ = write!(text, "{}{item}", if i == 0 { "" } else { ", " });
    }
    text.push(']');
    text
}

/// Returns the frames per second of times [s] if the run does not state them: the least whole rate that puts all times
/// on frames, or the average.
pub(super) fn rate(times: &[f64]) -> f64 {
    let [first, .., last] = times else { return RATE_OF_ONE };
    let on_grid = |rate: &u32| {
        let code = |time: &f64| (time - first) * f64::from(*rate);
        times.iter().all(|time| (code(time) - code(time).round()).abs() <= ON_GRID)
    };
    let mean = (times.len() - 1) as f64 / (last - first);
    (1..=MOST_RATE).find(on_grid).map_or_else(|| whole(mean), f64::from)
}

/// Rounds a number to a whole one if only rounding separates them.
pub(super) fn whole(x: f64) -> f64 {
    if (x - x.round()).abs() <= 1e-9 * x.abs().max(1.0) { x.round() } else { x }
}
