//! What a step costs alone: steps of equal cost before runs, and the time of runs that had others beside them.

use crate::compare::{CompareError, Contender, Plan, with};
use scene::output::OutputError;
use scene::{Moment, Observer, Outcome, Scene};
use std::sync::atomic::{AtomicBool, Ordering};

/// Pilot runs, of which the fastest counts: others may have had the processor.
const PILOTS: usize = 3;
/// Steps of a pilot run that finds what a step costs.
const PILOT_STEPS: f64 = 12.0;
/// The share of a run that is repeated alone.
const REPEATED: f64 = 0.1;
/// The fewest steps that are.
const LEAST_STEPS: usize = 5;

/// Steps at which a simulated second costs everybody what it costs the first.
pub(crate) fn equal_cost(plan: &Plan, stop: &AtomicBool) -> Result<Vec<Contender>, CompareError> {
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

/// What a step of a run costs alone, on all cores [ms], of one that had others beside it: its first steps are repeated, and the
/// time of all is scaled by theirs. `None` if it is stopped before that is known.
pub(crate) fn alone(scene: &Scene, run: &Outcome, laps: &Laps, stop: &AtomicBool) -> Result<Option<f64>, CompareError> {
    let Some(last) = laps.seconds.len().checked_sub(1).filter(|last| *last > 0) else { return Ok(Some(0.0)) };
    let enough = REPEATED * laps.seconds[last];
    let steps = laps.seconds.partition_point(|seconds| *seconds < enough).max(LEAST_STEPS).min(last);
    let mut until = Until { step: steps as u64, stop, reached: &AtomicBool::new(stop.load(Ordering::Relaxed)) };
    let reached = until.reached;
    let repeated = scene::run(&mut scene.build()?, &mut [&mut until], reached)?;
    let share = repeated.seconds / laps.seconds[steps];
    Ok((repeated.steps == steps as u64).then(|| share * run.ms_per_step()))
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
    fn at_equal_cost_dearer_methods_take_longer_steps() {
        let costs = [(0.01, 2.0), (0.02, 6.0), (0.01, 1.0), (0.01, 1e9), (0.01, f64::NAN)];
        assert_eq!(steps_of_equal_cost(&costs, 0.5), [0.01, 0.03, 0.005, 0.5, 0.01]);
        assert!(steps_of_equal_cost(&[], 1.0).is_empty());
    }
}
