//! Triangle surfaces as shapes: distance and sign, intact and damaged.

use std::f64::consts::PI;

use geometry::{Distance, Embedding, Fineness, SurfaceDistance, SurfaceError, Wanted, components, isosurface, stuff};
use numerics::mat3::{Vec3, add, mat_vec, norm, rotation, scale, sub};

type Triangles = (Vec<Vec3>, Vec<[u32; 3]>);

/// A function with a box.
struct Bounded<F>(F, [Vec3; 2]);

impl<F: Fn(Vec3) -> f64 + Sync> Distance for Bounded<F> {
    fn at(&self, point: Vec3) -> f64 {
        self.0(point)
    }
    fn bounds(&self) -> [Vec3; 2] {
        self.1
    }
}

/// Two angles around, periodic in both, at n and m steps.
fn torus(n: u32, m: u32) -> Triangles {
    let point = |i: u32, j: u32| {
        let [u, v] = [2.0 * PI * f64::from(i) / f64::from(n), 2.0 * PI * f64::from(j) / f64::from(m)];
        let r = 1.0 + 0.4 * v.cos();
        [r * u.cos(), r * u.sin(), 0.4 * v.sin()]
    };
    let points = (0..n * m).map(|k| point(k / m, k % m)).collect();
    let at = |i: u32, j: u32| (i % n) * m + j % m;
    let quads = (0..n * m).map(|k| (k / m, k % m));
    let triangles = quads.flat_map(|(i, j)| {
        let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
        [[a, b, c], [a, c, d]]
    });
    (points, triangles.collect())
}

fn torus_distance([x, y, z]: Vec3) -> f64 {
    (x.hypot(y) - 1.0).hypot(z) - 0.4
}

/// An octahedron, subdivided and projected to the unit sphere.
fn sphere(times: u32) -> Triangles {
    let mut points: Vec<Vec3> =
        vec![[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];
    let mut triangles: Vec<[u32; 3]> =
        vec![[0, 2, 4], [2, 1, 4], [1, 3, 4], [3, 0, 4], [2, 0, 5], [1, 2, 5], [3, 1, 5], [0, 3, 5]];
    for _ in 0..times {
        let mut middles = std::collections::HashMap::new();
        let mut middle = |i: u32, j: u32| {
            *middles.entry((i.min(j), i.max(j))).or_insert_with(|| {
                let sum = add(points[i as usize], points[j as usize]);
                points.push(scale(1.0 / norm(sum), sum));
                points.len() as u32 - 1
            })
        };
        triangles = (triangles.iter())
            .flat_map(|&[a, b, c]| {
                let [d, e, f] = [middle(a, b), middle(b, c), middle(c, a)];
                [[a, d, f], [d, b, e], [f, e, c], [d, e, f]]
            })
            .collect();
    }
    (points, triangles)
}

fn cube() -> Triangles {
    let points = (0..8).map(|k| [k & 1, k >> 1 & 1, k >> 2].map(|b| f64::from(b) - 0.5)).collect();
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    (points, quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect())
}

fn cube_distance(p: Vec3) -> f64 {
    let q = p.map(|x| x.abs() - 0.5);
    norm(q.map(|x| x.max(0.0))) + q[0].max(q[1]).max(q[2]).min(0.0)
}

/// Returns points all over a box around the shapes.
fn grid() -> impl Iterator<Item = Vec3> {
    let n = 23;
    (0..n * n * n).map(move |k| [k % n, k / n % n, k / n / n].map(|i| (f64::from(i) - 11.03) * 0.143))
}

fn distance_of((points, triangles): &Triangles) -> SurfaceDistance {
    SurfaceDistance::new(points, triangles).unwrap()
}

/// Compares with the true distance everywhere, the sign where the surface is further than the tolerance.
fn check(surface: &Triangles, truth: impl Fn(Vec3) -> f64, tolerance: f64) {
    let distance = distance_of(surface);
    for p in grid() {
        let [found, exact] = [distance.at(p), truth(p)];
        assert!((found - exact).abs() < tolerance, "at {p:?}: {found}, not {exact}");
    }
}

#[test]
fn distances_are_those_of_the_shapes() {
    check(&cube(), cube_distance, 1e-12);
    check(&sphere(5), |p| norm(p) - 1.0, 2e-3);
    check(&torus(160, 80), torus_distance, 2e-3);
}

#[test]
fn a_surface_inside_out_is_turned() {
    let (points, mut triangles) = sphere(4);
    triangles.iter_mut().for_each(|t| t.swap(0, 1));
    check(&(points, triangles), |p| norm(p) - 1.0, 8e-3);
}

#[test]
fn single_triangles_and_patches_that_are_turned_change_nothing() {
    let (points, mut triangles) = sphere(5);
    for t in (0..triangles.len()).step_by(7) {
        triangles[t].swap(0, 1);
    }
    triangles[2000..2400].iter_mut().for_each(|t| t.swap(1, 2));
    let surface = distance_of(&(points.clone(), triangles.clone()));
    assert!(surface.turned() > 1000);
    // As in STL: every triangle with its own points.
    let apart: Vec<Vec3> = triangles.iter().flatten().map(|&i| points[i as usize]).collect();
    let alone = (0..triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    check(&(points, triangles), |p| norm(p) - 1.0, 2e-3);
    check(&(apart, alone), |p| norm(p) - 1.0, 2e-3);
}

#[test]
fn doubled_and_intersecting_triangles_change_nothing() {
    let (points, mut triangles) = sphere(5);
    triangles.extend_from_within(100..600);
    check(&(points, triangles), |p| norm(p) - 1.0, 2e-3);
    // Two spheres, one moved along x by half: the union.
    let (mut points, mut triangles) = sphere(5);
    let count = points.len() as u32;
    points.extend(points.clone().into_iter().map(|p| add(p, [0.5, 0.0, 0.0])));
    triangles.extend(triangles.clone().into_iter().map(|t| t.map(|i| i + count)));
    let surface = distance_of(&(points, triangles));
    for p in grid() {
        let exact = (norm(p) - 1.0).min(norm(sub(p, [0.5, 0.0, 0.0])) - 1.0);
        if exact.abs() > 2e-3 {
            assert_eq!(surface.at(p) < 0.0, exact < 0.0, "at {p:?}");
        }
    }
}

#[test]
fn a_hole_of_a_few_triangles_is_closed() {
    let (points, mut triangles) = sphere(5);
    let hole = triangles.split_off(triangles.len() - 6);
    let surface = distance_of(&(points.clone(), triangles));
    let middle = points[hole[0][0] as usize];
    let size = 0.15;
    for p in grid() {
        let exact = norm(p) - 1.0;
        if exact.abs() > 2e-3 && norm(sub(p, middle)) > size {
            assert_eq!(surface.at(p) < 0.0, exact < 0.0, "at {p:?}");
        }
    }
    let mesh = stuff(&surface, &Wanted::spacing(0.05), &mut |_| {}).unwrap().mesh;
    mesh.validate().unwrap();
    assert_eq!(components(&mesh).1, 1);
    assert!((mesh.volume() / (4.0 / 3.0 * PI) - 1.0).abs() < 0.01, "{}", mesh.volume());
}

#[test]
fn open_surfaces_are_refused_with_the_place() {
    let (points, triangles) = sphere(4);
    let above: Vec<_> =
        triangles.into_iter().filter(|t| t.iter().map(|&i| points[i as usize][2]).sum::<f64>() > 0.0).collect();
    match SurfaceDistance::new(&points, &above) {
        Err(SurfaceError::Open { share, near }) => assert!(share > 0.2 && near[2] < 0.2, "{share} {near:?}"),
        other => panic!("{:?}", other.err()),
    }
    let plane = (vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]], vec![[0, 1, 2], [0, 2, 3]]);
    assert!(matches!(SurfaceDistance::new(&plane.0, &plane.1), Err(SurfaceError::Open { share, .. }) if share > 0.99));
}

