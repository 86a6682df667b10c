//! Reasons why a shape is invalid, and their remedies.

use std::fmt;

/// Reason why a shape is refused.
#[derive(Debug, Clone, PartialEq)]
pub enum ShapeError {
    /// A size that is not a positive number.
    Size {
        /// Name of the size: "radius", "half length", "half side x".
        what: &'static str,
        /// Value [m].
        value: f64,
    },
    /// A coordinate is NaN or infinite.
    PointNotFinite {
        /// Number of the point.
        point: usize,
    },
    /// Too few points to enclose a volume.
    TooFewPoints {
        /// Number of points.
        points: usize,
    },
    /// The hull of the points has no volume.
    Flat {
        /// Its thickness over its length.
        thickness: f64,
    },
    /// The hull of the points was not found.
    NoHull {
        /// Reason.
        reason: String,
    },
    /// A mesh without a triangle that has an area.
    NoTriangles,
    /// A triangle names a point that does not exist.
    PointOutOfRange {
        /// Number of the triangle.
        triangle: usize,
        /// The point it names.
        point: u32,
        /// Number of points.
        points: usize,
    },
    /// Volume and inertia of a half space.
    Endless,
    /// Volume and inertia of a mesh with a rim.
    Open {
        /// Edges with one triangle, or with more than two.
        edges: usize,
    },
    /// A closed mesh whose volume is not positive.
    InsideOut {
        /// The volume [m^3].
        volume: f64,
    },
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            ShapeError::Size { what, value } => {
                write!(f, "the {what} is {value}, which is no size; give a positive number of metres")
            }
            ShapeError::PointNotFinite { point } => {
                write!(f, "point {point} has a coordinate that is not a number; correct it")
            }
            ShapeError::TooFewPoints { points } => {
                write!(f, "a hull needs 4 points that are not in a plane, and there are {points}; give more points")
            }
            ShapeError::Flat { thickness } => write!(
                f,
                "the hull is flat: it is {thickness:.1e} times as thick as long; give points that are not in a plane, or a box"
            ),
            ShapeError::NoHull { reason } => {
                write!(f, "no hull was found around the points ({reason}); remove points that nearly coincide")
            }
            ShapeError::NoTriangles => write!(f, "the mesh has no triangle with an area; give at least one"),
            ShapeError::PointOutOfRange { triangle, point, points } => write!(
                f,
                "triangle {triangle} names point {point}, but there are {points} (counted from 0); correct the index"
            ),
            ShapeError::Endless => {
                write!(f, "a half space has no volume and no mass; use it as an obstacle, or a box as a body")
            }
            ShapeError::Open { edges } => write!(
                f,
                "the mesh encloses no volume: {edges} of its edges have not two triangles; close it, or use its hull"
            ),
            ShapeError::InsideOut { volume } => write!(
                f,
                "the mesh encloses {volume:.3e} m^3, its triangles look inwards; turn them round, or use its hull"
            ),
        }
    }
}

impl std::error::Error for ShapeError {}
