//! Times of steps and frames of a run.

/// Largest number of steps of a run: more are a typing error.
pub const MOST_STEPS: f64 = 1e9;
/// Largest number of frames of a run.
pub const MOST_FRAMES: f64 = 1e6;

/// Times of frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameTimes {
    /// After the first step that reaches a multiple of the time between frames: states that were computed, at most one per
    /// step.
    Steps,
    /// At the multiples themselves: states in between are interpolated.
    Interpolated,
}

impl FrameTimes {
    /// Returns the word for it in scenes and summaries.
    pub fn word(self) -> &'static str {
        match self {
            FrameTimes::Steps => "steps",
            FrameTimes::Interpolated => "interpolated",
        }
    }
}

/// Response to a step that fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDivergence {
    /// Stop and keep the last good state.
    Stop,
    /// Try again with half the step, [`OnDivergence::MOST_HALVINGS`] times at most; recorded.
    Halve,
}

impl OnDivergence {
    /// Number of times a step is halved before the run stops.
    pub const MOST_HALVINGS: u32 = 10;
}

/// Number of steps that an endless simulation is assumed to last when its pace is computed.
const PACE: f64 = 1000.0;

/// Steps and frames of a run. All steps have the same length except the last, which ends at the duration.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Schedule {
    /// Length of a step [s].
    pub step: f64,
    /// Simulated time [s].
    pub duration: f64,
    /// Frames per simulated second [1/s].
    pub frame_rate: f64,
    /// Times of the frames.
    pub frames: FrameTimes,
    /// Response to a step that fails.
    pub on_divergence: OnDivergence,
    /// True if steps continue after the duration: all have the same length then, and the duration still determines the
    /// pace of the scene.
    pub is_endless: bool,
}

/// Returns the number of steps of this length [s] that cover a duration [s]; rounding adds none.
pub fn steps(duration: f64, step: f64) -> f64 {
    (duration / step - 1e-6).ceil().max(1.0)
}

impl Schedule {
    /// Returns steps of this length [s] without an end, each a frame.
    pub fn endless(step: f64) -> Schedule {
        let (frames, on_divergence) = (FrameTimes::Steps, OnDivergence::Stop);
        let (duration, frame_rate) = (PACE * step, 1.0 / step);
        Schedule { step, duration, frame_rate, frames, on_divergence, is_endless: true }
    }

    /// Returns the number of steps.
    pub fn steps(&self) -> u64 {
        if self.is_endless { u64::MAX } else { steps(self.duration, self.step) as u64 }
    }

    /// Returns the time after `n` steps [s]: a product, so that rounding does not accumulate; after the last step it is
    /// the duration itself. Whole steps may follow.
    pub fn time(&self, n: u64) -> f64 {
        match n.checked_sub(self.steps()) {
            Some(further) => self.duration + further as f64 * self.step,
            None => n as f64 * self.step,
        }
    }

    /// Returns the length of step `n`, counted from one [s]. Whole steps have exactly the same length, so that a
    /// stepper which keeps a factor for its step may compare it.
    pub fn length(&self, n: u64) -> f64 {
        let last = self.duration - (self.steps() - 1) as f64 * self.step;
        if n != self.steps() || (last - self.step).abs() <= 2e-6 * self.step { self.step } else { last }
    }

    /// Returns whether a run of a longer duration is the same until after step `n`. This fails for a last step that is
    /// shorter than others or whose end is rounded differently.
    pub fn is_lasting(&self, n: u64) -> bool {
        self.time(n) == n as f64 * self.step
    }

    /// Returns whether a frame shows the state after `n` steps; always before the first and after the last. A frame is
    /// due at every multiple of 1 / frame_rate. It shows the state after the first step that reaches it, at most one
    /// per step; interpolated frames show the state only if it is reached at exactly that time.
    pub fn is_frame(&self, n: u64) -> bool {
        let is_due = || match self.frames {
            FrameTimes::Steps => self.frames_by(n) > self.frames_by(n - 1),
            FrameTimes::Interpolated => self.multiples(n).1,
        };
        n == 0 || n >= self.steps() || is_due()
    }

    /// Returns whether a frame is due in step `n` or at its end.
    pub fn passes_frame(&self, n: u64) -> bool {
        self.is_frame(n) || self.frames_within(n).next().is_some()
    }

    /// Returns the times of the frames within step `n`, its ends excluded [s].
    pub fn frames_within(&self, n: u64) -> impl Iterator<Item = f64> + use<> {
        let (rate, within) = (
            self.frame_rate,
            match self.frames {
                FrameTimes::Interpolated if n > 0 => {
                    let (end, hit) = self.multiples(n);
                    self.multiples(n - 1).0 + 1..end + u64::from(!hit)
                }
                _ => 0..0,
            },
        );
        within.map(move |k| k as f64 / rate)
    }

    /// Returns the number of frames of the whole run, including the one before the first step.
    pub fn frames(&self) -> u64 {
        if self.frames == FrameTimes::Interpolated && !self.is_endless {
            // All multiples before the end, plus those of the beginning and the end.
            let (end, hit) = self.multiples(self.steps());
            return end + 2 - u64::from(hit);
        }
        let whole = self.steps() - 1;
        self.frames_by(whole).min(whole).saturating_add(2)
    }

