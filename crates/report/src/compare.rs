//! One scene, several methods and steps: run in turn, so that each is timed alone, on all cores.

use crate::damping::{Damping, damping};
use crate::drawing::Drawing;
use crate::recording::{Recorder, Recording};
use crate::reference::{Distances, Reference};
use scene::output::OutputError;
use scene::{Ending, Observer, Outcome, Overrides, Problems, Scene, Simulation};
use std::fmt;
use std::sync::atomic::AtomicBool;

/// A method and a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Contender {
    /// The method, by name or alias; the scene's own if there is none.
    pub method: Option<String>,
    /// The step [s]; the scene's own if there is none.
    pub step: Option<f64>,
}

/// What is compared.
pub struct Plan {
    /// The scene.
    pub scene: Scene,
    /// Who runs it, in this order.
    pub contenders: Vec<Contender>,
    /// What all are measured against.
    pub reference: Option<Contender>,
    /// Whether steps are chosen so that a simulated second costs everybody what it costs the first.
    pub equal_cost: bool,
}

/// How one contender did.
pub struct Run {
    /// What it is called: the method, with the step where steps differ.
    pub label: String,
    /// The method's name.
    pub method: &'static str,
    /// The step [s].
    pub step: f64,
    /// What came of it.
    pub outcome: Outcome,
    /// What is drawn of it.
    pub recording: Recording,
    /// The energy at the end over that at the beginning; `None` where there was none to keep, where loads such as gravity
    /// give and take, or if the run diverged.
    pub energy_kept: Option<f64>,
    /// The distance from the reference, as a share of how far that goes; `None` without one.
    pub error: Option<f64>,
    /// Which body the cause of a divergence is in, and what to try.
    pub advice: Vec<String>,
}

/// All of them.
pub struct Comparison {
    /// What is drawn.
    pub drawing: Drawing,
    /// How each did, those that diverged among them.
    pub runs: Vec<Run>,
    /// What they were measured against.
    pub reference: Option<String>,
    /// The artificial damping of every method that ran, by formula and measured.
    pub damping: Vec<Damping>,
    /// The scene as it was run, every default filled in.
    pub scene: String,
    /// Its title.
    pub title: String,
    /// Whether it was stopped before all had run.
    pub interrupted: bool,
}

