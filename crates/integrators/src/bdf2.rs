//! Two-step backward differentiation, begun by one step of implicit midpoint.
//!
//!   y+ = ((1 + r)^2 y - r^2 y-) / (1 + 2 r) + h' F(t + h, y+),   h' = h (1 + r) / (1 + 2 r)
//!
//! for y = (x, v) and r the ratio of this step to the last (r = 1: (4 y - y-) / 3 and 2 h / 3).
//! The first step, and the first after the state was changed from outside, is implicit midpoint: a first-order start
//! would show in the result. (A hard contact changes the state after every step in which it acts.)
//!
//! Cost per step: as backward Euler. Properties: second order, L-stable for r < 1 + sqrt 2, damps slow
//! modes far less than backward Euler. Fails when Newton stalls.
//! Citation: Curtiss, Hirschfelder 1952.

use crate::implicit_midpoint;
use crate::linear_system::{join, split};
use crate::method::{EnergyBehaviour, Family, Method, VISCOUS};
use crate::one_mode::OneMode;
use crate::options::Options;
use crate::stage::{Coefficients, NEWTON, Stage};
use crate::stepper::{StepError, StepReport, Stepper, check_finite};
use model::{Model, State};
use numerics::linear::LinearError;

/// The facts of bdf2.
pub(crate) const METHOD: Method = Method {
    name: "bdf2",
    aliases: &[],
    description: "two-step backward differentiation, second order, little damping of slow modes; its first step is implicit midpoint",
    citation: "Curtiss, Hirschfelder 1952",
    order: 2,
    exact_on_linear: false,
    energy: EnergyBehaviour::Damps,
    family: Family::Implicit,
    parameters: NEWTON,
    // mu = (2 + sqrt(1 + 2 i z)) / (3 - 2 i z), the larger root of (3/2 - i z) mu^2 - 2 mu + 1/2 = 0. Positions and velocities,
    // now and one step back, make four roots.
    one_mode: OneMode {
        roots: |_| 4,
        radius: |_, z| {
            let length = (2.0 * z).hypot(1.0);
            let root = [(0.5 * (length + 1.0)).sqrt(), (0.5 * (length - 1.0)).sqrt()];
            (2.0 + root[0]).hypot(root[1]) / (2.0 * z).hypot(3.0)
        },
    },
    keeps_factor: true,
    linearises_once: false,
    has_explicit_regions: false,
    conserves_momentum: |_| true,
    serves: VISCOUS,
    make: |model, options| Ok(Box::new(Bdf2::new(model, options)?)),
};

/// Largest stable ratio of successive steps; above it the method restarts.
const LARGEST_RATIO: f64 = 2.0;

pub(crate) struct Bdf2 {
    stage: Stage,
    /// State one step back; `last_h` is zero while there is none.
    last: State,
    last_h: f64,
    /// State before the current step.
    now: State,
}

impl Bdf2 {
    pub fn new(model: &Model, options: &Options) -> Result<Bdf2, LinearError> {
        let state = model.state_at_rest();
        Ok(Bdf2 { stage: Stage::new(model, options, 2)?, last: state.clone(), last_h: 0.0, now: state })
    }

    fn two_step(&mut self, model: &Model, state: &mut State, h: f64, report: &mut StepReport) -> Result<(), StepError> {
        let Bdf2 { stage, last, last_h, .. } = self;
        let r = h / *last_h;
        let weight_now = (1.0 + r).powi(2) / (1.0 + 2.0 * r);
        let weight_last = r * r / (1.0 + 2.0 * r);
        let h1 = h * (1.0 + r) / (1.0 + 2.0 * r);
        for i in 0..model.dofs() {
            let x = weight_now * state.x[i] - weight_last * last.x[i];
            let v = weight_now * state.v[i] - weight_last * last.v[i];
            stage.x_hat[i] = x + h1 * v;
            stage.v_hat[i] = v;
        }
        let coefficients = Coefficients { t: state.t + h, mass: 1.0, position: h1 * h1, velocity: h1 };
        stage.solve(model, state, coefficients, report)?;
        check_finite(model, &state.x, &stage.a)?;
        for i in 0..model.dofs() {
            state.x[i] = stage.x_hat[i] + h1 * h1 * stage.a[i];
            state.v[i] = stage.v_hat[i] + h1 * stage.a[i];
        }
        state.t += h;
        model.place(state.t, &mut state.x, &mut state.v);
        Ok(())
    }
}

impl Stepper for Bdf2 {
    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let mut report = StepReport::default();
        self.now.clone_from(state);
        if self.last_h == 0.0 || h > LARGEST_RATIO * self.last_h {
            implicit_midpoint::step(&mut self.stage, model, state, h, &mut report)?;
        } else {
            self.two_step(model, state, h, &mut report)?;
        }
        std::mem::swap(&mut self.last, &mut self.now);
        self.last_h = h;
        Ok(report)
    }

    fn forget(&mut self) {
        self.last_h = 0.0;
    }

    fn memory(&self) -> Vec<f64> {
        let Bdf2 { last, last_h, .. } = self;
        let own = match *last_h {
            0.0 => Vec::new(),
            h => [h, last.t].iter().chain(&last.x).chain(&last.v).copied().collect(),
        };
        join(own, self.stage.memory())
    }

    fn recall(&mut self, memory: &[f64]) -> bool {
        self.forget();
        self.stage.recall(&[]);
        let n = self.last.x.len();
        let Some((own, system)) = split(memory) else { return false };
        match own {
            [h, t, numbers @ ..] if numbers.len() == 2 * n && *h > 0.0 && self.stage.recall(system) => {
                (self.last_h, self.last.t) = (*h, *t);
                self.last.x.copy_from_slice(&numbers[..n]);
                self.last.v.copy_from_slice(&numbers[n..]);
                true
            }
            _ => own.is_empty() && self.stage.recall(system),
        }
    }
}
