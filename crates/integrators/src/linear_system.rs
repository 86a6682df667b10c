//! The matrix m M + d D + k K of every implicit method, with its solver.

use crate::field::Words;
use crate::floating::Floating;
use crate::held_damping::HeldDamping;
use crate::options::{Options, Setting};
use crate::stepper::{Response, StepError, StepReport};
use model::Model;
use model::energy::{Configuration, Stiffness};
use model::parameter::{Kind, Parameter, Preset};
use model::stokes::Drag;
use numerics::blocks::BlockMatrix;
use numerics::interrupt;
use numerics::linear::SolverKind;
use numerics::linear::{self, Decision, Definiteness, LinearError, Origin, Recent, Solver, Stop};

impl Words for SolverKind {
    const WORDS: &'static [(&'static str, SolverKind)] = &SolverKind::NAMES;
}

/// Linear solver.
pub const SOLVER: Setting<SolverKind> = Setting::new(Parameter {
    name: "solver",
    kind: Kind::Word { choices: SolverKind::CHOICES },
    default: Preset::Word("auto"),
    doc: "linear solver: a new Cholesky factor each time, a stored one that is rotated with the body, a stored hierarchy of coarser matrices, conjugate gradients, factors of many small components side by side, or the cheapest by counted work",
    unit: "",
});

/// Relative residual at which an iterative solver stops.
pub const SOLVER_TOLERANCE: Setting<f64> = Setting::new(Parameter {
    name: "solver_tolerance",
    kind: Kind::within(1e-14, 0.1),
    default: Preset::Numbers(&[1e-4]),
    doc: "relative residual at which conjugate gradients stop (Newton's method with a stored factor chooses its own); the default adds less than a thousandth of a step's own error",
    unit: "",
});

/// Limit of conjugate-gradient iterations per solve, whose last iterate is then taken; zero: as many as needed.
pub const SOLVER_ITERATIONS: Setting<usize> = Setting::new(Parameter {
    name: "solver_iterations",
    kind: Kind::count_within(0, 100_000),
    default: Preset::Numbers(&[0.0]),
    doc: "for solver = \"pcg\": limit of iterations per solve, after which the last iterate is used and counted as `capped`; 0: as many as solver_tolerance needs, and an error if they are not enough",
    unit: "",
});

/// Tightest tolerance asked of a solve: a relative residual near rounding.
const TIGHTEST: f64 = 1e-13;
/// Least tolerance for which the solutions of earlier steps serve as a start.
const TIGHT: f64 = 1e-8;
/// Relative residual of solves that count as exact.
const EXACT: f64 = 1e-8;

/// Returns the stopping rule of an iterative linear solver.
fn stop(model: &Model, options: &Options) -> Stop {
    let tolerance = options.get(&SOLVER_TOLERANCE);
    match options.get(&SOLVER_ITERATIONS) {
        // In exact arithmetic as many iterations as unknowns suffice; with a preconditioner far fewer do.
        0 => Stop::at(tolerance, model.dofs().clamp(100, 10_000)),
        most => Stop { takes_last: true, ..Stop::at(tolerance, most) },
    }
}

/// Returns the stopping rule where the solution counts as exact: inside matrix functions, and for accelerations.
pub(crate) fn tight_stop(model: &Model, options: &Options) -> Stop {
    let stop = stop(model, options);
    Stop { tolerance: stop.tolerance.min(EXACT), ..stop }
}

/// A system matrix with its solver.
pub(crate) struct LinearSystem {
    /// K as last assembled, until [`LinearSystem::prepare_in_place`].
    pub stiffness: BlockMatrix,
    /// True if the memory of K holds the matrix.
    is_in_place: bool,
    /// Drag in Stokes flow, part of D, as last held.
    pub drag: Option<Drag>,
    matrix: BlockMatrix,
    solver: Solver,
    tolerance: f64,
    recent: Recent,
    /// Relative residual left by the solutions of earlier steps.
    left: f64,
    /// Sum of the current right-hand side, where nothing holds the body.
    push: Vec<[f64; 3]>,
    /// Origin of `stiffness`: its kind, the positions of all nodes, and after them the way to them if it depends on that,
    /// or the positions of the K in D where it is another one.
    kind: Stiffness,
    positions: Vec<f64>,
    /// Count of the numbers in `positions` that belong to `stiffness`.
    own: usize,
    /// Hash of the matrix that a plain solver of a linear body is prepared for, and the hash stored before a restart.
    held: Option<u64>,
    recalled: Option<u64>,
    is_linear: bool,
    /// A matrix has been prepared since this was last set to false.
    pub is_prepared: bool,
    nodes: usize,
    /// Bodies where nothing holds any, and the factor of M in the matrix.
    pub floating: Option<Floating>,
    inertia: f64,
}

