//! The box.

use super::Near;
use numerics::mat3::{Vec3, norm, scale, sub};

/// Finds the nearest point: outside that with clamped coordinates; inside on the nearest face, the first of equal ones.
pub(super) fn near(half: Vec3, p: Vec3) -> Near {
    let point: Vec3 = std::array::from_fn(|k| p[k].clamp(-half[k], half[k]));
    let d = sub(p, point);
    let distance = norm(d);
    if distance > 0.0 {
        return Near { distance, normal: scale(1.0 / distance, d), point };
    }
    let depth: Vec3 = std::array::from_fn(|k| half[k] - p[k].abs());
    let axis = (0..3).fold(0, |axis, k| if depth[k] < depth[axis] { k } else { axis });
    let side = 1f64.copysign(p[axis]);
    let (mut normal, mut point) = ([0.0; 3], p);
    normal[axis] = side;
    point[axis] = side * half[axis];
    Near { distance: -depth[axis], normal, point }
}
