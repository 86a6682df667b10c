//! Stokes flow and motors: their keys, and checks of keys against each other.

use super::body::is_broken;
use super::check::{table, tables, word};
use super::suggest::similar;
use crate::problem::Found;
use crate::stokes::{Motor, StokesFlow, Wet};
use crate::tree::{Read, Table};
use model::parameter::ParameterError;
use model::stokes::PARAMETERS;

pub(super) fn stokes(table: &Table) -> Read<StokesFlow> {
    let said = PARAMETERS.iter().filter_map(|known| Some((known.name, table.get(known.name)?)));
    let wet = |table: &Table| {
        let (body, epsilon) = (table.text("body")?.to_string(), table.maybe_number("epsilon")?);
        Ok(Wet { body, epsilon, at: table.at.clone().into() })
    };
    Ok(StokesFlow {
        parameters: said.filter_map(|(name, node)| Some((name.to_string(), node.value.of_parameter()?))).collect(),
        wet: table.tables("wet")?.iter().map(wet).collect::<Read<_>>()?,
        at: table.at.clone().into(),
    })
}

pub(super) fn motor(table: &Table) -> Read<Motor> {
    Ok(Motor {
        fibres: table.text("fibres")?.to_string(),
        body: table.text("body")?.to_string(),
        axle: table.text("axle")?.to_string(),
        torque: table.number("torque")?,
        hinge: table.number("hinge")?,
        at: table.at.clone().into(),
    })
}

/// Checks that a fluid has parameters that go together and bodies that are there, each once; and that motors are between fibres
/// and bodies that are there.
pub(super) fn check(scene: &Table, found: &mut Found) {
    let names = |section| tables(scene, section).iter().filter_map(|body| word(body, "name")).collect::<Vec<_>>();
    let (bodies, fibres) = (names("body"), names("fibres"));
    let known = |of: &Table, key: &str, names: &[&str], what: &str, found: &mut Found| {
        let Some(name) = word(of, key).filter(|name| !names.contains(name)) else { return };
        let message = match names.is_empty() {
            true => format!("there is no {what} \"{name}\", nor any other; add it"),
            false => format!("there is no {what} \"{name}\"; use one of {}", names.join(", ")),
        };
        found.suggest(&of.at(key), message, similar(name, names.iter().copied()));
    };
    if let Some(fluid) = table(scene, "stokes") {
        let both: Vec<&str> = bodies.iter().chain(&fibres).copied().collect();
        let mut before: Vec<&str> = Vec::new();
        for wet in tables(fluid, "wet") {
            known(wet, "body", &both, "body", found);
            let Some(name) = word(wet, "body") else { continue };
            if before.contains(&name) {
                found.add(&wet.at("body"), format!("\"{name}\" is in the fluid already; name each body once"));
            }
            if fibres.contains(&name) && wet.get("epsilon").is_some() {
                let message = "the size of the blobs along fibres follows from their diameter; leave `epsilon` out";
                found.add(&wet.at("epsilon"), message);
            }
            before.push(name);
        }
        // The walk has reported values that cannot be used.
        if let Some(Err(error)) =
            (!is_broken(fluid)).then(|| stokes(fluid)).and_then(Result::ok).map(|fluid| fluid.resolve())
        {
            let at = match &error {
                ParameterError::Value { parameter, .. } => fluid.at(parameter),
                _ => fluid.at.clone(),
            };
            found.add(&at, error.to_string());
        }
    }
    for motor in tables(scene, "motor") {
        known(motor, "fibres", &fibres, "[[fibres]]", found);
        known(motor, "body", &bodies, "body", found);
    }
}
