//! Rigid bodies in a fluid.

use crate::bodies::*;
use crate::problems::{cuboid, solid};
use collision::{Pose, Shape};
use model::{Fluid, Liquid, Model};
use numerics::mat3::{Vec3, add, norm, scale, sub};

const SPACING: f64 = 0.1;

/// Adds a block of `size` particles along each axis above a corner [m].
fn pour(cast: &mut Cast, corner: Vec3, size: [usize; 3], viscosity: f64, walls: Option<[Vec3; 2]>) {
    let points = &mut cast.blueprint.mesh.points;
    let first = points.len() as u32;
    for k in 0..size.iter().product::<usize>() {
        let at = [k % size[0], k / size[0] % size[1], k / size[0] / size[1]];
        points.push(add(corner, at.map(|k| SPACING * (k as f64 + 0.5))));
    }
    let nodes = (first..points.len() as u32).collect();
    let (density, bulk_modulus) = (1000.0, f64::INFINITY);
    let liquid = Liquid { spacing: SPACING, density, bulk_modulus, viscosity, vorticity: 0.0, cfl: 1.0 };
    cast.blueprint.fluids.push(Fluid { nodes, liquid, walls, obstacles: vec![], friction: 0.0 });
}

/// By Archimedes a box sinks until it displaces its mass, and the water rises by the displaced volume. Here it floats
/// higher by a tenth of the draught (0.162 of 0.18 m, 0.438 of 0.48 m), consistent with pressures of this fluid that
/// are too large by some percent (`docs/decisions/0012-fluids.md`).
#[test]
fn a_box_floats_as_deep_as_it_is_heavy() {
    let (edge, tank, depth) = (0.6, 1.2, 0.8);
    for density in [300.0, 800.0] {
        let mut cast = Cast::default();
        let pose = Pose::at([0.6, 0.6, depth + 0.5 * edge]);
        let body = cast.add(Shape::Box { half: [0.5 * edge; 3] }, pose, density * edge.powi(3), 0.0);
        pour(&mut cast, [0.0; 3], [12, 12, 8], 20.0, Some([[0.0; 3], [tank, tank, 9.0]]));
        let model = cast.build([0.0, 0.0, -9.81]);
        let (mut state, mut stepper) = (model.state_at_rest(), small_steps(&model, 10, 1));
        run(&model, stepper.as_mut(), &mut state, 3.0);
        let mut mean = 0.0;
        for _ in 0..60 {
            run(&model, stepper.as_mut(), &mut state, FRAME);
            mean += centre(&model, &state, body)[2] / 60.0;
        }
        let draught = edge * density / 1000.0;
        let level = depth + draught * edge * edge / (tank * tank);
        let found = level - (mean - 0.5 * edge);
        println!("{density} kg/m^3: draught {found:.4} m, by Archimedes {draught:.4} m");
        assert!((found - draught).abs() < 0.12 * draught, "{found} of {draught} m");
    }
}

/// Momentum of everything [kg m/s].
fn momentum(model: &Model, v: &[f64]) -> Vec3 {
    let masses = model.node_mass()[..model.free_nodes()].iter().enumerate();
    masses.fold([0.0; 3], |sum, (i, m)| add(sum, scale(*m, [v[3 * i], v[3 * i + 1], v[3 * i + 2]])))
}

#[test]
fn what_a_fluid_gives_to_a_body_it_loses() {
    let mut cast = Cast::default();
    // Above a corner, so that it rotates as well.
    let body = cast.add(Shape::Box { half: [0.2; 3] }, Pose::at([0.3, 0.5, 1.0]), 40.0, 0.3);
    pour(&mut cast, [0.0; 3], [8, 8, 8], 0.0, None);
    let model = cast.build([0.0; 3]);
    let mut state = model.state_at_rest();
    throw(&model, &mut state, body, [0.1, 0.0, -2.0], [0.0; 3]);
    let before = momentum(&model, &state.v);
    let mut stepper = small_steps(&model, 10, 1);
    run(&model, stepper.as_mut(), &mut state, 0.25);
    let after = momentum(&model, &state.v);
    let slower = velocity(&model, &state, body);
    assert!(slower[2] > -1.8 && norm(state.turns[0].spin) > 0.01, "{slower:?}, {:?}", state.turns[0]);
    assert!(norm(sub(after, before)) < 1e-10 * norm(before), "{before:?} then {after:?}");
}

#[test]
fn what_a_fluid_gives_to_rubber_it_loses() {
    let mut blueprint = solid(cuboid([0.4; 3], [4; 3]), "neo-hookean", 1e5, 0.3, 500.0);
    blueprint.mesh.points.iter_mut().for_each(|point| *point = add(*point, [0.2, 0.2, 0.9]));
    let mut cast = Cast { blueprint };
    pour(&mut cast, [0.0; 3], [8, 8, 8], 0.0, None);
    let model = cast.build([0.0; 3]);
    let mut state = model.state_at_rest();
    let block: Vec<usize> = (0..model.nodes()).filter(|i| state.x[3 * i + 2] > 0.85).collect();
    block.iter().for_each(|i| state.v[3 * i + 2] = -2.0);
    let before = momentum(&model, &state.v);
    let mut stepper = small_steps(&model, 10, 1);
    run(&model, stepper.as_mut(), &mut state, 0.25);
    let after = momentum(&model, &state.v);
    let mean = block.iter().map(|i| state.v[3 * i + 2]).sum::<f64>() / block.len() as f64;
    assert!(mean > -1.8 && mean < 0.0, "{mean}");
    assert!(norm(sub(after, before)) < 1e-10 * norm(before), "{before:?} then {after:?}");
}
