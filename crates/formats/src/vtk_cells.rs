//! Cells of VTK's grids, converted to elements of a mesh.

use model::mesh::Mesh;
use rayon::prelude::*;

use crate::care::NOWHERE;
use crate::error::Fault;
use crate::surface::{fan, strip};

/// VTK's numbers of the supported kinds of cells.
pub(crate) const POLY_VERTEX: u8 = 2;
pub(crate) const LINE: u8 = 3;
pub(crate) const POLY_LINE: u8 = 4;
pub(crate) const TRIANGLE: u8 = 5;
pub(crate) const TRIANGLE_STRIP: u8 = 6;
pub(crate) const POLYGON: u8 = 7;
pub(crate) const PIXEL: u8 = 8;
pub(crate) const QUAD: u8 = 9;
pub(crate) const TETRA: u8 = 10;
const EMPTY: u8 = 0;
pub(crate) const VERTEX: u8 = 1;

/// Cells and their nodes, one after the other.
#[derive(Debug, Default)]
pub(crate) struct Cells {
    /// The kind of each cell.
    pub kinds: Vec<u8>,
    /// End of the nodes of each cell.
    pub ends: Vec<u64>,
    /// The nodes of all cells.
    pub nodes: Vec<u32>,
}

/// Returns true if all cells are consecutive tets: then the nodes are the tets.
pub(crate) fn all_tets(kinds: &[u8], ends: &[u64]) -> bool {
    const CHUNK: usize = 1 << 15;
    let tets = |kinds: &[u8]| kinds.iter().all(|&kind| kind == TETRA);
    // Differences from the expected values are collected, because a loop without exit is vectorised.
    let in_order = |(chunk, ends): (usize, &[u64])| {
        let first = 4 * (chunk * CHUNK + 1) as u64;
        ends.iter().zip(0..).fold(0, |off, (&end, i)| off | (end ^ (first + 4 * i))) == 0
    };
    kinds.par_chunks(CHUNK).all(tets) && ends.par_chunks(CHUNK).enumerate().all(in_order)
}

/// Checks that nodes exist, and shifts them by `base`; a lenient reader marks missing ones. `cell_of` returns the cell
/// of a node.
pub(crate) fn shift(
    nodes: &mut [u32],
    points: usize,
    base: u32,
    lenient: bool,
    cell_of: impl Fn(usize) -> usize + Sync,
) -> Result<(), Fault> {
    const CHUNK: usize = 1 << 15;
    crate::scalar::first(nodes.par_chunks_mut(CHUNK).enumerate().map(|(chunk, nodes)| {
        // The greatest of many is found faster than the first that is too great: a plain loop is vectorised.
        let mut greatest = 0;
        for &node in nodes.iter() {
            greatest = greatest.max(node);
        }
        if greatest as usize >= points && lenient {
            let there = |node: u32| if (node as usize) < points { node + base } else { NOWHERE };
            nodes.iter_mut().for_each(|node| *node = there(*node));
            return Ok(());
        }
        if greatest as usize >= points && !nodes.is_empty() {
            let bad = nodes.iter().position(|&node| node as usize >= points).unwrap_or(0);
            let cell = cell_of(chunk * CHUNK + bad);
            let (index, high) = (i128::from(nodes[bad]), points as i128 - 1);
            return Err(Fault::OutOfRange { what: format!("a node of cell {cell}"), index, low: 0, high });
        }
        if base > 0 {
            nodes.iter_mut().for_each(|node| *node += base);
        }
        Ok(())
    }))
}

