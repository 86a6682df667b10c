//! Cost of a step: counted before runs, to choose steps of equal cost; measured after them, alone.

use crate::plan::{CompareError, Contender, Plan, isolated, with};
use crate::work::Prices;
use scene::output::OutputError;
use scene::{Ending, Grounds, Moment, Observer, ObserverError, Scene};
use simulation::Until;
use std::sync::atomic::{AtomicBool, Ordering};

/// Steps of a pilot run that counts the cost of a step.
const PILOT_STEPS: u64 = 12;
/// Pilot runs for one step: a longer step may cost more, in iterations.
const PILOTS: usize = 4;
/// Rounds in which the first steps of all runs are repeated in turn; the fastest counts, because others may use the
/// processor.
const ROUNDS: usize = 5;
/// Least rounds per run, however long it takes: a single one has no spread.
const LEAST_ROUNDS: usize = 2;
/// Share of a run that is repeated alone.
const REPEATED: f64 = 0.1;
/// Least number of repeated steps.
const LEAST_STEPS: usize = 5;
/// Time after which repetitions of a run end [s].
const LONG: f64 = 0.5;

/// Chooses steps at which a simulated second costs every contender about the same as the first that passes its pilot
/// run, by counted work: the same in every run. A contender that fails in the pilot keeps the step of the scene, and is
/// shown failing.
pub(crate) fn equal_cost(plan: &Plan, grounds: &Grounds, stop: &AtomicBool) -> Result<Vec<Contender>, CompareError> {
    let mut found: Vec<Contender> = Vec::new();
    let mut first_rate = None;
    for contender in &plan.contenders {
        let scene = with(&plan.scene, contender)?;
        let (step, duration) = (scene.integrator.step, scene.run.duration);
        let cost = isolated("the pilot run", || pilot(&scene, grounds, stop)).unwrap_or_default();
        if stop.load(Ordering::Relaxed) {
            break;
        }
        let step = match (cost, first_rate) {
            (None, _) => step,
            (Some(cost), None) => {
                first_rate = Some(cost / step);
                step
            }
            (Some(cost), Some(rate)) => {
                let mut step = step_of_cost(cost, rate, duration).unwrap_or(step);
                for _ in 1..PILOTS {
                    let scene = with(&plan.scene, &Contender { step: Some(step), ..contender.clone() })?;
                    // A contender that fails here is shown failing.
                    let cost = isolated("the pilot run", || pilot(&scene, grounds, stop)).unwrap_or_default();
                    let next = cost.and_then(|cost| step_of_cost(cost, rate, duration));
                    match next.filter(|next| *next != step) {
                        Some(next) => step = next,
                        None => break,
                    }
                }
                step
            }
        };
        found.push(Contender { method: contender.method.clone(), step: Some(step) });
    }
    Ok(found)
}

/// Returns the cost of a step by counted work [ns], after the first step, which includes the analysis; `None` if it
/// fails or is stopped.
fn pilot(scene: &Scene, grounds: &Grounds, stop: &AtomicBool) -> Result<Option<f64>, CompareError> {
    let mut built = grounds.build(scene)?;
    let mut counted = Counted { prices: Prices::of(&built), costs: Vec::new() };
    let steps = PILOT_STEPS.min(built.simulation.schedule().steps());
    let outcome = built.simulation.run(&mut counted, Until::steps(steps).unless(stop)).map_err(OutputError::from)?;
    let costs = if counted.costs.len() > 1 { &counted.costs[1..] } else { &counted.costs };
    let mean = costs.iter().sum::<f64>() / costs.len() as f64;
    Ok((outcome.ending == Ending::Done && mean > 0.0).then_some(mean))
}

/// Counts the cost of each step [ns].
struct Counted {
    prices: Prices,
    costs: Vec<f64>,
}

impl Observer for Counted {
    fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError> {
        if moment.step > 0 {
            self.costs.push(self.prices.cost(1, &moment.progress.step_work));
        }
        Ok(())
    }
}

/// Returns the step [s] at which steps of `cost` [ns] make a simulated second cost `rate` [ns/s]; at most the whole
/// run.
fn step_of_cost(cost: f64, rate: f64, duration: f64) -> Option<f64> {
    let step = cost / rate;
    // Two digits are as accurate as the prices.
    let rounded: f64 = format!("{step:.1e}").parse().ok()?;
    (rounded > 0.0 && rounded.is_finite()).then(|| rounded.min(duration))
}

/// Records the time taken by all steps so far.
#[derive(Default)]
pub(crate) struct Laps {
    /// After zero steps, after one, and so on [s].
    pub seconds: Vec<f64>,
}

impl Observer for Laps {
    fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError> {
        self.seconds.push(moment.progress.seconds);
        Ok(())
    }
}

