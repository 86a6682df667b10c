//! SIERE: exponential Rosenbrock-Euler for the s modes nearest to zero, linearly implicit Euler for the rest.
//!
//! With K U = M U Lam, U^T M U = I the modes of the stiffness at the start of the step, w = U^T M v and g = U^T f,
//!
//!   dv_H = Q A^-1 h (f - h K v),    A = M + h D + h^2 K,    Q = I - U U^T M
//!   v+ = v + dv_H + U dv_r,         x+ = x + h (v - U w + dv_H) + U dx_r
//!   dx_r = (S + d R) w + R g,       dv_r = S g - lam R w      mode by mode
//!
//! where S and R are the responses of y'' + d y' + lam y = 0 to an impulse and to a constant load over the step, for
//! any sign of lam, and d = alpha + beta max(lam, 0). This is eq. (5) with (10) of the paper: since P = U U^T M
//! commutes with M^-1 K and M^-1 D, the 2n x 2n system with its rank-s corrections decouples into one symmetric solve.
//! With damping by the stiffness at rest it does not: see `at_rest`.
//!
//! The solve with f - h K v is part of the block solve that updates the modes, so that the factor is read once. The
//! alternative is to remove the modal part from the right-hand side first, A dv_H = h (Q^T f - h K (v - U w)). It is
//! the same for exact modes, needs a second solve, and is no better for approximate ones: over 60 steps of a swinging
//! bar it was 1.3 to 2.5 times further from the trajectory with converged modes (a test prints both). It is used where
//! a captured mode makes A nearly singular, |1 + h d + h^2 lam| < 1e-3, and rounding would dominate the plain solution.
//!
//! Modes are carried from step to step, rotated with the body (`numerics::rotation`), and improved by passes of block
//! Davidson (`numerics::modes`) until they are within `modes_tolerance` [rad] of the exact ones. The change that siere
//! makes to linearly implicit Euler, for short steps h^2/2 M^-1 K P v, is as accurate as they are. The coupling of
//! inexact modes to the rest, U^T K v - Lam w, acts as a ramp.
//!
//! All of it is done in frames that turn with the bodies over the step (`turning`): x, v and f are those seen from them. K is without
//! the stress that the last step has caused by turning parts of a body against its frame, as in linearly implicit Euler
//! (`last_step.rs`), and modes that the step does not resolve while they turn are left to the rest.
//!
//! `capture` chooses the captured modes. The search finds the lowest ones. Where the stiffness is indefinite, modes far
//! below zero are found in addition, and passed over.
//!
//! Where there are many small bodies, modes are those of each body: see `components`.
//!
//! Loads are those of the end of the step; the displacement of scripted nodes acts as a ramp on the modes. With s = 0
//! this is linearly implicit Euler, bit for bit; with s = n it is exponential Rosenbrock-Euler with loads of the end of
//! the step.
//!
//! Cost per step: that of linearly implicit Euler, one product of s + 3 columns with K, and for each pass of the search
//! a block solve, a product of s + 3 columns and thin products. There are zero to three passes, depending on how far
//! the body has moved; ten where modes are clustered, as on a truss bridge. Where the modes are not much slower than
//! the step, the first pass shares the sweep over the factor of the step; elsewhere there is a second factor
//! (`shifted`), which is kept.
//! Properties: first order; conserves the energy of the captured modes, damps all others like backward Euler. s counts
//! all modes: the six rigid motions of a free body are modes, so ask for six more (the authors' s counts without them).
//! It can fail wherever linearly implicit Euler fails. With `rest = "newton"` the rest is backward Euler, solved by Newton's
//! method (`newton_rest`): it survives more, keeps more energy, and costs as many assemblies as backward Euler.
//! Citation: Chen, Sheen, Ascher, Pai 2020.

pub(crate) mod at_rest;
mod capture;
mod components;
pub(crate) mod forces;
pub(crate) mod modal;
pub(crate) mod mode_search;
mod newton_rest;
mod parameters;
mod pencil;
mod rayleigh;
mod rigid;
mod shifted;
#[cfg(test)]
mod tests;
pub(crate) mod turning;

use crate::backward_euler::BackwardEuler;
use crate::halving::{HALVINGS, split_step};
use crate::linear_system::{self, LinearSystem, join, split};
use crate::linearly_implicit_euler::{LINEARISE_AT, LineariseAt, LinearlyImplicitEuler};
use crate::method::{EnergyBehaviour, Family, Method, RESPONSIVE};
use crate::one_mode::{self, OneMode};
use crate::options::Options;
use crate::stage;
use crate::stepper::{Response, StepError, StepReport, Stepper, check_finite};
use crate::turning_frame::FRAME;
use at_rest::DampedAtRest;
use components::Captured;
use forces::{Forces, Seen};
use mode_search::{ModeSearch, Rider, Steps};
use model::{Model, State};
use numerics::linear::LinearError;
pub use parameters::{MODES, MODES_TOLERANCE, Modes, REST, REST_RULE, Rest, RestRule};
use turning::Turning;

