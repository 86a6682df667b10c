//! A body's share of the blueprint: its tets by material, its springs, its mass.

use super::BodyRange;
use crate::body::{Body, BodyMass, Material, Springs, Zone};
use crate::mark::Mark;
use crate::problem::Found;
use crate::scene::Span;
use model::mesh::{Mesh, SelectError, Selector};
use model::{Blueprint, FaceSpringPart, SolidPart, SpringPart};
use numerics::mat3::{add, norm, scale, sub};

/// Adds the body to the blueprint; `range` is its part of the mesh.
pub(super) fn fill(body: &Body, mesh: &Mesh, range: &BodyRange, blueprint: &mut Blueprint, found: &mut Found) {
    let (nodes, tets) = (range.nodes.start as u32, range.tets.start as u32);
    if let Some(material) = &body.material {
        for (material, at, mut group) in by_material(body, material, mesh, found) {
            group.iter_mut().for_each(|e| *e += tets);
            match material.law(body.rotation) {
                Ok(law) => blueprint.solids.push(SolidPart::new(group, law, material.density)),
                Err(error) => found.add(at, error.to_string()),
            }
        }
    }
    let edges = if mesh.tets.is_empty() { mesh.edges.clone() } else { mesh.edges_of_tets() };
    if let Some(springs) = &body.springs {
        let shift = |pairs: Vec<[u32; 2]>| pairs.into_iter().map(|pair| pair.map(|i| i + nodes)).collect::<Vec<_>>();
        for (stiffness, pairs) in by_stiffness(body, springs, mesh, &edges, found) {
            blueprint.springs.push(SpringPart { pairs: shift(pairs), law: springs.law, stiffness });
        }
        if springs.faces > 0.0 {
            let group = (0..mesh.tets.len() as u32).map(|e| e + tets).collect();
            blueprint.face_springs.push(FaceSpringPart { tets: group, law: springs.law, stiffness: springs.faces });
        }
    }
    if let Some(mass) = body.mass {
        let masses = node_masses(body, mass, mesh, &edges, found);
        blueprint.node_masses.extend(masses.into_iter().map(|(i, m)| (i + nodes, m)));
    }
}

/// Groups the tets by material; a tet belongs to the last zone that holds its centroid.
pub(crate) fn by_material<'b>(
    body: &'b Body,
    material: &Material,
    mesh: &Mesh,
    found: &mut Found,
) -> Vec<(Material, &'b Mark, Vec<u32>)> {
    if mesh.tets.is_empty() {
        let shape = body.shape.noun();
        let message = format!("{shape} has no tets, which a material fills; give it `springs`, or use another shape");
        found.add(&body.marks.material, message);
        return Vec::new();
    }
    let mut materials = vec![(material.clone(), &body.marks.material)];
    let mut of_tet = vec![0; mesh.tets.len()];
    let changes = |zone: &&Zone| zone.model.is_some() || !zone.parameters.is_empty() || zone.density.is_some();
    for zone in body.zones.iter().filter(changes) {
        let changed = material.changed(zone);
        // Equal materials are one group, so that element loops are long.
        let which = materials.iter().position(|(known, _)| *known == changed).unwrap_or(materials.len());
        if which == materials.len() {
            materials.push((changed, &zone.at));
        }
        match zone.part.tets(mesh) {
            Ok(tets) => tets.into_iter().for_each(|e| of_tet[e as usize] = which),
            Err(error) => unselected(&body.name, &zone.at, &error, found),
        }
    }
    let mut groups: Vec<_> = materials.into_iter().map(|(material, at)| (material, at, Vec::new())).collect();
    of_tet.iter().enumerate().for_each(|(e, &which)| groups[which].2.push(e as u32));
    groups.retain(|(.., tets)| !tets.is_empty());
    groups
}

