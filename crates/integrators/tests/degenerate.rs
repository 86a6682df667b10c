//! Constraints without a gradient, without mass, or without space. The tests state the result, and it is never NaN.

mod problems;

use integrators::{Options, StepError, parameters};
use model::collisions::Collisions;
use model::energy::spring::Law;
use model::material::{MATERIALS, sample};
use model::mesh::Mesh;
use model::{Blueprint, Model, ModelError, SolidPart, SpringPart, State};
use numerics::mat3;
use problems::*;

const FRAME: f64 = 1.0 / 60.0;

/// Takes steps of one frame; every state is finite.
fn advance(model: &Model, state: &mut State, frames: usize, substeps: usize) -> Result<(), StepError> {
    let mut stepper = make(
        method("small-steps"),
        model,
        &Options::default().with(&parameters::SUBSTEPS, substeps).with(&parameters::PASSES, 2),
    );
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
    // The smallest difference decides the direction.
    state.x[3 * model.number(3)] += 1e-12;
    advance(&model, &mut state, 120, 20).unwrap();
    let length = |a: usize, b: usize| {
        let [a, b] = [a, b].map(|i| 3 * model.number(i));
        (0..3).map(|c| (state.x[a + c] - state.x[b + c]).powi(2)).sum::<f64>().sqrt()
    };
    // All three extend to their length, and their centre stays in place.
    let lengths = [length(0, 1), length(1, 2), length(2, 3)];
    assert!(lengths.iter().all(|length| (length - 0.1).abs() < 1e-12), "{lengths:?} m");
    let middle = state.x.iter().step_by(3).sum::<f64>() / 4.0;
    assert!((middle - 0.25 - 0.25e-12).abs() < 1e-14, "{middle} m");
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

/// Outcome for a body whose tets have zero or negative volume.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Fate {
    /// Its energy is undefined there.
    Refused,
    /// The stress is zero: it stays.
    Stays,
    /// No force pushes it out of its plane or line.
    Flat,
    /// It unfolds to a shape without strain.
    Unfolds,
}

/// Returns the kinetic energy of the rigid rotation with a state's angular momentum about its centre of mass [J].
fn spin_energy(model: &Model, state: &State) -> f64 {
    let nodes = || model.node_mass().iter().zip(state.x.as_chunks::<3>().0).zip(state.v.as_chunks::<3>().0);
    let total: f64 = model.node_mass().iter().sum();
    let center = nodes().fold([0.0; 3], |sum, ((m, x), _)| mat3::add(sum, mat3::scale(m / total, *x)));
    let (mut momentum, mut inertia) = ([0.0; 3], [[0.0; 3]; 3]);
    for ((m, x), v) in nodes() {
        let arm = mat3::sub(*x, center);
        momentum = mat3::add(momentum, mat3::scale(*m, mat3::cross(arm, *v)));
        for i in 0..3 {
            inertia[i][i] += m * mat3::dot(arm, arm);
            (0..3).for_each(|j| inertia[i][j] -= m * arm[i] * arm[j]);
        }
    }
    let cofactor = mat3::cofactor(&inertia);
    0.5 * mat3::dot(momentum, mat3::mat_vec(&cofactor, momentum)) / mat3::determinant(&inertia)
}

