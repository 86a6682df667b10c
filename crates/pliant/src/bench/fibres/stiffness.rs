//! Error of linearly implicit Euler with the turned stiffness as the springs of a swinging body get stiffer.
//!
//! A cube of 27 nodes and 1 kg, its edges springs of 100 N/m and with springs from each vertex of a tet to the opposite face, is hinged along one edge and
//! swings for a second under gravity. The error is the largest distance from the same run with a 256th of the step, over the largest displacement of that. It
//! should not grow with the stiffness of the face springs: the body gets rigid, and its motion that of a pendulum.

use crate::failure::Failure;
use integrators::Options;
use model::energy::Stiffness;
use model::energy::spring::Law;
use model::load::Profile;
use model::mesh::generate::{Value, generate};
use model::{Basis, Blueprint, FaceSpringPart, LoadPart, Model, SpringPart};

/// Time step [s], and the steps of a run.
const H: f64 = 1.0 / 18.0;
const STEPS: usize = 18;
/// Steps of the reference per step.
const FINER: usize = 256;
/// Stiffness of the edges, and of the face springs that are compared [N/m].
const SOFT: f64 = 100.0;
const STIFF: [f64; 2] = [1e6, 1e12];

fn body(stiff: f64) -> Result<Model, Failure> {
    let numbers = |value: f64| Value::Numbers(vec![value; 3]);
    let mesh = generate("box", [("size", numbers(1.0)), ("cells", numbers(2.0))]).map_err(Failure::bench)?;
    let nodes: Vec<u32> = (0..mesh.points.len() as u32).collect();
    let is_hinged = |&i: &u32| mesh.points[i as usize][0] < 1e-9 && mesh.points[i as usize][2] > 1.0 - 1e-9;
    let mut pairs: Vec<[u32; 2]> = Vec::new();
    for tet in &mesh.tets {
        for a in 0..4 {
            pairs.extend((0..a).map(|b| [tet[a].min(tet[b]), tet[a].max(tet[b])]));
        }
    }
    pairs.sort_unstable();
    pairs.dedup();
    let tets = (0..mesh.tets.len() as u32).collect();
    let law = Law::Linear;
    let mass = 1.0 / nodes.len() as f64;
    Blueprint {
        springs: vec![SpringPart { pairs, law, stiffness: SOFT }],
        face_springs: vec![FaceSpringPart { tets, law, stiffness: stiff }],
        node_masses: nodes.iter().map(|&i| (i, mass)).collect(),
        fixed: nodes.iter().copied().filter(is_hinged).collect(),
        loads: vec![LoadPart { nodes, basis: Basis::Mass, direction: [0.0, 0.0, -9.81], profile: Profile::Constant }],
        stiffness: Stiffness::Turned,
        mesh,
        ..Blueprint::default()
    }
    .build()
    .map_err(Failure::bench)
}

/// Returns the positions after every step of [`H`], each taken in `parts`.
fn run(model: &Model, parts: usize) -> Result<Vec<Vec<f64>>, Failure> {
    let method = integrators::find("linearly-implicit-euler").ok_or_else(|| Failure::bench("no such method"))?;
    let mut stepper = (method.make)(model, &Options::default()).map_err(Failure::bench)?;
    let mut state = model.state_at_rest();
    let mut ways = Vec::new();
    for _ in 0..STEPS {
        for _ in 0..parts {
            stepper.step(model, &mut state, H / parts as f64).map_err(Failure::bench)?;
        }
        ways.push(state.x.clone());
    }
    Ok(ways)
}

/// Returns the largest distance of a node between a run and other positions after each step [m].
fn distance<'a>(ways: &[Vec<f64>], other: impl Fn(usize) -> &'a [f64]) -> f64 {
    let of_step = |(step, x): (usize, &Vec<f64>)| {
        let square = |(a, b): (&[f64; 3], &[f64; 3])| (0..3).map(|c| (a[c] - b[c]).powi(2)).sum::<f64>();
        x.as_chunks::<3>().0.iter().zip(other(step).as_chunks::<3>().0).map(square).fold(0.0, f64::max)
    };
    ways.iter().enumerate().map(of_step).fold(0.0, f64::max).sqrt()
}

/// Returns the ratio of the errors with the stiffer and with the softer springs, and a line about them.
pub fn flat() -> Result<(f64, String), Failure> {
    let mut errors = [0.0; 2];
    for (error, stiff) in errors.iter_mut().zip(STIFF) {
        let model = body(stiff)?;
        let [coarse, fine] = [run(&model, 1)?, run(&model, FINER)?];
        let motion = distance(&fine, |_| model.rest());
        *error = distance(&fine, |k| &coarse[k]) / motion;
    }
    let flat = errors[1] / errors[0];
    let text = format!(
        "hinged body of springs: error {:.4} at {:.0e} N/m, {:.4} at {:.0e} N/m: ratio {flat:.3} (to reach: 1.2)",
        errors[0], STIFF[0], errors[1], STIFF[1]
    );
    Ok((flat, text))
}
