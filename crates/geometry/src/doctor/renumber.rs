//! Taking elements and nodes out of a mesh; what is left is numbered anew, groups and all.

use model::mesh::{Group, Mesh};

/// Of a node or element that is gone.
const GONE: u32 = u32::MAX;

/// New numbers of what is kept, in the old order.
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

/// Takes out the elements of one kind that `keep` does not want; says how many.
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

/// Takes out the tets that `keep` does not want, by index and nodes; says how many.
pub fn retain_tets(mesh: &mut Mesh, keep: impl Fn(usize, &[u32; 4]) -> bool) -> usize {
    retain(&mut mesh.tets, &mut mesh.groups, |group| Some(&mut group.tets), keep)
}

/// Takes out the triangles that `keep` does not want, by index and nodes; says how many.
pub fn retain_triangles(mesh: &mut Mesh, keep: impl Fn(usize, &[u32; 3]) -> bool) -> usize {
    retain(&mut mesh.triangles, &mut mesh.groups, |group| Some(&mut group.triangles), keep)
}

/// Takes out the springs of every kind that `keep` does not want, by their nodes; says how many.
pub fn retain_springs(mesh: &mut Mesh, keep: impl Fn(&[u32; 2]) -> bool) -> usize {
    let lists = [&mut mesh.edges, &mut mesh.shear, &mut mesh.bends];
    lists.into_iter().map(|list| retain(list, &mut mesh.groups, |_| None, |_, pair| keep(pair))).sum()
}

/// Nodes that an element names.
pub fn used_nodes(mesh: &Mesh) -> Vec<bool> {
    let mut used = vec![false; mesh.points.len()];
    mesh.tets.iter().flatten().for_each(|&i| used[i as usize] = true);
    mesh.triangles.iter().flatten().for_each(|&i| used[i as usize] = true);
    for pairs in [&mesh.edges, &mesh.shear, &mesh.bends] {
        pairs.iter().flatten().for_each(|&i| used[i as usize] = true);
    }
    used
}

/// Takes out nodes; no element may name one of them. Says how many.
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

/// Takes out the nodes that no element names; says how many.
pub fn drop_unused(mesh: &mut Mesh) -> usize {
    let used = used_nodes(mesh);
    drop_nodes(mesh, &used)
}

/// Makes node `i` node `to[i]` for all elements and groups, and takes out those that became another; says how many.
/// `to[i]` itself must stay.
pub fn merge_nodes(mesh: &mut Mesh, to: &[u32]) -> usize {
    name_nodes(mesh, to);
    mesh.groups.values_mut().for_each(|group| renumber(&mut group.nodes, to));
    let keep: Vec<bool> = to.iter().enumerate().map(|(i, &other)| i as u32 == other).collect();
    drop_nodes(mesh, &keep)
}

/// Gives the nodes of all elements their new numbers.
fn name_nodes(mesh: &mut Mesh, new: &[u32]) {
    mesh.tets.iter_mut().flatten().for_each(|i| *i = new[*i as usize]);
    mesh.triangles.iter_mut().flatten().for_each(|i| *i = new[*i as usize]);
    for pairs in [&mut mesh.edges, &mut mesh.shear, &mut mesh.bends] {
        pairs.iter_mut().flatten().for_each(|i| *i = new[*i as usize]);
    }
}

/// Takes out groups in which nothing is left; says how many.
pub fn drop_empty_groups(mesh: &mut Mesh) -> usize {
    let before = mesh.groups.len();
    mesh.groups.retain(|_, group| !(group.nodes.is_empty() && group.tets.is_empty() && group.triangles.is_empty()));
    before - mesh.groups.len()
}

/// The corners of the tets and triangles of every group become nodes of it, so that it outlives them.
pub fn name_corners(mesh: &mut Mesh) {
    for group in mesh.groups.values_mut() {
        group.nodes.extend(group.tets.iter().flat_map(|&e| mesh.tets[e as usize]));
        group.nodes.extend(group.triangles.iter().flat_map(|&e| mesh.triangles[e as usize]));
        group.nodes.sort_unstable();
        group.nodes.dedup();
    }
}