/// The facts of siere.
pub(crate) const METHOD: Method = Method {
    name: "siere",
    aliases: &[],
    description: "the slowest modes exactly, the rest by linearly implicit Euler",
    citation: "Chen, Sheen, Ascher, Pai 2020",
    order: 1,
    exact_on_linear: false,
    energy: EnergyBehaviour::Damps,
    family: Family::Exponential,
    parameters: &[
        MODES.parameter,
        MODES_TOLERANCE.parameter,
        REST.parameter,
        stage::TOLERANCE.parameter,
        stage::ITERATIONS.parameter,
        stage::LINE_SEARCH.parameter,
        stage::HESSIAN_CORRECTION.parameter,
        HALVINGS.parameter,
        FRAME.parameter,
        linear_system::SOLVER.parameter,
        linear_system::SOLVER_TOLERANCE.parameter,
    ],
    // For a captured mode; without captured modes, for all others.
    one_mode: OneMode {
        roots: one_mode::TWO,
        radius: |options, z| {
            let one =
                if options.get(&MODES) == Modes::Count(0) { one_mode::IMPLICIT_EULER } else { one_mode::UNDAMPED };
            (one.radius)(options, z)
        },
    },
    keeps_factor: true,
    linearises_once: true,
    has_explicit_regions: false,
    conserves_momentum: |_| true,
    serves: RESPONSIVE,
    make: |model, options| Ok(Box::new(Siere::new(model, options)?)),
};

/// Below this the plain solution has lost three digits of sixteen.
const NEARLY_SINGULAR: f64 = 1e-3;

pub(crate) struct Siere {
    rest: Implicit,
    damped_at_rest: Option<DampedAtRest>,
    /// Least |1 + h d + h^2 lam| of a captured mode for which the plain solution is used.
    nearly_singular: f64,
    search: ModeSearch,
    /// Instead of the search, where every component has its own modes.
    captured: Option<Captured>,
    forces: Forces,
    /// `None` in frames that are fixed in space.
    turning: Option<Turning>,
    scratch: Vec<f64>,
}

/// Method of the rest.
enum Implicit {
    Linear(Box<LinearlyImplicitEuler>),
    Newton(Box<BackwardEuler>),
}

impl Implicit {
    fn system(&mut self) -> &mut LinearSystem {
        match self {
            Implicit::Linear(euler) => &mut euler.system,
            Implicit::Newton(euler) => &mut euler.stage.system,
        }
    }
}

/// Data shared by the two kinds of damping.
struct Parts<'a> {
    model: &'a Model,
    /// Velocities of the free nodes, against their frames.
    v: &'a [f64],
    h: f64,
    /// Captured modes, side by side, and their eigenvalues.
    u: &'a [f64],
    values: &'a [f64],
    forces: &'a mut Forces,
    system: &'a mut LinearSystem,
    scratch: &'a mut Vec<f64>,
    report: &'a mut StepReport,
}

impl Siere {
    pub fn new(model: &Model, options: &Options) -> Result<Siere, LinearError> {
        let captured = Captured::new(model, options);
        // The modes of the whole are then of no use.
        let searched = if captured.is_some() { Modes::Count(0) } else { options.get(&MODES) };
        let search = ModeSearch::new(model, &options.clone().with(&MODES, searched))?;
        let is_newton = options.get(&REST) == Rest::Newton;
        let mut rest = match options.get(&REST) {
            Rest::Linear => {
                let options = options.clone().with(&LINEARISE_AT, LineariseAt::Current);
                Implicit::Linear(Box::new(LinearlyImplicitEuler::new(model, &options)?))
            }
            Rest::Newton => Implicit::Newton(Box::new(BackwardEuler::new(model, options)?)),
        };
        if !search.is_idle() {
            rest.system().expect_blocks();
        }
        Ok(Siere {
            rest,
            damped_at_rest: DampedAtRest::new(model),
            nearly_singular: NEARLY_SINGULAR,
            forces: Forces::new(model, search.is_idle() && captured.is_none(), is_newton),
            turning: if is_newton { None } else { Turning::new(model, options) },
            search,
            captured,
            scratch: Vec::new(),
        })
    }

    /// Restores the result of `memory`, or a part of it where the numbers are impossible, and returns false.
    fn take_up(&mut self, memory: &[f64]) -> bool {
        let Some((carried, memory)) = split(memory) else { return false };
        let is_turned = match &mut self.turning {
            Some(turning) => turning.recall(carried),
            None => carried.is_empty(),
        };
        if !is_turned {
            return false;
        }
        let Some(captured) = &mut self.captured else {
            return self.search.recall(memory, self.rest.system());
        };
        let Some((own, of_system)) = split(memory) else { return false };
        captured.recall(own) && self.rest.system().recall(of_system)
    }

