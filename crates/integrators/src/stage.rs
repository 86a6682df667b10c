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
//! Newton's matrix is m M + q D + p K, with D = alpha M + beta K. Where beta multiplies the current
//! K, the derivative of K by x is left out of the matrix (not of the residual): Newton then
//! converges linearly at a small rate.

use crate::options::Options;
use crate::stepper::{StepError, StepReport, check_finite, work_since};
use model::energy::Stiffness;
use model::{Model, State};
use numerics::blocks::BlockMatrix;
use numerics::linear::{self, Definiteness, LinearError, LinearSolver};
use numerics::newton::{Equations, Newton, NewtonError, NewtonWork, Residual, Settings};

/// The coefficients of the equation above.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Coefficients {
    /// Where loads and scripts are evaluated [s].
    pub t: f64,
    /// m
    pub mass: f64,
    /// p [s^2]
    pub position: f64,
    /// q [s]
    pub velocity: f64,
}

/// A system matrix with the solver that goes with it.
pub(crate) struct LinearSystem {
    pub stiffness: BlockMatrix,
    pub matrix: BlockMatrix,
    pub solver: Box<dyn LinearSolver>,
}

impl LinearSystem {
    pub fn new(model: &Model, options: &Options) -> Result<LinearSystem, LinearError> {
        let zeros = BlockMatrix::zeros(model.pattern().clone());
        let solver = linear::choose(model.pattern(), options.solver, options.stop(model))?;
        Ok(LinearSystem { stiffness: zeros.clone(), matrix: zeros, solver })
    }

    /// Makes ready m M + d D + k K, with K the stiffness at hand.
    pub fn prepare(&mut self, model: &Model, [m, d, k]: [f64; 3], report: &mut StepReport) -> Result<(), LinearError> {
        model.combine(m, d, k, &self.stiffness, &mut self.matrix);
        let before = self.solver.work();
        let result = self.solver.prepare(&self.matrix);
        report.linear = crate::stepper::add(report.linear, work_since(before, self.solver.work()));
        if let Definiteness::Indefinite { negative } = result? {
            report.negative_pivots = report.negative_pivots.max(negative as u64);
        }
        Ok(())
    }

    /// Overwrites a right-hand side with the solution.
    pub fn solve(&mut self, rhs: &mut [f64], report: &mut StepReport) -> Result<(), LinearError> {
        let before = self.solver.work();
        let result = self.solver.solve(&self.matrix, rhs, 1);
        report.linear = crate::stepper::add(report.linear, work_since(before, self.solver.work()));
        result
    }
}

/// The equation with its work space. Callers fill `x_hat`, `v_hat`, `carried` and the guess `a`.
pub(crate) struct Stage {
    /// x^ of the free nodes [m].
    pub x_hat: Vec<f64>,
    /// v^ of the free nodes [m/s].
    pub v_hat: Vec<f64>,
    /// a0 [m/s^2].
    pub carried: Vec<f64>,
    /// The acceleration: guess and solution [m/s^2].
    pub a: Vec<f64>,
    newton: Newton,
    settings: Settings,
    /// Newton's stiffness, where it is not the model's.
    correction: Option<Stiffness>,
    system: LinearSystem,
    x: Vec<f64>,
    v: Vec<f64>,
    inertia: Vec<f64>,
}

impl Stage {
    pub fn new(model: &Model, options: &Options) -> Result<Stage, LinearError> {
        let (dofs, all) = (model.dofs(), 3 * model.nodes());
        let Options { tolerance, iterations, line_search, .. } = *options;
        Ok(Stage {
            x_hat: vec![0.0; dofs],
            v_hat: vec![0.0; dofs],
            carried: vec![0.0; dofs],
            a: vec![0.0; dofs],
            newton: Newton::new(dofs),
            settings: Settings { tolerance, iterations, line_search },
            correction: options.hessian_correction.then_some(Stiffness::Projected),
            system: LinearSystem::new(model, options)?,
            x: vec![0.0; all],
            v: vec![0.0; all],
            inertia: vec![0.0; dofs],
        })
    }