/// Groups pairs of nodes by the stiffness of the spring between them [N/m].
fn by_stiffness(
    body: &Body,
    springs: &Springs,
    mesh: &Mesh,
    edges: &[[u32; 2]],
    found: &mut Found,
) -> Vec<(f64, Vec<[u32; 2]>)> {
    let [_, shear, bending, faces] = &springs.at;
    for (stiffness, missing, at, what) in [
        (springs.shear, mesh.shear.is_empty(), shear, "diagonals for `shear` springs"),
        (springs.bending, mesh.bends.is_empty(), bending, "second neighbours for `bending` springs"),
        (springs.faces, mesh.tets.is_empty(), faces, "tets for `faces` springs"),
    ] {
        if stiffness > 0.0 && missing {
            found.add(at, format!("{} has no {what}; remove the key or use another shape", body.shape.noun()));
        }
    }

    let mut groups: Vec<(f64, Vec<[u32; 2]>)> = Vec::new();
    // Stiffness that a zone gives to a family of springs.
    type Changed = fn(&Zone) -> Option<f64>;
    let families: [(_, _, Changed); 3] = [
        (edges, springs.stiffness, |zone| zone.stiffness),
        (&mesh.shear, springs.shear, |zone| zone.shear),
        (&mesh.bends, springs.bending, |zone| zone.bending),
    ];
    for (pairs, stiffness, changed) in families {
        let mut of_pair = vec![stiffness; pairs.len()];
        for zone in &body.zones {
            let Some(stiffness) = changed(zone) else { continue };
            match inside(&zone.part, mesh, pairs) {
                Ok(pairs) => pairs.into_iter().for_each(|e| of_pair[e as usize] = stiffness),
                Err(error) => unselected(&body.name, &zone.at, &error, found),
            }
        }
        for (pair, stiffness) in pairs.iter().zip(of_pair) {
            match groups.iter_mut().find(|(k, _)| *k == stiffness) {
                Some((_, pairs)) => pairs.push(*pair),
                None => groups.push((stiffness, vec![*pair])),
            }
        }
    }
    groups.retain(|(stiffness, _)| *stiffness > 0.0);
    groups
}

/// Returns the springs whose midpoint a selector holds, or both of whose nodes its group has.
fn inside(part: &Selector, mesh: &Mesh, edges: &[[u32; 2]]) -> Result<Vec<u32>, SelectError> {
    if let Selector::Group(_) = part {
        let mut member = vec![false; mesh.points.len()];
        part.nodes(mesh)?.into_iter().for_each(|i| member[i as usize] = true);
        let both = |e: &u32| edges[*e as usize].iter().all(|&i| member[i as usize]);
        return Ok((0..edges.len() as u32).filter(both).collect());
    }
    let middle = |[a, b]: &[u32; 2]| scale(0.5, add(mesh.points[*a as usize], mesh.points[*b as usize]));
    part.nodes(&Mesh { points: edges.iter().map(middle).collect(), ..Mesh::default() })
}

fn node_masses(body: &Body, mass: BodyMass, mesh: &Mesh, edges: &[[u32; 2]], found: &mut Found) -> Vec<(u32, f64)> {
    let mut missing = |what: &str| {
        let message = format!("{} has no {what}; give its mass another way", body.shape.noun());
        found.add(&body.marks.mass, message);
    };
    let mut masses = vec![0.0; mesh.points.len()];
    match mass {
        BodyMass::Line(density) => {
            for &[a, b] in edges {
                let half = 0.5 * density * norm(sub(mesh.points[a as usize], mesh.points[b as usize]));
                [a, b].iter().for_each(|&i| masses[i as usize] += half);
            }
        }
        BodyMass::Area(density) => {
            if mesh.triangles.is_empty() {
                missing("triangles for `area_density`");
            }
            for &triangle in &mesh.triangles {
                let third = density * mesh.triangle_area(triangle) / 3.0;
                triangle.iter().for_each(|&i| masses[i as usize] += third);
            }
        }
        BodyMass::Node(mass) => masses.fill(mass),
        BodyMass::Volume(density) => {
            if mesh.tets.is_empty() {
                missing("tets for `density`");
            }
            for e in 0..mesh.tets.len() {
                let quarter = density * mesh.tet_volume(e) / 4.0;
                mesh.tets[e].iter().for_each(|&i| masses[i as usize] += quarter);
            }
        }
    }
    for zone in &body.zones {
        let Some(mass) = zone.node_mass else { continue };
        match zone.part.nodes(mesh) {
            Ok(nodes) => nodes.into_iter().for_each(|i| masses[i as usize] = mass),
            Err(error) => unselected(&body.name, &zone.at, &error, found),
        }
    }
    masses.into_iter().enumerate().map(|(i, mass)| (i as u32, mass)).collect()
}

/// Reports a selector that holds nothing of a body.
pub(super) fn unselected(body: &str, at: &Span, error: &SelectError, found: &mut Found) {
    let suggestion = match error {
        SelectError::UnknownGroup { closest, .. } => closest.as_deref(),
        _ => None,
    };
    found.suggest(at, format!("body \"{body}\": {error}"), suggestion);
}
