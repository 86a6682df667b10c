use crate::{Dice, near, on_threads};
use collision::pairs::rest_distance;
use collision::{CollisionSurface, Kind, Lists, Pose, Reach, Shape, Touch, Vertices};
use numerics::mat3::{Vec3, add, dot, norm, scale, sub};

const REACH: Reach = Reach { thickness: 0.02, margin: 0.01, depth: 0.1 };

fn flat(points: &[Vec3]) -> Vec<f64> {
    points.concat()
}

/// A sheet of n x n cells of a size at a height, whose nodes begin at `first`.
fn sheet(n: u32, size: f64, height: f64, first: u32) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let points = (0..=n).flat_map(|j| (0..=n).map(move |i| [i as f64 * size, j as f64 * size, height]));
    let cells = (0..n).flat_map(|j| (0..n).map(move |i| first + j * (n + 1) + i));
    let triangles = cells.flat_map(|a| [[a, a + 1, a + n + 2], [a, a + n + 2, a + n + 1]]);
    (points.collect(), triangles.collect())
}

/// Single disconnected triangles, and edges and points.
fn soup(dice: &mut Dice, n: u32) -> (Vec<Vec3>, CollisionSurface) {
    let mut points: Vec<Vec3> = Vec::new();
    for _ in 0..n {
        let at = dice.point(0.3);
        points.extend((0..3).map(|_| add(at, dice.point(0.1))));
    }
    let triangles: Vec<[u32; 3]> = (0..n / 2).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    let edges: Vec<[u32; 2]> = (n / 2..n).map(|k| [3 * k, 3 * k + 1]).collect();
    let single: Vec<u32> = (n / 2..n).map(|k| 3 * k + 2).collect();
    (points, CollisionSurface::new(&triangles, &edges, &single))
}

fn found(surface: &mut CollisionSurface, now: &[f64], predicted: &[f64], reach: &Reach) -> Vec<Touch> {
    let mut out = Vec::new();
    surface.touches(now, predicted, reach, |_, _| true, &mut out);
    out
}

/// Returns the least distance over samples of the motion.
fn sampled(kind: Kind, nodes: [u32; 4], now: &[f64], predicted: &[f64]) -> f64 {
    let at = |t: f64| -> Vec<f64> { now.iter().zip(predicted).map(|(a, b)| a + t * (b - a)).collect() };
    (0..=100).map(|k| rest_distance(kind, nodes, &at(k as f64 / 100.0))).fold(f64::INFINITY, f64::min)
}

#[test]
fn single_triangles_edges_and_points_as_by_brute_force() {
    let mut dice = Dice(11);
    for speed in [0.0, 0.05, 0.3] {
        let n = 40;
        let (points, mut surface) = soup(&mut dice, n);
        let now = flat(&points);
        let predicted: Vec<f64> = now.iter().map(|x| x + speed * (dice.number() - 0.5)).collect();
        let touches = found(&mut surface, &now, &predicted, &REACH);
        assert!(touches.len() > 5);
        let has = |kind: Kind, nodes: [u32; 4]| touches.iter().any(|t| t.kind == kind && t.nodes == nodes);
        let keep = REACH.thickness + REACH.margin;
        let (mut kept, triangles) = (0, n / 2);
        for t in 0..triangles {
            let face = [3 * t, 3 * t + 1, 3 * t + 2];
            for v in (0..3 * n).filter(|v| v / 3 != t) {
                let nodes = [v, face[0], face[1], face[2]];
                let near = sampled(Kind::VertexTriangle, nodes, &now, &predicted) <= keep;
                assert!(!near || has(Kind::VertexTriangle, nodes), "{speed} {nodes:?}");
                kept += usize::from(near);
            }
        }
        // Edges without a triangle: each pair of them.
        for a in triangles..n {
            for b in a + 1..n {
                let nodes = [3 * a, 3 * a + 1, 3 * b, 3 * b + 1];
                let near = sampled(Kind::EdgeEdge, nodes, &now, &predicted) <= keep;
                assert!(!near || has(Kind::EdgeEdge, nodes), "{speed} {nodes:?}");
                kept += usize::from(near);
            }
        }
        assert!(kept > 0);
        for t in &touches {
            near(&[norm(t.normal), t.weights.iter().sum()], &[1.0, 0.0], 1e-12);
            assert!(sampled(t.kind, t.nodes, &now, &predicted) <= keep + 0.3 * speed + 1e-9, "{t:?}");
            let pairs = touches.iter().filter(|o| o.kind == t.kind && o.nodes == t.nodes);
            assert_eq!(pairs.count(), 1);
        }
    }
}

