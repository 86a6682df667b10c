//! Adaptive steps inside a step: as long as the error estimate allows.
//!
//!   h+ = 0.9 h (tolerance / error)^(1/p),   within a fifth and five times h
//!
//! p is the order of the local error measured by the estimate. The rest of the outer step is cut into equal pieces no
//! longer than h, so that the last one is not tiny.

use crate::options::Setting;
use model::parameter::{Kind, Parameter, Preset};

/// Vary the step inside the given one by the embedded error estimate.
pub const ADAPTIVE: Setting<bool> = Setting::new(Parameter {
    name: "adaptive",
    kind: Kind::Flag,
    default: Preset::Flag(false),
    doc: "vary the step inside the given one by the embedded error estimate",
    unit: "",
});

/// Local error allowed per inner step, relative to the motion.
pub const STEP_TOLERANCE: Setting<f64> = Setting::new(Parameter {
    name: "step_tolerance",
    kind: Kind::within(1e-12, 1.0),
    default: Preset::Numbers(&[1e-4]),
    doc: "local error allowed per inner step, relative to the motion",
    unit: "",
});

/// Limit of rejected steps in a row.
const REFUSALS: u32 = 30;

/// Chooses inner steps.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Controller {
    tolerance: f64,
    order: f64,
    /// Step suggested by the last inner step [s].
    pub next: Option<f64>,
    refused: u32,
}

/// Verdict on an inner step.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Accepted,
    Refused,
    /// Rejected too often in a row.
    Hopeless,
}

impl Controller {
    pub fn new(tolerance: f64, order: u32) -> Controller {
        Controller { tolerance, order: f64::from(order), next: None, refused: 0 }
    }

    /// Returns the next inner step, when `left` is left of the outer one [s].
    pub fn propose(&self, left: f64) -> f64 {
        let pieces = (left / self.next.unwrap_or(left)).ceil().max(1.0);
        left / pieces
    }

    /// Judges an inner step of `h` by its error; infinite where the step failed.
    pub fn judge(&mut self, h: f64, error: f64) -> Verdict {
        let ratio = (self.tolerance / error.max(f64::MIN_POSITIVE)).powf(1.0 / self.order);
        // A step that was short only because little was left is no reason against longer ones.
        let suggested = h * (0.9 * ratio).clamp(0.2, 5.0);
        if error <= self.tolerance {
            self.next =
                Some(self.next.filter(|&next| next > h && ratio > 1.0).map_or(suggested, |next| next.max(suggested)));
            self.refused = 0;
            return Verdict::Accepted;
        }
        self.next = Some(suggested);
        self.refused += 1;
        if self.refused > REFUSALS { Verdict::Hopeless } else { Verdict::Refused }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_shrink_and_grow_to_where_the_error_is_allowed() {
        // An error of h^4, tolerance 1e-4: steps of 0.09 or a little less.
        let mut controller = Controller::new(1e-4, 4);
        let (mut left, mut steps, mut refused) = (1.0, 0, 0);
        while left > 1e-12 {
            let h = controller.propose(left);
            match controller.judge(h, h.powi(4)) {
                Verdict::Accepted => (left, steps) = (left - h, steps + 1),
                Verdict::Refused => refused += 1,
                Verdict::Hopeless => panic!(),
            }
        }
        assert!((10..=14).contains(&steps) && refused <= 2, "{steps} steps, {refused} refused");
    }

    #[test]
    fn a_step_that_never_succeeds_ends() {
        let mut controller = Controller::new(1e-4, 4);
        let tries = (0..100).take_while(|_| {
            let h = controller.propose(1.0);
            controller.judge(h, f64::INFINITY) != Verdict::Hopeless
        });
        assert_eq!(tries.count(), REFUSALS as usize);
    }
}
