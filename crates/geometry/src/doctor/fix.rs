//! Repairs of a mesh. Every fix reports its changes, and removes nodes that only it made unused.

use super::elements::{all_but, duplicates, flat_tets, flat_triangles, repeats};
use super::faces::triangles_of_tets;
use super::nodes::{connected_by_nodes, first_nodes};
use super::renumber::{
    drop_empty_groups, drop_nodes, drop_unused, merge_nodes, retain_springs, retain_tets, retain_triangles, used_nodes,
};
use super::surface::surface;
use model::mesh::{Group, Mesh, is_flat_triangle};
use numerics::mat3::{add, scale};

/// A repair of a mesh.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fix {
    /// Drops nodes that are not finite, and elements that name them or missing nodes.
    Broken,
    /// Merges nodes at one position, and drops elements that thereby become duplicates or collapse.
    Duplicates,
    /// Drops elements that name a node twice.
    Degenerate,
    /// Orients tets and triangles correctly.
    Orientation,
    /// Drops elements without volume or area.
    Flat,
    /// Drops triangles beside tets that are faces of none.
    Surface,
    /// Fills small holes of a surface with fans.
    Holes,
    /// Keeps the largest connected component.
    Parts,
    /// Drops nodes without elements.
    Unused,
}

impl Fix {
    /// All fixes, in the order in which they are applied.
    pub const ALL: [(Fix, &'static str); 9] = [
        (Fix::Broken, "broken"),
        (Fix::Duplicates, "duplicates"),
        (Fix::Degenerate, "degenerate"),
        (Fix::Orientation, "orientation"),
        (Fix::Flat, "flat"),
        (Fix::Surface, "surface"),
        (Fix::Holes, "holes"),
        (Fix::Parts, "parts"),
        (Fix::Unused, "unused"),
    ];

    /// Returns true if it mends a defect; keeping only the largest component is a choice, because sound bodies are lost.
    pub fn is_repair(self) -> bool {
        self != Fix::Parts
    }

    /// Returns its name.
    pub fn name(self) -> &'static str {
        Fix::ALL.iter().find(|(fix, _)| *fix == self).map_or("", |(_, name)| name)
    }
}

/// Change made by a fix: a number and a description.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The fix.
    pub fix: Fix,
    /// Number of cases.
    pub count: usize,
    /// Description: "tets turned".
    pub what: &'static str,
}

/// Mends a mesh in the order of [`Fix::ALL`]; returns the changes. Broken parts are always dropped: nothing else can be
/// examined with them.
pub fn mend(mesh: &mut Mesh, fixes: &[Fix]) -> Vec<Change> {
    let mut changes = Vec::new();
    for (fix, _) in Fix::ALL.into_iter().filter(|(fix, _)| *fix == Fix::Broken || fixes.contains(fix)) {
        let broken = if fix == Fix::Broken { drop_broken(mesh) } else { Vec::new() };
        let mut used = used_nodes(mesh);
        let mut done = match fix {
            Fix::Broken => broken,
            Fix::Duplicates => merge(mesh, &mut used),
            Fix::Degenerate => vec![(drop_repeated(mesh), "elements that name a node twice dropped")],
            Fix::Orientation => turn(mesh),
            Fix::Flat => drop_flat(mesh),
            Fix::Surface => {
                let is_face = triangles_of_tets(mesh);
                let solid = !mesh.tets.is_empty();
                vec![(retain_triangles(mesh, |e, _| !solid || is_face[e]), "stray triangles dropped")]
            }
            Fix::Holes => fill(mesh),
            Fix::Parts => keep_largest(mesh),
            Fix::Unused => vec![(drop_unused(mesh), "unused nodes dropped")],
        };
        if ![Fix::Broken, Fix::Holes, Fix::Unused].contains(&fix) {
            let now = used_nodes(mesh);
            let keep: Vec<bool> = used.iter().zip(now).map(|(before, now)| now || !before).collect();
            done.push((drop_nodes(mesh, &keep), "nodes of theirs dropped"));
        }
        done.push((drop_empty_groups(mesh), "groups dropped in which nothing was left"));
        changes.extend(done.into_iter().filter(|(count, _)| *count > 0).map(|(count, what)| Change {
            fix,
            count,
            what,
        }));
    }
    changes
}

