//! One scene, several methods and steps: small bodies run side by side and are timed alone afterwards, large ones run in turn.

use crate::cost::{Laps, alone, equal_cost};
use crate::damping::{Damping, damping};
use crate::drawing::Drawing;
use crate::flow::FlowPlane;
use crate::obstacles::Drawn;
use crate::plan::{CompareError, Contender, Plan, isolated, with};
use crate::recording::{Recorder, Recording};
use crate::reference::{Distances, Reference};
use crate::side_by_side::{MOST_NODES, side_by_side};
use integrators::{Method, Options};
use scene::{Built, Ending, Grounds, Observer, Outcome, Scene, caught};
use std::sync::atomic::{AtomicBool, Ordering};

/// Result of one contender.
pub struct ComparedRun {
    /// Label: the method, with the step where steps differ.
    pub label: String,
    /// The method's name.
    pub method: &'static str,
    /// The step [s].
    pub step: f64,
    /// Outcome of the run.
    pub outcome: Outcome,
    /// Recording for the page.
    pub recording: Recording,
    /// Cost of a step alone, on all cores [ms]: that of the whole run, scaled by its first steps if others ran beside
    /// it; `None` if it took no step, or was stopped before that was known.
    pub ms_per_step: Option<f64>,
    /// Relative difference between the slowest and the fastest repetition of its first steps; `None` if they were not
    /// repeated.
    pub spread: Option<f64>,
    /// The energy at the end over that at the beginning; `None` where the exact motion would not keep it
    /// ([`Recording::energy_to_keep`]), or if the run did not get to its end.
    pub energy_kept: Option<f64>,
    /// Reason why no share of the energy is given, where none is.
    pub why_no_share: Option<&'static str>,
    /// Distance from the reference, as a share of the reference's motion; `None` without one.
    pub error: Option<f64>,
    /// Body in which a divergence was caused, and what to try.
    pub advice: Vec<String>,
}

/// Results of all contenders.
pub struct Comparison {
    /// Geometry that is drawn.
    pub drawing: Drawing,
    /// Plane of the arrows of Stokes flow.
    pub plane: Option<FlowPlane>,
    /// Results, including runs that diverged or failed.
    pub runs: Vec<ComparedRun>,
    /// Label of the reference.
    pub reference: Option<String>,
    /// Artificial damping of every method, by formula and measured.
    pub damping: Vec<Damping>,
    /// The scene as it was run, every default filled in.
    pub scene: String,
    /// Its title.
    pub title: String,
    /// Obstacles of its bodies.
    pub obstacles: Vec<Drawn>,
    /// True if it was stopped before all had run.
    pub interrupted: bool,
    /// True if steps were chosen so that a simulated second costs every contender about the same.
    pub equal_cost: bool,
    /// Models that were built: runs that ask for the same one share it.
    pub models: usize,
}

