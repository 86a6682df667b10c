//! Time per constraint of small-steps compared with pyPBD, a program for position-based dynamics, in the same run.
//!
//! A cloth of 100 x 100 particles with 29,601 distance constraints, and a box of 12,000 tets, both hanging, 20 substeps
//! of one pass per frame. pliant's tets are stable neo-Hookean, solved for their stress; pyPBD's are its FEM tets, one
//! constraint each. pyPBD runs one thread, pliant all. The two take turns, and for each the fastest step counts. pyPBD
//! skips constraints whose numbers are below an eps of 1e-6, so its tets get masses and a modulus 1e-6 times those of
//! pliant's: the same motion in other units.
//!
//! Then pliant alone: the same work once as substeps and once as passes, the cantilever compared with linearly implicit
//! steps, a cloth of 150k particles with self-contact, and a column of 936k fluid particles.

mod cantilever;
mod column;
mod draped;
mod pypbd;

use super::runner::Runner;
use super::{Findings, Report};
use crate::failure::Failure;
use integrators::{Options, parameters};
use model::energy::spring::Law;
use model::load::Profile;
use model::material::sample;
use model::mesh::Mesh;
use model::mesh::generate::{Value as Parameter, generate};
use model::{Basis, Blueprint, LoadPart, Model, SolidPart, SpringPart};
use pypbd::PyPbd;
use serde_json::{Value, json};

const SUBSTEPS: usize = 20;
const FRAME: f64 = 1.0 / 60.0;
/// Turns of the two, and steps per turn.
const ROUNDS: usize = 10;
const STEPS: usize = 5;

/// A body for both programs.
struct Case {
    name: &'static str,
    constraints: usize,
    model: Model,
    for_pypbd: Value,
}

fn gravity(mesh: &Mesh) -> Vec<LoadPart> {
    let nodes = (0..mesh.points.len() as u32).collect();
    vec![LoadPart { nodes, basis: Basis::Mass, direction: [0.0, 0.0, -9.81], profile: Profile::Constant }]
}

/// Rotates z to y, the direction of pyPBD's gravity.
fn turned(points: &[[f64; 3]]) -> Vec<[f64; 3]> {
    points.iter().map(|&[x, y, z]| [x, z, -y]).collect()
}

fn cloth() -> Result<Case, Failure> {
    let numbers = |n: f64| Parameter::Numbers(vec![n, n]);
    let mesh = generate("cloth", [("size", numbers(1.0)), ("cells", numbers(99.0))]).map_err(Failure::bench)?;
    let sides = mesh.triangles.iter().flat_map(|t| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]]);
    let mut pairs: Vec<[u32; 2]> = sides.map(|[a, b]| [a.min(b), a.max(b)]).collect();
    pairs.sort_unstable();
    pairs.dedup();
    let (constraints, stiffness, fixed) = (pairs.len(), 1e6, vec![0, 99]);
    let mass = |i: usize| if fixed.contains(&(i as u32)) { 0.0 } else { 1e-3 };
    let masses: Vec<f64> = (0..mesh.points.len()).map(mass).collect();
    let for_pypbd = json!({ "points": turned(&mesh.points), "tets": [], "triangles": mesh.triangles, "pairs": pairs, "masses": masses,
        "stiffness": stiffness, "substeps": SUBSTEPS, "step": FRAME });
    let node_masses = (0..mesh.points.len() as u32).map(|i| (i, 1e-3)).collect();
    let springs = vec![SpringPart { pairs, law: Law::Linear, stiffness }];
    let loads = gravity(&mesh);
    let mesh = Mesh { edges: Vec::new(), ..mesh };
    let blueprint = Blueprint { mesh, springs, node_masses, loads, fixed, ..Blueprint::default() };
    Ok(Case { name: "cloth", constraints, model: blueprint.build().map_err(Failure::bench)?, for_pypbd })
}

