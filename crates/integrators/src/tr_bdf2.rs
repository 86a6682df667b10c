//! TR-BDF2: the trapezoidal rule to a point inside of the step, then backward differentiation over all three points.
//!
//!   y1 = y + g h / 2 (F(t, y) + F(t + g h, y1)),   y+ = w1 y1 - w0 y + g h / 2 F(t + h, y+),   g = 2 - sqrt 2
//!   w1 = 1 / (g (2 - g)),   w0 = (1 - g)^2 w1
//!
//! for y = (x, v). With this g both stages have the same matrix.
//!
//! Cost per step: that of two steps of backward Euler, and one force. Properties: second order, L-stable, no memory of earlier
//! steps. Fails when Newton stalls.
//! Citation: Bank et al. 1985; Hosea, Shampine 1996.

use crate::acceleration::Acceleration;
use crate::method::{EnergyBehaviour, Family, Method, VISCOUS};
use crate::one_mode::{self, OneMode};
use crate::options::Options;
use crate::stage::{Coefficients, NEWTON, Stage};
use crate::stepper::{StepError, StepReport, Stepper, check_finite};
use model::{Model, State};
use numerics::linear::LinearError;

/// The facts of tr-bdf2.
pub(crate) const METHOD: Method = Method {
    name: "tr-bdf2",
    aliases: &["trbdf2"],
    description: "trapezoidal rule, then backward differentiation, within one step: second order, damps fast modes at once",
    citation: "Bank, Coughran, Fichtner, Grosse, Rose, Smith 1985; Hosea, Shampine 1996",
    order: 2,
    exact_on_linear: false,
    energy: EnergyBehaviour::Damps,
    family: Family::Implicit,
    parameters: NEWTON,
    // (w1 (1 + i z g/2) / (1 - i z g/2) - w0) / (1 - i z g/2)
    one_mode: OneMode {
        roots: one_mode::TWO,
        radius: |_, z| {
            let size = (0.5 * G * z).hypot(1.0);
            let turn = 2.0 * (0.5 * G * z).atan();
            let [w1, w0] = WEIGHTS;
            (w1 * turn.cos() - w0).hypot(w1 * turn.sin()) / size
        },
    },
    keeps_factor: true,
    linearises_once: false,
    has_explicit_regions: false,
    conserves_momentum: |_| true,
    serves: VISCOUS,
    make: |model, options| Ok(Box::new(TrBdf2::new(model, options)?)),
};

/// g
pub(crate) const G: f64 = 2.0 - std::f64::consts::SQRT_2;
/// w1, w0
pub(crate) const WEIGHTS: [f64; 2] = [1.0 / (G * (2.0 - G)), (1.0 - G) * (1.0 - G) / (G * (2.0 - G))];

pub(crate) struct TrBdf2 {
    pub acceleration: Acceleration,
    pub stage: Stage,
    /// Acceleration at the beginning of the step [m/s^2].
    pub a: Vec<f64>,
    /// y1
    pub inside: State,
}

impl TrBdf2 {
    pub fn new(model: &Model, options: &Options) -> Result<TrBdf2, LinearError> {
        Ok(TrBdf2 {
            acceleration: Acceleration::new(model, options)?,
            stage: Stage::new(model, options, 2)?,
            a: vec![0.0; model.dofs()],
            inside: model.state_at_rest(),
        })
    }
}

impl Stepper for TrBdf2 {
    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let mut report = StepReport::default();
        let TrBdf2 { acceleration, stage, a, inside } = self;
        let (n, q) = (model.dofs(), 0.5 * G * h);
        if stage.system.drag.is_some() {
            // Without inertia forces are in balance: the rest is rounding, and M^-1 times it large.
            a.fill(0.0);
        } else {
            acceleration.at(model, state, a, &mut report)?;
            check_finite(model, &state.x, a)?;
        }

        // The trapezoidal rule.
        for i in 0..n {
            stage.v_hat[i] = state.v[i] + q * a[i];
            stage.x_hat[i] = state.x[i] + q * (state.v[i] + stage.v_hat[i]);
        }
        let coefficients = Coefficients { t: state.t + G * h, mass: 1.0, position: q * q, velocity: q };
        stage.solve(model, state, coefficients, &mut report)?;
        check_finite(model, &state.x, &stage.a)?;
        inside.clone_from(state);
        take(stage, inside, q);
        inside.t = coefficients.t;
        model.place(inside.t, &mut inside.x, &mut inside.v);

        // Backward differentiation.
        let [w1, w0] = WEIGHTS;
        for i in 0..n {
            stage.v_hat[i] = w1 * inside.v[i] - w0 * state.v[i];
            stage.x_hat[i] = w1 * inside.x[i] - w0 * state.x[i] + q * stage.v_hat[i];
        }
        stage.solve(model, inside, Coefficients { t: state.t + h, ..coefficients }, &mut report)?;
        check_finite(model, &inside.x, &stage.a)?;
        take(stage, state, q);
        state.t += h;
        model.place(state.t, &mut state.x, &mut state.v);
        Ok(report)
    }

    fn memory(&self) -> Vec<f64> {
        self.stage.memory()
    }

    fn recall(&mut self, memory: &[f64]) -> bool {
        self.stage.recall(memory)
    }
}

/// Moves the free nodes to the solution of the stage.
pub(crate) fn take(stage: &Stage, state: &mut State, q: f64) {
    for (i, a) in stage.a.iter().enumerate() {
        state.x[i] = stage.x_hat[i] + q * q * a;
        state.v[i] = stage.v_hat[i] + q * a;
    }
}
