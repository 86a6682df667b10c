//! Advice after a step that failed, in the words of scenes and of the command line.

use integrators::parameters::{HALVINGS, HESSIAN_CORRECTION, ITERATIONS};
use integrators::{EnergyBehaviour, Family, METHODS, Method, SAFE_RATIO, StepError};
use model::energy::Stiffness;
use model::material::{Defined, MATERIALS};
use simulation::{Cause, Divergence, OnDivergence, Simulation, stable_step};

/// Returns advice after a step that failed, the most promising first.
pub fn advice(divergence: &Divergence, simulation: &Simulation) -> Vec<String> {
    let (method, schedule) = (simulation.method(), simulation.schedule());
    let (model, stepper) = (simulation.model(), simulation.stepper());
    let mut advice = Vec::new();
    if let Cause::Failed { .. } = &divergence.cause {
        let is_other = |m: &&Method| m.family == Family::Implicit && m.name != method.name;
        let other = METHODS.iter().find(is_other).map_or("backward-euler", |m| m.name);
        advice.push(format!("another method: --method {other}"));
        advice.push("this is a fault of pliant: report it with the scene, so that it is mended".to_string());
        return advice;
    }
    if divergence.step == 0 {
        advice.push("let the scene begin with less: smaller twists, stretches and velocities".to_string());
    } else if let Some(stable) = stable_step(method, model, model.rest()) {
        let (limit, step) = if stable < divergence.h {
            (format!(" {} is stable only below about {stable:.1e} s:", method.name), 0.5 * stable)
        } else {
            (String::new(), 0.25 * divergence.h)
        };
        advice.push(format!("a smaller step:{limit} --step {}", rounded(step)));
        advice.push("an implicit method: --method backward-euler".to_string());
    } else {
        advice.push(format!("a smaller step: --step {}", rounded(0.25 * divergence.h)));
    }
    match &divergence.cause {
        Cause::Step(StepError::Inverted { .. }) => {
            let survivors = MATERIALS.iter().filter(|m| m.defined == Defined::Everywhere && m.rotation_invariant);
            let names: Vec<&str> = survivors.map(|m| m.name).collect();
            advice.push(format!("a material that survives inversion: {}", names.join(", ")));
        }
        Cause::Step(StepError::NewtonStalled { .. }) => {
            let options =
                [(HESSIAN_CORRECTION.parameter, "true"), (ITERATIONS.parameter, "100"), (HALVINGS.parameter, "5")];
            let known = options.iter().filter(|(parameter, _)| method.reads(parameter));
            advice.extend(known.map(|(parameter, value)| format!("in [integrator]: {} = {value}", parameter.name)));
        }
        _ if method.family != Family::Explicit && method.energy == EnergyBehaviour::Conserves => {
            advice.push("a method that damps: --method backward-euler".to_string());
        }
        _ => {}
    }
    let ratio = model.regions().iter().map(|region| region.ratio).max();
    let is_told = matches!(divergence.cause, Cause::Step(StepError::Growing { .. }));
    if stepper.may_grow() && !is_told && ratio > Some(SAFE_RATIO) {
        advice.push(format!(
            "in [[integrator.region]]: ratio = {SAFE_RATIO} at most; above, motions of regions and the rest may grow by themselves, \
             unless [integrator] has coupling = \"conserving\""
        ));
    }
    let is_exact = matches!(model.stiffness_kind(), Stiffness::Exact | Stiffness::Auto) && !model.is_linear();
    if method.family != Family::Explicit && divergence.step > 0 && is_exact {
        advice.push("in [integrator]: stiffness = \"projected\"".to_string());
    }
    if schedule.on_divergence == OnDivergence::Stop && divergence.step > 0 {
        advice.push("in [run]: on_divergence = \"halve\"".to_string());
    }
    advice
}

/// Rounds a number to two digits, as a person would write it.
fn rounded(value: f64) -> f64 {
    format!("{value:.1e}").parse().unwrap_or(value)
}