impl Laps {
    /// Returns the mean cost of the good steps after the first `skipped` [ms]; `None` if there are none.
    pub fn ms_per_step(&self, skipped: usize) -> Option<f64> {
        let last = self.seconds.len().checked_sub(1).filter(|last| *last > skipped)?;
        Some(1e3 * (self.seconds[last] - self.seconds[skipped]) / (last - skipped) as f64)
    }

    /// Returns the number of first steps to repeat.
    fn repeated(&self) -> usize {
        let last = self.seconds.len().saturating_sub(1);
        let enough = REPEATED * self.seconds.last().copied().unwrap_or(0.0);
        self.seconds.partition_point(|seconds| *seconds < enough).max(LEAST_STEPS).min(last)
    }
}

/// Cost of a step alone, on all cores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Alone {
    /// Fastest of some repetitions [ms].
    pub ms_per_step: f64,
    /// Relative difference of the slowest of them.
    pub spread: f64,
}

/// Measures the cost of a step of each run alone: the first steps of all runs are repeated in turn, and the time of
/// each run is scaled by that of its first steps. `None` for a run that took no step, or if stopped before that is
/// known.
pub(crate) fn alone(runs: &[(&Scene, Laps)], grounds: &Grounds, stop: &AtomicBool) -> Vec<Option<Alone>> {
    let mut times: Vec<Vec<f64>> = vec![Vec::new(); runs.len()];
    for round in 0..ROUNDS {
        for ((scene, laps), times) in runs.iter().zip(&mut times) {
            // Long measurements are hardly disturbed.
            if round >= LEAST_ROUNDS && times.iter().sum::<f64>() > LONG {
                continue;
            }
            let time = isolated("timing", || first_steps(scene, laps.repeated(), grounds, stop));
            times.extend(time.ok().flatten());
        }
    }
    let one = |((_, laps), times): (&(&Scene, Laps), Vec<f64>)| {
        let beside_others = laps.ms_per_step(0)?;
        let least = times.iter().copied().fold(f64::INFINITY, f64::min);
        let most = times.iter().copied().fold(0.0, f64::max);
        (times.len() >= LEAST_ROUNDS && least > 0.0).then(|| Alone {
            ms_per_step: scaled(beside_others, laps.seconds[laps.repeated()], least),
            spread: most / least - 1.0,
        })
    };
    runs.iter().zip(times).map(one).collect()
}

/// Measures the time of the first steps of a scene [s]; `None` if they are not all done.
fn first_steps(scene: &Scene, steps: usize, grounds: &Grounds, stop: &AtomicBool) -> Result<Option<f64>, CompareError> {
    if steps == 0 {
        return Ok(None);
    }
    let until = Until::steps(steps as u64).unless(stop);
    let repeated = grounds.build(scene)?.simulation.run(&mut (), until).map_err(OutputError::from)?;
    Ok((repeated.steps == steps as u64).then_some(repeated.seconds))
}

/// Scales the cost `ms` of steps beside others to steps alone, where the first steps took `beside` and take `alone`
/// [s].
fn scaled(ms: f64, beside: f64, alone: f64) -> f64 {
    if beside > 0.0 { ms * alone / beside } else { ms }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dearer_steps_are_longer_and_none_is_longer_than_the_run() {
        // A second costs 200 ms.
        assert_eq!(step_of_cost(6.0, 200.0, 0.5), Some(0.03));
        assert_eq!(step_of_cost(6.04, 200.0, 0.5), Some(0.03));
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
    fn a_method_that_fails_in_its_pilot_keeps_its_step_and_others_are_compared() {
        let text = "[run]\nduration = 1.0\n[integrator]\nmethod = \"symplectic-euler\"\nstep = 0.05\n[[body]]\n\
            shape = { generator = \"bar\", length = 1.0, thickness = 0.2, cells_along = 4, cells_across = 1 }\n\
            material = { model = \"neo-hookean\", young = 1e8, poisson = 0.4, density = 1000.0 }\n\
            [[fix]]\nwhere = { group = \"x-\" }\n";
        let scene = Scene::parse("stiff.toml", text).unwrap_or_else(|problems| panic!("{problems}"));
        let contenders = ["symplectic-euler", "backward-euler", "linearly-implicit-euler"];
        let contenders = contenders.map(|name| Contender { method: Some(name.to_string()), step: None }).to_vec();
        let plan = Plan { scene, contenders, reference: None, equal_cost: true, side_by_side: false };
        let found = equal_cost(&plan, &Grounds::default(), &AtomicBool::new(false)).unwrap();
        let steps: Vec<f64> = found.iter().filter_map(|contender| contender.step).collect();
        assert_eq!((steps.len(), &steps[..2]), (3, &[0.05, 0.05][..]));
        assert!(steps[2] < 0.05, "one linear solve costs as much as several: {steps:?}");
    }
}
