//! Shapes as signed distances, the input of the mesher.

use numerics::mat3::{Vec3, norm};

/// A shape as a function of space: negative inside, zero on its surface, positive outside.
///
/// The value is a length [m] near the true distance: exact for simple shapes; after blends and twists it has the right
/// sign and changes by at most about the distance moved.
pub trait Distance: Sync {
    /// Returns the signed distance of a point from the surface [m].
    fn at(&self, point: Vec3) -> f64;

    /// Returns a box that contains the shape, [min, max] [m].
    fn bounds(&self) -> [Vec3; 2];
}

/// The box of all space.
pub(crate) const ALL_SPACE: [Vec3; 2] = [[f64::NEG_INFINITY; 3], [f64::INFINITY; 3]];

/// Returns a lower bound of the signed distance to the content of a box [m]: the distance to the box outside of it;
/// inside, nothing is known.
pub(crate) fn least_distance(point: Vec3, [low, high]: &[Vec3; 2]) -> f64 {
    let outside = norm(std::array::from_fn(|k| (low[k] - point[k]).max(point[k] - high[k]).max(0.0)));
    if outside > 0.0 { outside } else { f64::NEG_INFINITY }
}
