//! The leaves of an octree around a shape: finest at its surface, coarser inside, none outside.
//!
//! A leaf of level l is a cube of 2^l finest cells along each edge. Where the distance at the centre of a cube excludes
//! the surface, the cube is not divided further: outside it is dropped, inside it stays whole. That assumes a function
//! that changes by at most [`STEEPEST`] times the distance moved; errors are found later, from the signs at the
//! vertices, and corrected by [`Octree::mend`].

use numerics::mat3::Vec3;
use rayon::prelude::*;

use super::{
    MOST, StuffError,
    morton::{BITS, LatticePoint, Table, decode, encode},
};
use crate::Distance;

/// Largest change of the function per length. Distances have 1; blends and twists a little more.
const STEEPEST: f64 = 1.25;

/// The same far outside, where some functions are accurate to first order at the surface only, for cubes of four cells
/// and more.
const STEEPEST_FAR: f64 = 2.0;

/// Levels that fit: a lattice point needs one bit more than a cell, and sums of two one more.
const DEEPEST: u32 = BITS - 3;

/// A cube of the octree.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leaf {
    /// Number of its lowest cell (see [`encode`]).
    pub(super) code: u64,
    /// It is 2^level cells wide.
    pub(super) level: u32,
    /// Distance at its centre, if known [m].
    pub(super) centre: Option<f64>,
}

/// Leaves in Morton order, found by lattice point.
pub(super) struct Octree {
    /// Corner of cell (0, 0, 0) [m].
    origin: Vec3,
    /// Edge of a finest cell [m].
    pub(super) spacing: f64,
    /// Leaves, ascending in `code`.
    pub(super) leaves: Vec<Leaf>,
    table: Table,
    /// Coarsest level allowed.
    grading: u32,
    /// Upper bound of cells along each axis.
    pub(super) size: u32,
}

/// Neighbour across a face of a leaf.
pub(super) enum Across {
    /// A leaf of the same level.
    Same(u32),
    /// A leaf one level up.
    Larger(u32),
    /// Four leaves one level down.
    Smaller,
    /// Nothing, or not all four.
    Missing,
}

impl Octree {
    /// Divides the box of the shape where the surface may be. Faces of the box are planes of the lattice.
    pub(super) fn new(shape: &dyn Distance, spacing: f64, grading: u32) -> Result<Self, StuffError> {
        const AROUND: f64 = 2.0; // cells between the box and the end of the lattice
        let [low, high] = shape.bounds();
        let widest = (0..3).map(|k| high[k] - low[k]).fold(0.0, f64::max);
        let cells = widest / spacing + 2.0 * AROUND;
        if cells > f64::from(1_u32 << DEEPEST) {
            let least = widest / (f64::from(1_u32 << DEEPEST) - 2.0 * AROUND);
            return Err(StuffError::TooFine { spacing, least });
        }
        let deepest = (cells.ceil() as u32).next_power_of_two().trailing_zeros().max(1);
        let mut tree = Octree {
            origin: low.map(|x| x - AROUND * spacing),
            spacing,
            leaves: Vec::new(),
            table: Table::new(std::iter::empty()),
            grading,
            size: 1 << deepest,
        };

        let mut cubes = vec![0_u64];
        let mut leaves = Vec::new();
        for level in (0..=deepest).rev() {
            let values: Vec<f64> =
                cubes.par_iter().with_min_len(32).map(|&code| shape.at(tree.centre(code, level))).collect();
            let radius = spacing * 0.75_f64.sqrt() * f64::from(1_u32 << level);
            let mut children = Vec::new();
            for (&code, &value) in cubes.iter().zip(&values) {
                if !value.is_finite() {
                    return Err(StuffError::NotFinite { point: tree.centre(code, level), value });
                }
                // Outside, a cell is needed if its centre is a cell away from an inner vertex (its corners are nearer).
                let steepest = if level < 2 { STEEPEST } else { STEEPEST_FAR };
                if value > steepest * (radius + 0.14 * spacing) {
                    continue;
                }
                // Inside, no vertex of a coarse cell may be within reach of a cut: 0.41189 of sqrt(3/4) spacings.
                let deep = value < -STEEPEST * (radius + 0.36 * spacing);
                if level == 0 || (deep && level <= grading) {
                    leaves.push(Leaf { code, level, centre: Some(value) });
                } else {
                    children.extend((0..8).map(|k| code + (k << (3 * (level - 1)))));
                }
            }
            if leaves.len() + children.len() > MOST {
                return Err(StuffError::TooMany { vertices: leaves.len() + children.len(), most: MOST });
            }
            cubes = children;
        }
        leaves.sort_unstable_by_key(|leaf| leaf.code);
        tree.set(leaves);
        tree.balance();
        Ok(tree)
    }

    /// Returns the centre of a cube [m].
    fn centre(&self, code: u64, level: u32) -> Vec3 {
        self.point(decode(code).map(|i| 2 * i + (1 << level)))
    }

