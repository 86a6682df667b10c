//! Properties of every mesh that stuffing makes.

#![allow(dead_code)] // each test uses some of it

use std::collections::HashMap;

use geometry::{
    dihedral_angles,
    stuff::{LARGEST_ANGLE, SMALLEST_ANGLE},
};
use model::mesh::Mesh;
use numerics::mat3::{cross, dot};

/// Returns the smallest and largest dihedral angle [degrees].
pub fn angles(mesh: &Mesh) -> (f64, f64) {
    (0..mesh.tets.len())
        .flat_map(|e| dihedral_angles(&mesh.tet_points(e)))
        .fold((180.0, 0.0), |(low, high): (f64, f64), a| (low.min(a), high.max(a)))
}

/// Checks a mesh: sound, oriented, conforming, no unused point, angles within the bounds.
pub fn check(mesh: &Mesh, name: &str) {
    mesh.validate().unwrap();
    let mut used = vec![false; mesh.points.len()];
    mesh.tets.iter().flatten().for_each(|&i| used[i as usize] = true);
    assert!(used.iter().all(|&u| u), "{name}: unused points");
    // A face of a tet belongs to one or two tets, and from two sides.
    let mut faces: HashMap<[u32; 3], Vec<bool>> = HashMap::new();
    for tet in &mesh.tets {
        for [i, j, k] in [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]] {
            let face = [tet[i], tet[j], tet[k]];
            let mut key = face;
            key.sort_unstable();
            let even = (face[0] < face[1]) as u8 + (face[1] < face[2]) as u8 + (face[2] < face[0]) as u8 == 2;
            faces.entry(key).or_default().push(even);
        }
    }
    for (face, sides) in &faces {
        assert!(sides.len() == 1 || (sides.len() == 2 && sides[0] != sides[1]), "{name}: face {face:?} {sides:?}");
    }
    // No hanging nodes: the tets fill what their surface encloses.
    let enclosed: f64 = (mesh.boundary_triangles().iter())
        .map(|t| t.map(|i| mesh.points[i as usize]))
        .map(|[a, b, c]| dot(a, cross(b, c)) / 6.0)
        .sum();
    assert!((enclosed - mesh.volume()).abs() < 1e-9 * mesh.volume(), "{name}: {enclosed} {}", mesh.volume());
    let (low, high) = angles(mesh);
    println!("{name}: {} points, {} tets, angles {low:.3} to {high:.3}", mesh.points.len(), mesh.tets.len());
    assert!(low >= SMALLEST_ANGLE && high <= LARGEST_ANGLE, "{name}: angles {low} to {high}");
}

/// Returns vertices - edges + faces of the surface, which must be closed: two triangles at each edge.
pub fn euler(mesh: &Mesh) -> i64 {
    let faces = mesh.boundary_triangles();
    let mut edges: HashMap<[u32; 2], usize> = HashMap::new();
    let mut nodes: Vec<u32> = faces.iter().flatten().copied().collect();
    nodes.sort_unstable();
    nodes.dedup();
    for [a, b, c] in &faces {
        for [i, j] in [[a, b], [b, c], [c, a]] {
            *edges.entry([*i.min(j), *i.max(j)]).or_default() += 1;
        }
    }
    assert!(edges.values().all(|&n| n == 2));
    nodes.len() as i64 - edges.len() as i64 + faces.len() as i64
}
