//! A default step by the number of vertices: cubes that get finer, and bars that get longer.
//!
//! Peaks of memory are those of the whole process. Memory that allocators keep from smaller bodies is negligible.

use super::super::bodies::{Cuboid, elements, moving};
use super::super::peak_memory_mib;
use super::super::runner::Runner;
use super::{Findings, H};
use crate::failure::Failure;
use integrators::Options;
use model::energy::Stiffness;
use serde_json::{Value, json};
use std::time::Instant;

/// Bodies of a kind, small to large.
struct Series {
    name: &'static str,
    body: fn(usize) -> Cuboid,
    /// Cells along x, for 1k to 100k vertices; the third has 100k tets.
    cells: [usize; 5],
    /// Length of the initial wave [m].
    wave: f64,
}

const SERIES: [Series; 2] = [
    Series { name: "bar", body: Cuboid::bar, cells: [39, 200, 1041, 2000, 4000], wave: 3.0 },
    Series { name: "cube", body: Cuboid::cube, cells: [9, 16, 26, 33, 45], wave: 1.0 },
];
/// Least and largest number of steps per body.
const STEPS: [usize; 2] = [10, 60];
/// Time after which a body takes only the least number of steps [s].
const PATIENCE: f64 = 15.0;

/// Resets the peak of memory; false where the system cannot.
fn reset_peak() -> bool {
    std::fs::write("/proc/self/clear_refs", "5").is_ok()
}

/// Returns the slope of a line through logarithms, by least squares.
fn exponent(points: &[[f64; 2]]) -> f64 {
    let count = points.len() as f64;
    let logs = || points.iter().map(|point| point.map(f64::ln));
    let [x, y] = logs().fold([0.0; 2], |sum, log| [sum[0] + log[0] / count, sum[1] + log[1] / count]);
    let products = logs().fold([0.0; 2], |sum, log| {
        let dx = log[0] - x;
        [sum[0] + dx * (log[1] - y), sum[1] + dx * dx]
    });
    products[0] / products[1]
}

/// Builds a body and steps it: returns vertices and time per step [ms], for the fit, and a row.
fn grow(series: &Series, cells: usize, findings: &mut Findings) -> Result<([f64; 2], Value), Failure> {
    let can_reset = reset_peak();
    let model = (series.body)(cells).model(Stiffness::Exact)?;
    let start = moving(&model, series.wave);
    let mut runner = Runner::new(&model, &start, "linearly-implicit-euler", &Options::default())?;
    let begun = Instant::now();
    let is_short = || begun.elapsed().as_secs_f64() < PATIENCE;
    while runner.ms.len() < STEPS[0] || (runner.ms.len() < STEPS[1] && is_short()) {
        runner.step(&model, H)?;
    }
    let peak = can_reset.then(peak_memory_mib);
    let (vertices, tets, ms, steps) = (model.nodes(), elements(&model), runner.mean(0), runner.ms.len());
    findings.say(&format!(
        "{}, {vertices} vertices, {tets} tets: {ms:.2} ms per step ({steps} steps); {}{}",
        series.name,
        runner.work(),
        peak.map_or(String::new(), |peak| format!("; peak memory {peak:.0} MiB"))
    ));
    let row = json!({
        "vertices": vertices, "tets": tets, "ms": ms, "steps": steps, "peak_mib": peak,
        "work_a_step": runner.work_json(),
    });
    Ok(([vertices as f64, ms], row))
}

/// Steps bodies of all sizes; returns the peak of memory [MiB].
pub(super) fn measure(findings: &mut Findings) -> Result<f64, Failure> {
    let mut most: f64 = 0.0;
    let mut found = SERIES.map(|_| (Vec::new(), Vec::new()));
    // Small bodies of both kinds first: allocators keep memory of earlier bodies.
    for size in 0..SERIES[0].cells.len() {
        for (series, (points, rows)) in SERIES.iter().zip(&mut found) {
            let (point, row) = grow(series, series.cells[size], findings)?;
            points.push(point);
            rows.push(row);
            most = most.max(peak_memory_mib());
        }
    }
    let mut growth = serde_json::Map::new();
    for (series, (points, rows)) in SERIES.iter().zip(found) {
        let exponent = exponent(&points);
        findings.say(&format!("{}: time per step grows like vertices^{exponent:.2}", series.name));
        let peak = rows[2]["peak_mib"].clone();
        growth.insert(series.name.into(), json!({ "exponent": exponent, "peak_mib_100k_tets": peak, "sizes": rows }));
    }
    findings.json.insert("growth".into(), growth.into());
    Ok(most)
}

#[cfg(test)]
mod tests {
    use super::exponent;

    #[test]
    fn the_exponent_of_a_power_is_found() {
        let points = [1e3, 5e3, 2e4, 1e5].map(|x: f64| [x, 3.0 * x.powf(1.3)]);
        assert!((exponent(&points) - 1.3).abs() < 1e-12);
    }
}
