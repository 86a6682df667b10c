//! Work as a list of counts, in the order of the columns of series.csv.

use super::bytes::{Reader, Write};
use integrators::StepReport;
use numerics::linear::Decision;

/// How many there are.
const COUNTS: usize = 14;

/// The counts of a report: all but what was decided about the factor.
pub(super) fn counts(work: &StepReport) -> [u64; COUNTS] {
    let linear = &work.linear;
    [
        work.forces,
        work.assemblies,
        work.newton,
        work.backtracks,
        linear.factorisations,
        linear.solves,
        linear.iterations,
        linear.products,
        work.halvings,
        work.negative_pivots,
        work.modes,
        work.substeps,
        work.rejected,
        work.factor_age,
    ]
}

/// Writes the counts of a report, how much fluids were compressed, how far joints were apart, what a matrix taken
/// for symmetric left, and what was decided about the factor.
pub(super) fn write(work: &StepReport, out: &mut Vec<u8>) {
    counts(work).into_iter().for_each(|count| out.whole(count));
    [work.compression, work.joint_gap, work.asymmetry].into_iter().for_each(|number| out.number(number));
    out.whole(Decision::ALL.iter().position(|decision| *decision == work.factor).unwrap_or(0) as u64);
}

/// The report that was written.
pub(super) fn read(from: &mut Reader) -> Option<StepReport> {
    let mut work = StepReport::default();
    for count in [
        &mut work.forces,
        &mut work.assemblies,
        &mut work.newton,
        &mut work.backtracks,
        &mut work.linear.factorisations,
        &mut work.linear.solves,
        &mut work.linear.iterations,
        &mut work.linear.products,
        &mut work.halvings,
        &mut work.negative_pivots,
        &mut work.modes,
        &mut work.substeps,
        &mut work.rejected,
        &mut work.factor_age,
    ] {
        *count = from.whole()?;
    }
    work.compression = from.number()?;
    work.joint_gap = from.number()?;
    work.asymmetry = from.number()?;
    let decision = from.whole()?;
    work.factor = *Decision::ALL.get(usize::try_from(decision).ok()?)?;
    Some(work)
}
