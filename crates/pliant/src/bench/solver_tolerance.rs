//! Error added by solving a step only to a tolerance: the study behind the default of `solver_tolerance`.
//!
//! With steps of h: the distance of the end to that with direct solves, over the distance of the latter to that with
//! steps of h/2. A factor is always stored, however small the body.

use super::Report;
use super::bodies::Cuboid;
use super::runner::Runner;
use crate::failure::Failure;
use integrators::{METHODS, Method, Options, parameters};
use model::energy::Stiffness;
use model::{Model, State};
use numerics::linear::SolverKind;
use serde_json::{Map, json};
use std::fmt::Write;

/// Time step [s], and the number of steps.
const H: f64 = 0.01;
const STEPS: usize = 40;
/// Relative residuals at which a solve may stop.
const TOLERANCES: [f64; 5] = [1e-2, 1e-3, 1e-4, 1e-5, 1e-6];

/// A beam of 1 m x .25 m x .25 m.
const fn beam(young: f64, cells: usize) -> Cuboid {
    Cuboid { size: [1.0, 0.25, 0.25], cells: [4 * cells, cells, cells], young, poisson: 0.3 }
}

/// Results of one method on one body.
struct Row {
    /// Error of the method itself, rms of positions [m].
    own: f64,
    /// For each tolerance: added error, relative to that error; iterations per step.
    added: Vec<[f64; 2]>,
}

/// Methods that solve with a matrix of the step.
fn methods() -> impl Iterator<Item = &'static Method> {
    METHODS.iter().filter(|method| method.keeps_factor)
}

/// Bent and twisted at once about the held end: v = 2 x (0, 1 - 4 z, y) [m/s].
fn thrown(model: &Model) -> State {
    let mut state = model.state_at_rest();
    for (x, v) in state.x.as_chunks::<3>().0.iter().zip(state.v.as_chunks_mut::<3>().0) {
        *v = [0.0, 2.0 * x[0] * (1.0 - 4.0 * x[2]), 2.0 * x[0] * x[1]];
    }
    state
}

/// Returns the root mean square of the distances of nodes [m].
fn distance(a: &State, b: &State) -> f64 {
    let square: f64 = a.x.iter().zip(&b.x).map(|(a, b)| (a - b) * (a - b)).sum();
    (3.0 * square / a.x.len() as f64).sqrt()
}

fn measure(model: &Model, method: &Method, steps: usize, tolerances: &[f64]) -> Result<Row, Failure> {
    let start = thrown(model);
    let end = |solver: SolverKind, solver_tolerance: f64, parts: usize| {
        let options =
            Options::default().with(&parameters::SOLVER, solver).with(&parameters::SOLVER_TOLERANCE, solver_tolerance);
        let mut runner = Runner::new(model, &start, method.name, &options)?;
        (0..parts * steps).try_for_each(|_| runner.step(model, H / parts as f64))?;
        Ok::<Runner, Failure>(runner)
    };
    let exact = end(SolverKind::Direct, 0.0, 1)?;
    let own = distance(&exact.state, &end(SolverKind::Direct, 0.0, 2)?.state);
    let added = tolerances.iter().map(|&tolerance| {
        let kept = end(SolverKind::Stale, tolerance, 1)?;
        let iterations = kept.report.linear.iterations as f64 / steps as f64;
        Ok::<_, Failure>([distance(&kept.state, &exact.state) / own, iterations])
    });
    Ok(Row { own, added: added.collect::<Result<_, _>>()? })
}

/// Measures all bodies and methods.
pub fn run() -> Result<Report, Failure> {
    let default = Options::default().get(&parameters::SOLVER_TOLERANCE);
    let bodies = [("cube", Cuboid::cube(8)), ("beam", beam(1e6, 4)), ("stiff beam", beam(1e8, 4))];
    let mut text = String::from("error added by a tolerance, over the method's own error (iterations per step)\n");
    let heads: String = TOLERANCES.iter().map(|tolerance| format!("{tolerance:>16.0e}")).collect();
    let _ = writeln!(text, "{:36}{:>12}{heads}", "body, method", "own error");
    let (mut json, mut worst) = (Map::new(), 0.0_f64);
    for (body, cuboid) in bodies {
        let model = cuboid.model(Stiffness::Exact)?;
        let mut rows = Map::new();
        for method in methods() {
            let Row { own, added } = measure(&model, method, STEPS, &TOLERANCES)?;
            let cells: String = added.iter().map(|[ratio, count]| format!("{ratio:>9.1e} ({count:>4.1})")).collect();
            let line = format!("{:36}{:>10.1e} m{cells}", format!("{body}, {}", method.name), own);
            eprintln!("{line}");
            let _ = writeln!(text, "{line}");
            let at_default = TOLERANCES.iter().zip(&added).filter(|(tolerance, _)| **tolerance == default);
            worst = at_default.fold(worst, |worst, (_, [ratio, _])| worst.max(*ratio));
            let cells = TOLERANCES.iter().zip(&added).map(|(tolerance, [ratio, iterations])| {
                json!({ "tolerance": tolerance, "added_over_own_error": ratio, "iterations": iterations })
            });
            rows.insert(method.name.into(), json!({ "own_error": own, "tolerances": cells.collect::<Vec<_>>() }));
        }
        json.insert(body.replace(' ', "_"), rows.into());
    }
    let _ = writeln!(text, "at the default of {default:e} at most {worst:.1e}");
    json.insert("default".into(), json!(default));
    json.insert("worst_at_default".into(), json!(worst));
    Ok(Report { text, json: json.into() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_adds_less_than_a_thousandth_to_the_error_of_every_method() {
        let default = Options::default().get(&parameters::SOLVER_TOLERANCE);
        for young in [1e6, 1e8] {
            let model = beam(young, 2).model(Stiffness::Exact).unwrap();
            for method in methods() {
                let Row { own, added } = measure(&model, method, 20, &[default]).unwrap();
                let [ratio, iterations] = added[0];
                println!("{young:e} Pa, {}: {ratio:.1e} of {own:.1e} m, {iterations} iterations", method.name);
                assert!(own > 1e-6, "{}: no error to compare with", method.name);
                assert!(ratio < 1e-3, "{young:e} Pa, {}: adds {ratio:e} of its own error", method.name);
                assert!(ratio > 0.0 && iterations > 0.0, "{}: solved directly", method.name);
            }
        }
    }
}
