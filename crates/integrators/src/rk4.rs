//! The classical Runge-Kutta method of fourth order on y = (x, v).
//!
//! Cost per step: four forces (and with a consistent mass four solves). Properties: fourth order;
//! stable while h w < 2.78 for the fastest frequency w, damps slightly below, explodes above.
//! Citation: Kutta 1901.

use crate::acceleration::Acceleration;
use crate::linear_system;
use crate::method::{ELASTIC, EnergyBehaviour, Family, Method};
use crate::one_mode::{self, OneMode};
use crate::options::Options;
use crate::stepper::{StepError, StepReport, Stepper, check_finite};
use model::{Model, State};
use numerics::linear::LinearError;

/// The facts of rk4.
pub(crate) const METHOD: Method = Method {
    name: "rk4",
    aliases: &["runge-kutta-4"],
    description: "the classical explicit Runge-Kutta method",
    citation: "Kutta 1901",
    order: 4,
    exact_on_linear: false,
    energy: EnergyBehaviour::ConditionallyStable { limit: 2.785 },
    family: Family::Explicit,
    parameters: &[linear_system::SOLVER.parameter, linear_system::SOLVER_TOLERANCE.parameter],
    // The series of exp(i z) up to the fourth power.
    one_mode: OneMode {
        roots: one_mode::TWO,
        radius: |_, z| {
            let y = z * z;
            (1.0 - y / 2.0 + y * y / 24.0).hypot(z * (1.0 - y / 6.0))
        },
    },
    keeps_factor: false,
    linearises_once: false,
    has_explicit_regions: false,
    conserves_momentum: |_| true,
    serves: ELASTIC,
    make: |model, options| Ok(Box::new(Rk4::new(model, options)?)),
};

/// Time of each stage within the step, and its weight in the sum.
const STAGES: [(f64, f64); 4] = [(0.0, 1.0 / 6.0), (0.5, 1.0 / 3.0), (0.5, 1.0 / 3.0), (1.0, 1.0 / 6.0)];

pub(crate) struct Rk4 {
    acceleration: Acceleration,
    /// State of a stage.
    stage: State,
    /// Acceleration of the last stage, and the weighted sums of velocities and accelerations.
    a: Vec<f64>,
    sum_v: Vec<f64>,
    sum_a: Vec<f64>,
}

impl Rk4 {
    pub fn new(model: &Model, options: &Options) -> Result<Rk4, LinearError> {
        let zeros = vec![0.0; model.dofs()];
        Ok(Rk4 {
            acceleration: Acceleration::new(model, options)?,
            stage: model.state_at_rest(),
            a: zeros.clone(),
            sum_v: zeros.clone(),
            sum_a: zeros,
        })
    }
}

impl Stepper for Rk4 {
    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let mut report = StepReport::default();
        let Rk4 { acceleration, stage, a, sum_v, sum_a } = self;
        stage.clone_from(state);
        sum_v.fill(0.0);
        sum_a.fill(0.0);
        for (k, (at, weight)) in STAGES.into_iter().enumerate() {
            if k > 0 {
                // y + at h (v, a) of the stage before.
                let h = at * h;
                for i in 0..a.len() {
                    stage.x[i] = state.x[i] + h * stage.v[i];
                    stage.v[i] = state.v[i] + h * a[i];
                }
                stage.t = state.t + h;
                model.place(stage.t, &mut stage.x, &mut stage.v);
            }
            acceleration.at(model, stage, a, &mut report)?;
            for i in 0..a.len() {
                sum_v[i] += weight * stage.v[i];
                sum_a[i] += weight * a[i];
            }
        }
        check_finite(model, &state.x, sum_a)?;
        check_finite(model, &state.x, sum_v)?;
        for i in 0..a.len() {
            state.x[i] += h * sum_v[i];
            state.v[i] += h * sum_a[i];
        }
        state.t += h;
        model.place(state.t, &mut state.x, &mut state.v);
        Ok(report)
    }
}
