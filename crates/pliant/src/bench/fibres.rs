//! Steps of thousands of hairs.
//!
//! Hairs of 6 to 10 segments on a ball, 36 nodes on average, held at their roots, fall under gravity with the turned stiffness. Timed are
//! the factor and one solve of the matrix of a step by the solver that knows components, whole steps of three methods at 60,000 hairs,
//! growth from 600 to 60,000, and steps by the general direct solver at 6,000. `stiffness` measures accuracy: see there.

mod stiffness;

use super::runner::Runner;
use super::{Findings, Report, forget_peak_memory, peak_memory_mib, time};
use crate::failure::Failure;
use integrators::{Krylov, Modes, Options, parameters};
use model::energy::Stiffness;
use model::fibre::{FibreKind, Fibres, Random, RootSurface, Section};
use model::load::Profile;
use model::{Basis, Blueprint, LoadPart, Model};
use numerics::blocks::BlockMatrix;
use numerics::linear::{self, SolverKind, Stop};
use serde_json::json;

/// Time step [s].
const H: f64 = 0.01;
/// Steps before the timed ones: the first finds memory and modes.
const SKIPPED: usize = 2;
/// Timed steps.
const STEPS: usize = 3;
/// Numbers of hairs.
const SIZES: [usize; 3] = [600, 6_000, 60_000];
/// Hairs that the general solver is compared on.
const COMPARED: usize = 6_000;
/// Relative error of the matrix functions of ere: that of the method is larger at this step.
const KRYLOV_TOLERANCE: f64 = 1e-3;

/// Hairs that stand on a ball of 9 cm.
fn hairs(count: usize) -> Result<Model, Failure> {
    let kind = FibreKind {
        length: [0.15, 0.25],
        segments: [6, 10],
        section: Section::Round,
        diameter: vec![65e-6],
        young: 3.6e9,
        shear: 1.0e9,
        density: 1300.0,
        ring_scale: Some(10.0),
        curl: None,
        curl_jitter: 0.0,
        direction_jitter: 0.2,
        seed: 1,
    };
    let ball = RootSurface::Ball { center: [0.0; 3], radius: 0.09 };
    let roots: Vec<_> = (0..count as u64).map(|k| ball.root(&mut Random::new(2, k))).collect();
    let mut fibres = Fibres::new(&kind, &roots);
    let energies = fibres.energies(0).into_iter().collect();
    let nodes: Vec<u32> = (0..fibres.mesh.points.len() as u32).collect();
    let fixed = fibres.mesh.groups.get("roots").map(|group| group.nodes.clone()).unwrap_or_default();
    Blueprint {
        energies,
        node_masses: nodes.iter().copied().zip(fibres.masses).collect(),
        fixed,
        loads: vec![LoadPart { nodes, basis: Basis::Mass, direction: [0.0, 0.0, -9.81], profile: Profile::Constant }],
        stiffness: Stiffness::Turned,
        mesh: fibres.mesh,
        ..Blueprint::default()
    }
    .build()
    .map_err(Failure::bench)
}

/// Returns the mean time of a step [s], and the work of all steps as text.
fn step(model: &Model, method: &str, options: &Options) -> Result<(f64, String), Failure> {
    let mut runner = Runner::new(model, &model.state_at_rest(), method, options)?;
    for _ in 0..SKIPPED + STEPS {
        runner.step(model, H)?;
    }
    Ok((1e-3 * runner.mean(SKIPPED), runner.work()))
}

/// Returns the fastest factor and the fastest solve of one column [s].
fn factor_and_solve(model: &Model, kind: SolverKind) -> Result<[f64; 2], Failure> {
    let mut k = BlockMatrix::zeros(model.pattern().clone());
    model.stiffness(model.stiffness_kind(), model.rest(), &mut k);
    let mut a = k.clone();
    model.combine([1.0, H, H * H], &k, None, &mut a);
    drop(k);
    let mut solver = linear::choose(model.pattern(), kind, Stop::at(1e-8, 1000)).map_err(Failure::bench)?;
    let mut x = vec![1.0; model.dofs()];
    let mut fastest = [f64::INFINITY; 2];
    for _ in 0..=STEPS {
        let (prepared, factor) = time(|| solver.prepare(&a));
        prepared.map_err(Failure::bench)?;
        let (solved, solve) = time(|| solver.solve(&a, &mut x, 1));
        solved.map_err(Failure::bench)?;
        fastest = [fastest[0].min(1e-3 * factor), fastest[1].min(1e-3 * solve)];
    }
    Ok(fastest)
}

