//! The one equation that every fully implicit method solves:
//!
//!   M (m a + a0) = f(t, x^ + p a, v^ + q a)        unknown: the acceleration a
//!
//! | method | m | a0 | x^ | p | v^ | q | t |
//! |---|---|---|---|---|---|---|---|
//! | backward Euler | 1 | 0 | x + h v | h^2 | v | h | t + h |
//! | implicit midpoint | 1 | 0 | x + h/2 v | h^2/4 | v | h/2 | t + h/2 |
//! | BDF2 | 1 | 0 | x* + h' v* | h'^2 | v* | h' | t + h |
//! | generalized-alpha | 1 - am | am a | see alpha_family.rs | | | | t + (1 - af) h |
//!
//! Newton's matrix is m M + q D + p K, with D = alpha M + beta K. D is held constant while Newton iterates: it is then
//! the gradient of a potential, so a line search is valid. Methods of first order take K at the start of the step;
//! those of second order solve again with K at the solution found, which reduces the error of D from h to h^2. The drag in Stokes
//! flow is part of D, held in the same way.
//!
//! With the turned stiffness, K also resists rotation by the tension that the last iteration predicted: its tangent
//! times its correction. This is Newton's method for positions and tensions together, and a correction along the tangent
//! of a circle stretches nothing in it. Residual and potential may grow on the way, so every correction is taken whole.
//!
//! Captured modes U (U^T M U = I) move exactly: their motion is part of x^ and v^, and the equation holds in their
//! M-orthogonal complement (`captured`): Q^T (M (m a + a0) - f) = 0 for a with U^T M a = 0, Q = I - U U^T M. This is the
//! gradient of the same potential on that subspace, so the line search is the same, too.

use crate::captured::Captured;
use crate::held_damping::HeldDamping;
use crate::linear_system::{self, LinearSystem};
use crate::options::{Options, Setting};
use crate::stepper::{StepError, StepReport, check_finite};
use model::energy::{Configuration, Stiffness};
use model::parameter::{Kind, Parameter, Preset};
use model::{Damping, Model, State};
use numerics::linear::LinearError;
use numerics::newton::{Equations, Newton, NewtonError, NewtonWork, Residual, Settings};

/// Parameters of methods that solve by Newton's method.
pub(crate) const NEWTON: &[Parameter] = &[
    TOLERANCE.parameter,
    ITERATIONS.parameter,
    LINE_SEARCH.parameter,
    HESSIAN_CORRECTION.parameter,
    linear_system::SOLVER.parameter,
    linear_system::SOLVER_TOLERANCE.parameter,
];

/// Newton stops when the residual force is below this share of the forces in play.
pub const TOLERANCE: Setting<f64> = Setting::new(Parameter {
    name: "tolerance",
    kind: Kind::within(1e-14, 0.1),
    default: Preset::Numbers(&[1e-6]),
    doc: "Newton stops when the residual force is below this share of the forces in play",
    unit: "",
});

/// Limit of Newton iterations per step.
pub const ITERATIONS: Setting<usize> = Setting::new(Parameter {
    name: "iterations",
    kind: Kind::count_within(1, 10_000),
    default: Preset::Numbers(&[20.0]),
    doc: "limit of Newton iterations per step",
    unit: "",
});

/// Shorten Newton steps that do not lower the energy; with the turned stiffness every step is taken whole.
pub const LINE_SEARCH: Setting<bool> = Setting::new(Parameter {
    name: "line_search",
    kind: Kind::Flag,
    default: Preset::Flag(true),
    doc: "shorten Newton steps that do not lower the energy; with the turned stiffness every step is taken whole",
    unit: "",
});

/// Use the projected stiffness in Newton's matrix, independent of the scene's stiffness.
pub const HESSIAN_CORRECTION: Setting<bool> = Setting::new(Parameter {
    name: "hessian_correction",
    kind: Kind::Flag,
    default: Preset::Flag(false),
    doc: "use the projected stiffness in Newton's matrix",
    unit: "",
});

