//! Nesting of closed shells.

use crate::bvh::{Bounds, Bvh, around, overlap};
use numerics::mat3::{Vec3, cross, dot, norm, sub};
use rayon::prelude::*;
use std::f64::consts::PI;

/// Limit of solid angles to compute, some seconds: beyond it nesting is not determined.
const MOST_ANGLES: usize = 200_000_000;

/// Returns, for each shell, by its triangles, the shells around it, ascending; `None` if that would take too long.
pub(super) fn enclosing(shells: &[Vec<[Vec3; 3]>]) -> Option<Vec<Vec<usize>>> {
    let boxes: Vec<Bounds> = shells.iter().map(|shell| around(shell.as_flattened())).collect();
    let tree = Bvh::new(boxes.clone());
    let holds =
        |outer: &Bounds, inner: &Bounds| (0..3).all(|k| outer[0][k] <= inner[0][k] && inner[1][k] <= outer[1][k]);
    let candidates: Vec<Vec<usize>> = (0..shells.len())
        .into_par_iter()
        .map(|shell| {
            let mut others = Vec::new();
            tree.visit(|bounds| overlap(bounds, &boxes[shell]), |other| others.push(other as usize));
            others.retain(|&other| other != shell && holds(&boxes[other], &boxes[shell]));
            others.sort_unstable();
            others
        })
        .collect();
    let angles: usize = 6 * candidates.iter().flatten().map(|&other| shells[other].len()).sum::<usize>();
    let is_around = |other: usize, at: Vec3| {
        let angle: f64 = shells[other].iter().map(|&corners| solid_angle(at, corners)).sum();
        angle.abs() > 2.0 * PI
    };
    let among = |(shell, mut others): (usize, Vec<usize>)| {
        // A shell that only reaches into another is not inside it: its outermost corners decide.
        let corners = outermost(shells[shell].as_flattened());
        others.retain(|&other| corners.iter().all(|&at| is_around(other, at)));
        others
    };
    (angles <= MOST_ANGLES).then(|| candidates.into_par_iter().enumerate().map(among).collect())
}

/// Returns the lowest and the highest point along each axis.
fn outermost(points: &[Vec3]) -> [Vec3; 6] {
    std::array::from_fn(|i| {
        let (k, sign) = (i / 2, if i % 2 == 0 { 1.0 } else { -1.0 });
        points.iter().copied().fold(points[0], |best, p| if sign * p[k] < sign * best[k] { p } else { best })
    })
}

/// Returns the solid angle of a triangle seen from a point, positive from inside [sr]; van Oosterom and Strackee 1983.
fn solid_angle(from: Vec3, corners: [Vec3; 3]) -> f64 {
    let [a, b, c] = corners.map(|p| sub(p, from));
    let [la, lb, lc] = [norm(a), norm(b), norm(c)];
    let below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
    2.0 * dot(a, cross(b, c)).atan2(below)
}
