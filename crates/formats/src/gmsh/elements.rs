//! Elements of a file, by kind, and the groups of their labels.

use std::collections::BTreeMap;
use std::ops::Range;

use model::mesh::{Group, Mesh};

use super::Physical;
use crate::cells::{Cells, Labels};
use crate::error::Fault;
use crate::numbering::{Numbering, few_enough};
use crate::rows::Source;

/// Supported elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Point,
    Line,
    Triangle,
    Quadrilateral,
    Tet,
}

impl Kind {
    /// Returns the kind of Gmsh's type number.
    pub fn of(code: i64) -> Result<Kind, Fault> {
        let other = match code {
            15 => return Ok(Kind::Point),
            1 => return Ok(Kind::Line),
            2 => return Ok(Kind::Triangle),
            3 => return Ok(Kind::Quadrilateral),
            4 => return Ok(Kind::Tet),
            5 => "hexahedra",
            6 => "prisms",
            7 => "pyramids",
            8 | 26..=28 => "curved lines",
            9 | 20..=25 => "curved triangles",
            10 | 16 => "curved quadrilaterals",
            11 | 29..=31 => "curved tets",
            12 | 17 | 92 | 93 => "curved hexahedra",
            13 | 18 => "curved prisms",
            14 | 19 => "curved pyramids",
            _ => "elements of an unknown kind",
        };
        let curved = other.starts_with("curved");
        let cure =
            if curved { "set the element order to 1 in Gmsh" } else { "mesh with tets in Gmsh (no recombination)" };
        let what = format!("{other} (type {code}) cannot be used");
        Err(Fault::Unsupported { what, cure: format!("{cure} and export again") })
    }

    /// Returns the name for messages.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Point => "point",
            Kind::Line => "line",
            Kind::Triangle => "triangle",
            Kind::Quadrilateral => "quadrilateral",
            Kind::Tet => "tet",
        }
    }
}

/// Elements, labelled by a physical tag (version 2) or an entity (version 4).
#[derive(Default)]
pub(super) struct Elements {
    pub tets: Cells<4>,
    pub triangles: Cells<3>,
    pub quadrilaterals: Cells<4>,
    pub lines: Cells<2>,
    pub points: Cells<1>,
}

impl Elements {
    /// Reads the nodes of an element and adds it.
    #[inline]
    pub fn read<S: Source>(
        &mut self,
        source: &mut S,
        (kind, number, label): (Kind, i64, i64),
        numbering: &Numbering,
    ) -> Result<(), S::Error> {
        match kind {
            Kind::Tet => self.tets.push(nodes(source, kind, number, numbering)?, label),
            Kind::Triangle => self.triangles.push(nodes(source, kind, number, numbering)?, label),
            Kind::Line => self.lines.push(nodes(source, kind, number, numbering)?, label),
            Kind::Point => self.points.push(nodes(source, kind, number, numbering)?, label),
            Kind::Quadrilateral => self.quadrilaterals.push(nodes(source, kind, number, numbering)?, label),
        }
        Ok(())
    }

    /// Appends others.
    pub fn append(&mut self, other: Elements) {
        self.tets.append(other.tets);
        self.triangles.append(other.triangles);
        self.quadrilaterals.append(other.quadrilaterals);
        self.lines.append(other.lines);
        self.points.append(other.points);
    }

    /// Joins copies of an element: version 2 has one copy for each physical group, one after the other, because it
    /// cannot express several groups. Returns the tags that labels then stand for; `None` if there are no copies.
    pub fn join_copies(&mut self) -> Option<Physical> {
        let copies = self.tets.has_copies()
            || self.triangles.has_copies()
            || self.quadrilaterals.has_copies()
            || self.lines.has_copies()
            || self.points.has_copies();
        let mut sets = BTreeMap::new();
        copies.then(|| {
            self.tets.join_copies(&mut sets);
            self.triangles.join_copies(&mut sets);
            self.quadrilaterals.join_copies(&mut sets);
            self.lines.join_copies(&mut sets);
            self.points.join_copies(&mut sets);
            let entities = sets.into_iter().flat_map(|(tags, set)| (0..4).map(move |k| ((k, set), tags.clone())));
            entities.collect()
        })
    }

