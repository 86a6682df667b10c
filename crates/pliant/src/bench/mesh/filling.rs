//! Filling a body of implicit shapes, and a closed surface, with tets.

use super::super::time;
use super::{Findings, Folder, alone};
use crate::failure::Failure;
use formats::Encoding;
use model::mesh::Mesh;
use scene::body::Fill;
use scene::files::{fill_file, write_mesh};
use serde_json::json;
use std::path::Path;

const DRAGON: &str = include_str!("../../../bodies/dragon.toml");
/// The most expensive of bodies/: many parts, and more surface than any other.
const TREE: &str = include_str!("../../../bodies/tree.toml");
/// Requested vertices.
const VERTICES: usize = 100_000;
/// Goal for the time of filling [s].
const GOAL: f64 = 10.0;

/// Fills bodies, then the surface of the last one's tets.
pub(super) fn measure(folder: &Folder, findings: &mut Findings) -> Result<(), Failure> {
    findings.say(&format!(
        "filling bodies with tets, about {VERTICES} vertices, {} threads:",
        rayon::current_num_threads()
    ));
    let shape = folder.file("body.toml");
    let mut fill_text = |name: &str, what: &str, text: &str| {
        std::fs::write(&shape, text).map_err(Failure::bench)?;
        fill(name, what, &shape, findings)
    };
    fill_text("stuff_100k", "a dragon of implicit shapes", DRAGON)?;
    let tree = fill_text("stuff_tree_100k", "a tree of implicit shapes", TREE)?;
    let surface = folder.file("surface.stl");
    write_mesh(&surface, &tree, Encoding::Binary)?;
    let what = format!("the tree's surface of {} triangles, an STL file", tree.boundary_triangles().len());
    drop(tree);
    fill("stuff_surface_100k", &what, &surface, findings)?;
    Ok(())
}

fn fill(name: &str, what: &str, file: &Path, findings: &mut Findings) -> Result<Mesh, Failure> {
    let wanted = Fill { vertices: Some(VERTICES), grading: None, surface: None };
    let (made, ms) = time(|| fill_file(file, &wanted, &|_| {}));
    let (mesh, seconds) = (made?.0.mesh, 1e-3 * ms);
    let peak = alone::peak(file, Some(VERTICES));
    let (vertices, tets) = (mesh.points.len(), mesh.tets.len());
    let said = format!("  {name:18} {what}: {vertices} vertices, {tets} tets in {seconds:.2} s (to reach: {GOAL})");
    findings.say(&peak.map_or(said.clone(), |peak| format!("{said}; peak memory {peak:.0} MiB")));
    let row = json!({ "seconds": seconds, "vertices": vertices, "tets": tets, "peak_mib": peak });
    findings.json.insert(name.into(), row);
    Ok(mesh)
}
