//! Choice of the modes that a step captures.
//!
//! Captured are the modes nearest to zero, as in the authors' program. Two kinds of negative modes are exceptions.
//! Linearly implicit Euler has a pole at h^2 lam = -1: a mode near it grows without bound in the implicit part, so it
//! is captured before all others. A mode that grows more than e^6-fold in a step (of inverted elements) is left to the
//! implicit part, which damps it: the linearisation is not valid that far. On compressed bars and chains this rule
//! loses 5 of 64 runs; the modes nearest to zero without it 11, the lowest modes 17 (`tests/siere/which_modes.rs`).

use super::mode_search::Steps;

/// Distance of h^2 lam from the pole within which a mode is captured before all others.
const NEAR_POLE: f64 = 0.5;
/// Most negative h^2 lam of a captured mode.
const TOO_UNSTABLE: f64 = -36.0;
/// Limit of modes found in addition to the captured ones.
pub(super) const MOST_BESIDE: usize = 40;

/// Modes captured by a step.
#[derive(Debug, Default)]
pub(super) struct Choice {
    /// Indices among the modes found, ascending.
    pub places: Vec<usize>,
    /// Number of modes to find in addition, so that no mode nearer to zero is missed: those that lie below.
    pub beside: usize,
}

impl Choice {
    /// Chooses at most `count` of these eigenvalues [1/s^2], which are the lowest: known ones first, then ascending. Modes with
    /// h omega above `fastest` are left out. The pole is that of the implicit step.
    pub fn choose(&mut self, values: &[f64], count: usize, steps: Steps, fastest: f64) {
        let Steps { h, implicit: q, .. } = steps;
        let rank = |place: usize| {
            let lam = values[place];
            if (1.0 + q * q * lam).abs() < NEAR_POLE { 0.0 } else { h * h * lam.abs() }
        };
        let places = &mut self.places;
        places.clear();
        places.extend(0..values.len());
        places.sort_by(|&a, &b| rank(a).total_cmp(&rank(b)).then(a.cmp(&b)));
        places.truncate(count);
        let farthest = places.last().map_or(0.0, |&last| rank(last));
        // The first one as far above zero: all beyond it are farther.
        let enough = values.iter().position(|lam| h * h * lam >= farthest).map_or(2 * values.len(), |place| place + 1);
        self.beside = enough.saturating_sub(count).min(MOST_BESIDE);
        places.retain(|&place| (TOO_UNSTABLE..=fastest * fastest).contains(&(h * h * values[place])));
        places.sort_unstable();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(values: &[f64], count: usize) -> (Vec<usize>, usize) {
        chosen_below(values, count, f64::INFINITY)
    }

    fn chosen_below(values: &[f64], count: usize, fastest: f64) -> (Vec<usize>, usize) {
        let mut choice = Choice::default();
        choice.choose(values, count, Steps { h: 1.0, implicit: 1.0, turn: &|| 0.0 }, fastest);
        (choice.places, choice.beside)
    }

    #[test]
    fn those_nearest_to_zero_and_to_the_pole_are_captured() {
        // A definite stiffness: the lowest, and none in addition.
        assert_eq!(chosen(&[0.0, 0.0, 1.0, 2.0, 3.0], 3), (vec![0, 1, 2], 0));
        // Two far below zero are passed over.
        assert_eq!(chosen(&[-9.0, -8.0, -0.1, 0.2, 0.3, 4.0], 3), (vec![2, 3, 4], 2));
        // The one at the pole comes first, however many are nearer to zero.
        assert_eq!(chosen(&[-9.0, -1.2, -0.1, 0.2, 0.3], 2), (vec![1, 2], 2));
        // Unknown yet if others are nearer: find as many again.
        assert_eq!(chosen(&[-9.0, -8.0, -7.0], 3), (vec![0, 1, 2], 3));
        // Modes that grow too fast are never captured.
        assert_eq!(chosen(&[-50.0, -40.0, 1.0], 3), (vec![2], 3));
        // Modes that the step does not resolve are not captured either, even if none is left.
        assert_eq!(chosen_below(&[0.1, 0.5, 2.0], 3, 1.2), (vec![0, 1], 0));
        assert_eq!(chosen_below(&[5.0, 6.0], 2, 1.2), (vec![], 0));
    }
}
