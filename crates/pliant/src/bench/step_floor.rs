//! Whole implicit step compared with its lower bound: the bare refactorisation and one solve of the same matrix. Both
//! are measured in turn, in one process, and the fastest of each counts.

use super::bodies::{BAR_30K, CUBE_12K, elements};
use super::{Report, time};
use crate::failure::Failure;
use integrators::{Options, parameters};
use model::Model;
use model::energy::Stiffness;
use numerics::blocks::BlockMatrix;
use numerics::linear::{Cholesky, LinearSolver, SolverKind};
use serde_json::json;
use std::fmt::Write;

/// Pairs measured for each mesh and stiffness.
const REPEATS: usize = 7;
/// Time step [s].
const H: f64 = 0.01;

/// Returns the fastest whole step, and the fastest refactorisation and solve [ms].
fn step_and_floor(model: &Model) -> Result<[f64; 2], Failure> {
    let options = Options::default().with(&parameters::SOLVER, SolverKind::Direct);
    let method = integrators::find("linearly-implicit-euler").ok_or_else(|| Failure::bench("no such method"))?;
    let mut stepper = (method.make)(model, &options).map_err(Failure::bench)?;
    let mut solver = Cholesky::new(model.pattern()).map_err(Failure::bench)?;
    let mut k = BlockMatrix::zeros(model.pattern().clone());
    let mut a = k.clone();
    let mut state = model.state_at_rest();
    let mut fastest = [f64::INFINITY; 2];
    for repeat in 0..=REPEATS {
        model.stiffness(model.stiffness_kind(), &state.x, &mut k);
        model.combine([1.0, H, H * H], &k, None, &mut a);
        let mut rhs = vec![1.0; model.dofs()];
        let (floor, floor_ms) = time(|| solver.prepare(&a).and_then(|_| solver.solve(&a, &mut rhs, 1)));
        floor.map_err(Failure::bench)?;
        let (step, step_ms) = time(|| stepper.step(model, &mut state, H));
        step.map_err(Failure::bench)?;
        // The first pair touches its memory for the first time.
        if repeat > 0 {
            fastest = [fastest[0].min(step_ms), fastest[1].min(floor_ms)];
        }
    }
    Ok(fastest)
}

/// Measures one force and one assembly of the stiffness per tet on one thread [ns].
fn assembly(model: &Model, kind: Stiffness) -> Result<[f64; 2], Failure> {
    let tets = elements(model);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().map_err(Failure::bench)?;
    let mut f = vec![0.0; model.dofs()];
    let mut k = BlockMatrix::zeros(model.pattern().clone());
    // A state in motion: at rest many numbers are zero or one.
    let x: Vec<f64> = model.rest().iter().enumerate().map(|(i, x)| x + 1e-4 * (i as f64).sin()).collect();
    let mut fastest = [f64::INFINITY; 2];
    for _ in 0..3 * REPEATS {
        let ((), force) = pool.install(|| time(|| model.static_force(0.0, &x, &mut f)));
        let ((), stiffness) = pool.install(|| time(|| model.stiffness(kind, &x, &mut k)));
        fastest = [fastest[0].min(force), fastest[1].min(stiffness)];
    }
    Ok(fastest.map(|ms| 1e6 * ms / tets as f64))
}

/// Measures both meshes.
pub fn run() -> Result<Report, Failure> {
    let mut text = String::new();
    let mut meshes = serde_json::Map::new();
    for (name, cuboid, goal) in [("cube_12k", CUBE_12K, 1.3), ("bar_30k", BAR_30K, 1.8)] {
        let mut row = serde_json::Map::new();
        for (kind, prefix) in [(Stiffness::Exact, ""), (Stiffness::Projected, "projected_")] {
            let model = cuboid.model(kind)?;
            let tets = elements(&model);
            let [step, floor] = step_and_floor(&model)?;
            let [force, stiffness] = assembly(&model, kind)?;
            let ratio = step / floor;
            let word = if prefix.is_empty() { "exact" } else { "projected" };
            let _ = writeln!(
                text,
                "{name}, {word}: {} vertices, {tets} tets: step {step:.1} ms, refactor + solve {floor:.1} ms, \
                 ratio {ratio:.2}{}; force {force:.0} ns and stiffness {stiffness:.0} ns per tet on one thread",
                model.nodes(),
                if prefix.is_empty() { format!(" (to reach: {goal})") } else { String::new() },
            );
            row.insert("vertices".into(), json!(model.nodes()));
            row.insert("tets".into(), json!(tets));
            for (key, value) in [
                ("ratio", ratio),
                ("step_ms", step),
                ("floor_ms", floor),
                ("force_ns_per_tet", force),
                ("stiffness_ns_per_tet", stiffness),
            ] {
                row.insert(format!("{prefix}{key}"), json!(value));
            }
        }
        meshes.insert(name.into(), row.into());
    }
    let peak = super::peak_memory_mib();
    let _ = writeln!(text, "peak memory {peak:.0} MiB, {} threads", rayon::current_num_threads());
    meshes.insert("peak_memory_mib".into(), json!(peak));
    meshes.insert("threads".into(), json!(rayon::current_num_threads()));
    Ok(Report { text, json: meshes.into() })
}