#[test]
fn what_is_no_surface_is_refused() {
    let made = |points: &[Vec3], triangles: &[[u32; 3]]| SurfaceDistance::new(points, triangles).err().unwrap();
    assert_eq!(made(&[], &[]), SurfaceError::Empty);
    assert_eq!(made(&[[0.0; 3]], &[[0, 0, 0]]), SurfaceError::Empty);
    assert!(matches!(made(&[[0.0; 3]], &[[0, 0, 1]]), SurfaceError::NodeOutOfRange { node: 1, .. }));
    assert!(matches!(made(&[[f64::NAN; 3]], &[[0, 0, 0]]), SurfaceError::PointNotFinite { node: 0, .. }));
}

#[test]
fn a_surface_becomes_tets() {
    let surface = distance_of(&torus(96, 48));
    let mesh = stuff(&surface, &Wanted::vertices(6_000), &mut |_| {}).unwrap().mesh;
    mesh.validate().unwrap();
    assert!((0.95..1.05).contains(&(mesh.points.len() as f64 / 6_000.0)));
    let exact = 2.0 * PI * PI * 0.16;
    assert!((mesh.volume() / exact - 1.0).abs() < 0.02, "{} {exact}", mesh.volume());
}

#[test]
fn an_embedded_surface_follows_affine_maps_to_rounding() {
    let ball = Bounded(|p: Vec3| norm(p) - 1.0, [[-1.0; 3], [1.0; 3]]);
    let mesh = stuff(&ball, &Wanted::spacing(0.25), &mut |_| {}).unwrap().mesh;
    let points = isosurface(&ball, Fineness::Spacing(0.08), &mut |_| {}).unwrap().points;
    let embedding = Embedding::new(&mesh, &points).unwrap();
    assert_eq!(embedding.len(), points.len());
    let turn = rotation([0.6, 0.0, 0.8], 1.1);
    let map = |p: Vec3| add(mat_vec(&turn, [2.0 * p[0] + 0.3 * p[1], p[1], 0.7 * p[2] - p[0]]), [3.0, -1.0, 0.5]);
    let nodes: Vec<Vec3> = mesh.points.iter().map(|&p| map(p)).collect();
    let mut found = vec![[0.0; 3]; points.len()];
    embedding.follow(&nodes, &mut found);
    for (x, p) in found.iter().zip(&points) {
        assert!(norm(sub(*x, map(*p))) < 1e-13, "{x:?} {:?}", map(*p));
    }
    // At rest it is unchanged, and every point is tied to a tet near it.
    embedding.follow(&mesh.points, &mut found);
    assert!(found.iter().zip(&points).all(|(x, p)| norm(sub(*x, *p)) < 1e-14));
    let mut moved = mesh.points.clone();
    for p in moved.iter_mut().filter(|p| p[0] > 0.0) {
        p[1] += 1.0;
    }
    embedding.follow(&moved, &mut found);
    assert!(found.iter().zip(&points).all(|(x, p)| p[0] > -0.4 || norm(sub(*x, *p)) < 1e-12));
}