    /// Returns the number of multiples of 1 / frame_rate from the first up to the end of step `n`, and whether the last
    /// of them is that end, within a rounding far smaller than a step and a frame.
    fn multiples(&self, n: u64) -> (u64, bool) {
        let due = self.time(n) * self.frame_rate;
        let hit = (due - due.round()).abs() <= 1e-6 * (self.step * self.frame_rate).min(1.0);
        (if hit { due.round() } else { due.floor() } as u64, hit)
    }

    /// Returns the number of frames due by the end of step `n`, with tolerance for rounding; if there are more frames
    /// than steps, one per step.
    fn frames_by(&self, n: u64) -> u64 {
        if self.step * self.frame_rate >= 1.0 { n } else { (self.time(n) * self.frame_rate + 1e-6) as u64 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn schedule(duration: f64, step: f64, frame_rate: f64) -> Schedule {
        let (frames, on_divergence) = (FrameTimes::Steps, OnDivergence::Stop);
        Schedule { step, duration, frame_rate, frames, on_divergence, is_endless: false }
    }

    #[test]
    fn rounding_adds_no_step() {
        assert_eq!(schedule(0.3, 0.1, 60.0).steps(), 3); // 0.3 / 0.1 is not 3 in binary
        assert_eq!(schedule(2.0, 0.01, 60.0).steps(), 200);
        assert_eq!(schedule(1.0, 0.3, 60.0).steps(), 4);
    }

    #[test]
    fn the_last_step_ends_on_the_duration() {
        for (duration, step) in [(1.0, 0.01), (0.3, 0.1), (1.0, 0.3), (1.0, 1.0), (2.0, 1e-5)] {
            let schedule = schedule(duration, step, 60.0);
            let steps = schedule.steps();
            assert_eq!(schedule.time(steps), duration);
            let sum: f64 = (1..=steps).map(|n| schedule.length(n)).sum();
            assert!((sum - duration).abs() < 1e-8 * duration, "{sum} is not {duration}");
            assert!((1..steps).all(|n| schedule.length(n) == step));
        }
        let uneven = schedule(1.0, 0.3, 60.0);
        assert!((uneven.length(4) - 0.1).abs() < 1e-12);
        assert_eq!((uneven.length(5), uneven.time(5)), (0.3, 1.3), "whole steps may follow");
        assert_eq!(schedule(0.3, 0.1, 60.0).length(3), 0.1);
    }

    #[test]
    fn only_a_last_step_may_be_of_one_run_alone() {
        for (duration, step, lasts) in [(1.0, 0.25, true), (0.3, 0.1, false), (1.0, 0.3, false)] {
            let schedule = schedule(duration, step, 60.0);
            assert!((0..schedule.steps()).all(|n| schedule.is_lasting(n)));
            assert_eq!(schedule.is_lasting(schedule.steps()), lasts);
        }
    }

    #[test]
    fn what_is_endless_has_whole_steps_only() {
        let endless = Schedule { is_endless: true, ..schedule(1.0, 0.3, 60.0) };
        assert!([1, 3, 4, 5, 1_000_000].iter().all(|&n| endless.length(n) == 0.3 && endless.time(n) == n as f64 * 0.3));
        assert_eq!((endless.steps(), endless.frames()), (u64::MAX, u64::MAX));
    }

    #[test]
    fn frames_are_counted_as_they_are_written() {
        let schedules =
            [(2.0, 0.01, 60.0), (1.0, 0.01, 1000.0), (1.0, 0.003, 25.0), (0.1, 0.01, 1.0), (0.1, 0.01, 1e30)];
        for (duration, step, rate) in schedules {
            let schedule = schedule(duration, step, rate);
            let written = (0..=schedule.steps()).filter(|&n| schedule.is_frame(n)).count();
            assert_eq!(written as u64, schedule.frames(), "{duration} s, {step} s, {rate} a second");
            assert!(schedule.is_frame(schedule.steps()));
        }
        for (duration, step, rate) in [(2.0, 0.01, 60.0), (1.0, 0.01, 1000.0), (1.0, 0.003, 25.0), (0.1, 0.01, 1.0)] {
            let schedule = Schedule { frames: FrameTimes::Interpolated, ..schedule(duration, step, rate) };
            let mut times = Vec::new();
            for n in 0..=schedule.steps() {
                times.extend(schedule.frames_within(n));
                times.extend(schedule.is_frame(n).then(|| schedule.time(n)));
            }
            assert_eq!(times.len() as u64, schedule.frames(), "{duration} s, {step} s, {rate} a second");
            assert!(times.windows(2).all(|pair| pair[0] < pair[1]), "{times:?}");
            let (_, inner) = times.split_last().unwrap();
            let exact = |(k, time): (usize, &f64)| (time - k as f64 / rate).abs() <= 4.0 * f64::EPSILON * time;
            assert!(inner.iter().enumerate().all(exact), "{times:?}");
        }
        assert_eq!(schedule(2.0, 0.01, 60.0).frames(), 121);
        assert_eq!(schedule(1.0, 0.01, 1e-3).frames(), 2);
        assert_eq!(schedule(0.1, 0.01, f64::MAX).frames(), 11);
    }
}