    /// Solves the equation near `state`: the first guess puts the nodes where they are now, where
    /// every energy is defined.
    pub fn solve(
        &mut self,
        model: &Model,
        state: &State,
        coefficients: Coefficients,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        for ((a, x), x_hat) in self.a.iter_mut().zip(&state.x).zip(&self.x_hat) {
            *a = (x - x_hat) / coefficients.position;
        }
        // Nodes that are not free: where they are at the time of the equation.
        self.x.copy_from_slice(&state.x);
        self.v.copy_from_slice(&state.v);
        model.place(coefficients.t, &mut self.x, &mut self.v);

        let Stage { x_hat, v_hat, carried, a, newton, settings, correction, system, x, v, inertia } = self;
        let kind = correction.unwrap_or(model.stiffness_kind());
        let mut balance =
            Balance { model, coefficients, x_hat, v_hat, carried, kind, system, x, v, inertia, rounding: 0.0, report };
        let mut work = NewtonWork::default();
        let result = newton.solve(&mut balance, *settings, a, &mut work);
        report.newton += work.iterations;
        report.backtracks += work.backtracks;
        match result {
            Ok(()) => Ok(()),
            Err(NewtonError::Linear(error)) => Err(StepError::Linear(error)),
            Err(NewtonError::Undefined) => {
                check_finite(model, x, newton.residual())?;
                Err(StepError::NonFinite { node: 0 })
            }
            Err(NewtonError::Stalled { iterations, residual }) => {
                let at = |i: usize| newton.residual()[3 * i..3 * i + 3].iter().map(|r| r * r).sum::<f64>();
                let node = (0..model.free_nodes()).max_by(|&i, &j| at(i).total_cmp(&at(j))).unwrap_or(0);
                Err(StepError::NewtonStalled { iterations, residual, node: model.origin(node) })
            }
        }
    }
}

/// The equation as Newton's method sees it.
struct Balance<'a> {
    model: &'a Model,
    coefficients: Coefficients,
    x_hat: &'a [f64],
    v_hat: &'a [f64],
    carried: &'a [f64],
    kind: Stiffness,
    system: &'a mut LinearSystem,
    x: &'a mut [f64],
    v: &'a mut [f64],
    inertia: &'a mut [f64],
    rounding: f64,
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

    /// What rounding of positions alone does to the elastic force: about eps |K| (|x^| + |p a|), where
    /// a row of |K| is an order of magnitude above its diagonal.
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

impl Equations for Balance<'_> {
    type Error = LinearError;

    fn residual(&mut self, a: &[f64], r: &mut [f64]) -> Residual {
        self.move_to(a);
        self.model.static_force(self.coefficients.t, self.x, r);
        self.model.add_damping_force(self.x, self.v, None, r);
        self.report.forces += 1;
        let force = norm(r);
        // r holds the force: borrow it for m a + a0, then inertia - force.
        self.inertia.fill(0.0);
        let mass = self.model.mass();
        mass.multiply_add(self.coefficients.mass, a, self.inertia);
        mass.multiply_add(1.0, self.carried, self.inertia);
        for (r, inertia) in r.iter_mut().zip(&*self.inertia) {
            *r = inertia - *r;
        }
        Residual { norm: norm(r), scale: force + norm(self.inertia) }
    }

    fn solve(&mut self, a: &[f64], r: &mut [f64]) -> Result<(), LinearError> {
        self.move_to(a);
        self.model.stiffness(self.kind, self.x, &mut self.system.stiffness);
        self.report.assemblies += 1;
        self.rounding = self.rounding_of_force(a);
        let Coefficients { mass, position, velocity, .. } = self.coefficients;
        self.system.prepare(self.model, [mass, velocity, position], self.report)?;
        self.system.solve(r, self.report)
    }

    fn potential(&mut self, a: &[f64]) -> Option<f64> {
        // Damping by a stiffness that moves with the body is the gradient of nothing.
        let damping = self.model.damping();
        if damping.stiffness != 0.0 {
            return None;
        }
        self.move_to(a);
        let Coefficients { t, mass, position, velocity } = self.coefficients;
        let m = self.model.mass();
        let v = &self.v[..a.len()];
        let damped = if damping.mass == 0.0 { 0.0 } else { 0.5 * damping.mass / velocity * m.inner(v, v) };
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
