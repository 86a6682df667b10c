//! SIERE with the rest by backward Euler, solved by Newton's method: the additive method before eq. (5).
//!
//!   u+ = u + h H(u+) + h phi_1(h J_G) G(u)
//!
//! The modes move by (dx_r, dv_r) as they do with the linear rest. Everything else is found in their M-orthogonal
//! complement, Q = I - U U^T M: d with U^T M d = 0 and
//!
//!   Q^T (M d - h f(t + h, x+, v+)) = 0,    v+ = v + U dv_r + d,    x+ = x + U dx_r + h Q (v + d)
//!
//! This is the equation of `stage` in a subspace, with x^ = x + U dx_r + h Q v and v^ = v + U dv_r. Newton's method
//! starts from the solution of the linear rest.

use super::at_rest::DampedAtRest;
use super::forces::Forces;
use super::modal::{Modal, Motion};
use crate::stage::{Coefficients, Stage};
use crate::stepper::{StepError, StepReport, check_finite};
use model::{Model, State};
use numerics::modes::add_combinations;

/// Data of a step.
pub(super) struct Parts<'a> {
    pub model: &'a Model,
    pub state: &'a State,
    pub h: f64,
    /// Captured modes, side by side, and their eigenvalues.
    pub u: &'a [f64],
    pub values: &'a [f64],
    pub forces: &'a mut Forces,
    pub scratch: &'a mut Vec<f64>,
}

/// Computes the change of positions and velocities, from the solution of linearly implicit Euler as the first guess.
pub(super) fn change(
    parts: Parts,
    stage: &mut Stage,
    damped: Option<&mut DampedAtRest>,
    report: &mut StepReport,
) -> Result<(), StepError> {
    let Parts { model, state, h, u, values, forces, scratch } = parts;
    let n = model.dofs();
    let among = damped.map(|damped| damped.among(model, u, scratch));
    let modal = Modal::new(model, [u, values], forces, h, among, scratch);
    let Motion { dx, dv } = modal.motion(h);

    // U (dx_r - h w) and U dv_r.
    let Forces { change, solution, .. } = forces;
    let apart = dx.iter().zip(&modal.w).map(|(dx, w)| dx - h * w);
    let coefficients: Vec<f64> = apart.chain(dv).collect();
    change.fill(0.0);
    if !values.is_empty() {
        add_combinations(u, &coefficients, change, n);
    }

    stage.captured.set(model, u);
    for i in 0..n {
        stage.x_hat[i] = state.x[i] + h * state.v[i] + change[i];
        stage.v_hat[i] = state.v[i] + change[n + i];
        stage.a[i] = solution[i] / h;
    }
    let coefficients = Coefficients { t: state.t + h, mass: 1.0, position: h * h, velocity: h };
    stage.solve_from_guess(model, state, coefficients, report)?;
    check_finite(model, &state.x, &stage.a)?;
    for i in 0..n {
        change[i] += h * (state.v[i] + h * stage.a[i]);
        change[n + i] += h * stage.a[i];
    }
    Ok(())
}
