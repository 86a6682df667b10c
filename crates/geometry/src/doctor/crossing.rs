//! Triangles that cross others.
//!
//! A sign within rounding error does not count: only certain crossings are reported, and triangles that merely touch
//! are not. Triangles that share a node are neighbours.

use crate::bvh::{Bvh, around, overlap};
use numerics::mat3::{Vec3, cross, dot, sub};
use rayon::prelude::*;

/// Returns triangles that cross another, ascending. Corners are nodes of `points`; equal positions must be the same
/// node.
pub(super) fn crossings(points: &[Vec3], triangles: &[[u32; 3]]) -> Vec<u32> {
    let corners = |t: u32| triangles[t as usize].map(|i| points[i as usize]);
    let count = triangles.len() as u32;
    let tree = Bvh::new((0..count).map(|t| around(&corners(t))).collect());
    let crosses = |s: &u32| {
        let (nodes, own) = (triangles[*s as usize], corners(*s));
        let bounds = around(&own);
        tree.any(
            |other| overlap(&bounds, other),
            |t| nodes.iter().all(|i| !triangles[t as usize].contains(i)) && cross_each_other(&own, &corners(t)),
        )
    };
    (0..count).into_par_iter().filter(crosses).collect()
}

fn cross_each_other(a: &[Vec3; 3], b: &[Vec3; 3]) -> bool {
    let of_a = a.map(|p| side(b, p));
    if of_a == [0; 3] {
        return in_one_plane(a, b);
    }
    let pierced = |edges: &[Vec3; 3], sides: [i32; 3], by: &[Vec3; 3]| {
        (0..3).any(|k| {
            let next = (k + 1) % 3;
            sides[k] * sides[next] < 0 && passes(edges[k], edges[next], by)
        })
    };
    let one_side = |sides: [i32; 3]| sides.iter().all(|&s| s > 0) || sides.iter().all(|&s| s < 0);
    if one_side(of_a) {
        return false;
    }
    let of_b = b.map(|p| side(a, p));
    !one_side(of_b) && (pierced(a, of_a, b) || pierced(b, of_b, a))
}

/// Returns the side of a triangle's plane on which a point lies: 1, -1, or 0 within rounding error.
fn side([a, b, c]: &[Vec3; 3], p: Vec3) -> i32 {
    let (u, v, w) = (sub(*a, p), sub(*b, p), sub(*c, p));
    let value = dot(u, cross(v, w));
    // Shewchuk 1997, bound A of orient3d: the value is right within this part of the sum of absolute terms.
    const ROUNDING: f64 = (7.0 + 56.0 * f64::EPSILON) * f64::EPSILON;
    let size = |k: usize, l: usize, m: usize| ((v[l] * w[m]).abs() + (v[m] * w[l]).abs()) * u[k].abs();
    let bound = ROUNDING * (size(0, 1, 2) + size(1, 2, 0) + size(2, 0, 1));
    if value > bound {
        1
    } else if value < -bound {
        -1
    } else {
        0
    }
}

/// Returns true if a segment with ends on both sides of a triangle's plane passes through it, including its border.
fn passes(p: Vec3, q: Vec3, [a, b, c]: &[Vec3; 3]) -> bool {
    let sides = [side(&[p, q, *a], *b), side(&[p, q, *b], *c), side(&[p, q, *c], *a)];
    let turned = |sign: i32| sides.iter().all(|&s| s * sign >= 0) && sides.iter().any(|&s| s != 0);
    turned(1) || turned(-1)
}

/// Returns true if two triangles of one plane overlap: no edge of either separates them.
fn in_one_plane(a: &[Vec3; 3], b: &[Vec3; 3]) -> bool {
    let normal = cross(sub(a[1], a[0]), sub(a[2], a[0]));
    let longest = (1..3).fold(0, |most, k| if normal[k].abs() > normal[most].abs() { k } else { most });
    let flat = |p: Vec3| [p[(longest + 1) % 3], p[(longest + 2) % 3]];
    let (a, b) = (a.map(flat), b.map(flat));
    let twice = |p: [f64; 2], q: [f64; 2], r: [f64; 2]| {
        let (left, right) = ((q[0] - p[0]) * (r[1] - p[1]), (q[1] - p[1]) * (r[0] - p[0]));
        let bound = 4.0 * f64::EPSILON * (left.abs() + right.abs());
        if (left - right).abs() <= bound { 0.0 } else { left - right }
    };
    let separates = |of: &[[f64; 2]; 3], other: &[[f64; 2]; 3]| {
        let way = twice(of[0], of[1], of[2]);
        (0..3).any(|k| other.iter().all(|&p| way * twice(of[k], of[(k + 1) % 3], p) <= 0.0))
    };
    !separates(&a, &b) && !separates(&b, &a)
}