/// Returns the exponent of the growth of times with sizes, by least squares of the logarithms.
pub(super) fn exponent(sizes: &[usize], times: &[f64]) -> f64 {
    let points = || sizes.iter().zip(times).map(|(&size, time)| [(size as f64).ln(), time.ln()]);
    let n = sizes.len() as f64;
    let [x, y] = points().fold([0.0; 2], |[x, y], [a, b]| [x + a / n, y + b / n]);
    let [over, under] = points().fold([0.0; 2], |[o, u], [a, b]| [o + (a - x) * (b - y), u + (a - x) * (a - x)]);
    over / under
}

/// Measures everything.
pub fn run() -> Result<Report, Failure> {
    let mut findings = Findings::default();
    forget_peak_memory();
    let default = Options::default();

    let mut times = Vec::new();
    for count in SIZES {
        let model = hairs(count)?;
        let (seconds, work) = step(&model, "linearly-implicit-euler", &default)?;
        let unknowns = 3 * model.nodes();
        findings.say(&format!(
            "{count} hairs, {unknowns} unknowns with roots: {seconds:.4} s per linearly implicit step; {work}"
        ));
        times.push(seconds);
        if count == COMPARED {
            let direct = default.clone().with(&parameters::SOLVER, SolverKind::Direct);
            let (general, _) = step(&model, "linearly-implicit-euler", &direct)?;
            let ratio = general / seconds;
            findings.say(&format!(
                "{count} hairs: {general:.4} s per step by the general solver: {ratio:.1} times (to reach: 5)"
            ));
            findings.json.insert("vs_general".into(), json!(ratio));
            let sums = [SolverKind::Components, SolverKind::Direct].map(|kind| factor_and_solve(&model, kind));
            let [ours, general] = sums.map(|sum| sum.map(|[factor, solve]| factor + solve));
            let ratio = general? / ours?;
            findings.say(&format!(
                "{count} hairs: factor and solve of a given matrix by the general solver: {ratio:.1} times"
            ));
            findings.json.insert("solver_vs_general".into(), json!(ratio));
        }
    }
    let exponent = exponent(&SIZES, &times);
    findings.say(&format!("growth: exponent {exponent:.2} (to reach: 1.1)"));
    let growth = SIZES.iter().zip(&times).map(|(size, time)| (size.to_string(), json!(time)));
    let mut growth: serde_json::Map<_, _> = growth.collect();
    growth.insert("exponent".into(), json!(exponent));
    findings.json.insert("growth".into(), growth.into());

    let count = SIZES[SIZES.len() - 1];
    let model = hairs(count)?;
    let [factor, solve] = factor_and_solve(&model, SolverKind::Components)?;
    findings.say(&format!("{count} hairs: factor {factor:.3} s, solve {solve:.3} s"));
    findings.json.insert("factor_60k".into(), json!({ "seconds": factor }));
    findings.json.insert("solve_60k".into(), json!({ "seconds": solve }));
    let elastic = times[times.len() - 1];
    let modes = default.clone().with(&parameters::MODES, Modes::Count(5));
    let (siere, work) = step(&model, "siere", &modes)?;
    findings.say(&format!("{count} hairs: {siere:.3} s per step of siere, 5 modes per hair (to reach: 2); {work}"));
    let rational =
        default.with(&parameters::KRYLOV, Krylov::Rational).with(&parameters::KRYLOV_TOLERANCE, KRYLOV_TOLERANCE);
    let (ere, work) = step(&model, "ere", &rational)?;
    findings
        .say(&format!("{count} hairs: {ere:.3} s per step of ere, unresolved motions damped (to reach: 2); {work}"));
    let hair = json!({
        "fibres": count,
        "unknowns": 3 * model.nodes(),
        "step": H,
        "threads": rayon::current_num_threads(),
        "elastic_step_seconds": elastic,
        "siere_step_seconds": siere,
        "ere_step_seconds": ere,
    });
    findings.json.insert("hair".into(), hair);
    drop(model);

    let (flat, text) = stiffness::flat()?;
    findings.say(&text);
    findings.json.insert("stiffness".into(), json!({ "flat": flat }));
    let peak = peak_memory_mib();
    findings.say(&format!("peak memory {peak:.0} MiB (to reach: 8192)"));
    findings.json.insert("peak_memory_mib".into(), json!(peak));
    Ok(Report { text: findings.text, json: findings.json.into() })
}