impl LinearSystem {
    pub fn new(model: &Model, options: &Options) -> Result<LinearSystem, LinearError> {
        let zeros = || BlockMatrix::zeros(model.pattern().clone());
        // The drag of each step costs more than a factor: keeping one gains nothing.
        let kind = match options.get(&SOLVER) {
            SolverKind::Pcg => SolverKind::Pcg,
            _ if model.stokes().is_some() => SolverKind::Direct,
            kind => kind,
        };
        let solver = linear::choose_for_steps(model.pattern(), kind, stop(model, options))?;
        Ok(LinearSystem {
            stiffness: zeros(),
            drag: model.drag()?,
            matrix: zeros(),
            solver,
            tolerance: options.get(&SOLVER_TOLERANCE),
            is_in_place: false,
            recent: Recent::default(),
            left: 1.0,
            push: Vec::new(),
            kind: model.stiffness_kind(),
            positions: Vec::new(),
            own: 0,
            held: None,
            recalled: None,
            is_linear: model.is_linear(),
            is_prepared: false,
            nodes: model.nodes(),
            floating: Floating::new(model),
            inertia: 1.0,
        })
    }

    /// Prepares for solves with many columns at once; to be called before the first matrix.
    pub fn expect_blocks(&mut self) {
        if let Solver::Stale(stale) = &mut self.solver {
            stale.expect_blocks();
        }
    }

