//! Which closed shells lie in which.

use crate::bvh::{Bounds, Bvh, around, overlap};
use numerics::mat3::{Vec3, cross, dot, norm, sub};
use rayon::prelude::*;
use std::f64::consts::PI;

/// Where it would take more solid angles than this, some seconds of them, it is not asked.
const MOST_ANGLES: usize = 200_000_000;

/// For each shell, by its triangles, those around it, increasing; `None` if that would take too long.
pub(super) fn enclosing(shells: &[Vec<[Vec3; 3]>]) -> Option<Vec<Vec<usize>>> {
    let boxes: Vec<Bounds> = shells.iter().map(|shell| around(shell.as_flattened())).collect();
    let tree = Bvh::new(boxes);
    let candidates: Vec<Vec<usize>> = (0..shells.len())
        .into_par_iter()
        .map(|shell| {
            let (at, mut others) = (shells[shell][0][0], Vec::new());
            tree.visit(|bounds| overlap(bounds, &[at, at]), |other| others.push(other as usize));
            others.retain(|&other| other != shell);
            others.sort_unstable();
            others
        })
        .collect();
    let angles: usize = candidates.iter().flatten().map(|&other| shells[other].len()).sum();
    let is_around = |other: usize, at: Vec3| {
        let angle: f64 = shells[other].iter().map(|&corners| solid_angle(at, corners)).sum();
        angle.abs() > 2.0 * PI
    };
    let among = |(shell, mut others): (usize, Vec<usize>)| {
        others.retain(|&other| is_around(other, shells[shell][0][0]));
        others
    };
    (angles <= MOST_ANGLES).then(|| candidates.into_par_iter().enumerate().map(among).collect())
}

/// The solid angle that a triangle takes up seen from a point, positive from inside [sr]; van Oosterom and Strackee 1983.
fn solid_angle(from: Vec3, corners: [Vec3; 3]) -> f64 {
    let [a, b, c] = corners.map(|p| sub(p, from));
    let [la, lb, lc] = [norm(a), norm(b), norm(c)];
    let below = la * lb * lc + dot(a, b) * lc + dot(b, c) * la + dot(c, a) * lb;
    2.0 * dot(a, cross(b, c)).atan2(below)
}
