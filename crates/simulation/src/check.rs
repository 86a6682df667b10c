//! Checks of a state after a step: nothing that is not finite is shown.

use crate::energies::Energies;
use crate::outcome::Cause;
use integrators::{StepError, StepReport, Stepper};
use model::{Model, State};
use numerics::vectors::is_finite;

/// Checks that the measures of constraints are finite; others are removed, so that sums stay finite.
pub(crate) fn check_measures(report: &mut StepReport) -> Result<(), Cause> {
    let measures = [
        (&mut report.compression, "the compression of fluids"),
        (&mut report.joint_gap, "the gap of a joint"),
        (&mut report.joint_force, "the force of a joint"),
        (&mut report.numerical_damping, "the energy taken by numerical damping"),
        (&mut report.asymmetry, "what symmetric = true leaves out"),
    ];
    let mut result = Ok(());
    for (value, what) in measures {
        if !value.is_finite() {
            *value = 0.0;
            result = Err(Cause::NonFinite { what });
        }
    }
    result
}

/// Checks that the forces of constraints are finite, if the method computes them: frames show them.
pub(crate) fn check_forces(model: &Model, stepper: &dyn Stepper) -> Result<(), Cause> {
    let forces = stepper.constraint_forces().unwrap_or_default();
    match forces.iter().position(|force| !force.is_finite()) {
        Some(at) => Err(Cause::Step(StepError::NonFinite { node: model.origin(at / 3) })),
        None => Ok(()),
    }
}

/// Checks that all energies and momenta are finite, and with them every position and velocity.
pub(crate) fn check(model: &Model, state: &State, energies: &Energies) -> Result<(), Cause> {
    let momenta = [model.momentum(&state.v), model.angular_momentum(state)];
    let turns = || state.turns.iter().all(|turn| is_finite(&turn.orientation) && is_finite(&turn.spin));
    let mut vectors = [&state.x[..], &state.v].into_iter().chain(momenta.iter().map(|m| &m[..]));
    if energies.total().is_finite() && vectors.all(is_finite) && turns() {
        return Ok(());
    }
    if let Some(found) = model.first_inadmissible(&state.x) {
        return Err(Cause::Step(StepError::Inverted { element: found.element, number: found.number }));
    }
    let finite = |i: &usize| is_finite(&state.x[3 * i..3 * i + 3]) && is_finite(&state.v[3 * i..3 * i + 3]);
    // If all nodes are finite, a square has overflowed: the farthest node is reported.
    let reach = |i: &usize| state.x[3 * i..3 * i + 3].iter().fold(0.0, |far: f64, c| far.max(c.abs()));
    let node = (0..model.nodes())
        .find(|i| !finite(i))
        .or_else(|| (0..model.nodes()).max_by(|a, b| reach(a).total_cmp(&reach(b))))
        .unwrap_or(0);
    Err(Cause::Step(StepError::NonFinite { node: model.origin(node) }))
}
