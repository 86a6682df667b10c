//! The end of a run.

use crate::schedule::{Schedule, steps};
use std::sync::atomic::AtomicBool;

/// End of a run: at a time, after some steps, or with its schedule; earlier if a flag is set.
#[derive(Debug, Clone, Copy)]
pub struct Until<'a> {
    bound: Bound,
    stop: Option<&'a AtomicBool>,
}

#[derive(Debug, Clone, Copy)]
enum Bound {
    End,
    Steps(u64),
    Time(f64),
}

impl Until<'_> {
    /// End of the schedule, which an endless one never reaches.
    pub const END: Until<'static> = Until { bound: Bound::End, stop: None };

    /// Returns the end after so many steps, counted from the beginning of the simulation.
    pub fn steps(count: u64) -> Until<'static> {
        Until { bound: Bound::Steps(count), stop: None }
    }

    /// Returns the end at the first step that reaches a time [s]; rounding adds none.
    pub fn time(time: f64) -> Until<'static> {
        Until { bound: Bound::Time(time), stop: None }
    }

    /// Ends earlier if the flag is set: it is checked between steps and within them.
    pub fn unless(self, stop: &AtomicBool) -> Until<'_> {
        Until { bound: self.bound, stop: Some(stop) }
    }

    pub(crate) fn stop(&self) -> Option<&AtomicBool> {
        self.stop
    }

    /// Returns the number of steps done at the end.
    pub(crate) fn last(&self, schedule: &Schedule) -> u64 {
        match self.bound {
            Bound::End => schedule.steps(),
            Bound::Steps(count) => count,
            Bound::Time(time) if !schedule.is_endless && time >= schedule.duration => {
                let further = time - schedule.duration;
                schedule.steps() + if further > 1e-6 * schedule.step { steps(further, schedule.step) as u64 } else { 0 }
            }
            Bound::Time(time) if time > 0.0 => steps(time, schedule.step) as u64,
            Bound::Time(_) => 0,
        }
    }
}

/// Ends at a time [s].
impl From<f64> for Until<'_> {
    fn from(time: f64) -> Self {
        Until::time(time)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::schedule::{FrameTimes, OnDivergence};

    #[test]
    fn a_time_is_reached_by_whole_steps() {
        let endless = Schedule::endless(0.1);
        for (time, last) in [(0.3, 3), (0.25, 3), (0.1, 1), (0.0, 0), (-1.0, 0), (f64::NAN, 0), (7.0, 70)] {
            assert_eq!(Until::time(time).last(&endless), last, "{time}");
        }
        let (frames, on_divergence) = (FrameTimes::Steps, OnDivergence::Stop);
        let bounded = Schedule { step: 0.3, duration: 1.0, frame_rate: 60.0, frames, on_divergence, is_endless: false };
        for (time, last) in [(0.6, 2), (0.95, 4), (1.0, 4), (1.3, 5), (1.2, 5)] {
            assert_eq!(Until::time(time).last(&bounded), last, "{time}");
        }
        assert_eq!((Until::END.last(&bounded), Until::steps(7).last(&bounded)), (4, 7));
    }
}
