//! USD as text: a stage with a mesh a body, whose points have a sample a frame; ropes are linear curves, fluids points.

use super::body::{Body, bounds, identifiers};
use super::draft::{Draft, Sink};
use super::shown::Shown;
use super::spool::Spool;
use super::{Export, ExportError, Task};
use crate::output::OutputError;
use numerics::mat3::{norm, sub};
use std::fmt::{Display, Write};

/// The row of the table.
pub(super) const EXPORT: Export = Export {
    name: "usda",
    extension: "usda",
    description: "A USD stage as text: a mesh a body with a sample a frame, for Blender, Houdini and usdview",
    file_a_frame: false,
    whole: false,
    lines: true,
    particles: true,
    exact: false,
    write,
};

/// Frames a second of a stage with a single frame.
const RATE_OF_ONE: f64 = 24.0;
/// How thick lines are, in lengths of an edge.
const THICKNESS: f64 = 0.1;

fn write(task: &mut Task) -> Result<(), ExportError> {
    let draft = Draft::file(task.output)?;
    let mut file = draft.begin()?;
    let mut spool = Spool::of(task)?;
    let times: Vec<f64> = task.source.times().collect();
    let rate = rate(&times);
    // Time codes that only rounding keeps from being whole are whole.
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
            Prim::Mesh => mesh(&task.shown, body, name, &codes, &mut spool, &mut file)?,
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
    shown: &Shown,
    body: &Body,
    name: &str,
    codes: &[f64],
    spool: &mut Spool,
    file: &mut Sink,
) -> Result<(), OutputError> {
    let counts = list(body.triangles.clone().map(|_| 3));
    let indices = list(shown.triangles_of(body).flatten());
    file.put(
        format!(
            "    def Mesh \"{name}\"\n    {{\n        uniform bool doubleSided = 1\n        int[] faceVertexCounts = \
             {counts}\n        int[] faceVertexIndices = {indices}\n"
        )
        .as_bytes(),
    )?;
    samples(codes, file, |frame| spool.read(frame, body.nodes.clone()))?;
    file.put(b"        uniform token subdivisionScheme = \"none\"\n    }\n")
}

fn curves(
    shown: &Shown,
    body: &Body,
    name: &str,
    codes: &[f64],
    spool: &mut Spool,
    file: &mut Sink,
) -> Result<(), OutputError> {
    // Curves take their points in order: edges that go on where the last ended make one curve.
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
    let width = (THICKNESS * length / body.lines.len() as f64) as f32;
    let counts = list(curves.iter().map(Vec::len));
    file.put(
        format!("    def BasisCurves \"{name}\"\n    {{\n        int[] curveVertexCounts = {counts}\n").as_bytes(),
    )?;
    samples(codes, file, |frame| {
        let points = spool.read(frame, body.nodes.clone())?;
        Ok(curves.iter().flatten().map(|&i| points[i]).collect())
    })?;
    file.put(
        format!(
            "        uniform token type = \"linear\"\n        float[] widths = [{width:?}] (\n            interpolation = \
             \"constant\"\n        )\n        uniform token wrap = \"nonperiodic\"\n    }}\n"
        )
        .as_bytes(),
    )
}

/// Particles, a spacing [m] wide.
fn points(
    spacing: Option<f64>,
    body: &Body,
    name: &str,
    codes: &[f64],
    spool: &mut Spool,
    file: &mut Sink,
) -> Result<(), OutputError> {
    file.put(format!("    def Points \"{name}\"\n    {{\n").as_bytes())?;
    samples(codes, file, |frame| spool.read(frame, body.nodes.clone()))?;
    if let Some(width) = spacing {
        let constant = "(\n            interpolation = \"constant\"\n        )";
        file.put(format!("        float[] widths = [{:?}] {constant}\n", width as f32).as_bytes())?;
    }
    file.put(b"    }\n")
}

/// Adds the points of every frame, then the boxes around them.
fn samples(
    codes: &[f64],
    file: &mut Sink,
    mut points: impl FnMut(usize) -> Result<Vec<[f32; 3]>, OutputError>,
) -> Result<(), OutputError> {
    let mut extents = String::from("        float3[] extent.timeSamples = {\n");
    file.put(b"        point3f[] points.timeSamples = {\n")?;
    for (frame, code) in codes.iter().enumerate() {
        let points = points(frame)?;
        let [low, high] = bounds(&points);
        // Writing to a string cannot fail.
        let _ = writeln!(extents, "            {code}: {},", list([low, high].iter().map(triple)));
        file.put(format!("            {code}: {},\n", list(points.iter().map(triple))).as_bytes())?;
    }
    extents.push_str("        }\n");
    file.put(b"        }\n")?;
    file.put(extents.as_bytes())
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

/// Frames a second, from the first two.
pub(super) fn rate(times: &[f64]) -> f64 {
    match times {
        [first, second, ..] => whole(1.0 / (second - first)),
        _ => RATE_OF_ONE,
    }
}

/// The whole number that only rounding keeps a number from being, or the number.
pub(super) fn whole(x: f64) -> f64 {
    if (x - x.round()).abs() <= 1e-9 * x.abs().max(1.0) { x.round() } else { x }
}
