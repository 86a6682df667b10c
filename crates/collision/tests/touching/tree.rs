use crate::{Dice, on_threads};
use collision::{Bounds, Lists, Sweep, Tree, Volume};
use numerics::mat3::{dot, sub};

fn boxes(dice: &mut Dice, n: usize, size: f64) -> Vec<Bounds> {
    let mut one = || {
        let (p, q) = (dice.point(1.0), dice.point(size));
        Bounds::around([p, std::array::from_fn(|k| p[k] + q[k])])
    };
    (0..n).map(|_| one()).collect()
}

fn brute(a: &[Bounds], b: &[Bounds], ordered: bool) -> Vec<[u32; 2]> {
    let mut pairs = Vec::new();
    for i in 0..a.len() {
        for j in 0..b.len() {
            if (!ordered || i < j) && a[i].overlaps(&b[j]) {
                pairs.push([i as u32, j as u32]);
            }
        }
    }
    pairs
}

#[test]
fn finds_what_brute_force_finds() {
    let mut dice = Dice(1);
    let (mut lists, mut out, mut some) = (Lists::default(), Vec::new(), Vec::new());
    for n in [0, 1, 2, 3, 4, 5, 9, 17, 64, 300, 2000] {
        let (a, b) = (boxes(&mut dice, n, 0.2), boxes(&mut dice, n / 2 + 1, 0.1));
        let moved = boxes(&mut dice, n, 0.3);
        let mut tree = Tree::new(&a);
        let other = Tree::new(&b);
        for now in [&a, &moved] {
            tree.refit(now);
            tree.self_pairs(&mut lists, &mut out);
            assert_eq!(out, brute(now, now, true), "{n}");
            tree.pairs(&other, &mut lists, &mut out);
            assert_eq!(out, brute(now, &b, false), "{n}");
            for query in boxes(&mut dice, 20, 0.5) {
                tree.overlaps(&query, &mut some);
                let expected: Vec<u32> = (0..n).filter(|&i| now[i].overlaps(&query)).map(|i| i as u32).collect();
                assert_eq!(some, expected);
                let p = query.low;
                let measure = |i: u32| {
                    let d = sub(now[i as usize].middle(), p);
                    dot(d, d)
                };
                let nearest = (0..n as u32).map(|i| (measure(i), i)).min_by(|a, b| a.partial_cmp(b).unwrap());
                let found = tree.nearest(p, f64::INFINITY, measure).map(|(i, d)| (d, i));
                assert_eq!(found, nearest);
                assert_eq!(tree.nearest(p, 0.01, measure).map(|(i, d)| (d, i)), nearest.filter(|n| n.0 <= 0.01));
            }
        }
    }
}

#[test]
fn same_pairs_on_any_number_of_threads() {
    let (mut dice, mut moved) = (Dice(2), Dice(3));
    let (a, b) = (boxes(&mut dice, 20_000, 0.1), boxes(&mut moved, 20_000, 0.1));
    let run = || {
        let mut tree = Tree::new(&a);
        tree.refit(&b);
        // In the order of the search, before any sorting.
        let mut out = Vec::new();
        tree.visit_self_pairs(&mut Lists::default(), &mut out, |i, j, list| list.push([i, j]));
        out
    };
    let one = on_threads(1, run);
    assert!(one.len() > 10_000);
    for threads in [2, 4] {
        assert!(one == on_threads(threads, run));
    }
}

#[test]
fn coincident_and_nonsense_boxes_do_no_harm() {
    let mut a = vec![Bounds::around([[0.5; 3]]); 100];
    a[7] = Bounds { low: [f64::NAN; 3], high: [f64::NAN; 3] };
    a[8] = Bounds::EMPTY;
    let (mut lists, mut out) = (Lists::default(), Vec::new());
    Tree::new(&a).self_pairs(&mut lists, &mut out);
    assert_eq!(out.len(), 98 * 97 / 2);
}

/// Moving boxes: features that come near at some time overlap, and those that move together do not.
#[test]
fn sweeps_hold_their_points_on_their_way_and_part_what_moves_together() {
    let (mut dice, fat) = (Dice(9), 1e-3);
    let far = [1e3, -2e3, 5e2];
    let mut seen = 0;
    for _ in 0..2000 {
        // Two points each; the second pair is near the first now or later.
        let ways: [[[f64; 3]; 2]; 4] = std::array::from_fn(|_| {
            let from = dice.point(0.01);
            let to = dice.point(0.01);
            [from, std::array::from_fn(|k| to[k] + far[k])]
        });
        let [a, b, c, d] = ways.map(|way| Sweep::of_point(way, fat, None));
        let (first, second) = (a.union(&b), c.union(&d));
        let at = |way: [[f64; 3]; 2], t: f64| std::array::from_fn(|k| way[0][k] + t * (way[1][k] - way[0][k]));
        let meets = (0..=50).any(|i| {
            let around =
                |p, q| Bounds::around([at(ways[p], i as f64 / 50.0), at(ways[q], i as f64 / 50.0)]).fattened(fat);
            around(0, 1).overlaps(&around(2, 3))
        });
        assert!(!meets || first.overlaps(&second));
        assert_eq!(first.overlaps(&second), second.overlaps(&first));
        seen += usize::from(!first.overlaps(&second));
    }
    assert!(seen > 100, "{seen}");
    let of = |z: f64, body| Sweep::of_point([[0.0, 0.0, z], [0.0, 0.0, z - 10.0]], fat, body);
    assert!(!of(0.0, None).overlaps(&of(0.01, None)));
    assert!(of(0.0, None).overlaps(&of(0.001, None)));
    assert!(!of(0.0, Some(7)).overlaps(&of(0.0, Some(7))));
    assert!(of(0.0, Some(7)).overlaps(&of(0.0, Some(8))));
    assert!(!Sweep::EMPTY.overlaps(&Sweep::EMPTY) && !Sweep::EMPTY.overlaps(&of(0.0, None)));
    let [now, then] = of(0.0, None).ends();
    assert!(now.low[2] <= -fat && now.high[2] >= fat && then.low[2] <= -10.0 - fat && then.high[2] >= fat - 10.0);
}
