//! Steps that are split in two where the whole fails.

use crate::options::Setting;
use crate::stepper::{StepError, StepReport};
use model::State;
use model::parameter::{Kind, Parameter, Preset};

/// Number of times a failing step may be split in two. Where the stiffness is turned it is at least 8: Newton's method then
/// takes every correction whole, and a shorter step is its only help.
pub const HALVINGS: Setting<usize> = Setting::new(Parameter {
    name: "halvings",
    kind: Kind::count_within(0, 20),
    default: Preset::Numbers(&[0.0]),
    doc: "number of times a failing step may be split in two, at least 8 with the turned stiffness",
    unit: "",
});

/// Takes a step of h [s] with `whole`, or two halves of it where the whole fails, and so on. On an error the state may
/// have advanced by some of the halves.
pub(crate) fn split_step(
    whole: &mut impl FnMut(&mut State, f64, &mut StepReport) -> Result<(), StepError>,
    state: &mut State,
    h: f64,
    splits_left: usize,
    report: &mut StepReport,
) -> Result<(), StepError> {
    match whole(state, h, report) {
        Err(error) if splits_left > 0 && !error.is_final() => {
            report.halvings += 1;
            split_step(whole, state, 0.5 * h, splits_left - 1, report)?;
            split_step(whole, state, 0.5 * h, splits_left - 1, report)
        }
        result => result,
    }
}
