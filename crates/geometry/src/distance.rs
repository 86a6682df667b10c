//! What every shape is to the mesher: a signed distance.

use numerics::mat3::Vec3;

/// A shape as a function of space: negative inside, zero on its surface, positive outside.
///
/// The value is a length [m] near the true distance: exact for simple shapes; after blends and twists it has the right
/// sign and changes by at most about the distance walked.
pub trait Distance: Sync {
    /// The signed distance of a point from the surface [m].
    fn at(&self, point: Vec3) -> f64;

    /// A box that holds the shape, [min, max] [m].
    fn bounds(&self) -> [Vec3; 2];
}