impl Comparison {
    /// Returns, for each method measured with several steps: cost of a simulated second [ms], error and step [s], the
    /// longest step first.
    pub fn precision(&self) -> Vec<(&'static str, Vec<[f64; 3]>)> {
        let mut methods: Vec<(&'static str, Vec<[f64; 3]>)> = Vec::new();
        for run in &self.runs {
            let (Some(error), Some(ms)) = (run.error, run.ms_per_step) else { continue };
            if run.outcome.time <= 0.0 {
                continue;
            }
            let point = [ms * run.outcome.steps as f64 / run.outcome.time, error, run.step];
            match methods.iter_mut().find(|(method, _)| *method == run.method) {
                Some((_, points)) => points.push(point),
                None => methods.push((run.method, vec![point])),
            }
        }
        methods.retain(|(_, points)| points.len() > 1);
        methods.iter_mut().for_each(|(_, points)| points.sort_by(|a, b| b[2].total_cmp(&a[2])));
        methods
    }
}

/// Limit of particles times frames times runs of a page: each takes about 8 bytes, and a page should stay below 40 MB.
const MOST_PARTICLES: usize = 4_000_000;

/// Gives a run, by its label, one more observer, such as a progress bar.
pub type Watch<'a> = dyn Fn(&Built, &str) -> Box<dyn Observer> + Sync + 'a;

/// Runs all contenders, side by side if the bodies are small; results are bit-for-bit the same as one by one. A run
/// that panics or cannot be built counts as failed, and does not affect the others.
pub fn compare(plan: &Plan, watch: &Watch, stop: &AtomicBool) -> Result<Comparison, CompareError> {
    let grounds = Grounds::default();
    let first = first_built(plan, &grounds)?;
    let contenders = match plan.equal_cost {
        true => isolated("the search for equal cost", || equal_cost(plan, &grounds, stop))?,
        false => plan.contenders.clone(),
    };
    let shown = contenders.len().max(1) * first.simulation.schedule().frames().max(1) as usize;
    let drawing = Drawing::new(&first, MOST_PARTICLES / shown);
    let same_step = contenders.windows(2).all(|pair| pair[0].step == pair[1].step);
    let scenes: Vec<Scene> =
        contenders.iter().map(|contender| with(&plan.scene, contender)).collect::<Result<_, _>>()?;
    let reference = plan
        .reference
        .as_ref()
        .map(|contender| isolated("the reference", || run_reference(plan, contender, &grounds, watch, stop)));
    let reference = reference.transpose()?;
    let (reference, reference_label) = reference.unzip();

    let together = plan.side_by_side && scenes.len() > 1 && first.model.nodes() <= MOST_NODES;
    let plane = FlowPlane::new(&first.model);
    drop(first);
    let one = |i: usize| {
        let begin = !stop.load(Ordering::Relaxed);
        begin.then(|| run_one(&scenes[i], same_step, (&grounds, &drawing, reference.as_ref()), watch, stop))
    };
    let done = if together { side_by_side(scenes.len(), one) } else { (0..scenes.len()).map(one).collect() };
    let (mut runs, mut timed) = (Vec::new(), Vec::new());
    for (result, scene) in done.into_iter().zip(&scenes) {
        let Some((run, laps)) = result else { continue };
        runs.push(run);
        timed.push((scene, laps));
    }
    if together || plan.equal_cost {
        // A run that cannot be repeated has no time.
        timed.iter_mut().zip(&runs).filter(|(_, run)| run.outcome.ending.is_failure()).for_each(|((_, laps), _)| {
            *laps = Laps::default();
        });
        for (run, alone) in runs.iter_mut().zip(alone(&timed, &grounds, stop)) {
            run.ms_per_step = alone.map(|alone| alone.ms_per_step);
            run.spread = alone.map(|alone| alone.spread);
        }
    }
    let integrators = scenes.iter().map(|scene| &scene.integrator);
    let methods: Vec<_> = integrators.map(|integrator| (integrator.method, integrator.options.clone())).collect();
    Ok(Comparison {
        drawing,
        plane,
        interrupted: runs.len() < plan.contenders.len()
            || runs.iter().any(|run| run.outcome.ending == Ending::Interrupted),
        equal_cost: plan.equal_cost,
        models: grounds.count(),
        runs,
        reference: reference_label,
        damping: damping_of(&methods),
        scene: plan.scene.to_toml(),
        title: plan.scene.title.clone(),
        obstacles: Drawn::all(&plan.scene),
    })
}

/// Builds the scene for drawing: its own method may fail, so a contender's method serves as well.
fn first_built(plan: &Plan, grounds: &Grounds) -> Result<Built, CompareError> {
    let own = isolated("building the scene", || Ok(grounds.build(&plan.scene)?));
    let build = |contender| isolated("building the scene", || Ok(grounds.build(&with(&plan.scene, contender)?)?)).ok();
    own.or_else(|error| plan.contenders.iter().find_map(build).ok_or(error))
}

/// Computes the damping of all methods except those that fail.
fn damping_of(methods: &[(&'static Method, Options)]) -> Vec<Damping> {
    let one_by_one = |_| methods.chunks(1).filter_map(|one| caught(|| damping(one)).ok()).flatten().collect();
    caught(|| damping(methods)).unwrap_or_else(one_by_one)
}

fn run_one(
    scene: &Scene,
    same_step: bool,
    (grounds, drawing, reference): (&Grounds, &Drawing, Option<&Reference>),
    watch: &Watch,
    stop: &AtomicBool,
) -> (ComparedRun, Laps) {
    let (method, step) = (scene.integrator.method.name, scene.integrator.step);
    let label = label(method, step, same_step);
    let (mut recorder, mut laps) = (None, Laps::default());
    let done = isolated("the run", || {
        let mut built = grounds.build(scene)?;
        let recorder = recorder.insert(Recorder::new(drawing, &built));
        let mut distances = Distances::new(reference);
        let mut watcher = watch(&built, &label);
        let observers: &mut [&mut dyn Observer] = &mut [recorder, &mut distances, &mut laps, watcher.as_mut()];
        let outcome = scene::run(&mut built, observers, stop)?;
        let good = !matches!(outcome.ending, Ending::Diverged(_));
        let advice = match &outcome.ending {
            Ending::Diverged(divergence) => scene::advice(divergence, &built.simulation),
            _ => Vec::new(),
        };
        Ok((outcome, if good { distances.error() } else { None }, advice))
    });
    let recording = recorder.map(|recorder| recorder.recording).unwrap_or_default();
    let (outcome, error, advice) = done.unwrap_or_else(|error| {
        let time = recording.samples.last().map_or(0.0, |sample| sample.time);
        let steps = recording.samples.len().saturating_sub(1) as u64;
        (Outcome::failed(cause(&error), steps, time, step), None, Vec::new())
    });
    let first = recording.energy_to_keep().filter(|_| outcome.ending == Ending::Done);
    let energy_kept = first.map(|first| outcome.last.total() / first);
    let why_no_share = match &outcome.ending {
        Ending::Done => recording.why_none_to_keep(),
        Ending::Diverged(_) => Some("the run diverged"),
        Ending::Interrupted => Some("the run was stopped"),
    };
    let (ms_per_step, spread) = (laps.ms_per_step(0), None);
    (
        ComparedRun {
            label,
            method,
            step,
            ms_per_step,
            spread,
            energy_kept,
            why_no_share,
            error,
            advice,
            recording,
            outcome,
        },
        laps,
    )
}

/// Returns the reason of a failed run, in one line.
fn cause(error: &CompareError) -> String {
    match error {
        CompareError::Failed { cause, .. } => cause.clone(),
        CompareError::Scene(problems) => {
            problems.list.iter().map(|problem| problem.message.as_str()).collect::<Vec<_>>().join("; ")
        }
        error => error.to_string(),
    }
}

fn label(method: &str, step: f64, same_step: bool) -> String {
    if same_step { method.to_string() } else { format!("{method} @ {step} s") }
}

fn run_reference(
    plan: &Plan,
    contender: &Contender,
    grounds: &Grounds,
    watch: &Watch,
    stop: &AtomicBool,
) -> Result<(Reference, String), CompareError> {
    let mut built = grounds.build(&with(&plan.scene, contender)?)?;
    let label = label(built.simulation.method().name, built.simulation.schedule().step, false);
    let mut reference = Reference::default();
    let mut watcher = watch(&built, &label);
    let outcome = scene::run(&mut built, &mut [&mut reference, watcher.as_mut()], stop)?;
    match outcome.ending {
        Ending::Diverged(divergence) => Err(CompareError::Reference { label, time: divergence.time }),
        _ => Ok((reference, label)),
    }
}