    /// Assembles K at positions of all nodes.
    pub fn assemble<'a>(
        &mut self,
        model: &Model,
        kind: Stiffness,
        at: impl Into<Configuration<'a>>,
        report: &mut StepReport,
    ) {
        let at = at.into();
        self.return_memory();
        model.stiffness(kind, at, &mut self.stiffness);
        report.assemblies += 1;
        self.positions.clear();
        self.positions.extend_from_slice(model.positions_of_stiffness(at.x));
        self.kind = match kind {
            Stiffness::Auto if at.way.is_empty() => Stiffness::Exact,
            Stiffness::Predicted if at.way.is_empty() => Stiffness::Turned,
            kind => kind,
        };
        if depends_on_way(self.kind) {
            self.positions.extend_from_slice(at.way);
        }
        self.own = self.positions.len();
    }

    /// Takes the drag in Stokes flow at positions of all nodes, which is constant until the next call.
    pub fn hold_drag(&mut self, model: &Model, x: &[f64], report: &mut StepReport) -> Result<(), StepError> {
        let Some(drag) = &mut self.drag else { return Ok(()) };
        report.linear.factorisations += 1;
        drag.hold(x).map_err(|error| StepError::drag(model, error))
    }

    /// Prepares m M + d D + k K with the stiffness of another system.
    pub fn prepare_like(
        &mut self,
        other: &LinearSystem,
        model: &Model,
        factors: [f64; 3],
        report: &mut StepReport,
    ) -> Result<(), LinearError> {
        self.return_memory();
        self.stiffness.values.copy_from_slice(&other.stiffness.values);
        self.kind = other.kind;
        self.positions.clear();
        self.positions.extend_from_slice(&other.positions);
        self.own = other.own;
        self.prepare(model, factors, None, report)
    }

    /// Prepares m M + d D + k K with the current stiffness; `damping` has the K in D where it is another one.
    pub fn prepare(
        &mut self,
        model: &Model,
        factors: [f64; 3],
        damping: Option<&HeldDamping>,
        report: &mut StepReport,
    ) -> Result<(), LinearError> {
        interrupt::check()?;
        self.rebuild(model)?;
        model.combine(factors, &self.stiffness, damping.map(|damping| &damping.stiffness), &mut self.matrix);
        self.prepare_combined(model, factors, damping, report)
    }

    /// Prepares m M + d D + k K in the memory of K, which is lost: one pass over one matrix instead of two.
    pub fn prepare_in_place(
        &mut self,
        model: &Model,
        factors: [f64; 3],
        report: &mut StepReport,
    ) -> Result<(), LinearError> {
        interrupt::check()?;
        self.rebuild(model)?;
        std::mem::swap(&mut self.stiffness, &mut self.matrix);
        self.is_in_place = true;
        model.combine_in_place(factors, None, &mut self.matrix);
        self.prepare_combined(model, factors, None, report)
    }

    /// Makes the memory of K available again: the same in every step, so that the other one is never touched.
    fn return_memory(&mut self) {
        if std::mem::take(&mut self.is_in_place) {
            std::mem::swap(&mut self.stiffness, &mut self.matrix);
        }
    }

    /// Prepares the matrix that was combined.
    fn prepare_combined(
        &mut self,
        model: &Model,
        factors: [f64; 3],
        damping: Option<&HeldDamping>,
        report: &mut StepReport,
    ) -> Result<(), LinearError> {
        self.is_prepared = true;
        if let Some(drag) = &self.drag {
            drag.add_to(factors[1], &mut self.matrix);
        }
        self.positions.truncate(self.own);
        if let Some(damping) = damping {
            self.positions.extend_from_slice(&damping.positions);
        }
        let [m, d, k] = factors;
        self.inertia = m + d * model.damping().mass;
        let tag = [code(self.kind), m, d, k];
        if let Solver::Stale(_) = self.solver {
            return self.counted(report, |solver, matrix, positions| match solver {
                Solver::Stale(stale) => stale.prepare(matrix, tag, positions),
                Solver::Plain(_) => Ok(()),
            });
        }
        // A linear body without contact has a single matrix.
        let print = self.is_linear.then(|| fingerprint(&self.matrix));
        if print.is_some() && self.held == print {
            return Ok(());
        }
        let before = report.linear;
        self.held = None;
        self.counted(report, |solver, matrix, _| match solver {
            Solver::Stale(_) => Ok(()),
            Solver::Plain(plain) => plain.prepare(matrix).map(|_| ()),
        })?;
        // Made again after a restart, it is not counted again.
        if print.is_some() && self.recalled.take() == print {
            report.linear = before;
        }
        self.held = print;
        Ok(())
    }

    /// Drops the stored factor: the next matrix gets a new one.
    pub fn forget_factor(&mut self) {
        if let Solver::Stale(stale) = &mut self.solver {
            stale.forget();
        }
    }

    /// Counts a use of the factor as a preconditioner by another iteration, so that it ages.
    pub fn record(&mut self, iterations: usize) {
        if let Solver::Stale(stale) = &mut self.solver {
            stale.record(iterations);
        }
    }

    /// Counts the matrices that the factor has been kept for since it was made.
    pub fn age(&self) -> u64 {
        match &self.solver {
            Solver::Stale(stale) => stale.age(),
            Solver::Plain(_) => 0,
        }
    }

    /// Overwrites a right-hand side with the solution.
    pub fn solve(&mut self, rhs: &mut [f64], report: &mut StepReport) -> Result<(), LinearError> {
        self.solve_columns(rhs, 1, report)
    }

    /// Overwrites right-hand sides, column-major, with their solutions.
    pub fn solve_columns(
        &mut self,
        rhs: &mut [f64],
        columns: usize,
        report: &mut StepReport,
    ) -> Result<(), LinearError> {
        self.solve_from(self.tolerance, rhs, columns, None, report)
    }

    /// Overwrites a right-hand side with a solution of relative residual `tolerance` or better.
    pub fn solve_to(&mut self, tolerance: f64, rhs: &mut [f64], report: &mut StepReport) -> Result<(), LinearError> {
        self.solve_from(tolerance.max(TIGHTEST), rhs, 1, None, report)
    }

    /// For the single system of a step, which resembles that of the last step: overwrites a right-hand side with the
    /// residual of a combination of the last solutions. Call `finish` next.
    pub fn begin(&mut self, rhs: &mut [f64], report: &mut StepReport) {
        self.push = self.floating.as_ref().map(|floating| floating.sums(rhs, 1)).unwrap_or_default();
        self.left = match &self.solver {
            // The residual is known to some eight digits: a tighter solve starts from zero.
            Solver::Stale(stale) if !stale.is_exact() && self.tolerance >= TIGHT => {
                report.linear.products += self.recent.count(rhs.len()) as u64;
                self.recent.subtract(&self.matrix, rhs)
            }
            _ => self.recent.skip(),
        };
    }

    /// Overwrites the residual of `begin` with the whole solution, to `tolerance`, or as `solve` does where that is
    /// zero. `near` is the result of `precondition` on that residual, if known.
    pub fn finish(
        &mut self,
        tolerance: f64,
        rhs: &mut [f64],
        near: Option<&[f64]>,
        report: &mut StepReport,
    ) -> Result<(), LinearError> {
        let tolerance = if tolerance == 0.0 { self.tolerance } else { tolerance.max(TIGHTEST) };
        self.solve_from(tolerance / self.left, rhs, 1, near, report)?;
        if let Solver::Stale(_) = &self.solver {
            self.recent.finish(rhs);
        }
        if let Some(floating) = &self.floating {
            floating.keep_momentum(self.inertia, &self.push, rhs);
        }
        Ok(())
    }

    fn solve_from(
        &mut self,
        tolerance: f64,
        rhs: &mut [f64],
        columns: usize,
        near: Option<&[f64]>,
        report: &mut StepReport,
    ) -> Result<(), LinearError> {
        interrupt::check()?;
        let push = self.floating.as_ref().map(|floating| floating.sums(rhs, columns));
        self.counted(report, |solver, matrix, _| match (solver, near) {
            (Solver::Stale(stale), _) if !stale.is_exact() && tolerance >= 1.0 => {
                rhs.fill(0.0);
                Ok(())
            }
            (Solver::Stale(stale), _) if !stale.is_exact() => stale.solve(matrix, rhs, columns, tolerance, near),
            (_, Some(near)) => {
                rhs.copy_from_slice(near);
                Ok(())
            }
            (Solver::Stale(stale), None) => stale.solve(matrix, rhs, columns, tolerance, None),
            (Solver::Plain(plain), None) => plain.solve(matrix, rhs, columns),
        })?;
        if let (Some(floating), Some(push)) = (&self.floating, push) {
            floating.keep_momentum(self.inertia, &push, rhs);
        }
        Ok(())
    }

    /// Overwrites columns with approximate solutions: one sweep over the factor.
    pub fn precondition(&mut self, x: &mut [f64], columns: usize, report: &mut StepReport) -> Result<(), LinearError> {
        self.counted(report, |solver, matrix, _| match solver {
            Solver::Stale(stale) => stale.precondition(matrix, x, columns),
            Solver::Plain(plain) => plain.solve(matrix, x, columns),
        })
    }

    /// Computes the product with the current matrix.
    pub fn times(&self, x: &[f64], y: &mut [f64], report: &mut StepReport) {
        report.linear.products += 1;
        self.matrix.multiply(x, y);
    }

    /// Returns true if `precondition` solves.
    pub fn is_exact(&self) -> bool {
        match &self.solver {
            Solver::Stale(stale) => stale.is_exact(),
            Solver::Plain(_) => true,
        }
    }

    /// Returns true if `precondition` solves to rounding; conjugate gradients solve to their tolerance.
    pub fn is_direct(&self) -> bool {
        match &self.solver {
            Solver::Stale(stale) => stale.is_exact(),
            Solver::Plain(plain) => plain.definiteness() != Definiteness::Unknown,
        }
    }

    /// Returns the decision about the factor for the current matrix.
    pub fn decision(&self) -> Decision {
        match &self.solver {
            Solver::Stale(stale) => stale.decision(),
            Solver::Plain(_) => Decision::None,
        }
    }

    /// Returns the origin of the stored factor and the last solutions, as numbers.
    pub fn memory(&self) -> Vec<f64> {
        match &self.solver {
            Solver::Stale(stale) => join(self.recent.memory().to_vec(), stale.memory()),
            Solver::Plain(_) => self.held.or(self.recalled).map(|print| print as f64).into_iter().collect(),
        }
    }

    /// Restores the result of `memory`; false if the numbers are impossible.
    pub fn recall(&mut self, memory: &[f64]) -> bool {
        let Solver::Stale(stale) = &mut self.solver else {
            (self.held, self.recalled) = (None, None);
            let [print] = memory else { return memory.is_empty() };
            let is_print = self.is_linear && *print >= 0.0 && *print <= PRINTS as f64 && print.fract() == 0.0;
            self.recalled = is_print.then_some(*print as u64);
            return is_print;
        };
        let all = 3 * self.nodes;
        // Positions, the way to them, and positions of the damping.
        let is_complete = |origin: &Origin| {
            kind(origin.tag[0]).is_some_and(|kind| {
                let own = if depends_on_way(kind) { 2 * all } else { all };
                [own, own + all].contains(&origin.positions.len())
            })
        };
        let is_mine = split(memory).is_some_and(|(solutions, factor)| {
            self.recent.recall(solutions, self.matrix.dim())
                && stale.recall(factor)
                && stale.wanted().is_none_or(is_complete)
        });
        if !is_mine {
            stale.forget();
            self.recent = Recent::default();
        }
        is_mine
    }

    /// Makes the factor again that was stored when the memory was taken.
    fn rebuild(&mut self, model: &Model) -> Result<(), LinearError> {
        let Solver::Stale(stale) = &mut self.solver else { return Ok(()) };
        let Some(origin) = stale.wanted() else { return Ok(()) };
        let [code, m, d, k] = origin.tag;
        let kind = kind(code).unwrap_or_default();
        let (x, rest) = origin.positions.split_at(3 * self.nodes);
        let mut stiffness = BlockMatrix::zeros(model.pattern().clone());
        let (way, rest) = rest.split_at(if depends_on_way(kind) { 3 * self.nodes } else { 0 });
        model.stiffness(kind, Configuration { x, way, inertia: &[] }, &mut stiffness);
        let damping = (!rest.is_empty()).then(|| {
            let mut damping = BlockMatrix::zeros(model.pattern().clone());
            model.stiffness(model.stiffness_kind(), rest, &mut damping);
            damping
        });
        model.combine([m, d, k], &stiffness, damping.as_ref(), &mut self.matrix);
        stale.rebuild(&self.matrix)
    }

    /// Runs the solver, and reports its work and findings.
    fn counted(
        &mut self,
        report: &mut StepReport,
        work: impl FnOnce(&mut Solver, &BlockMatrix, &[f64]) -> Result<(), LinearError>,
    ) -> Result<(), LinearError> {
        let before = self.solver.work();
        let result = work(&mut self.solver, &self.matrix, &self.positions);
        report.linear += self.solver.work() - before;
        if let Definiteness::Indefinite { negative } = self.solver.definiteness() {
            report.negative_pivots = report.negative_pivots.max(negative as u64);
        }
        if let Solver::Stale(stale) = &self.solver {
            report.factor = report.factor.max(stale.decision());
            report.factor_age = report.factor_age.max(stale.age());
        }
        result
    }
}

