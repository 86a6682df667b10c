//! Energy kept by each method for an undamped body within a second, of the bridge within .08 s: at equal step, and at
//! equal cost.
//!
//! Energy is relative to that of the body at rest under its loads, so that 1 is all of it and 0 is a body that hangs
//! still. Equal cost: the step with which a method would take as long as linearly-implicit-euler does with the scene's.
//! The reference is implicit-midpoint with a step fine enough to resolve the motion. Loads are constant.

use super::{Report, time};
use crate::failure::Failure;
use integrators::{METHODS, Method, Options, parameters};
use model::load::Profile;
use model::{Model, State};
use scene::{Energies, Scene};
use serde_json::{Map, Value, json};
use std::fmt::Write;
use std::sync::Arc;
use std::time::Instant;

/// A scene, and how much of it: a bench that takes minutes is run more often.
struct Row {
    name: &'static str,
    scene: &'static str,
    /// Simulated time [s].
    duration: f64,
    /// Reference steps per step of the scene.
    finer: f64,
    /// Time limit of a run [s].
    patience: f64,
}

/// Factor of the energy beyond which a run has diverged.
const DIVERGED: f64 = 10.0;

macro_rules! row {
    ($name:literal, $scene:literal, $duration:literal, $finer:literal, $patience:literal) => {
        Row {
            name: $name,
            scene: include_str!(concat!("../../scenes/", $scene, ".toml")),
            duration: $duration,
            finer: $finer,
            patience: $patience,
        }
    };
}

const ROWS: [Row; 3] = [
    row!("hanging-ball", "hanging-ball", 1.0, 16.0, 2.0),
    row!("twisted-bar", "twisted-bar", 1.0, 16.0, 2.0),
    // 35,377 vertices.
    row!("bridge", "large/bridge", 0.08, 8.0, 3.0),
];

/// A body, its initial state, and the zero of its energy.
struct Case {
    model: Arc<Model>,
    start: State,
    /// Step of the scene, and simulated time [s].
    step: f64,
    duration: f64,
    /// Energy at the start, and of the body at rest under its loads [J].
    energies: [f64; 2],
}

/// Result of a run.
struct RunResult {
    word: &'static str,
    end: State,
    ms_per_step: f64,
}

impl Case {
    fn new(row: &Row) -> Result<Case, Failure> {
        let mut scene = Scene::parse(row.name, row.scene)?;
        // Gusts would do work: all loads are constant, so that the energy is conserved.
        scene.loads.iter_mut().for_each(|load| load.profile = Profile::Constant);
        let built = scene.build()?;
        let (model, start, step) = (built.model.clone(), built.start.clone(), scene.integrator.step);
        let total = |state: &State| Energies::of(&model, state).total();
        // Backward Euler with steps longer than any oscillation finds the minimum of the energy.
        let method = find("backward-euler")?;
        let options = Options::default()
            .with(&parameters::HALVINGS, 12)
            .with(&parameters::ITERATIONS, 50)
            .with(&parameters::HESSIAN_CORRECTION, true);
        let mut stepper = (method.make)(&model, &options).map_err(Failure::bench)?;
        let mut rest = start.clone();
        for _ in 0..40 {
            let before = total(&rest);
            stepper.step(&model, &mut rest, 1.0).map_err(Failure::bench)?;
            if (total(&rest) - before).abs() <= 1e-6 * before.abs() {
                break;
            }
        }
        let energies = [total(&start), total(&rest)];
        Ok(Case { model, start, step, duration: row.duration, energies })
    }

    /// Returns the share of the energy that a state has.
    fn kept(&self, state: &State) -> f64 {
        let [first, least] = self.energies;
        (Energies::of(&self.model, state).total() - least) / (first - least)
    }

