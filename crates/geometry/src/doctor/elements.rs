//! Single elements: repeated nodes, duplicates, zero volume, inverted.

use model::mesh::{Mesh, is_flat_tet, is_flat_triangle, tet_volume};
use rayon::prelude::*;

/// Returns the indices, ascending, of elements for which `is` holds.
fn which<const N: usize>(elements: &[[u32; N]], is: impl Fn(&[u32; N]) -> bool + Sync) -> Vec<u32> {
    let all = elements.par_iter().enumerate();
    all.filter(|(_, nodes)| is(nodes)).map(|(e, _)| e as u32).collect()
}

/// Returns true if an element names a node twice.
pub(super) fn repeats<const N: usize>(nodes: &[u32; N]) -> bool {
    (1..N).any(|k| nodes[..k].contains(&nodes[k]))
}

/// Returns elements that name a node twice.
pub(super) fn repeated<const N: usize>(elements: &[[u32; N]]) -> Vec<u32> {
    which(elements, repeats)
}

/// Returns elements with the same nodes, in any order, as an earlier one, and the first such; ascending.
pub(super) fn duplicates<const N: usize>(elements: &[[u32; N]]) -> Vec<(u32, u32)> {
    let mut keys: Vec<([u32; N], u32)> = elements
        .par_iter()
        .enumerate()
        .map(|(e, nodes)| {
            let mut key = *nodes;
            key.sort_unstable();
            (key, e as u32)
        })
        .collect();
    keys.par_sort_unstable();
    let mut again = Vec::new();
    for same in keys.chunk_by(|a, b| a.0 == b.0) {
        again.extend(same[1..].iter().map(|&(_, e)| (e, same[0].1)));
    }
    again.sort_unstable();
    again
}

/// Returns tets without volume, except those that name a node twice.
pub(super) fn flat_tets(mesh: &Mesh) -> Vec<u32> {
    which(&mesh.tets, |nodes| !repeats(nodes) && is_flat_tet(&nodes.map(|i| mesh.points[i as usize])))
}

/// Returns triangles without area, except those that name a node twice.
pub(super) fn flat_triangles(mesh: &Mesh) -> Vec<u32> {
    which(&mesh.triangles, |nodes| !repeats(nodes) && is_flat_triangle(&nodes.map(|i| mesh.points[i as usize])))
}

/// Returns inverted tets that are not flat.
pub(super) fn inverted(mesh: &Mesh) -> Vec<u32> {
    which(&mesh.tets, |nodes| {
        let p = nodes.map(|i| mesh.points[i as usize]);
        !repeats(nodes) && tet_volume(&p) < 0.0 && !is_flat_tet(&p)
    })
}

/// Returns a mask with these cleared.
pub(super) fn all_but(count: usize, gone: impl IntoIterator<Item = u32>) -> Vec<bool> {
    let mut kept = vec![true; count];
    gone.into_iter().for_each(|e| kept[e as usize] = false);
    kept
}
