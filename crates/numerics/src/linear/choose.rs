//! Which solver serves a pattern: the rule behind "auto".
//!
//! Costs are counted, never timed, so the same mesh gets the same solver and the same bits on every machine. A
//! factorisation runs at the speed of dense kernels, an iteration of conjugate gradients at that of memory: per flop
//! some 25 times slower. It does about 72 flops a stored block (product and two sweeps of the incomplete factor). To a
//! residual of 1e-8 it takes 60 iterations on a soft compact body (h^2 K like M) and 200 on a stiff one: as much as
//! 1e5 to 3.6e5 flops of a factorisation a block. The line is drawn where the stiff body breaks even:
//!
//! conjugate gradients if flops(L) > [`FLOPS_A_BLOCK`] x (stored blocks of A), otherwise direct.
//! A matrix on which they fail, because it is indefinite, is factorised all the same ([`Fallback`]).
//!
//! Compact meshes cross that line at about 18,000 nodes; slender ones, whose factor grows in step with the matrix and
//! whose length takes more iterations, never. The example `factor_times` shows the times behind these numbers.

use super::ordering::Ordering;
use super::{Cholesky, Fallback, LinearError, LinearSolver, Pcg, Stop};
use crate::blocks::Pattern;
use std::sync::Arc;

/// Flops of a factorisation, per stored block of the matrix, above which iterating is cheaper.
pub const FLOPS_A_BLOCK: f64 = 3.5e5;

/// What a scene may ask for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum SolverKind {
    /// By counted work: direct except for large compact meshes.
    #[default]
    Auto,
    /// Supernodal Cholesky.
    Direct,
    /// Conjugate gradients with an incomplete Cholesky preconditioner.
    Pcg,
}

impl SolverKind {
    /// The words for them.
    pub const NAMES: [(&'static str, SolverKind); 3] =
        [("auto", SolverKind::Auto), ("direct", SolverKind::Direct), ("pcg", SolverKind::Pcg)];
}

/// The solver of `kind` for matrices of `pattern`; `stop` is for the iterative one.
pub fn choose(pattern: &Arc<Pattern>, kind: SolverKind, stop: Stop) -> Result<Box<dyn LinearSolver>, LinearError> {
    if kind == SolverKind::Pcg {
        return Ok(Box::new(Pcg::new(pattern, stop)));
    }
    let ordering = Ordering::best(pattern);
    if kind == SolverKind::Auto && ordering.flops > FLOPS_A_BLOCK * pattern.slots() as f64 {
        return Ok(Box::new(Fallback::new(pattern, ordering, stop)));
    }
    Ok(Box::new(Cholesky::with_ordering(pattern, &ordering)?))
}
