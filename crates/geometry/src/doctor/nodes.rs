//! Nodes at equal positions, and connected components.

use super::renumber::used_nodes;
use model::mesh::Mesh;
use numerics::mat3::{Vec3, norm, sub};
use std::collections::HashMap;

/// Share of the diagonal below which nodes are at one position.
const NEAR: f64 = 1e-9;

/// Returns, for each node, the first node at the same position: itself if there is none before it.
pub(super) fn first_nodes(mesh: &Mesh) -> Vec<u32> {
    let near = NEAR * mesh.diagonal();
    let [low, _] = mesh.bounds().unwrap_or_default();
    if near == 0.0 {
        // All in one point.
        return vec![0; mesh.points.len()];
    }
    if !near.is_finite() {
        // So far apart that squares overflow: nearness is undefined.
        return (0..mesh.points.len() as u32).collect();
    }
    // Cells a few times wider than the tolerance: most nodes search their own cell only.
    let cell = |p: Vec3| -> [i64; 3] { std::array::from_fn(|k| ((p[k] - low[k]) / (4.0 * near)).floor() as i64) };
    let mut firsts: HashMap<[i64; 3], Vec<u32>> = HashMap::with_capacity(mesh.points.len());
    let mut of = Vec::with_capacity(mesh.points.len());
    for (i, &p) in mesh.points.iter().enumerate() {
        let (from, to) = (cell(p.map(|x| x - near)), cell(p.map(|x| x + near)));
        let mut first = i as u32;
        for x in from[0]..=to[0] {
            for y in from[1]..=to[1] {
                for z in from[2]..=to[2] {
                    let there = firsts.get(&[x, y, z]).into_iter().flatten();
                    let same = there.filter(|&&j| norm(sub(mesh.points[j as usize], p)) <= near);
                    first = same.fold(first, |first, &j| first.min(j));
                }
            }
        }
        if first == i as u32 {
            firsts.entry(cell(p)).or_default().push(first);
        }
        of.push(first);
    }
    of
}

/// Connected components of the nodes of elements.
pub(super) struct Components {
    /// Number of each node's component; `NONE` for unused nodes.
    pub of_node: Vec<u32>,
    /// Number of nodes of each component, the largest first; of equals that of the lowest node.
    pub sizes: Vec<usize>,
}

pub(super) const NONE: u32 = u32::MAX;

/// Finds the components. Pairs of nodes in `joined` are connected though no element says so.
pub(super) fn connected_by_nodes(mesh: &Mesh, joined: &[[u32; 2]]) -> Components {
    let mut parent: Vec<u32> = (0..mesh.points.len() as u32).collect();
    mesh.tets.iter().for_each(|nodes| join(&mut parent, nodes));
    mesh.triangles.iter().for_each(|nodes| join(&mut parent, nodes));
    for pairs in [mesh.edges.as_slice(), &mesh.shear, &mesh.bends, joined] {
        pairs.iter().for_each(|nodes| join(&mut parent, nodes));
    }
    let used = used_nodes(mesh);
    let mut count = vec![0; mesh.points.len()];
    let roots: Vec<u32> = (0..mesh.points.len() as u32).map(|i| root(&mut parent, i)).collect();
    roots.iter().zip(&used).filter(|(_, used)| **used).for_each(|(&r, _)| count[r as usize] += 1);
    let mut order: Vec<usize> = (0..count.len()).filter(|&r| count[r] > 0).collect();
    order.sort_by_key(|&r| std::cmp::Reverse(count[r]));
    let mut number = vec![NONE; count.len()];
    order.iter().enumerate().for_each(|(n, &r)| number[r] = n as u32);
    let of_node = roots.iter().zip(&used).map(|(&r, &used)| if used { number[r as usize] } else { NONE }).collect();
    Components { of_node, sizes: order.iter().map(|&r| count[r]).collect() }
}

/// Returns the lowest node of the set, which represents it; halves the path to it.
fn root(parent: &mut [u32], mut i: u32) -> u32 {
    while parent[i as usize] != i {
        parent[i as usize] = parent[parent[i as usize] as usize];
        i = parent[i as usize];
    }
    i
}

fn join(parent: &mut [u32], nodes: &[u32]) {
    let mut first = root(parent, nodes[0]);
    for &node in &nodes[1..] {
        let other = root(parent, node);
        let (low, high) = (first.min(other), first.max(other));
        parent[high as usize] = low;
        first = low;
    }
}
