//! Runs of a study. What is finished is kept, so that an interrupted study continues where it stopped.

use crate::claim::split;
use crate::error::StudyError;
use crate::quantities::Quantities;
use crate::store::Store;
use crate::study::{OneMode, Size, Study, Swing};
use crate::trials::Trial;
use integrators::damping::oscillate;
use integrators::{Method, Options};
use report::{CompareError, Comparison, Contender, Plan, Watch, compare, damping, page};
use scene::{Ending, Overrides, Scene};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

/// Everything that a run of a study needs from outside.
pub struct Setting<'a> {
    /// Root of the project, where paths of scenes begin.
    pub root: &'a Path,
    /// Size of bodies.
    pub size: Size,
    /// Results that are kept.
    pub store: &'a Store,
    /// Observers of runs, such as progress bars.
    pub watch: &'a Watch<'a>,
    /// Set to stop.
    pub stop: &'a AtomicBool,
}

/// Results of a study.
#[derive(Debug, Clone, Default)]
pub struct Found {
    /// Quantities by alternative and run.
    pub runs: BTreeMap<(String, String), Quantities>,
    /// Pages that move, with their names; only of runs that were not kept from before.
    pub pages: Vec<(String, String)>,
    /// Remarks, such as a reference that fails.
    pub notes: Vec<String>,
    /// Runs that were computed now, not kept from before.
    pub computed: usize,
    /// True if it was stopped before all had run.
    pub interrupted: bool,
}

impl Found {
    /// Returns the value of a name such as `siere: energy kept` under an alternative.
    pub fn value(&self, alternative: &str, name: &str) -> Option<f64> {
        let (run, quantity) = split(name);
        let of = |alternative: &str| self.runs.get(&(alternative.to_string(), run.to_string()));
        of(alternative).or_else(|| of(""))?.get(quantity)
    }
}

impl Found {
    /// Returns the curve of an oscillator over time, or of the damping of a method.
    pub fn points(&self, name: &str) -> Vec<(f64, f64)> {
        let samples = self.runs.get(&(String::new(), name.to_string())).map(|of| of.samples.as_slice());
        samples.unwrap_or_default().iter().map(|sample| (sample[0], sample[1])).collect()
    }
}

/// Returns what is known of a study without running anything; `None` if runs are missing.
pub fn kept(study: &Study, root: &Path, size: Size, store: &Store) -> Result<Option<Found>, StudyError> {
    let mut found = modes(study)?;
    for trial in study.trials(size)? {
        if !missing(&trial, &trial.load(root)?, store, &mut found)?.is_empty() {
            return Ok(None);
        }
    }
    Ok(Some(found))
}

/// Computes what needs no run: the artificial damping of methods, and their steps on one oscillator.
fn modes(study: &Study) -> Result<Found, StudyError> {
    let key = |name: &str| (String::new(), name.to_string());
    let damping = study.damping.iter().map(|mode| Ok((key(mode.name()), of_one_mode(mode)?)));
    let swings = study.oscillators.iter().map(|swing| Ok((key(&swing.name), of_oscillator(swing)?)));
    Ok(Found { runs: damping.chain(swings).collect::<Result<_, StudyError>>()?, ..Found::default() })
}

/// Runs a study, or takes from the store what has run before.
pub fn run(study: &Study, setting: &Setting) -> Result<Found, StudyError> {
    let mut found = modes(study)?;
    for trial in study.trials(setting.size)? {
        if setting.stop.load(Ordering::Relaxed) {
            found.interrupted = true;
            break;
        }
        run_trial(&trial, setting, &mut found)?;
    }
    Ok(found)
}

/// A run that has to be computed.
struct Missing<'t> {
    name: &'t str,
    contender: &'t Contender,
    key: String,
    method: &'static str,
    step: f64,
}

/// Takes the kept runs of a trial from the store, and returns those that are missing.
fn missing<'t>(
    trial: &'t Trial,
    scene: &Scene,
    store: &Store,
    found: &mut Found,
) -> Result<Vec<Missing<'t>>, StudyError> {
    let mut missing = Vec::new();
    for (name, contender) in &trial.contenders {
        let own = scene.with(&Overrides::new().method(contender.method.as_deref()).step(contender.step))?;
        let key = Store::key(&own, trial);
        match store.get(&key) {
            Some(quantities) => _ = found.runs.insert((trial.alternative.clone(), name.clone()), quantities),
            None => {
                let (method, step) = (own.integrator.method.name, own.integrator.step);
                missing.push(Missing { name, contender, key, method, step });
            }
        }
    }
    Ok(missing)
}

fn run_trial(trial: &Trial, setting: &Setting, found: &mut Found) -> Result<(), StudyError> {
    let scene = trial.load(setting.root)?;
    let missing = missing(trial, &scene, setting.store, found)?;
    if missing.is_empty() {
        return Ok(());
    }
    let comparison = compared(&scene, &missing, trial, setting, found)?;
    found.interrupted |= comparison.interrupted;
    for run in comparison.runs.iter().filter(|run| run.outcome.ending != Ending::Interrupted) {
        let Some(of) = missing.iter().find(|of| of.method == run.method && of.step == run.step) else { continue };
        let quantities = Quantities::of(run);
        if !run.outcome.ending.is_failure() {
            setting.store.keep(&of.key, &quantities)?;
        }
        found.computed += 1;
        found.runs.insert((trial.alternative.clone(), of.name.to_string()), quantities);
    }
    let parts = [trial.alternative.as_str(), trial.name.as_str()].map(|part| part.replace(['/', ' '], "-"));
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    let name = if parts.is_empty() { "runs".to_string() } else { parts.join("-") };
    let commands: Vec<String> = missing.iter().filter_map(|of| trial.command(of.name)).collect();
    found.pages.push((name, page::html(&comparison, &commands.join("\n"))));
    Ok(())
}

/// Compares the runs that are missing, without errors if the reference fails.
fn compared(
    scene: &Scene,
    missing: &[Missing],
    trial: &Trial,
    setting: &Setting,
    found: &mut Found,
) -> Result<Comparison, StudyError> {
    let contenders = missing.iter().map(|of| of.contender.clone()).collect();
    let reference = trial.reference.clone();
    let plan = Plan { scene: scene.clone(), contenders, reference, equal_cost: false, side_by_side: true };
    match compare(&plan, setting.watch, setting.stop) {
        Err(CompareError::Reference { label, time }) => {
            found.notes.push(format!("the reference {label} fails at {time} s: no errors are known"));
            Ok(compare(&Plan { reference: None, ..plan }, setting.watch, setting.stop)?)
        }
        comparison => Ok(comparison?),
    }
}

fn method(name: &str) -> Result<&'static Method, StudyError> {
    integrators::find(name).ok_or_else(|| StudyError::Contender { text: name.to_string() })
}

/// Computes the steps of a method on one oscillator.
fn of_oscillator(swing: &Swing) -> Result<Quantities, StudyError> {
    let Swing { omega, step, steps, velocity, .. } = *swing;
    let positions = oscillate(method(&swing.method)?, omega, step, steps, velocity);
    // Claims about a method whose step fails cannot be decided.
    Ok(Quantities::of_oscillator(step, &positions.unwrap_or_default()))
}

/// Computes the artificial damping of a method.
fn of_one_mode(mode: &OneMode) -> Result<Quantities, StudyError> {
    let method = method(&mode.method)?;
    let options = Options::default();
    let curves = damping(&[(method, options)]);
    // A method whose response fails has no curve: claims about it cannot be decided.
    Ok(curves.first().map(Quantities::of_damping).unwrap_or_default())
}
