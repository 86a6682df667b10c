//! Surfaces of triangles.

use crate::bodies::{bar, first, kinds, look, skin};
use geometry::doctor::{Fix, Kind, mend, renumber};
use model::mesh::Mesh;

#[test]
fn a_closed_surface_is_healthy_and_has_the_volume_of_its_body() {
    let mesh = skin();
    assert_eq!(kinds(&mesh), []);
    assert!((look(&mesh).volume - bar().volume()).abs() < 1e-12);
    assert!((look(&mesh).area - look(&bar()).area).abs() < 1e-12);
}

#[test]
fn triangles_turned_against_their_neighbours_are_found_the_first_too() {
    let mut mesh = skin();
    [0, 5, 17].iter().for_each(|&t: &usize| mesh.triangles[t].swap(0, 1));
    assert_eq!(kinds(&mesh), [(Kind::Inconsistent, 3)]);
    assert_eq!(first(&mesh, Kind::Inconsistent), ("triangle", 0));
}

#[test]
fn a_surface_inside_out_is_found_and_a_cavity_is_not() {
    let mut mesh = skin();
    mesh.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    assert_eq!(kinds(&mesh), [(Kind::InsideOut, mesh.triangles.len())]);
    // Small and inside a large one, it is right to be inside out.
    let middle = [0.5, 0.0, 0.0];
    let bounds = mesh.bounds().unwrap();
    let centre: [f64; 3] = std::array::from_fn(|k| 0.5 * (bounds[0][k] + bounds[1][k]));
    assert!((centre[0] - middle[0]).abs() < 1e-12);
    let mut hollow = skin();
    mesh.points.iter_mut().for_each(|p| *p = std::array::from_fn(|k| centre[k] + 0.5 * (p[k] - centre[k])));
    hollow.append(&mesh);
    assert_eq!(kinds(&hollow), []);
    assert_eq!(look(&hollow).components, [hollow.points.len()], "a cavity is no part of its own");
    assert!((look(&hollow).volume - 0.875 * bar().volume()).abs() < 1e-12);
    // The other way round it is wrong.
    let count = hollow.triangles.len();
    hollow.triangles[count / 2..].iter_mut().for_each(|t| t.swap(0, 1));
    assert!(kinds(&hollow).contains(&(Kind::InsideOut, count / 2)));
}

/// The surface of a box, turned outwards.
fn cuboid(low: [f64; 3], side: [f64; 3]) -> Mesh {
    let corner = |i: usize| std::array::from_fn(|k| low[k] + if i >> k & 1 == 1 { side[k] } else { 0.0 });
    let quads = [[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]];
    let triangles = quads.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect();
    Mesh { points: (0..8).map(corner).collect(), triangles, ..Mesh::default() }
}

#[test]
fn a_hundred_cavities_are_sound_and_what_floats_in_one_is_a_part() {
    let mut foam = cuboid([0.0; 3], [100.0, 1.0, 1.0]);
    for i in 0..100 {
        let mut bubble = cuboid([i as f64 + 0.25, 0.25, 0.25], [0.5; 3]);
        bubble.triangles.iter_mut().for_each(|t| t.swap(0, 1));
        foam.append(&bubble);
    }
    assert_eq!(kinds(&foam), []);
    assert!((look(&foam).volume - (100.0 - 12.5)).abs() < 1e-9);
    assert!(mend(&mut foam.clone(), &Fix::ALL.map(|(fix, _)| fix)).is_empty());
    foam.append(&cuboid([7.4, 0.4, 0.4], [0.2; 3]));
    assert_eq!(kinds(&foam), [(Kind::Component, 1)]);
    assert_eq!(look(&foam).components, [8 * 101, 8]);
}

#[test]
fn bodies_that_reach_into_each_other_are_not_inside_out() {
    let mut mesh = cuboid([0.0; 3], [1.0; 3]);
    // Its lowest corner, which is its first point, is inside the other.
    mesh.append(&cuboid([0.5; 3], [1.0; 3]));
    // A rod through it, shorter than its box in two directions only.
    mesh.append(&cuboid([0.2, 0.2, -1.0], [0.2, 0.2, 4.0]));
    assert!(kinds(&mesh).iter().all(|(kind, _)| *kind != Kind::InsideOut), "{:?}", kinds(&mesh));
}

#[test]
fn shells_that_end_at_a_wall_are_open_and_bodies_that_touch_along_an_edge_are_closed() {
    let mut walled = cuboid([0.0; 3], [1.0; 3]);
    walled.append(&cuboid([1.0, 0.0, 0.0], [1.0; 3]));
    // The wall between exists once.
    assert_eq!(mend(&mut walled, &[Fix::Duplicates]).len(), 2);
    assert_eq!((walled.points.len(), walled.triangles.len()), (12, 22));
    assert!(kinds(&walled).contains(&(Kind::NonManifoldEdge, 4)));
    assert_eq!(look(&walled).volume, 0.0, "nothing is closed");

    let mut touching = cuboid([0.0; 3], [1.0; 3]);
    touching.append(&cuboid([1.0, 1.0, 0.0], [1.0; 3]));
    mend(&mut touching, &[Fix::Duplicates]);
    assert_eq!(kinds(&touching), [(Kind::NonManifoldEdge, 1)]);
    assert!((look(&touching).volume - 2.0).abs() < 1e-12);
}

