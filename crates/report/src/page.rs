//! The page: a whole comparison in one HTML file. viewer/README.md describes its data.

use crate::blocks::{field, numbers, pack, positions};
use crate::compare::{ComparedRun, Comparison};
use crate::damping::{Damping, DampingPoint};
use crate::drawing::{Drawing, Particles};
use crate::extent::{around, top};
use crate::fields::FIELDS;
use crate::obstacles::Drawn;
use numerics::mat3::Vec3;
use rayon::prelude::*;
use scene::Ending;
use serde_json::{Value, json};

/// The page without data.
const PAGE: &str = include_str!("page.html");
/// Placeholder for the data.
const PLACE: &str = "<!--PLIANT-DATA-->";
/// Limit of energies per run in a page: more cannot be distinguished.
const MOST_SAMPLES: usize = 1000;

/// Label of the axis of artificial damping: a share of the frequency.
pub const DAMPING_AXIS: &str = "artificial damping d/ω";

/// Returns the whole page. `command` repeats it.
pub fn html(comparison: &Comparison, command: &str) -> String {
    let (meta, blocks) = data(comparison, command);
    filled(&meta, &blocks)
}

/// Fills the page with facts and blocks; a block is a result of [`DrawnShape::packed`].
pub fn filled(facts: &Value, blocks: &[(String, String)]) -> String {
    let mut scripts = format!("<script type=\"application/json\" id=\"pliant-report\">{}</script>\n", harmless(facts));
    for (name, bytes) in blocks {
        scripts += &format!("<script type=\"text/plain\" id=\"{name}\">{bytes}</script>\n");
    }
    PAGE.replacen(PLACE, &scripts, 1)
}

/// Triangles and lines of a page, between points at rest.
pub struct DrawnShape<'a> {
    /// Corners of triangles.
    pub triangles: &'a [[u32; 3]],
    /// Ends of lines.
    pub lines: &'a [[u32; 2]],
    /// Thickness of the lines [m]; 0 where it is unknown.
    pub thickness: f64,
    /// Points at rest [m].
    pub rest: &'a [Vec3],
}

impl<'a> DrawnShape<'a> {
    /// Returns what is drawn of a scene.
    pub fn of(drawing: &'a Drawing) -> DrawnShape<'a> {
        let Drawing { triangles, lines, thickness, rest, .. } = drawing;
        DrawnShape { triangles, lines, thickness: *thickness, rest }
    }

    /// Packs triangles, lines and points at rest as the block named shape.
    pub fn packed(&self) -> String {
        pack(&shape(self.triangles, self.lines, self.rest))
    }
}

/// Returns the facts about the shape; the particles are the last of the points.
pub fn drawn_shape(shape: &DrawnShape, particles: &Particles) -> Value {
    let DrawnShape { triangles, lines, thickness, rest } = shape;
    json!({
        "points": rest.len(), "triangles": triangles.len(), "lines": lines.len(), "thickness": thickness, "block": "shape",
        "particles": particles.count, "radius": particles.radius, "every": particles.every,
    })
}

/// Returns JSON that cannot end its script element, whatever the title of a scene.
fn harmless(value: &Value) -> String {
    value.to_string().replace('<', "\\u003c")
}

fn data(comparison: &Comparison, command: &str) -> (Value, Vec<(String, String)>) {
    let Comparison { drawing, runs, reference, scene, title, obstacles, .. } = comparison;
    // The run that goes farthest, and of those the one with most frames, so that none is cut off.
    let last = |times: &[f64]| times.last().copied().unwrap_or(f64::NEG_INFINITY);
    let all = runs.iter().map(|run| &run.recording.times);
    let farther = |a: &&Vec<f64>, b: &&Vec<f64>| last(a).total_cmp(&last(b)).then(a.len().cmp(&b.len()));
    let times = all.max_by(farther).cloned().filter(|times| !times.is_empty()).unwrap_or_else(|| vec![0.0]);
    let shown: Vec<Shown> = runs.par_iter().map(|run| Shown::new(run, drawing, &times)).collect();
    let bounds = bounds(&shown, drawing);
    let most = most(&shown);
    // Blocks are packed in parallel, because this takes most of the time.
    type Job<'a> = (String, Box<dyn Fn() -> Vec<u8> + Sync + 'a>);
    let mut jobs: Vec<Job> =
        vec![("shape".to_string(), Box::new(move || shape(&drawing.triangles, &drawing.lines, &drawing.rest)))];
    for (r, shown) in shown.iter().enumerate() {
        jobs.push((format!("run-{r}-positions"), Box::new(move || positions(&shown.points, bounds))));
        for (k, (name, _)) in FIELDS.iter().enumerate() {
            jobs.push((format!("run-{r}-{name}"), Box::new(move || field(&shown.fields, k, most[k]))));
        }
        if comparison.plane.is_some() {
            jobs.push((format!("run-{r}-flow"), Box::new(move || numbers(&shown.flow))));
        }
    }
    let blocks = jobs.par_iter().map(|(name, bytes)| (name.clone(), pack(&bytes()))).collect();
    let fields = FIELDS.iter().zip(most).map(|((name, unit), max)| json!({ "name": name, "unit": unit, "max": max }));
    let methods = comparison.precision();
    let precision: Option<Vec<Value>> = (!methods.is_empty())
        .then(|| methods.iter().map(|(method, points)| json!({ "label": method, "points": points })).collect());
    let meta = json!({
        "pliant": env!("CARGO_PKG_VERSION"),
        "title": title,
        "scene": scene,
        "command": command,
        "times": times,
        "up": [0, 0, 1],
        "shape": drawn_shape(&DrawnShape::of(drawing), &drawing.particles),
        "box": bounds,
        "obstacles": drawn_obstacles(obstacles),
        "trails": drawing.trails,
        "flow": comparison.plane.as_ref().map(|plane| plane.facts(fastest(&shown))),
        "fields": fields.collect::<Vec<_>>(),
        "runs": runs.iter().zip(&shown).enumerate().map(|(r, (run, shown))| one(r, run, shown)).collect::<Vec<_>>(),
        "reference": reference,
        "damping": (!comparison.damping.is_empty()).then(|| json!({
            "axis": DAMPING_AXIS, "curves": comparison.damping.iter().map(curve).collect::<Vec<_>>(),
        })),
        "precision": precision,
        "live": null,
    });
    (meta, blocks)
}