    fn run(&self, method: &Method, step: f64, patience: f64) -> Result<RunResult, Failure> {
        let steps = (self.duration / step).ceil().max(1.0);
        let mut stepper = (method.make)(&self.model, &Options::default()).map_err(Failure::bench)?;
        let mut end = self.start.clone();
        let begun = Instant::now();
        let (mut done, mut word) = (0.0, "done");
        while done < steps {
            let stepped = stepper.step(&self.model, &mut end, self.duration / steps);
            let kept = self.kept(&end).abs();
            if stepped.is_err() || kept.is_nan() || kept > DIVERGED {
                word = "diverged";
                break;
            }
            self.model.project(&mut end);
            done += 1.0;
            if begun.elapsed().as_secs_f64() > patience && done < steps {
                word = "too slow";
                break;
            }
        }
        Ok(RunResult { word, end, ms_per_step: 1e3 * begun.elapsed().as_secs_f64() / f64::max(done, 1.0) })
    }

    /// Returns the largest distance of a node between two states, as a share of `size`.
    fn distance(&self, a: &State, b: &State, size: f64) -> f64 {
        a.x.iter().zip(&b.x).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs())) / size
    }
}

fn find(name: &str) -> Result<&'static Method, Failure> {
    integrators::find(name).ok_or_else(|| Failure::bench(format!("no method {name}")))
}

/// Runs every method on every body.
pub fn run() -> Result<Report, Failure> {
    let mut text = String::new();
    let mut bodies = Map::new();
    for row in &ROWS {
        let &Row { name, duration, finer, patience, .. } = row;
        let case = Case::new(row)?;
        let (reference, seconds) = time(|| case.run(find("implicit-midpoint")?, case.step / finer, f64::INFINITY));
        let reference = reference?;
        let size = case.distance(&reference.end, &case.start, 1.0);
        let base = case.run(find("linearly-implicit-euler")?, case.step, patience)?.ms_per_step;
        let _ = writeln!(
            text,
            "{name}: {} tets and springs, h = {} s, {duration} s; reference: implicit-midpoint, h / {finer}, keeps {:.3} ({:.0} s)",
            case.model.terms().iter().map(|term| term.count()).sum::<usize>(),
            case.step,
            case.kept(&reference.end),
            1e-3 * seconds
        );
        let _ = writeln!(
            text,
            "  {:<26}{:>11}{:>9}{:>9}{:>14}{:>11}{:>9}{:>9}",
            "", "ms per step", "kept", "error", "at equal cost:", "h", "kept", "error"
        );
        let mut rows = Map::new();
        for method in METHODS {
            let same_step = case.run(method, case.step, patience)?;
            // The cost of a step is taken from the scene's step.
            let step = (case.step * same_step.ms_per_step / base).clamp(case.step / 500.0, 0.5 * duration);
            let same_cost = case.run(method, step, patience)?;
            let cells = |run: &RunResult| match run.word {
                "done" => (
                    format!("{:.3}", case.kept(&run.end)),
                    format!("{:.3}", case.distance(&run.end, &reference.end, size)),
                ),
                word => (word.to_string(), "-".to_string()),
            };
            let [(kept, error), (kept_cost, error_cost)] = [cells(&same_step), cells(&same_cost)];
            let row = format!(
                "  {:<26}{:>11.2}{kept:>9}{error:>9}{:>14}{step:>11.1e}{kept_cost:>9}{error_cost:>9}",
                method.name, same_step.ms_per_step, ""
            );
            // A run takes minutes: show progress.
            eprintln!("{name}: {}", row.trim());
            text.push_str(&row);
            text.push('\n');
            let value = |run: &RunResult, step: f64| -> Value {
                let finished = run.word == "done";
                json!({
                    "step": step,
                    "outcome": run.word,
                    "ms_per_step": run.ms_per_step,
                    "kept": finished.then(|| case.kept(&run.end)),
                    "error": finished.then(|| case.distance(&run.end, &reference.end, size)),
                })
            };
            rows.insert(
                method.name.into(),
                json!({ "equal_step": value(&same_step, case.step), "equal_cost": value(&same_cost, step) }),
            );
        }
        rows.insert("reference".into(), json!({ "kept": case.kept(&reference.end), "step": case.step / finer }));
        bodies.insert(name.into(), rows.into());
    }
    Ok(Report { text, json: bodies.into() })
}
