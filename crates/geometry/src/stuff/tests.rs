//! Bounds of angles: the extremes over every stencil, for all positions of warped vertices and cut points.

use numerics::mat3::{Vec3, add, scale, sub};

use super::{
    LARGEST_ANGLE, SMALLEST_ANGLE,
    background::Background,
    cut::{ALPHA_LONG, ALPHA_SHORT, Cuts},
    morton::{decode, encode},
    stencil::Stencils,
};
use crate::dihedral_angles;

/// Two centres and two corners, in half cells.
const PLACES: [[u32; 3]; 4] = [[3, 3, 3], [5, 3, 3], [4, 4, 2], [4, 4, 4]];

fn at(i: usize) -> Vec3 {
    PLACES[i].map(f64::from)
}

/// Returns the 14 edges at a vertex, with their alphas.
fn edges() -> Vec<(Vec3, f64)> {
    let short = (0..8).map(|k| ([0, 1, 2].map(|axis| f64::from(2 * ((k >> axis) & 1) - 1)), ALPHA_SHORT));
    let long = (0..6).map(|k| {
        let mut edge = [0.0; 3];
        edge[k / 2] = if k % 2 == 0 { 2.0 } else { -2.0 };
        (edge, ALPHA_LONG)
    });
    short.chain(long).collect()
}

/// Returns all ways to choose `count` of `choices`, with repetition.
fn choices(choices: usize, count: usize) -> impl Iterator<Item = Vec<usize>> {
    (0..choices.pow(count as u32)).map(move |n| (0..count).map(|k| n / choices.pow(k as u32) % choices).collect())
}

/// Returns true if vertices on the surface can have moved along these edges: each from one sign towards the other, and
/// no two towards each other, as a cut point violates one end only.
fn possible(signs: &[i32], on: &[usize], along: &[Vec3]) -> bool {
    let target = |k: usize| (0..4).find(|&j| add(at(on[k]), along[k]) == at(j));
    let to: Vec<Option<usize>> = (0..on.len()).map(target).collect();
    let towards_each_other = (0..on.len()).any(|k| (0..k).any(|l| to[k] == Some(on[l]) && to[l] == Some(on[k])));
    !towards_each_other
        && choices(2, on.len()).any(|before| {
            let mut signs = signs.to_vec();
            on.iter().zip(&before).for_each(|(&i, &b)| signs[i] = 2 * b as i32 - 1);
            (0..on.len()).all(|k| to[k].is_none_or(|j| signs[j] == -signs[on[k]]))
        })
}

#[test]
fn every_stencil_keeps_the_promise() {
    let mut order: Vec<usize> = (0..4).collect();
    order.sort_by_key(|&i| encode(PLACES[i]));
    let codes: Vec<u64> = order.iter().map(|&i| encode(PLACES[i])).collect();
    let number = |i: usize| order.iter().position(|&j| j == i).unwrap() as u32;
    let edges = edges();
    let (mut smallest, mut largest) = (180.0_f64, 0.0_f64);
    for signs in choices(3, 4).map(|n| n.iter().map(|&k| k as i32 - 1).collect::<Vec<_>>()) {
        let on: Vec<usize> = (0..4).filter(|&i| signs[i] == 0).collect();
        let mut values = vec![0.0; 4];
        (0..4).for_each(|i| values[number(i) as usize] = f64::from(signs[i]));
        let background =
            Background { codes: codes.clone(), values, fine: vec![[0, 1, 2, 3].map(number)], ..Background::default() };
        let cuts = Cuts::linear(&background);
        let mut tets = Vec::new();
        Stencils { background: &background, cuts: &cuts }.fill(background.fine[0], &mut |tet| tets.push(tet));
        if tets.is_empty() {
            continue;
        }
        // Cut points and warped vertices at the ends and in the middle of their ranges.
        for along in choices(14, on.len()).map(|n| n.iter().map(|&k| edges[k]).collect::<Vec<_>>()) {
            if !possible(&signs, &on, &along.iter().map(|edge| edge.0).collect::<Vec<_>>()) {
                continue;
            }
            for steps in choices(3, on.len() + cuts.ends.len()) {
                let step = |k: usize| 0.5 * steps[k] as f64;
                let mut points: Vec<Vec3> = codes.iter().map(|&code| decode(code).map(f64::from)).collect();
                for (k, &i) in on.iter().enumerate() {
                    let point = &mut points[number(i) as usize];
                    *point = add(*point, scale(along[k].1 * step(k), along[k].0));
                }
                for (k, ends) in cuts.ends.iter().enumerate() {
                    let [p, q] = ends.map(|i| points[i as usize]);
                    let edge = sub(q, p);
                    let alpha = edges.iter().find(|(e, _)| *e == edge).unwrap().1;
                    points.push(add(p, scale(alpha + (1.0 - 2.0 * alpha) * step(on.len() + k), edge)));
                }
                for tet in &tets {
                    for angle in dihedral_angles(&tet.map(|i| points[i as usize])) {
                        smallest = smallest.min(angle);
                        largest = largest.max(angle);
                    }
                }
            }
        }
    }
    println!("{smallest} to {largest}");
    assert!((SMALLEST_ANGLE..SMALLEST_ANGLE + 0.01).contains(&smallest), "{smallest}");
    assert!((LARGEST_ANGLE - 0.01..LARGEST_ANGLE).contains(&largest), "{largest}");
}
