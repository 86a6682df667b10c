//! What a step costs alone: steps of equal cost before runs, and the time of runs that had others beside them.

use crate::compare::{CompareError, Contender, Plan, with};
use scene::output::OutputError;
use scene::{Ending, Moment, Observer, Scene};
use std::sync::atomic::{AtomicBool, Ordering};

/// Pilot runs, of which the fastest counts: others may have had the processor.
const PILOTS: usize = 3;
/// Steps of a pilot run that finds what a step costs.
const PILOT_STEPS: f64 = 12.0;
/// The share of a run that is repeated alone.
const REPEATED: f64 = 0.1;
/// The fewest steps that are.
const LEAST_STEPS: usize = 5;
/// Repetitions end when they took this long [s].
const LONG: f64 = 0.5;

/// Steps at which a simulated second costs everybody about what it costs the first.
pub(crate) fn equal_cost(plan: &Plan, stop: &AtomicBool) -> Result<Vec<Contender>, CompareError> {
    let mut found: Vec<Contender> = Vec::new();
    let mut first_rate = None;
    for contender in &plan.contenders {
        let scene = with(&plan.scene, contender)?;
        let (method, step, duration) = (scene.integrator.method.name, scene.integrator.step, scene.run.duration);
        let Some(cost) = pilot(&scene, stop)? else {
            if stop.load(Ordering::Relaxed) {
                break;
            }
            return Err(CompareError::Pilot { method, step });
        };
        let step = match first_rate {
            None => {
                first_rate = Some(cost / step);
                step
            }
            // A longer step may cost more, in iterations: what it does is measured at a first guess. Whoever fails there is
            // shown failing.
            Some(rate) => {
                let guess = step_of_cost(cost, rate, duration).unwrap_or(step);
                let scene = with(&plan.scene, &Contender { step: Some(guess), ..contender.clone() })?;
                pilot(&scene, stop)?.and_then(|cost| step_of_cost(cost, rate, duration)).unwrap_or(guess)
            }
        };
        found.push(Contender { method: contender.method.clone(), step: Some(step) });
    }
    Ok(found)
}

/// What a step of a scene costs after the first, which holds the analysis [ms]; `None` if it fails or is stopped.
fn pilot(scene: &Scene, stop: &AtomicBool) -> Result<Option<f64>, CompareError> {
    let scene = scene.with_duration(scene.run.duration.min(PILOT_STEPS * scene.integrator.step))?;
    let mut least = f64::INFINITY;
    for _ in 0..PILOTS {
        let mut laps = Laps::default();
        let outcome = scene::run(&mut scene.build()?, &mut [&mut laps], stop)?;
        if outcome.ending != Ending::Done {
            return Ok(None);
        }
        least = least.min(laps.ms_per_step(1).or(laps.ms_per_step(0)).unwrap_or(f64::INFINITY));
    }
    Ok(least.is_finite().then_some(least))
}

/// The step [s] of which one that costs `cost` [ms] makes a simulated second cost `rate` [ms/s]; none longer than the whole run.
fn step_of_cost(cost: f64, rate: f64, duration: f64) -> Option<f64> {
    let step = cost / rate;
    // Three digits say enough of what was measured on a noisy machine.
    let rounded: f64 = format!("{step:.2e}").parse().ok()?;
    (rounded > 0.0 && rounded.is_finite()).then(|| rounded.min(duration))
}

/// Notes how long all steps so far have taken.
#[derive(Default)]
pub(crate) struct Laps {
    /// After no step, after one, and so on [s].
    pub seconds: Vec<f64>,
}

impl Observer for Laps {
    fn observe(&mut self, moment: &Moment) -> Result<(), OutputError> {
        self.seconds.push(moment.progress.seconds);
        Ok(())
    }
}

impl Laps {
    /// The mean cost of the good steps after the first `skipped` [ms]; `None` if there are none.
    pub fn ms_per_step(&self, skipped: usize) -> Option<f64> {
        let last = self.seconds.len().checked_sub(1).filter(|last| *last > skipped)?;
        Some(1e3 * (self.seconds[last] - self.seconds[skipped]) / (last - skipped) as f64)
    }

    /// How many of the first steps are repeated.
    fn repeated(&self) -> usize {
        let last = self.seconds.len().saturating_sub(1);
        let enough = REPEATED * self.seconds.last().copied().unwrap_or(0.0);
        self.seconds.partition_point(|seconds| *seconds < enough).max(LEAST_STEPS).min(last)
    }
}

