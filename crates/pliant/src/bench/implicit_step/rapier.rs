//! A beam that bends under gravity, by rapier and by pliant, on the same mesh.
//!
//! rapier is a separate program (`bench/rapier`, which describes its steps) that is built on request. The two take
//! turns; for each the round with the least mean step counts.

use super::super::bodies::{Cuboid, elements};
use super::super::runner::Runner;
use super::{Findings, H};
use crate::failure::Failure;
use integrators::{Options, parameters};
use model::Model;
use model::energy::Stiffness;
use serde_json::{Value, json};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Relative residual of pliant's solver, in f64; rapier's is 1e-5, in f32.
const TOLERANCE: f64 = 1e-6;
/// Turns of each.
const ROUNDS: usize = 3;
/// Steps per turn, and those that are not timed.
const STEPS: usize = 32;
const WARM: usize = 2;
/// Name, n, Young's modulus [Pa], and goal.
const CASES: [(&str, usize, f64, f64); 4] = [
    ("beam_12k", 8, 1e6, 7.0),
    ("beam_53k", 13, 1e6, 6.0),
    ("beam_98k", 16, 1e6, 6.0),
    ("beam_98k_stiff", 16, 1e8, 12.0),
];

/// Mean time of a step [ms], and the final position of the tip [m].
struct Turn {
    ms: f64,
    tip: [f64; 3],
}

/// A mesh as text for the rapier program; removed when dropped.
struct MeshFile(PathBuf);

impl MeshFile {
    /// Writes nodes and their masses, in the order of the mesh, then tets.
    fn write(cuboid: &Cuboid, model: &Model) -> Result<MeshFile, Failure> {
        let mesh = cuboid.mesh()?;
        let mut text = format!("{} {}\n", mesh.points.len(), mesh.tets.len());
        for (node, [x, y, z]) in mesh.points.iter().enumerate() {
            let number = model.number(node);
            let fixed = u8::from(number >= model.free_nodes());
            let _ = writeln!(text, "{x} {y} {z} {} {fixed}", model.node_mass()[number]);
        }
        for [a, b, c, d] in &mesh.tets {
            let _ = writeln!(text, "{a} {b} {c} {d}");
        }
        let name = format!("pliant-beam-{}-{}.txt", std::process::id(), mesh.tets.len());
        let file = MeshFile(std::env::temp_dir().join(name));
        std::fs::write(&file.0, text).map_err(|error| {
            Failure::bench(format!("{}: {error}; set TMPDIR to a writable folder", file.0.display()))
        })?;
        Ok(file)
    }
}

