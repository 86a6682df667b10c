//! Monitors the energy of a linear body stepped by regions: the scheme as published is not unconditionally stable.
//!
//! Exact motion gains no more energy than loads do work, and backward Euler gains less. Any gain of a step beyond that,
//!
//!   [T + U - f . x] at its end - the same at its beginning, with its loads f
//!
//! is created by the scheme. Stable steps create some now and then, up to a few percent of the total, and remove it
//! again. If the balance exceeds [`SHARE`] of the largest kinetic and elastic energy seen, the steps grow. Steps with
//! changing loads are left out, and so are bodies that are scripted, in contact or nonlinear.
//!
//! A step is judged when the next one begins, because its forces give the energy at no cost; the last step of a run is
//! judged by the run loop alone. A step after which the state was changed from outside, as by a projection, is never
//! judged, since the two changes cannot be separated; the balance is kept. A body that is projected after every step is
//! not monitored.

use crate::stepper::StepError;

/// Share of the largest energy seen that the steps may create.
const SHARE: f64 = 0.5;

/// Memory from step to step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Monitor {
    /// Energy created by the steps and not removed since [J].
    made: f64,
    /// Largest kinetic and elastic energy seen [J].
    most: f64,
    /// T + U - f . x at the beginning of the last step, with its loads [J]; `None` where they changed.
    before: Option<f64>,
}

impl Monitor {
    /// Judges the last step at the state after it: T + U is `energy` [J], and `potential` is -f . x with the loads of
    /// that step [J].
    pub fn look(&mut self, energy: f64, potential: f64, ratio: usize) -> Result<(), StepError> {
        self.most = self.most.max(energy);
        if let Some(before) = self.before.take() {
            self.made = (self.made + energy + potential - before).max(0.0);
        }
        if self.made > SHARE * self.most {
            return Err(StepError::Growing { made: self.made, most: self.most, ratio });
        }
        Ok(())
    }

    /// Begins a step at this T + U - f . x [J].
    pub fn begin(&mut self, energy: f64) {
        self.before = Some(energy);
    }

    /// Begins a step that is not judged.
    pub fn pause(&mut self) {
        self.before = None;
    }

    /// Returns the memory; empty before the first step.
    pub fn memory(&self) -> Vec<f64> {
        match self.before {
            None if *self == Monitor::default() => Vec::new(),
            before => [self.made, self.most].into_iter().chain(before).collect(),
        }
    }

    /// Restores the result of `memory`; `None` if the numbers are impossible.
    pub fn recall(memory: &[f64]) -> Option<Monitor> {
        let (made, most, before) = match *memory {
            [] => return Some(Monitor::default()),
            [made, most] => (made, most, None),
            [made, most, before] => (made, most, Some(before)),
            _ => return None,
        };
        let is_sound = memory.iter().all(|x| x.is_finite()) && made.is_sign_positive() && most.is_sign_positive();
        is_sound.then_some(Monitor { made, most, before })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Counts the steps accepted for a body without loads.
    fn taken(energies: impl Iterator<Item = f64>) -> usize {
        let mut monitor = Monitor::default();
        let looks = energies.map(|energy| {
            let looked = monitor.look(energy, 0.0, 10);
            monitor.begin(energy);
            looked
        });
        looks.take_while(Result::is_ok).count()
    }

    #[test]
    fn energy_that_comes_and_goes_is_not_growth_and_what_stays_is() {
        let swings = (0..10_000).map(|k| (1.0 + 0.1 * (0.7 * k as f64).sin()) * 0.9999_f64.powi(k));
        assert_eq!(taken(swings), 10_000);
        let grows = (0..10_000).map(|k| 0.9_f64.powi(k) + 1e-6 * 1.01_f64.powi(k));
        let stopped = taken(grows);
        assert!((1000..1400).contains(&stopped), "{stopped}");
    }
}
