//! Segments of hair, whose boxes overlap by the hundred.

use crate::{Dice, on_threads};
use collision::pairs::{follow, rest_distance};
use collision::{CollisionSurface, Kind, Lists};
use numerics::mat3::{Vec3, add, scale, sub, unit};

const REACH: f64 = 4e-3;

/// Hairs of six segments that stand in a square, and lean and move in ways that differ a little; some run from tip to root.
fn hairs(dice: &mut Dice, count: u32, far: Vec3) -> (Vec<f64>, Vec<f64>, Vec<[u32; 2]>) {
    let (mut now, mut then, mut edges) = (Vec::new(), Vec::new(), Vec::new());
    for hair in 0..count {
        let root = add(far, dice.point(0.05));
        let way = unit(add([0.5, 0.4, 1.0], dice.point(0.2)));
        let drift = add([0.03, -0.01, 0.02], dice.point(0.004));
        for k in 0..7 {
            let k = f64::from(if hair % 3 == 0 { 6 - k } else { k });
            let x = add(root, scale(0.03 * k, way));
            now.extend(x);
            then.extend(add(x, add(drift, scale(0.002 * k, [0.0, 1.0, 0.0]))));
        }
        edges.extend((0..6).map(|k| [7 * hair + k, 7 * hair + k + 1]));
    }
    (now, then, edges)
}

fn visited(surface: &mut CollisionSurface, ways: [&[f64]; 2], stale: Option<&[bool]>) -> Vec<[u32; 4]> {
    let mut out = Vec::new();
    surface.visit_candidates(ways, REACH, stale, &mut Lists::default(), &mut out, |pair, list| list.push(pair.nodes));
    out.sort_unstable();
    out
}

#[test]
fn all_pairs_that_come_near_are_visited_once_and_few_others() {
    for (seed, far) in [(1, [0.0; 3]), (2, [1e3, -2e3, 500.0])] {
        let (now, then, edges) = hairs(&mut Dice(seed), 60, far);
        let mut surface = CollisionSurface::new(&[], &edges, &[]);
        let found = visited(&mut surface, [&now, &then], None);
        let mut once = found.clone();
        once.dedup();
        assert_eq!(once.len(), found.len());
        let samples: Vec<Vec<f64>> =
            (0..=20).map(|k| now.iter().zip(&then).map(|(a, b)| a + f64::from(k) / 20.0 * (b - a)).collect()).collect();
        let mut near = 0;
        for (k, [a, b]) in edges.iter().enumerate() {
            for [c, d] in &edges[k + 1..] {
                let nodes = [*a, *b, *c, *d];
                let distances = samples.iter().map(|x| rest_distance(Kind::EdgeEdge, nodes, x));
                let is_near = b != c && distances.fold(f64::INFINITY, f64::min) <= REACH;
                assert!(!is_near || found.binary_search(&nodes).is_ok(), "{nodes:?} come near and are not visited");
                near += usize::from(is_near);
            }
        }
        println!("{near} pairs come near, {} visited, of {}", found.len(), edges.len() * (edges.len() - 1) / 2);
        assert!(near > 100 && 100 * found.len() < edges.len() * edges.len() / 2, "{} visited", found.len());
        assert_eq!(found, on_threads(1, || visited(&mut surface, [&now, &then], None)));
    }
}

#[test]
fn pairs_of_stale_nodes_are_those_of_all_pairs() {
    let (now, then, edges) = hairs(&mut Dice(3), 60, [0.0; 3]);
    let mut surface = CollisionSurface::new(&[], &edges, &[]);
    let all = visited(&mut surface, [&now, &then], None);
    let stale: Vec<bool> = (0..now.len() / 3).map(|k| k % 11 == 0).collect();
    let some = visited(&mut surface, [&now, &then], Some(&stale));
    let expected: Vec<_> = all.iter().filter(|nodes| nodes.iter().any(|&i| stale[i as usize])).copied().collect();
    assert!(some.len() > 100 && some.len() < all.len());
    assert_eq!(some, expected);
}

#[test]
fn bodies_alone_do_not_meet_themselves() {
    let (now, then, edges) = hairs(&mut Dice(4), 40, [0.0; 3]);
    let bodies: Vec<u32> = (0..now.len() as u32 / 3).map(|node| node / 7 % 2).collect();
    let mut surface = CollisionSurface::new(&[], &edges, &[]).between_bodies(&bodies);
    let found = visited(&mut surface, [&now, &then], None);
    let all = visited(&mut CollisionSurface::new(&[], &edges, &[]), [&now, &then], None);
    let of = |node: u32| bodies[node as usize];
    let expected: Vec<_> = all.into_iter().filter(|nodes| of(nodes[0]) != of(nodes[2])).collect();
    assert!(expected.len() > 20);
    assert_eq!(found, expected);
}

#[test]
fn features_whose_ways_change_by_less_than_their_clearance_do_not_meet() {
    let (mut dice, gap, mut tested) = (Dice(5), 0.02, 0);
    for k in 0..4000 {
        let kind = [Kind::VertexTriangle, Kind::EdgeEdge][k % 2];
        let (x, u): ([Vec3; 4], [Vec3; 4]) =
            (std::array::from_fn(|_| dice.point(1.0)), std::array::from_fn(|_| dice.point(1.0)));
        // What begins nearer has a gap of its own.
        let before = rest_distance(kind, [0, 1, 2, 3], x.as_flattened());
        let Some(Ok(clearance)) = (before > gap).then(|| follow(kind, x, u, gap)) else { continue };
        // Both sides towards each other, by half of it each.
        let by = scale(0.499 * clearance, unit(dice.point(1.0)));
        let first = if kind == Kind::VertexTriangle { 1 } else { 2 };
        let changed: [Vec3; 4] = std::array::from_fn(|i| if i < first { add(u[i], by) } else { sub(u[i], by) });
        let at = |t: f64| (0..4).flat_map(|i| add(x[i], scale(t, changed[i]))).collect::<Vec<f64>>();
        let distances = (0..=50).map(|t| rest_distance(kind, [0, 1, 2, 3], &at(f64::from(t) / 50.0)));
        let least = distances.fold(f64::INFINITY, f64::min);
        assert!(clearance >= 0.0 && least > gap, "pair {k} had {clearance} m of room, and comes as near as {least} m");
        tested += usize::from(clearance > 0.0);
    }
    assert!(tested > 1000, "{tested}");
}
