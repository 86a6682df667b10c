//! Fluids: their keys, and checks of keys against each other.

use super::check::{number, tables, word};
use crate::fluid::Fluid;
use crate::problem::Found;
use crate::tree::{Read, Table};
use model::Liquid;
use model::mesh::generate::MAX_ELEMENTS;
use numerics::mat3::Vec3;
use std::collections::HashSet;

pub(super) fn fluid(table: &Table) -> Read<Fluid> {
    let corners = |bounds: &Table| Ok([bounds.vector("min")?, bounds.vector("max")?]);
    Ok(Fluid {
        name: table.text("name")?.to_string(),
        filled: corners(table.table("box")?)?,
        liquid: Liquid {
            spacing: table.number("spacing")?,
            density: table.number("density")?,
            bulk_modulus: table.maybe_number("bulk_modulus")?.unwrap_or(f64::INFINITY),
            viscosity: table.number("viscosity")?,
            vorticity: table.number("vorticity")?,
            cfl: table.number("cfl")?,
        },
        velocity: table.vector("velocity")?,
        walls: table.maybe_table("walls")?.map(corners).transpose()?,
        friction: table.number("friction")?,
        at: table.at.clone().into(),
    })
}

/// Checks that fluids have particles, no more than allowed, inside their walls and not inside each other, with one
/// spacing and unique names.
pub(super) fn check(scene: &Table, found: &mut Found) {
    let fluids = tables(scene, "fluid");
    let others = tables(scene, "body").iter().chain(tables(scene, "fibres"));
    let mut names: HashSet<&str> = others.filter_map(|body| word(body, "name")).collect();
    let mut all = 0.0;
    let mut before: Vec<Fluid> = Vec::new();
    let overlap = |a: &[Vec3; 2], b: &[Vec3; 2], c: usize| a[1][c].min(b[1][c]) - a[0][c].max(b[0][c]);
    for table in fluids {
        if let Some(name) = word(table, "name")
            && !names.insert(name)
        {
            found.add(&table.at("name"), format!("another body or fluid is called \"{name}\"; give each its own name"));
        }
        let Ok(fluid) = fluid(table) else { continue };
        let spacing = fluid.liquid.spacing;
        let particles: f64 = fluid.particles().iter().product();
        if particles < 1.0 {
            let [min, max] = fluid.filled;
            let message = format!(
                "the box from {min:?} to {max:?} m has no room for particles {spacing} m apart; enlarge it, or lower the \
                 spacing"
            );
            found.add(&table.at("box"), message);
        }
        all += particles.max(0.0);
        if let Some([low, high]) = fluid.walls
            && (0..3).any(|c| fluid.filled[0][c] < low[c] || fluid.filled[1][c] > high[c])
        {
            found.add(&table.at("walls"), "a part of the `box` is outside of the walls; enlarge them, or move the box");
        }
        // Particles that coincide have no direction of separation.
        let meets = |other: &Fluid| (0..3).all(|c| overlap(&fluid.filled, &other.filled, c) > 1e-9 * spacing);
        if let Some(other) = before.iter().find(|other| meets(other)) {
            let message = format!("the `box` overlaps that of fluid \"{}\"; move one of them", other.name);
            found.add(&table.at("box"), message);
        }
        if let Some(first) = number(&fluids[0], "spacing")
            && first != spacing
        {
            let message =
                format!("a fluid before has a spacing of {first} m and this one {spacing} m; give all the same");
            found.add(&table.at("spacing"), message);
        }
        before.push(fluid);
    }
    if all > MAX_ELEMENTS as f64 {
        let message =
            format!("the fluids have {all:.1e} particles, more than the {MAX_ELEMENTS} allowed; enlarge the spacing");
        found.add(&fluids[0].at("spacing"), message);
    }
}
