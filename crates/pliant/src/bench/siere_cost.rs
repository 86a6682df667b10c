//! Cost of a step of siere compared with linearly-implicit-euler: on the lattice bridge and on a cube of 12k vertices.
//!
//! Both take their steps in turn, each along its own motion; the first steps, which search for modes from scratch, are
//! shown separately. Medians, because steps make zero to two passes over their modes: passes and columns are counted
//! too. Angles are those of the captured modes as used, measured with a separate factor of K + sigma M, sigma the
//! largest of their values: |(K + sigma M)^-1 (K u - lam M u)|_M, about the angle between u and the exact mode.

use super::Report;
use super::bodies::{CUBE_12K, bridge};
use super::runner::Runner;
use crate::failure::Failure;
use integrators::{Modes, Options, parameters};
use model::energy::Stiffness;
use model::{Model, State};
use numerics::blocks::BlockMatrix;
use numerics::linear::{Cholesky, LinearSolver, SolverKind};
use serde_json::{Map, json};
use std::fmt::Write;

/// Measured steps after the first.
const STEPS: usize = 12;

/// Makes siere with this many modes; with none it is linearly-implicit-euler.
fn runner(model: &Model, start: &State, modes: usize) -> Result<Runner, Failure> {
    let options =
        Options::default().with(&parameters::SOLVER, SolverKind::Direct).with(&parameters::MODES, Modes::Count(modes));
    Runner::new(model, start, "siere", &options)
}

/// Returns the largest angle of the modes of the last step. They are in the memory of the method, after five numbers
/// and the positions they belong to.
fn angle(runner: &Runner, model: &Model) -> Result<f64, Failure> {
    let n = model.dofs();
    let columns = runner.report.modes as usize;
    let memory = runner.stepper.memory();
    let Some(vectors) = memory.get(5 + n..5 + n + columns * n) else {
        return Err(Failure::bench("the method has no modes"));
    };
    let mut x = model.rest().to_vec();
    x[..n].copy_from_slice(&memory[5..5 + n]);
    let mut k = BlockMatrix::zeros(model.pattern().clone());
    let mut a = k.clone();
    model.stiffness(model.stiffness_kind(), &x, &mut k);
    let mut r = vec![0.0; vectors.len()];
    k.multiply_columns(vectors, &mut r, columns);
    let mut sigma = 0.0_f64;
    for (u, r) in vectors.chunks_exact(n).zip(r.chunks_exact_mut(n)) {
        let lam: f64 = u.iter().zip(&*r).map(|(u, ku)| u * ku).sum();
        model.mass().multiply_add(-lam, u, r);
        sigma = sigma.max(lam.abs());
    }
    model.combine([sigma, 0.0, 1.0], &k, None, &mut a);
    let mut solver = Cholesky::new(model.pattern()).map_err(Failure::bench)?;
    solver.prepare(&a).map_err(Failure::bench)?;
    solver.solve(&a, &mut r, columns).map_err(Failure::bench)?;
    let sizes = r.chunks_exact(n).map(|z| model.mass().inner(z, z).sqrt());
    Ok(sizes.fold(0.0, f64::max))
}

/// Returns the median of the steps after the first [ms].
fn median(runner: &Runner) -> f64 {
    let mut times = runner.ms[1..].to_vec();
    times.sort_unstable_by(f64::total_cmp);
    times[times.len() / 2]
}

/// Measures both bodies.
pub fn run() -> Result<Report, Failure> {
    let (bridge, start, h) = bridge()?;
    let cube = CUBE_12K.model(Stiffness::Exact)?;
    let at_rest = cube.state_at_rest();
    let cases = [("bridge", bridge, start, h, 1.3), ("cube_12k", cube, at_rest, 0.01, 1.15)];
    let mut text = String::new();
    let mut json = Map::new();
    for (name, model, start, h, goal) in cases {
        let mut euler = runner(&model, &start, 0)?;
        let mut rows = Map::new();
        for modes in [5, 20, 50] {
            let mut siere = runner(&model, &start, modes)?;
            euler = Runner { state: start.clone(), ms: Vec::new(), ..euler };
            let (mut angles, mut cold_solves, mut cold_passes) = (Vec::new(), 0, 0);
            for step in 0..=STEPS {
                euler.step(&model, h)?;
                siere.step(&model, h)?;
                if step == 0 {
                    cold_solves = siere.report.linear.solves;
                    cold_passes = siere.report.mode_passes;
                }
                if step % 3 == 2 {
                    angles.push(angle(&siere, &model)?);
                }
            }
            let (ms, base, cold) = (median(&siere), median(&euler), siere.ms[0]);
            let ratio = ms / base;
            let mean = angles.iter().sum::<f64>() / angles.len() as f64;
            let worst = angles.iter().fold(0.0, |m: f64, r| m.max(*r));
            let solves = (siere.report.linear.solves - cold_solves) as f64 / STEPS as f64;
            let passes = (siere.report.mode_passes - cold_passes) as f64 / STEPS as f64;
            let factors = siere.report.linear.factorisations;
            let tolerance = Options::default().get(&parameters::MODES_TOLERANCE);
            let goal = if modes == 5 { format!(" (to reach: {goal})") } else { String::new() };
            let _ = writeln!(
                text,
                "{name}, {} vertices, {modes} modes: {ms:.1} ms over {base:.1} ms, ratio {ratio:.2}{goal}; modes_tolerance \
                 {tolerance:.0e}: angle {mean:.1e}, worst {worst:.1e}; {passes:.2} passes and {solves:.1} columns solved per step, \
                 {factors} factors in {} steps; first step {cold:.0} ms, {cold_passes} passes",
                model.nodes(),
                STEPS + 1
            );
            let key = if modes == 5 { "ratio".to_string() } else { format!("ratio_{modes}") };
            rows.insert(key, json!(ratio));
            rows.insert(
                format!("modes_{modes}"),
                json!({
                    "siere_ms": ms, "euler_ms": base, "modes_tolerance": tolerance, "angle_mean": mean,
                    "angle_worst": worst, "passes_per_step": passes, "columns_per_step": solves, "factors": factors,
                    "first_step_ms": cold, "first_step_passes": cold_passes,
                }),
            );
        }
        json.insert(name.into(), rows.into());
    }
    json.insert("peak_memory_mib".into(), json!(super::peak_memory_mib()));
    json.insert("threads".into(), json!(rayon::current_num_threads()));
    Ok(Report { text, json: json.into() })
}
