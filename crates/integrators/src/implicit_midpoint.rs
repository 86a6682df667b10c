//! Implicit midpoint.
//!
//!   M a = f(t + h/2, x + h/2 vm, vm),  vm = v + h/2 a;   x+ = x + h vm,  v+ = v + h a
//!
//! Cost per step: as backward Euler. Properties: second order, symplectic, conserves quadratic
//! invariants (momenta), damps nothing. Fails when Newton stalls; fast modes ring with the step.
//! In Stokes flow positions follow vm, which forces alone decide. v+ is then vm as well: 2 vm - v would repeat any difference from
//! the balance, with changing sign, for ever. The first step is one of backward Euler, so that stiff springs begin in balance.
//! Citation: Hairer, Lubich, Wanner 2006, ch. VI.

use crate::backward_euler;
use crate::linear_system::{join, split};
use crate::method::{EnergyBehaviour, Family, Method, VISCOUS};
use crate::one_mode;
use crate::options::Options;
use crate::stage::{Coefficients, NEWTON, Stage};
use crate::stepper::{StepError, StepReport, Stepper, check_finite};
use model::{Model, State};
use numerics::linear::LinearError;

/// The facts of implicit-midpoint.
pub(crate) const METHOD: Method = Method {
    name: "implicit-midpoint",
    aliases: &["im"],
    description: "symplectic, second order, no artificial damping",
    citation: "Hairer, Lubich, Wanner 2006, ch. VI",
    order: 2,
    exact_on_linear: false,
    energy: EnergyBehaviour::Conserves,
    family: Family::Implicit,
    parameters: NEWTON,
    one_mode: one_mode::UNDAMPED,
    keeps_factor: true,
    linearises_once: false,
    has_explicit_regions: false,
    conserves_momentum: |_| true,
    serves: VISCOUS,
    make: |model, options| Ok(Box::new(ImplicitMidpoint::new(model, options)?)),
};

pub(crate) struct ImplicitMidpoint {
    pub stage: Stage,
    /// In Stokes flow: velocities are those that forces ask for.
    is_balanced: bool,
}

impl ImplicitMidpoint {
    pub fn new(model: &Model, options: &Options) -> Result<ImplicitMidpoint, LinearError> {
        Ok(ImplicitMidpoint { stage: Stage::new(model, options, 2)?, is_balanced: false })
    }
}

/// Takes one step of implicit midpoint on a stage; BDF2 starts with it.
pub(crate) fn step(
    stage: &mut Stage,
    model: &Model,
    state: &mut State,
    h: f64,
    report: &mut StepReport,
) -> Result<(), StepError> {
    let half = 0.5 * h;
    for i in 0..model.dofs() {
        stage.x_hat[i] = state.x[i] + half * state.v[i];
        stage.v_hat[i] = state.v[i];
    }
    let coefficients = Coefficients { t: state.t + half, mass: 1.0, position: half * half, velocity: half };
    stage.solve(model, state, coefficients, report)?;
    check_finite(model, &state.x, &stage.a)?;
    for i in 0..model.dofs() {
        state.x[i] += h * (state.v[i] + half * stage.a[i]);
        state.v[i] += h * stage.a[i];
    }
    state.t += h;
    model.place(state.t, &mut state.x, &mut state.v);
    Ok(())
}

impl Stepper for ImplicitMidpoint {
    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let mut report = StepReport::default();
        let is_viscous = self.stage.system.drag.is_some();
        if is_viscous && !self.is_balanced {
            backward_euler::whole_step(&mut self.stage, model, state, h, &mut report)?;
        } else {
            step(&mut self.stage, model, state, h, &mut report)?;
        }
        if is_viscous && self.is_balanced {
            state.v.iter_mut().zip(&self.stage.v_hat).for_each(|(v, before)| *v = 0.5 * (*v + before));
        }
        self.is_balanced = is_viscous;
        Ok(report)
    }

    fn forget(&mut self) {
        self.is_balanced = false;
    }

    fn memory(&self) -> Vec<f64> {
        if self.is_balanced { join(vec![1.0], self.stage.memory()) } else { self.stage.memory() }
    }

    fn recall(&mut self, memory: &[f64]) -> bool {
        self.forget();
        if self.stage.system.drag.is_none() || memory.is_empty() {
            return self.stage.recall(memory);
        }
        self.stage.recall(&[]);
        match split(memory) {
            Some(([1.0], system)) => self.is_balanced = self.stage.recall(system),
            _ => return false,
        }
        self.is_balanced
    }
}
