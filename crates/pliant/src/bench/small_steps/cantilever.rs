//! The cantilever of 12,800 tets: 100 substeps, 100 passes, and a linearly implicit step of 100 iterations of conjugate
//! gradients.

use super::super::Findings;
use super::super::runner::Runner;
use super::{FRAME, gravity, options};
use crate::failure::Failure;
use integrators::{Options, parameters};
use model::mesh::generate::{Value as Parameter, generate};
use model::{Blueprint, Model, SolidPart};
use numerics::linear::SolverKind;
use serde_json::{Map, Value, json};

/// Frames of each; the first warms up.
const FRAMES: usize = 6;

fn beam(material: &str) -> Result<Model, Failure> {
    let numbers = |n: [f64; 3]| Parameter::Numbers(n.to_vec());
    let (size, cells) = (numbers([2.0, 0.2, 0.2]), numbers([40.0, 8.0, 8.0]));
    let cut = Parameter::Word("five".to_string());
    let mesh = generate("box", [("size", size), ("cells", cells), ("cut", cut)]).map_err(Failure::bench)?;
    let material = model::material::sample(material, 1e7, 0.45).map_err(Failure::bench)?;
    let solids = vec![SolidPart::new((0..mesh.tets.len() as u32).collect(), material, 1000.0)];
    let (fixed, loads) = (mesh.groups["x-"].nodes.clone(), gravity(&mesh));
    Blueprint { mesh, solids, loads, fixed, ..Blueprint::default() }.build().map_err(Failure::bench)
}

/// Measures a material solved by rows, and one solved for its stress.
pub(super) fn run(findings: &mut Findings) -> Result<(), Failure> {
    let mut all = Map::new();
    for material in ["corotational", "stable-neo-hookean"] {
        all.insert(material.into(), compare(material, findings)?);
    }
    findings.json.insert("cantilever".into(), all.into());
    Ok(())
}

/// Measures a frame of each, in turns; the fastest counts.
fn compare(material: &str, findings: &mut Findings) -> Result<Value, Failure> {
    let model = beam(material)?;
    let start = model.state_at_rest();
    let gradients =
        Options::default().with(&parameters::SOLVER, SolverKind::Pcg).with(&parameters::SOLVER_ITERATIONS, 100);
    let mut substeps = Runner::new(&model, &start, "small-steps", &options(100, 1))?;
    let mut passes = Runner::new(&model, &start, "small-steps", &options(1, 100))?;
    let mut implicit = Runner::new(&model, &start, "linearly-implicit-euler", &gradients)?;
    for _ in 0..FRAMES {
        for runner in [&mut substeps, &mut passes, &mut implicit] {
            runner.step(&model, FRAME)?;
        }
    }
    let [of_substeps, of_passes, of_implicit] =
        [&substeps, &passes, &implicit].map(|runner| runner.ms[1..].iter().copied().fold(f64::INFINITY, f64::min));
    let iterations = implicit.report.linear.iterations / FRAMES as u64;
    let tets = model.terms().iter().map(|term| term.count()).sum::<usize>();
    findings.say(&format!(
        "cantilever: {tets} {material} tets, 100 passes {of_passes:.1} ms, 100 substeps {of_substeps:.1} ms, linearly implicit with \
         {iterations} iterations {of_implicit:.1} ms per frame"
    ));
    Ok(json!({
        "tets": tets, "passes_ms": of_passes, "substeps_ms": of_substeps, "implicit_ms": of_implicit,
        "implicit_iterations": iterations,
        "substeps_over_passes": of_substeps / of_passes, "implicit_over_passes": of_implicit / of_passes,
    }))
}
