//! Fibres: their keys, and checks of keys against each other.

use super::body::is_broken;
use super::check::{tables, word};
use super::read::{part, undeclared};
use crate::fibres::{Fibres, Roots, Scatter};
use crate::problem::Found;
use crate::tree::{Read, Table};
use model::fibre::PARAMETERS;
use model::mesh::generate::MAX_ELEMENTS;
use model::parameter::ParameterError;
use numerics::mat3::cross;

pub(super) fn fibres(table: &Table) -> Read<Fibres> {
    let said = PARAMETERS.iter().filter_map(|known| Some((known.name, table.get(known.name)?)));
    Ok(Fibres {
        name: table.text("name")?.to_string(),
        roots: roots(table.table("roots")?)?,
        direction: table.maybe_array("direction")?,
        parameters: said.filter_map(|(name, node)| Some((name.to_string(), node.value.of_parameter()?))).collect(),
        at: table.at.clone().into(),
        roots_at: table.at("roots").into(),
    })
}

fn roots(table: &Table) -> Read<Roots> {
    let scatter = || Ok(Scatter { count: table.count("count")? as usize, part: part(table)? });
    Ok(match table.text("on")? {
        "points" => Roots::Points {
            points: table.vectors("points")?.to_vec(),
            directions: if table.get("directions").is_some() { table.vectors("directions")?.to_vec() } else { vec![] },
        },
        "rows" => {
            let [a, b] = table.counts("counts")?;
            Roots::Rows {
                center: table.vector("center")?,
                sides: [table.vector("side")?, table.vector("other_side")?],
                counts: [a as usize, b as usize],
            }
        }
        "ball" => Roots::Ball { center: table.vector("center")?, radius: table.number("radius")?, scatter: scatter()? },
        "body" => Roots::Body { body: table.text("body")?.to_string(), scatter: scatter()? },
        "file" => Roots::File {
            path: table.text("path")?.into(),
            checksum: table.maybe_text("checksum")?.map(str::to_string),
            scale: table.number("scale")?,
            position: table.vector("position")?,
            scatter: scatter()?,
        },
        other => return Err(undeclared(other)),
    })
}

/// Returns the number of elements of fibres, at most; 0 if they cannot be read.
pub(super) fn elements(table: &Table) -> u128 {
    let Ok(fibres) = fibres(table) else { return 0 };
    let Ok(kind) = fibres.kind() else { return 0 };
    let [per_segment, per_ring] = model::fibre::Fibres::ELEMENTS.map(u128::from);
    let segments = u128::from(kind.segments[1]);
    fibres.roots.count() as u128 * (segments * per_segment + (segments + 1) * per_ring)
}

/// Checks that fibres have unique names, parameters that go together, roots with directions, and no more elements than
/// allowed.
pub(super) fn check(scene: &Table, found: &mut Found) {
    let mut names: Vec<&str> = tables(scene, "body").iter().filter_map(|body| word(body, "name")).collect();
    let mut all = 0;
    for table in tables(scene, "fibres") {
        if let Some(name) = word(table, "name") {
            if names.contains(&name) {
                found.add(&table.at("name"), format!("another body is called \"{name}\"; give each its own name"));
            }
            names.push(name);
        }
        // The walk has reported values that cannot be used.
        if is_broken(table) {
            continue;
        }
        let Ok(fibres) = fibres(table) else { continue };
        match fibres.kind() {
            Ok(_) => all += elements(table),
            Err(error) => {
                let at = match &error {
                    ParameterError::Value { parameter, .. } => table.at(parameter),
                    _ => table.at.clone(),
                };
                found.add(&at, error.to_string());
            }
        }
        if let Ok(roots) = table.table("roots") {
            rooted(scene, &fibres, roots, found);
        }
    }
    if all > MAX_ELEMENTS {
        let message = format!(
            "the fibres have {all} elements in all, more than the {MAX_ELEMENTS} that are allowed; lower the number of roots \
             or of segments"
        );
        found.add(&tables(scene, "fibres")[0].at, message);
    }
}

/// Checks roots: each has a direction, and the body they are on is there.
fn rooted(scene: &Table, fibres: &Fibres, table: &Table, found: &mut Found) {
    match &fibres.roots {
        Roots::Points { points, directions } => {
            match (directions.len(), fibres.direction) {
                (0, None) => found.add(
                    &table.at,
                    "points have no normal to grow along; give the fibres a `direction`, or the roots `directions`",
                ),
                (1.., Some(_)) => found.add(
                    &table.at("directions"),
                    "`direction` and `directions` both say where the fibres grow to; keep one",
                ),
                (1.., None) if directions.len() != points.len() => {
                    let message = format!(
                        "{} points but {} directions; give one direction per point, or a `direction` for all",
                        points.len(),
                        directions.len()
                    );
                    found.add(&table.at("directions"), message);
                }
                _ => {}
            }
            if let Some(k) = directions.iter().position(|direction| *direction == [0.0; 3]) {
                let message = format!("direction {} is 0 and points nowhere; give it a length", k + 1);
                found.add(&table.at("directions"), message);
            }
        }
        Roots::Rows { sides: [a, b], .. } if fibres.direction.is_none() => {
            let normal = cross(*a, *b);
            if normal.iter().all(|x| *x == 0.0) || normal.iter().any(|x| !x.is_finite()) {
                let message = "the two sides are parallel and have no normal; turn one, or give a `direction`";
                found.add(&table.at("other_side"), message);
            }
        }
        Roots::Body { body, .. } => {
            let known: Vec<&str> = tables(scene, "body").iter().filter_map(|body| word(body, "name")).collect();
            if !known.contains(&body.as_str()) {
                let message = match known.is_empty() {
                    true => {
                        "there is no [[body]] to grow on; add one, or use on = \"ball\", \"rows\" or \"file\"".into()
                    }
                    false => format!("there is no body \"{body}\" to grow on; use one of {}", known.join(", ")),
                };
                found.suggest(&table.at("body"), message, super::suggest::similar(body, known.iter().copied()));
            }
        }
        _ => {}
    }
}
