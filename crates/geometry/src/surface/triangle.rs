//! A triangle: its nearest point and its solid angle.

use numerics::mat3::{Vec3, add, cross, dot, norm, scale, sub};

/// A triangle by its corners [m].
pub(crate) type Triangle = [Vec3; 3];

/// Returns half the cross product of two sides: the normal, with the area as its length [m^2].
pub(crate) fn area_vector([a, b, c]: &Triangle) -> Vec3 {
    scale(0.5, cross(sub(*b, *a), sub(*c, *a)))
}

/// Returns the point of a triangle nearest to `p`: on a corner, an edge or the inside, depending on the region of `p`.
pub(crate) fn nearest_point(&[a, b, c]: &Triangle, p: Vec3) -> Vec3 {
    let [ab, ac] = [sub(b, a), sub(c, a)];
    let along = |p: Vec3| [dot(ab, p), dot(ac, p)];
    let [d1, d2] = along(sub(p, a));
    if d1 <= 0.0 && d2 <= 0.0 {
        return a;
    }
    let [d3, d4] = along(sub(p, b));
    if d3 >= 0.0 && d4 <= d3 {
        return b;
    }
    let vc = d1 * d4 - d3 * d2;
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        return add(a, scale(d1 / (d1 - d3), ab));
    }
    let [d5, d6] = along(sub(p, c));
    if d6 >= 0.0 && d5 <= d6 {
        return c;
    }
    let vb = d5 * d2 - d1 * d6;
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        return add(a, scale(d2 / (d2 - d6), ac));
    }
    let va = d3 * d6 - d5 * d4;
    if va <= 0.0 && d4 >= d3 && d5 >= d6 {
        return add(b, scale((d4 - d3) / ((d4 - d3) + (d5 - d6)), sub(c, b)));
    }
    let sum = va + vb + vc;
    add(a, add(scale(vb / sum, ab), scale(vc / sum, ac)))
}

/// Returns the squared distance of a triangle from `p` [m^2].
pub(crate) fn squared_distance(triangle: &Triangle, p: Vec3) -> f64 {
    let d = sub(nearest_point(triangle, p), p);
    dot(d, d)
}

/// Returns the share of the sphere around `p` that a triangle covers: 1 for all of it, positive where its back is seen.
///
/// tan(angle / 2) = a . (b x c) / (|a||b||c| + (a . b)|c| + (b . c)|a| + (c . a)|b|), van Oosterom & Strackee 1983.
pub(crate) fn winding(triangle: &Triangle, p: Vec3) -> f64 {
    let [a, b, c] = triangle.map(|x| sub(x, p));
    let [la, lb, lc] = [norm(a), norm(b), norm(c)];
    let over = dot(a, cross(b, c));
    let under = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
    over.atan2(under) / (2.0 * std::f64::consts::PI)
}