#[test]
fn tets_without_a_volume_unfold_or_stay_flat_or_are_refused() {
    use Fate::{Flat, Refused, Stays, Unfolds};
    // To a plane, to a line, to a point, and inverted.
    let flattened: [[f64; 3]; 4] = [[1.0, 1.0, 0.0], [1.0, 0.0, 0.0], [0.0; 3], [1.0, 1.0, -1.0]];
    for material in MATERIALS {
        let fates = match material.name {
            "neo-hookean" | "ogden" => [Refused; 4],
            // Infinite at zero volume; inverted, it shrinks through a point, equally in all directions.
            "neo-hookean-isochoric" | "mooney-rivlin" => [Refused, Refused, Refused, Unfolds],
            // P = F S with S of F^T F, which is blind to reflections.
            "st-venant-kirchhoff" => [Flat, Flat, Stays, Stays],
            // cof F, the gradient of det F, is zero where F has rank one or none.
            "stable-neo-hookean" | "fibre-reinforced" => [Unfolds, Flat, Stays, Unfolds],
            _ => [Unfolds; 4],
        };
        let model = solid(cuboid([0.2; 3], [2, 2, 2]), material.name, 1e5, 0.3, 1000.0).build().unwrap();
        let energy = |state: &State| model.kinetic(state) + model.elastic_energy(&state.x);
        for (factors, fate) in flattened.into_iter().zip(fates) {
            let what = format!("{} by {factors:?}", material.name);
            let mut start = model.state_at_rest();
            start.x.iter_mut().enumerate().for_each(|(i, x)| *x *= factors[i % 3]);
            let mut state = start.clone();
            let outcome = advance(&model, &mut state, 60, 20);
            let fastest = state.v.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
            println!("{what}: {outcome:?}, {fastest:.2} m/s, {:.2e} of {:.2e} J", energy(&state), energy(&start));
            match (fate, outcome) {
                (Refused, Err(StepError::Inverted { .. })) => assert!(state == start, "{what}: the state is another"),
                (Refused, outcome) | (_, outcome @ Err(_)) => panic!("{what}: {outcome:?}"),
                (Stays, Ok(())) => assert!(distance(&state, &start) < 1e-15, "{what}"),
                (Flat, Ok(())) => {
                    let off = state.x.iter().enumerate().filter(|(i, _)| factors[i % 3] == 0.0);
                    assert!(off.into_iter().all(|(_, x)| *x == 0.0), "{what}: it leaves its plane or line");
                    assert!(fastest < 100.0 && energy(&state) < energy(&start), "{what}: {fastest} m/s");
                }
                (Unfolds, Ok(())) => {
                    // Fibres unfold askew, and small steps keep angular momentum to first order only: a spin may be left.
                    let spin = if material.isotropic { 0.0 } else { spin_energy(&model, &state) };
                    let left = energy(&state) - spin;
                    assert!(fastest < 100.0 && left < 1e-3 * energy(&start), "{what}: {fastest} m/s, {left} J");
                }
            }
        }
    }
}

#[test]
fn elements_all_of_whose_nodes_are_held_push_nobody() {
    for material in MATERIALS {
        let name = material.name;
        // Two layers are held: no node of the first cell moves.
        let with_held = |stiffness: f64| {
            let mut blueprint = solid(cuboid([0.4, 0.1, 0.1], [4, 1, 1]), name, 1e6, 0.3, 1000.0);
            let mesh = &blueprint.mesh;
            let held = |i: u32| mesh.points[i as usize][0] < 0.11;
            blueprint.fixed = (0..mesh.points.len() as u32).filter(|&i| held(i)).collect();
            let all = |e: &u32| mesh.tets[*e as usize].iter().all(|&i| held(i));
            let (tets, rest): (Vec<u32>, Vec<u32>) = (0..mesh.tets.len() as u32).partition(all);
            assert_eq!((tets.len(), [0, 1].map(held)), (6, [true; 2]));
            blueprint.solids[0].tets = rest;
            let material = sample(name, stiffness, 0.3).unwrap();
            blueprint.solids.push(SolidPart::new(tets, material, 1000.0));
            blueprint.springs = vec![SpringPart { pairs: vec![[0, 1]], law: Law::Linear, stiffness }];
            blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
            let model = blueprint.build().unwrap();
            let rest = model.state_at_rest();
            let mut state = rest.clone();
            advance(&model, &mut state, 30, 20).unwrap();
            let dofs = model.dofs();
            assert_eq!(state.x[dofs..], rest.x[dofs..], "{name}: what is held stays");
            assert!(state.x[..dofs] != rest.x[..dofs], "{name}: the rest sags");
            state
        };
        assert!(with_held(1e6) == with_held(10.0), "{name}: however stiff it is");
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
        impulses: None,
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
    // At the same position, halfway in, and a little.
    for by in [[0.0; 3], [0.1, 0.03, 0.02], [0.195, 0.01, 0.01]] {
        let model = overlapping(by);
        let mut state = model.state_at_rest();
        advance(&model, &mut state, 60, 20).unwrap();
        let fastest = state.v.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        let far = state.x.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        println!("shifted by {by:?}: {fastest:.3} m/s, {far:.3} m");
        // Overlaps are removed at 1 m/s at most. Vertices inside may stay there: contact keeps a vertex on its side.
        assert!(fastest < 1.0 && far < 2.0, "{by:?}: {fastest} m/s, {far} m");
        let momentum = model.momentum(&state.v);
        assert!(momentum.iter().all(|p| p.abs() < 1e-9), "{by:?}: {momentum:?}");
        let moved = (0..model.dofs()).map(|i| model.node_mass()[i / 3] * (state.x[i] - model.rest()[i]));
        let centre = moved.enumerate().fold([0.0; 3], |mut sum, (i, m)| {
            sum[i % 3] += m;
            sum
        });
        assert!(centre.iter().all(|m| m.abs() < 1e-12), "{by:?}: their centre moved, {centre:?} kg m");
    }
}
