//! Cost of a step of siere compared with linearly-implicit-euler, on bodies of the nine sizes of its paper and a cube.
//!
//! All with their default solvers; linearly-implicit-euler also with a fresh factor in each step. The three take their
//! steps in turns, each along its own motion, on one thread and on all cores. Means, because a step makes zero to several
//! passes over its modes: passes and columns are counted too. The first step, which searches for modes from scratch, is
//! shown separately, in steps with a fresh factor.
//!
//! Angles are those of the captured modes as used, measured with a separate factor of K + sigma M, sigma the largest of
//! their values: |(K + sigma M)^-1 (K u - lam M u)|_M, about the angle between u and the exact mode.

use super::bodies::{CUBE_12K, moving};
use super::runner::Runner;
use super::{Findings, Folder, Report};
use crate::failure::Failure;
use integrators::{Modes, Options, parameters};
use model::energy::{Configuration, Stiffness};
use model::{Model, State};
use numerics::blocks::BlockMatrix;
use numerics::linear::{Cholesky, LinearSolver, SolverKind};
use serde_json::{Map, Value, json};

/// Turns of each method, and steps per turn.
const TURNS: usize = 6;
const STEPS: usize = 10;
/// Numbers of modes, the goals for the time over that of linearly-implicit-euler, and turns.
const MODES: [(usize, f64, usize); 3] = [(5, 1.5, TURNS), (20, 2.0, 2), (50, 3.5, 2)];

/// A scene of the paper's list, its body if that is a file, and the least goal for a fresh factor over siere.
struct Row {
    name: &'static str,
    scene: &'static str,
    body: Option<(&'static str, &'static str)>,
}

macro_rules! row {
    ($name:literal, $scene:literal) => {
        Row { name: $name, scene: include_str!(concat!("../../scenes/", $scene, ".toml")), body: None }
    };
    ($name:literal, $scene:literal, $body:literal) => {
        Row { body: Some(($body, include_str!(concat!("../../bodies/", $body)))), ..row!($name, $scene) }
    };
}

const ROWS: [Row; 9] = [
    row!("ball", "hanging-ball"),
    row!("cuboid", "untwisting-cuboid"),
    row!("honeycomb", "honeycomb"),
    row!("moebius_ball", "large/moebius-ball", "moebius-ball.toml"),
    row!("rope", "large/uncoiling-rope"),
    row!("tower", "large/toy-tower", "toy-tower.toml"),
    row!("tree", "large/tree", "tree.toml"),
    row!("bridge", "large/bridge"),
    row!("human_body", "large/human-body", "human.toml"),
];

/// A body in motion.
struct Case {
    name: &'static str,
    model: Model,
    start: State,
    /// Step [s].
    h: f64,
    /// Goal for a fresh factor over siere with the fewest modes.
    refactor_goal: f64,
}

fn cases() -> Result<Vec<Case>, Failure> {
    let folder = Folder::new("siere")?;
    let mut cases = Vec::new();
    for row in &ROWS {
        let scene = folder.scene(row.scene, row.body)?;
        let h = scene.integrator.step;
        let built = scene.build()?;
        let (model, start) = ((*built.model).clone(), built.start.clone());
        cases.push(Case { name: row.name, model, start, h, refactor_goal: 1.2 });
    }
    let cube = CUBE_12K.model(Stiffness::Auto)?;
    let start = moving(&cube, 1.0);
    cases.push(Case { name: "cube_12k", model: cube, start, h: 0.01, refactor_goal: 6.0 });
    Ok(cases)
}

/// Returns the largest angle of the modes of the last step, which began at `before`. They are in the memory of the
/// method: behind where the last step began in its frame, whose length is the first number, five numbers and the positions
/// they belong to.
fn angle(runner: &Runner, model: &Model, before: &State, h: f64) -> Result<f64, Failure> {
    let n = model.dofs();
    let columns = runner.report.modes as usize;
    let memory = runner.stepper.memory();
    let from = 1 + memory.first().map_or(0, |&length| length as usize) + 5 + n;
    let Some(vectors) = memory.get(from..from + columns * n) else {
        return Ok(0.0);
    };
    let way: Vec<f64> = before.v.iter().map(|v| h * v).collect();
    let mut k = BlockMatrix::zeros(model.pattern().clone());
    let mut a = k.clone();
    model.stiffness(model.stiffness_kind(), Configuration { x: &before.x, way: &way, inertia: &[] }, &mut k);
    let mut r = vec![0.0; vectors.len()];
    k.multiply_columns(vectors, &mut r, columns);
    let mut sigma = 0.0_f64;
    for (u, r) in vectors.chunks_exact(n).zip(r.chunks_exact_mut(n)) {
        let lam: f64 = u.iter().zip(&*r).map(|(u, ku)| u * ku).sum();
        model.mass().multiply_add(-lam, u, r);
        sigma = sigma.max(lam.abs());
    }
    model.combine([sigma, 0.0, 1.0], &k, None, &mut a);
    let mut solver = Cholesky::new(model.pattern()).map_err(Failure::bench)?;
    solver.prepare(&a).map_err(Failure::bench)?;
    solver.solve(&a, &mut r, columns).map_err(Failure::bench)?;
    let sizes = r.chunks_exact(n).map(|z| model.mass().inner(z, z).sqrt());
    Ok(sizes.fold(0.0, f64::max))
}

