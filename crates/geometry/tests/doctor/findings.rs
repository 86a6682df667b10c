//! Tets and nodes.

use crate::bodies::{bar, first, kinds, look};
use geometry::doctor::{Kind, Severity, smallest_dihedral};
use model::mesh::Mesh;

#[test]
fn a_sound_body_is_healthy() {
    let mesh = bar();
    let diagnosis = look(&mesh);
    assert!(diagnosis.is_healthy() && diagnosis.findings.is_empty(), "{:?}", diagnosis.findings);
    assert_eq!(diagnosis.components, [mesh.points.len()]);
    assert!((diagnosis.volume - mesh.volume()).abs() < 1e-12);
    let quality = diagnosis.quality.unwrap();
    assert_eq!(quality.ratios.iter().sum::<usize>(), mesh.tets.len());
    assert_eq!(quality.angles.iter().sum::<usize>(), mesh.tets.len());
    assert!(quality.ratio[0] > 0.5 && quality.ratio[0] <= quality.ratio[1] && quality.angle[0] > 30.0);
}

#[test]
fn an_empty_mesh_has_nothing_wrong_but_nothing_else_either() {
    let diagnosis = look(&Mesh::default());
    assert!(diagnosis.is_healthy() && diagnosis.bounds.is_none() && diagnosis.components.is_empty());
}

#[test]
fn the_regular_tet_has_its_angle() {
    let p = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
    let expected = (1.0_f64 / 3.0).acos().to_degrees();
    assert!((smallest_dihedral(&p) - expected).abs() < 1e-12);
    let corner = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    assert!((smallest_dihedral(&corner) - (1.0 / 3.0_f64.sqrt()).acos().to_degrees()).abs() < 1e-12);
}

#[test]
fn tets_inside_out_are_found() {
    let mut mesh = bar();
    [7, 11].iter().for_each(|&e: &usize| mesh.tets[e].swap(0, 1));
    assert_eq!(kinds(&mesh), [(Kind::Inverted, 2)]);
    assert_eq!(first(&mesh, Kind::Inverted), ("tet", 7));
    assert_eq!(Kind::Inverted.facts().severity, Severity::Error);
    let at = look(&mesh).findings[0].first[0].at;
    let expected = mesh.tet_centroid(7);
    assert!((0..3).all(|k| (at[k] - expected[k]).abs() < 1e-15), "{at:?}, not {expected:?}");
}

#[test]
fn nodes_named_twice_are_found() {
    let mut mesh = bar();
    let [a, b, ..] = mesh.tets[0];
    mesh.tets.push([a, b, b, a]);
    assert_eq!(kinds(&mesh), [(Kind::RepeatedNode, 1)]);
    assert_eq!(first(&mesh, Kind::RepeatedNode), ("tet", mesh.tets.len() - 1));
}

#[test]
fn elements_that_repeat_others_are_found_in_any_order_of_nodes() {
    let mut mesh = bar();
    let [a, b, c, d] = mesh.tets[3];
    mesh.tets.push([c, a, b, d]);
    assert_eq!(kinds(&mesh), [(Kind::DuplicateElement, 1)]);
    assert_eq!(first(&mesh, Kind::DuplicateElement), ("tet", mesh.tets.len() - 1));
}

#[test]
fn flat_tets_and_slivers_are_told_apart() {
    for (height, kind) in [(0.0, Kind::Flat), (1e-3, Kind::Sliver)] {
        let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.3, 0.3, height]];
        let mesh = Mesh { points, tets: vec![[0, 1, 2, 3]], ..Mesh::default() };
        assert_eq!(kinds(&mesh), [(kind, 1)]);
    }
}

#[test]
fn nodes_that_nothing_names_or_that_are_twice_are_found() {
    let mut mesh = bar();
    mesh.points.push([0.5, 0.05, 0.05]);
    let count = mesh.points.len();
    let mut found = kinds(&mesh);
    // It may coincide with a node of the bar.
    found.retain(|(kind, _)| *kind != Kind::DuplicateNode);
    assert_eq!(found, [(Kind::UnusedNode, 1)]);
    assert_eq!(first(&mesh, Kind::UnusedNode), ("node", count - 1));
}

