use crate::{Dice, near};
use collision::{Contact, Pose, Shape, manifold};
use numerics::mat3::{Vec3, dot, norm, sub};
use numerics::quaternion::from_axis_angle;
use std::f64::consts::FRAC_PI_2;

fn contacts(a: &Shape, pose_a: &Pose, b: &Shape, pose_b: &Pose, margin: f64) -> Vec<Contact> {
    let mut out = Vec::new();
    manifold(a, pose_a, b, pose_b, margin, &mut out);
    out
}

fn shapes() -> Vec<Shape> {
    let mut dice = Dice(21);
    let cloud: Vec<Vec3> = (0..40).map(|_| dice.point(0.6)).collect();
    let (points, triangles) = Shape::Ball { radius: 0.6 }.triangles(4);
    vec![
        Shape::HalfSpace,
        Shape::Ball { radius: 0.5 },
        Shape::Capsule { half_length: 0.4, radius: 0.3 },
        Shape::Box { half: [0.5, 0.4, 0.3] },
        Shape::hull(&cloud).unwrap(),
        Shape::mesh(&points, &triangles).unwrap(),
    ]
}

#[test]
fn swapped_shapes_give_mirrored_contacts_that_are_true() {
    let mut dice = Dice(8);
    let all = shapes();
    let mut found = 0;
    for a in &all {
        for b in &all {
            for _ in 0..60 {
                let (p, q) = (dice.pose(0.7), dice.pose(0.7));
                let one = contacts(a, &p, b, &q, 0.05);
                let mirrored: Vec<Contact> = contacts(b, &q, a, &p, 0.05).iter().map(Contact::mirrored).collect();
                assert_eq!(one, mirrored);
                found += one.len();
                for c in &one {
                    let apart = sub(p.point(c.on_a), q.point(c.on_b));
                    near(&[dot(apart, c.normal), norm(c.normal)], &[c.separation, 1.0], 1e-6);
                    assert!(c.separation <= 0.05);
                }
            }
        }
    }
    assert!(found > 2000, "{found}");
}

/// Convex shapes that do not overlap: the nearest contact is the distance sampled on the surface of one.
#[test]
fn separations_are_distances() {
    let mut dice = Dice(4);
    let all = shapes();
    let mut seen = 0;
    for a in &all[2..5] {
        let samples = samples(a);
        for b in &all[1..6] {
            for _ in 0..60 {
                let (p, q) = (dice.pose(0.8), dice.pose(0.8));
                if !(0.6..1.6).contains(&norm(sub(p.position, q.position))) {
                    continue;
                }
                let distances = samples.iter().map(|x| b.near(q.local_point(p.point(*x))).distance);
                let sampled = distances.fold(f64::INFINITY, f64::min);
                let nearest = contacts(a, &p, b, &q, 0.4).iter().map(|c| c.separation).fold(f64::INFINITY, f64::min);
                if sampled > 0.1 && sampled < 0.3 {
                    seen += 1;
                    // No sample is nearer than the contact, and one is nearly as near.
                    assert!(nearest <= sampled + 1e-9 && nearest > sampled - 0.05, "{nearest} {sampled}\n{a:?}\n{b:?}");
                }
            }
        }
    }
    assert!(seen > 50, "{seen}");
}

/// Returns points all over the triangles of a shape.
fn samples(shape: &Shape) -> Vec<Vec3> {
    let (points, triangles) = shape.triangles(6);
    let n = if triangles.len() < 20 { 12 } else { 4 };
    let weights = (0..=n).flat_map(|i| (0..=n - i).map(move |j| [i, j, n - i - j].map(|k| k as f64 / n as f64)));
    let weights: Vec<Vec3> = weights.collect();
    let of = |t: &[u32; 3]| t.map(|i| points[i as usize]);
    triangles.iter().flat_map(|t| weights.iter().map(move |w| collision::closest::blend(*w, of(t)))).collect()
}

