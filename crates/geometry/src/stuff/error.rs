//! Reasons why a shape cannot be filled with tets, and their remedies.

use std::fmt;

use numerics::mat3::Vec3;

/// Reason why [`super::stuff`] makes no mesh.
#[derive(Debug, Clone, PartialEq)]
pub enum StuffError {
    /// The box of the shape is not one: NaN, infinite, or of no size.
    Bounds {
        /// The box, [min, max] [m].
        bounds: [Vec3; 2],
    },
    /// The spacing is not a positive length.
    Spacing {
        /// Requested spacing [m].
        spacing: f64,
    },
    /// The distance of a point is NaN or infinite.
    NotFinite {
        /// The point [m].
        point: Vec3,
        /// Its distance [m].
        value: f64,
    },
    /// No point of the lattice is inside the shape.
    Nothing {
        /// The spacing of the finest lattice that was tried [m].
        spacing: f64,
        /// The box in which nothing was found, [min, max] [m].
        bounds: [Vec3; 2],
    },
    /// The shape continues outside its own box.
    LeavesBounds {
        /// A point inside the shape and outside the box [m].
        point: Vec3,
        /// The box, [min, max] [m].
        bounds: [Vec3; 2],
    },
    /// More vertices than fit the memory of most machines.
    TooMany {
        /// Requested number, or a lower bound of the result.
        vertices: usize,
        /// Limit.
        most: usize,
    },
    /// The lattice would have too many cells along an axis.
    TooFine {
        /// The spacing [m].
        spacing: f64,
        /// The least spacing for this shape [m].
        least: f64,
    },
    /// The function changes much faster than a distance may.
    NotADistance {
        /// Point where it does so [m].
        point: Vec3,
    },
}

impl fmt::Display for StuffError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            StuffError::Bounds { bounds: [low, high] } => write!(
                f,
                "the shape has no finite box (from {low:?} to {high:?} m); cut it with a box or a ball, or correct its \
                 sizes"
            ),
            StuffError::Spacing { spacing } => write!(f, "a spacing of {spacing} m is none; give a positive length"),
            StuffError::NotFinite { point, value } => {
                write!(f, "the distance of the shape at {point:?} m is {value}; correct the parameters of the shape")
            }
            StuffError::Nothing { spacing, bounds: [low, high] } => write!(
                f,
                "nothing of the shape was found between {low:?} and {high:?} m at a spacing of {spacing:.3e} m: it is \
                 empty or thinner than that; ask for more vertices or a finer spacing, or correct the shape"
            ),
            StuffError::LeavesBounds { point, bounds: [low, high] } => write!(
                f,
                "the shape is still there at {point:?} m, outside its own box from {low:?} to {high:?} m; give it a box \
                 that holds it"
            ),
            StuffError::TooMany { vertices, most } => {
                write!(
                    f,
                    "{vertices} vertices are more than the {most} that are allowed; ask for fewer or for a wider spacing"
                )
            }
            StuffError::TooFine { spacing, least } => write!(
                f,
                "a spacing of {spacing:.3e} m is too fine for a shape of this size; give at least {least:.3e} m"
            ),
            StuffError::NotADistance { point } => write!(
                f,
                "the function of the shape near {point:?} m changes much faster than a distance does; use weaker twists \
                 or blends, or no grading"
            ),
        }
    }
}

impl std::error::Error for StuffError {}