#[test]
fn a_crack_of_double_nodes_is_found_and_is_not_taken_for_crossing_triangles() {
    let mut mesh = bar();
    // The tets of one half get separate nodes on the plane between.
    let middle = 0.5;
    let double: Vec<usize> = (0..mesh.points.len()).filter(|&i| (mesh.points[i][0] - middle).abs() < 1e-9).collect();
    let offset = mesh.points.len();
    for (k, &i) in double.iter().enumerate() {
        let mut p = mesh.points[i];
        p[1] += 1e-11 * k as f64;
        mesh.points.push(p);
        for e in 0..mesh.tets.len() {
            if mesh.tet_centroid(e)[0] > middle {
                mesh.tets[e].iter_mut().filter(|node| **node == i as u32).for_each(|node| *node = (offset + k) as u32);
            }
        }
    }
    assert_eq!(kinds(&mesh), [(Kind::DuplicateNode, double.len()), (Kind::Component, 1)]);
    assert_eq!(first(&mesh, Kind::DuplicateNode), ("node", offset));
}

#[test]
fn parts_are_counted_with_their_sizes() {
    let (mut mesh, mut small) = (bar(), bar());
    small.tets.truncate(1);
    small.groups.clear();
    geometry::doctor::renumber::drop_unused(&mut small);
    small.points.iter_mut().for_each(|p| p[2] += 5.0);
    let first_of_small = mesh.append(&small) as usize;
    assert_eq!(kinds(&mesh), [(Kind::Component, 1)]);
    assert_eq!(look(&mesh).components, [first_of_small, 4]);
    assert_eq!(first(&mesh, Kind::Component), ("node", first_of_small));
}

#[test]
fn tets_that_hang_by_an_edge_or_a_vertex_are_hinges() {
    let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
    let (by_edge, by_vertex) =
        ([[0.0, -1.0, 0.0], [0.0, 0.0, -1.0]], [[-1.0, 2.0, 0.0], [0.0, 2.0, 0.0], [0.0, 2.0, 1.0]]);
    let mut mesh = Mesh {
        points: [&points[..], &by_edge, &by_vertex].concat(),
        tets: vec![[0, 1, 2, 3], [0, 1, 4, 5], [2, 8, 7, 6]],
        ..Mesh::default()
    };
    mesh.orient();
    assert_eq!(kinds(&mesh), [(Kind::Hinge, 2)]);
    assert_eq!(first(&mesh, Kind::Hinge), ("tet", 1));
    // Tets that share a face are no hinge, nor are those that share nothing.
    mesh.tets = vec![[0, 1, 2, 3], [0, 2, 1, 5]];
    geometry::doctor::renumber::drop_unused(&mut mesh);
    let mut far = mesh.clone();
    far.points.iter_mut().for_each(|p| p[0] += 5.0);
    mesh.append(&far);
    assert_eq!(kinds(&mesh), [(Kind::Component, 1)]);
    assert!(look(&mesh).is_healthy(), "two bodies in one file");
}

#[test]
fn a_face_of_three_tets_is_found() {
    // Three tets on one triangle: two on one side.
    let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.2, 0.2, 1.0], [0.2, 0.2, -1.0], [0.2, 0.2, 0.6]];
    let tets = vec![[0, 1, 2, 3], [0, 2, 1, 4], [0, 1, 2, 5]];
    let mesh = Mesh { points, tets, ..Mesh::default() };
    let found = kinds(&mesh);
    assert!(found.contains(&(Kind::NonManifoldFace, 1)), "{found:?}");
    assert_eq!(first(&mesh, Kind::NonManifoldFace), ("tet", 2));
}

#[test]
fn stray_triangles_are_found_and_faces_are_not_stray() {
    let mut mesh = bar();
    mesh.triangles = mesh.boundary_triangles()[..10].to_vec();
    assert_eq!(kinds(&mesh), []);
    let far = mesh.points.len() as u32 - 1;
    mesh.triangles.push([0, 1, far]);
    assert_eq!(kinds(&mesh), [(Kind::StrayTriangle, 1)]);
    assert_eq!(first(&mesh, Kind::StrayTriangle), ("triangle", 10));
}

#[test]
fn what_no_reader_gives_is_an_answer_too() {
    let mut mesh = bar();
    mesh.points[3][1] = f64::NAN;
    assert_eq!(kinds(&mesh), [(Kind::NotFinite, 1)]);
    let mut mesh = bar();
    mesh.tets[2][0] = 1_000_000;
    assert_eq!(kinds(&mesh), [(Kind::OutOfRange, 1)]);
    let mesh = Mesh { bends: vec![[0, 9999]], ..bar() };
    assert_eq!(kinds(&mesh), [(Kind::OutOfRange, 1)]);
    // Squares overflow.
    let mut mesh = bar();
    mesh.points.iter_mut().flatten().for_each(|x| *x *= 1e200);
    assert!(look(&mesh).find(Kind::DuplicateNode).is_none());
}
