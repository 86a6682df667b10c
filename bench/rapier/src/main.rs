//! Steps a soft body with the finite elements of rapier and prints, as one line of JSON, what each step took and where
//! the tip was.
//!
//!   rapier-beam MESH YOUNG POISSON STEP STEPS [MODEL]
//!
//! MESH is the text that `mesh.rs` reads; YOUNG [Pa]; STEP [s]; MODEL is neo-hookean (as by default) or corotational.
//!
//! Rapier makes one linearly implicit Euler step, (M + h^2 K) dv = h (f - h K v), in f32, with conjugate gradients and
//! block Jacobi. All that is not elasticity is off: one substep, no contacts, no sleep, no damping, no extra substeps.
//! Its cap of 20 iterations is raised: with it no step here converges. Without its feature `parallel` it has one thread.

mod mesh;

use mesh::Mesh;
use rapier3d::prelude::*;
use std::error::Error;
use std::process::ExitCode;
use std::time::Instant;

/// Relative residual at which conjugate gradients stop: rapier's own.
const TOLERANCE: Real = 1e-5;
/// Most iterations a step.
const ITERATIONS: usize = 1000;
/// [m/s^2], along -z.
const GRAVITY: Real = 9.81;

struct Arguments {
    mesh: Mesh,
    young: Real,
    poisson: Real,
    step: Real,
    steps: usize,
    model: SoftBodyCellModel,
}

fn arguments() -> Result<Arguments, Box<dyn Error>> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let [mesh, young, poisson, step, steps, rest @ ..] = words.as_slice() else {
        return Err("usage: rapier-beam MESH YOUNG POISSON STEP STEPS [neo-hookean | corotational]".into());
    };
    let model = match rest.first().map(String::as_str) {
        None | Some("neo-hookean") => SoftBodyCellModel::NeoHookean,
        Some("corotational") => SoftBodyCellModel::Corotational,
        Some(other) => return Err(format!("no model {other}; choose neo-hookean or corotational").into()),
    };
    Ok(Arguments {
        mesh: Mesh::parse(&std::fs::read_to_string(mesh)?)?,
        young: young.parse()?,
        poisson: poisson.parse()?,
        step: step.parse()?,
        steps: steps.parse()?,
        model,
    })
}

/// A world that does nothing but elasticity and gravity.
fn world(step: Real) -> PhysicsWorld {
    let mut world = PhysicsWorld::new();
    world.gravity = Vector::new(0.0, 0.0, -GRAVITY);
    let parameters = &mut world.integration_parameters;
    parameters.dt = step;
    parameters.num_solver_iterations = 1;
    parameters.num_internal_stabilization_iterations = 0;
    parameters.soft_bodies.max_extra_substeps = 0;
    parameters.soft_bodies.resweep_strain = Real::MAX;
    parameters.soft_bodies.fem.linear_tolerance = TOLERANCE;
    parameters.soft_bodies.fem.max_linear_iterations = ITERATIONS;
    world
}

fn run() -> Result<String, Box<dyn Error>> {
    let Arguments { mesh, young, poisson, step, steps, model } = arguments()?;
    let tip = mesh.tip();
    let mut world = world(step);
    let body = SoftBodyBuilder::new(mesh.points.iter().map(|&[x, y, z]| Vector::new(x, y, z)).collect())
        .cells(mesh.tets)
        .masses(mesh.masses)
        .pinned_particles(mesh.fixed)
        .cell_model(model)
        .material(SoftBodyMaterial {
            young_modulus: young,
            poisson_ratio: poisson,
            elastic_damping_ratio: 0.0,
            ..SoftBodyMaterial::default()
        })
        .solver(SoftBodySolver::Fem)
        .additional_pgs_iterations(0)
        .no_surface_collider()
        .can_sleep(false);
    let handle = world.insert_soft_body(body);

    let (mut ms, mut tips) = (Vec::new(), Vec::new());
    for _ in 0..steps {
        let start = Instant::now();
        world.step();
        ms.push(1e3 * start.elapsed().as_secs_f64());
        let body = &world.soft_bodies[handle];
        let mut mean = [0.0; 3];
        for &node in &tip {
            let position = body.particle_position(node);
            [position.x, position.y, position.z]
                .iter()
                .zip(&mut mean)
                .for_each(|(x, mean)| *mean += f64::from(*x) / tip.len() as f64);
        }
        tips.push(mean);
    }
    // Rust prints slices of numbers as JSON does, as long as they are finite.
    if tips.iter().flatten().any(|x| !x.is_finite()) {
        return Err("the motion diverged: use a smaller step".into());
    }
    Ok(format!("{{\"ms\":{ms:?},\"tip\":{tips:?}}}"))
}

fn main() -> ExitCode {
    match run() {
        Ok(line) => {
            println!("{line}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