    /// Moves them to the mesh, and makes groups: `physical` has the tags of an entity; without it labels are tags.
    pub fn finish(
        mut self,
        mesh: &mut Mesh,
        names: &BTreeMap<(usize, i64), String>,
        physical: Option<&Physical>,
        bytes: usize,
    ) -> Result<(), Fault> {
        for (label, run) in self.quadrilaterals.labels().runs() {
            for &[a, b, c, d] in &self.quadrilaterals.nodes[run.start as usize..run.end as usize] {
                self.triangles.push([a, b, c], label);
                self.triangles.push([a, c, d], label);
            }
        }
        few_enough("tets", self.tets.nodes.len())?;
        few_enough("triangles", self.triangles.nodes.len())?;
        let mut groups = Groups { physical, groups: BTreeMap::new(), memberships_left: bytes };
        groups.add(3, self.tets.labels(), |group, run| group.tets.extend(run))?;
        groups.add(2, self.triangles.labels(), |group, run| group.triangles.extend(run))?;
        let corners = |nodes: &[u32], group: &mut Group| group.nodes.extend(nodes);
        groups.add(1, self.lines.labels(), |group, run| {
            corners(self.lines.nodes[run.start as usize..run.end as usize].as_flattened(), group);
        })?;
        groups.add(0, self.points.labels(), |group, run| {
            corners(self.points.nodes[run.start as usize..run.end as usize].as_flattened(), group);
        })?;
        // Groups of several dimensions may share a name; a name without elements is an empty group.
        mesh.groups = names.values().map(|name| (name.clone(), Group::default())).collect();
        for ((dimension, tag), group) in groups.groups {
            let name = names.get(&(dimension, tag)).cloned().unwrap_or_else(|| format!("physical-{tag}"));
            let to = mesh.groups.entry(name).or_default();
            to.nodes.extend(group.nodes);
            to.tets.extend(group.tets);
            to.triangles.extend(group.triangles);
        }
        for group in mesh.groups.values_mut() {
            for list in [&mut group.nodes, &mut group.tets, &mut group.triangles] {
                list.sort_unstable();
                list.dedup();
            }
        }
        mesh.tets = self.tets.nodes;
        mesh.triangles = self.triangles.nodes;
        mesh.edges = self.lines.nodes;
        Ok(())
    }
}

#[inline]
fn nodes<S: Source, const N: usize>(
    source: &mut S,
    kind: Kind,
    number: i64,
    numbering: &Numbering,
) -> Result<[u32; N], S::Error> {
    let mut nodes = [0; N];
    for node in &mut nodes {
        let tag = source.integer(|| format!("a node of {} {number}", kind.name()))?;
        let index = numbering.get(tag);
        let missing = || numbering.missing(&format!("{} {number}", kind.name()), tag);
        *node = index.ok_or_else(|| source.fault(missing))?;
    }
    Ok(nodes)
}

struct Groups<'a> {
    physical: Option<&'a Physical>,
    /// Groups by dimension and tag.
    groups: BTreeMap<(usize, i64), Group>,
    /// Number of memberships that may still be made: an entity with very many tags must not fill the memory.
    memberships_left: usize,
}

impl Groups<'_> {
    fn add(&mut self, dimension: usize, labels: &Labels, add: impl Fn(&mut Group, Range<u32>)) -> Result<(), Fault> {
        for (label, run) in labels.runs() {
            let own = [label];
            let tags = match self.physical {
                Some(physical) => physical.get(&(dimension, label)).map_or(&[][..], Vec::as_slice),
                None => &own,
            };
            // The sign of a tag is the orientation; 0 is no group.
            for tag in tags.iter().map(|tag| tag.saturating_abs()).filter(|&tag| tag != 0) {
                self.memberships_left =
                    self.memberships_left.checked_sub(run.len()).ok_or_else(|| Fault::Unsupported {
                        what: "the elements are in too many physical groups at once".to_string(),
                        cure: "leave out physical groups that are not needed".to_string(),
                    })?;
                add(self.groups.entry((dimension, tag)).or_default(), run.clone());
            }
        }
        Ok(())
    }
}
