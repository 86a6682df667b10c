//! Writing version 4.1: one entity for every set of groups that an element is in.

use std::collections::BTreeMap;
use std::fmt::Debug;
use std::io::Write;
use std::ops::Range;

use model::mesh::{Group, Mesh};

use crate::Encoding;

pub(super) fn write(mesh: &Mesh, encoding: Encoding) -> Vec<u8> {
    let mut out = Out { bytes: Vec::new(), text: encoding == Encoding::Ascii };
    out.line("$MeshFormat");
    out.line(if out.text { "4.1 0 8" } else { "4.1 1 8" });
    if !out.text {
        out.integers(&[1]);
    }
    out.end_section("MeshFormat");
    let lists = |list: fn(&Group) -> &[u32]| mesh.groups.values().map(list);
    // Points are written only where they are in a group.
    let mut dimensions = [
        Dimension::new(15, mesh.points.len(), lists(|group| &group.nodes)).without_bare(),
        Dimension::new(1, mesh.edges.len(), std::iter::empty()),
        Dimension::new(2, mesh.triangles.len(), lists(|group| &group.triangles)),
        Dimension::new(4, mesh.tets.len(), lists(|group| &group.tets)),
    ];
    // Nodes belong to an entity, so there must be one.
    let home = dimensions.iter().rposition(|dimension| !dimension.runs.is_empty()).unwrap_or(0);
    if dimensions[home].sets.is_empty() {
        dimensions[home].sets.push(Vec::new());
    }
    names(mesh, &mut out);
    entities(mesh, &dimensions, &mut out);
    nodes(mesh, home, &mut out);
    elements(mesh, &dimensions, &mut out);
    out.bytes
}

/// Elements of a dimension, in runs with the same groups.
struct Dimension {
    /// Gmsh's number of the type of its elements.
    code: i32,
    /// Sets of groups by their physical tags; set i is the entity with tag i + 1.
    sets: Vec<Vec<i32>>,
    /// A set, and the range of its elements.
    runs: Vec<(usize, Range<usize>)>,
}

impl Dimension {
    /// Makes it from `count` elements and, for each group, the list of its elements.
    fn new<'a>(code: i32, count: usize, lists: impl Iterator<Item = &'a [u32]>) -> Dimension {
        let mut sets = vec![Vec::new()];
        let mut set_of = vec![0; count];
        for (list, tag) in lists.zip(1..) {
            // Each set splits into those that are in this group as well, and the rest.
            let mut joined = BTreeMap::new();
            for &element in list {
                let Some(set) = set_of.get_mut(element as usize).filter(|set| sets[**set].last() != Some(&tag)) else {
                    continue;
                };
                *set = *joined.entry(*set).or_insert_with(|| {
                    sets.push([&sets[*set][..], &[tag]].concat());
                    sets.len() - 1
                });
            }
        }
        let mut runs: Vec<(usize, Range<usize>)> = Vec::new();
        for (element, set) in set_of.into_iter().enumerate() {
            match runs.last_mut() {
                Some((last, run)) if *last == set => run.end += 1,
                _ => runs.push((set, element..element + 1)),
            }
        }
        Dimension { code, sets, runs }.without_unused()
    }

    /// Leaves out elements without a group.
    fn without_bare(mut self) -> Dimension {
        self.runs.retain(|(set, _)| !self.sets[*set].is_empty());
        self.without_unused()
    }

    fn without_unused(mut self) -> Dimension {
        let mut used = BTreeMap::new();
        for (set, _) in &mut self.runs {
            let next = used.len();
            *set = used.entry(*set).or_insert((next, self.sets[*set].clone())).0;
        }
        let mut sets: Vec<(usize, Vec<i32>)> = used.into_values().collect();
        sets.sort_unstable();
        self.sets = sets.into_iter().map(|(_, tags)| tags).collect();
        self
    }
}

