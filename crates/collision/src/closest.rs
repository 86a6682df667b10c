//! Closest points of points, segments and triangles, as weights of their corners.
//!
//! Weights are never negative and sum to 1, also where a segment is a point or a triangle is a segment or a point.

use numerics::mat3::{Vec3, add, cross, dot, scale, sub};

/// Returns the weighted mean of the corners of a triangle [m].
#[inline]
pub fn blend(w: Vec3, [a, b, c]: [Vec3; 3]) -> Vec3 {
    add(scale(w[0], a), add(scale(w[1], b), scale(w[2], c)))
}

/// Returns the position on the segment a to b, in [0, 1], of the point nearest to `p`; 0 where a = b.
#[inline]
pub fn on_segment(p: Vec3, a: Vec3, b: Vec3) -> f64 {
    let ab = sub(b, a);
    share(dot(sub(p, a), ab), dot(ab, ab))
}

/// Returns over / under in [0, 1], and 0 where that is undefined.
#[inline]
fn share(over: f64, under: f64) -> f64 {
    if under > 0.0 { (over / under).clamp(0.0, 1.0) } else { 0.0 }
}

/// Returns the weights of the corners for the point of a triangle nearest to `p`.
pub fn on_triangle(p: Vec3, [a, b, c]: [Vec3; 3]) -> Vec3 {
    let [ab, ac, ap] = [sub(b, a), sub(c, a), sub(p, a)];
    let normal = cross(ab, ac);
    let area = dot(normal, normal);
    // Slivers have no usable inside: then the nearest of the edges.
    if area > 1e-24 * dot(ab, ab) * dot(ac, ac) {
        let (v, w) = (dot(cross(ap, ac), normal) / area, dot(cross(ab, ap), normal) / area);
        if v >= 0.0 && w >= 0.0 && v + w <= 1.0 {
            return [(1.0 - v - w).max(0.0), v, w];
        }
    }
    let edges = [(a, b), (b, c), (c, a)];
    let mut best = ([1.0, 0.0, 0.0], f64::INFINITY);
    for (k, (from, to)) in edges.into_iter().enumerate() {
        let t = on_segment(p, from, to);
        let d = sub(p, add(from, scale(t, sub(to, from))));
        let d = dot(d, d);
        if d < best.1 {
            let mut w = [0.0; 3];
            w[k] = 1.0 - t;
            w[(k + 1) % 3] = t;
            best = (w, d);
        }
    }
    best.0
}

/// Returns the positions on the segments a to b and c to d, each in [0, 1], of their closest points.
///
/// Parallel segments side by side have many: then the middle of the common part, so that pushes there cause no
/// rotation.
pub fn of_segments([a, b]: [Vec3; 2], [c, d]: [Vec3; 2]) -> [f64; 2] {
    let [u, v, r] = [sub(b, a), sub(d, c), sub(a, c)];
    let [uu, vv, uv, ur, vr] = [dot(u, u), dot(v, v), dot(u, v), dot(u, r), dot(v, r)];
    if uu <= 0.0 {
        return [0.0, share(vr, vv)];
    }
    if vv <= 0.0 {
        return [share(-ur, uu), 0.0];
    }
    let n = cross(u, v);
    let sine = dot(n, n); // |u|^2 |v|^2 sin^2
    if sine <= 1e-20 * uu * vv
        && let Some([from, to]) = common_part([a, b], [c, d])
    {
        let s = 0.5 * (from + to);
        return [s, share(vr + s * uv, vv)];
    }
    // The best s for free t, then t for that s, then s again where t met an end.
    let s = if sine > 1e-20 * uu * vv { share(uv * vr - vv * ur, sine) } else { 0.0 };
    let t = share(vr + s * uv, vv);
    let s = share(t * uv - ur, uu);
    [s, share(vr + s * uv, vv)]
}

/// Returns the part of the segment a to b beside the segment c to d, as shares of a to b; `None` if they are not side
/// by side.
pub fn common_part([a, b]: [Vec3; 2], [c, d]: [Vec3; 2]) -> Option<[f64; 2]> {
    let u = sub(b, a);
    let uu = dot(u, u);
    if uu <= 0.0 {
        return None;
    }
    let [p, q] = [dot(sub(c, a), u) / uu, dot(sub(d, a), u) / uu];
    let [from, to] = [p.min(q).max(0.0), p.max(q).min(1.0)];
    (from < to).then_some([from, to])
}