/// Coefficients of the equation above.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Coefficients {
    /// Time at which loads and scripts are evaluated [s].
    pub t: f64,
    /// m
    pub mass: f64,
    /// p [s^2]
    pub position: f64,
    /// q [s]
    pub velocity: f64,
}

/// The equation with its scratch memory. Callers fill `x_hat`, `v_hat` and `carried`.
pub(crate) struct Stage {
    /// x^ of the free nodes [m].
    pub x_hat: Vec<f64>,
    /// v^ of the free nodes [m/s].
    pub v_hat: Vec<f64>,
    /// a0 [m/s^2].
    pub carried: Vec<f64>,
    /// Solution [m/s^2].
    pub a: Vec<f64>,
    /// Modes that the solution leaves alone; none by default.
    pub captured: Captured,
    newton: Newton,
    settings: Settings,
    /// Stiffness of Newton's matrix.
    kind: Stiffness,
    pub system: LinearSystem,
    damping: Option<HeldDamping>,
    /// Number of times the damping is updated.
    passes: usize,
    x: Vec<f64>,
    v: Vec<f64>,
    inertia: Vec<f64>,
    /// Guess that leaves the free nodes where they are.
    standing: Vec<f64>,
    /// Positions of the last iteration, then the displacements from there [m], where they predict tension; else empty.
    way: Vec<f64>,
}

/// Beginning of Newton's method.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Start {
    /// Positions of the state; its first system is the first of a step, similar to the last step's.
    Standing,
    /// A guess of the caller's, or the positions of the state.
    Guess,
    /// The solution with another damping.
    Again,
}

impl Stage {
    /// Makes a stage for a method of this order.
    pub fn new(model: &Model, options: &Options, order: usize) -> Result<Stage, LinearError> {
        let (dofs, all) = (model.dofs(), 3 * model.nodes());
        // K at rest never changes.
        let keeps_damping = model.damping().stiffness == 0.0 || model.damping().at_rest.is_some();
        let kind = match model.stiffness_kind() {
            _ if options.get(&HESSIAN_CORRECTION) => Stiffness::Projected,
            Stiffness::Turned => Stiffness::Predicted,
            kind => kind,
        };
        let predicts = kind == Stiffness::Predicted;
        Ok(Stage {
            x_hat: vec![0.0; dofs],
            v_hat: vec![0.0; dofs],
            carried: vec![0.0; dofs],
            a: vec![0.0; dofs],
            captured: Captured::default(),
            newton: Newton::new(dofs),
            settings: Settings {
                tolerance: options.get(&TOLERANCE),
                iterations: options.get(&ITERATIONS),
                line_search: options.get(&LINE_SEARCH) && !predicts,
            },
            kind,
            system: LinearSystem::new(model, options)?,
            damping: HeldDamping::new(model),
            passes: if keeps_damping && model.stokes().is_none() { 1 } else { order },
            x: vec![0.0; all],
            v: vec![0.0; all],
            inertia: vec![0.0; dofs],
            standing: vec![0.0; dofs],
            way: vec![0.0; if predicts { all } else { 0 }],
        })
    }

    /// Solves the equation near `state`. The first guess leaves the free nodes at their current positions, where every
    /// energy is defined; if scripted nodes have moved too far for that, it moves them without forces.
    pub fn solve(
        &mut self,
        model: &Model,
        state: &State,
        coefficients: Coefficients,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        self.stand(state, coefficients);
        self.a.copy_from_slice(&self.standing);
        self.solve_from(Start::Standing, model, state, coefficients, report)
    }

    /// Solves the equation from the guess in `a`, for which a system of this step has been solved already; or from the
    /// first guess of `solve`, where that has the lower potential.
    pub fn solve_from_guess(
        &mut self,
        model: &Model,
        state: &State,
        coefficients: Coefficients,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        self.stand(state, coefficients);
        self.captured.leave_motion(&mut self.a);
        self.solve_from(Start::Guess, model, state, coefficients, report)
    }

