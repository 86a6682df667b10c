//! Checks of keys against each other: times, names, masses, motions.
//!
//! The walk may have left broken or missing values. Each check looks at the values it needs and skips the rest, since
//! the walk has reported the cause.

use super::suggest::similar;
use super::{body, contact, fibres, fluid, rigid, stokes};
use crate::expect::{QUANTITIES, Quantity};
use crate::problem::Found;
use crate::spec::{STEP_REGION, STEP_REGIONS};
use crate::tree::{Table, Value};
use integrators::{Feature, Field, METHODS};
use numerics::linear::SolverKind;
use simulation::{MOST_FRAMES, MOST_STEPS, steps};
use std::collections::HashSet;

/// Reports all keys that do not fit together.
pub(crate) fn check(scene: &Table, found: &mut Found) {
    schedule(scene, found);
    body::check(scene, found);
    fibres::check(scene, found);
    fluid::check(scene, found);
    stokes::check(scene, found);
    let named = ["body", "fibres", "fluid"].into_iter().flat_map(|section| tables(scene, section));
    let others: Vec<&str> = named.filter_map(|body| word(body, "name")).collect();
    rigid::check(tables(scene, "rigid"), tables(scene, "joint"), &others, found);
    references(scene, found);
    regions(scene, found);
    masses(scene, found);
    features(scene, found);
    iterations(scene, found);
    tables(scene, "script").iter().for_each(|script| motion(script, found));
    tables(scene, "initial").iter().for_each(|initial| velocity(initial, found));
    tables(scene, "load").iter().for_each(|load| pulse(load, found));
    tables(scene, "contact").iter().for_each(|obstacle| contact::check(obstacle, found));
    contact::check_response(scene, found);
    for Quantity { name: key, unit, .. } in QUANTITIES {
        let unit = if unit.is_empty() { String::new() } else { format!(" {unit}") };
        if let Some(expect) = table(scene, "expect")
            && let Some([low, high]) = array::<2>(expect, key)
            && low > high
        {
            let message =
                format!("`{key}` runs from {low} to {high}{unit}, which holds nothing; put the lower bound first");
            found.add(&expect.at(key), message);
        }
    }
    selectors(scene, found);
}

// Values that are there and of their kind; the walk has reported the others.

pub(super) fn number(table: &Table, key: &str) -> Option<f64> {
    table.maybe_number(key).ok().flatten()
}

pub(super) fn word<'a>(table: &'a Table, key: &str) -> Option<&'a str> {
    table.maybe_text(key).ok().flatten()
}

fn array<const N: usize>(table: &Table, key: &str) -> Option<[f64; N]> {
    table.maybe_array(key).ok().flatten()
}

pub(super) fn table<'a>(of: &'a Table, key: &str) -> Option<&'a Table> {
    of.maybe_table(key).ok().flatten()
}

pub(super) fn tables<'a>(of: &'a Table, key: &str) -> &'a [Table] {
    of.tables(key).unwrap_or_default()
}

fn schedule(scene: &Table, found: &mut Found) {
    let (Some(run), Some(integrator)) = (table(scene, "run"), table(scene, "integrator")) else { return };
    let (Some(duration), Some(step)) = (number(run, "duration"), number(integrator, "step")) else { return };
    let steps = steps(duration, step);
    if step > duration {
        let message = format!("the step is {step} s but the duration {duration} s; use a smaller step or a longer run");
        found.add(&integrator.at("step"), message);
    } else if steps > MOST_STEPS {
        let message = format!(
            "{duration} s in steps of {step} s are {steps:.1e} steps, more than the {MOST_STEPS:.0e} a run may take; \
             use a larger step or a shorter run"
        );
        found.add(&integrator.at("step"), message);
    }
    let most = if run.text("frames") == Ok("interpolated") { f64::INFINITY } else { steps };
    if let Some(rate) = number(run, "frame_rate")
        && (duration * rate).min(most) > MOST_FRAMES
    {
        let frames = (duration * rate).min(most);
        let message = format!(
            "{duration} s at {rate} frames per second are {frames:.1e} frames, more than the {MOST_FRAMES:.0e} a run may \
             write; lower the frame_rate"
        );
        found.add(&run.at("frame_rate"), message);
    }
}