#[test]
fn holes_and_borders_are_told_apart() {
    let mut mesh = skin();
    mesh.triangles.remove(9);
    mesh.groups.clear();
    assert_eq!(kinds(&mesh), [(Kind::Hole, 1)]);
    let sheet = Mesh {
        points: vec![[0.0; 3], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [0.0, 1.0, 0.0]],
        triangles: vec![[0, 1, 2], [0, 2, 3]],
        ..Mesh::default()
    };
    assert_eq!(kinds(&sheet), [(Kind::Border, 1)]);
    assert_eq!(look(&sheet).findings[0].longest, Some(4.0));
    assert!(look(&sheet).is_healthy(), "cloth has a border");
}

#[test]
fn an_edge_of_three_triangles_is_found() {
    let mut mesh = skin();
    let [a, b, _] = mesh.triangles[0];
    mesh.points.push([0.5, 3.0, 3.0]);
    mesh.triangles.push([a, b, mesh.points.len() as u32 - 1]);
    let found = kinds(&mesh);
    assert!(found.contains(&(Kind::NonManifoldEdge, 1)), "{found:?}");
    assert_eq!(first(&mesh, Kind::NonManifoldEdge), ("node", a.min(b) as usize));
}

#[test]
fn a_moebius_strip_has_one_side() {
    let count = 12;
    let points = (0..2 * count).map(|i| {
        let turn = std::f64::consts::TAU * (i / 2) as f64 / count as f64;
        let across = if i % 2 == 0 { 0.2 } else { -0.2 };
        let r = 1.0 + across * (turn / 2.0).cos();
        [r * turn.cos(), r * turn.sin(), across * (turn / 2.0).sin()]
    });
    let mut triangles = Vec::new();
    for i in 0..count {
        let [a, b] = [2 * i, 2 * i + 1];
        let [c, d] = if i + 1 < count { [2 * i + 2, 2 * i + 3] } else { [1, 0] };
        triangles.extend([[a, b, c], [c, b, d]]);
    }
    let mesh = Mesh { points: points.collect(), triangles, ..Mesh::default() };
    let found = kinds(&mesh);
    assert!(found.iter().any(|(kind, count)| *kind == Kind::OneSided && *count > 0), "{found:?}");
    assert!(found.contains(&(Kind::Border, 1)), "one border: {found:?}");
    assert!(look(&mesh).is_healthy());
}

#[test]
fn crossing_bodies_are_found_also_where_edges_meet_edges_and_touching_ones_are_not() {
    let crossings = |shift: [f64; 3]| {
        let (mut mesh, mut other) = (skin(), skin());
        other.points.iter_mut().for_each(|p| *p = std::array::from_fn(|k| p[k] + shift[k]));
        mesh.append(&other);
        look(&mesh).find(Kind::SelfIntersection).map_or(0, |finding| finding.count)
    };
    assert_eq!(crossings([3.0, 0.0, 0.0]), 0, "apart");
    let long = bar().bounds().unwrap();
    assert_eq!(crossings([long[1][0] - long[0][0] + 1e-6, 0.0, 0.0]), 0, "nearly touching");
    assert!(crossings([0.013, 0.011, 0.017]) > 10, "overlapping");
    assert!(crossings([0.5 + 1.0 / 24.0, 0.0, 0.0]) > 10, "overlapping, with sides in sides and edges along edges");
    // One in the plane of another.
    let triangle = |x: f64, z: f64| [[x, 0.0, z], [x + 1.0, 0.0, z], [x, 1.0, z]];
    let pair = |x: f64, z: f64| {
        let points = [triangle(0.0, 0.0), triangle(x, z)].concat();
        let mesh = Mesh { points, triangles: vec![[0, 1, 2], [3, 4, 5]], ..Mesh::default() };
        look(&mesh).find(Kind::SelfIntersection).map_or(0, |finding| finding.count)
    };
    assert_eq!([pair(0.25, 0.0), pair(1.0, 0.0), pair(2.0, 0.0), pair(0.25, 1e-9)], [2, 0, 0, 0]);
}

#[test]
fn faces_of_a_body_that_goes_through_itself_are_found() {
    let mut mesh = bar();
    let mut other = bar();
    other.points.iter_mut().for_each(|p| *p = [p[0] + 0.3, p[1] + 0.013, p[2] + 0.017]);
    mesh.append(&other);
    let found = look(&mesh);
    assert_eq!(found.find(Kind::SelfIntersection).unwrap().first[0].what, "tet");
}

#[test]
fn findings_are_the_same_for_any_number_of_threads() {
    let mut mesh = skin();
    let mut other = skin();
    other.points.iter_mut().for_each(|p| p[0] += 0.41);
    mesh.append(&other);
    renumber::retain_triangles(&mut mesh, |e, _| e != 4);
    let with = |threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| look(&mesh).findings)
    };
    assert_eq!(with(1), with(4));
}