    /// Makes the guess that leaves free nodes where they are, apart from the motion of captured modes.
    fn stand(&mut self, state: &State, coefficients: Coefficients) {
        for ((a, x), x_hat) in self.standing.iter_mut().zip(&state.x).zip(&self.x_hat) {
            *a = (x - x_hat) / coefficients.position;
        }
        self.captured.leave_motion(&mut self.standing);
    }

    fn solve_from(
        &mut self,
        start: Start,
        model: &Model,
        state: &State,
        coefficients: Coefficients,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        // Nodes that are not free: their positions at the time of the equation.
        self.x.copy_from_slice(&state.x);
        self.v.copy_from_slice(&state.v);
        model.place(coefficients.t, &mut self.x, &mut self.v);
        for pass in 0..self.passes {
            let start = if pass == 0 { start } else { Start::Again };
            self.solve_with_held_damping(model, coefficients, start, report)?;
        }
        Ok(())
    }

    /// Returns the origin of the stored factor, as numbers.
    pub fn memory(&self) -> Vec<f64> {
        self.system.memory()
    }

    /// Restores the result of `memory`; false if the numbers are impossible.
    pub fn recall(&mut self, memory: &[f64]) -> bool {
        self.system.recall(memory)
    }

    fn solve_with_held_damping(
        &mut self,
        model: &Model,
        coefficients: Coefficients,
        start: Start,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let Stage { x_hat, v_hat, carried, a, captured, newton, settings, kind, system, .. } = self;
        let Stage { damping, x, v, inertia, standing, way, .. } = self;
        if let Some(damping) = damping {
            damping.hold(model, x, v, report);
        }
        system.hold_drag(model, x, report)?;
        let rounding = 0.0;
        let damping = damping.as_mut();
        let mut balance = Balance {
            model,
            coefficients,
            x_hat,
            v_hat,
            carried,
            captured,
            kind: *kind,
            way,
            system,
            damping,
            x,
            v,
            inertia,
            rounding,
            tolerance: settings.tolerance,
            size: Residual { norm: 0.0, scale: 0.0 },
            force: 0.0,
            solved_at: None,
            is_first: start == Start::Standing,
            report,
        };
        let mut is_guess = start == Start::Guess;
        if is_guess {
            let [there, here] = [&*standing, &*a].map(|a| balance.potential(a).unwrap_or(f64::NAN));
            // Nor where the guess has no potential.
            is_guess = here <= there;
            if !is_guess {
                a.copy_from_slice(standing);
            }
        }
        let mut work = NewtonWork::default();
        let mut result = newton.solve(&mut balance, *settings, a, &mut work);
        let mut before = 0;
        if is_guess && matches!(result, Err(NewtonError::Undefined | NewtonError::Stalled { .. })) {
            // A guess with inverted elements may lead nowhere.
            a.copy_from_slice(standing);
            balance.solved_at = None;
            before = work.iterations;
            result = newton.solve(&mut balance, *settings, a, &mut work);
        }
        if result == Err(NewtonError::Undefined) && work.iterations == before {
            a.fill(0.0);
            result = newton.solve(&mut balance, *settings, a, &mut work);
        }
        report.newton += work.iterations;
        report.backtracks += work.backtracks;
        let worst = || {
            let at = |i: &usize| newton.residual()[3 * i..3 * i + 3].iter().map(|r| r * r).sum::<f64>();
            let node = (0..model.free_nodes()).max_by(|i, j| at(i).total_cmp(&at(j)));
            model.origin(node.unwrap_or(0))
        };
        match result {
            Ok(()) => Ok(()),
            Err(NewtonError::Linear(error)) => Err(StepError::linear(model, error)),
            Err(NewtonError::Undefined) => {
                check_finite(model, x, newton.residual())?;
                // Every entry is finite, but their squares are not.
                Err(StepError::NonFinite { node: worst() })
            }
            Err(NewtonError::Stalled { iterations, residual }) => {
                Err(StepError::NewtonStalled { iterations, residual, node: worst() })
            }
        }
    }
}

