//! Moving vertices, edges and triangles: pairs of them that may touch during a step.
//!
//! Over the straight motion from the current to the predicted positions, pairs of a vertex and a triangle and of two
//! edges are kept that come nearer than thickness + margin. The result is the point where they are nearest, or first as
//! near as the thickness, and a normal: the direction there, on their current side. Later the gap of a touch is
//!
//!   C(x) = n . sum_i w_i x_i - thickness >= 0 (eq. 9, Macklin et al. 2019)
//!
//! with the weights w of its nodes, positive on one side and negative on the other. A feature that passed through
//! another in an earlier step counts on its current side.
//!
//! Each vertex and each edge belongs to one of its triangles (Curtis et al. 2008), so that pairs of triangles with
//! overlapping boxes name each pair of features once. A touch is left out if another triangle has it too, or if it
//! slants: if continuing across its edge leads nearer, then the triangle behind that edge is the one that touches.

mod approach;
mod bundles;
mod candidates;
mod features;
mod first_contact;
mod shapes;
mod surface;

pub use approach::{Kind, Touch, rest_distance};
pub use candidates::Candidate;
pub use first_contact::{FirstContact, Separation, approach_along, between, first_contact, follow, separation};
pub use shapes::{ShapeTouch, Vertices};
pub use surface::CollisionSurface;

use numerics::mat3::Vec3;

/// Distances that count as near.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reach {
    /// Gap that contacts keep [m]: for two layers of cloth their mean thickness, for a vertex and a shape half of it.
    pub thickness: f64,
    /// Additional distance for motions that are not predicted [m].
    pub margin: f64,
    /// Depth inside a mesh to which vertices are detected [m].
    pub depth: f64,
}

/// Returns node i of flat coordinates.
#[inline]
fn at(x: &[f64], i: u32) -> Vec3 {
    let i = 3 * i as usize;
    [x[i], x[i + 1], x[i + 2]]
}