#[test]
fn a_box_stands_on_four_points() {
    let (half, turned) = ([0.5, 0.4, 0.3], from_axis_angle([0.0, 0.0, 1.0], 0.3));
    let cube = Shape::Box { half };
    let hull = Shape::hull(&cube.triangles(1).0).unwrap();
    let (points, triangles) = Shape::HalfSpace.triangles(1);
    let floor = Shape::mesh(&points, &triangles).unwrap();
    let wide = Shape::Box { half: [2.0, 2.0, 1.0] };
    for gap in [0.01, 1e-9, 0.0, -1e-9, -0.01] {
        let pose = Pose::new([0.1, 0.2, 0.3 + gap], turned);
        for body in [&cube, &hull] {
            let grounds = [(&Shape::HalfSpace, 0.0), (&wide, -1.0), (&floor, 0.0)];
            for (ground, height) in grounds {
                let found = contacts(body, &pose, ground, &Pose::at([0.0, 0.0, height]), 0.02);
                let places: Vec<Vec3> = found.iter().map(|c| c.on_a).collect();
                for c in &found {
                    near(&c.normal, &[0.0, 0.0, 1.0], 1e-6);
                    near(&[c.separation, c.on_a[2]], &[gap, -0.3], 1e-9);
                }
                for corner in [[0.5, 0.4, -0.3], [0.5, -0.4, -0.3], [-0.5, 0.4, -0.3], [-0.5, -0.4, -0.3]] {
                    let there = |p: &Vec3| norm(sub(*p, corner)) < 1e-6;
                    assert!(places.iter().any(there), "{gap} {ground:?} {places:?}");
                }
                let most = if matches!(ground, Shape::Mesh(_)) { 8 } else { 4 };
                assert!(found.len() <= most, "{gap} {ground:?} {}", found.len());
            }
        }
    }
}

#[test]
fn capsules_lie_on_two_points() {
    let capsule = Shape::Capsule { half_length: 0.5, radius: 0.1 };
    let (lying, crossed) = (from_axis_angle([0.0, 1.0, 0.0], FRAC_PI_2), from_axis_angle([1.0, 0.0, 0.0], FRAC_PI_2));
    let low = Pose::new([0.0; 3], lying);
    let found = contacts(&capsule, &Pose::new([0.2, 0.0, 0.19], lying), &capsule, &low, 0.01);
    assert_eq!(found.len(), 2);
    let mut along: Vec<f64> = found.iter().map(|c| low.point(c.on_b)[0]).collect();
    along.sort_by(f64::total_cmp);
    near(&along, &[-0.3, 0.5], 1e-9);
    found.iter().for_each(|c| near(&[c.separation, c.normal[2]], &[-0.01, 1.0], 1e-9));

    let found = contacts(&capsule, &Pose::new([0.0, 0.0, 0.19], crossed), &capsule, &low, 0.01);
    assert_eq!(found.len(), 1);
    near(&found[0].normal, &[0.0, 0.0, 1.0], 1e-9);

    let found = contacts(&capsule, &Pose::new([0.0, 0.0, 0.1], lying), &Shape::HalfSpace, &Pose::default(), 0.01);
    assert_eq!(found.len(), 2);
    let ground = Shape::Box { half: [1.0, 1.0, 0.2] };
    for gap in [0.005, 0.0, -0.005] {
        let found = contacts(&capsule, &Pose::new([0.0, 0.0, 0.3 + gap], lying), &ground, &Pose::default(), 0.01);
        assert_eq!(found.len(), 2);
        let span: f64 = found.iter().map(|c| c.on_a[2].abs()).sum();
        near(&[span], &[1.0], 1e-9);
        found.iter().for_each(|c| near(&[c.separation, c.normal[2]], &[gap, 1.0], 1e-9));
    }
}

