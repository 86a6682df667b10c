//! Tests of mesh operations, validation and selectors.

use numerics::mat3::{IDENTITY, rotation};

use super::generate::generate;
use super::*;

/// Returns the unit tetrahedron.
fn corner() -> Mesh {
    Mesh {
        points: vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        tets: vec![[0, 1, 2, 3]],
        ..Mesh::default()
    }
}

fn cube() -> Mesh {
    generate("box", [("cells", 2.0.into())]).unwrap()
}

#[test]
fn the_boundary_points_outward_and_encloses_the_volume() {
    for mesh in [corner(), cube()] {
        // Divergence theorem: the volumes of the tets between the surface and the origin add up to the volume.
        let spanned: f64 = mesh
            .boundary_triangles()
            .iter()
            .map(|t| t.map(|i| mesh.points[i as usize]))
            .map(|[a, b, c]| tet_volume(&[[0.0; 3], a, b, c]))
            .sum();
        assert!((spanned - mesh.volume()).abs() < 1e-14, "{spanned}");
    }
    assert_eq!(corner().boundary_triangles().len(), 4);
    assert_eq!(cube().boundary_triangles().len(), 6 * 4 * 2);
}

#[test]
fn nodal_areas_add_up_to_the_surface() {
    let areas = cube().nodal_areas();
    assert!((areas.iter().sum::<f64>() - 6.0).abs() < 1e-13);
    assert_eq!(areas[13], 0.0, "the centre of the cube is not on its surface");
    let cloth = generate("cloth", [("size", [2.0, 3.0].into())]).unwrap();
    assert!((cloth.nodal_areas().iter().sum::<f64>() - 6.0).abs() < 1e-13);
}

#[test]
fn every_edge_is_listed_once() {
    assert_eq!(corner().edges_of_tets(), [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]]);
    // Euler: V - E + F - T = 1 for a ball, and 4 T = 2 F - F_boundary.
    let mesh = cube();
    let [v, e, t, b] =
        [mesh.points.len(), mesh.edges_of_tets().len(), mesh.tets.len(), mesh.boundary_triangles().len()];
    assert_eq!(v + (4 * t + b) / 2, 1 + e + t);
}

#[test]
fn transform_keeps_shape_and_orientation() {
    let mut mesh = cube();
    mesh.transform(&rotation([0.0, 0.0, 1.0], std::f64::consts::FRAC_PI_2), [3.0, 0.0, 0.0], 2.0);
    let [low, high] = mesh.bounds().unwrap();
    for (found, wanted) in low.into_iter().chain(high).zip([1.0, 0.0, 0.0, 3.0, 2.0, 2.0]) {
        assert!((found - wanted).abs() < 1e-14, "{low:?} {high:?}");
    }
    assert!((mesh.volume() - 8.0).abs() < 1e-13);
    mesh.transform(&IDENTITY, [0.0; 3], -1.0);
    assert_eq!(mesh.validate(), Ok(()));
    assert!((mesh.volume() - 8.0).abs() < 1e-13);
}

#[test]
fn append_shifts_every_index_and_joins_groups() {
    let (mut mesh, cloth) = (cube(), generate("cloth", []).unwrap());
    let (nodes, side) = (mesh.points.len(), mesh.groups["x-"].nodes.len());
    assert_eq!(mesh.append(&cloth) as usize, nodes);
    assert_eq!(mesh.append(&cube()) as usize, nodes + cloth.points.len());
    assert_eq!(mesh.validate(), Ok(()));
    assert!((mesh.volume() - 2.0).abs() < 1e-13);
    assert_eq!(mesh.groups["x-"].nodes.len(), 2 * side + cloth.groups["x-"].nodes.len());
    let last = mesh.groups["corner-11"].nodes[0] as usize;
    assert_eq!(mesh.points[last], [1.0, 1.0, 0.0]);
}

#[test]
fn orient_turns_what_is_inside_out() {
    let mut mesh = cube();
    mesh.tets[5].swap(0, 1);
    mesh.tets[7].swap(2, 3);
    assert!(matches!(mesh.validate(), Err(MeshError::TetVolume { tet: 5, more: 1, .. })));
    assert_eq!(mesh.orient(), 2);
    assert_eq!(mesh.validate(), Ok(()));
}

