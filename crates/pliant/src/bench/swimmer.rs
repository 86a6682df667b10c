//! The bacterium of the third paper: two seconds at its step, the error of the speed against a fine reference, and the cost of a
//! step by the number of points in the fluid.

use super::{Findings, Report, time};
use crate::failure::Failure;
use model::stokes::Stokes;
use model::{Blueprint, Model};
use numerics::mat3::{Vec3, add, scale};
use scene::Scene;
use serde_json::json;
use std::collections::BTreeMap;

/// The scene, with the step of the paper.
const SCENE: &str = include_str!("../../scenes/swimmer.toml");
/// Methods that are compared; the first tells the time of the paper's run.
const METHODS: [&str; 8] = [
    "ere",
    "linearly-implicit-euler",
    "backward-euler",
    "bdf2",
    "tr-bdf2",
    "generalized-alpha",
    "implicit-midpoint",
    "newmark",
];
/// Method and steps per step of the reference.
const REFERENCE: (&str, f64) = ("bdf2", 20.0);
/// Points of spheres on which a step is measured.
const POINTS: [usize; 4] = [200, 400, 800, 1600];
/// Steps measured for each; the fastest counts.
const REPEATS: usize = 3;

/// A run: seconds, and mean speed of the head along the axis in its second half [m/s].
fn swim(method: &str, finer: f64) -> Result<[f64; 2], Failure> {
    let scene = Scene::parse("swimmer.toml", SCENE)?;
    let scene = scene.with_step(scene.integrator.step / finer)?.with_method(method)?;
    let built = scene.build()?;
    let head = built.bodies.first().map(|body| body.nodes.clone()).unwrap_or_default();
    let mut simulation = built.simulation;
    let middle = |points: Vec<Vec3>| {
        let sum = points[head.clone()].iter().fold([0.0; 3], |sum, p| add(sum, *p));
        scale(1.0 / head.len() as f64, sum)
    };
    let steps = simulation.schedule().steps();
    let mut half = (0.0, [0.0; 3]);
    let (result, ms) = time(|| -> Result<(), Failure> {
        for step in 0..steps {
            if step == steps / 2 {
                half = (simulation.time(), middle(simulation.positions()));
            }
            simulation.step().map_err(Failure::bench)?;
        }
        Ok(())
    });
    result?;
    let end = middle(simulation.positions());
    Ok([1e-3 * ms, (end[2] - half.1[2]) / (simulation.time() - half.0)])
}

/// A sphere of points with springs, sinking.
fn sphere(count: usize) -> Result<Model, Failure> {
    let given = BTreeMap::from([("count".to_string(), (count as f64).into())]);
    let generator = model::mesh::generate::Generator::find("sphere").map_err(Failure::bench)?;
    let mesh = generator.mesh(&given).map_err(Failure::bench)?;
    let mut stokes = Stokes { viscosity: 1.0, flow: [0.0, 0.0, 1.0], ..Stokes::default() };
    stokes.wet_body(&mesh, 0, None, 0.4).map_err(Failure::bench)?;
    let pairs = mesh.edges.clone();
    let springs = vec![model::SpringPart { pairs, law: model::energy::spring::Law::Linear, stiffness: 100.0 }];
    let node_masses = (0..mesh.points.len() as u32).map(|i| (i, 1e-6)).collect();
    let blueprint = Blueprint { mesh, springs, node_masses, stokes: Some(stokes), ..Blueprint::default() };
    blueprint.build().map_err(Failure::bench)
}

/// Measures the runs, then the spheres.
pub fn run() -> Result<Report, Failure> {
    let mut findings = Findings::default();
    let [seconds, exact] = swim(REFERENCE.0, REFERENCE.1)?;
    findings.say(&format!(
        "reference: {} at a step {} times finer, {exact:.4e} m/s in {seconds:.1} s",
        REFERENCE.0, REFERENCE.1
    ));
    let mut methods = serde_json::Map::new();
    let mut first = None;
    for method in METHODS {
        let [seconds, speed] = swim(method, 1.0)?;
        let error = (speed / exact - 1.0).abs();
        findings.say(&format!("{method}: two seconds in {seconds:.2} s, {speed:.4e} m/s, {:.2} % off", 100.0 * error));
        first.get_or_insert(json!({ "method": method, "seconds": seconds, "speed_error": error }));
        methods.insert(method.into(), json!({ "seconds": seconds, "speed": speed, "speed_error": error }));
    }
    findings.json.insert("two_seconds".into(), first.into());
    findings.json.insert("methods".into(), methods.into());
    findings.json.insert("reference_speed".into(), json!(exact));

    let mut rows = Vec::new();
    for count in POINTS {
        let model = sphere(count)?;
        let method = integrators::find("linearly-implicit-euler").ok_or_else(|| Failure::bench("no such method"))?;
        let mut stepper = (method.make)(&model, &integrators::Options::default()).map_err(Failure::bench)?;
        let mut state = model.state_at_rest();
        let mut fastest = f64::INFINITY;
        for _ in 0..REPEATS {
            let (done, ms) = time(|| stepper.step(&model, &mut state, 1e-3));
            done.map_err(Failure::bench)?;
            fastest = fastest.min(ms);
        }
        findings.say(&format!("{count} points: {fastest:.0} ms per step"));
        rows.push([count as f64, fastest]);
    }
    // Least squares of log ms over log points.
    let logs: Vec<[f64; 2]> = rows.iter().map(|row| row.map(f64::ln)).collect();
    let mean = |k: usize| logs.iter().map(|log| log[k]).sum::<f64>() / logs.len() as f64;
    let [x, y] = [mean(0), mean(1)];
    let slope = logs.iter().map(|log| (log[0] - x) * (log[1] - y)).sum::<f64>()
        / logs.iter().map(|log| (log[0] - x).powi(2)).sum::<f64>();
    findings.say(&format!("cost per step grows as points^{slope:.2}"));
    let sizes: Vec<_> = rows.iter().map(|[points, ms]| json!({ "points": points, "step_ms": ms })).collect();
    findings.json.insert("sizes".into(), json!(sizes));
    findings.json.insert("exponent".into(), json!(slope));
    findings.json.insert("threads".into(), json!(rayon::current_num_threads()));
    Ok(Report { text: findings.text, json: findings.json.into() })
}
