//! Unit quaternions as rotations: `[w, x, y, z]` with w the cosine of half the angle.
//!
//! q and -q are the same rotation. Products of unit quaternions drift from unit length by rounding; [`normalise`]
//! stored ones.

use crate::mat3::{Mat3, Vec3, add, cross, norm, scale};

/// w + x i + y j + z k.
pub type Quaternion = [f64; 4];

/// No rotation.
pub const NONE: Quaternion = [1.0, 0.0, 0.0, 0.0];

/// The product p q: first q, then p.
#[inline]
pub fn product(p: Quaternion, q: Quaternion) -> Quaternion {
    let ([a, b, c, d], [w, x, y, z]) = (p, q);
    [
        a * w - b * x - c * y - d * z,
        a * x + b * w + c * z - d * y,
        a * y - b * z + c * w + d * x,
        a * z + b * y - c * x + d * w,
    ]
}

/// Returns the inverse of a unit quaternion.
#[inline]
pub fn conjugate([w, x, y, z]: Quaternion) -> Quaternion {
    [w, -x, -y, -z]
}

/// Rotates the vector `a` by the unit quaternion q.
#[inline]
pub fn rotate(q: Quaternion, a: Vec3) -> Vec3 {
    let u = [q[1], q[2], q[3]];
    let t = scale(2.0, cross(u, a));
    add(add(a, scale(q[0], t)), cross(u, t))
}

/// Rotates the vector `a` back: `rotate(conjugate(q), a)`.
#[inline]
pub fn rotate_back(q: Quaternion, a: Vec3) -> Vec3 {
    rotate(conjugate(q), a)
}

/// Returns the unit quaternion along q; no rotation where q is zero or not finite.
#[inline]
pub fn normalise(q: Quaternion) -> Quaternion {
    let length = q.iter().map(|c| c * c).sum::<f64>().sqrt();
    if length > 0.0 && length.is_finite() { q.map(|c| c / length) } else { NONE }
}

/// Returns the rotation by `angle` [rad] about an axis of any length; none about the zero axis.
pub fn from_axis_angle(axis: Vec3, angle: f64) -> Quaternion {
    let length = norm(axis);
    if length > 0.0 { from_rotation_vector(scale(angle / length, axis)) } else { NONE }
}

/// Returns the rotation about the direction of `r` by its length [rad].
#[inline]
pub fn from_rotation_vector(r: Vec3) -> Quaternion {
    let angle = norm(r);
    // sin(angle / 2) / angle, whose limit is 1/2; below this angle the next term of the series is less than rounding.
    let s = if angle > 1e-8 { (0.5 * angle).sin() / angle } else { 0.5 };
    normalise([(0.5 * angle).cos(), s * r[0], s * r[1], s * r[2]])
}

/// Returns the rotation vector of q, as long as its angle [rad], at most half a turn.
pub fn rotation_vector(q: Quaternion) -> Vec3 {
    let q = if q[0] < 0.0 { q.map(|c| -c) } else { q };
    let u = [q[1], q[2], q[3]];
    let s = norm(u);
    let factor = if s > 1e-8 { 2.0 * s.atan2(q[0]) / s } else { 2.0 };
    scale(factor, u)
}

/// Rotates q with the angular velocity `omega` [rad/s] of the fixed frame for `dt` [s].
#[inline]
pub fn integrate(q: Quaternion, omega: Vec3, dt: f64) -> Quaternion {
    normalise(product(from_rotation_vector(scale(dt, omega)), q))
}

/// Returns the rotation matrix.
#[inline]
pub fn to_matrix([w, x, y, z]: Quaternion) -> Mat3 {
    [
        [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
        [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
        [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
    ]
}

/// Returns the unit quaternion of a rotation matrix (Shepperd 1978: by the largest of the four squares, for accuracy).
pub fn from_matrix(r: &Mat3) -> Quaternion {
    let [a, b, c] = [r[0][0], r[1][1], r[2][2]];
    let squares = [1.0 + a + b + c, 1.0 + a - b - c, 1.0 - a + b - c, 1.0 - a - b + c];
    let largest = (0..4).fold(0, |k, i| if squares[i] > squares[k] { i } else { k });
    let [x, y, z] = [r[2][1] - r[1][2], r[0][2] - r[2][0], r[1][0] - r[0][1]];
    let [xy, xz, yz] = [r[0][1] + r[1][0], r[0][2] + r[2][0], r[1][2] + r[2][1]];
    normalise(match largest {
        0 => [squares[0], x, y, z],
        1 => [x, squares[1], xy, xz],
        2 => [y, xy, squares[2], yz],
        _ => [z, xz, yz, squares[3]],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mat3::{mat_vec, rotation, sub};

    fn near(a: &[f64], b: &[f64], tolerance: f64) {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < tolerance), "{a:?} is not {b:?}");
    }

    #[test]
    fn agrees_with_rotation_matrices() {
        let (axis, a) = ([0.48, 0.6, 0.64], [0.3, -2.0, 1.1]);
        for angle in [0.0, 1e-12, 1e-5, 0.3, 1.5, 3.1, 3.2, 5.0] {
            let (r, q) = (rotation(axis, angle), from_axis_angle(axis, angle));
            near(&rotate(q, a), &mat_vec(&r, a), 1e-14);
            near(&rotate_back(q, rotate(q, a)), &a, 1e-14);
            near(to_matrix(q).as_flattened(), r.as_flattened(), 1e-14);
            near(to_matrix(from_matrix(&r)).as_flattened(), r.as_flattened(), 1e-14);
            near(to_matrix(from_rotation_vector(rotation_vector(q))).as_flattened(), r.as_flattened(), 1e-14);
        }
    }

    #[test]
    fn products_turn_one_after_the_other() {
        let (p, q) = (from_axis_angle([1.0, 2.0, 3.0], 0.7), from_axis_angle([-1.0, 0.4, 0.0], 2.0));
        let a = [0.2, 0.5, -0.9];
        near(&rotate(product(p, q), a), &rotate(p, rotate(q, a)), 1e-14);
        near(&product(q, conjugate(q)), &NONE, 1e-15);
    }

    #[test]
    fn steady_turning_is_exact_and_rest_is_rest() {
        let omega = [0.0, 3.0, 4.0];
        let q = (0..100).fold(NONE, |q, _| integrate(q, omega, 0.01));
        near(&q, &from_axis_angle(omega, 5.0), 1e-13);
        assert_eq!(integrate(q, [0.0; 3], 0.1), normalise(q));
        near(&integrate(NONE, [1e-9, 0.0, 0.0], 1.0), &[1.0, 5e-10, 0.0, 0.0], 1e-25);
        assert_eq!(normalise([0.0; 4]), NONE);
        assert_eq!(sub(rotate(NONE, omega), omega), [0.0; 3]);
    }
}
