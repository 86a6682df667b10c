//! Cost of regions: a frame of asynchronous backward Euler compared with one large step for everything.
//!
//! The bodies and regions are those of table 1 of Zhao, Li, Barbic 2016, as in scenes/large. A frame is one large step.
//! It is compared, in turns on the same body, with `coupling = "conserving"`, one large step for everything, steps
//! small enough for its smallest region, and warping. One step for everything is the same method without regions, one
//! stored factor and one solve: the cheapest baseline possible.
//!
//! Ratios are medians of the ratios within a turn. These steps are limited by memory, whose speed changes by half
//! within seconds on shared machines, so the fastest of each, which are shown as well, may be from different moments.
//! The order changes from turn to turn: warping is serial and leaves caches and threads cold.
//!
//! Amplitudes are those of the nodes in regions, root mean square, the largest of the last quarter of the scene, as a
//! share of that with small steps for everything. "equal cost" is one step for everything, so short that a run takes as
//! long as the asynchronous one.

mod naive;

use super::runner::Runner;
use super::{Findings, Folder, Report, time};
use crate::failure::Failure;
use crate::threads::use_threads;
use integrators::{Coupling, Options, parameters};
use model::{Model, State, Warp};
use scene::{Built, Scene};
use serde_json::json;

const METHOD: &str = "asynchronous-backward-euler";
/// Measured turns.
const TURNS: usize = 120;
/// Order of methods, turn by turn: regions, the same conserving momentum, large steps, small ones. Warping is last.
const ORDERS: [[usize; 4]; 4] = [[0, 1, 2, 3], [2, 1, 0, 3], [3, 0, 2, 1], [1, 3, 2, 0]];

/// A row of table 1.
struct Row {
    /// Name in the JSON object.
    name: &'static str,
    scene: &'static str,
    body: (&'static str, &'static str),
    /// Values of the paper for the frame, the small steps and warping, over the large step.
    paper: [f64; 3],
    /// Goal for the first of them.
    goal: f64,
}

macro_rules! row {
    ($name:literal, $scene:literal, $body:literal, $paper:expr, $goal:expr) => {
        Row {
            name: $name,
            scene: include_str!(concat!("../../scenes/large/", $scene, ".toml")),
            body: ($body, include_str!(concat!("../../bodies/", $body))),
            paper: $paper,
            goal: $goal,
        }
    };
}

const ROWS: [Row; 9] = [
    row!("dinosaur", "dinosaur", "dinosaur.toml", [2.87, 14.8, 0.61], 2.0),
    row!("flower", "flower", "flower.toml", [2.95, 11.1, 0.58], 2.0),
    row!("asian_dragon", "asian-dragon", "asian-dragon.toml", [1.26, 10.0, 0.54], 1.26),
    row!("dragon_1", "dragon-jaw", "dragon.toml", [1.01, 10.0, 0.72], 1.01),
    row!("dragon_2", "dragon-head", "dragon.toml", [2.05, 10.0, 0.73], 2.05),
    row!("dragon_3", "dragon-neck", "dragon.toml", [2.82, 10.0, 0.72], 2.82),
    row!("dragon_4", "dragon-chest", "dragon.toml", [3.72, 10.0, 0.72], 3.72),
    row!("dragon_5", "dragon-front", "dragon.toml", [6.79, 10.0, 0.72], 6.79),
    row!("dragon_6", "dragon-most", "dragon.toml", [10.9, 10.0, 0.72], 10.9),
];

/// Measures all rows, then one solve with and without the structure of its matrix.
pub fn run() -> Result<Report, Failure> {
    use_threads(None)?;
    let folder = Folder::new("async")?;
    let mut findings = Findings::default();
    findings.say("a frame over one large step for all (the paper's in brackets), and the amplitude kept:");
    for row in &ROWS {
        let (scene, asynchronous) = load(&folder, row.body, row.scene)?;
        let single = scene.with_method("linearly-implicit-euler")?.build()?.model.clone();
        measure(row, &scene, asynchronous, &single, &mut findings)?;
    }
    let jaw = &ROWS[3];
    let h = load(&folder, jaw.body, jaw.scene)?.0.integrator.step;
    let body = |ratio| {
        let scene = jaw.scene.replace("ratio = 10", &format!("ratio = {ratio}"));
        Ok((*load(&folder, jaw.body, &scene)?.1.model).clone())
    };
    naive::measure(body, h, &mut findings)?;
    findings.json.insert("peak_memory_mib".into(), json!(super::peak_memory_mib()));
    findings.json.insert("threads".into(), json!(rayon::current_num_threads()));
    Ok(Report { text: findings.text, json: findings.json.into() })
}

/// A scene and what it builds.
fn load(folder: &Folder, body: (&str, &str), scene: &str) -> Result<(Scene, Built), Failure> {
    let scene = folder.scene(scene, Some(body))?;
    let built = scene.build()?;
    Ok((scene, built))
}

/// Returns the fastest except the first, which makes the factors.
fn fastest(ms: &[f64]) -> f64 {
    ms.iter().skip(1).fold(f64::INFINITY, |least, ms| least.min(*ms))
}