    fn whole_step(
        &mut self,
        model: &Model,
        state: &mut State,
        h: f64,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let Siere { rest, damped_at_rest, nearly_singular, search, captured, forces, turning, scratch } = self;
        let n = model.dofs();
        let failed = |error| StepError::linear(model, error);
        let is_newton = matches!(rest, Implicit::Newton(_));
        let system = rest.system();
        let before = captured.as_ref().map_or(search.before(), |captured| &captured.before);
        let seen = Seen { before: Some(before), turning: turning.as_mut() };
        forces.linearise(system, model, state, h, seen, report)?;
        let velocities = turning.as_ref().map_or(&state.v[..], |turning| turning.velocities(&state.v));
        let v = &velocities[..n];
        system.prepare(model, [1.0, h, h * h], None, report).map_err(failed)?;
        if let Some(captured) = captured {
            system.begin(&mut forces.solution, report);
            system.finish(0.0, &mut forces.solution, None, report).map_err(failed)?;
            let (u, values) = (&[][..], &[][..]);
            captured.change(Parts { model, v, h, u, values, forces, system, scratch, report });
            check_finite(model, &state.x, &forces.change)?;
            captured.keep(&state.x[..n]);
            advance(model, turning, state, h, &forces.change);
            return Ok(());
        }
        // The linear rest does not use the solution where damping is by the stiffness at rest, but the work to find it
        // shows the quality of the factor.
        let is_riding = is_newton || damped_at_rest.is_none() || !system.is_exact();
        let Forces { solution, near, last_step, .. } = &mut *forces;
        let rider = is_riding.then_some(Rider { solution, near });
        last_step.take(h, velocities);
        let turn = || last_step.turn(model, &state.x);
        search.find(model, system, &state.x, Steps { h, implicit: h, turn: &turn }, rider, report).map_err(failed)?;
        let (u, values) = search.captured(n, report);

        match rest {
            Implicit::Newton(euler) => {
                let stage = &mut euler.stage;
                let damped = damped_at_rest.as_mut();
                newton_rest::change(
                    newton_rest::Parts { model, state, h, u, values, forces, scratch },
                    stage,
                    damped,
                    report,
                )?;
            }
            Implicit::Linear(euler) => {
                let system = &mut euler.system;
                let parts = Parts { model, v, h, u, values, forces, system, scratch, report };
                match damped_at_rest {
                    Some(damped) => damped.change(parts),
                    None => rayleigh::change(parts, *nearly_singular),
                }
                .map_err(failed)?;
            }
        }
        check_finite(model, &state.x, &forces.change)?;
        search.keep(&state.x[..n], h);
        advance(model, turning, state, h, &forces.change);
        Ok(())
    }
}

/// Adds the change of positions and velocities, side by side.
fn advance(model: &Model, turning: &mut Option<Turning>, state: &mut State, h: f64, change: &[f64]) {
    if turning.as_mut().is_some_and(|turning| turning.advance(model, state, h, change)) {
        return;
    }
    let n = model.dofs();
    for i in 0..n {
        state.x[i] += change[i];
        state.v[i] += change[n + i];
    }
    state.t += h;
    model.place(state.t, &mut state.x, &mut state.v);
}

impl Stepper for Siere {
    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        if self.search.is_idle() && self.captured.is_none() {
            return match &mut self.rest {
                Implicit::Linear(euler) => euler.step(model, state, h),
                Implicit::Newton(euler) => euler.step(model, state, h),
            };
        }
        let mut report = StepReport::default();
        let mut halvings = 0;
        if let Implicit::Newton(euler) = &mut self.rest {
            halvings = euler.halvings;
            euler.before.clone_from(state);
        }
        let mut whole = |state: &mut State, h: f64, report: &mut StepReport| self.whole_step(model, state, h, report);
        let result = split_step(&mut whole, state, h, halvings, &mut report);
        if let (Err(_), Implicit::Newton(euler)) = (&result, &self.rest) {
            // The first half may have succeeded.
            state.clone_from(&euler.before);
        }
        result.map(|()| report)
    }

    fn response(&mut self, _: &Model, _: &State, _: f64) -> Result<Option<&mut dyn Response>, StepError> {
        Ok(Some(self.rest.system()))
    }

    fn disturb(&mut self) {
        // The modes are still a good start for those of the next step.
        if let Some(captured) = &mut self.captured {
            captured.forget();
        }
        if let Some(turning) = &mut self.turning {
            turning.recall(&[]);
        }
    }

    fn forget(&mut self) {
        self.search.forget();
        if let Some(captured) = &mut self.captured {
            captured.forget();
        }
        if let Some(turning) = &mut self.turning {
            turning.recall(&[]);
        }
    }

    fn memory(&self) -> Vec<f64> {
        let system = match &self.rest {
            Implicit::Linear(euler) => euler.memory(),
            Implicit::Newton(euler) => euler.memory(),
        };
        let carried = self.turning.as_ref().and_then(Turning::before).unwrap_or_default();
        let modes = match &self.captured {
            Some(captured) => join(captured.memory(), system),
            None => self.search.memory(system),
        };
        join(carried.to_vec(), modes)
    }

    fn recall(&mut self, memory: &[f64]) -> bool {
        self.take_up(memory) || {
            self.take_up(&[]);
            false
        }
    }
}