#[test]
fn a_ball_rolls_over_inner_edges_and_meets_both_sides_of_a_corner() {
    let ball = Shape::Ball { radius: 0.25 };
    let n = 8;
    let points: Vec<Vec3> = (0..=n).flat_map(|j| (0..=n).map(move |i| [i as f64 * 0.1, j as f64 * 0.1, 0.0])).collect();
    let mut triangles = Vec::new();
    for j in 0..n {
        for i in 0..n {
            let a = (j * (n + 1) + i) as u32;
            let b = a + n as u32 + 1;
            triangles.extend([[a, a + 1, b + 1], [a, b + 1, b]]);
        }
    }
    let floor = Shape::mesh(&points, &triangles).unwrap();
    let mut dice = Dice(1);
    for _ in 0..50 {
        let [x, y, _] = dice.point(0.1);
        let at = Pose::at([0.4 + x, 0.4 + y, 0.24]);
        let found = contacts(&ball, &at, &floor, &Pose::default(), 0.05);
        assert_eq!(found.len(), 1, "{found:?}");
        near(&found[0].normal, &[0.0, 0.0, 1.0], 1e-9);
        near(&[found[0].separation], &[-0.01], 1e-12);
    }
    // A wall beside the floor.
    let (mut points, mut triangles) = (points, triangles);
    let first = points.len() as u32;
    points.extend([[0.0, 0.0, 0.0], [0.0, 0.8, 0.0], [0.0, 0.8, 1.0], [0.0, 0.0, 1.0]]);
    triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
    let corner = Shape::mesh(&points, &triangles).unwrap();
    let found = contacts(&ball, &Pose::at([0.24, 0.4, 0.24]), &corner, &Pose::default(), 0.05);
    assert_eq!(found.len(), 2, "{found:?}");
}

#[test]
fn coincident_bodies_have_finite_contacts() {
    for a in &shapes() {
        for b in &shapes() {
            for pose in [Pose::default(), Dice(5).pose(1.0)] {
                for c in contacts(a, &pose, b, &pose, 0.1) {
                    let numbers = c.on_a.iter().chain(&c.on_b).chain(&c.normal).chain([&c.separation]);
                    assert!(numbers.clone().all(|x| x.is_finite()), "{a:?} {b:?} {c:?}");
                    near(&[norm(c.normal)], &[1.0], 1e-9);
                }
            }
        }
    }
}

/// The same pairs of shapes in units that are powers of two of metres: the same contacts to the bit, converted to
/// metres.
#[test]
fn contacts_do_not_depend_on_units() {
    let scaled = |shape: &Shape, m: f64| {
        let all = |points: &[Vec3]| points.iter().map(|p| p.map(|c| m * c)).collect::<Vec<_>>();
        match shape {
            Shape::HalfSpace => Shape::HalfSpace,
            Shape::Ball { radius } => Shape::Ball { radius: m * radius },
            Shape::Box { half } => Shape::Box { half: half.map(|c| m * c) },
            Shape::Capsule { half_length, radius } => {
                Shape::Capsule { half_length: m * half_length, radius: m * radius }
            }
            Shape::Hull(hull) => Shape::hull(&all(hull.mesh().points())).unwrap(),
            Shape::Mesh(mesh) => Shape::mesh(&all(mesh.points()), mesh.triangles()).unwrap(),
        }
    };
    let mut dice = Dice(17);
    let poses: Vec<[Pose; 2]> = (0..20).map(|_| [dice.pose(0.7), dice.pose(0.7)]).collect();
    // Converted once as well: corners of a hull made of corners are numbered differently from those of a cloud.
    let all: Vec<Shape> = shapes().iter().map(|shape| scaled(shape, 1.0)).collect();
    for m in [2f64.powi(-20), 2f64.powi(10)] {
        let others: Vec<Shape> = all.iter().map(|shape| scaled(shape, m)).collect();
        let posed = |pose: &Pose| Pose { position: pose.position.map(|c| m * c), ..*pose };
        for (i, j) in (0..all.len()).flat_map(|i| (0..all.len()).map(move |j| (i, j))) {
            for [p, q] in &poses {
                let expected = contacts(&all[i], p, &all[j], q, 0.05);
                let found = contacts(&others[i], &posed(p), &others[j], &posed(q), m * 0.05);
                let read = found.iter().map(|c| Contact {
                    on_a: c.on_a.map(|x| x / m),
                    on_b: c.on_b.map(|x| x / m),
                    separation: c.separation / m,
                    ..*c
                });
                assert_eq!(read.collect::<Vec<_>>(), expected, "{i} and {j} with metres times {m}");
            }
        }
    }
}