#[test]
fn two_sheets_touch_across_and_nowhere_else() {
    let n = 6;
    let (mut points, mut triangles) = sheet(n, 0.1, 0.0, 0);
    let count = points.len() as u32;
    let (upper, others) = sheet(n, 0.1, 0.025, count);
    points.extend(upper.iter().map(|p| add(*p, [0.031, 0.042, 0.0])));
    triangles.extend(others);
    let now = flat(&points);
    let touches = found(&mut CollisionSurface::new(&triangles, &[], &[]), &now, &now, &REACH);
    for t in &touches {
        // Straight up or down, never slanted, from one sheet to the other.
        let side = if t.nodes[0] < count { -1.0 } else { 1.0 };
        near(&t.normal, &[0.0, 0.0, side], 1e-9);
        near(&[t.distance], &[0.025], 1e-12);
        let last = t.nodes[3] < count;
        assert!((t.nodes[0] < count) != last);
    }
    // Each vertex above or below the other sheet once.
    let vertices: Vec<u32> = touches.iter().filter(|t| t.kind == Kind::VertexTriangle).map(|t| t.nodes[0]).collect();
    let mut once = vertices.clone();
    once.sort_unstable();
    once.dedup();
    assert_eq!(once.len(), vertices.len());
    assert_eq!(vertices.len() as u32, 2 * n * n);
    assert!(touches.iter().any(|t| t.kind == Kind::EdgeEdge));

    // The same with each sheet as a separate surface.
    let half = triangles.len() / 2;
    let mut lower = CollisionSurface::new(&triangles[..half], &[], &[]);
    let mut upper = CollisionSurface::new(&triangles[half..], &[], &[]);
    let mut out = Vec::new();
    lower.touches_with(&mut upper, &now, &now, &REACH, |_, _| true, &mut out);
    assert_eq!(out, touches);
    // The same with both in one, of different bodies.
    let bodies: Vec<u32> = (0..points.len() as u32).map(|i| u32::from(i >= count)).collect();
    let mut both = CollisionSurface::new(&triangles, &[], &[]).between_bodies(&bodies);
    assert_eq!(found(&mut both, &now, &now, &REACH), touches);
    let mut one = CollisionSurface::new(&triangles, &[], &[]).between_bodies(&vec![3; points.len()]);
    assert!(found(&mut one, &now, &now, &REACH).is_empty());
    // Pairs that the filter rejects are left out.
    lower.touches_with(&mut upper, &now, &now, &REACH, |kind, _| kind == Kind::EdgeEdge, &mut out);
    assert!(!out.is_empty() && out.iter().all(|t| t.kind == Kind::EdgeEdge));
}

#[test]
fn a_fast_vertex_is_seen_where_it_arrives_and_on_the_side_it_comes_from() {
    let (mut points, triangles) = sheet(4, 0.1, 0.0, 0);
    points.push([0.05, 0.02, 0.5]);
    let now = flat(&points);
    let mut predicted = now.clone();
    let v = 3 * (points.len() - 1);
    predicted[v..v + 3].copy_from_slice(&[0.35, 0.32, -0.5]);
    let touches = found(&mut CollisionSurface::new(&triangles, &[], &[25]), &now, &predicted, &REACH);
    let arrives = touches.iter().find(|t| {
        let place = (1..4).fold([0.0; 3], |p, k| add(p, scale(-t.weights[k], points[t.nodes[k] as usize])));
        norm(sub(place, [0.194, 0.164, 0.0])) < 1e-3
    });
    let t = arrives.unwrap();
    near(&t.normal, &[0.0, 0.0, 1.0], 1e-9);
    near(&[t.distance], &[0.5], 1e-9);
}