impl Response for LinearSystem {
    fn respond(&mut self, impulses: &mut [f64], report: &mut StepReport) -> Result<(), LinearError> {
        // Momentum of bodies that meet each other is kept to this.
        self.solve_to(EXACT, impulses, report)
    }
}

/// Largest hash: every hash fits a double exactly.
const PRINTS: u64 = (1 << 53) - 1;

/// Hash of the matrix values, to detect changes (FNV-1a of the bits).
fn fingerprint(matrix: &BlockMatrix) -> u64 {
    let bits = matrix.values.as_flattened().as_flattened().iter().map(|value| value.to_bits());
    let sum = bits.fold(0xcbf29ce484222325_u64, |sum, bits| {
        let mixed = (sum ^ bits).wrapping_mul(0x100000001b3);
        mixed ^ (mixed >> 32)
    });
    sum & PRINTS
}

/// Kinds of stiffness; the index here is their code.
const KINDS: [Stiffness; 6] = [
    Stiffness::Exact,
    Stiffness::Projected,
    Stiffness::Turned,
    Stiffness::Corotated,
    Stiffness::Auto,
    Stiffness::Predicted,
];

/// Returns true if a stiffness of this kind, as stored, depends on the way to its positions.
fn depends_on_way(kind: Stiffness) -> bool {
    matches!(kind, Stiffness::Auto | Stiffness::Predicted)
}

fn code(kind: Stiffness) -> f64 {
    KINDS.iter().position(|k| *k == kind).unwrap_or(0) as f64
}

fn kind(code: f64) -> Option<Stiffness> {
    (0..KINDS.len()).find(|&k| k as f64 == code).map(|k| KINDS[k])
}

/// Joins the memory of a method with that of its linear system; empty if both are.
pub(crate) fn join(own: Vec<f64>, system: Vec<f64>) -> Vec<f64> {
    if own.is_empty() && system.is_empty() {
        return own;
    }
    [own.len() as f64].into_iter().chain(own).chain(system).collect()
}

/// Splits joined memory; `None` if it cannot be split.
pub(crate) fn split(memory: &[f64]) -> Option<(&[f64], &[f64])> {
    let Some((&length, rest)) = memory.split_first() else { return Some((&[], &[])) };
    let is_length = length >= 0.0 && length <= rest.len() as f64 && length.fract() == 0.0;
    is_length.then(|| rest.split_at(length as usize))
}
