//! Constraints that have no way to go: no gradient, no mass, no room. What then happens is said here, and it is never NaN.

mod problems;

use integrators::{Options, StepError};
use model::collisions::Collisions;
use model::energy::spring::Law;
use model::material::MATERIALS;
use model::mesh::Mesh;
use model::{Blueprint, Model, ModelError, SpringPart, State};
use problems::*;

const FRAME: f64 = 1.0 / 60.0;

/// Steps of a frame; every state is finite.
fn advance(model: &Model, state: &mut State, frames: usize, substeps: usize) -> Result<(), StepError> {
    let mut stepper = make(method("small-steps"), model, &Options { substeps, passes: 2, ..Options::default() });
    for _ in 0..frames {
        stepper.step(model, state, FRAME)?;
        assert!(state.x.iter().chain(&state.v).all(|x| x.is_finite()));
    }
    Ok(())
}

#[test]
fn springs_whose_ends_meet_stay_there_until_something_parts_them() {
    let model = chain(3, 0.1, 1e4, Law::Linear, 0.1).build().unwrap();
    let mut state = model.state_at_rest();
    state.x.fill(0.25);
    advance(&model, &mut state, 10, 5).unwrap();
    assert!(state.x.iter().all(|x| *x == 0.25), "no end knows where to go: {:?}", state.x);
    // The least difference says where to.
    state.x[3 * model.number(3)] += 1e-12;
    advance(&model, &mut state, 120, 20).unwrap();
    let length = |a: usize, b: usize| {
        let [a, b] = [a, b].map(|i| 3 * model.number(i));
        (0..3).map(|c| (state.x[a + c] - state.x[b + c]).powi(2)).sum::<f64>().sqrt()
    };
    assert!(length(2, 3) > 0.05, "{} m", length(2, 3));
}

#[test]
fn springs_without_a_length_are_refused_where_their_law_needs_one() {
    for law in [Law::Quadratic, Law::Cubic] {
        let mesh = Mesh { points: vec![[0.0; 3]; 2], edges: vec![[0, 1]], ..Mesh::default() };
        let springs = vec![SpringPart { pairs: vec![[0, 1]], law, stiffness: 10.0 }];
        let blueprint = Blueprint { mesh, springs, node_masses: vec![(0, 1.0), (1, 1.0)], ..Blueprint::default() };
        assert!(matches!(blueprint.build().err(), Some(ModelError::NoLength { .. })), "{law:?}");
    }
}

#[test]
fn tets_without_a_volume_do_not_fly_apart_or_say_that_they_are_inverted() {
    // To a plane, to a line, to a point, and inside out.
    let flattened: [[f64; 3]; 4] = [[1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0; 3], [1.0, 1.0, -1.0]];
    for material in MATERIALS {
        let model = solid(cuboid([0.2; 3], [2, 2, 2]), material.name, 1e5, 0.3, 1000.0).build().unwrap();
        for factors in flattened {
            let mut state = model.state_at_rest();
            state.x.iter_mut().enumerate().for_each(|(i, x)| *x *= factors[i % 3]);
            let outcome = advance(&model, &mut state, 60, 20);
            let fastest = state.v.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
            println!("{} by {factors:?}: {outcome:?}, {fastest:.2} m/s", material.name);
            match outcome {
                Ok(()) => assert!(fastest < 100.0, "{}: {fastest} m/s", material.name),
                Err(StepError::Inverted { .. }) => assert!(state.x.iter().all(|x| x.is_finite())),
                Err(error) => panic!("{} by {factors:?}: {error}", material.name),
            }
        }
    }
}

#[test]
fn elements_all_of_whose_nodes_are_held_push_nobody() {
    for material in MATERIALS {
        let mut blueprint = solid(cuboid([0.4, 0.1, 0.1], [4, 1, 1]), material.name, 1e6, 0.3, 1000.0);
        // Two layers: the first cells have no node that moves.
        let held = |p: &[f64; 3]| p[0] < 0.11;
        blueprint.fixed =
            (0..blueprint.mesh.points.len() as u32).filter(|&i| held(&blueprint.mesh.points[i as usize])).collect();
        blueprint.springs = vec![SpringPart { pairs: vec![[0, 1]], law: Law::Linear, stiffness: 1e6 }];
        blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
        let model = blueprint.build().unwrap();
        let rest = model.state_at_rest();
        let mut state = rest.clone();
        advance(&model, &mut state, 30, 20).unwrap();
        let dofs = model.dofs();
        assert_eq!(state.x[dofs..], rest.x[dofs..], "{}: what is held stays", material.name);
        assert!(state.x[..dofs] != rest.x[..dofs], "{}: the rest sags", material.name);
    }
}

/// Two cubes, the second shifted into the first.
fn overlapping(by: [f64; 3]) -> Model {
    let mut mesh = cuboid([0.2; 3], [2, 2, 2]);
    let nodes = mesh.points.len();
    let mut other = cuboid([0.2; 3], [2, 2, 2]);
    other.points.iter_mut().for_each(|p| (0..3).for_each(|c| p[c] += by[c]));
    mesh.append(&other);
    let mut blueprint = solid(mesh, "stable-neo-hookean", 1e5, 0.3, 1000.0);
    let mesh = &blueprint.mesh;
    let mut body = vec![0; mesh.points.len()];
    body[nodes..].fill(1);
    blueprint.collisions = Some(Collisions {
        triangles: mesh.boundary_triangles(),
        edges: vec![],
        points: vec![],
        body,
        thickness: 0.01,
        margin: 0.01,
        friction: 0.3,
        max_separation_speed: 1.0,
        within: true,
        between: true,
        colliders: vec![],
    });
    blueprint.build().unwrap()
}

#[test]
fn bodies_that_begin_inside_each_other_do_not_fly_apart() {
    // In the same place, half way in, and a little.
    for by in [[0.0; 3], [0.1, 0.03, 0.02], [0.195, 0.01, 0.01]] {
        let model = overlapping(by);
        let mut state = model.state_at_rest();
        advance(&model, &mut state, 60, 20).unwrap();
        let fastest = state.v.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        let far = state.x.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        println!("shifted by {by:?}: {fastest:.3} m/s, {far:.3} m");
        assert!(fastest < 10.0 && far < 2.0, "{by:?}: {fastest} m/s, {far} m");
        let momentum = model.momentum(&state.v);
        assert!(momentum.iter().all(|p| p.abs() < 1e-9), "{by:?}: {momentum:?}");
    }
}
