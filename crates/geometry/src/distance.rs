//! What every shape is to the mesher: a signed distance.

use numerics::mat3::{Vec3, norm};

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

/// The box that holds everything.
pub(crate) const ALL_SPACE: [Vec3; 2] = [[f64::NEG_INFINITY; 3], [f64::INFINITY; 3]];

/// The least that the signed distance to what lies in a box can be [m]: the distance to the box outside of it; inside,
/// nothing is known.
pub(crate) fn least_distance(point: Vec3, [low, high]: &[Vec3; 2]) -> f64 {
    let outside = norm(std::array::from_fn(|k| (low[k] - point[k]).max(point[k] - high[k]).max(0.0)));
    if outside > 0.0 { outside } else { f64::NEG_INFINITY }
}
