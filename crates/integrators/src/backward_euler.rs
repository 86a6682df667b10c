//! Backward Euler, solved by Newton's method.
//!
//!   x+ = x + h v+,   M (v+ - v) = h f(t + h, x+, v+)
//!
//! Cost per step: one assembly and one solve with a stored factor per Newton iteration (usually 2 to 4).
//! Properties: first order, L-stable. Damps a mode of frequency w by 1 / sqrt(1 + (h w)^2) per step, independent of the
//! material. Fails when Newton stalls: allow `halvings`, or use the projected stiffness (`hessian_correction`).
//! Citation: Hairer, Wanner 1996, ch. IV.

use crate::halving::{HALVINGS, split_step};
use crate::linear_system;
use crate::method::{EnergyBehaviour, Family, Method, RESPONSIVE_AND_VISCOUS};
use crate::one_mode;
use crate::options::Options;
use crate::stage::{self, Coefficients, Stage};
use crate::stepper::{Response, StepError, StepReport, Stepper, check_finite};
use model::energy::Stiffness;
use model::{Model, State};
use numerics::linear::LinearError;

/// The facts of backward-euler.
pub(crate) const METHOD: Method = Method {
    name: "backward-euler",
    aliases: &["be"],
    description: "fully implicit, solved by Newton's method",
    citation: "Hairer, Wanner 1996, ch. IV",
    order: 1,
    exact_on_linear: false,
    energy: EnergyBehaviour::Damps,
    family: Family::Implicit,
    parameters: &[
        stage::TOLERANCE.parameter,
        stage::ITERATIONS.parameter,
        stage::LINE_SEARCH.parameter,
        stage::HESSIAN_CORRECTION.parameter,
        HALVINGS.parameter,
        linear_system::SOLVER.parameter,
        linear_system::SOLVER_TOLERANCE.parameter,
    ],
    one_mode: one_mode::IMPLICIT_EULER,
    keeps_factor: true,
    linearises_once: false,
    has_explicit_regions: false,
    conserves_momentum: |_| true,
    serves: RESPONSIVE_AND_VISCOUS,
    make: |model, options| Ok(Box::new(BackwardEuler::new(model, options)?)),
};

pub(crate) struct BackwardEuler {
    pub stage: Stage,
    pub halvings: usize,
    /// State before a step that is split in two.
    pub before: State,
}

impl BackwardEuler {
    pub fn new(model: &Model, options: &Options) -> Result<BackwardEuler, LinearError> {
        let before = model.state_at_rest();
        let halvings = options.get(&HALVINGS).max(if model.stiffness_kind() == Stiffness::Turned { 8 } else { 0 });
        Ok(BackwardEuler { stage: Stage::new(model, options, 1)?, halvings, before })
    }
}

/// Takes one step of backward Euler on a stage. In Stokes flow methods without damping begin with it: it brings velocities and
/// stiff springs to the balance that they keep from then on.
pub(crate) fn whole_step(
    stage: &mut Stage,
    model: &Model,
    state: &mut State,
    h: f64,
    report: &mut StepReport,
) -> Result<(), StepError> {
    let dofs = model.dofs();
    for i in 0..dofs {
        stage.x_hat[i] = state.x[i] + h * state.v[i];
        stage.v_hat[i] = state.v[i];
    }
    let coefficients = Coefficients { t: state.t + h, mass: 1.0, position: h * h, velocity: h };
    stage.solve(model, state, coefficients, report)?;
    check_finite(model, &state.x, &stage.a)?;
    for i in 0..dofs {
        state.v[i] += h * stage.a[i];
        state.x[i] += h * state.v[i];
    }
    state.t += h;
    model.place(state.t, &mut state.x, &mut state.v);
    Ok(())
}

impl Stepper for BackwardEuler {
    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let mut report = StepReport::default();
        let BackwardEuler { stage, halvings, before } = self;
        before.clone_from(state);
        stage.system.is_prepared = false;
        let mut whole = |state: &mut State, h: f64, report: &mut StepReport| whole_step(stage, model, state, h, report);
        match split_step(&mut whole, state, h, *halvings, &mut report) {
            Ok(()) => Ok(report),
            Err(error) => {
                // The first half may have succeeded.
                state.clone_from(before);
                Err(error)
            }
        }
    }

    fn response(&mut self, model: &Model, before: &State, h: f64) -> Result<Option<&mut dyn Response>, StepError> {
        let system = &mut self.stage.system;
        // The matrix of the last iteration of Newton's method, if there was one.
        if !system.is_prepared {
            let mut report = StepReport::default();
            system.assemble(model, Stiffness::Projected, &before.x[..], &mut report);
            let prepared = system.prepare(model, [1.0, h, h * h], None, &mut report);
            prepared.map_err(|error| StepError::linear(model, error))?;
        }
        Ok(Some(system))
    }

    fn memory(&self) -> Vec<f64> {
        self.stage.memory()
    }

    fn recall(&mut self, memory: &[f64]) -> bool {
        self.stage.recall(memory)
    }
}
