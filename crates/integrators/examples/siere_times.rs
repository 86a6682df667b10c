//! Times a step of SIERE against one of linearly implicit Euler, in turn, the fastest of each.
//! `cargo run --release -p integrators --example siere_times`

use integrators::{Modes, Options, find};
use model::load::Profile;
use model::material::MaterialKind;
use model::mesh::generate::{Value, generate};
use model::{Basis, Blueprint, LoadPart, Model, SolidPart};
use numerics::linear::SolverKind;
use std::time::Instant;

fn body(size: [f64; 3], cells: [f64; 3]) -> Model {
    let numbers = |values: [f64; 3]| Value::Numbers(values.to_vec());
    let mesh = generate("box", [("size", numbers(size)), ("cells", numbers(cells))]).expect("a box");
    let material = MaterialKind::new("neo-hookean", 1e6, 0.45).expect("a material");
    let nodes = (0..mesh.points.len() as u32).collect();
    Blueprint {
        solids: vec![SolidPart { tets: (0..mesh.tets.len() as u32).collect(), material, density: 1000.0 }],
        fixed: mesh.groups["x-"].nodes.clone(),
        loads: vec![LoadPart { nodes, basis: Basis::Mass, direction: [0.0, 0.0, -9.81], profile: Profile::Constant }],
        mesh,
        ..Blueprint::default()
    }
    .build()
    .expect("a body")
}

fn main() {
    let counts: Vec<usize> = std::env::args().skip(1).filter_map(|n| n.parse().ok()).collect();
    let counts = if counts.is_empty() { vec![5, 20, 50] } else { counts };
    for (name, size, cells) in [
        ("bar of 30k nodes", [30.0, 0.1, 0.1], [1200.0, 4.0, 4.0]),
        ("cube of 12k nodes", [1.0, 1.0, 1.0], [22.0, 22.0, 22.0]),
    ] {
        let model = body(size, cells);
        let mut steppers: Vec<_> = [0]
            .iter()
            .chain(&counts)
            .map(|&count| {
                let options = Options { solver: SolverKind::Direct, modes: Modes::Count(count), ..Options::default() };
                let method = find("siere").expect("the method");
                ((method.make)(&model, &options).expect("a stepper"), model.state_at_rest(), f64::INFINITY, 0)
            })
            .collect();
        for repeat in 0..12 {
            for (k, (stepper, state, fastest, solves)) in steppers.iter_mut().enumerate() {
                let start = Instant::now();
                let report = stepper.step(&model, state, 0.01).expect("a step");
                let ms = 1e3 * start.elapsed().as_secs_f64();
                if repeat == 0 && k > 0 {
                    println!("{name}, {} modes, cold: {ms:.0} ms, {} solves", counts[k - 1], report.linear.solves);
                }
                if repeat > 1 {
                    (*fastest, *solves) = (fastest.min(ms), report.linear.solves.max(*solves));
                }
            }
        }
        let euler = steppers[0].2;
        println!("{name}: linearly implicit Euler {euler:.1} ms");
        for ((_, _, ms, solves), count) in steppers[1..].iter().zip(&counts) {
            println!("{name}, {count} modes: {ms:.1} ms, ratio {:.2}, at most {solves} solves a step", ms / euler);
        }
    }
}