impl Drop for MeshFile {
    fn drop(&mut self) {
        // A file left in the temporary folder does no harm.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// Runs cargo in the folder of the rapier program, where it finds the flags that this program is built with.
fn cargo(verb: &str) -> Result<Command, String> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../bench/rapier");
    let folder = [source, PathBuf::from("bench/rapier")].into_iter().find(|folder| folder.join("Cargo.toml").exists());
    let folder = folder.ok_or("there is no bench/rapier: run in the folder of pliant's source")?;
    let mut command = Command::new("cargo");
    command.current_dir(folder).args([verb, "--release", "--locked"]);
    // It is built with its own profile, whatever profile this program was built with.
    for key in ["LTO", "CODEGEN_UNITS", "OPT_LEVEL"] {
        command.env_remove(format!("CARGO_PROFILE_RELEASE_{key}"));
    }
    Ok(command)
}

fn build() -> Result<(), String> {
    eprintln!("building bench/rapier");
    let status = cargo("build")?.stdout(Stdio::null()).status().map_err(|error| format!("cargo: {error}"))?;
    if status.success() { Ok(()) } else { Err("bench/rapier does not build: see what cargo says above".into()) }
}

fn rapier(mesh: &MeshFile, young: f64, poisson: f64) -> Result<Turn, String> {
    let mut command = cargo("run")?;
    command.args(["--quiet", "--"]).arg(&mesh.0);
    command.args([young, poisson, H, STEPS as f64].map(|number| number.to_string()));
    let output = command.stderr(Stdio::inherit()).output().map_err(|error| format!("cargo: {error}"))?;
    if !output.status.success() {
        return Err("rapier failed: see what it says above".into());
    }
    let line: Value = serde_json::from_slice(&output.stdout).map_err(|error| format!("rapier's answer: {error}"))?;
    let numbers =
        |value: &Value| -> Vec<f64> { value.as_array().into_iter().flatten().flat_map(Value::as_f64).collect() };
    let ms = numbers(&line["ms"]);
    match numbers(&line["tip"][STEPS - 1])[..] {
        [x, y, z] if ms.len() == STEPS => {
            Ok(Turn { ms: ms[WARM..].iter().sum::<f64>() / (STEPS - WARM) as f64, tip: [x, y, z] })
        }
        _ => Err(format!("rapier made {} steps, not {STEPS}", ms.len())),
    }
}

/// Returns the mean position of the nodes that are farthest along x at rest.
fn tip(model: &Model, x: &[f64]) -> [f64; 3] {
    let rest = model.rest().as_chunks::<3>().0;
    let end = rest.iter().fold(f64::MIN, |end, node| end.max(node[0]));
    let tips = || x.as_chunks::<3>().0.iter().zip(rest).filter(|(_, rest)| rest[0] == end).map(|(x, _)| x);
    let count = tips().count() as f64;
    std::array::from_fn(|c| tips().map(|x| x[c]).sum::<f64>() / count)
}

fn length(a: [f64; 3], b: [f64; 3]) -> f64 {
    (0..3).map(|c| (a[c] - b[c]).powi(2)).sum::<f64>().sqrt()
}

/// Compares all beams; where rapier is not available, the rows say why and pliant is measured alone.
pub(super) fn measure(findings: &mut Findings) -> Result<(), Failure> {
    let built = build();
    for (name, n, young, goal) in CASES {
        let cuboid = Cuboid { size: [1.0, 0.25, 0.25], cells: [4 * n, n, n], young, poisson: 0.3 };
        let model = cuboid.model(Stiffness::Exact)?;
        let mesh = MeshFile::write(&cuboid, &model)?;
        let options = Options::default().with(&parameters::SOLVER_TOLERANCE, TOLERANCE);
        let mut theirs: Result<Turn, String> = built.clone().map(|()| Turn { ms: f64::INFINITY, tip: [0.0; 3] });
        let mut ours: Option<Runner> = None;
        for _ in 0..ROUNDS {
            if let Ok(best) = &theirs {
                let least = best.ms;
                theirs = rapier(&mesh, young, cuboid.poisson).map(|turn| Turn { ms: turn.ms.min(least), ..turn });
            }
            let mut runner = Runner::new(&model, &model.state_at_rest(), "linearly-implicit-euler", &options)?;
            for _ in 0..STEPS {
                runner.step(&model, H)?;
            }
            if ours.as_ref().is_none_or(|ours| runner.mean(WARM) < ours.mean(WARM)) {
                ours = Some(runner);
            }
        }
        let Some(ours) = ours else { continue };
        let (ms, end) = (ours.mean(WARM), tip(&model, &ours.state.x));
        let mut row = json!({
            "pliant_ms": ms, "vertices": model.nodes(), "tets": elements(&model), "work_a_step": ours.work_json(),
        });
        let said = match theirs {
            Ok(turn) => {
                let difference = length(turn.tip, end) / length(end, tip(&model, model.rest()));
                let ratio = turn.ms / ms;
                row["vs_rapier"] = json!(ratio);
                row["rapier_ms"] = json!(turn.ms);
                row["tip_difference"] = json!(difference);
                let percent = 100.0 * difference;
                format!("rapier {:.1} ms, ratio {ratio:.2} (to reach: {goal}), tips differ by {percent:.2} %", turn.ms)
            }
            Err(reason) => {
                row["error"] = json!(reason);
                format!("without rapier: {reason}")
            }
        };
        findings.say(&format!("{name}, {} vertices: pliant {ms:.1} ms, {said}; {}", model.nodes(), ours.work()));
        findings.json.insert(name.into(), row);
    }
    Ok(())
}