/// Reports regions that are both given and to be chosen by the program.
fn regions(scene: &Table, found: &mut Found) {
    let Some(integrator) = table(scene, "integrator") else { return };
    if integrator.get(STEP_REGIONS).is_some() && !tables(integrator, STEP_REGION).is_empty() {
        let message = "regions are either chosen or given; remove this or every [[integrator.region]]";
        found.add(&integrator.at(STEP_REGIONS), message);
    }
}

/// Checks the names of bodies in other sections.
fn references(scene: &Table, found: &mut Found) {
    let named = ["body", "fibres", "fluid", "rigid"].into_iter().flat_map(|section| tables(scene, section));
    let names: Vec<&str> = named.filter_map(|body| word(body, "name")).collect();
    let known: HashSet<&str> = names.iter().copied().collect();
    let is_rigid = |name: &str| tables(scene, "rigid").iter().any(|rigid| word(rigid, "name") == Some(name));
    let positions = table(scene, "expect").map(|expect| tables(expect, "position")).unwrap_or_default();
    let sections = ["fix", "script", "load", "initial", "contact"].map(|section| (section, tables(scene, section)));
    let regions = table(scene, "integrator").map(|integrator| tables(integrator, STEP_REGION)).unwrap_or_default();
    let others = [("expect.position", positions), ("integrator.region", regions)];
    for (section, tables) in sections.into_iter().chain(others) {
        for table in tables {
            match word(table, "body") {
                Some(name) if is_rigid(name) && !["load", "contact", "expect.position"].contains(&section) => {
                    let message = format!(
                        "\"{name}\" is a rigid body, which has no nodes of its own; use its `fixed`, `velocity` and \
                         `angular_velocity`"
                    );
                    found.add(&table.at("body"), message);
                }
                Some(name) if is_rigid(name) && section == "expect.position" && table.get("where").is_some() => {
                    let message =
                        format!("\"{name}\" is a rigid body, which has no nodes of its own; leave `where` out");
                    found.add(&table.at("where"), message);
                }
                Some(name) if !names.is_empty() && !known.contains(name) => {
                    let listed: Vec<String> = names.iter().take(10).map(|name| format!("\"{name}\"")).collect();
                    let message = format!("there is no body \"{name}\"; use one of {}", listed.join(", "));
                    found.suggest(&table.at("body"), message, similar(name, names.iter().copied()));
                }
                None if ["fix", "script", "integrator.region"].contains(&section)
                    && table.get("body").is_none()
                    && names.len() > 1 =>
                {
                    let message =
                        format!("[[{section}]] does not say which of the {} bodies; add `body = ...`", names.len());
                    found.add(&table.at, message);
                }
                _ => {}
            }
        }
    }
}

fn masses(scene: &Table, found: &mut Found) {
    let Some(world) = table(scene, "world").filter(|world| word(world, "mass") == Some("consistent")) else { return };
    if !tables(scene, "script").is_empty() {
        let message = "a consistent mass couples free nodes to the acceleration of scripted ones, which motions do not \
                       give; use mass = \"lumped\", or fix the nodes instead of scripting them";
        found.add(&world.at("mass"), message);
    }
    let bodies = tables(scene, "body");
    if !bodies.is_empty() && bodies.iter().all(|body| body.get("material").is_none()) {
        let message = "a consistent mass is that of tets with a material, and no body has any; use mass = \"lumped\"";
        found.add(&world.at("mass"), message);
    }
}

/// Reports features of the scene that its method lacks.
fn features(scene: &Table, found: &mut Found) {
    let integrator = table(scene, "integrator");
    let Some(method) = integrator.and_then(|table| word(table, "method")).and_then(integrators::find) else { return };
    let says = |section: &str, key: &str, value: &str| {
        table(scene, section).filter(|table| word(table, key) == Some(value)).map(|table| table.at(key))
    };
    let kind = |kind: &str| {
        let found = tables(scene, "contact").iter().find(|contact| word(contact, "kind") == Some(kind));
        let collisions = || table(scene, "collisions").filter(|table| word(table, "contact") == Some(kind));
        found.map(|contact| contact.at("kind")).or_else(|| collisions().map(|table| table.at.clone()))
    };
    let asked = [
        (Feature::ConsistentMass, says("world", "mass", "consistent")),
        (Feature::DampingAtRest, says("damping", "reference", "rest")),
        (Feature::StokesFlow, table(scene, "stokes").map(|table| table.at.clone())),
        (Feature::Fluids, tables(scene, "fluid").first().map(|fluid| fluid.at.clone())),
        (Feature::Contact, kind("constraint")),
        (Feature::Impulses, kind("impulses")),
        (Feature::Response, says("collisions", "response", "bodies").filter(|_| kind("impulses").is_some())),
        (Feature::RigidBodies, tables(scene, "rigid").first().map(|rigid| rigid.at.clone())),
    ];
    for (feature, at) in asked.into_iter().filter(|(feature, _)| !method.serves.contains(feature)) {
        if let Some(at) = at {
            let able: Vec<&str> = METHODS.iter().filter(|m| m.serves.contains(&feature)).map(|m| m.name).collect();
            found.add(&at, format!("{} {}, or one of the methods {}", method.name, feature.lack(), able.join(", ")));
        }
    }
}