impl Comparison {
    /// Of each method that ran with several steps and was measured: cost of a simulated second [ms], error and step [s],
    /// the longest step first.
    pub fn precision(&self) -> Vec<(&'static str, Vec<[f64; 3]>)> {
        let mut methods: Vec<(&'static str, Vec<[f64; 3]>)> = Vec::new();
        for run in &self.runs {
            let Some(error) = run.error.filter(|_| run.outcome.time > 0.0) else { continue };
            let point = [1e3 * run.outcome.seconds / run.outcome.time, error, run.step];
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

/// Why nothing could be compared.
#[derive(Debug)]
pub enum CompareError {
    /// The scene is wrong, or not for one of the methods.
    Scene(Problems),
    /// Something could not be written.
    Output(OutputError),
    /// What all are to be measured against does not get to its end.
    Reference {
        /// Its label.
        label: String,
        /// When it failed [s].
        time: f64,
    },
}

impl fmt::Display for CompareError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            CompareError::Scene(problems) => problems.fmt(f),
            CompareError::Output(error) => error.fmt(f),
            CompareError::Reference { label, time } => {
                write!(f, "the reference {label} fails at {time} s; give it a shorter step or another method")
            }
        }
    }
}

impl std::error::Error for CompareError {}

impl From<Problems> for CompareError {
    fn from(problems: Problems) -> Self {
        CompareError::Scene(problems)
    }
}

impl From<OutputError> for CompareError {
    fn from(error: OutputError) -> Self {
        CompareError::Output(error)
    }
}

/// Pilot runs, of which the fastest counts: others may have had the processor.
const PILOTS: usize = 3;
/// Steps of a pilot run that finds what a step costs.
const PILOT_STEPS: f64 = 12.0;

/// Runs everybody in turn. `watch` gives each run one more observer, such as a progress bar; `done` hears of each run.
pub fn compare(
    plan: &Plan,
    watch: &mut dyn FnMut(&Simulation, &str) -> Box<dyn Observer>,
    done: &mut dyn FnMut(&Run),
    stop: &AtomicBool,
) -> Result<Comparison, CompareError> {
    let drawing = Drawing::new(&plan.scene.build()?);
    let contenders = if plan.equal_cost { equal_cost(plan, stop)? } else { plan.contenders.clone() };
    let same_step = contenders.iter().all(|contender| contender.step == contenders[0].step);
    let reference = plan.reference.as_ref().map(|contender| run_reference(plan, contender, watch, stop)).transpose()?;

    let mut runs = Vec::new();
    let mut methods = Vec::new();
    let mut interrupted = false;
    for contender in &contenders {
        let scene = with(&plan.scene, contender)?;
        methods.push((scene.integrator.method, scene.integrator.options.clone()));
        let mut simulation = scene.build()?;
        let label = label(&simulation, same_step);
        let mut recorder = Recorder::new(&drawing, &simulation);
        let mut distances = Distances::new(reference.as_ref().map(|(reference, _)| reference));
        let mut watcher = watch(&simulation, &label);
        let outcome = scene::run(&mut simulation, &mut [&mut recorder, &mut distances, watcher.as_mut()], stop)?;
        drop(watcher);
        let good = !matches!(outcome.ending, Ending::Diverged(_));
        let first = recorder.recording.energy_to_keep();
        let run = Run {
            label,
            method: simulation.method.name,
            step: simulation.schedule.step,
            energy_kept: first.filter(|_| good).map(|first| outcome.last.total() / first),
            error: if good { distances.error() } else { None },
            advice: match &outcome.ending {
                Ending::Diverged(divergence) => divergence.advice(&simulation),
                _ => Vec::new(),
            },
            recording: std::mem::take(&mut recorder.recording),
            outcome,
        };
        done(&run);
        interrupted = run.outcome.ending == Ending::Interrupted;
        runs.push(run);
        if interrupted {
            break;
        }
    }
    let (scene, title) = (plan.scene.to_toml(), plan.scene.title.clone());
    let (reference, damping) = (reference.map(|(_, label)| label), damping(&methods));
    Ok(Comparison { drawing, runs, reference, damping, scene, title, interrupted })
}

fn with(scene: &Scene, contender: &Contender) -> Result<Scene, Problems> {
    let Contender { method, step } = contender.clone();
    scene.with(&Overrides { method, step, ..Overrides::default() })
}

fn label(simulation: &Simulation, same_step: bool) -> String {
    let name = simulation.method.name;
    if same_step { name.to_string() } else { format!("{name} @ {} s", simulation.schedule.step) }
}

fn run_reference(
    plan: &Plan,
    contender: &Contender,
    watch: &mut dyn FnMut(&Simulation, &str) -> Box<dyn Observer>,
    stop: &AtomicBool,
) -> Result<(Reference, String), CompareError> {
    let mut simulation = with(&plan.scene, contender)?.build()?;
    let label = label(&simulation, false);
    let mut reference = Reference::default();
    let mut watcher = watch(&simulation, &label);
    let outcome = scene::run(&mut simulation, &mut [&mut reference, watcher.as_mut()], stop)?;
    match outcome.ending {
        Ending::Diverged(divergence) => Err(CompareError::Reference { label, time: divergence.time }),
        _ => Ok((reference, label)),
    }
}

/// Steps at which a simulated second costs everybody what it costs the first.
fn equal_cost(plan: &Plan, stop: &AtomicBool) -> Result<Vec<Contender>, CompareError> {
    let mut costs = Vec::new();
    for contender in &plan.contenders {
        let scene = with(&plan.scene, contender)?;
        let step = scene.integrator.step;
        let duration = scene.run.duration.min(PILOT_STEPS * step);
        let scene = scene.with_duration(duration)?;
        let mut least = f64::INFINITY;
        for _ in 0..PILOTS {
            let outcome = scene::run(&mut scene.build()?, &mut [], stop)?;
            least = least.min(outcome.ms_per_step());
        }
        costs.push((step, least));
    }
    let methods = plan.contenders.iter().map(|contender| contender.method.clone());
    let steps = steps_of_equal_cost(&costs, plan.scene.run.duration);
    Ok(methods.zip(steps).map(|(method, step)| Contender { method, step: Some(step) }).collect())
}

/// Steps [s], in proportion to what a step costs, the first as it is, none longer than the whole run; `costs` are a step [s]
/// and its cost.
fn steps_of_equal_cost(costs: &[(f64, f64)], duration: f64) -> Vec<f64> {
    let Some(&(first_step, first_cost)) = costs.first() else { return Vec::new() };
    let step = |&(_, cost): &(f64, f64)| {
        let step = first_step * cost / first_cost;
        // Three digits say enough of what was measured on a noisy machine.
        let rounded = format!("{step:.2e}").parse().unwrap_or(step);
        if step > 0.0 && step.is_finite() { f64::min(rounded, duration) } else { first_step }
    };
    std::iter::once(first_step).chain(costs[1..].iter().map(step)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn at_equal_cost_dearer_methods_take_longer_steps() {
        let costs = [(0.01, 2.0), (0.02, 6.0), (0.01, 1.0), (0.01, 1e9), (0.01, f64::NAN)];
        assert_eq!(steps_of_equal_cost(&costs, 0.5), [0.01, 0.03, 0.005, 0.5, 0.01]);
        assert!(steps_of_equal_cost(&[], 1.0).is_empty());
    }
}
