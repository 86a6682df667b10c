use crate::Dice;
use collision::closest::{blend, of_segments, on_segment, on_triangle};
use numerics::mat3::{Vec3, add, norm, scale, sub};

fn along([a, b]: [Vec3; 2], t: f64) -> Vec3 {
    add(a, scale(t, sub(b, a)))
}

/// Corners in general position, coincident, or on a line.
fn corners(dice: &mut Dice, k: usize) -> [Vec3; 4] {
    let mut p: [Vec3; 4] = std::array::from_fn(|_| dice.point(1.0));
    match k % 6 {
        1 => p[1] = p[0],
        2 => p[2] = along([p[0], p[1]], 0.3),
        3 => p = [p[0]; 4],
        4 => p[3] = add(p[2], scale(0.7, sub(p[1], p[0]))), // parallel edges
        5 => p = p.map(|q| [q[0], 0.0, 0.0]),
        _ => {}
    }
    p
}

#[test]
fn nothing_sampled_is_nearer() {
    let mut dice = Dice(5);
    for k in 0..600 {
        let c = corners(&mut dice, k);
        let p = dice.point(1.0);
        let w = on_triangle(p, [c[0], c[1], c[2]]);
        assert!(w.iter().all(|w| *w >= 0.0) && (w.iter().sum::<f64>() - 1.0).abs() < 1e-12, "{w:?}");
        let nearest = norm(sub(p, blend(w, [c[0], c[1], c[2]])));
        let [s, t] = of_segments([c[0], c[1]], [c[2], c[3]]);
        assert!((0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t));
        let gap = norm(sub(along([c[0], c[1]], s), along([c[2], c[3]], t)));
        let n = 40;
        for i in 0..=n {
            let x = i as f64 / n as f64;
            // One end sampled, the other the nearest of all.
            let q = along([c[0], c[1]], x);
            let y = on_segment(q, c[2], c[3]);
            assert!(gap <= norm(sub(q, along([c[2], c[3]], y))) + 1e-9, "{k} {c:?}");
            for j in 0..=n - i {
                let y = j as f64 / n as f64;
                let q = blend([1.0 - x - y, x, y], [c[0], c[1], c[2]]);
                assert!(nearest <= norm(sub(p, q)) + 1e-9, "{k} {c:?}");
            }
        }
    }
}

#[test]
fn parallel_edges_touch_in_the_middle_of_their_common_part() {
    let [s, t] = of_segments([[0.0; 3], [4.0, 0.0, 0.0]], [[2.0, 1.0, 0.0], [6.0, 1.0, 0.0]]);
    assert_eq!([s, t], [0.75, 0.25]);
    let [s, t] = of_segments([[0.0; 3], [1.0, 0.0, 0.0]], [[3.0, 1.0, 0.0], [2.0, 1.0, 0.0]]);
    assert_eq!([s, t], [1.0, 1.0]);
}
