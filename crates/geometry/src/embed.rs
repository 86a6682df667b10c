//! Points that follow the tets they lie in, such as those of a fine surface.
//!
//! Each point is a fixed weighted mean of nodes. Inside it uses the corners of its tet. Outside, the linear maps of the
//! nearby tets are extended, and the point follows their mean, with larger weights for nearer ones: with the nearest
//! alone the surface would tear where the nearest tet changes. Affine motions are followed exactly, and a continuous
//! surface stays continuous.

use std::collections::BTreeMap;

use model::mesh::{Mesh, tet_volume};
use numerics::mat3::{Vec3, add, scale};
use rayon::prelude::*;

use crate::{
    bvh::{self, Bvh, around, overlap},
    surface::triangle::squared_distance,
};

/// Points tied to tets.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Embedding {
    /// Nodes and their weights, which sum to 1 for each point.
    ties: Vec<(u32, f64)>,
    /// End of each point's entries in `ties`.
    ends: Vec<usize>,
}

/// A mesh to tie points to.
struct Solid<'a> {
    mesh: &'a Mesh,
    tree: Bvh,
    /// Limit of the distance behind the nearest tet within which others count [m]: about two tets.
    reach: f64,
}

/// Returns the weights of the corners of a tet whose mean a point is, also outside of it.
fn weights(tet: &[Vec3; 4], point: Vec3) -> [f64; 4] {
    let volume = tet_volume(tet);
    std::array::from_fn(|k| {
        let mut part = *tet;
        part[k] = point;
        tet_volume(&part) / volume
    })
}

impl Embedding {
    /// Ties points [m] to the tets of a mesh at rest. `None` if there are no tets, or if points of either are not
    /// finite.
    pub fn new(mesh: &Mesh, points: &[Vec3]) -> Option<Self> {
        let finite = |points: &[Vec3]| points.iter().flatten().all(|x| x.is_finite());
        if mesh.tets.is_empty() || !finite(&mesh.points) || !finite(points) {
            return None;
        }
        let tree = Bvh::new((0..mesh.tets.len()).map(|e| around(&mesh.tet_points(e))).collect());
        let reach = 2.0 * (6.0 * mesh.volume().abs() / mesh.tets.len() as f64).cbrt();
        let solid = Solid { mesh, tree, reach };
        let of_points: Option<Vec<_>> = points.par_iter().with_min_len(64).map(|&point| solid.tie(point)).collect();
        let mut all = Embedding::default();
        for ties in of_points? {
            all.ties.extend(ties);
            all.ends.push(all.ties.len());
        }
        Some(all)
    }

    /// Appends the points of another embedding; `number` maps its nodes to ours.
    pub fn append(&mut self, other: &Embedding, number: impl Fn(u32) -> u32) {
        let before = self.ties.len();
        self.ties.extend(other.ties.iter().map(|&(node, weight)| (number(node), weight)));
        self.ends.extend(other.ends.iter().map(|end| before + end));
    }

    /// Returns the number of points.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns true if there are no points.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Returns the node with the largest weight in a point; `None` if there is no such point.
    pub fn main_node(&self, point: usize) -> Option<u32> {
        let start = if point == 0 { 0 } else { *self.ends.get(point - 1)? };
        let ties = self.ties.get(start..*self.ends.get(point)?)?;
        ties.iter().max_by(|a, b| a.1.total_cmp(&b.1)).map(|tie| tie.0)
    }

    /// Computes the points when the nodes of the mesh are at `nodes` [m]; `points` has [`Self::len`] entries.
    /// Quantities linear in the positions, such as velocities, follow in the same way.
    pub fn follow(&self, nodes: &[Vec3], points: &mut [Vec3]) {
        points.par_iter_mut().with_min_len(1024).enumerate().for_each(|(i, x)| {
            let start = if i == 0 { 0 } else { self.ends[i - 1] };
            let ties = &self.ties[start..self.ends[i]];
            *x = ties.iter().fold([0.0; 3], |x, &(node, weight)| add(x, scale(weight, nodes[node as usize])));
        });
    }
}

impl Solid<'_> {
    /// Returns the nodes and weights of a point.
    fn tie(&self, point: Vec3) -> Option<Vec<(u32, f64)>> {
        let tets = match self.around(point) {
            Some(tet) => vec![(tet, 1.0)],
            None => self.near(point)?,
        };
        let total: f64 = tets.iter().map(|(_, share)| share).sum();
        let mut ties = BTreeMap::new();
        for (tet, share) in tets {
            let corners = weights(&self.mesh.tet_points(tet as usize), point);
            for (node, weight) in self.mesh.tets[tet as usize].iter().zip(corners) {
                *ties.entry(*node).or_insert(0.0) += share / total * weight;
            }
        }
        ties.values().all(|weight: &f64| weight.is_finite()).then(|| ties.into_iter().collect())
    }

    /// Finds the tet of a point, the deepest if it is on the border of several.
    fn around(&self, point: Vec3) -> Option<u32> {
        let mut best: Option<(f64, u32)> = None;
        self.tree.visit(
            |bounds| overlap(bounds, &[point, point]),
            |e| {
                let corners = weights(&self.mesh.tet_points(e as usize), point);
                let depth = corners.into_iter().fold(f64::INFINITY, f64::min);
                let better = best.is_none_or(|(deepest, lowest)| depth > deepest || depth == deepest && e < lowest);
                if depth >= 0.0 && better {
                    best = Some((depth, e));
                }
            },
        );
        best.map(|(_, tet)| tet)
    }

    /// Finds the tets near a point that is in none, and their weights: 1 for the nearest, 0 for those twice as far
    /// away.
    fn near(&self, point: Vec3) -> Option<Vec<(u32, f64)>> {
        // The distance to a tet is that to its faces.
        let squared = |e: u32| {
            let [a, b, c, d] = self.mesh.tet_points(e as usize);
            let faces = [[a, b, c], [a, b, d], [a, c, d], [b, c, d]];
            faces.iter().map(|face| squared_distance(face, point)).fold(f64::INFINITY, f64::min)
        };
        let (nearest, least) = self.tree.nearest(point, f64::INFINITY, squared)?;
        let least = least.sqrt();
        let reach = least.min(self.reach);
        let within = (least + reach).powi(2);
        let mut tets = Vec::new();
        self.tree.visit(
            |bounds| bvh::squared_distance(bounds, point) < within,
            |e| {
                let share = 1.0 - (squared(e).sqrt() - least) / reach;
                if share > 0.0 {
                    tets.push((e, share * share));
                }
            },
        );
        if tets.is_empty() {
            // On the border, apart from rounding.
            tets.push((nearest, 1.0));
        }
        Some(tets)
    }
}
