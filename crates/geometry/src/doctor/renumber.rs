//! Removal of elements and nodes from a mesh; the rest is renumbered, including groups.

use model::mesh::{Group, Mesh};

/// Mark of a removed node or element.
const GONE: u32 = u32::MAX;

/// Returns new numbers of what is kept, in the old order.
fn numbers(count: usize, keep: impl Fn(usize) -> bool) -> (Vec<u32>, usize) {
    let mut kept = 0;
    let new = (0..count)
        .map(|i| {
            let number = if keep(i) { kept as u32 } else { GONE };
            kept += usize::from(number != GONE);
            number
        })
        .collect();
    (new, kept)
}

fn renumber(list: &mut Vec<u32>, new: &[u32]) {
    list.iter_mut().for_each(|i| *i = new[*i as usize]);
    list.retain(|&i| i != GONE);
    list.sort_unstable();
    list.dedup();
}

/// Removes the elements of one kind that `keep` rejects; returns their number.
fn retain<const N: usize>(
    elements: &mut Vec<[u32; N]>,
    groups: &mut std::collections::BTreeMap<String, Group>,
    of_group: fn(&mut Group) -> Option<&mut Vec<u32>>,
    keep: impl Fn(usize, &[u32; N]) -> bool,
) -> usize {
    let (new, kept) = numbers(elements.len(), |e| keep(e, &elements[e]));
    let gone = elements.len() - kept;
    if gone > 0 {
        let mut wanted = new.iter().map(|&number| number != GONE);
        elements.retain(|_| wanted.next().unwrap_or(false));
        groups.values_mut().filter_map(of_group).for_each(|list| renumber(list, &new));
    }
    gone
}

/// Removes the tets that `keep` rejects, by index and nodes; returns their number.
pub fn retain_tets(mesh: &mut Mesh, keep: impl Fn(usize, &[u32; 4]) -> bool) -> usize {
    retain(&mut mesh.tets, &mut mesh.groups, |group| Some(&mut group.tets), keep)
}

/// Removes the triangles that `keep` rejects, by index and nodes; returns their number.
pub fn retain_triangles(mesh: &mut Mesh, keep: impl Fn(usize, &[u32; 3]) -> bool) -> usize {
    retain(&mut mesh.triangles, &mut mesh.groups, |group| Some(&mut group.triangles), keep)
}

/// Removes the springs of every kind that `keep` rejects, by their nodes; returns their number.
pub fn retain_springs(mesh: &mut Mesh, keep: impl Fn(&[u32; 2]) -> bool) -> usize {
    let lists = [&mut mesh.edges, &mut mesh.shear, &mut mesh.bends];
    lists.into_iter().map(|list| retain(list, &mut mesh.groups, |_| None, |_, pair| keep(pair))).sum()
}

/// Marks the nodes of elements.
pub fn used_nodes(mesh: &Mesh) -> Vec<bool> {
    let mut used = vec![false; mesh.points.len()];
    mesh.tets.iter().flatten().for_each(|&i| used[i as usize] = true);
    mesh.triangles.iter().flatten().for_each(|&i| used[i as usize] = true);
    for pairs in [&mesh.edges, &mesh.shear, &mesh.bends] {
        pairs.iter().flatten().for_each(|&i| used[i as usize] = true);
    }
    used
}

/// Removes nodes; no element may name one of them. Returns their number.
pub(super) fn drop_nodes(mesh: &mut Mesh, keep: &[bool]) -> usize {
    let (new, kept) = numbers(mesh.points.len(), |i| keep[i]);
    let gone = mesh.points.len() - kept;
    if gone > 0 {
        let mut wanted = keep.iter();
        mesh.points.retain(|_| wanted.next() == Some(&true));
        name_nodes(mesh, &new);
        mesh.groups.values_mut().for_each(|group| renumber(&mut group.nodes, &new));
    }
    gone
}

/// Removes the nodes without elements; returns their number.
pub fn drop_unused(mesh: &mut Mesh) -> usize {
    let used = used_nodes(mesh);
    drop_nodes(mesh, &used)
}

/// Replaces node `i` by node `to[i]` in all elements and groups, and removes replaced nodes; returns their number.
/// `to[i]` itself must stay.
pub fn merge_nodes(mesh: &mut Mesh, to: &[u32]) -> usize {
    name_nodes(mesh, to);
    mesh.groups.values_mut().for_each(|group| renumber(&mut group.nodes, to));
    let keep: Vec<bool> = to.iter().enumerate().map(|(i, &other)| i as u32 == other).collect();
    drop_nodes(mesh, &keep)
}

/// Renumbers the nodes of all elements.
fn name_nodes(mesh: &mut Mesh, new: &[u32]) {
    mesh.tets.iter_mut().flatten().for_each(|i| *i = new[*i as usize]);
    mesh.triangles.iter_mut().flatten().for_each(|i| *i = new[*i as usize]);
    for pairs in [&mut mesh.edges, &mut mesh.shear, &mut mesh.bends] {
        pairs.iter_mut().flatten().for_each(|i| *i = new[*i as usize]);
    }
}

/// Removes empty groups; returns their number.
pub fn drop_empty_groups(mesh: &mut Mesh) -> usize {
    let before = mesh.groups.len();
    mesh.groups.retain(|_, group| !(group.nodes.is_empty() && group.tets.is_empty() && group.triangles.is_empty()));
    before - mesh.groups.len()
}

/// Adds the corners of the tets and triangles of every group to its nodes, so that it outlives them.
pub fn name_corners(mesh: &mut Mesh) {
    for group in mesh.groups.values_mut() {
        group.nodes.extend(group.tets.iter().flat_map(|&e| mesh.tets[e as usize]));
        group.nodes.extend(group.triangles.iter().flat_map(|&e| mesh.triangles[e as usize]));
        group.nodes.sort_unstable();
        group.nodes.dedup();
    }
}
