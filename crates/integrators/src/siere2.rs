//! The second-order sibling of siere: the slowest modes exactly, the rest by TR-BDF2 or implicit midpoint.
//!
//! With the modes U of the stiffness at the start of the step, U^T M U = I, P = U U^T M and Q = I - P, the equations of
//! motion u' = F(u), u = (x, v), are split into G = P F and H = Q F:
//!
//!   midpoint:  u+ = u + D(h) + h H((u + u+) / 2)
//!   TR-BDF2:   u_g = u + D(g h) + g h / 2 (H(u) + H(u_g)),    g = 2 - sqrt 2
//!              u+ - D(h) = w1 (u_g - D(g h)) - w0 u + g h / 2 H(u+)
//!
//! where D(t) is the motion of the modes alone, y'' + D_r (y' - w) + Lam y = g + t r, in closed form (`siere::modal`). The
//! implicit equations are those of `stage` in the complement of the modes.
//!
//! Second order needs P J F as well, J = F': what the rest does to the modes, the curvature of the body, loads that
//! change. All of it is the difference between the force on the modes at the implicit stage, which Newton's method has
//! computed there, and the force by which D moved them. D(h) includes it, as a constant (midpoint) or as a ramp
//! (TR-BDF2). So any matrix will do for K: inexact modes, and the turned or projected stiffness, keep the order.
//!
//! Cost per step: that of implicit midpoint or TR-BDF2, and of finding the modes as in siere. Newton's first iteration
//! and the search share the matrix at the start of the step.
//! Properties: second order; damps a captured mode by its nonlinearity only, all others like the method of the rest.
//! Without modes it is tr-bdf2 or implicit-midpoint, bit for bit. Fails when Newton stalls, or where a captured mode is not
//! resolved by the step (docs/turning.md).

use crate::implicit_midpoint::ImplicitMidpoint;
use crate::linear_system::{self, LinearSystem};
use crate::method::{ELASTIC, EnergyBehaviour, Family, Method};
use crate::one_mode::{self, OneMode};
use crate::options::Options;
use crate::siere::at_rest::DampedAtRest;
use crate::siere::forces::{Forces, Seen};
use crate::siere::modal::Modal;
use crate::siere::mode_search::{ModeSearch, Rider, Steps};
use crate::siere::{MODES, MODES_TOLERANCE, Modes, REST_RULE, RestRule};
use crate::stage::{self, Coefficients, Stage};
use crate::stepper::{StepError, StepReport, Stepper, check_finite};
use crate::tr_bdf2::{self, G, TrBdf2, WEIGHTS};
use model::{Model, State};
use numerics::linear::LinearError;
use numerics::modes::{add_combinations, inner_products};

/// The facts of siere2.
pub(crate) const METHOD: Method = Method {
    name: "siere2",
    aliases: &[],
    description: "the slowest modes exactly, the rest by TR-BDF2: second order",
    citation: "after Chen, Sheen, Ascher, Pai 2020",
    order: 2,
    exact_on_linear: false,
    energy: EnergyBehaviour::Damps,
    family: Family::Exponential,
    parameters: &[
        MODES.parameter,
        MODES_TOLERANCE.parameter,
        REST_RULE.parameter,
        stage::TOLERANCE.parameter,
        stage::ITERATIONS.parameter,
        stage::LINE_SEARCH.parameter,
        stage::HESSIAN_CORRECTION.parameter,
        linear_system::SOLVER.parameter,
        linear_system::SOLVER_TOLERANCE.parameter,
    ],
    // For a captured mode; without captured modes, for all others.
    one_mode: OneMode {
        roots: one_mode::TWO,
        radius: |options, z| {
            let one = match (options.get(&MODES), options.get(&REST_RULE)) {
                (Modes::Count(0), RestRule::TrBdf2) => tr_bdf2::METHOD.one_mode,
                _ => one_mode::UNDAMPED,
            };
            (one.radius)(options, z)
        },
    },
    keeps_factor: true,
    linearises_once: false,
    has_explicit_regions: false,
    conserves_momentum: |_| true,
    serves: ELASTIC,
    make: |model, options| Ok(Box::new(Siere2::new(model, options)?)),
};

pub(crate) struct Siere2 {
    rest: Implicit,
    damped_at_rest: Option<DampedAtRest>,
    search: ModeSearch,
    forces: Forces,
    /// Force at the start of the step [N].
    start: Vec<f64>,
    scratch: Vec<f64>,
}

/// Method of the rest.
enum Implicit {
    Midpoint(ImplicitMidpoint),
    TrBdf2(TrBdf2),
}

impl Implicit {
    fn stage(&mut self) -> &mut Stage {
        match self {
            Implicit::Midpoint(midpoint) => &mut midpoint.stage,
            Implicit::TrBdf2(tr_bdf2) => &mut tr_bdf2.stage,
        }
    }

    fn system(&mut self) -> &mut LinearSystem {
        &mut self.stage().system
    }
}

