//! Work as a list of counts, in the order of the columns of series.csv.

use super::bytes::Reader;
use integrators::StepReport;

/// How many there are.
const COUNTS: usize = 13;

/// The counts of a report.
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
    ]
}

/// The report of counts that were written.
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
    ] {
        *count = from.whole()?;
    }
    Some(work)
}