fn curve(damping: &Damping) -> Value {
    let column = |of: fn(&DampingPoint) -> f64| damping.points.iter().map(|p| digits(of(p))).collect::<Vec<_>>();
    json!({
        "label": damping.label, "h_omega": column(|p| p.h_omega), "formula": column(|p| p.formula),
        "measured": damping.measured().map(|[z, _, found]| [digits(z), digits(found)]).collect::<Vec<_>>(),
    })
}

/// Returns the JSON of obstacles.
pub fn drawn_obstacles(obstacles: &[Drawn]) -> Value {
    obstacles.iter().map(Drawn::to_json).collect()
}

/// Frames of a run, as the page plays them.
struct Shown {
    points: Vec<Vec<[f32; 3]>>,
    fields: Vec<Vec<[f32; 3]>>,
    flow: Vec<Vec<[f32; 3]>>,
}

impl Shown {
    /// Makes frames at the times that all runs share, interpolated linearly up to the last frame of the run.
    fn new(run: &ComparedRun, drawing: &Drawing, times: &[f64]) -> Shown {
        let own = &run.recording.times;
        if own.is_empty() {
            return Shown { points: Vec::new(), fields: Vec::new(), flow: Vec::new() };
        }
        let diverged = matches!(run.outcome.ending, Ending::Diverged(_));
        let good = if diverged { near(&run.recording.points, drawing) } else { own.len() };
        let last = own[..good].last().copied().unwrap_or_default();
        let mut shown = Shown { points: Vec::new(), fields: Vec::new(), flow: Vec::new() };
        for &time in times.iter().take_while(|time| **time <= last + 1e-9 * last.abs()) {
            let after = own[..good].partition_point(|t| *t < time).min(good.saturating_sub(1));
            let before = if own[after] > time { after.saturating_sub(1) } else { after };
            let width = own[after] - own[before];
            let s = if width > 0.0 { ((time - own[before]) / width) as f32 } else { 0.0 };
            let between = |frames: &[Vec<[f32; 3]>]| -> Vec<[f32; 3]> {
                let pairs = frames[before].iter().zip(&frames[after]);
                pairs.map(|(a, b)| std::array::from_fn(|k| a[k] + s * (b[k] - a[k]))).collect()
            };
            shown.points.push(between(&run.recording.points));
            shown.fields.push(between(&run.recording.fields));
            if !run.recording.flow.is_empty() {
                shown.flow.push(between(&run.recording.flow));
            }
        }
        shown
    }
}

