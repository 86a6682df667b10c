//! Linearly implicit Euler: backward Euler with the force linearised once per step.
//!
//!   (M + h D + h^2 K) dv = h (f - D v - h K v),   v+ = v + dv,   x+ = x + h v+       at the current position x
//!   (M + h D + h^2 K) dv = h (f - D v)                                               at the predicted position x + h v
//!
//! `linearise_at` chooses where force f and stiffness K are evaluated, including the K of D = alpha M + beta K (unless
//! that is the stiffness at rest). At x (Baraff, Witkin 1998) is the default. At x + h v it is the first iteration of
//! Newton's method for backward Euler that starts from v+ = v, if the stiffness is exact: the SI of the programs of Chen et
//! al. 2020, which fails in that paper's figures 5 and 7, because x + h v may have inverted elements where x has none. On
//! linear bodies both are backward Euler.
//!
//! In both, loads are those of the end of the step. A scripted node is at its position of the end of the step: the
//! force at x + h v includes it there; at x it acts through K by its displacement, where a free node has h v. In the
//! literature the method is also called "SI" or "semi-implicit Euler", which elsewhere means symplectic Euler; hence
//! the long name.
//!
//! Along a line a step turns a body only by stretching it, and the stress of that keeps a stiff body from turning further. By
//! default K leaves it out (`last_step.rs`, `docs/turning.md`).
//!
//! `solver_iterations` limits the iterations of conjugate gradients: a step then uses their last iterate, which no
//! longer balances forces to `solver_tolerance`. With far too few iterations a stiff body is too soft, as with few
//! passes of small steps.
//!
//! Cost per step: one force, one assembly, one solve with a stored factor (`numerics::linear::stale`). Many small bodies of few
//! shapes are taken side by side, each in the cache (`side_by_side.rs`).
//! Properties: first order; damps like backward Euler. Fails when the matrix is indefinite or one
//! linearisation overshoots a large rotation: elements invert. Use the projected stiffness, a
//! smaller step, or backward Euler.
//! Citation: Baraff, Witkin 1998.

use crate::field::Words;
use crate::last_step::LastStep;
use crate::linear_system::{self, LinearSystem};
use crate::method::{EnergyBehaviour, Family, Method, RESPONSIVE_AND_VISCOUS};
use crate::one_mode;
use crate::options::{Options, Setting};
use crate::side_by_side::SideBySide;
use crate::stepper::{Response, StepError, StepReport, Stepper, check_finite};
use model::parameter::{Kind, Parameter, Preset};
use model::{Model, State};
use numerics::interrupt;
use numerics::linear::{LinearError, SolverKind, Work};

/// The facts of linearly-implicit-euler.
pub(crate) const METHOD: Method = Method {
    name: "linearly-implicit-euler",
    aliases: &["si"],
    description: "backward Euler with one linearisation per step",
    citation: "Baraff, Witkin 1998",
    order: 1,
    exact_on_linear: false,
    energy: EnergyBehaviour::Damps,
    family: Family::Implicit,
    parameters: &[
        LINEARISE_AT.parameter,
        linear_system::SOLVER.parameter,
        linear_system::SOLVER_TOLERANCE.parameter,
        linear_system::SOLVER_ITERATIONS.parameter,
    ],
    one_mode: one_mode::IMPLICIT_EULER,
    keeps_factor: true,
    linearises_once: true,
    has_explicit_regions: false,
    conserves_momentum: |_| true,
    serves: RESPONSIVE_AND_VISCOUS,
    make: |model, options| Ok(Box::new(Bodies::new(model, options)?)),
};

/// Position at which linearly implicit Euler evaluates force and stiffness.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LineariseAt {
    /// At the beginning of the step.
    Current,
    /// At its end if nothing accelerated: one Newton iteration of backward Euler from there.
    Predicted,
}

impl Words for LineariseAt {
    const WORDS: &'static [(&'static str, LineariseAt)] =
        &[("current", LineariseAt::Current), ("predicted", LineariseAt::Predicted)];
}

/// Position at which linearly implicit Euler evaluates force and stiffness.
pub const LINEARISE_AT: Setting<LineariseAt> = Setting::new(Parameter {
    name: "linearise_at",
    kind: Kind::Word { choices: LineariseAt::CHOICES },
    default: Preset::Word("current"),
    doc: "position at which force and stiffness are evaluated: the beginning of the step, or x + h v, which is one Newton iteration of backward Euler from v+ = v (the SI of Chen et al. 2020)",
    unit: "",
});

/// The method for any model: bodies side by side where they are many and small, else and where that fails all at once.
struct Bodies {
    options: Options,
    many: Option<SideBySide>,
    /// Made when first needed, because it takes far more memory.
    whole: Option<LinearlyImplicitEuler>,
    /// Matrix of bodies side by side that respond to impulses; made when first needed.
    responding: Option<LinearlyImplicitEuler>,
    dv: Vec<f64>,
}

impl Bodies {
    fn new(model: &Model, options: &Options) -> Result<Bodies, LinearError> {
        let knows = matches!(options.get(&linear_system::SOLVER), SolverKind::Auto | SolverKind::Components);
        let is_current = options.get(&LINEARISE_AT) == LineariseAt::Current;
        let many = (knows && is_current).then(|| SideBySide::new(model)).flatten();
        let whole = if many.is_none() { Some(LinearlyImplicitEuler::new(model, options)?) } else { None };
        let dv = vec![0.0; if many.is_some() { model.dofs() } else { 0 }];
        Ok(Bodies { options: options.clone(), many, whole, responding: None, dv })
    }
}

