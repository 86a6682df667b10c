//! Points that follow the tets they lie in, such as those of a fine surface.
//!
//! Each point is a fixed mean of the corners of one tet: the one it lies in, or the nearest, whose linear
//! map then goes on beyond it. Affine motions are followed exactly.

use model::mesh::{Mesh, tet_volume};
use numerics::mat3::{Vec3, add, scale};
use rayon::prelude::*;

use crate::{
    bvh::{Bvh, around, overlap},
    surface::triangle::squared_distance,
};

/// Points tied to tets.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Embedding {
    /// Of each point the corners of its tet and their weights, which sum to 1.
    ties: Vec<([u32; 4], [f64; 4])>,
}

/// The weights of the corners of a tet whose mean a point is, also outside of it.
fn weights(tet: &[Vec3; 4], point: Vec3) -> [f64; 4] {
    let volume = tet_volume(tet);
    std::array::from_fn(|k| {
        let mut part = *tet;
        part[k] = point;
        tet_volume(&part) / volume
    })
}

impl Embedding {
    /// Ties points [m] to the tets of a mesh at rest. `None` if there are no tets to tie to, or points of either are no
    /// places.
    pub fn new(mesh: &Mesh, points: &[Vec3]) -> Option<Self> {
        let finite = |points: &[Vec3]| points.iter().flatten().all(|x| x.is_finite());
        if mesh.tets.is_empty() || !finite(&mesh.points) || !finite(points) {
            return None;
        }
        let tree = Bvh::new((0..mesh.tets.len()).map(|e| around(&mesh.tet_points(e))).collect());
        let ties = points.par_iter().with_min_len(64).map(|&point| tie(mesh, &tree, point)).collect::<Option<_>>()?;
        Some(Embedding { ties })
    }

    /// Adds the points of another embedding behind these; `number` is what its nodes are called here.
    pub fn append(&mut self, other: &Embedding, number: impl Fn(u32) -> u32) {
        self.ties.extend(other.ties.iter().map(|(tet, weights)| (tet.map(&number), *weights)));
    }

    /// How many points there are.
    pub fn len(&self) -> usize {
        self.ties.len()
    }

    /// Whether there are no points.
    pub fn is_empty(&self) -> bool {
        self.ties.is_empty()
    }

    /// Where the points are when the nodes of the mesh are at `nodes` [m]; `points` has [`Self::len`] places. What is
    /// linear in the positions, such as velocities, follows in the same way.
    pub fn follow(&self, nodes: &[Vec3], points: &mut [Vec3]) {
        points.par_iter_mut().with_min_len(1024).zip(&self.ties).for_each(|(x, (tet, weights))| {
            let terms: [Vec3; 4] = std::array::from_fn(|k| scale(weights[k], nodes[tet[k] as usize]));
            *x = add(add(terms[0], terms[1]), add(terms[2], terms[3]));
        });
    }
}

/// The tet a point is in, the deepest if it is on the border of several, or the nearest.
fn tie(mesh: &Mesh, tree: &Bvh, point: Vec3) -> Option<([u32; 4], [f64; 4])> {
    let mut best: Option<(f64, u32)> = None;
    tree.visit(
        |bounds| overlap(bounds, &[point, point]),
        |e| {
            let depth = weights(&mesh.tet_points(e as usize), point).into_iter().fold(f64::INFINITY, f64::min);
            let better = best.is_none_or(|(deepest, lowest)| depth > deepest || depth == deepest && e < lowest);
            if depth >= 0.0 && better {
                best = Some((depth, e));
            }
        },
    );
    let tet = match best {
        Some((_, tet)) => tet,
        None => {
            // Outside of all: the distance to a tet is that to its faces.
            let distance = |e: u32| {
                let [a, b, c, d] = mesh.tet_points(e as usize);
                let faces = [[a, b, c], [a, b, d], [a, c, d], [b, c, d]];
                faces.iter().map(|face| squared_distance(face, point)).fold(f64::INFINITY, f64::min)
            };
            tree.nearest(point, f64::INFINITY, distance)?.0
        }
    };
    let weights = weights(&mesh.tet_points(tet as usize), point);
    weights.iter().all(|w| w.is_finite()).then_some((mesh.tets[tet as usize], weights))
}
