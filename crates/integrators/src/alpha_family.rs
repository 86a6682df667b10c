//! Newmark's update with a balance of forces between the two ends of the step.
//!
//!   x+ = x + h v + h^2 ((1/2 - beta) a + beta a+),   v+ = v + h ((1 - gamma) a + gamma a+)
//!   M ((1 - am) a+ + am a) = f at time t + (1 - af) h, position (1 - af) x+ + af x, velocity alike
//!
//! a is the algorithmic acceleration: it is carried from step to step, not evaluated anew, which makes the method
//! second order for am != af. It is evaluated at the start, and after the state was changed from outside. In Stokes flow it is
//! nothing, and the first step is one of backward Euler.

use crate::acceleration::Acceleration;
use crate::backward_euler;
use crate::linear_system::{join, split};
use crate::options::Options;
use crate::stage::{Coefficients, Stage};
use crate::stepper::{StepError, StepReport, Stepper, check_finite};
use model::{Model, State};
use numerics::linear::LinearError;

/// The four parameters that distinguish the members of the family.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Alphas {
    pub alpha_m: f64,
    pub alpha_f: f64,
    pub beta: f64,
    pub gamma: f64,
}

impl Alphas {
    /// Returns the amplification matrix of x, h v and h^2 a for one undamped mode with h omega = z.
    pub fn amplification(&self, z: f64) -> [[f64; 3]; 3] {
        let Alphas { alpha_m, alpha_f, beta, gamma } = *self;
        let (near, y) = (1.0 - alpha_f, z * z);
        // Balance of forces, solved for the new acceleration.
        let a = [-y, -near * y, -near * y * (0.5 - beta) - alpha_m].map(|c| c / (1.0 - alpha_m + near * y * beta));
        let with = |old: [f64; 3], share: f64| std::array::from_fn(|j| old[j] + share * a[j]);
        [with([1.0, 1.0, 0.5 - beta], beta), with([0.0, 1.0, 1.0 - gamma], gamma), a]
    }
}

pub(crate) struct AlphaFamily {
    alphas: Alphas,
    stage: Stage,
    acceleration: Acceleration,
    /// Algorithmic acceleration [m/s^2], if known.
    a: Vec<f64>,
    known: bool,
}

impl AlphaFamily {
    pub fn new(model: &Model, options: &Options, alphas: Alphas) -> Result<AlphaFamily, LinearError> {
        let stage = Stage::new(model, options, 2)?;
        let acceleration = Acceleration::new(model, options)?;
        Ok(AlphaFamily { alphas, stage, acceleration, a: vec![0.0; model.dofs()], known: false })
    }
}

impl Stepper for AlphaFamily {
    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let mut report = StepReport::default();
        let AlphaFamily { alphas: Alphas { alpha_m, alpha_f, beta, gamma }, stage, acceleration, a, known } = self;
        if !*known && stage.system.drag.is_some() {
            // The velocities may not be those that forces ask for, and half of them would be taken for the whole step.
            backward_euler::whole_step(stage, model, state, h, &mut report)?;
            a.fill(0.0);
            *known = true;
            return Ok(report);
        }
        if !*known {
            acceleration.at(model, state, a, &mut report)?;
        }
        *known = true;
        let near = 1.0 - *alpha_f;
        for i in 0..model.dofs() {
            stage.x_hat[i] = state.x[i] + near * (h * state.v[i] + h * h * (0.5 - *beta) * a[i]);
            stage.v_hat[i] = state.v[i] + near * h * (1.0 - *gamma) * a[i];
            stage.carried[i] = *alpha_m * a[i];
        }
        let coefficients = Coefficients {
            t: state.t + near * h,
            mass: 1.0 - *alpha_m,
            position: near * h * h * *beta,
            velocity: near * h * *gamma,
        };
        stage.solve(model, state, coefficients, &mut report)?;
        check_finite(model, &state.x, &stage.a)?;
        for i in 0..model.dofs() {
            state.x[i] += h * state.v[i] + h * h * ((0.5 - *beta) * a[i] + *beta * stage.a[i]);
            state.v[i] += h * ((1.0 - *gamma) * a[i] + *gamma * stage.a[i]);
        }
        std::mem::swap(a, &mut stage.a);
        state.t += h;
        model.place(state.t, &mut state.x, &mut state.v);
        Ok(report)
    }

    fn forget(&mut self) {
        self.known = false;
    }

    fn memory(&self) -> Vec<f64> {
        join(if self.known { self.a.clone() } else { Vec::new() }, self.stage.memory())
    }

    fn recall(&mut self, memory: &[f64]) -> bool {
        self.forget();
        self.stage.recall(&[]);
        let Some((own, system)) = split(memory) else { return false };
        let is_known = own.len() == self.a.len();
        if !(is_known || own.is_empty()) || !self.stage.recall(system) {
            return false;
        }
        self.known = is_known;
        if is_known {
            self.a.copy_from_slice(own);
        }
        true
    }
}
