//! The default step, and that of siere with 5 modes, compared with a linearly implicit step with a fresh factor.
//!
//! All follow the same motion, in turns of a block of steps each. Means of all steps, including every factorisation;
//! for siere all but the first, which searches for modes from scratch.

use super::super::bodies::{BAR_30K, CUBE_12K, bridge, moving};
use super::super::runner::Runner;
use super::{Findings, H};
use crate::failure::Failure;
use integrators::{Modes, Options, parameters};
use model::energy::Stiffness;
use model::{Model, State};
use numerics::linear::SolverKind;
use serde_json::json;

/// Turns of each method, and steps per turn.
const BLOCKS: usize = 6;
const BLOCK: usize = 10;
/// Modes that siere captures.
const MODES: usize = 5;

/// A body, its initial state, and the goals.
pub(super) struct Case {
    name: &'static str,
    model: Model,
    start: State,
    /// Time step [s].
    h: f64,
    /// Goals: a step with a fresh factor over the default, and over siere.
    goals: [Option<f64>; 2],
}

/// The cube and the bar with a bending wave; the bridge in the wind.
pub(super) fn bodies() -> Result<[Case; 3], Failure> {
    let [cube, bar] = [CUBE_12K.model(Stiffness::Exact)?, BAR_30K.model(Stiffness::Exact)?];
    let starts = [moving(&cube, 1.0), moving(&bar, 3.0)];
    let [of_cube, of_bar] = starts;
    let (bridge, of_bridge, step) = bridge()?;
    Ok([
        Case { name: "cube_12k", model: cube, start: of_cube, h: H, goals: [Some(5.0), Some(3.0)] },
        Case { name: "bar_30k", model: bar, start: of_bar, h: H, goals: [Some(1.5), None] },
        Case { name: "bridge", model: bridge, start: of_bridge, h: step, goals: [None, Some(1.0)] },
    ])
}

/// Returns the largest distance between two states, relative to the largest displacement since the start.
fn distance(start: &State, a: &State, b: &State) -> f64 {
    let largest = |a: &State, b: &State| a.x.iter().zip(&b.x).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
    largest(a, b) / largest(start, a)
}

/// Steps every body with every method.
pub(super) fn measure(bodies: &[Case], findings: &mut Findings) -> Result<(), Failure> {
    for Case { name, model, start, h, goals } in bodies {
        let default = Options::default().with(&parameters::MODES, Modes::Count(MODES));
        let fresh = default.clone().with(&parameters::SOLVER, SolverKind::Direct);
        let euler = "linearly-implicit-euler";
        let mut fresh = Runner::new(model, start, euler, &fresh)?;
        let mut euler = Runner::new(model, start, euler, &default)?;
        let mut siere = Runner::new(model, start, "siere", &default)?;
        for _ in 0..BLOCKS {
            for runner in [&mut fresh, &mut euler, &mut siere] {
                for _ in 0..BLOCK {
                    runner.step(model, *h)?;
                }
            }
        }
        let [fresh_ms, euler_ms, siere_ms] = [fresh.mean(0), euler.mean(0), siere.mean(1)];
        let difference = distance(start, &fresh.state, &euler.state);
        let ratios = [fresh_ms / euler_ms, fresh_ms / siere_ms];
        let [goal, siere_goal] = goals.map(|goal| goal.map_or(String::new(), |goal| format!(" (to reach: {goal})")));
        findings.say(&format!(
            "{name}, {} vertices: fresh factor {fresh_ms:.1} ms, default {euler_ms:.1} ms, ratio {:.2}{goal}; {}; \
             they end {difference:.0e} of their way apart",
            model.nodes(),
            ratios[0],
            euler.work()
        ));
        findings.say(&format!(
            "{name}, siere with {MODES} modes: {siere_ms:.1} ms, ratio {:.2}{siere_goal}; {}; first step {:.0} ms",
            ratios[1],
            siere.work(),
            siere.ms[0]
        ));
        findings.json.insert(
            name.to_string(),
            json!({
                "vs_refactor": ratios[0], "fresh_ms": fresh_ms, "default_ms": euler_ms, "vertices": model.nodes(),
                "steps": euler.ms.len(), "difference": difference, "work_a_step": euler.work_json(),
            }),
        );
        findings.json.insert(
            format!("siere_{name}"),
            json!({
                "vs_refactor_si": ratios[1], "fresh_ms": fresh_ms, "siere_ms": siere_ms,
                "first_step_ms": siere.ms[0], "work_a_step": siere.work_json(),
            }),
        );
    }
    Ok(())
}