    /// Returns the lattice point with coordinates in half cells [m].
    pub(super) fn point(&self, p: LatticePoint) -> Vec3 {
        std::array::from_fn(|k| self.origin[k] + 0.5 * self.spacing * f64::from(p[k]))
    }

    fn set(&mut self, leaves: Vec<Leaf>) {
        self.leaves = leaves;
        self.table = Table::new(self.leaves.iter().map(|leaf| leaf.code));
    }

    /// Returns the leaf that contains a cell, if it is of this level.
    fn leaf_of_level(&self, cell: LatticePoint, level: u32) -> Option<u32> {
        let code = encode(cell.map(|i| i >> level << level));
        self.table.find(code).filter(|&leaf| self.leaves[leaf as usize].level == level)
    }

    /// Returns the cube of the same size some of its widths away; `None` beyond the neighbour.
    pub(super) fn beside(&self, leaf: Leaf, step: [i64; 3]) -> Option<LatticePoint> {
        let cell = decode(leaf.code);
        let mut neighbour = [0; 3];
        for k in 0..3 {
            let moved = i64::from(cell[k]) + (step[k] << leaf.level);
            neighbour[k] = u32::try_from(moved).ok().filter(|&i| i < self.size)?;
        }
        Some(neighbour)
    }

    /// Returns the neighbour across the face in direction `axis`, upwards or downwards.
    pub(super) fn across(&self, leaf: Leaf, axis: usize, upward: bool) -> Across {
        let mut step = [0; 3];
        step[axis] = if upward { 1 } else { -1 };
        let Some(beside) = self.beside(leaf, step) else { return Across::Missing };
        if let Some(same) = self.leaf_of_level(beside, leaf.level) {
            return Across::Same(same);
        }
        if let Some(larger) = self.leaf_of_level(beside, leaf.level + 1) {
            return Across::Larger(larger);
        }
        if leaf.level > 0 {
            let half = 1 << (leaf.level - 1);
            let near = if upward { 0 } else { half };
            let four = [[0, 0], [0, half], [half, 0], [half, half]].iter().all(|side| {
                let mut cell = beside;
                cell[axis] += near;
                cell[(axis + 1) % 3] += side[0];
                cell[(axis + 2) % 3] += side[1];
                self.leaf_of_level(cell, leaf.level - 1).is_some()
            });
            if four {
                return Across::Smaller;
            }
        }
        Across::Missing
    }

    /// Divides leaves until those that share a face or an edge differ by one level at most.
    fn balance(&mut self) {
        loop {
            let mut coarse: Vec<u32> =
                self.leaves.par_iter().flat_map_iter(|&leaf| self.too_coarse_beside(leaf)).collect();
            if coarse.is_empty() {
                return;
            }
            coarse.sort_unstable();
            coarse.dedup();
            self.divide(&coarse);
        }
    }

    /// Returns the neighbours of a leaf over faces and edges that are two or more levels above it.
    fn too_coarse_beside(&self, leaf: Leaf) -> impl Iterator<Item = u32> + '_ {
        let levels = leaf.level + 2..=self.grading;
        let steps = if levels.is_empty() { 0..0 } else { 0..27 };
        steps
            .map(|n| [n % 3 - 1, n / 3 % 3 - 1, n / 9 - 1_i64])
            .filter(|step| matches!(step.iter().filter(|&&s| s != 0).count(), 1 | 2))
            .filter_map(move |step| self.beside(leaf, step))
            .filter_map(move |cell| levels.clone().find_map(|level| self.leaf_of_level(cell, level)))
    }

    /// Replaces leaves (indices ascending) by their eight parts.
    fn divide(&mut self, coarse: &[u32]) {
        let mut next = coarse.iter().peekable();
        let mut leaves = Vec::with_capacity(self.leaves.len() + 7 * coarse.len());
        for (index, &leaf) in self.leaves.iter().enumerate() {
            if next.next_if(|&&i| i as usize == index).is_some() && leaf.level > 0 {
                let level = leaf.level - 1;
                leaves.extend((0..8).map(|k| Leaf { code: leaf.code + (k << (3 * level)), level, centre: None }));
            } else {
                leaves.push(leaf);
            }
        }
        self.set(leaves);
    }

    /// Divides these leaves, adds these finest cells where there is no leaf, and balances again.
    pub(super) fn mend(&mut self, mut coarse: Vec<u32>, missing: Vec<LatticePoint>) {
        coarse.sort_unstable();
        coarse.dedup();
        self.divide(&coarse);
        let mut codes: Vec<u64> = missing
            .into_iter()
            .filter(|&cell| (0..=self.grading).all(|level| self.leaf_of_level(cell, level).is_none()))
            .map(encode)
            .collect();
        codes.sort_unstable();
        codes.dedup();
        let mut leaves = std::mem::take(&mut self.leaves);
        leaves.extend(codes.into_iter().map(|code| Leaf { code, level: 0, centre: None }));
        leaves.sort_unstable_by_key(|leaf| leaf.code);
        self.set(leaves);
        self.balance();
    }
}
