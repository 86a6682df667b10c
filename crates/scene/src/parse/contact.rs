//! Obstacles and contact between bodies: their keys, and checks of keys against each other.

use super::check::{self, table, tables, word};
use super::read::{motion, turn, undeclared};
use crate::contact::{Act, Collisions, Contact, Obstacle, ObstacleMesh};
use crate::problem::Found;
use crate::scene::Selection;
use crate::tree::{Read, Table};

pub(super) fn contact(table: &Table, on: Selection) -> Read<Contact> {
    let act = match table.text("kind")? {
        "penalty" => Act::Penalty { stiffness: table.number("stiffness")? },
        "projection" => Act::Projection,
        "impulses" => Act::Impulses {
            friction: table.number("friction")?,
            restitution: table.number("restitution")?,
            motion: table.maybe_table("motion")?.map(|t| motion(t, "kind")).transpose()?,
        },
        _ => Act::Constraint {
            friction: table.number("friction")?,
            motion: table.maybe_table("motion")?.map(|t| motion(t, "kind")).transpose()?,
        },
    };
    Ok(Contact { on, obstacle: obstacle(table.table("obstacle")?)?, act, at: table.at("obstacle").into() })
}

fn obstacle(table: &Table) -> Read<Obstacle> {
    let (key, _) = table.entries.first().ok_or_else(|| undeclared("obstacle"))?;
    let of = table.table(key)?;
    Ok(match *key {
        "plane" => Obstacle::Plane { point: of.vector("point")?, normal: of.vector("normal")? },
        "ball" => Obstacle::Ball { center: of.vector("center")?, radius: of.number("radius")? },
        "box" => Obstacle::Box { center: of.vector("center")?, size: of.vector("size")?, rotation: turn(of)? },
        "capsule" => Obstacle::Capsule { from: of.vector("from")?, to: of.vector("to")?, radius: of.number("radius")? },
        "mesh" => Obstacle::Mesh(ObstacleMesh {
            path: of.text("path")?.into(),
            checksum: of.maybe_text("checksum")?.map(str::to_string),
            vertices: of.maybe_count("vertices")?.map(|n| n as usize),
            position: of.vector("position")?,
            rotation: turn(of)?,
            scale: of.number("scale")?,
        }),
        other => return Err(undeclared(other)),
    })
}

pub(super) fn collisions(table: &Table) -> Read<Collisions> {
    Ok(Collisions {
        by_impulses: table.text("contact")? == "impulses",
        restitution: table.number("restitution")?,
        moves_bodies: table.text("response")? == "bodies",
        thickness: table.maybe_number("thickness")?,
        margin: table.maybe_number("margin")?,
        friction: table.number("friction")?,
        max_separation_speed: table.maybe_number("max_separation_speed")?,
        within: table.flag("self")?,
        between: table.flag("between")?,
    })
}

/// Checks that the kind of contact supports the obstacle, and that its motion is possible.
pub(super) fn check(contact: &Table, found: &mut Found) {
    if let Some(moves) = table(contact, "motion") {
        check::motion(moves, found);
    }
    let Some((shape, _)) = table(contact, "obstacle").and_then(|obstacle| obstacle.entries.first()) else { return };
    match (word(contact, "kind"), *shape) {
        (Some("projection"), "plane") => {
            let message = "projection acts on balls only; use a ball, or kind = \"penalty\" with a stiffness";
            found.add(&contact.at("obstacle"), message);
        }
        (Some(kind @ ("penalty" | "projection")), "box" | "capsule" | "mesh") => {
            let message = format!(
                "{kind} does not know a {shape}; use kind = \"constraint\" or \"impulses\", or a plane or ball"
            );
            found.add(&contact.at("obstacle"), message);
        }
        _ => {}
    }
}

/// Checks that bodies and obstacles meet in one way, which the rest of the scene allows.
pub(super) fn check_response(scene: &Table, found: &mut Found) {
    let collisions = table(scene, "collisions");
    let between = collisions.and_then(|table| word(table, "contact"));
    let mut hard = tables(scene, "contact").iter().filter_map(|contact| Some((contact, word(contact, "kind")?)));
    let is_hard = |kind: &str| ["constraint", "impulses"].contains(&kind);
    let first = between.or_else(|| hard.clone().map(|(_, kind)| kind).find(|kind| is_hard(kind)));
    let Some(first) = first else { return };
    if let Some((contact, kind)) = hard.find(|(_, kind)| is_hard(kind) && *kind != first) {
        let message = format!(
            "this obstacle acts by {kind} and other contact of the scene by {first}; use kind = \"{first}\", or \
             contact = \"{kind}\" in [collisions]"
        );
        found.add(&contact.at("kind"), message);
    }
    if first == "constraint" {
        if let Some(table) = collisions.filter(|table| table.number("restitution").is_ok_and(|e| e > 0.0)) {
            let message = "constraints have no restitution; use contact = \"impulses\", or leave it out";
            found.add(&table.at("restitution"), message);
        }
        if let Some(table) = collisions.filter(|table| word(table, "response") == Some("bodies")) {
            let message = "constraints act within small steps; use contact = \"impulses\", or leave it out";
            found.add(&table.at("response"), message);
        }
        return;
    }
    if let Some(world) = table(scene, "world").filter(|world| word(world, "mass") == Some("consistent")) {
        let message = "impulses act on the masses of nodes, and a consistent mass couples these; use mass = \"lumped\"";
        found.add(&world.at("mass"), message);
    }
    if let Some(stokes) = table(scene, "stokes") {
        found.add(&stokes.at, "a fluid without inertia leaves no momentum for impulses; use kind = \"penalty\"");
    }
}
