//! Lattice of an octree and its tets: body-centred cubic between leaves of one size, and transitions between two sizes.
//!
//! The vertices are the corners and the centres of the leaves. Across a face shared by
//! - two leaves of one size, each edge of the face and the two centres span a BCC tet, bisected where a smaller leaf has
//!   put a vertex on the middle of the edge;
//! - a leaf and four smaller ones, the face is cut into eight triangles around its centre: seen from the larger leaf
//!   quarters of a BCC tet, seen from each smaller one two halves of the pyramid under its centre.
//!
//! Neighbours over edges differ by one level at most, so both sides see the same triangles. (Labelle & Shewchuk
//! 2007.) Only BCC tets of the finest size may be cut or warped: the others must be inside as a whole.

use rayon::prelude::*;

use super::{
    StuffError,
    morton::{LatticePoint, Table, decode, encode},
    octree::{Across, Leaf, Octree},
};
use crate::Distance;

/// Length of the parts in which leaves are processed, for any number of threads.
const PART: usize = 1024;

/// Vertices, distances and tets of an octree.
#[derive(Default)]
pub(super) struct Background {
    /// Vertices, ascending (see [`encode`]), coordinates in half cells.
    pub(super) codes: Vec<u64>,
    /// Their signed distances [m].
    pub(super) values: Vec<f64>,
    /// BCC tets of the finest size with a vertex inside; nodes 0, 1 are centres and 2, 3 corners: the two long edges.
    pub(super) fine: Vec<[u32; 4]>,
    /// All other tets, each with the leaf that must be divided if it is not completely inside.
    pub(super) whole: Vec<([u32; 4], u32)>,
    /// Leaves that must be divided and finest cells that must exist for the tets to be complete.
    pub(super) coarse: Vec<u32>,
    /// See `coarse`.
    pub(super) missing: Vec<LatticePoint>,
}

/// Returns corner k of a cube: at the upper end along x, y, z for the bits 1, 2, 4 of k.
fn corner(leaf: Leaf, k: u32) -> LatticePoint {
    let low = decode(leaf.code);
    std::array::from_fn(|axis| 2 * (low[axis] + (((k >> axis) & 1) << leaf.level)))
}

fn centre(leaf: Leaf) -> LatticePoint {
    decode(leaf.code).map(|i| 2 * i + (1 << leaf.level))
}

/// Returns the position halfway between two.
fn middle(a: LatticePoint, b: LatticePoint) -> LatticePoint {
    std::array::from_fn(|k| (a[k] + b[k]) / 2)
}

/// Returns the corners of the face of a cube in turn around it.
fn face(axis: usize, upward: bool) -> [u32; 4] {
    let base = if upward { 1 << axis } else { 0 };
    let [b, c] = [1 << ((axis + 1) % 3), 1 << ((axis + 2) % 3)];
    [base, base | b, base | b | c, base | c]
}

impl Background {
    /// Numbers the vertices, measures their distances and lists the tets.
    pub(super) fn new(tree: &Octree, shape: &dyn Distance) -> Result<Self, StuffError> {
        let mut codes: Vec<u64> = tree
            .leaves
            .par_iter()
            .flat_map_iter(|&leaf| {
                (0..8).map(move |k| encode(corner(leaf, k))).chain(std::iter::once(encode(centre(leaf))))
            })
            .collect();
        codes.par_sort_unstable();
        codes.dedup();
        let table = Table::new(codes.iter().copied());
        let find = |point: LatticePoint| table.find(encode(point));

        // Nodes of a leaf; corners and centres are all in the table.
        let nodes: Vec<[u32; 9]> = tree
            .leaves
            .par_iter()
            .map(|&leaf| {
                std::array::from_fn(|k| find(if k < 8 { corner(leaf, k as u32) } else { centre(leaf) }).unwrap_or(0))
            })
            .collect();
        let mut known = vec![None; codes.len()];
        for (leaf, nodes) in tree.leaves.iter().zip(&nodes) {
            known[nodes[8] as usize] = leaf.centre;
        }
        let values: Vec<f64> = (codes.par_iter().with_min_len(32).zip(known))
            .map(|(&code, value)| value.unwrap_or_else(|| shape.at(tree.point(decode(code)))))
            .collect();

        let mut all = Background { codes, values, ..Background::default() };
        all.check(tree, shape)?;
        let parts: Vec<Background> = (tree.leaves.par_chunks(PART).enumerate())
            .map(|(part, leaves)| {
                let mut tets = Background::default();
                for (i, &leaf) in leaves.iter().enumerate() {
                    tets.around(tree, PART * part + i, leaf, &nodes, &all.values, &find);
                }
                tets
            })
            .collect();
        for part in parts {
            all.fine.extend(part.fine);
            all.whole.extend(part.whole);
            all.coarse.extend(part.coarse);
            all.missing.extend(part.missing);
        }
        Ok(all)
    }

