//! A run in one JSON object: summary.json, and the last line of `pliant run --json`.

use super::Program;
use crate::advice::advice;
use crate::{Built, EmbeddedSurface, Scene};
use integrators::StepReport;
use serde_json::{Value, json};
use simulation::{Divergence, Ending, Energies, Outcome, Recovery, Warping};

/// Returns the summary of a run. Energies in J, times in s.
pub fn summary(scene: &Scene, built: &Built, outcome: &Outcome) -> Value {
    let divergence = match &outcome.ending {
        Ending::Diverged(divergence) => divergence_json(divergence, built),
        _ => Value::Null,
    };
    let program = Program::this();
    json!({
        "version": program.version,
        "commit": program.commit,
        "instructions": program.instructions,
        "level": processor::built(),
        "scene": scene.name(),
        "title": scene.title,
        "method": built.simulation.method().name,
        "outcome": outcome.ending.word(),
        "expected": expected_json(built),
        "as_expected": built.expect.as_ref().and_then(|expect| expect.is_met(built, outcome)),
        "steps": outcome.steps,
        "steps_planned": built.simulation.schedule().steps(),
        "step": built.simulation.schedule().step,
        "time": outcome.time,
        "duration": built.simulation.schedule().duration,
        "frame_times": built.simulation.schedule().frames.word(),
        "energy": { "first": energies_json(&outcome.first), "last": energies_json(&outcome.last) },
        "moved": built.moved(),
        "stretch": built.simulation.model().stretch(&built.simulation.state().x).map(|[mean, worst]| json!({ "mean": mean, "worst": worst })),
        "positions": positions_json(built),
        "work": work_json(&outcome.work),
        "ms_per_step": outcome.ms_per_step(),
        "seconds": outcome.seconds,
        "warping": warping_json(outcome),
        "nodes": built.model.nodes(),
        "dofs": built.model.dofs(),
        "surface": built.surface.as_deref().map(surface_json),
        "halved": outcome.recoveries.iter().map(recovery_json).collect::<Vec<_>>(),
        "divergence": divergence,
    })
}

/// Returns the expectations of the scene, without those it does not have; an infinite bound is null.
fn expected_json(built: &Built) -> Value {
    let Some(expect) = &built.expect else { return Value::Null };
    let positions = expect.positions.iter().map(|p| json!({ "body": p.body, "low": p.low, "high": p.high }));
    let positions = (!expect.positions.is_empty()).then(|| positions.collect::<Vec<_>>());
    let bounds = expect.bounds.iter().map(|bound| (bound.of.name, json!(bound.range)));
    let all =
        [("outcome", json!(expect.outcome.word()))].into_iter().chain(bounds).chain([("positions", json!(positions))]);
    all.filter(|(_, value)| !value.is_null()).map(|(key, value)| (key.to_string(), value)).collect()
}

/// Returns the positions of bodies that have expected ones [m].
fn positions_json(built: &Built) -> Value {
    let positions = built.expect.iter().flat_map(|expect| &expect.positions);
    positions.map(|p| json!({ "body": p.body, "found": p.found(built) })).collect()
}

/// Returns the cost of warping.
fn warping_json(outcome: &Outcome) -> Value {
    let Some([ms_per_frame, share]) = outcome.warping_cost() else { return Value::Null };
    let Warping { frames, seconds } = outcome.warping;
    json!({ "frames": frames, "seconds": seconds, "ms_per_frame": ms_per_frame, "share": share })
}

/// Describes surface.pvd.
fn surface_json(surface: &EmbeddedSurface) -> Value {
    json!({ "vertices": surface.mesh.points.len(), "triangles": surface.mesh.triangles.len() })
}

fn energies_json(energies: &Energies) -> Value {
    let Energies { kinetic, elastic, load } = *energies;
    json!({ "kinetic": kinetic, "elastic": elastic, "load": load, "total": energies.total() })
}

fn work_json(work: &StepReport) -> Value {
    json!({
        "forces": work.forces,
        "assemblies": work.assemblies,
        "newton": work.newton,
        "backtracks": work.backtracks,
        "factorisations": work.linear.factorisations,
        "solves": work.linear.solves,
        "iterations": work.linear.iterations,
        "products": work.linear.products,
        "capped": work.linear.capped,
        "halvings": work.halvings,
        "negative_pivots": work.negative_pivots,
        "modes": work.modes,
        "substeps": work.substeps,
        "rejected": work.rejected,
        "factor_age": work.factor_age,
        "compression": work.compression,
        "joint_gap": work.joint_gap,
        "asymmetry": work.asymmetry,
        "joint_force": work.joint_force,
        "contacts": work.contacts,
        "contact_rounds": work.contact_rounds,
        "contact_zones": work.contact_zones,
        "contact_work": work.contact_work,
        "contact_impulse": work.contact_impulse,
        "numerical_damping": work.numerical_damping,
    })
}

fn recovery_json(recovery: &Recovery) -> Value {
    let Recovery { step, time, halvings, cause } = recovery;
    json!({ "step": step, "time": time, "halvings": halvings, "cause": cause })
}

fn divergence_json(divergence: &Divergence, built: &Built) -> Value {
    let Divergence { step, time, h, halvings, cause } = divergence;
    let element = cause.element().map(|(kind, number)| json!({ "kind": kind.name(), "number": number }));
    json!({
        "step": step,
        "time": time,
        "h": h,
        "halvings": halvings,
        "cause": cause.word(),
        "message": cause.to_string(),
        "node": cause.node(),
        "element": element,
        "body": built.body_of_cause(cause),
        "advice": advice(divergence, &built.simulation),
    })
}
