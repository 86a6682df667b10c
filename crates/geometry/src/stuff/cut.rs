//! Cuts of the surface with the edges of the finest tets, and the vertices that move onto it.
//!
//! An edge with an end inside and an end outside has one cut point. A vertex is violated if a cut point is nearer to it
//! than alpha times the length of the edge; it moves to the nearest such point, is on the surface from then on, and its
//! edges are cut no more. As alpha < 1/2 a cut point violates one end at most, so all vertices can move at once.

use numerics::mat3::{Vec3, add, scale, sub};
use rayon::prelude::*;

use super::{
    StuffError,
    background::Background,
    morton::{Table, decode},
    octree::Octree,
};
use crate::Distance;

/// Least distance of a cut from an end, for an edge along an axis, in its length.
pub(super) const ALPHA_LONG: f64 = 0.24999;
/// The same for an edge from a centre to a corner.
pub(super) const ALPHA_SHORT: f64 = 0.41189;

/// Tolerance of cut points, in spacings, if the function is continuous.
const TOLERANCE: f64 = 1e-6;

/// Cut edges, and the movement of vertices.
pub(super) struct Cuts {
    /// Ends of each edge, the lower first, sorted.
    pub(super) ends: Vec<[u32; 2]>,
    /// Position of the cut: 0 at the first end, 1 at the second.
    fraction: Vec<f64>,
    table: Table,
    /// Nearest cut that violates each vertex.
    pub(super) moved: Vec<Option<u32>>,
}

/// Returns the number of an edge in a [`Table`].
fn number([a, b]: [u32; 2]) -> u64 {
    u64::from(a.min(b)) << 32 | u64::from(a.max(b))
}

/// Returns true if an edge is along an axis: between two corners or two centres.
fn is_long(background: &Background, [a, b]: [u32; 2]) -> bool {
    let [a, b] = [a, b].map(|node| decode(background.codes[node as usize]));
    a[0] % 2 == b[0] % 2
}

impl Cuts {
    /// Makes the cuts of the function that is linear along each edge: no evaluations, close enough to count vertices.
    pub(super) fn linear(background: &Background) -> Self {
        const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        let value = |node: u32| background.values[node as usize];
        let mut numbers: Vec<u64> = (background.fine.par_iter())
            .flat_map_iter(|tet| EDGES.map(|[i, j]| [tet[i], tet[j]]))
            .filter(|&[a, b]| opposite(value(a), value(b)))
            .map(number)
            .collect();
        numbers.par_sort_unstable();
        numbers.dedup();
        let ends: Vec<[u32; 2]> = numbers.iter().map(|&n| [(n >> 32) as u32, n as u32]).collect();
        let fraction = ends.iter().map(|&[a, b]| value(a) / (value(a) - value(b))).collect();
        let table = Table::new(numbers.iter().copied());
        let mut cuts = Cuts { ends, fraction, table, moved: Vec::new() };
        cuts.warp(background);
        cuts
    }

    /// Moves the cuts onto the surface.
    pub(super) fn refine(
        &mut self,
        background: &Background,
        tree: &Octree,
        shape: &dyn Distance,
    ) -> Result<(), StuffError> {
        let fraction: Result<Vec<f64>, StuffError> = (self.ends.par_iter().with_min_len(16))
            .map(|&ends| {
                let [p, q] = ends.map(|node| tree.point(decode(background.codes[node as usize])));
                root(shape, [p, q], ends.map(|node| background.values[node as usize]), TOLERANCE * tree.spacing)
            })
            .collect();
        self.fraction = fraction?;
        self.warp(background);
        Ok(())
    }

    /// Finds for each vertex the nearest cut that violates it.
    fn warp(&mut self, background: &Background) {
        let mut nearest = vec![f64::INFINITY; background.codes.len()];
        self.moved = vec![None; background.codes.len()];
        for (cut, (&ends, &t)) in self.ends.iter().zip(&self.fraction).enumerate() {
            let (length, alpha) =
                if is_long(background, ends) { (1.0, ALPHA_LONG) } else { (0.75_f64.sqrt(), ALPHA_SHORT) };
            for (node, t) in [(ends[0], t), (ends[1], 1.0 - t)] {
                if t < alpha && t * length < nearest[node as usize] {
                    nearest[node as usize] = t * length;
                    self.moved[node as usize] = Some(cut as u32);
                }
            }
        }
    }

    /// Returns the cut of an edge.
    pub(super) fn find(&self, ends: [u32; 2]) -> Option<u32> {
        self.table.find(number(ends))
    }

    /// Returns the position of a cut point [m].
    pub(super) fn point(&self, cut: u32, background: &Background, tree: &Octree) -> Vec3 {
        let [p, q] = self.ends[cut as usize].map(|node| tree.point(decode(background.codes[node as usize])));
        add(p, scale(self.fraction[cut as usize], sub(q, p)))
    }
}

/// Returns true if one is inside and the other outside (a product could underflow).
fn opposite(a: f64, b: f64) -> bool {
    (a < 0.0 && b > 0.0) || (a > 0.0 && b < 0.0)
}

/// Finds the zero of the function between two points, as a fraction of the way; `f` are its values at the ends, of
/// opposite signs.
///
/// False position with halved weights (Illinois), and a bisection whenever three steps did not halve the bracket: a
/// sign change is found for any function, and in three or four evaluations for a smooth one.
fn root(shape: &dyn Distance, [p, q]: [Vec3; 2], f: [f64; 2], tolerance: f64) -> Result<f64, StuffError> {
    let [mut low, mut high] = [0.0, 1.0];
    let [mut f_low, mut f_high] = f;
    let mut width = 1.0;
    let mut was_low = None;
    for step in 1..=60 {
        let bisect = step % 4 == 0 && high - low > 0.5 * width;
        let t: f64 = if bisect { 0.5 * (low + high) } else { low + (high - low) * (f_low / (f_low - f_high)) };
        if step % 4 == 0 {
            width = high - low;
        }
        let point = add(p, scale(t, sub(q, p)));
        let value = shape.at(point);
        if !value.is_finite() {
            return Err(StuffError::NotFinite { point, value });
        }
        if value.abs() <= tolerance || high - low < 1e-12 {
            return Ok(t);
        }
        let is_low = (value < 0.0) == (f[0] < 0.0);
        if is_low {
            [low, f_low] = [t, value];
        } else {
            [high, f_high] = [t, value];
        }
        // The end that stays a second time counts half, or the bracket would shrink from one side only.
        if was_low == Some(is_low) {
            *(if is_low { &mut f_high } else { &mut f_low }) *= 0.5;
        }
        was_low = Some(is_low);
    }
    Ok(0.5 * (low + high))
}