impl Stepper for Bodies {
    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let failed = |error| StepError::linear(model, error);
        let mut report = StepReport::default();
        if let Some(many) = &mut self.many {
            interrupt::check().map_err(|error| failed(error.into()))?;
            report.assemblies += 1;
            report.forces += 1;
            report.linear += Work { factorisations: 1, solves: 1, ..Work::default() };
            if many.step(model, state, h, &mut self.dv) {
                return Ok(report);
            }
        }
        let whole = match &mut self.whole {
            Some(whole) => whole,
            None => self.whole.insert(LinearlyImplicitEuler::new(model, &self.options).map_err(failed)?),
        };
        report.add(&whole.step(model, state, h)?);
        Ok(report)
    }

    fn response(&mut self, model: &Model, before: &State, h: f64) -> Result<Option<&mut dyn Response>, StepError> {
        if self.many.is_none() {
            return Ok(self.whole.as_mut().map(|whole| &mut whole.system as &mut dyn Response));
        }
        let failed = |error| StepError::linear(model, error);
        if self.responding.is_none() {
            // A solver without memory: a run continues from its state alone.
            let options = self.options.clone().with(&linear_system::SOLVER, SolverKind::Components);
            self.responding = Some(LinearlyImplicitEuler::new(model, &options).map_err(failed)?);
        }
        let Some(LinearlyImplicitEuler { system, last_step, .. }) = &mut self.responding else { return Ok(None) };
        let mut report = StepReport::default();
        last_step.take(h, &before.v);
        system.assemble(model, model.stiffness_kind(), last_step.to(&before.x), &mut report);
        system.prepare(model, [1.0, h, h * h], None, &mut report).map_err(failed)?;
        Ok(Some(system))
    }

    fn memory(&self) -> Vec<f64> {
        self.whole.as_ref().map(Stepper::memory).unwrap_or_default()
    }

    fn recall(&mut self, memory: &[f64]) -> bool {
        self.whole.as_mut().map_or(memory.is_empty(), |whole| whole.recall(memory))
    }
}

pub(crate) struct LinearlyImplicitEuler {
    pub system: LinearSystem,
    linearise_at: LineariseAt,
    dv: Vec<f64>,
    /// Position of each node at the end of the step if nothing accelerates it, or its displacement [m].
    ahead: Vec<f64>,
    /// Velocities, those of scripted nodes at the end of the step.
    v: Vec<f64>,
    last_step: LastStep,
}

impl LinearlyImplicitEuler {
    pub fn new(model: &Model, options: &Options) -> Result<LinearlyImplicitEuler, LinearError> {
        let all = vec![0.0; 3 * model.nodes()];
        let system = LinearSystem::new(model, options)?;
        let linearise_at = options.get(&LINEARISE_AT);
        let (dv, ahead, last_step) = (vec![0.0; model.dofs()], all.clone(), LastStep::new(model));
        Ok(LinearlyImplicitEuler { system, linearise_at, dv, ahead, v: all, last_step })
    }
}

impl Stepper for LinearlyImplicitEuler {
    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let mut report = StepReport::default();
        let LinearlyImplicitEuler { system, linearise_at, dv, ahead, v, last_step } = self;
        let dofs = model.dofs();
        let t = state.t + h;
        let x = &state.x;
        v.copy_from_slice(&state.v);
        ahead.copy_from_slice(x);
        model.place(t, ahead, v);
        let is_predicted = *linearise_at == LineariseAt::Predicted;
        if is_predicted {
            ahead[..dofs].iter_mut().zip(&*v).for_each(|(x, v)| *x += h * v);
        }
        let at: &[f64] = if is_predicted { ahead } else { x };

        // The matrix.
        // Two linear steps in a row lead to x + h v, so that their stretches, which are squares of turns, add up.
        last_step.take(if is_predicted { h * std::f64::consts::SQRT_2 } else { h }, &state.v);
        system.assemble(model, model.stiffness_kind(), last_step.to(at), &mut report);

        // Right-hand side: h times the force at the predicted position, or its linearisation at x.
        model.static_force(t, at, dv);
        report.forces += 1;
        check_finite(model, at, dv)?;
        if !is_predicted && model.is_scripted() {
            for i in 0..ahead.len() {
                ahead[i] = if i < dofs { h * v[i] } else { ahead[i] - x[i] };
            }
            model.add_stiffness_times(-1.0, last_step.to(x), ahead, dv);
        } else if !is_predicted {
            system.stiffness.multiply_add(-h, &v[..dofs], dv);
        }
        let at: &[f64] = if is_predicted { ahead } else { x };
        model.add_damping_force(last_step.to(at), v, Some(&system.stiffness), dv);
        system.hold_drag(model, at, &mut report)?;
        if let Some(drag) = &mut system.drag {
            drag.add_force(v, dv);
        }
        dv.iter_mut().for_each(|dv| *dv *= h);

        let solved = system.prepare_in_place(model, [1.0, h, h * h], &mut report);
        let solved = solved.and_then(|()| {
            system.begin(dv, &mut report);
            system.finish(0.0, dv, None, &mut report)
        });
        solved.map_err(|error| StepError::linear(model, error))?;
        check_finite(model, x, dv)?;

        for i in 0..dofs {
            state.v[i] += dv[i];
            state.x[i] += h * state.v[i];
        }
        state.t = t;
        model.place(t, &mut state.x, &mut state.v);
        Ok(report)
    }

    fn memory(&self) -> Vec<f64> {
        self.system.memory()
    }

    fn recall(&mut self, memory: &[f64]) -> bool {
        self.system.recall(memory)
    }
}
