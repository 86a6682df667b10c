//! Sound meshes, to be damaged.

use geometry::doctor::{Diagnosis, Kind, examine, renumber};
use model::mesh::generate::{Generator, Value};
use model::mesh::{Group, Mesh};
use std::collections::BTreeMap;

/// A bar of tets, 1 m long, with the groups of its generator.
pub fn bar() -> Mesh {
    let given = [("cells_along", 12.0), ("cells_across", 4.0)];
    let given: BTreeMap<String, Value> =
        given.iter().map(|(key, n)| (key.to_string(), Value::Numbers(vec![*n]))).collect();
    Generator::find("bar").unwrap().mesh(&given).unwrap()
}

/// The closed surface of the bar; its first triangle is the group "first".
pub fn skin() -> Mesh {
    let solid = bar();
    let mut mesh = Mesh { triangles: solid.boundary_triangles(), points: solid.points, ..Mesh::default() };
    let group = Group { triangles: vec![0], nodes: mesh.triangles[0].to_vec(), ..Group::default() };
    mesh.groups.insert("first".to_string(), group);
    renumber::drop_unused(&mut mesh);
    mesh
}

pub fn look(mesh: &Mesh) -> Diagnosis {
    examine(mesh, |_| {})
}

/// Returns the kinds found, with their numbers.
pub fn kinds(mesh: &Mesh) -> Vec<(Kind, usize)> {
    look(mesh).findings.iter().map(|finding| (finding.kind, finding.count)).collect()
}

/// Returns the first case of a kind.
pub fn first(mesh: &Mesh, kind: Kind) -> (&'static str, usize) {
    let diagnosis = look(mesh);
    let offender = diagnosis.find(kind).unwrap().first[0];
    assert!(diagnosis.find(kind).unwrap().first.len() <= 5);
    (offender.what, offender.index)
}
