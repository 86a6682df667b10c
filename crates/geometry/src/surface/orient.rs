//! Orientation of the triangles of a surface, such that neighbours agree on the outer side.

use std::cmp::Ordering;

use numerics::mat3::{Vec3, norm};
use rayon::prelude::*;

use super::triangle::{Triangle, area_vector};

/// Returns, for each point, the first at the same position: the triangles of some files share positions, not points.
fn first_points(points: &[Vec3]) -> Vec<u32> {
    // Adding 0 makes -0 a 0, so that equals lie together.
    let compare = |a: &Vec3, b: &Vec3| {
        (0..3).map(|k| (a[k] + 0.0).total_cmp(&(b[k] + 0.0))).fold(Ordering::Equal, Ordering::then)
    };
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.par_sort_by(|&i, &j| compare(&points[i as usize], &points[j as usize]));
    let mut first = vec![0; points.len()];
    for same in order.chunk_by(|&i, &j| points[i as usize] == points[j as usize]) {
        same.iter().for_each(|&i| first[i as usize] = same[0]);
    }
    first
}

/// Orients triangles. Where exactly two share an edge they must run along it in opposite directions. Starting from the
/// first triangle of each connected part, those that do not are reversed; if that reversed more than half of the area
/// of the part, the others were wrong. Returns the number of triangles that are reversed in the end.
pub(super) fn orient(points: &[Vec3], triangles: &mut [[u32; 3]]) -> usize {
    // Sides sorted by edge: the sides of an edge lie together. A side is a triangle and the direction along the edge.
    let mut sides: Vec<([u32; 2], u32, bool)> = Vec::with_capacity(3 * triangles.len());
    let first_points = first_points(points);
    for (t, corners) in triangles.iter().enumerate() {
        let [a, b, c] = corners.map(|i| first_points[i as usize]);
        sides.extend([[a, b], [b, c], [c, a]].map(|[i, j]| ([i.min(j), i.max(j)], t as u32, i < j)));
    }
    sides.sort_unstable();
    // For each triangle the others across its edges, and true if they agree.
    let mut across = vec![[None; 3]; triangles.len()];
    let mut note = |at: u32, other: u32, agrees: bool| {
        if let Some(free) = across[at as usize].iter_mut().find(|slot| slot.is_none()) {
            *free = Some((other, agrees));
        }
    };
    for edge in sides.chunk_by(|a, b| a.0 == b.0) {
        if let [(_, a, forward), (_, b, other)] = *edge {
            note(a, b, forward != other);
            note(b, a, forward != other);
        }
    }

    let area = |t: &[u32; 3]| -> f64 {
        let corners: Triangle = t.map(|i| points[i as usize]);
        norm(area_vector(&corners))
    };
    let mut turned: Vec<Option<bool>> = vec![None; triangles.len()];
    let mut count = 0;
    for first in 0..triangles.len() {
        if turned[first].is_some() {
            continue;
        }
        turned[first] = Some(false);
        let mut part = vec![first];
        let mut next = 0;
        while next < part.len() {
            let at = part[next];
            next += 1;
            for &(other, agrees) in across[at].iter().flatten() {
                if turned[other as usize].is_none() {
                    turned[other as usize] = turned[at].map(|turn| turn == agrees);
                    part.push(other as usize);
                }
            }
        }
        let [mut kept, mut wrong] = [0.0, 0.0];
        for &t in &part {
            *(if turned[t] == Some(true) { &mut wrong } else { &mut kept }) += area(&triangles[t]);
        }
        for &t in &part {
            if (turned[t] == Some(true)) == (wrong <= kept) {
                triangles[t].swap(1, 2);
                count += 1;
            }
        }
    }
    count
}
