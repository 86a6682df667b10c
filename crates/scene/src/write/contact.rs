//! Obstacles and contact between bodies, in the form of documents.

use super::{Kept, motion, on, turn};
use crate::contact::{Act, Collisions, Contact, Obstacle};
use crate::tree::Table;

pub(super) fn contact(contact: &Contact, kept: Kept) -> Table {
    let table = on(&contact.on).with("obstacle", obstacle(&contact.obstacle, kept));
    match &contact.act {
        Act::Penalty { stiffness } => table.with("kind", "penalty").with("stiffness", *stiffness),
        Act::Projection => table.with("kind", "projection"),
        Act::Impulses { friction, restitution, motion: moves } => table
            .with("kind", "impulses")
            .with("friction", *friction)
            .with("restitution", *restitution)
            .maybe("motion", moves.as_ref().map(|moves| motion(Table::default(), "kind", moves))),
        Act::Constraint { friction, motion: moves } => table
            .with("kind", "constraint")
            .with("friction", *friction)
            .maybe("motion", moves.as_ref().map(|moves| motion(Table::default(), "kind", moves))),
    }
}

fn obstacle(obstacle: &Obstacle, kept: Kept) -> Table {
    let table = Table::default();
    let (key, table) = match obstacle {
        Obstacle::Plane { point, normal } => ("plane", table.with("point", *point).with("normal", *normal)),
        Obstacle::Ball { center, radius } => ("ball", table.with("center", *center).with("radius", *radius)),
        Obstacle::Box { center, size, rotation } => {
            ("box", table.with("center", *center).with("size", *size).maybe("rotation", turn(*rotation)))
        }
        Obstacle::Capsule { from, to, radius } => {
            ("capsule", table.with("from", *from).with("to", *to).with("radius", *radius))
        }
        Obstacle::Mesh(mesh) => {
            let (path, checksum) = kept(&mesh.path).map_or_else(
                || (mesh.path.to_string_lossy().into_owned(), mesh.checksum.clone()),
                |(path, checksum)| (path, Some(checksum)),
            );
            let table = table
                .with("path", path)
                .maybe("vertices", mesh.vertices)
                .with("position", mesh.position)
                .maybe("rotation", turn(mesh.rotation))
                .with("scale", mesh.scale)
                .maybe("checksum", checksum);
            ("mesh", table)
        }
    };
    Table::default().with(key, table)
}

pub(super) fn collisions(collisions: &Collisions) -> Table {
    Table::default()
        .with("contact", if collisions.by_impulses { "impulses" } else { "constraint" })
        .with("restitution", collisions.restitution)
        .with("response", if collisions.moves_bodies { "bodies" } else { "nodes" })
        .maybe("thickness", collisions.thickness)
        .maybe("margin", collisions.margin)
        .with("friction", collisions.friction)
        .maybe("max_separation_speed", collisions.max_separation_speed)
        .with("self", collisions.within)
        .with("between", collisions.between)
}
