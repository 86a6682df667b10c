//! Symbolic analysis of a pattern: made once, shared by all its factors.

use crate::blocks::Pattern;
use crate::linear::LinearError;
use crate::linear::ordering::Ordering;
use crate::linear::permuted::Layout;
use dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::cholesky::simplicial;
use faer::sparse::linalg::cholesky::supernodal::{self, SymbolicSupernodalCholesky};
use std::sync::Arc;

/// What all factors of one pattern share: the order of elimination, the layout of the permuted matrix and the
/// supernodes of its factor.
pub struct Structure {
    pub(super) pattern: Arc<Pattern>,
    pub(super) layout: Arc<Layout>,
    pub(super) symbolic: SymbolicSupernodalCholesky<usize>,
    flops: f64,
}

impl Structure {
    /// Analyses `pattern` for an order of elimination.
    pub fn new(pattern: &Arc<Pattern>, ordering: &Ordering) -> Result<Arc<Structure>, LinearError> {
        let layout = Arc::new(Layout::new(pattern, ordering));
        let symbolic = analyse(&layout).ok_or(LinearError::TooLarge { entries: ordering.entries })?;
        Ok(Arc::new(Structure { pattern: pattern.clone(), layout, symbolic, flops: ordering.flops }))
    }

    /// Multiplications and additions of a factorisation.
    pub fn flops(&self) -> f64 {
        self.flops
    }

    /// Numbers stored in a factor.
    pub fn entries(&self) -> f64 {
        self.symbolic.len_val() as f64
    }
}

/// Supernodes of the factor; `None` when there is no memory for the analysis.
pub(in crate::linear) fn analyse(layout: &Layout) -> Option<SymbolicSupernodalCholesky<usize>> {
    let n = layout.dim();
    let upper = layout.upper();
    let (mut parent, mut counts) = (vec![0_isize; n], vec![0_usize; n]);
    let required = simplicial::prefactorize_symbolic_cholesky_scratch::<usize>(n, upper.row_idx().len())
        .or(supernodal::factorize_supernodal_symbolic_cholesky_scratch::<usize>(n));
    let mut memory = MemBuffer::new(required);
    let stack = MemStack::new(&mut memory);
    let tree = simplicial::prefactorize_symbolic_cholesky(&mut parent, &mut counts, upper.as_ref(), stack);
    supernodal::factorize_supernodal_symbolic_cholesky(upper.as_ref(), tree, &counts, stack, Default::default()).ok()
}