impl Cells {
    /// Adds the cells to a mesh that has `points` points of this grid after `base` others. Shifted nodes must fit
    /// `u32`.
    pub fn add_to(&mut self, mesh: &mut Mesh, points: usize, base: u32, lenient: bool) -> Result<(), Fault> {
        let mut start = 0;
        for (cell, &end) in self.ends.iter().enumerate() {
            if end < start || end > self.nodes.len() as u64 {
                let what = format!("the nodes of cell {cell} end at {end} of {}, from {start}", self.nodes.len());
                let cure = "offsets must ascend to the number of nodes of all cells; export the file again".to_string();
                return Err(Fault::Contradiction { what, cure });
            }
            start = end;
        }
        if start != self.nodes.len() as u64 {
            let what = format!("the nodes of the last cell end at {start}, but there are {}", self.nodes.len());
            return Err(Fault::Contradiction {
                what,
                cure: "correct the offsets, or export the file again".to_string(),
            });
        }
        let ends = &self.ends;
        shift(&mut self.nodes, points, base, lenient, |node| ends.partition_point(|&end| end <= node as u64))?;

        if self.kinds.len() == ends.len() && all_tets(&self.kinds, ends) {
            mesh.tets.extend_from_slice(self.nodes.as_chunks().0);
            return Ok(());
        }
        let mut start = 0;
        for (cell, (&kind, &end)) in self.kinds.iter().zip(&self.ends).enumerate() {
            let nodes = &self.nodes[start..end as usize];
            start = end as usize;
            add(mesh, kind, nodes).map_err(|fault| {
                let what = format!("cell {cell} is {} of {} nodes", name(kind), nodes.len());
                fault.unwrap_or(Fault::Contradiction { what, cure: "correct its type or its nodes".to_string() })
            })?;
        }
        Ok(())
    }
}

/// Adds a cell to a mesh; an error without a fault is a wrong number of nodes.
fn add(mesh: &mut Mesh, kind: u8, nodes: &[u32]) -> Result<(), Option<Fault>> {
    match (kind, nodes) {
        (EMPTY | VERTEX | POLY_VERTEX, _) => {}
        (LINE, &[a, b]) => mesh.edges.push([a, b]),
        (POLY_LINE, [_, _, ..]) => mesh.edges.extend(nodes.windows(2).map(|pair| [pair[0], pair[1]])),
        (TRIANGLE, &[a, b, c]) => mesh.triangles.push([a, b, c]),
        (TRIANGLE_STRIP, [_, _, _, ..]) => mesh.triangles.extend(strip(nodes)),
        (QUAD, [_, _, _, _]) | (POLYGON, [_, _, _, ..]) => mesh.triangles.extend(fan(nodes)),
        (PIXEL, &[a, b, c, d]) => mesh.triangles.extend([[a, b, d], [a, d, c]]),
        (TETRA, &[a, b, c, d]) => mesh.tets.push([a, b, c, d]),
        (LINE | POLY_LINE | TRIANGLE | TRIANGLE_STRIP | QUAD | POLYGON | PIXEL | TETRA, _) => return Err(None),
        _ => {
            let cure = match kind {
                11..=20 => "split them into tets first (ParaView's filter Tetrahedralize does)",
                _ => "export linear tets, triangles, quads or lines instead",
            };
            let what = format!("cells of VTK's type {kind} ({}) are not read", name(kind));
            return Err(Some(Fault::Unsupported { what, cure: cure.to_string() }));
        }
    }
    Ok(())
}

/// Counts the tets and triangles that a supported cell becomes.
pub(crate) fn made(kind: u8, nodes: usize) -> (u32, u32) {
    match kind {
        TETRA => (1, 0),
        TRIANGLE | TRIANGLE_STRIP | QUAD | POLYGON | PIXEL => (0, nodes.saturating_sub(2) as u32),
        _ => (0, 0),
    }
}

/// Returns the name of a kind of cell.
fn name(kind: u8) -> &'static str {
    match kind {
        LINE => "a line",
        POLY_LINE => "a polyline",
        TRIANGLE => "a triangle",
        TRIANGLE_STRIP => "a triangle strip",
        POLYGON => "a polygon",
        PIXEL => "a pixel",
        QUAD => "a quad",
        TETRA => "a tetrahedron",
        11 => "voxel",
        12 => "hexahedron",
        13 => "wedge",
        14 => "pyramid",
        15 => "pentagonal prism",
        16 => "hexagonal prism",
        21 => "quadratic edge",
        22 => "quadratic triangle",
        23 => "quadratic quad",
        24 => "quadratic tetrahedron",
        25 => "quadratic hexahedron",
        26 => "quadratic wedge",
        27 => "quadratic pyramid",
        41 | 42 => "polyhedron",
        68..=74 => "Lagrange cell",
        75..=81 => "Bezier cell",
        _ => "unknown here",
    }
}