/// Returns the median of the ratios within a turn.
fn typical_ratio(ms: &[f64], base: &[f64]) -> f64 {
    let mut ratios: Vec<f64> = ms.iter().zip(base).skip(1).map(|(ms, base)| ms / base).collect();
    ratios.sort_by(f64::total_cmp);
    ratios.get(ratios.len() / 2).copied().unwrap_or(f64::NAN)
}

fn measure(
    row: &Row,
    scene: &Scene,
    asynchronous: Built,
    single: &Model,
    findings: &mut Findings,
) -> Result<(), Failure> {
    let (model, start) = (&*asynchronous.model, asynchronous.start.clone());
    let mut warp = Warp::new(model).map_err(Failure::bench)?;
    let h = scene.integrator.step;
    let most = model.regions().iter().map(|region| region.ratio).max().unwrap_or(1);
    let small = h / most as f64;
    let coupled = |model: &Model, coupling: Coupling| {
        Runner::new(model, &start, METHOD, &Options::default().with(&parameters::COUPLING, coupling))
    };
    let runner = |model: &Model| coupled(model, Coupling::Paper);
    let of = [(model, h), (model, h), (single, h), (single, small)];
    let mut runners = [runner(model)?, coupled(model, Coupling::Conserving)?, runner(single)?, runner(single)?];
    let mut shown = vec![0.0; start.x.len()];
    let mut warping = Vec::new();
    for turn in 0..=TURNS {
        for who in ORDERS[turn % ORDERS.len()] {
            let (model, step) = of[who];
            runners[who].step(model, step)?;
        }
        warping.push(time(|| warp.apply(&runners[0].state.x, &mut shown)).1);
    }
    let [regions, conserving, large, smaller] = runners.map(|runner| runner.ms);
    let [ratio, ratio_conserving, ratio_step, ratio_warp] =
        [&regions, &conserving, &smaller, &warping].map(|ms| typical_ratio(ms, &large));
    let ratio_small = most as f64 * ratio_step;
    let (ms, base) = (fastest(&regions), fastest(&large));

    // Motion of the whole scene: as it is, by small steps, and by steps that take as long.
    let frames = (scene.run.duration / h).round() as usize;
    let swing =
        |runner: &mut Runner, of: &Model, step: f64| amplitude(runner, of, model, &start, step, frames as f64 * h);
    let true_swing = swing(&mut runner(single)?, single, small)?;
    let kept = swing(&mut runner(model)?, model, h)? / true_swing;
    let kept_conserving = swing(&mut coupled(model, Coupling::Conserving)?, model, h)? / true_swing;
    let equal = swing(&mut runner(single)?, single, h / ratio.max(1.0))? / true_swing;
    let at_large = swing(&mut runner(single)?, single, h)? / true_swing;

    let sizes: Vec<String> =
        model.regions().iter().map(|region| format!("{} ({})", region.nodes.len(), region.ratio)).collect();
    let [paper, paper_small, paper_warp] = row.paper;
    findings.say(&format!(
        "  {:12} {} vertices, regions {}: {:.2} ms, ratio {ratio:.2} ({paper:.2}; to reach: {:.2}; of the fastest {:.2}; conserving {ratio_conserving:.2}); small steps {ratio_small:.1} \
         ({paper_small:.1}), warping {ratio_warp:.2} ({paper_warp:.2}), large step {base:.2} ms; kept {:.0} %, conserving \
         {:.0} %, at equal cost {:.0} %, by large steps {:.0} %",
        row.name,
        model.nodes(),
        sizes.join(", "),
        ms,
        row.goal,
        ms / base,
        100.0 * kept,
        100.0 * kept_conserving,
        100.0 * equal,
        100.0 * at_large,
    ));
    let of_paper = json!({ "ratio": paper, "small": paper_small, "warp": paper_warp });
    let result = json!({
        "ratio": ratio, "ratio_of_fastest": ms / base, "small": ratio_small, "warp": ratio_warp, "large_ms": base, "ms": ms,
        "ratio_conserving": ratio_conserving, "kept": kept, "kept_conserving": kept_conserving, "kept_at_equal_cost": equal, "kept_by_large_steps": at_large, "paper": of_paper, "goal": row.goal,
    });
    findings.json.insert(row.name.into(), result);
    Ok(())
}

/// Returns the largest root-mean-square displacement of the nodes in regions within the last quarter [m].
fn amplitude(
    runner: &mut Runner,
    model: &Model,
    regions: &Model,
    start: &State,
    step: f64,
    duration: f64,
) -> Result<f64, Failure> {
    let steps = (duration / step).round() as usize;
    let nodes: Vec<usize> = regions.regions().iter().flat_map(|region| &region.nodes).map(|&i| i as usize).collect();
    let mut most = 0.0_f64;
    for done in 1..=steps {
        runner.step(model, step)?;
        if 4 * done > 3 * steps {
            let squares = nodes.iter().flat_map(|i| 3 * i..3 * i + 3).map(|k| (runner.state.x[k] - start.x[k]).powi(2));
            most = most.max((squares.sum::<f64>() / nodes.len() as f64).sqrt());
        }
    }
    Ok(most)
}
