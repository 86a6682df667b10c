//! Reasons why a surface is not a shape, and their remedies.

use std::fmt;

use numerics::mat3::Vec3;

/// Reason why [`super::SurfaceDistance`] refuses a surface.
#[derive(Debug, Clone, PartialEq)]
pub enum SurfaceError {
    /// There is no triangle with an area.
    Empty,
    /// A triangle names a node that does not exist.
    NodeOutOfRange {
        /// Number of the triangle.
        triangle: usize,
        /// The node it names.
        node: u32,
        /// Number of points.
        points: usize,
    },
    /// A coordinate is NaN or infinite.
    PointNotFinite {
        /// Number of the node.
        node: u32,
        /// Its position [m].
        point: Vec3,
    },
    /// Much of the surface encloses nothing.
    Open {
        /// Share of its area that does not.
        share: f64,
        /// Point where it is most open [m].
        near: Vec3,
    },
}

impl fmt::Display for SurfaceError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            SurfaceError::Empty => write!(f, "the surface has no triangle with an area; give a closed surface"),
            SurfaceError::NodeOutOfRange { triangle, node, points } => write!(
                f,
                "triangle {triangle} names node {node}, but there are {points} (counted from 0); correct the index"
            ),
            SurfaceError::PointNotFinite { node, point } => {
                write!(f, "node {node} is at {point:?}, which is not finite; correct its coordinates")
            }
            SurfaceError::Open { share, near: [x, y, z] } => write!(
                f,
                "the surface is open: {:.0} % of its area encloses nothing, most of all near ({x:.4}, {y:.4}, {z:.4}) m; \
                 close it there, or use it as cloth",
                100.0 * share
            ),
        }
    }
}

impl std::error::Error for SurfaceError {}
