//! Rigid and deformable bodies: contact at nodes, edges and faces, both ways, and joints between them.

use crate::bodies::*;
use collision::{Pose, Shape};
use model::collisions::Collisions;
use model::energy::spring::Law;
use model::mesh::Mesh;
use model::{Anchor, Joint, JointKind, Model, SpringPart};
use numerics::mat3::{Vec3, norm, sub};

const THICKNESS: f64 = 0.01;

/// One feature around the origin, of nodes of 1 kg: a node, an edge, or a face.
fn feature(corners: &[Vec3]) -> Mesh {
    let points = corners.to_vec();
    match corners.len() {
        1 => Mesh { points, ..Mesh::default() },
        2 => Mesh { points, edges: vec![[0, 1]], ..Mesh::default() },
        _ => Mesh { points, triangles: vec![[0, 1, 2]], edges: vec![[0, 1], [1, 2], [2, 0]], ..Mesh::default() },
    }
}

/// The feature, and above it a body at `pose`.
fn above(corners: &[Vec3], shape: Shape, pose: Pose) -> Model {
    let mesh = feature(corners);
    let mut cast = Cast::default();
    let of_face = usize::from(corners.len() == 3);
    let (points, triangles) = (corners.len() as u32, mesh.triangles.clone());
    let springs = SpringPart { pairs: mesh.edges.clone(), law: Law::Linear, stiffness: 1e5 };
    cast.blueprint.node_masses = (0..points).map(|i| (i, 1.0)).collect();
    if !mesh.edges.is_empty() {
        cast.blueprint.springs = vec![springs];
    }
    let edges = if of_face == 1 { vec![] } else { mesh.edges.clone() };
    cast.blueprint.mesh = mesh;
    cast.add(shape, pose, 2.0, 0.5);
    let mut body = vec![0; points as usize];
    body.resize(cast.blueprint.mesh.points.len(), 1);
    cast.blueprint.collisions = Some(Collisions {
        impulses: None,
        triangles,
        edges,
        points: if corners.len() == 1 { vec![0] } else { vec![] },
        body,
        thickness: THICKNESS,
        margin: THICKNESS,
        friction: 0.5,
        max_separation_speed: 1.0,
        within: false,
        between: true,
        colliders: vec![],
    });
    cast.build([0.0; 3])
}

#[test]
fn bodies_push_nodes_edges_and_faces_and_are_pushed_back() {
    let corners: [&[Vec3]; 3] = [
        &[[0.01, 0.02, 0.0]],
        &[[-0.5, 0.01, 0.0], [0.5, 0.02, 0.0]],
        &[[-0.5, -0.4, 0.0], [0.5, -0.4, 0.0], [0.0, 0.6, 0.0]],
    ];
    // Half as wide below as above.
    let corner = |i: u32| [i & 1, i >> 1 & 1, i >> 2].map(|k| 0.1 - 0.2 * f64::from(k));
    let blunt: Vec<Vec3> =
        (0..8).map(corner).map(|[x, y, z]| if z < 0.0 { [0.5 * x, 0.5 * y, z] } else { [x, y, z] }).collect();
    let shapes = [
        Shape::Ball { radius: 0.1 },
        Shape::Box { half: [0.1, 0.08, 0.1] },
        Shape::Capsule { half_length: 0.05, radius: 0.05 },
        Shape::hull(&blunt).unwrap(),
    ];
    for corners in corners {
        for (kind, shape) in shapes.iter().enumerate() {
            let model = above(corners, shape.clone(), Pose::at([0.0, 0.0, 0.3]));
            let mut state = model.state_at_rest();
            throw(&model, &mut state, 0, [0.2, 0.0, -3.0], [0.0; 3]);
            let (linear, angular) = (model.momentum(&state.v), model.angular_momentum(&state));
            let mut stepper = small_steps(&model, 20, 1);
            run(&model, stepper.as_mut(), &mut state, 0.4);
            let pushed = (0..corners.len()).map(|i| state.v[3 * model.number(i) + 2]).sum::<f64>();
            let what = format!("{} corners, shape {kind}", corners.len());
            assert!(pushed < -0.5, "{what}: it is passed by, {pushed} m/s");
            let off = norm(sub(model.momentum(&state.v), linear));
            assert!(off < 1e-12 * norm(linear), "{what}: momentum is off by {off}");
            let off = norm(sub(model.angular_momentum(&state), angular));
            assert!(off < 0.05, "{what}: angular momentum is off by {off}");
            // The body is still above: nothing passed through.
            let heights = (0..corners.len()).map(|i| state.x[3 * model.number(i) + 2]);
            let mean = heights.sum::<f64>() / corners.len() as f64;
            let gap = centre(&model, &state, 0)[2] - mean;
            assert!(gap > 0.05, "{what}: {gap} m above");
        }
    }
}

#[test]
fn a_joint_holds_a_node_of_what_bends() {
    for kind in [JointKind::Ball, JointKind::Distance(0.0)] {
        let mut cast = Cast::default();
        // A rope of three nodes below a box, joined at a corner of it.
        cast.blueprint.mesh = Mesh {
            points: vec![[0.1, 0.1, -0.1], [0.1, 0.1, -0.3], [0.1, 0.1, -0.5]],
            edges: vec![[0, 1], [1, 2]],
            ..Mesh::default()
        };
        cast.blueprint.springs = vec![SpringPart { pairs: vec![[0, 1], [1, 2]], law: Law::Linear, stiffness: 1e4 }];
        cast.blueprint.node_masses = (0..3).map(|i| (i, 0.2)).collect();
        let body = cast.add(Shape::Box { half: [0.1; 3] }, Pose::default(), 1.0, 0.0);
        let ends = [Anchor::Rigid(body, [0.1, 0.1, -0.1]), Anchor::Node(0)];
        cast.blueprint.joints.push(Joint { kind, ends, compliance: 0.0 });
        let model = cast.build([0.0; 3]);
        let mut state = model.state_at_rest();
        throw(&model, &mut state, 0, [1.0, 0.0, 0.5], [2.0, -1.0, 3.0]);
        let (linear, angular) = (model.momentum(&state.v), model.angular_momentum(&state));
        let mut stepper = small_steps(&model, 40, 1);
        let mut gap = 0.0_f64;
        for _ in 0..60 {
            gap = gap.max(stepper.step(&model, &mut state, FRAME).unwrap().joint_gap);
        }
        assert!(gap < 1e-3, "{kind:?}: {gap} m apart");
        let off = norm(sub(model.momentum(&state.v), linear)) / norm(linear);
        assert!(off < 1e-12, "{kind:?}: momentum is off by {off}");
        let off = norm(sub(model.angular_momentum(&state), angular)) / norm(angular);
        assert!(off < 0.02, "{kind:?}: angular momentum is off by {off}");
        // The rope was pulled along.
        assert!(state.v[3 * model.number(2)..][..3].iter().any(|v| v.abs() > 0.1));
    }
}
