//! Choice of a solver for a pattern: the rule behind "auto".
//!
//! Costs are counted, never timed, so the same mesh gets the same solver on every machine. There are two cases.
//!
//! **One matrix, solved exactly** ([`choose`]). A factorisation runs at the speed of dense kernels, an iteration of
//! conjugate gradients at that of memory: per flop about 25 times slower. It takes about 72 flops per stored block
//! (product and two sweeps of the incomplete factor). To a residual of 1e-8 it takes 60 iterations on a soft compact
//! body (h^2 K like M) and 200 on a stiff one: as much as 1e5 to 3.6e5 flops of a factorisation per block. The limit is
//! where the stiff body breaks even: conjugate gradients if flops(L) > [`FLOPS_A_BLOCK`] x (stored blocks of A),
//! otherwise direct. A matrix on which they fail, because it is indefinite, is factorised nevertheless ([`Fallback`]).
//!
//! **A sequence of matrices, as a body moves** ([`choose_for_steps`]). A factor is stored ([`Stale`]) with two
//! exceptions: it has little fill, as that of a rope or of a few nodes, so that a new one costs no more; or iterations
//! with a hierarchy of coarser matrices ([`Hierarchy`](super::Hierarchy)) cost less, as on compact bodies of more than
//! about 15,000 vertices. A factor so large that it could not be made in the time of a hundred steps with conjugate
//! gradients is made only for matrices on which they fail.
//!
//! In both cases a pattern of many small components of few shapes gets a solver that knows them ([`Components`]), unless
//! the other components take more flops: then theirs decides. A factor of small components costs about as much as
//! reading the matrix, so it is never kept.
//!
//! The example `factor_times` shows the times behind these numbers.

use super::components::Plan;
use super::ordering::Ordering;
use super::stale::Stale;
use super::{Cholesky, Components, Definiteness, Fallback, LinearError, LinearSolver, Pcg, Stop, Work};
use crate::blocks::Pattern;
use std::sync::Arc;

/// Flops of a factorisation, per stored block of the matrix, above which iterating is cheaper.
pub const FLOPS_A_BLOCK: f64 = 3.5e5;
/// The same where a factor is kept for many matrices.
pub const FLOPS_A_BLOCK_KEPT: f64 = 3.5e6;

/// Solvers that a scene may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SolverKind {
    /// Chosen by counted work.
    #[default]
    Auto,
    /// Supernodal Cholesky, a new factor for each matrix.
    Direct,
    /// Conjugate gradients with a stored factor, rotated with the body.
    Stale,
    /// Conjugate gradients with a stored hierarchy of coarser matrices, rotated with the body.
    Hierarchy,
    /// Conjugate gradients with an incomplete Cholesky preconditioner.
    Pcg,
    /// Cholesky of many small components side by side, a new factor for each matrix; of others as by `Direct`.
    Components,
}

impl SolverKind {
    /// Names in scenes.
    pub const NAMES: [(&'static str, SolverKind); 6] = [
        ("auto", SolverKind::Auto),
        ("direct", SolverKind::Direct),
        ("stale", SolverKind::Stale),
        ("hierarchy", SolverKind::Hierarchy),
        ("pcg", SolverKind::Pcg),
        ("components", SolverKind::Components),
    ];
}

/// Makes the solver of `kind` for independent matrices of `pattern`; `stop` is for the iterative one. Nothing can be
/// kept, so stale and hierarchy are auto.
pub fn choose(pattern: &Arc<Pattern>, kind: SolverKind, stop: Stop) -> Result<Box<dyn LinearSolver>, LinearError> {
    if kind == SolverKind::Pcg {
        return Ok(Box::new(Pcg::new(pattern, stop)));
    }
    if let Some(components) = components(pattern, kind, stop)? {
        return Ok(Box::new(components));
    }
    let ordering = Ordering::best(pattern);
    if kind != SolverKind::Direct && ordering.flops > FLOPS_A_BLOCK * pattern.slots() as f64 {
        return Ok(Box::new(Fallback::new(pattern, ordering, stop)));
    }
    Ok(Box::new(Cholesky::with_ordering(pattern, &ordering)?))
}

/// Cost of a factor of `pattern` by the direct solver that "auto" would choose: multiplications and additions, and
/// numbers of the factor.
pub fn factor_cost(pattern: &Pattern) -> [f64; 2] {
    match Plan::of_groups(pattern).filter(Plan::pays) {
        Some(plan) => plan.cost(),
        None => {
            let ordering = Ordering::best(pattern);
            [ordering.flops, ordering.entries]
        }
    }
}

/// Makes the solver that knows components, where it is asked for or pays.
fn components(pattern: &Arc<Pattern>, kind: SolverKind, stop: Stop) -> Result<Option<Components>, LinearError> {
    match kind {
        SolverKind::Components => Components::new(pattern, stop).map(Some),
        SolverKind::Auto => {
            let plan = Plan::of_groups(pattern).filter(Plan::pays);
            plan.map(|plan| Components::with_plan(pattern, plan, stop)).transpose()
        }
        _ => Ok(None),
    }
}

/// A solver for a sequence of matrices, one per step.
pub enum Solver {
    /// Without memory of earlier matrices.
    Plain(Box<dyn LinearSolver>),
    /// With a stored factor.
    Stale(Box<Stale>),
}

impl Solver {
    /// Work done since the solver was made.
    pub fn work(&self) -> Work {
        match self {
            Solver::Plain(plain) => plain.work(),
            Solver::Stale(stale) => stale.work(),
        }
    }

    /// Returns the signs of the eigenvalues, as far as known.
    pub fn definiteness(&self) -> Definiteness {
        match self {
            Solver::Plain(plain) => plain.definiteness(),
            Solver::Stale(stale) => stale.definiteness(),
        }
    }
}

/// Makes the solver of `kind` for a sequence of matrices of `pattern`.
pub fn choose_for_steps(pattern: &Arc<Pattern>, kind: SolverKind, stop: Stop) -> Result<Solver, LinearError> {
    if kind == SolverKind::Pcg {
        return Ok(Solver::Plain(Box::new(Pcg::new(pattern, stop))));
    }
    if let Some(components) = components(pattern, kind, stop)? {
        return Ok(Solver::Plain(Box::new(components)));
    }
    let ordering = Ordering::best(pattern);
    let is_huge = ordering.flops > FLOPS_A_BLOCK_KEPT * pattern.slots() as f64;
    let stale = |stale| Solver::Stale(Box::new(stale));
    Ok(match kind {
        SolverKind::Auto if !Stale::pays(&ordering, pattern) => {
            Solver::Plain(Box::new(Cholesky::with_ordering(pattern, &ordering)?))
        }
        SolverKind::Auto => stale(Stale::with_best(pattern, ordering, stop, is_huge)),
        SolverKind::Stale => stale(Stale::new(pattern, ordering, stop)),
        SolverKind::Hierarchy => stale(Stale::with_hierarchy(pattern, ordering, stop)),
        _ => Solver::Plain(Box::new(Cholesky::with_ordering(pattern, &ordering)?)),
    })
}
