//! When steps and frames are.

use crate::scene::{OnDivergence, Scene};

/// A run takes at most this many steps: what asks for more is a slip of the keyboard.
pub(crate) const MOST_STEPS: f64 = 1e9;
/// A run writes at most this many frames.
pub(crate) const MOST_FRAMES: f64 = 1e6;

/// Steps and frames of a run. All steps are of the same length: the last may end later than the duration, by less than
/// a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Schedule {
    /// Length of a step [s].
    pub step: f64,
    /// Number of steps.
    pub steps: u64,
    /// Frames a simulated second [1/s].
    pub frame_rate: f64,
    /// What to do when a step fails.
    pub on_divergence: OnDivergence,
}

impl Schedule {
    pub(crate) fn of(scene: &Scene) -> Schedule {
        let step = scene.integrator.step;
        Schedule {
            step,
            steps: steps(scene.run.duration, step) as u64,
            frame_rate: scene.run.frame_rate,
            on_divergence: scene.run.on_divergence,
        }
    }

    /// The time after `n` steps [s].
    pub fn time(&self, n: u64) -> f64 {
        n as f64 * self.step
    }

    /// Whether a frame is written after `n` steps; always before the first. A frame is due at every multiple of
    /// 1 / frame_rate and written after the first step that reaches it: at most one a step.
    pub fn is_frame(&self, n: u64) -> bool {
        n == 0 || self.frames_by(n) > self.frames_by(n - 1)
    }

    /// Frames of the whole run, the one before the first step among them.
    pub fn frames(&self) -> u64 {
        1 + self.frames_by(self.steps).min(self.steps)
    }

    /// Frames due by the end of step `n`, rounding forgiven.
    fn frames_by(&self, n: u64) -> u64 {
        (self.time(n) * self.frame_rate + 1e-6) as u64
    }
}

/// Number of steps of this length [s] that cover a duration [s]; rounding does not make one more.
pub(crate) fn steps(duration: f64, step: f64) -> f64 {
    (duration / step - 1e-6).ceil().max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(duration: f64, step: f64, frame_rate: f64) -> Schedule {
        Schedule { step, steps: steps(duration, step) as u64, frame_rate, on_divergence: OnDivergence::Stop }
    }

    #[test]
    fn rounding_adds_no_step() {
        assert_eq!(schedule(0.3, 0.1, 60.0).steps, 3); // 0.3 / 0.1 is above 3 in binary
        assert_eq!(schedule(2.0, 0.01, 60.0).steps, 200);
        assert_eq!(schedule(1.0, 0.3, 60.0).steps, 4);
    }

    #[test]
    fn frames_are_counted_as_they_are_written() {
        for (duration, step, rate) in [(2.0, 0.01, 60.0), (1.0, 0.01, 1000.0), (1.0, 0.003, 25.0), (0.1, 0.01, 1.0)] {
            let schedule = schedule(duration, step, rate);
            let written = (0..=schedule.steps).filter(|&n| schedule.is_frame(n)).count();
            assert_eq!(written as u64, schedule.frames(), "{duration} s, {step} s, {rate} a second");
        }
        assert_eq!(schedule(2.0, 0.01, 60.0).frames(), 121);
    }
}