#[test]
fn degenerate_pairs_have_a_normal() {
    let moves = [[0.0; 3], [0.0, 0.0, -1e-3], [1e-3, 0.0, 0.0]];
    let o = [0.0; 3];
    let shapes: [[Vec3; 6]; 5] = [
        [o; 6],
        [o, [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.02, 0.02, 0.0], [0.12, 0.02, 0.0], [0.02, 0.12, 0.0]],
        [o, [0.1, 0.0, 0.0], [0.2, 0.0, 0.0], [0.05, 0.0, 0.0], [0.15, 0.0, 0.0], [0.07, 0.0, 0.0]],
        [o, [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], o, [0.1, 0.0, 0.0], [0.0, 0.1, 0.0]],
        [o, [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.02, 0.02, 1e-18], [0.1, 0.02, 0.1], [0.02, 0.1, 0.1]],
    ];
    for points in shapes {
        for u in moves {
            let now = flat(&points);
            let mut predicted = now.clone();
            (9..18).for_each(|k| predicted[k] += u[k % 3]);
            for mut surface in [
                CollisionSurface::new(&[[0, 1, 2], [3, 4, 5]], &[], &[]),
                CollisionSurface::new(&[], &[[0, 1], [3, 4]], &[2, 5]),
                CollisionSurface::new(&[[0, 1, 2], [0, 0, 1]], &[[3, 4], [4, 4]], &[5, 5]),
            ] {
                let touches = found(&mut surface, &now, &predicted, &REACH);
                assert!(!touches.is_empty());
                for t in touches {
                    near(&[norm(t.normal)], &[1.0], 1e-12);
                    assert!(t.distance.is_finite() && t.distance > -1e-12 && t.weights.iter().all(|w| w.is_finite()));
                }
            }
        }
    }
    // A vertex in the plane of a triangle comes from the side opposite to its motion.
    let points = [o, [0.1, 0.0, 0.0], [0.0, 0.1, 0.0], [0.02, 0.02, 0.0]];
    for u in [-1e-3, 1e-3] {
        let now = flat(&points);
        let mut predicted = now.clone();
        predicted[11] += u;
        let touches = found(&mut CollisionSurface::new(&[[0, 1, 2]], &[], &[3]), &now, &predicted, &REACH);
        assert_eq!(touches.len(), 1);
        near(&touches[0].normal, &[0.0, 0.0, -u.signum()], 0.0);
    }
    // Empty input gives nothing, and NaN meets nothing.
    assert!(found(&mut CollisionSurface::new(&[], &[], &[]), &[], &[], &REACH).is_empty());
    let nan = [f64::NAN; 12];
    assert!(found(&mut CollisionSurface::new(&[[0, 1, 2]], &[], &[3]), &nan, &nan, &REACH).is_empty());
}

#[test]
fn same_touches_on_any_number_of_threads_and_for_any_age_of_the_tree() {
    let (points, triangles) = sheet(40, 0.02, 0.0, 0);
    let fold = |p: &Vec3, angle: f64| [p[0].min(0.8 - p[0]), p[1], p[2] + 0.015 * (p[0] * angle).sin()];
    let now: Vec<f64> = points.iter().flat_map(|p| fold(p, 20.0)).collect();
    let before: Vec<f64> = points.concat();
    let run = |aged: bool| {
        let mut surface = CollisionSurface::new(&triangles, &[], &[]);
        if aged {
            found(&mut surface, &before, &before, &REACH);
        }
        let mut out = Vec::new();
        let keep = |kind, nodes| rest_distance(kind, nodes, &before) > REACH.thickness;
        surface.touches(&now, &now, &REACH, keep, &mut out);
        out
    };
    let one = on_threads(1, || run(false));
    assert!(one.len() > 1000);
    for threads in [1, 2, 4] {
        assert!(one == on_threads(threads, || run(true)));
    }
}

fn with_shape(shape: &Shape, poses: [&Pose; 2], points: &[Vec3], to: &[Vec3], reach: &Reach) -> Vec<(u32, Vec3, f64)> {
    let (mut lists, mut out) = (Lists::default(), Vec::new());
    let nodes: Vec<u32> = (0..points.len() as u32).collect();
    let [now, predicted] = [points, to].map(flat);
    let vertices = Vertices { nodes: &nodes, now: &now, predicted: &predicted };
    shape.touches(poses, vertices, reach, &mut lists, &mut out);
    out.iter().map(|t| (t.node, t.normal, t.distance)).collect()
}

#[test]
fn vertices_meet_shapes_on_their_way() {
    let plate = Shape::Box { half: [1.0, 1.0, 0.001] };
    let still = Pose::default();
    // Through a thin plate within a step, from either side, and not at all.
    let from = [[0.2, 0.3, 0.5], [0.2, 0.3, -0.5], [0.2, 0.3, 0.5], [3.0, 0.3, 0.5]];
    let to = [[0.3, 0.3, -0.5], [0.3, 0.3, 0.5], [0.3, 0.3, 0.4], [3.0, 0.3, -0.5]];
    let found = with_shape(&plate, [&still, &still], &from, &to, &REACH);
    assert_eq!(found.len(), 2);
    near(&found[0].1, &[0.0, 0.0, 1.0], 1e-12);
    near(&found[1].1, &[0.0, 0.0, -1.0], 1e-12);
    near(&[found[0].2, found[1].2], &[0.499, 0.499], 1e-12);
    // The plate moves instead.
    let moved = Pose::at([0.0, 0.0, 1.0]);
    let found = with_shape(&plate, [&still, &moved], &from[..1], &from[..1], &REACH);
    near(&found[0].1, &[0.0, 0.0, 1.0], 1e-12);
    // Deep inside a mesh: detected to the given depth.
    let (points, triangles) = Shape::Ball { radius: 0.5 }.triangles(6);
    let mesh = Shape::mesh(&points, &triangles).unwrap();
    let inside = [[0.0, 0.0, 0.45], [0.0, 0.0, 0.2]];
    let found = with_shape(&mesh, [&still, &still], &inside, &inside, &REACH);
    assert_eq!(found.iter().map(|f| f.0).collect::<Vec<_>>(), [0]);
    let deep = with_shape(&mesh, [&still, &still], &inside, &inside, &Reach { depth: 1.0, ..REACH });
    assert_eq!(deep.len(), 2);
}

