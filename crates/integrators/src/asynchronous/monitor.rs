//! Watches the energy of a linear body that regions step: the scheme as printed is not unconditionally stable.
//!
//! Exact motion gains no more than loads do as work, and backward Euler less. What a step gains beyond that,
//!
//!   [T + U - f . x] of its end - the same of its beginning, with its loads f
//!
//! is made by the scheme. Stable steps make some now and then, as much as a few percent of what there is, and take it back.
//! Once they have made more than they took back, by [`SHARE`] of the most kinetic and elastic energy ever seen, the steps grow.
//! Steps during which loads change are left out, and bodies that are scripted, touch something or are not linear.
//!
//! A step is judged when the next one begins, whose forces tell the energy for nothing: the last step of a run is judged by the
//! run loop alone. A step after which the state was changed from outside, as by a projection, is never judged, since what it
//! made cannot be told from what that took or gave; the sums go on. A body that is projected after every step is not watched.

use crate::stepper::StepError;

/// How much of the most energy seen may be made by the steps.
const SHARE: f64 = 0.5;

/// What is remembered from step to step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Monitor {
    /// What the steps made and did not take back since [J].
    made: f64,
    /// The most kinetic and elastic energy seen [J].
    most: f64,
    /// T + U - f . x at the beginning of the last step, with its loads [J]; `None` where they changed.
    before: Option<f64>,
}

impl Monitor {
    /// Looks at a state before it is stepped on: T + U is `energy` [J], and `potential` is -f . x of the loads of the step
    /// before [J].
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

    /// A step begins with this T + U - f . x [J].
    pub fn begin(&mut self, energy: f64) {
        self.before = Some(energy);
    }

    /// A step begins of which nothing is known.
    pub fn pause(&mut self) {
        self.before = None;
    }

    /// Nothing as long as nothing was seen.
    pub fn memory(&self) -> Vec<f64> {
        match self.before {
            None if *self == Monitor::default() => Vec::new(),
            before => [self.made, self.most].into_iter().chain(before).collect(),
        }
    }

    /// What `memory` gave; `None` if that cannot be.
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

    /// How many of these steps are taken, of a body without loads.
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