/// Numbers and descriptions of changes.
type Done = Vec<(usize, &'static str)>;

/// Drops broken nodes and elements. Nodes left unused are kept: there may be reasons for them.
fn drop_broken(mesh: &mut Mesh) -> Done {
    let sound: Vec<bool> = mesh.points.iter().map(|point| point.iter().all(|x| x.is_finite())).collect();
    let there = |nodes: &[u32]| nodes.iter().all(|&i| sound.get(i as usize) == Some(&true));
    let elements = retain_tets(mesh, |_, nodes| there(nodes))
        + retain_triangles(mesh, |_, nodes| there(nodes))
        + retain_springs(mesh, |nodes| there(nodes));
    vec![
        (elements, "elements dropped that name nodes that are not there or nowhere"),
        (drop_nodes(mesh, &sound), "nodes dropped that are nowhere"),
    ]
}

fn drop_repeated(mesh: &mut Mesh) -> usize {
    retain_tets(mesh, |_, nodes| !repeats(nodes))
        + retain_triangles(mesh, |_, nodes| !repeats(nodes))
        + retain_springs(mesh, |nodes| !repeats(nodes))
}

/// Returns true if an element will name a node twice that does not yet.
fn collapses<const N: usize>(nodes: &[u32; N], to: &[u32]) -> bool {
    !repeats(nodes) && repeats(&nodes.map(|i| to[i as usize]))
}

/// Merges nodes, and with them the marks of used nodes.
fn merge(mesh: &mut Mesh, used: &mut Vec<bool>) -> Done {
    let to = first_nodes(mesh);
    let collapsed = retain_tets(mesh, |_, nodes| !collapses(nodes, &to))
        + retain_triangles(mesh, |_, nodes| !collapses(nodes, &to))
        + retain_springs(mesh, |nodes| !collapses(nodes, &to));
    let merged = merge_nodes(mesh, &to);
    to.iter().enumerate().for_each(|(i, &first)| used[first as usize] |= used[i]);
    let mut firsts = to.iter().zip(0..);
    used.retain(|_| firsts.next().is_some_and(|(&first, i): (&u32, u32)| first == i));

    let (tets, triangles) = (duplicates(&mesh.tets), duplicates(&mesh.triangles));
    // A copy may be in a group that the first is not in.
    rename(mesh, &tets, |group| &mut group.tets);
    rename(mesh, &triangles, |group| &mut group.triangles);
    let firsts = |count, again: &[(u32, u32)]| all_but(count, again.iter().map(|&(e, _)| e));
    let (of_tets, of_triangles) = (firsts(mesh.tets.len(), &tets), firsts(mesh.triangles.len(), &triangles));
    let mut again = retain_tets(mesh, |e, _| of_tets[e]) + retain_triangles(mesh, |e, _| of_triangles[e]);
    for pairs in [&mut mesh.edges, &mut mesh.shear, &mut mesh.bends] {
        let keep = all_but(pairs.len(), duplicates(pairs).into_iter().map(|(e, _)| e));
        let mut wanted = keep.into_iter();
        let before = pairs.len();
        pairs.retain(|_| wanted.next().unwrap_or(true));
        again += before - pairs.len();
    }
    vec![
        (merged, "nodes merged with others in the same place"),
        (collapsed, "elements that collapsed thereby dropped"),
        (again, "elements that repeat others dropped"),
    ]
}

/// Replaces duplicates in groups by the first of equal elements.
fn rename(mesh: &mut Mesh, again: &[(u32, u32)], list: impl Fn(&mut Group) -> &mut Vec<u32>) {
    for group in mesh.groups.values_mut().filter(|_| !again.is_empty()) {
        let list = list(group);
        for e in list.iter_mut() {
            if let Ok(k) = again.binary_search_by_key(e, |&(copy, _)| copy) {
                *e = again[k].1;
            }
        }
        list.sort_unstable();
        list.dedup();
    }
}

fn turn(mesh: &mut Mesh) -> Done {
    let tets = mesh.orient();
    if !mesh.tets.is_empty() {
        return vec![(tets, "tets turned")];
    }
    let surface = surface(mesh, &first_nodes(mesh));
    let mut triangles = 0;
    for (t, &e) in surface.ids.iter().enumerate() {
        if surface.turned[t] != surface.shells[surface.shell_of[t] as usize].inside_out {
            mesh.triangles[e as usize].swap(1, 2);
            triangles += 1;
        }
    }
    vec![(triangles, "triangles turned")]
}

fn drop_flat(mesh: &mut Mesh) -> Done {
    let tets = all_but(mesh.tets.len(), flat_tets(mesh));
    let triangles = all_but(mesh.triangles.len(), flat_triangles(mesh));
    vec![
        (retain_tets(mesh, |e, _| tets[e]), "flat tets dropped"),
        (retain_triangles(mesh, |e, _| triangles[e]), "flat triangles dropped"),
    ]
}

/// Fills each small hole with a fan around its middle; three edges need no middle.
fn fill(mesh: &mut Mesh) -> Done {
    if !mesh.tets.is_empty() {
        return Vec::new();
    }
    let surface = surface(mesh, &first_nodes(mesh));
    let (mut holes, mut triangles) = (0, 0);
    for hole in surface.loops.iter().filter(|hole| hole.is_hole) {
        let sum = hole.edges.iter().fold([0.0; 3], |sum, [a, _]| add(sum, mesh.points[*a as usize]));
        let middle = scale(1.0 / hole.edges.len() as f64, sum);
        // The new triangles run along the edges against the existing ones.
        let fan: Vec<[u32; 3]> = match hole.edges.as_slice() {
            [[a, b], [c, d], _] => vec![[*b, *a, if [a, b].contains(&c) { *d } else { *c }]],
            edges => edges.iter().map(|&[a, b]| [b, a, mesh.points.len() as u32]).collect(),
        };
        mesh.points.push(middle);
        if fan.iter().any(|nodes| is_flat_triangle(&nodes.map(|i| mesh.points[i as usize]))) {
            mesh.points.pop();
            continue;
        }
        if fan.len() == 1 {
            mesh.points.pop();
        }
        (holes, triangles) = (holes + 1, triangles + fan.len());
        mesh.triangles.extend(fan);
    }
    vec![(holes, "holes filled"), (triangles, "triangles made for them")]
}

fn keep_largest(mesh: &mut Mesh) -> Done {
    let cavities = if mesh.tets.is_empty() { surface(mesh, &first_nodes(mesh)).cavities(mesh) } else { Vec::new() };
    let components = connected_by_nodes(mesh, &cavities);
    let largest = |nodes: &[u32]| components.of_node[nodes[0] as usize] == 0;
    let elements = retain_tets(mesh, |_, nodes| largest(nodes))
        + retain_triangles(mesh, |_, nodes| largest(nodes))
        + retain_springs(mesh, |nodes| largest(nodes));
    vec![(components.sizes.len().saturating_sub(1), "parts dropped"), (elements, "elements of theirs dropped")]
}
