//! The large fluid: a column of 936,000 particles that collapses, as substeps and as passes.

use super::super::runner::Runner;
use super::super::{Findings, forget_peak_memory, peak_memory_mib};
use super::{FRAME, gravity, options};
use crate::failure::Failure;
use model::mesh::Mesh;
use model::{Blueprint, Fluid, Liquid, Model};
use serde_json::{Value, json};

/// Particles along each axis, and their distance [m].
const SIZE: [usize; 3] = [60, 60, 260];
const SPACING: f64 = 0.1;
/// Total frames, and the first ones, which still allocate memory and are not counted.
const FRAMES: [usize; 2] = [8, 2];
const WORK: usize = 10;

/// Measures the time per frame [ms] and the memory of both.
pub(super) fn run(findings: &mut Findings) -> Result<(), Failure> {
    let model = column()?;
    let mut found = json!({ "particles": model.nodes() });
    for (name, substeps, passes) in [("substeps", WORK, 1), ("passes", 1, WORK)] {
        forget_peak_memory();
        let mut runner = Runner::new(&model, &model.state_at_rest(), "small-steps", &options(substeps, passes))?;
        // As in the middle of the collapse: it sinks and spreads, and neighbours change.
        let (x, v) = (&runner.state.x, &mut runner.state.v);
        x.chunks(3).zip(v.chunks_mut(3)).for_each(|(x, v)| (v[0], v[2]) = (0.3 * x[0], -0.3 * x[2]));
        (0..FRAMES[0]).try_for_each(|_| runner.step(&model, FRAME))?;
        let least = runner.ms[FRAMES[1]..].iter().copied().fold(f64::INFINITY, f64::min);
        let (mean, peak) = (runner.mean(FRAMES[1]), peak_memory_mib());
        let compression = runner.report.compression;
        findings.say(&format!(
            "fluid column: {} particles, {substeps} x {passes}: {least:.0} ms per frame at least, {mean:.0} ms in the mean, \
             peak memory {peak:.0} MiB, compressed by {:.2} %",
            model.nodes(),
            100.0 * compression
        ));
        found[name] = json!({
            "substeps": substeps, "passes": passes, "ms": least, "mean_ms": mean, "peak_memory_mib": peak,
            "compression": compression,
        });
    }
    let ms = |name: &str| found[name]["mean_ms"].as_f64().unwrap_or(f64::NAN);
    found["substeps_over_passes"] = Value::from(ms("substeps") / ms("passes"));
    findings.json.insert("fluid_column".into(), found);
    Ok(())
}

/// The column of `scenes/large/fluid-column-substeps.toml`.
fn column() -> Result<Model, Failure> {
    let at = |k: usize| SPACING * (k as f64 + 0.5);
    let layer = |z: usize| (0..SIZE[1]).flat_map(move |y| (0..SIZE[0]).map(move |x| [at(x), at(y), at(z)]));
    let mesh = Mesh { points: (0..SIZE[2]).flat_map(layer).collect(), ..Mesh::default() };
    let liquid = Liquid {
        spacing: SPACING,
        density: 1000.0,
        bulk_modulus: f64::INFINITY,
        viscosity: 0.0,
        vorticity: 0.0,
        cfl: 1.0,
    };
    let nodes = (0..mesh.points.len() as u32).collect();
    let walls = Some([[0.0; 3], [15.0, 6.0, 32.0]]);
    let fluids = vec![Fluid { nodes, liquid, walls, obstacles: Vec::new(), friction: 0.0 }];
    let loads = gravity(&mesh);
    Blueprint { mesh, fluids, loads, ..Blueprint::default() }.build().map_err(Failure::bench)
}
