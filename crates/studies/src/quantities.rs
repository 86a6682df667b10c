//! Quantities of a run, by name: what claims and numbers of studies speak of.

use report::{ComparedRun, Damping};
use scene::Ending;
use scene::expect::QUANTITIES;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Share of a run at its end that `late` looks at.
const LATE: f64 = 0.2;
/// Most samples of the energy that are kept of a run, for plots.
const SAMPLES: usize = 500;

/// Quantities of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Quantities {
    /// Values by name. What a run does not have is left out.
    pub values: BTreeMap<String, f64>,
    /// End in words: done, or the cause of a failure and its time.
    pub end: String,
    /// Time [s], kinetic, elastic, load energy [J], at most some hundred of them.
    pub samples: Vec<[f64; 4]>,
}

impl Quantities {
    /// Returns the quantities of a finished run.
    pub fn of(run: &ComparedRun) -> Quantities {
        let outcome = &run.outcome;
        let mut values = BTreeMap::new();
        let mut put = |name: &str, value: Option<f64>| {
            value.filter(|value| value.is_finite()).map(|value| values.insert(name.to_string(), value))
        };
        let done = outcome.ending == Ending::Done;
        put("done", Some(f64::from(done)));
        put("steps", Some(outcome.steps as f64));
        put("time", Some(outcome.time));
        put("nodes", Some(run.nodes as f64));
        put("tets", Some(run.tets as f64));
        put("ms per step", run.ms_per_step);
        put("seconds", run.ms_per_step.map(|ms| 1e-3 * ms * outcome.steps as f64));
        put("energy kept", run.energy_kept);
        put("error", run.error);
        if done {
            for (quantity, value) in QUANTITIES.iter().zip(&run.reached) {
                put(&quantity.name.replace('_', " "), Some(*value));
            }
        }
        let (work, linear) = (&outcome.work, &outcome.work.linear);
        let counted = [
            ("forces", work.forces),
            ("newton", work.newton),
            ("factorisations", linear.factorisations),
            ("solves", linear.solves),
            ("iterations", linear.iterations),
            ("products", linear.products),
            ("substeps", work.substeps),
        ];
        for (name, count) in counted {
            // Counted in a step that fails, too.
            put(name, Some(count as f64));
            put(&format!("{name} per step"), (outcome.steps > 0).then(|| count as f64 / outcome.steps as f64));
        }
        let samples: Vec<[f64; 4]> =
            run.recording.samples.iter().map(|s| [s.time, s.kinetic, s.elastic, s.load]).collect();
        for (k, column) in ["kinetic", "elastic", "load"].into_iter().enumerate() {
            reduce(column, samples.iter().map(|sample| (sample[0], sample[k + 1])), &mut put);
        }
        reduce("total", samples.iter().map(|[t, a, b, c]| (*t, a + b + c)), &mut put);
        let every = samples.len().div_ceil(SAMPLES).max(1);
        let kept = |(i, _): &(usize, &[f64; 4])| i % every == 0 || i + 1 == samples.len();
        let samples = samples.iter().enumerate().filter(kept).map(|(_, sample)| *sample).collect();
        Quantities { values, end: end(&outcome.ending), samples }
    }

    /// Returns the artificial damping of a method: at some h omega, and its peak.
    pub fn of_damping(damping: &Damping) -> Quantities {
        let mut values = BTreeMap::new();
        let peak = damping.points.iter().max_by(|a, b| a.formula.total_cmp(&b.formula));
        if let Some(peak) = peak {
            values.insert("damping peak".to_string(), peak.formula);
            values.insert("damping peak at".to_string(), peak.h_omega);
        }
        // The whole curve, for plots and claims at any point.
        let samples = damping.points.iter().map(|point| [point.h_omega, point.formula, 0.0, 0.0]).collect();
        Quantities { values, end: String::new(), samples }
    }

    /// Returns the positions [m] of an oscillator after each step [s].
    pub fn of_oscillator(step: f64, positions: &[f64]) -> Quantities {
        let samples =
            positions.iter().enumerate().map(|(k, position)| [k as f64 * step, *position, 0.0, 0.0]).collect();
        Quantities { samples, ..Quantities::default() }
    }

    /// Returns a quantity. `damping at Z` and `position at T` are interpolated between the computed points.
    pub fn get(&self, name: &str) -> Option<f64> {
        let at = name.strip_prefix("damping at ").or_else(|| name.strip_prefix("position at "));
        if let Some(at) = at.and_then(|at| at.parse::<f64>().ok()) {
            let after = self.samples.iter().position(|sample| sample[0] >= at)?;
            let [[x0, y0, ..], [x1, y1, ..]] = [self.samples[after.checked_sub(1)?], self.samples[after]];
            return Some(y0 + (y1 - y0) * (at - x0) / (x1 - x0));
        }
        self.values.get(name).copied()
    }
}

/// Puts first, last, smallest, largest and mean value of a column, and the largest of its end.
fn reduce(
    column: &str,
    values: impl Iterator<Item = (f64, f64)> + Clone,
    put: &mut impl FnMut(&str, Option<f64>) -> Option<Option<f64>>,
) {
    let all = || values.clone().map(|(_, value)| value);
    let end = values.clone().last().map_or(0.0, |(time, _)| time);
    let count = all().count() as f64;
    let largest = |values: &mut dyn Iterator<Item = f64>| {
        values.fold(None, |most: Option<f64>, x| Some(most.map_or(x, |m| m.max(x))))
    };
    put(&format!("{column} first"), all().next());
    put(&format!("{column} last"), all().last());
    put(&format!("{column} max"), largest(&mut all()));
    put(&format!("{column} min"), largest(&mut all().map(|x| -x)).map(|x| -x));
    put(&format!("{column} mean"), (count > 0.0).then(|| all().sum::<f64>() / count));
    let late = values.clone().filter(|(time, _)| *time >= (1.0 - LATE) * end).map(|(_, value)| value);
    put(&format!("{column} late"), largest(&mut late.into_iter()));
}

fn end(ending: &Ending) -> String {
    match ending {
        Ending::Diverged(divergence) => divergence.to_string(),
        ending => ending.word().to_string(),
    }
}