impl Siere2 {
    pub fn new(model: &Model, options: &Options) -> Result<Siere2, LinearError> {
        let search = ModeSearch::new(model, options)?;
        let mut rest = match options.get(&REST_RULE) {
            RestRule::Midpoint => Implicit::Midpoint(ImplicitMidpoint::new(model, options)?),
            RestRule::TrBdf2 => Implicit::TrBdf2(TrBdf2::new(model, options)?),
        };
        if !search.is_idle() {
            rest.system().expect_blocks();
        }
        let is_tr = matches!(rest, Implicit::TrBdf2(_)) && !search.is_idle();
        Ok(Siere2 {
            rest,
            damped_at_rest: DampedAtRest::new(model),
            forces: Forces::new(model, search.is_idle(), true),
            search,
            start: vec![0.0; if is_tr { model.dofs() } else { 0 }],
            scratch: Vec::new(),
        })
    }

    /// Finds the modes, and solves the right-hand side in `forces.solution` with M + q D + q^2 K.
    fn find(
        &mut self,
        model: &Model,
        state: &State,
        [h, q]: [f64; 2],
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let failed = |error| StepError::linear(model, error);
        let system = self.rest.system();
        system.prepare(model, [1.0, q, q * q], None, report).map_err(failed)?;
        let Forces { solution, near, last_step, .. } = &mut self.forces;
        let rider = Some(Rider { solution, near });
        last_step.take(h, &state.v);
        let turn = || last_step.turn(model, &state.x);
        self.search.find(model, system, &state.x, Steps { h, implicit: q, turn: &turn }, rider, report).map_err(failed)
    }

    /// Computes the change of positions and velocities with the rest by implicit midpoint.
    fn midpoint(&mut self, model: &Model, state: &State, h: f64, report: &mut StepReport) -> Result<(), StepError> {
        let (n, q) = (model.dofs(), 0.5 * h);
        self.forces.linearise(self.rest.system(), model, state, q, Seen::default(), report)?;
        self.find(model, state, [h, q], report)?;
        let Siere2 { rest, damped_at_rest, search, forces, scratch, .. } = self;
        let (u, values) = search.captured(n, report);
        let among = damped_at_rest.as_mut().map(|damped| damped.among(model, u, scratch));
        let mut modal = Modal::new(model, [u, values], forces, q, among, scratch);
        let w = modal.w.clone();

        let half = modal.motion(q);
        let Forces { change, solution, .. } = forces;
        combine(u, [&half.dx, &w], [1.0, -q], &mut change[..n], n);
        combine(u, [&half.dv], [1.0], &mut change[n..], n);
        let stage = rest.stage();
        stage.captured.set(model, u);
        for i in 0..n {
            stage.x_hat[i] = state.x[i] + q * state.v[i] + change[i];
            stage.v_hat[i] = state.v[i] + change[n + i];
            stage.a[i] = solution[i] / q;
        }
        let coefficients = Coefficients { t: state.t + q, mass: 1.0, position: q * q, velocity: q };
        stage.solve_from_guess(model, state, coefficients, report)?;
        check_finite(model, &state.x, &stage.a)?;

        // The modes, with the force on them at the midpoint.
        modal.add_force(&remainder(stage, &modal.force(q, &half)));
        let whole = modal.motion(h);
        combine(u, [&whole.dx, &w], [1.0, -h], &mut change[..n], n);
        combine(u, [&whole.dv], [1.0], &mut change[n..], n);
        for i in 0..n {
            change[i] += h * (state.v[i] + q * stage.a[i]);
            change[n + i] += h * stage.a[i];
        }
        Ok(())
    }

