//! Work as a list of counts, in the order of the columns of series.csv.

use super::bytes::{Reader, Write};
use integrators::StepReport;
use numerics::linear::Decision;

/// Number of counts.
const COUNTS: usize = 18;

/// Returns the counts of a report, without the decision about the factor.
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
        linear.capped,
        work.halvings,
        work.negative_pivots,
        work.modes,
        work.substeps,
        work.rejected,
        work.factor_age,
        work.contacts,
        work.contact_rounds,
        work.contact_zones,
    ]
}

/// Returns the measures of a step: compression of fluids, gap of joints [m], force of joints [N], kinetic energy added by
/// impulses [J], these [N s], and energy taken by numerical damping [J].
pub(super) fn measures(work: &StepReport) -> [f64; 6] {
    let StepReport { contact_work, contact_impulse, numerical_damping, .. } = *work;
    [work.compression, work.joint_gap, work.joint_force, contact_work, contact_impulse, numerical_damping]
}

/// Writes the counts of a report, its measures, the residual of a matrix treated as symmetric, and the
/// decision about the factor.
pub(super) fn write(work: &StepReport, out: &mut Vec<u8>) {
    counts(work).into_iter().for_each(|count| out.whole(count));
    measures(work).into_iter().chain([work.asymmetry]).for_each(|number| out.number(number));
    out.whole(Decision::ALL.iter().position(|decision| *decision == work.factor).unwrap_or(0) as u64);
}

/// Reads a written report.
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
        &mut work.linear.capped,
        &mut work.halvings,
        &mut work.negative_pivots,
        &mut work.modes,
        &mut work.substeps,
        &mut work.rejected,
        &mut work.factor_age,
        &mut work.contacts,
        &mut work.contact_rounds,
        &mut work.contact_zones,
    ] {
        *count = from.whole()?;
    }
    for measure in [
        &mut work.compression,
        &mut work.joint_gap,
        &mut work.joint_force,
        &mut work.contact_work,
        &mut work.contact_impulse,
        &mut work.numerical_damping,
        &mut work.asymmetry,
    ] {
        *measure = from.number()?;
    }
    let decision = from.whole()?;
    work.factor = *Decision::ALL.get(usize::try_from(decision).ok()?)?;
    Some(work)
}
