//! Symplectic Euler.
//!
//!   v+ = v + h M^-1 f(t, x, v),   x+ = x + h v+
//!
//! Cost per step: one force (and with a consistent mass one solve). Properties: first order,
//! symplectic; stable while h w < 2 for the fastest frequency w, and explodes above.
//! Citation: Hairer, Lubich, Wanner 2006, ch. VI.

use crate::acceleration::Acceleration;
use crate::linear_system;
use crate::method::{ELASTIC, EnergyBehaviour, Family, Method};
use crate::one_mode::{self, OneMode};
use crate::options::Options;
use crate::stepper::{StepError, StepReport, Stepper, check_finite};
use model::{Model, State};
use numerics::linear::LinearError;

/// The facts of symplectic-euler.
pub(crate) const METHOD: Method = Method {
    name: "symplectic-euler",
    aliases: &["semi-implicit-euler"],
    description: "velocities first, then positions with the new velocities",
    citation: "Hairer, Lubich, Wanner 2006, ch. VI",
    order: 1,
    exact_on_linear: false,
    energy: EnergyBehaviour::ConditionallyStable { limit: 2.0 },
    family: Family::Explicit,
    parameters: &[linear_system::SOLVER.parameter, linear_system::SOLVER_TOLERANCE.parameter],
    // mu^2 - (2 - z^2) mu + 1 = 0: a circle up to z = 2.
    one_mode: OneMode {
        roots: one_mode::TWO,
        radius: |_, z| {
            let half = (0.5 * z * z - 1.0).max(1.0);
            half + (half * half - 1.0).sqrt()
        },
    },
    keeps_factor: false,
    linearises_once: false,
    has_explicit_regions: false,
    conserves_momentum: |_| true,
    serves: ELASTIC,
    make: |model, options| Ok(Box::new(SymplecticEuler::new(model, options)?)),
};

pub(crate) struct SymplecticEuler {
    acceleration: Acceleration,
    a: Vec<f64>,
}

impl SymplecticEuler {
    pub fn new(model: &Model, options: &Options) -> Result<SymplecticEuler, LinearError> {
        Ok(SymplecticEuler { acceleration: Acceleration::new(model, options)?, a: vec![0.0; model.dofs()] })
    }
}

impl Stepper for SymplecticEuler {
    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let mut report = StepReport::default();
        self.acceleration.at(model, state, &mut self.a, &mut report)?;
        check_finite(model, &state.x, &self.a)?;
        for (i, a) in self.a.iter().enumerate() {
            state.v[i] += h * a;
            state.x[i] += h * state.v[i];
        }
        state.t += h;
        model.place(state.t, &mut state.x, &mut state.v);
        Ok(report)
    }
}