#[test]
fn what_lies_outside_of_the_tets_does_not_tear() {
    // A circle around the coarse tets of a ball, like a thin part that they do not fill; points close to each other.
    let ball = Bounded(|p: Vec3| norm(p) - 1.0, [[-1.0; 3], [1.0; 3]]);
    let mesh = stuff(&ball, &Wanted::spacing(0.4), &mut |_| {}).unwrap().mesh;
    for radius in [0.9, 0.99, 1.001, 1.05, 1.2, 1.5] {
        let count = 20_000;
        let angle = |i: usize| 2.0 * PI * i as f64 / count as f64;
        let at = |i: usize| [radius * angle(i).cos(), 0.6 * radius * angle(i).sin(), 0.8 * radius * angle(i).sin()];
        let points: Vec<Vec3> = (0..count).map(at).collect();
        let embedding = Embedding::new(&mesh, &points).unwrap();
        // Neighbouring tets rotate and stretch by different amounts.
        let moved = |p: &Vec3| [p[0] + 0.2 * (7.0 * p[1]).sin(), p[1] + 0.2 * (7.0 * p[2]).sin(), p[2]];
        let nodes: Vec<Vec3> = mesh.points.iter().map(moved).collect();
        let mut found = vec![[0.0; 3]; count];
        embedding.follow(&nodes, &mut found);
        let step = norm(sub(points[1], points[0]));
        let widest = (0..count).map(|i| norm(sub(found[(i + 1) % count], found[i]))).fold(0.0, f64::max);
        assert!(widest < 4.0 * step, "a gap of {} steps at {radius}", widest / step);
    }
}

#[test]
fn an_embedding_needs_tets() {
    assert!(Embedding::new(&model::mesh::Mesh::default(), &[[0.0; 3]]).is_none());
}

#[test]
fn the_surface_of_a_shape_is_closed_and_near_it() {
    let ball = Bounded(|p: Vec3| norm(p) - 1.0, [[-1.0; 3], [1.0; 3]]);
    let surface = isosurface(&ball, Fineness::Spacing(0.1), &mut |_| {}).unwrap();
    assert!(surface.points.iter().all(|p| (norm(*p) - 1.0).abs() < 1e-6 * 0.1));
    let edges = edges_of_a_closed_surface(&surface.triangles);
    assert_eq!(surface.points.len() as i64 - edges as i64 + surface.triangles.len() as i64, 2);
}

/// Requires that every edge has two triangles; returns the number of edges.
fn edges_of_a_closed_surface(triangles: &[[u32; 3]]) -> usize {
    let mut edges = std::collections::HashMap::new();
    for [a, b, c] in triangles {
        for [i, j] in [[a, b], [b, c], [c, a]] {
            *edges.entry([*i.min(j), *i.max(j)]).or_insert(0) += 1;
        }
    }
    assert!(edges.values().all(|&n| n == 2));
    edges.len()
}

#[test]
fn surfaces_have_about_the_wanted_number_of_vertices() {
    let ball = Bounded(|p: Vec3| norm(p) - 1.0, [[-1.0; 3], [1.0; 3]]);
    let torus = distance_of(&torus(96, 48));
    let needle = Bounded(
        |p: Vec3| norm([p[0] - p[0].clamp(-1.0, 1.0), p[1], p[2]]) - 0.02,
        [[-1.02, -0.02, -0.02], [1.02, 0.02, 0.02]],
    );
    for (shape, name) in [(&ball as &dyn Distance, "ball"), (&torus, "torus"), (&needle, "needle")] {
        for wanted in [500, 4_000, 20_000] {
            let mut heard = vec![0.0];
            let surface = isosurface(shape, Fineness::Vertices(wanted), &mut |done| heard.push(done)).unwrap();
            let ratio = surface.points.len() as f64 / wanted as f64;
            assert!((0.9..1.1).contains(&ratio), "{name}: {} of {wanted}", surface.points.len());
            edges_of_a_closed_surface(&surface.triangles);
            assert!(heard.is_sorted() && heard.last() == Some(&1.0), "{name}: {heard:?}");
        }
    }
}