#[test]
fn validation_names_what_is_wrong_and_what_to_do() {
    type Break = fn(&mut Mesh);
    let broken: [(Break, &str); 8] = [
        (|m| m.points[2][1] = f64::NAN, "node 2 is at [0.0, NaN, 0.0], which is not finite; correct its coordinates"),
        (|m| m.tets.push([0, 1, 2, 4]), "tet 1 [0, 1, 2, 4] names node 4, but there are 4"),
        (|m| m.edges.push([0, 9]), "edge 0 [0, 9] names node 9"),
        (|m| m.bends.push([3, 3]), "bending spring 0 [3, 3] names a node twice; remove it"),
        (|m| m.points[3] = [0.5, 0.5, 0.0], "tet 0 [0, 1, 2, 3] is flat: its volume is 0e0 m^3; remove it"),
        (|m| m.points[3][2] = -1.0, "tet 0 [0, 1, 2, 3] is inside out: its volume is -1.6"),
        (|m| (m.points[3], m.triangles) = ([0.5, 0.5, 1.0], vec![[1, 2, 3]]), ""),
        (|m| m.group_nodes("tip", vec![4]), "group 'tip' names node 4, but there are 4"),
    ];
    for (breaks, message) in broken {
        let mut mesh = corner();
        breaks(&mut mesh);
        let found = mesh.validate().map_or_else(|error| error.to_string(), |()| String::new());
        assert!(found.contains(message) && found.is_empty() == message.is_empty(), "{found}\n{message}");
    }
    let mut line = corner();
    line.points.push([2.0, 0.0, 0.0]);
    line.triangles.push([0, 1, 4]);
    assert_eq!(line.validate(), Err(MeshError::FlatTriangle { triangle: 0, nodes: [0, 1, 4] }));
}

#[test]
fn an_empty_mesh_is_valid_and_has_no_bounds() {
    let empty = Mesh::default();
    assert_eq!((empty.validate(), empty.bounds(), empty.boundary_triangles()), (Ok(()), None, vec![]));
    assert!(matches!(Selector::All.nodes(&empty), Err(SelectError::Nothing { count: 0, .. })));
}

const UP: [f64; 3] = [0.0, 0.0, 2.0];

#[test]
fn selectors_find_faces_in_spite_of_rounding() {
    let mut mesh = cube();
    // A face that rounding moved just beyond the plane is still selected.
    mesh.transform(&IDENTITY, [1e-13, 0.0, -1e-13], 1.0);
    let infinite = f64::INFINITY;
    let face = mesh.groups["x-"].nodes.clone();
    let selector = Selector::Box { min: [-infinite; 3], max: [0.0, infinite, infinite] };
    assert_eq!(selector.nodes(&mesh), Ok(face));
    let top = Selector::HalfSpace { point: [0.0, 0.0, 1.0], normal: UP };
    assert_eq!(top.nodes(&mesh), Ok(mesh.groups["z+"].nodes.clone()));
    let ball = Selector::Ball { center: [0.5; 3], radius: 0.5 };
    assert_eq!(ball.nodes(&mesh).unwrap().len(), 7);
    let shell = Selector::Shell { center: [0.5; 3], inner: 0.5, outer: 0.75_f64.sqrt() };
    assert_eq!(shell.nodes(&mesh).unwrap().len(), 26);
    assert_eq!(Selector::All.nodes(&mesh).unwrap().len(), 27);
    assert_eq!(Selector::Group("y+".into()).nodes(&mesh), Ok(mesh.groups["y+"].nodes.clone()));
}

#[test]
fn tets_are_selected_by_their_centroid() {
    let mesh = cube();
    let lower = Selector::HalfSpace { point: [0.5; 3], normal: [0.0, 0.0, -1.0] };
    assert_eq!(lower.tets(&mesh).unwrap(), (0..24).collect::<Vec<u32>>());
    assert_eq!(Selector::All.tets(&mesh).unwrap().len(), 48);
    let mut named = cube();
    named.groups.insert("part".into(), Group { tets: vec![0, 3], ..Group::default() });
    let part = Selector::Group("part".into());
    assert_eq!(part.tets(&named), Ok(vec![0, 3]));
    assert_eq!(part.nodes(&named), Ok(named.corners_of(&Group { tets: vec![0, 3], ..Group::default() })));
}

#[test]
fn selecting_nothing_is_an_error_that_helps() {
    let mesh = cube();
    let far = Selector::Ball { center: [9.0; 3], radius: 1.0 };
    let message = far.nodes(&mesh).unwrap_err().to_string();
    assert_eq!(
        message,
        "the ball of radius 1 m around [9.0, 9.0, 9.0] holds none of the 27 nodes of the body, \
         which spans [0.0, 0.0, 0.0] to [1.0, 1.0, 1.0] m; move or enlarge it"
    );
    let message = Selector::Group("x".into()).nodes(&mesh).unwrap_err().to_string();
    assert_eq!(message, "the body has no group 'x', it has x+, x-, y+, y-, z+, z-; perhaps use 'x+'");
    let message = Selector::Group("x-".into()).tets(&mesh).unwrap_err().to_string();
    assert_eq!(message, "the group 'x-' has no tet; use another group or select by position");
    let message = Selector::All.tets(&generate("chain", []).unwrap()).unwrap_err().to_string();
    assert_eq!(message, "the body has no tet to select; choose another mesh");
    let meaningless = [
        Selector::HalfSpace { point: [0.0; 3], normal: [0.0; 3] },
        Selector::Ball { center: [f64::NAN, 0.0, 0.0], radius: 1.0 },
        Selector::Box { min: [0.0; 3], max: [f64::NAN; 3] },
    ];
    for selector in meaningless {
        assert!(matches!(selector.nodes(&mesh), Err(SelectError::Meaningless { .. })), "{selector}");
    }
}
