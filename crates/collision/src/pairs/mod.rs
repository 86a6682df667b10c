//! Vertices, edges and triangles that move: which of them may touch during a step.
//!
//! Over the straight motion from the positions now to those predicted, pairs of a vertex and a triangle and of two edges are
//! kept that come nearer than thickness + margin. What is found is the place where they are nearest, or first as near as the
//! thickness, and a normal: the direction there, on the side where they are now. Later the gap of a touch is
//!
//!   C(x) = n . sum_i w_i x_i - thickness >= 0 (eq. 9, Macklin et al. 2019)
//!
//! with the weights w of its nodes, positive on one side and negative on the other. What has passed through something in an
//! earlier step is on the side where it is.
//!
//! Each vertex and each edge belongs to one of its triangles (Curtis et al. 2008), so that pairs of triangles whose boxes
//! overlap name each pair of features once. A touch is left out if it is one of another triangle, too, or if it slants: if
//! going on across the edge where it is leads nearer, then the triangle behind that edge is what touches.

mod approach;
mod features;
mod shapes;
mod surface;

pub use approach::{Kind, Touch, rest_distance};
pub use shapes::{ShapeTouch, Vertices};
pub use surface::Surface;

use numerics::mat3::Vec3;

/// How near counts.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Reach {
    /// The gap that contacts keep [m]: of two layers of cloth their mean thickness, of a vertex and a shape half of it.
    pub thickness: f64,
    /// What else is kept, for motions that are not foreseen [m].
    pub margin: f64,
    /// How deep inside a mesh vertices are looked for [m]; what is deeper is not seen.
    pub depth: f64,
}

/// Node i of flat coordinates.
#[inline]
fn at(x: &[f64], i: u32) -> Vec3 {
    let i = 3 * i as usize;
    [x[i], x[i + 1], x[i + 2]]
}
