//! Rigid bodies and joints: their keys, and checks of keys against each other.

use super::read::{turn, undeclared};
use super::suggest::similar;
use crate::problem::Found;
use crate::rigid::{Joint, JointKind, Rigid, RigidShape};
use crate::tree::{Read, Table};
use model::RigidMass;
use std::collections::HashSet;

pub(super) fn rigid(table: &Table) -> Read<Rigid> {
    let shape = table.table("shape")?;
    let mass = match (table.maybe_number("mass")?, table.maybe_number("density")?) {
        (Some(mass), _) => Some(RigidMass::Total(mass)),
        (None, Some(density)) => Some(RigidMass::Density(density)),
        (None, None) => None,
    };
    Ok(Rigid {
        name: table.text("name")?.to_string(),
        shape: match shape.text("kind")? {
            "box" => RigidShape::Box { size: shape.vector("size")? },
            "ball" => RigidShape::Ball { radius: shape.number("radius")? },
            "capsule" => RigidShape::Capsule { length: shape.number("length")?, radius: shape.number("radius")? },
            "hull" => match shape.maybe_text("path")? {
                Some(path) => {
                    RigidShape::File { path: path.into(), checksum: shape.maybe_text("checksum")?.map(str::to_string) }
                }
                None => RigidShape::Points(shape.vectors("points")?.to_vec()),
            },
            other => return Err(undeclared(other)),
        },
        position: table.vector("position")?,
        rotation: turn(table)?,
        mass,
        velocity: table.vector("velocity")?,
        angular_velocity: table.vector("angular_velocity")?,
        friction: table.number("friction")?,
        fixed: table.flag("fixed")?,
        at: table.at.clone().into(),
        shape_at: table.at("shape").into(),
    })
}

pub(super) fn joint(table: &Table) -> Read<Joint> {
    let name = |key| Ok(table.maybe_text(key)?.map(str::to_string));
    Ok(Joint {
        kind: match table.text("kind")? {
            "ball" => JointKind::Ball,
            "hinge" => JointKind::Hinge(table.vector("axis")?),
            "fixed" => JointKind::Fixed,
            "distance" => JointKind::Distance { to_at: table.vector("to_at")?, length: table.maybe_number("length")? },
            other => return Err(undeclared(other)),
        },
        bodies: [name("body")?, name("to")?],
        at: table.vector("at")?,
        compliance: table.number("compliance")?,
        mark: table.at.clone().into(),
    })
}

/// Returns the names in `tables`, each with its table.
fn names(tables: &[Table]) -> impl Iterator<Item = (&str, &Table)> {
    tables.iter().filter_map(|table| Some((table.maybe_text("name").ok()??, table)))
}

/// Reports keys of rigid bodies and joints that do not fit together; `others` are the names of bodies that are not
/// rigid.
pub(super) fn check(rigids: &[Table], joints: &[Table], others: &[&str], found: &mut Found) {
    let mut known: HashSet<&str> = others.iter().copied().collect();
    for (name, table) in names(rigids) {
        if !known.insert(name) {
            found.add(&table.at("name"), format!("another body is called \"{name}\"; give each its own name"));
        }
    }
    rigids.iter().for_each(|rigid| one(rigid, found));
    let is_fixed = |rigid: &Table| rigid.flag("fixed") == Ok(true);
    for table in joints {
        let ends = ["body", "to"].map(|key| (key, table.maybe_text(key).ok().flatten()));
        for (key, name) in ends.iter().filter_map(|(key, name)| Some((*key, (*name)?))) {
            if !known.contains(name) {
                let listed: Vec<String> = known_in_order(rigids, others).take(10).map(|n| format!("\"{n}\"")).collect();
                let listed = if listed.is_empty() {
                    "add a [[rigid]]".into()
                } else {
                    format!("use one of {}", listed.join(", "))
                };
                let message = format!("the joint holds \"{name}\", which is not there; {listed}");
                found.suggest(&table.at(key), message, similar(name, known_in_order(rigids, others)));
            }
        }
        let [(_, first), (_, second)] = ends;
        if first.is_some() && first == second {
            found.add(&table.at("to"), "the joint holds a body by itself; name two, or leave `to` out for the world");
        }
        let rigid_of =
            |name: Option<&str>| names(rigids).find(|(known, _)| Some(*known) == name).map(|(_, table)| table);
        let (a, b) = (rigid_of(first), rigid_of(second));
        if a.is_some_and(is_fixed) && (second.is_none() || b.is_some_and(is_fixed)) {
            found.add(&table.at, "nothing that the joint holds can move; free one of its bodies, or remove it");
        }
        let directed = matches!(table.text("kind"), Ok("hinge" | "fixed"));
        for (key, name) in [("body", first), ("to", second)] {
            if let Some(name) = name.filter(|name| directed && others.contains(name)) {
                let message = format!(
                    "\"{name}\" is not rigid, and its nodes have no directions to keep; use a ball or distance joint"
                );
                found.add(&table.at(key), message);
            }
        }
    }
}

fn known_in_order<'t>(rigids: &'t [Table], others: &'t [&'t str]) -> impl Iterator<Item = &'t str> {
    names(rigids).map(|(name, _)| name).chain(others.iter().copied())
}

/// Checks that a body has a single source of mass, and a hull a single source of points.
fn one(rigid: &Table, found: &mut Found) {
    let said = |table: &Table, key: &str| table.get(key).is_some();
    match (said(rigid, "mass"), said(rigid, "density")) {
        (true, true) => found.add(&rigid.at("mass"), "`mass` and `density` both give mass; keep one"),
        (false, false) if rigid.flag("fixed") == Ok(false) => {
            found.add(
                &rigid.at,
                "the rigid body has no mass; give it a `density` [kg/m^3] or a `mass` [kg], or fixed = true",
            );
        }
        _ => {}
    }
    if let Ok(shape) = rigid.table("shape")
        && shape.text("kind") == Ok("hull")
    {
        match (said(shape, "points"), said(shape, "path")) {
            (true, true) => found.add(&shape.at("path"), "`points` and `path` both give the hull; keep one"),
            (false, false) => {
                found.add(&shape.at, "the hull has no points; give it `points` [m], or the `path` of a mesh")
            }
            _ => {}
        }
    }
    let moves = |key| rigid.vector(key).is_ok_and(|v| v != [0.0; 3]);
    if rigid.flag("fixed") == Ok(true) && (moves("velocity") || moves("angular_velocity")) {
        found.add(&rigid.at("fixed"), "a fixed body has no velocity; remove one of both");
    }
}