#[test]
fn vertices_near_shapes_as_by_samples_of_their_way() {
    let mut dice = Dice(77);
    let (points, triangles) = Shape::Capsule { half_length: 0.3, radius: 0.2 }.triangles(5);
    for shape in [
        Shape::HalfSpace,
        Shape::Ball { radius: 0.3 },
        Shape::Box { half: [0.3, 0.2, 0.1] },
        Shape::Capsule { half_length: 0.3, radius: 0.2 },
        Shape::mesh(&points, &triangles).unwrap(),
        Shape::hull(&points).unwrap(),
    ] {
        let pose = dice.pose(0.2);
        let from: Vec<Vec3> = (0..500).map(|_| dice.point(0.8)).collect();
        let to: Vec<Vec3> = from.iter().map(|p| add(*p, dice.point(0.2))).collect();
        let reach = Reach { depth: 1.0, ..REACH };
        let found = with_shape(&shape, [&pose, &pose], &from, &to, &reach);
        let mut hits = 0;
        for k in 0..from.len() {
            let way = (0..=200).map(|i| {
                let p = add(from[k], scale(i as f64 / 200.0, sub(to[k], from[k])));
                shape.near(pose.local_point(p)).distance
            });
            let least = way.fold(f64::INFINITY, f64::min);
            let touch = found.iter().find(|f| f.0 == k as u32);
            assert!(touch.is_some() || least > REACH.thickness + REACH.margin, "{shape:?} {k} {least}");
            assert!(touch.is_none() || least <= REACH.thickness + REACH.margin + 0.1, "{shape:?} {k} {least}");
            hits += usize::from(touch.is_some());
            assert!(touch.is_none_or(|t| (dot(t.1, t.1) - 1.0).abs() < 1e-12 && t.2.is_finite()));
        }
        assert!(hits > 10 && hits < 480, "{shape:?} {hits}");
    }
}

/// Random numbers from -1 to 1.
fn any(state: &mut u64) -> f64 {
    *state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
    (*state >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}

#[test]
fn first_contacts_are_at_or_before_the_first_approach_and_none_is_missed() {
    use collision::pairs::{between, first_contact, separation};
    let (mut state, gap, mut touched) = (3, 1e-3, 0);
    for k in 0..4000 {
        let kind = [Kind::VertexTriangle, Kind::EdgeEdge][k % 2];
        let mut four =
            |size: f64| -> [[f64; 3]; 4] { std::array::from_fn(|_| std::array::from_fn(|_| size * any(&mut state))) };
        let (mut x, mut u) = (four(1.0), four(2.0));
        if k % 5 == 0 {
            // Flat: everything in one plane.
            x.iter_mut().chain(&mut u).for_each(|p| p[2] = 0.0);
        }
        if k % 7 == 0 {
            x[3] = std::array::from_fn(|c| x[2][c] + x[1][c] - x[0][c]); // parallel edges
        }
        let at = |t: f64| -> [[f64; 3]; 4] { std::array::from_fn(|k| std::array::from_fn(|c| x[k][c] + t * u[k][c])) };
        let distance = |t: f64| {
            let d = between(separation(kind, at(t), u).weights, at(t));
            d.iter().map(|c| c * c).sum::<f64>().sqrt()
        };
        if distance(0.0) <= gap {
            continue;
        }
        let least = (0..=400).map(|n| n as f64 / 400.0).find(|t| distance(*t) <= gap);
        let found = first_contact(kind, x, u, gap);
        if let Some(time) = least {
            assert!(found.is_some_and(|found| found.time <= time), "pair {k}: {found:?}, but they meet at {time}");
        }
        if let Some(found) = found {
            touched += 1;
            assert!(distance(found.time) > gap * (1.0 - 1e-9), "pair {k}: reported after they met");
        }
    }
    assert!(touched > 500, "{touched}");
}