/// Counts the frames, at least one, within some lengths of the body: a body that flies off would shrink all others.
fn near(frames: &[Vec<[f32; 3]>], drawing: &Drawing) -> usize {
    let [low, high] = around(drawing.rest.iter().copied()).unwrap_or_default();
    let reach = 3.0 * (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
    let inside = |p: &[f32; 3]| (0..3).all(|k| (low[k] - reach..=high[k] + reach).contains(&f64::from(p[k])));
    frames.iter().take_while(|frame| frame.iter().all(inside)).count().max(1).min(frames.len())
}

fn one(r: usize, run: &ComparedRun, shown: &Shown) -> Value {
    let outcome = &run.outcome;
    let divergence = match &outcome.ending {
        Ending::Diverged(divergence) => Some(divergence),
        _ => None,
    };
    let samples = &run.recording.samples;
    let every = samples.len().div_ceil(MOST_SAMPLES).max(1);
    let kept: Vec<_> = (samples.iter().enumerate())
        .filter(|(i, _)| i % every == 0 || i + 1 == samples.len())
        .map(|(_, sample)| sample)
        .collect();
    let column = |of: fn(&crate::Sample) -> f64| kept.iter().map(|sample| digits(of(sample))).collect::<Vec<f64>>();
    let fields: serde_json::Map<String, Value> =
        FIELDS.iter().map(|(name, _)| (name.to_string(), json!(format!("run-{r}-{name}")))).collect();
    let work = &outcome.work;
    json!({
        "label": run.label,
        "method": run.method,
        "step": run.step,
        "outcome": if outcome.ending == Ending::Interrupted { "stopped" } else { outcome.ending.word() },
        "diverged_at": divergence.map(|divergence| divergence.time),
        "message": divergence.map(|divergence| divergence.cause.to_string()),
        "frames": shown.points.len(),
        "ms_per_step": run.ms_per_step,
        "steps": outcome.steps,
        "work": {
            "forces": work.forces, "Newton iterations": work.newton, "factorisations": work.linear.factorisations,
            "solves": work.linear.solves, "solver iterations": work.linear.iterations, "products": work.linear.products,
        },
        "energy_kept": run.energy_kept,
        "why_no_share": run.why_no_share,
        "spread": run.spread,
        "error": run.error,
        "series": {
            "t": column(|s| s.time), "kinetic": column(|s| s.kinetic), "elastic": column(|s| s.elastic),
            "loads": column(|s| s.load), "total": column(crate::Sample::total),
        },
        "positions": format!("run-{r}-positions"),
        "fields": fields,
        "flow": (!shown.flow.is_empty()).then(|| format!("run-{r}-flow")),
    })
}

/// Rounds to six digits: enough for a plot, and short.
fn digits(x: f64) -> f64 {
    format!("{x:.5e}").parse().unwrap_or(x)
}

/// Encodes indices of triangles, then of lines, then the points at rest.
fn shape(triangles: &[[u32; 3]], lines: &[[u32; 2]], rest: &[Vec3]) -> Vec<u8> {
    let indices = triangles.iter().flatten().chain(lines.iter().flatten());
    let points = rest.iter().flatten();
    indices.flat_map(|i| i.to_le_bytes()).chain(points.flat_map(|x| (*x as f32).to_le_bytes())).collect()
}

/// Returns the box around all points of all frames [m].
fn bounds(shown: &[Shown], drawing: &Drawing) -> [Vec3; 2] {
    let frames = shown.iter().flat_map(|shown| shown.points.iter().flatten());
    around(frames.map(|p| p.map(f64::from)).chain(drawing.rest.iter().copied())).unwrap_or_default()
}

/// Returns the speed that nine of ten arrows do not exceed [m/s]: the flow is far faster beside the bodies than elsewhere.
fn fastest(shown: &[Shown]) -> f64 {
    let velocities = shown.iter().flat_map(|shown| shown.flow.iter().flat_map(|frame| &frame[1..]));
    let mut speeds: Vec<f32> = velocities.map(|u| u[0].hypot(u[1]).hypot(u[2])).filter(|speed| *speed > 0.0).collect();
    speeds.sort_unstable_by(f32::total_cmp);
    digits(speeds.get(9 * speeds.len() / 10).map_or(0.0, |speed| f64::from(*speed)))
}

/// Returns the top of the colour scale of each field.
fn most(shown: &[Shown]) -> [f64; 3] {
    std::array::from_fn(|k| {
        digits(top(shown.iter().flat_map(|shown| shown.fields.iter().flatten()).map(|values| values[k])))
    })
}