    /// Computes the change of positions and velocities with the rest by TR-BDF2.
    fn tr_bdf2(&mut self, model: &Model, state: &State, h: f64, report: &mut StepReport) -> Result<(), StepError> {
        let (n, q) = (model.dofs(), 0.5 * G * h);
        let inner = 2.0 * q;
        let Implicit::TrBdf2(tr_bdf2) = &mut self.rest else { return Ok(()) };
        model.force(state.t, &state.x, &state.v, &mut self.start);
        report.forces += 1;
        check_finite(model, &state.x, &self.start)?;
        tr_bdf2.a.copy_from_slice(&self.start);
        let divided = tr_bdf2.acceleration.divide(model, &mut tr_bdf2.a, 1, &mut report.linear);
        divided.map_err(|error| StepError::linear(model, error))?;

        // A linear guess: (M + q D + q^2 K) (a1 + a0) = f - g h K v + M a0 for the stage's loads, apart from the modes.
        self.forces.linearise(&mut tr_bdf2.stage.system, model, state, inner, Seen::default(), report)?;
        for (solution, start) in self.forces.solution.iter_mut().zip(&self.start) {
            *solution = *solution / inner + start;
        }
        self.find(model, state, [h, q], report)?;

        let Siere2 { rest, damped_at_rest, search, forces, start, scratch } = self;
        let Implicit::TrBdf2(TrBdf2 { stage, a, inside, .. }) = rest else { return Ok(()) };
        let (u, values) = search.captured(n, report);
        let among = damped_at_rest.as_mut().map(|damped| damped.among(model, u, scratch));
        let mut modal = Modal::new(model, [u, values], forces, inner, among, scratch);
        let w = modal.w.clone();
        // The force at the start of the step, where the linearisation has the loads of the stage.
        let g = if values.is_empty() { Vec::new() } else { inner_products(u, start, n, scratch) };
        let of_stage = if values.is_empty() { Vec::new() } else { inner_products(u, &forces.force, n, scratch) };
        modal.add_force(&g.iter().zip(&of_stage).map(|(g, of_stage)| g - of_stage).collect::<Vec<_>>());

        // The trapezoidal rule.
        let first = modal.motion(inner);
        let Forces { change, solution, .. } = forces;
        combine(u, [&first.dx, &w, &g], [1.0, -inner, -q * q], &mut change[..n], n);
        combine(u, [&first.dv, &g], [1.0, -q], &mut change[n..], n);
        stage.captured.set(model, u);
        for i in 0..n {
            stage.x_hat[i] = state.x[i] + inner * state.v[i] + q * q * a[i] + change[i];
            stage.v_hat[i] = state.v[i] + q * a[i] + change[n + i];
            stage.a[i] = solution[i] - a[i];
        }
        let coefficients = Coefficients { t: state.t + inner, mass: 1.0, position: q * q, velocity: q };
        stage.solve_from_guess(model, state, coefficients, report)?;
        check_finite(model, &state.x, &stage.a)?;
        inside.clone_from(state);
        tr_bdf2::take(stage, inside, q);
        inside.t = coefficients.t;
        model.place(inside.t, &mut inside.x, &mut inside.v);

        // The modes, with the force on them there.
        let rest_of_force = remainder(stage, &modal.force(inner, &first));
        modal.rate.iter_mut().zip(&rest_of_force).for_each(|(rate, force)| *rate += force / inner);
        let whole = modal.motion(h);

        // Backward differentiation, from the acceleration of the first stage.
        let [w1, w0] = WEIGHTS;
        combine(u, [&whole.dv, &first.dv], [1.0, -w1], &mut change[n..], n);
        combine(u, [&whole.dx, &first.dx, &w, &whole.dv], [1.0, -w1, -q, -q], &mut change[..n], n);
        for i in 0..n {
            stage.v_hat[i] = w1 * inside.v[i] - w0 * state.v[i] + change[n + i];
            stage.x_hat[i] = w1 * inside.x[i] - w0 * state.x[i] + q * stage.v_hat[i] + change[i];
        }
        stage.solve_from_guess(model, inside, Coefficients { t: state.t + h, ..coefficients }, report)?;
        check_finite(model, &inside.x, &stage.a)?;
        for i in 0..n {
            change[i] = stage.x_hat[i] + q * q * stage.a[i] - state.x[i];
            change[n + i] = stage.v_hat[i] + q * stage.a[i] - state.v[i];
        }
        Ok(())
    }
}

/// Overwrites y with the sum of U c_k by factors.
fn combine<const N: usize>(u: &[f64], c: [&[f64]; N], factors: [f64; N], y: &mut [f64], n: usize) {
    y.fill(0.0);
    let sum = |k: usize| c.iter().zip(factors).map(|(c, factor)| factor * c[k]).sum();
    let sums: Vec<f64> = (0..u.len() / n.max(1)).map(sum).collect();
    if !sums.is_empty() {
        add_combinations(u, &sums, y, n);
    }
}

/// Returns the force on the modes at the solution of the stage, without that of the linearised body.
fn remainder(stage: &Stage, linearised: &[f64]) -> Vec<f64> {
    // Captured modes have no acceleration in the stage: what is left of their residual is minus the force.
    stage.captured.left.iter().zip(linearised).map(|(left, linearised)| -left - linearised).collect()
}

impl Stepper for Siere2 {
    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let mut report = StepReport::default();
        let is_idle = self.search.is_idle();
        match &mut self.rest {
            Implicit::Midpoint(midpoint) if is_idle => return midpoint.step(model, state, h),
            Implicit::TrBdf2(tr_bdf2) if is_idle => return tr_bdf2.step(model, state, h),
            Implicit::Midpoint(_) => self.midpoint(model, state, h, &mut report)?,
            Implicit::TrBdf2(_) => self.tr_bdf2(model, state, h, &mut report)?,
        }
        let (n, change) = (model.dofs(), &self.forces.change);
        check_finite(model, &state.x, change)?;
        self.search.keep(&state.x[..n], h);
        for i in 0..n {
            state.x[i] += change[i];
            state.v[i] += change[n + i];
        }
        state.t += h;
        model.place(state.t, &mut state.x, &mut state.v);
        Ok(report)
    }

    fn disturb(&mut self) {
        // The modes are still a good start for those of the next step.
    }

    fn forget(&mut self) {
        self.search.forget();
    }

    fn memory(&self) -> Vec<f64> {
        let system = match &self.rest {
            Implicit::Midpoint(midpoint) => midpoint.memory(),
            Implicit::TrBdf2(tr_bdf2) => tr_bdf2.memory(),
        };
        self.search.memory(system)
    }

    fn recall(&mut self, memory: &[f64]) -> bool {
        self.search.recall(memory, self.rest.system())
    }
}
