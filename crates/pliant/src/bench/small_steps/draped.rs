//! The large cloth: 150,156 particles and 897,063 springs, on a mesh, the ground and itself.

use super::super::runner::Runner;
use super::super::{Findings, peak_memory_mib};
use super::{FRAME, gravity, options};
use crate::failure::Failure;
use collision::{Pose, Shape};
use model::collisions::{Collider, Collisions};
use model::energy::spring::Law;
use model::mesh::generate::{Value as Parameter, generate};
use model::{Blueprint, SpringPart};
use serde_json::json;

const SUBSTEPS: usize = 30;
/// Total frames, and those before the cloth lies on something, which are not counted.
const FRAMES: [usize; 2] = [12, 4];
/// Segments per quarter turn of the ball as a mesh: 35k triangles, as many as in a scanned body.
const FINENESS: usize = 47;

/// Measures the time per frame [ms] and the memory.
pub(super) fn run(findings: &mut Findings) -> Result<(), Failure> {
    let numbers = |x: [f64; 2]| Parameter::Numbers(x.to_vec());
    let parameters = [("size", numbers([0.5, 0.5])), ("cells", numbers([387.0, 386.0]))];
    let mut mesh = generate("cloth", parameters).map_err(Failure::bench)?;
    mesh.points.iter_mut().for_each(|p| *p = [p[0] - 0.25, p[1] - 0.25, 0.202]);
    let spring = |pairs: &[[u32; 2]], stiffness| SpringPart { pairs: pairs.to_vec(), law: Law::Linear, stiffness };
    let springs = vec![spring(&mesh.edges, 1e4), spring(&mesh.shear, 1e4), spring(&mesh.bends, 10.0)];
    let constraints: usize = springs.iter().map(|part| part.pairs.len()).sum();
    let all: Vec<u32> = (0..mesh.points.len() as u32).collect();
    let (points, triangles) = Shape::Ball { radius: 0.1 }.triangles(FINENESS);
    let ball = Shape::mesh(&points, &triangles).map_err(Failure::bench)?;
    let collider = |shape, pose| Collider {
        shape,
        pose,
        motion: None,
        friction: 0.4,
        restitution: 0.0,
        nodes: all.clone(),
        rigids: vec![],
    };
    let thickness = 0.25 * 0.5 / 387.0;
    let collisions = Collisions {
        impulses: None,
        triangles: mesh.triangles.clone(),
        edges: vec![],
        points: vec![],
        body: vec![0; all.len()],
        thickness,
        margin: thickness,
        friction: 0.2,
        max_separation_speed: thickness / FRAME,
        within: true,
        between: false,
        colliders: vec![collider(ball, Pose::at([0.0, 0.0, 0.1])), collider(Shape::HalfSpace, Pose::default())],
    };
    let node_masses = all.iter().map(|&i| (i, 0.05 / all.len() as f64)).collect();
    let loads = gravity(&mesh);
    let blueprint =
        Blueprint { mesh, springs, node_masses, loads, collisions: Some(collisions), ..Blueprint::default() };
    let model = blueprint.build().map_err(Failure::bench)?;
    let mut start = model.state_at_rest();
    start.v.chunks_mut(3).for_each(|v| v[2] = -1.0);
    let mut runner = Runner::new(&model, &start, "small-steps", &options(SUBSTEPS, 1))?;
    (0..FRAMES[0]).try_for_each(|_| runner.step(&model, FRAME))?;
    let least = runner.ms[FRAMES[1]..].iter().copied().fold(f64::INFINITY, f64::min);
    let (mean, peak) = (runner.mean(FRAMES[1]), peak_memory_mib());
    findings.say(&format!(
        "draped cloth: {} particles, {constraints} constraints, {SUBSTEPS} substeps: {least:.0} ms per frame at least, \
         {mean:.0} ms in the mean, peak memory {peak:.0} MiB",
        model.nodes()
    ));
    let found = json!({
        "particles": model.nodes(), "constraints": constraints, "substeps": SUBSTEPS, "ms": least, "mean_ms": mean,
        "peak_memory_mib": peak,
    });
    findings.json.insert("draped_cloth".into(), found);
    Ok(())
}