fn tets() -> Result<Case, Failure> {
    let numbers = |n: [f64; 3]| Parameter::Numbers(n.to_vec());
    let parameters = [("size", numbers([1.0, 0.5, 0.5])), ("cells", numbers([20.0, 10.0, 10.0]))];
    let mesh = generate("box", parameters).map_err(Failure::bench)?;
    let (young, poisson, fixed) = (1e6, 0.45, mesh.groups["x-"].nodes.clone());
    let material = sample("stable-neo-hookean", young, poisson).map_err(Failure::bench)?;
    let all = (0..mesh.tets.len() as u32).collect();
    let (points, elements) = (mesh.points.clone(), mesh.tets.clone());
    let solids = vec![SolidPart::new(all, material, 1000.0)];
    let loads = gravity(&mesh);
    let blueprint = Blueprint { mesh, solids, loads, fixed: fixed.clone(), ..Blueprint::default() };
    let model = blueprint.build().map_err(Failure::bench)?;
    let mass = |i: usize| if fixed.contains(&(i as u32)) { 0.0 } else { 1e-6 * model.node_mass()[model.number(i)] };
    let masses: Vec<f64> = (0..points.len()).map(mass).collect();
    let for_pypbd = json!({ "points": turned(&points), "tets": elements, "masses": masses, "stiffness": 1e-6 * young,
        "poisson": poisson, "substeps": SUBSTEPS, "step": FRAME });
    Ok(Case { name: "tets", constraints: elements.len(), model, for_pypbd })
}

fn options(substeps: usize, passes: usize) -> Options {
    Options::default().with(&parameters::SUBSTEPS, substeps).with(&parameters::PASSES, passes)
}

/// Measures the time per constraint of both [ns], in turns.
fn compare(body: &Case, findings: &mut Findings) -> Result<(), Failure> {
    let Case { name, constraints, model, for_pypbd } = body;
    let mut pliant = Runner::new(model, &model.state_at_rest(), "small-steps", &options(SUBSTEPS, 1))?;
    let mut pypbd = PyPbd::start(for_pypbd, *constraints);
    let mut theirs = f64::INFINITY;
    for _ in 0..ROUNDS {
        (0..STEPS).try_for_each(|_| pliant.step(model, FRAME))?;
        let seconds = pypbd.as_mut().map_err(|reason| reason.clone()).and_then(|pypbd| pypbd.step(STEPS));
        match seconds {
            Ok(seconds) => theirs = theirs.min(seconds),
            Err(reason) => pypbd = Err(reason),
        }
    }
    let each = 1.0 / (SUBSTEPS * constraints) as f64;
    let ns = 1e6 * each * pliant.ms.iter().copied().fold(f64::INFINITY, f64::min);
    let mut found = json!({ "constraints": constraints, "ns": ns });
    match pypbd {
        Ok(_) => {
            let theirs = 1e9 * each * theirs;
            findings.say(&format!(
                "{name}: {constraints} constraints, {ns:.2} ns each; pyPBD {theirs:.1} ns, {:.2} times as long",
                theirs / ns
            ));
            found["pypbd_ns"] = json!(theirs);
            found["ratio"] = json!(theirs / ns);
        }
        Err(reason) => {
            findings.say(&format!("{name}: {constraints} constraints, {ns:.2} ns each; without pyPBD: {reason}"));
            found["error"] = json!(reason);
        }
    }
    findings.json.insert((*name).into(), found);
    Ok(())
}

/// Measures the time of n substeps over that of n passes.
fn substeps_over_passes(body: &Case, findings: &mut Findings) -> Result<(), Failure> {
    let Case { name, model, .. } = body;
    let [mut substeps, mut passes] = [options(SUBSTEPS, 1), options(1, SUBSTEPS)]
        .map(|options| Runner::new(model, &model.state_at_rest(), "small-steps", &options));
    for _ in 0..ROUNDS * STEPS {
        for runner in [&mut substeps, &mut passes] {
            runner.as_mut().map_err(|error| Failure::bench(error.to_string()))?.step(model, FRAME)?;
        }
    }
    let least = |runner: Result<Runner, Failure>| runner.map(|r| r.ms.into_iter().fold(f64::INFINITY, f64::min));
    let (substeps, passes) = (least(substeps)?, least(passes)?);
    let ratio = substeps / passes;
    findings.say(&format!("{name}: {SUBSTEPS} substeps {substeps:.2} ms, {SUBSTEPS} passes {passes:.2} ms per frame"));
    if let Some(found) = findings.json.get_mut(*name) {
        found["substeps_over_passes"] = json!(ratio);
    }
    Ok(())
}

/// Measures everything.
pub fn run() -> Result<Report, Failure> {
    let mut findings = Findings::default();
    for body in [cloth()?, tets()?] {
        compare(&body, &mut findings)?;
        substeps_over_passes(&body, &mut findings)?;
    }
    cantilever::run(&mut findings)?;
    draped::run(&mut findings)?;
    column::run(&mut findings)?;
    findings.json.insert("threads".into(), json!(rayon::current_num_threads()));
    Ok(Report { text: findings.text, json: findings.json.into() })
}
