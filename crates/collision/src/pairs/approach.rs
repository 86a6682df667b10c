//! Nearest approach of two moving features.

use super::{Reach, at};
use crate::closest;
use numerics::mat3::{IDENTITY, Vec3, add, cross, dot, norm, scale, sub};

/// Limit of evaluations of the motion.
const LOOKS: usize = 8;

/// Kinds of features in contact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Node 0 and the triangle of nodes 1, 2, 3.
    VertexTriangle,
    /// The edges of nodes 0, 1 and of nodes 2, 3.
    EdgeEdge,
}

/// Two features that may touch.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Touch {
    /// Kinds of features.
    pub kind: Kind,
    /// Nodes of both.
    pub nodes: [u32; 4],
    /// Weights of the nodes: of the first feature they sum to 1, of the second to -1.
    pub weights: [f64; 4],
    /// Unit normal from the second to the first.
    pub normal: Vec3,
    /// n . sum w x with the current positions [m].
    pub distance: f64,
}

/// Returns the distance of two features at the positions `x` [m], usually at rest: pairs that are nearer than their
/// thickness at rest are not contacts.
pub fn rest_distance(kind: Kind, nodes: [u32; 4], x: &[f64]) -> f64 {
    let points = nodes.map(|i| at(x, i));
    norm(combine(weights(kind, points), points))
}

/// sum w x
#[inline]
pub(super) fn combine(w: [f64; 4], x: [Vec3; 4]) -> Vec3 {
    // Written out: functions over arrays are not inlined here.
    let sum = |k: usize| w[0] * x[0][k] + w[1] * x[1][k] + w[2] * x[2][k] + w[3] * x[3][k];
    [sum(0), sum(1), sum(2)]
}

/// Returns the weights of the closest points.
#[inline]
pub(super) fn weights(kind: Kind, [a, b, c, d]: [Vec3; 4]) -> [f64; 4] {
    match kind {
        Kind::VertexTriangle => {
            let [u, v, w] = closest::on_triangle(a, [b, c, d]);
            [1.0, -u, -v, -w]
        }
        Kind::EdgeEdge => {
            let [s, t] = closest::of_segments([a, b], [c, d]);
            [1.0 - s, s, t - 1.0, -t]
        }
    }
}

/// Finds the nearest approach of the features of `nodes` from `x` over the displacements `u` [m]; `None` if it is
/// beyond reach. Also returns its time, as a share of the step.
///
/// The distance changes no faster than the features move relative to each other, so from a gap of g nothing is missed
/// within a share g / m of the step, where m is the largest relative displacement.
pub(super) fn approach(kind: Kind, nodes: [u32; 4], x: [Vec3; 4], u: [Vec3; 4], reach: &Reach) -> Option<(Touch, f64)> {
    let keep = reach.thickness + reach.margin;
    let w = weights(kind, x);
    let mut distance = norm(combine(w, x));
    let apart = |i: usize, j: usize| {
        let d = sub(u[i], u[j]);
        dot(d, d)
    };
    let squared = match kind {
        Kind::VertexTriangle => apart(0, 1).max(apart(0, 2)).max(apart(0, 3)),
        Kind::EdgeEdge => apart(0, 2).max(apart(0, 3)).max(apart(1, 2)).max(apart(1, 3)),
    };
    let motion = squared.sqrt();
    if distance.is_nan() || distance > keep + motion {
        return None;
    }
    let mut best = (distance, w, x, 0.0);
    let mut least = distance;
    let mut time = 0.0;
    for _ in 0..LOOKS {
        let gap = distance - reach.thickness;
        if gap <= 1e-3 * reach.thickness || gap - reach.margin > motion * (1.0 - time) || time >= 1.0 {
            break;
        }
        let next = if motion > 0.0 { (time + gap / motion).min(1.0) } else { 1.0 };
        let mut y = x;
        for k in 0..4 {
            y[k] = add(x[k], scale(next, u[k]));
        }
        let w = weights(kind, y);
        let then = norm(combine(w, y));
        least = least.min(0.5 * (distance + then - motion * (next - time)));
        (distance, time) = (then, next);
        if distance < best.0 {
            best = (distance, w, y, time);
        }
    }
    // The motion left after the last evaluation may lead nearer.
    least = least.min(distance - motion * (1.0 - time));
    if least.is_nan() || least > keep {
        return None;
    }
    let (_, weights, then, when) = best;
    let normal = normal(kind, weights, then, u);
    Some((Touch { kind, nodes, weights, normal, distance: dot(normal, combine(weights, x)) }, when))
}

/// Returns the normal from the second feature to the first. Where they meet it is perpendicular to the triangle, or to
/// both edges, against the relative motion; where that is undefined, against the motion itself, perpendicular to the
/// one valid edge, and finally +z.
pub(super) fn normal(kind: Kind, w: [f64; 4], x: [Vec3; 4], u: [Vec3; 4]) -> Vec3 {
    let d = combine(w, x);
    let (length, relative) = (norm(d), combine(w, u));
    let (p, q) = match kind {
        Kind::VertexTriangle => (sub(x[2], x[1]), sub(x[3], x[1])),
        Kind::EdgeEdge => (sub(x[1], x[0]), sub(x[3], x[2])),
    };
    let size = norm(p).max(norm(q));
    if length > 1e-9 * size && length > 0.0 {
        return scale(1.0 / length, d);
    }
    let across = cross(p, q);
    let against = |n: Vec3| {
        // The current side, as far as it is defined; else the side it comes from.
        let side = if dot(n, d).abs() > 1e-14 * size { dot(n, d) } else { -dot(n, relative) };
        if side < 0.0 { n.map(|c| -c) } else { n }
    };
    if let Some(n) = unit(across, 1e-10 * size * size) {
        return against(n);
    }
    let along = unit(if norm(p) >= norm(q) { p } else { q }, 0.0);
    let still = along.map_or(relative, |e| sub(relative, scale(dot(e, relative), e)));
    if let Some(n) = unit(still, 1e-10 * norm(relative)) {
        return n.map(|c| -c);
    }
    let least = |e: Vec3| (0..3).fold(0, |k, c| if e[c].abs() < e[k].abs() { c } else { k });
    along.and_then(|e| unit(cross(e, IDENTITY[least(e)]), 0.0)).map_or(IDENTITY[2], against)
}

/// Returns a / |a| if that is longer than `least`.
fn unit(a: Vec3, least: f64) -> Option<Vec3> {
    let length = norm(a);
    (length > least && length.is_finite()).then(|| scale(1.0 / length, a))
}