/// Steps a body with each number of modes beside linearly-implicit-euler.
fn measure(case: &Case, findings: &mut Findings) -> Result<(), Failure> {
    let Case { name, model, start, h, refactor_goal } = case;
    let euler = "linearly-implicit-euler";
    let mut rows = Map::new();
    rows.insert("vertices".into(), json!(model.nodes()));
    for (modes, goal, turns) in MODES {
        let options = Options::default().with(&parameters::MODES, Modes::Count(modes));
        let fresh = options.clone().with(&parameters::SOLVER, SolverKind::Direct);
        let mut fresh = Runner::new(model, start, euler, &fresh)?;
        let mut euler = Runner::new(model, start, euler, &options)?;
        let mut siere = Runner::new(model, start, "siere", &options)?;
        for turn in 0..turns {
            // A fresh factor always costs the same.
            let of_fresh = if turn == 0 { STEPS } else { STEPS / 5 };
            for (runner, steps) in [(&mut fresh, of_fresh), (&mut euler, STEPS), (&mut siere, STEPS)] {
                for _ in 0..steps {
                    runner.step(model, *h)?;
                }
            }
        }
        let before = siere.state.clone();
        siere.step(model, *h)?;
        let ([fresh_ms, euler_ms, siere_ms], first) =
            ([&fresh, &euler, &siere].map(|runner| runner.mean(1)), siere.ms[0]);
        let [vs_si, vs_refactor, first_steps] = [siere_ms / euler_ms, fresh_ms / siere_ms, first / fresh_ms];
        let passes = siere.report.mode_passes as f64 / siere.ms.len() as f64;
        let angle = angle(&siere, model, &before, *h)?;
        let of_refactor = if modes == MODES[0].0 { format!(" (to reach: {refactor_goal})") } else { String::new() };
        findings.say(&format!(
            "{name}, {} vertices, {modes} modes: siere {siere_ms:.1} ms, linearly implicit {euler_ms:.1} ms, fresh factor {fresh_ms:.1} ms; \
             vs_si {vs_si:.2} (to reach: {goal}), vs_refactor {vs_refactor:.2}{of_refactor}; {} modes within {angle:.0e}, {passes:.2} passes, {}; \
             linearly implicit: {}; first step {first:.0} ms, {first_steps:.0} fresh steps",
            model.nodes(),
            siere.report.modes,
            siere.work(),
            euler.work(),
        ));
        let row = json!({
            "siere_ms": siere_ms, "euler_ms": euler_ms, "fresh_ms": fresh_ms, "vs_si": vs_si, "vs_refactor": vs_refactor,
            "modes": siere.report.modes, "angle": angle, "passes_per_step": passes, "first_step_ms": first,
            "first_step_in_fresh_steps": first_steps, "work_per_step": siere.work_json(), "euler_work_per_step": euler.work_json(),
        });
        if modes == MODES[0].0 {
            rows.insert("vs_si".into(), json!(vs_si));
            rows.insert("vs_refactor".into(), json!(vs_refactor));
            rows.insert("first_step".into(), json!(first_steps));
        }
        rows.insert(format!("modes_{modes}"), row);
    }
    findings.json.insert(name.to_string(), rows.into());
    Ok(())
}

/// Returns the median of the time over linearly-implicit-euler, with the fewest modes.
fn median(findings: &Findings) -> f64 {
    let of_paper = ROWS.iter().filter_map(|row| findings.json.get(row.name)?.get("vs_si")?.as_f64());
    let mut ratios: Vec<f64> = of_paper.collect();
    ratios.sort_unstable_by(f64::total_cmp);
    ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN)
}

/// Measures all bodies on some threads.
fn measure_all(cases: &[Case], threads: usize) -> Result<Findings, Failure> {
    let mut findings = Findings::default();
    findings.say(&format!("{threads} thread{}:", if threads == 1 { "" } else { "s" }));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(Failure::bench)?;
    pool.install(|| cases.iter().try_for_each(|case| measure(case, &mut findings)))?;
    let middle = median(&findings);
    findings.say(&format!("median of vs_si: {middle:.2} (to reach: 1.35)"));
    findings.json.insert("median_vs_si".into(), json!(middle));
    Ok(findings)
}

/// Measures all bodies, on one thread and on all cores.
pub fn run() -> Result<Report, Failure> {
    let cases = cases()?;
    let threads = rayon::current_num_threads();
    let mut findings = measure_all(&cases, 1)?;
    let all = measure_all(&cases, threads)?;
    findings.text.push_str(&all.text);
    findings.json.insert("all_cores".into(), Value::Object(all.json));
    findings.json.insert("threads".into(), json!(threads));
    findings.json.insert("peak_memory_mib".into(), json!(super::peak_memory_mib()));
    Ok(Report { text: findings.text, json: findings.json.into() })
}