/// What a step of a run costs alone, on all cores [ms], of one that had others beside it: its first steps are repeated, and the
/// time of all is scaled by theirs. `None` if it did no step, or is stopped before that is known.
pub(crate) fn alone(scene: &Scene, laps: &Laps, stop: &AtomicBool) -> Result<Option<f64>, CompareError> {
    let (steps, Some(beside_others)) = (laps.repeated(), laps.ms_per_step(0)) else { return Ok(None) };
    let (mut least, mut spent) = (f64::INFINITY, 0.0);
    for _ in 0..PILOTS {
        let mut until = Until { step: steps as u64, stop, reached: &AtomicBool::new(stop.load(Ordering::Relaxed)) };
        let reached = until.reached;
        let repeated = scene::run(&mut scene.build()?, &mut [&mut until], reached)?;
        if repeated.steps != steps as u64 {
            return Ok(None);
        }
        least = least.min(repeated.seconds);
        spent += repeated.seconds;
        // What takes long is not disturbed by much.
        if spent > LONG {
            break;
        }
    }
    Ok(Some(scaled(beside_others, laps.seconds[steps], least)))
}

/// What steps that cost `ms` beside others cost alone, of which the first took `beside` and take `alone` [s].
fn scaled(ms: f64, beside: f64, alone: f64) -> f64 {
    if beside > 0.0 { ms * alone / beside } else { ms }
}

/// Ends a run after a step, or when all is to stop.
struct Until<'a> {
    step: u64,
    stop: &'a AtomicBool,
    reached: &'a AtomicBool,
}

impl Observer for Until<'_> {
    fn observe(&mut self, moment: &Moment) -> Result<(), OutputError> {
        if moment.step >= self.step || self.stop.load(Ordering::Relaxed) {
            self.reached.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dearer_steps_are_longer_and_none_is_longer_than_the_run() {
        // A second costs 200 ms.
        assert_eq!(step_of_cost(6.0, 200.0, 0.5), Some(0.03));
        assert_eq!(step_of_cost(1.0, 200.0, 0.5), Some(0.005));
        assert_eq!(step_of_cost(1e9, 200.0, 0.5), Some(0.5));
        assert_eq!(step_of_cost(f64::NAN, 200.0, 0.5), None);
        assert_eq!(step_of_cost(0.0, 200.0, 0.5), None);
    }

    #[test]
    fn times_are_those_of_good_steps() {
        let laps = Laps { seconds: vec![0.0, 0.9, 1.0, 1.1, 1.2, 1.3, 1.4, 1.5] };
        assert!((laps.ms_per_step(0).unwrap() - 1500.0 / 7.0).abs() < 1e-9);
        assert!((laps.ms_per_step(1).unwrap() - 100.0).abs() < 1e-9, "without the first, which holds the analysis");
        assert_eq!(laps.repeated(), LEAST_STEPS);
        let many = Laps { seconds: (0..=1000).map(|i| 0.001 * f64::from(i)).collect() };
        assert_eq!(many.repeated(), 100);
        for none in [Laps::default(), Laps { seconds: vec![0.0] }] {
            assert_eq!((none.ms_per_step(0), none.repeated()), (None, 0));
        }
        assert_eq!(scaled(8.0, 0.4, 0.1), 2.0);
    }

    #[test]
    fn a_method_that_fails_has_no_cost_to_be_equal_to() {
        let text = "[run]\nduration = 1.0\n[integrator]\nmethod = \"symplectic-euler\"\nstep = 0.05\n[[body]]\n\
            shape = { generator = \"bar\", length = 1.0, thickness = 0.2, cells-along = 4, cells-across = 1 }\n\
            material = { model = \"neo-hookean\", young = 1e8, poisson = 0.4, density = 1000.0 }\n\
            [[fix]]\nwhere = { group = \"x-\" }\n";
        let scene = Scene::parse("stiff.toml", text).unwrap_or_else(|problems| panic!("{problems}"));
        let contenders = ["symplectic-euler", "backward-euler"];
        let contenders = contenders.map(|name| Contender { method: Some(name.to_string()), step: None }).to_vec();
        let plan = Plan { scene, contenders, reference: None, equal_cost: true, side_by_side: false };
        match equal_cost(&plan, &AtomicBool::new(false)) {
            Err(CompareError::Pilot { method: "symplectic-euler", step: 0.05 }) => {}
            other => panic!("{:?}", other.map(|list| list.len())),
        }
    }
}