fn names(mesh: &Mesh, out: &mut Out) {
    if mesh.groups.is_empty() {
        return;
    }
    let mut rows = Vec::new();
    for ((name, group), tag) in mesh.groups.iter().zip(1..) {
        let name: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let held = [!group.nodes.is_empty(), false, !group.triangles.is_empty(), !group.tets.is_empty()];
        // An empty group still has a name, which needs a dimension.
        let dimensions = (0..4).filter(|&k| held[k] || k == 0 && held == [false; 4]);
        rows.extend(dimensions.map(|dimension| format!("{dimension} {tag} \"{name}\"")));
    }
    out.line("$PhysicalNames");
    out.line(&rows.len().to_string());
    rows.iter().for_each(|row| out.line(row));
    out.line("$EndPhysicalNames");
}

fn entities(mesh: &Mesh, dimensions: &[Dimension; 4], out: &mut Out) {
    let [low, high] = mesh.bounds().unwrap_or_default();
    out.line("$Entities");
    out.sizes(&dimensions.each_ref().map(|dimension| dimension.sets.len()));
    out.end();
    for (k, dimension) in dimensions.iter().enumerate() {
        for (tags, entity) in dimension.sets.iter().zip(1..) {
            out.integers(&[entity]);
            out.reals(&low);
            if k > 0 {
                out.reals(&high);
            }
            out.sizes(&[tags.len()]);
            out.integers(tags);
            if k > 0 {
                out.sizes(&[0]);
            }
            out.end();
        }
    }
    out.end_section("Entities");
}

fn nodes(mesh: &Mesh, home: usize, out: &mut Out) {
    let count = mesh.points.len();
    out.line("$Nodes");
    out.sizes(&[1, count, count.min(1), count]);
    out.end();
    out.integers(&[home as i32, 1, 0]);
    out.sizes(&[count]);
    out.end();
    for tag in 1..=count {
        out.sizes(&[tag]);
        out.end();
    }
    for point in &mesh.points {
        out.reals(point);
        out.end();
    }
    out.end_section("Nodes");
}

fn elements(mesh: &Mesh, dimensions: &[Dimension; 4], out: &mut Out) {
    let runs =
        || dimensions.iter().enumerate().flat_map(|(k, dimension)| dimension.runs.iter().map(move |run| (k, run)));
    let count = runs().map(|(_, (_, run))| run.len()).sum::<usize>();
    out.line("$Elements");
    out.sizes(&[runs().count(), count, count.min(1), count]);
    out.end();
    let mut tag = 0;
    for (k, (set, run)) in runs() {
        out.integers(&[k as i32, *set as i32 + 1, dimensions[k].code]);
        out.sizes(&[run.len()]);
        out.end();
        for element in run.clone() {
            tag += 1;
            out.sizes(&[tag]);
            match k {
                0 => out.sizes(&[element + 1]),
                1 => out.sizes(&mesh.edges[element].map(|node| node as usize + 1)),
                2 => out.sizes(&mesh.triangles[element].map(|node| node as usize + 1)),
                _ => out.sizes(&mesh.tets[element].map(|node| node as usize + 1)),
            }
            out.end();
        }
    }
    out.end_section("Elements");
}

/// Writes numbers as text or as bytes.
struct Out {
    bytes: Vec<u8>,
    text: bool,
}

impl Out {
    fn line(&mut self, line: &str) {
        self.bytes.extend_from_slice(line.as_bytes());
        self.bytes.push(b'\n');
    }

    fn integers(&mut self, values: &[i32]) {
        values.iter().for_each(|value| self.number(value, &value.to_le_bytes()));
    }

    fn sizes(&mut self, values: &[usize]) {
        values.iter().for_each(|value| self.number(value, &(*value as u64).to_le_bytes()));
    }

    fn reals(&mut self, values: &[f64]) {
        values.iter().for_each(|value| self.number(value, &value.to_le_bytes()));
    }

    fn number(&mut self, value: &impl Debug, binary: &[u8]) {
        if self.text {
            // Writing to memory cannot fail.
            let _ = write!(self.bytes, "{value:?} ");
        } else {
            self.bytes.extend_from_slice(binary);
        }
    }

    /// Ends a line of text.
    fn end(&mut self) {
        if self.text {
            self.bytes.pop_if(|last| *last == b' ');
            self.bytes.push(b'\n');
        }
    }

    fn end_section(&mut self, name: &str) {
        if !self.text {
            self.bytes.push(b'\n');
        }
        self.line(&format!("$End{name}"));
    }
}
