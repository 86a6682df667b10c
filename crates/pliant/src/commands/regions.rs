//! Text about regions: their nodes, their gain, and their stability.

use crate::print::short;
use integrators::{Growth, Proposal, SAFE_RATIO};
use scene::{Built, Scene};
use serde_json::{Value, json};

/// Returns one line per region chosen by the program; empty where the scene gives them.
pub fn chosen(built: &Built) -> String {
    let Some(Proposal { regions, frequency, gain }) = &built.proposal else { return String::new() };
    if regions.is_empty() {
        return "  regions   none: no part is so much faster than the rest that small steps save work; all nodes take the \
                same step\n"
            .to_string();
    }
    let mut text = String::new();
    for (i, region) in regions.iter().enumerate() {
        text += &format!(
            "  region {}  {} of {} nodes take {} small steps per step: {} rad/s, the rest {}; {} nodes of the rest border on it\n",
            i + 1,
            region.nodes.len(),
            built.model.free_nodes(),
            region.ratio,
            short(region.frequency.round()),
            short(frequency.round()),
            region.interface
        );
    }
    // Explicit regions have no solves to save.
    if has_implicit_regions(built) { text + &gain_line(*gain) } else { text }
}

fn gain_line(gain: f64) -> String {
    format!("  gain      {gain:.1} times less work in solves than equally small steps for all nodes\n")
}

/// Returns the whole text of a check about regions, given or chosen.
pub fn text(built: &Built, growth: Option<Growth>) -> String {
    let regions = built.model.regions();
    let mut text = chosen(built);
    if built.proposal.is_none() {
        for (i, region) in regions.iter().enumerate() {
            text += &format!(
                "  region {}  {} nodes take {} small steps per step\n",
                i + 1,
                region.nodes.len(),
                region.ratio
            );
        }
        if has_implicit_regions(built) {
            text += &gain_line(integrators::gain(&built.model));
        }
    }
    if let Some(Growth { radius, is_exact }) = growth {
        let what = if is_exact { "spectral radius" } else { "spectral radius, estimated," };
        text += &format!("  stability {what} of a step without loads {radius:.5}\n");
    }
    text
}

/// Returns the same as JSON.
pub fn json(built: &Built) -> Value {
    let regions = built.model.regions().iter();
    let mut list: Vec<Value> =
        regions.map(|region| json!({ "nodes": region.nodes.len(), "ratio": region.ratio })).collect();
    if let Some(proposal) = &built.proposal {
        for (told, region) in list.iter_mut().zip(&proposal.regions) {
            told["interface"] = json!(region.interface);
            told["frequency"] = json!(region.frequency);
        }
    }
    json!(list)
}

/// Computes the growth per step for a method with regions, where the model is linear.
pub fn growth(scene: &Scene, built: &Built) -> Option<Growth> {
    let (model, method, schedule) = (&built.model, built.simulation.method(), built.simulation.schedule());
    if !has_implicit_regions(built) {
        return None;
    }
    let mut stepper = (method.make)(model, &scene.integrator.options).ok()?;
    integrators::growth(model, &mut *stepper, schedule.step)
}

/// Returns true if there are regions with implicit small steps: explicit ones have a step limit, which is reported
/// elsewhere.
fn has_implicit_regions(built: &Built) -> bool {
    !built.model.regions().is_empty() && !built.simulation.method().has_explicit_regions
}

/// Size of regions from which a warning is printed: 1 GB.
const MUCH: f64 = 125e6;

/// Warns of regions that let motions grow, or may, or that cost more than they save.
pub fn warnings(built: &Built, growth: Option<Growth>) -> Vec<String> {
    instability(built, growth).into_iter().chain(cost(built)).collect()
}

/// Warns of regions that cost more than they save, in work or in memory.
fn cost(built: &Built) -> Option<String> {
    if !has_implicit_regions(built) {
        return None;
    }
    let (gain, numbers) = (integrators::gain(&built.model), integrators::numbers_of_regions(&built.model));
    let cause = if 1.1 * gain < 1.0 {
        format!("steps with these regions are {:.1} times the work of equally small steps for all nodes", 1.0 / gain)
    } else if numbers > MUCH {
        format!("these regions take {:.1} GB beyond their factors", 8e-9 * numbers)
    } else {
        return None;
    };
    Some(format!("{cause}, since many nodes of the rest border on them; choose regions with smaller borders"))
}

fn instability(built: &Built, growth: Option<Growth>) -> Option<String> {
    let model = &built.model;
    if !has_implicit_regions(built) {
        return None;
    }
    let (region, most) = model.regions().iter().map(|region| region.ratio).enumerate().max_by_key(|(_, m)| *m)?;
    let name = built.simulation.method().name;
    if let Some(growth) = growth.filter(Growth::is_unstable) {
        return Some(format!(
            "motions grow by themselves, {:.3} times per step: regions and the rest excite each other at their borders, as {name} \
             may with region {} at {most} small steps per step; lower its ratio (up to {SAFE_RATIO} was stable in all cases tried), \
             set coupling = \"conserving\", give [damping] a stiffness, or use a smaller step",
            growth.radius,
            region + 1
        ));
    }
    let may_grow = built.simulation.stepper().may_grow() && most > SAFE_RATIO;
    (may_grow && model.damping().stiffness == 0.0).then(|| {
        format!(
            "region {} takes {most} small steps per step without damping: above {SAFE_RATIO} motions may grow by themselves; lower its ratio, \
             set coupling = \"conserving\", or give [damping] a stiffness",
            region + 1
        )
    })
}