/// Relative residual reached by every linear solve of Newton's method: an assembly costs as much as an iteration or
/// two, so another Newton step costs more than another digit.
const LOOSEST: f64 = 1e-3;

/// The equation in the form for Newton's method.
struct Balance<'a> {
    model: &'a Model,
    coefficients: Coefficients,
    x_hat: &'a [f64],
    v_hat: &'a [f64],
    carried: &'a [f64],
    captured: &'a mut Captured,
    kind: Stiffness,
    /// See [`Stage`].
    way: &'a mut [f64],
    system: &'a mut LinearSystem,
    damping: Option<&'a mut HeldDamping>,
    x: &'a mut [f64],
    v: &'a mut [f64],
    inertia: &'a mut [f64],
    rounding: f64,
    /// Tolerance of Newton's method.
    tolerance: f64,
    /// Residual evaluated last, and norm of the one solved for last.
    size: Residual,
    /// Norm of the force in it.
    force: f64,
    solved_at: Option<f64>,
    /// True if the next system is the first of a step, similar to the last step's.
    is_first: bool,
    report: &'a mut StepReport,
}

impl Balance<'_> {
    fn move_to(&mut self, a: &[f64]) {
        let Coefficients { position, velocity, .. } = self.coefficients;
        for i in 0..a.len() {
            self.x[i] = self.x_hat[i] + position * a[i];
            self.v[i] = self.v_hat[i] + velocity * a[i];
        }
    }

    /// Returns the tolerance of the next correction (Eisenstat, Walker 1996): Newton leaves an error of second order,
    /// and nothing below Newton's own tolerance is useful.
    fn forcing(&mut self) -> f64 {
        let norm = self.size.norm;
        // Forces in play at the solution. The inertia of the first guess, a body stopped at once, may be far larger,
        // more so for shorter steps.
        let in_play = (2.0 * self.force / norm).min(1.0);
        let expected = self.solved_at.replace(norm).map_or(LOOSEST * in_play, |before| 0.1 * (norm / before).powi(2));
        expected.min(LOOSEST).max(0.1 * self.tolerance * in_play)
    }

    /// Estimates the effect of rounded positions on the elastic force: about eps |K| (|x^| + |p a|), where a row of |K|
    /// is an order of magnitude above its diagonal.
    fn rounding_of_force(&self, a: &[f64]) -> f64 {
        let k = &self.system.stiffness;
        let pattern = k.pattern();
        let square = |i: usize| {
            let block = &k.values[pattern.diagonal(i)];
            let size = |dof: usize| self.x_hat[dof].abs() + (self.coefficients.position * a[dof]).abs();
            (0..3).map(|c| (block[c][c] * size(3 * i + c)).powi(2)).sum::<f64>()
        };
        64.0 * f64::EPSILON * (0..pattern.rows()).map(square).sum::<f64>().sqrt()
    }
}

impl Balance<'_> {
    /// Overwrites the residual r at `a` with Newton's correction. `predicts`: with the tension that the last one predicted.
    fn correct(&mut self, a: &[f64], predicts: bool, tolerance: f64, r: &mut [f64]) -> Result<(), LinearError> {
        let way: &[f64] = if predicts { self.way } else { &[] };
        self.system.assemble(self.model, self.kind, Configuration { x: self.x, way, inertia: &[] }, self.report);
        self.rounding = self.rounding_of_force(a);
        if let Some(drag) = &self.system.drag {
            self.rounding += drag.rounding(self.v);
        }
        let Coefficients { mass, position, velocity, .. } = self.coefficients;
        // A corrected matrix uses the projected stiffness in D as well, because it must be positive definite.
        let corrected = self.kind == Stiffness::Projected && self.model.stiffness_kind() != Stiffness::Projected;
        let damping = self.damping.as_deref().filter(|_| !corrected);
        self.system.prepare(self.model, [mass, velocity, position], damping, self.report)?;
        if std::mem::take(&mut self.is_first) {
            self.system.begin(r, self.report);
            return self.system.finish(tolerance, r, None, self.report);
        }
        self.system.solve_to(tolerance, r, self.report)
    }
}

