//! A fluid's share of the blueprint: particles on a lattice.

use crate::fluid::Fluid;
use collision::{Pose, Shape};
use model::mesh::Mesh;
use numerics::mat3::Vec3;
use std::ops::Range;

impl Fluid {
    /// Returns the number of particles of its box along x, y and z: whole numbers, not positive if the box is too
    /// small.
    pub(crate) fn particles(&self) -> [f64; 3] {
        let [low, high] = self.filled;
        // A box of ten spacings holds ten particles, even if rounding makes it slightly smaller.
        std::array::from_fn(|c| ((high[c] - low[c]) / self.liquid.spacing * (1.0 + 1e-9)).floor().max(0.0))
    }

    /// Returns the particles as points, x fastest, the lowest half a spacing from the corner of the box.
    pub(super) fn mesh(&self) -> Mesh {
        let counts = self.particles().map(|n| n as usize);
        let at = |c: usize, k: usize| self.filled[0][c] + (k as f64 + 0.5) * self.liquid.spacing;
        let mut points = Vec::with_capacity(counts.iter().product());
        for z in 0..counts[2] {
            for y in 0..counts[1] {
                points.extend((0..counts[0]).map(|x| [at(0, x), at(1, y), at(2, z)]));
            }
        }
        Mesh { points, ..Mesh::default() }
    }

    /// Returns the fluid of these nodes.
    pub(super) fn part(&self, nodes: Range<usize>) -> model::Fluid {
        model::Fluid {
            nodes: nodes.map(|node| node as u32).collect(),
            liquid: self.liquid,
            walls: self.walls,
            obstacles: Vec::new(),
            friction: self.friction,
        }
    }
}

/// Returns a message about particles [m] that begin inside a shape; `None` if there are none.
pub(super) fn begun_inside(shape: &Shape, pose: &Pose, points: impl Iterator<Item = Vec3>) -> Option<String> {
    let is_inside =
        |point: &Vec3| shape.near_within(pose.local_point(*point), 0.0).is_some_and(|near| near.distance < 0.0);
    match points.filter(is_inside).count() {
        0 => None,
        count => Some(format!(
            "{count} particles of fluids begin inside of it, from where they could only burst; move it, or the `box` of the fluid"
        )),
    }
}