/// Checks that a limit of solver iterations is set only with the solver that supports it.
fn iterations(scene: &Table, found: &mut Found) {
    let Some(integrator) = table(scene, "integrator") else { return };
    let is_capped = matches!(integrator.get("solver_iterations").map(|node| &node.value), Some(Value::Count(1..)));
    let is_pcg = |word: &str| SolverKind::from_value(&word.into()) == Some(SolverKind::Pcg);
    if let Some(solver) = word(integrator, "solver").filter(|solver| is_capped && !is_pcg(solver)) {
        let message = format!(
            "solver = \"{solver}\" solves to its tolerance, however many iterations that takes; use solver = \"pcg\", or \
             leave `solver_iterations` out"
        );
        found.add(&integrator.at("solver_iterations"), message);
    }
}

pub(super) fn motion(script: &Table, found: &mut Found) {
    if let (Ok(times), Ok(offsets)) = (script.numbers("times"), script.vectors("offsets")) {
        if times.len() != offsets.len() {
            let message = format!("{} times but {} offsets; give one offset per time", times.len(), offsets.len());
            found.add(&script.at("offsets"), message);
        }
        if let Some(pair) = times.windows(2).find(|pair| pair[0] >= pair[1]) {
            let message = format!("times must ascend, but {} s is followed by {} s; sort them", pair[0], pair[1]);
            found.add(&script.at("times"), message);
        }
    }
    if let (Some(start), Some(end)) = (number(script, "start"), number(script, "end"))
        && start >= end
    {
        found.add(&script.at("end"), format!("it ends at {end} s, before it starts at {start} s; give a later end"));
    }
}

/// Checks that a velocity is given; it may be zero, to override an earlier one.
fn velocity(initial: &Table, found: &mut Found) {
    // A default has the span of its table.
    let silent = |key| initial.get(key).is_some_and(|node| node.at == initial.at);
    if word(initial, "kind") == Some("velocity") && silent("linear") && silent("angular") {
        found.add(&initial.at, "the velocity is none at all; give it `linear` [m/s], `angular` [rad/s], or both");
    }
}

fn pulse(load: &Table, found: &mut Found) {
    if let (Some("pulse"), Some(duration), Some(period)) =
        (word(load, "profile"), number(load, "duration"), number(load, "period"))
        && period < duration
    {
        let message = format!("a pulse of {duration} s cannot come again after {period} s; give a longer period");
        found.add(&load.at("period"), message);
    }
}

/// Reports selectors that can hold nothing, in any section.
fn selectors(of: &Table, found: &mut Found) {
    for (key, node) in &of.entries {
        match &node.value {
            Value::Table(table) if *key == "where" => selector(table, found),
            Value::Table(table) => selectors(table, found),
            Value::Tables(tables) => tables.iter().for_each(|table| selectors(table, found)),
            _ => {}
        }
    }
}

fn selector(selector: &Table, found: &mut Found) {
    if let Some(table) = table(selector, "box")
        && let (Some(min), Some(max)) = (array::<3>(table, "min"), array::<3>(table, "max"))
        && let Some(k) = (0..3).find(|&k| min[k] > max[k])
    {
        let axis = ["x", "y", "z"][k];
        let message = format!("the box runs from {axis} = {} to {} m; exchange min and max", min[k], max[k]);
        found.add(&table.at("min"), message);
    }
    if let Some(table) = table(selector, "shell")
        && let (Some(inner), Some(outer)) = (number(table, "inner"), number(table, "outer"))
        && inner >= outer
    {
        let message = format!("the shell runs from {inner} to {outer} m; give an inner radius below the outer one");
        found.add(&table.at("inner"), message);
    }
    if let Some(node) = selector.get("all")
        && node.value == Value::Flag(false)
    {
        found.add(&node.at, "all = false selects nothing; write all = true, or another selector");
    }
}
