//! Cost of a step of ere as a body gets stiffer: the honeycomb sheet at three moduli.
//!
//! Undamped: symmetric Lanczos compared with Arnoldi with substeps as in Expokit, each at the loosest tolerance for
//! which the step is accurate to 1e-6. Damped by beta = h/10: the rational space at the same error. Steps are complete:
//! force, assembly, matrix functions. They begin at one state, a sheet in motion.

use super::{Report, time};
use crate::failure::Failure;
use integrators::{Krylov, Options, StepReport, parameters};
use model::load::Profile;
use model::material::sample;
use model::mesh::generate::generate;
use model::{Basis, Blueprint, LoadPart, Model, SolidPart, State};
use serde_json::{Map, json};
use std::fmt::Write;

/// Time step [s].
const H: f64 = 0.01;
/// Error of the compared steps: of velocities, relative to them, in the norm of the mass.
const ERROR: f64 = 1e-6;
/// The moduli [Pa].
const MODULI: [f64; 3] = [1e6, 1e8, 1e10];
const REPEATS: usize = 3;

/// The sheet, clamped at one side, under gravity.
fn sheet(young: f64, beta: f64) -> Result<Model, Failure> {
    let mesh = generate("honeycomb", []).map_err(Failure::bench)?;
    let material = sample("neo-hookean", young, 0.45).map_err(Failure::bench)?;
    let nodes = (0..mesh.points.len() as u32).collect();
    let group = mesh.groups.get("x-").ok_or_else(|| Failure::bench("the honeycomb has no side x-"))?;
    Blueprint {
        solids: vec![SolidPart::new((0..mesh.tets.len() as u32).collect(), material, 1000.0)],
        fixed: group.nodes.clone(),
        loads: vec![LoadPart { nodes, basis: Basis::Mass, direction: [0.0, 0.0, -9.81], profile: Profile::Constant }],
        damping: [0.0, beta],
        mesh,
        ..Blueprint::default()
    }
    .build()
    .map_err(Failure::bench)
}

/// Returns the sheet after a few implicit steps: it moves, and not only in its fastest modes.
fn in_motion(model: &Model) -> Result<State, Failure> {
    let method = integrators::find("linearly-implicit-euler").ok_or_else(|| Failure::bench("no such method"))?;
    let mut stepper = (method.make)(model, &Options::default()).map_err(Failure::bench)?;
    let mut state = model.state_at_rest();
    for _ in 0..5 {
        stepper.step(model, &mut state, H).map_err(Failure::bench)?;
    }
    Ok(state)
}

/// Takes one step of ere: returns its end, its work, and the time of the fastest repetition [ms].
fn step(
    model: &Model,
    start: &State,
    krylov: Krylov,
    krylov_tolerance: f64,
    repeats: usize,
) -> Result<(State, StepReport, f64), Failure> {
    let method = integrators::find("ere").ok_or_else(|| Failure::bench("no such method"))?;
    let mut stepper = (method.make)(
        model,
        &Options::default().with(&parameters::KRYLOV, krylov).with(&parameters::KRYLOV_TOLERANCE, krylov_tolerance),
    )
    .map_err(Failure::bench)?;
    let mut fastest = f64::INFINITY;
    let mut end = start.clone();
    let mut report = StepReport::default();
    for _ in 0..repeats {
        end.clone_from(start);
        let (done, ms) = time(|| stepper.step(model, &mut end, H));
        report = done.map_err(Failure::bench)?;
        fastest = fastest.min(ms);
    }
    Ok((end, report, fastest))
}

/// |v - w| / |w| in the norm of the mass.
fn error(model: &Model, found: &State, exact: &State) -> f64 {
    let n = model.dofs();
    let difference: Vec<f64> = found.v[..n].iter().zip(&exact.v).map(|(a, b)| a - b).collect();
    (model.mass().inner(&difference, &difference) / model.mass().inner(&exact.v[..n], &exact.v[..n])).sqrt()
}

/// Finds the cheapest step accurate to [`ERROR`]: its error, tolerance, work and time.
fn cheapest(
    model: &Model,
    start: &State,
    exact: &State,
    krylov: Krylov,
) -> Result<(f64, f64, StepReport, f64), Failure> {
    for exponent in 2..=12 {
        let tolerance = 10_f64.powi(-exponent);
        // An algorithm that fails at this tolerance may succeed at a tighter one.
        let Ok((end, ..)) = step(model, start, krylov, tolerance, 1) else { continue };
        let found = error(model, &end, exact);
        if found <= ERROR {
            let (_, report, ms) = step(model, start, krylov, tolerance, REPEATS)?;
            return Ok((found, tolerance, report, ms));
        }
    }
    Err(Failure::bench(format!("{krylov:?} does not reach an error of {ERROR:e}")))
}

/// Measures all moduli.
pub fn run() -> Result<Report, Failure> {
    let mut text = String::new();
    let mut json = Map::new();
    let mut damped_times = Vec::new();
    for young in MODULI {
        let mut row = Map::new();
        let model = sheet(young, 0.0)?;
        let start = in_motion(&model)?;
        let (exact, ..) = step(&model, &start, Krylov::Lanczos, 1e-9, 1)?;
        let mut pair = Vec::new();
        for (name, krylov) in [("lanczos", Krylov::Lanczos), ("expokit", Krylov::Expokit)] {
            let (found, tolerance, report, ms) = cheapest(&model, &start, &exact, krylov)?;
            let products = report.linear.products;
            let _ = writeln!(
                text,
                "E = {young:.0e}, undamped, {name}: {products} products, {ms:.1} ms, error {found:.1e} (tolerance {tolerance:.0e})"
            );
            row.insert(name.into(), json!({ "products": products, "ms": ms, "error": found, "tolerance": tolerance }));
            pair.push((products as f64, ms));
        }
        let (products, time) = (pair[0].0 / pair[1].0, pair[0].1 / pair[1].1);
        let _ = writeln!(text, "    products {products:.2} (to reach: 0.6), time {time:.2} (to reach: 0.25)");
        row.insert("products_ratio".into(), json!(products));
        row.insert("time_ratio".into(), json!(time));

        let model = sheet(young, H / 10.0)?;
        let start = in_motion(&model)?;
        let (exact, ..) = step(&model, &start, Krylov::Lanczos, 1e-9, 1)?;
        let (found, tolerance, report, ms) = cheapest(&model, &start, &exact, Krylov::Rational)?;
        let _ = writeln!(
            text,
            "E = {young:.0e}, damped, rational: {} solves, {} factorisations, {ms:.1} ms, error {found:.1e} (tolerance {tolerance:.0e})",
            report.linear.solves, report.linear.factorisations
        );
        row.insert("damped".into(), json!({ "solves": report.linear.solves, "ms": ms, "error": found }));
        damped_times.push(ms);
        json.insert(format!("{young:.0e}"), row.into());
    }
    let ratio = damped_times[MODULI.len() - 1] / damped_times[0];
    let _ = writeln!(text, "damped, time at 1e10 over time at 1e6: {ratio:.2} (to reach: 1.3)");
    json.insert("damped".into(), json!({ "ratio": ratio, "ms": damped_times }));
    json.insert("threads".into(), json!(rayon::current_num_threads()));
    Ok(Report { text, json: json.into() })
}