    /// Checks that distances are numbers, and that nothing is inside more than a cell beyond the box of the shape.
    fn check(&self, tree: &Octree, shape: &dyn Distance) -> Result<(), StuffError> {
        let bounds = shape.bounds();
        for (&code, &value) in self.codes.iter().zip(&self.values) {
            let point = tree.point(decode(code));
            if !value.is_finite() {
                return Err(StuffError::NotFinite { point, value });
            }
            let beyond = (0..3).any(|k| {
                point[k] < bounds[0][k] - 1.01 * tree.spacing || point[k] > bounds[1][k] + 1.01 * tree.spacing
            });
            if value < 0.0 && beyond {
                return Err(StuffError::LeavesBounds { point, bounds });
            }
        }
        Ok(())
    }

    /// Adds the tets over the six faces of a leaf; those between leaves of one size come from the lower leaf.
    fn around(
        &mut self,
        tree: &Octree,
        index: usize,
        leaf: Leaf,
        nodes: &[[u32; 9]],
        values: &[f64],
        find: &dyn Fn(LatticePoint) -> Option<u32>,
    ) {
        let mine = nodes[index];
        let inside = |node: u32| values[node as usize] < 0.0;
        for (axis, upward) in (0..6).map(|n| (n / 2, n % 2 == 1)) {
            let corners = face(axis, upward);
            let at = corners.map(|k| mine[k as usize]);
            let points = corners.map(|k| corner(leaf, k));
            let sides = (0..4).map(|i| (at[i], at[(i + 1) % 4], middle(points[i], points[(i + 1) % 4])));
            match tree.across(leaf, axis, upward) {
                Across::Same(_) if !upward => {}
                Across::Same(other) if leaf.level == 0 => {
                    let tets = sides.map(|(a, b, _)| [mine[8], nodes[other as usize][8], a, b]);
                    self.fine.extend(tets.filter(|tet| tet.iter().any(|&node| inside(node))));
                }
                Across::Same(other) => {
                    let centres = [mine[8], nodes[other as usize][8]];
                    for (a, b, point) in sides {
                        match find(point) {
                            Some(m) => {
                                self.whole.push(([centres[0], centres[1], a, m], index as u32));
                                self.whole.push(([centres[0], centres[1], m, b], index as u32));
                            }
                            None => self.whole.push(([centres[0], centres[1], a, b], index as u32)),
                        }
                    }
                }
                Across::Larger(other) => {
                    let large = tree.leaves[other as usize];
                    let [p, q] = [face(axis, !upward)[0], face(axis, !upward)[2]].map(|k| corner(large, k));
                    let hub = middle(p, q);
                    let Some(i) = (0..4).find(|&i| points[i] == hub) else { continue };
                    let [a, b, c, d] = std::array::from_fn(|k| at[(i + k) % 4]);
                    self.whole.push(([mine[8], a, b, c], other));
                    self.whole.push(([mine[8], a, c, d], other));
                }
                Across::Smaller => {
                    let hub = find(middle(points[0], points[2]));
                    for (a, b, point) in sides {
                        // Four smaller leaves share the hub and the middles of the sides.
                        if let (Some(hub), Some(m)) = (hub, find(point)) {
                            self.whole.push(([mine[8], hub, a, m], index as u32));
                            self.whole.push(([mine[8], hub, m, b], index as u32));
                        }
                    }
                }
                Across::Missing if leaf.level > 0 => self.coarse.push(index as u32),
                Across::Missing => {
                    if inside(mine[8]) || at.iter().any(|&node| inside(node)) {
                        let mut step = [0; 3];
                        step[axis] = if upward { 1 } else { -1 };
                        self.missing.extend(tree.beside(leaf, step));
                    }
                }
            }
        }
    }
}
