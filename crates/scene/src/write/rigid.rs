//! Rigid bodies and joints in the form of documents.

use super::{Kept, turn};
use crate::rigid::{Joint, JointKind, Rigid, RigidShape};
use crate::tree::Table;
use model::RigidMass;

pub(super) fn rigid(rigid: &Rigid, kept: Kept) -> Table {
    let (mass, density) = match rigid.mass {
        Some(RigidMass::Total(mass)) => (Some(mass), None),
        Some(RigidMass::Density(density)) => (None, Some(density)),
        None => (None, None),
    };
    Table::default()
        .with("name", rigid.name.as_str())
        .with("shape", shape(&rigid.shape, kept))
        .with("position", rigid.position)
        .maybe("rotation", turn(rigid.rotation))
        .maybe("density", density)
        .maybe("mass", mass)
        .with("velocity", rigid.velocity)
        .with("angular_velocity", rigid.angular_velocity)
        .with("friction", rigid.friction)
        .with("fixed", rigid.fixed)
}

fn shape(shape: &RigidShape, kept: Kept) -> Table {
    let table = |kind: &str| Table::default().with("kind", kind);
    match shape {
        RigidShape::Box { size } => table("box").with("size", *size),
        RigidShape::Ball { radius } => table("ball").with("radius", *radius),
        RigidShape::Capsule { length, radius } => table("capsule").with("length", *length).with("radius", *radius),
        RigidShape::Points(points) => table("hull").with("points", points.clone()),
        RigidShape::File { path, checksum } => {
            let (path, checksum) = kept(path).map_or_else(
                || (path.to_string_lossy().into_owned(), checksum.clone()),
                |(path, checksum)| (path, Some(checksum)),
            );
            table("hull").with("path", path).maybe("checksum", checksum)
        }
    }
}

pub(super) fn joint(joint: &Joint) -> Table {
    let [body, to] = &joint.bodies;
    let table = Table::default()
        .maybe("body", body.as_deref())
        .maybe("to", to.as_deref())
        .with("compliance", joint.compliance)
        .with("at", joint.at);
    match joint.kind {
        JointKind::Ball => table.with("kind", "ball"),
        JointKind::Hinge(axis) => table.with("kind", "hinge").with("axis", axis),
        JointKind::Fixed => table.with("kind", "fixed"),
        JointKind::Distance { to_at, length } => {
            table.with("kind", "distance").with("to_at", to_at).maybe("length", length)
        }
    }
}