impl Equations for Balance<'_> {
    type Error = LinearError;

    fn residual(&mut self, a: &[f64], r: &mut [f64]) -> Residual {
        self.move_to(a);
        self.model.static_force(self.coefficients.t, self.x, r);
        self.report.forces += 1;
        let Damping { mass: alpha, stiffness: beta, .. } = *self.model.damping();
        let v = &self.v[..a.len()];
        if alpha != 0.0 {
            self.model.mass().multiply_add(-alpha, v, r);
        }
        if let Some(damping) = &self.damping {
            damping.add_force(beta, v, r);
        }
        let mut force = norm(r);
        if let Some(drag) = &mut self.system.drag {
            // Without inertia the whole force is zero at the solution: its parts are what is in play.
            self.inertia.fill(0.0);
            drag.add_force(self.v, self.inertia);
            force += norm(self.inertia);
            r.iter_mut().zip(&*self.inertia).for_each(|(r, drag)| *r += drag);
        }
        self.force = force;
        // r holds the force: borrow it for m a + a0, then inertia - force.
        self.inertia.fill(0.0);
        let mass = self.model.mass();
        mass.multiply_add(self.coefficients.mass, a, self.inertia);
        mass.multiply_add(1.0, self.carried, self.inertia);
        for (r, inertia) in r.iter_mut().zip(&*self.inertia) {
            *r = inertia - *r;
        }
        self.captured.leave_force(r);
        self.size = Residual { norm: norm(r), scale: force + norm(self.inertia) };
        self.size
    }

    fn solve(&mut self, a: &[f64], r: &mut [f64]) -> Result<(), LinearError> {
        self.move_to(a);
        self.way.iter_mut().zip(&*self.x).for_each(|(way, x)| *way = x - *way);
        let predicts = self.kind == Stiffness::Predicted && self.solved_at.is_some();
        let tolerance = self.forcing();
        self.captured.remember(r);
        self.inertia.copy_from_slice(r);
        let mut result = self.correct(a, predicts, tolerance, r);
        if predicts && matches!(result, Err(LinearError::Indefinite { .. } | LinearError::Singular { .. })) {
            // Far from the solution predicted pressure may exceed what inertia holds. Without it the matrix is positive definite.
            r.copy_from_slice(self.inertia);
            result = self.correct(a, false, tolerance, r);
        }
        self.way.copy_from_slice(&self.x[..self.way.len()]);
        result?;
        self.captured.refine(self.system, tolerance, r, self.report)
    }

    fn potential(&mut self, a: &[f64]) -> Option<f64> {
        self.move_to(a);
        let Coefficients { t, mass, position, velocity } = self.coefficients;
        let Damping { mass: alpha, stiffness: beta, .. } = *self.model.damping();
        let m = self.model.mass();
        let v = &self.v[..a.len()];
        let held = self.damping.as_mut().map_or(0.0, |damping| damping.potential(beta, v));
        let dragged = self.system.drag.as_mut().map_or(0.0, |drag| drag.potential(self.v));
        let damped = (0.5 * alpha * m.inner(v, v) + held + dragged) / velocity;
        let inertia = 0.5 * mass * m.inner(a, a) + m.inner(a, self.carried);
        Some(inertia + damped + self.model.potential(t, self.x) / position)
    }

    fn rounding(&self) -> f64 {
        self.rounding
    }
}

fn norm(r: &[f64]) -> f64 {
    r.iter().map(|r| r * r).sum::<f64>().sqrt()
}
