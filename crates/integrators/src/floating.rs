//! Bodies that nothing holds, in approximate solutions of A x = b, A = m M + d D + k K.
//!
//! K resists no translation, so the sum of A x is that of the momenta. An approximate solution is corrected in this respect at no
//! cost, so that momentum does not depend on the tolerance.

use model::Model;
use numerics::mat3::{add, scale, sub};

/// Masses of a body that nothing holds.
pub(crate) struct Floating {
    mass: Vec<f64>,
    total: f64,
}

impl Floating {
    /// Returns `None` where something holds the body.
    pub fn new(model: &Model) -> Option<Floating> {
        // A term on a single node is an outside force.
        let is_inner = model.terms().iter().all(|term| term.count() == 0 || term.nodes(0).len() > 1);
        let is_free = model.nodes() > 0 && model.free_nodes() == model.nodes() && model.stokes().is_none();
        (is_inner && is_free).then(|| {
            let mass = model.node_mass().to_vec();
            Floating { total: mass.iter().sum(), mass }
        })
    }

    /// Sums each column over the nodes.
    pub fn sums(&self, rhs: &[f64], columns: usize) -> Vec<[f64; 3]> {
        let sum = |column: &[f64]| column.as_chunks::<3>().0.iter().fold([0.0; 3], |sum, b| add(sum, *b));
        rhs.chunks_exact(3 * self.mass.len()).take(columns).map(sum).collect()
    }

    /// Shifts each column x so that inertia sum_i m_i x_i is the sum of its right-hand side.
    pub fn keep_momentum(&self, inertia: f64, push: &[[f64; 3]], x: &mut [f64]) {
        for (x, push) in x.chunks_exact_mut(3 * self.mass.len()).zip(push) {
            let nodes = x.as_chunks_mut::<3>().0;
            let momentum = nodes.iter().zip(&self.mass).fold([0.0; 3], |sum, (x, m)| add(sum, scale(*m, *x)));
            let shift = scale(1.0 / self.total, sub(scale(1.0 / inertia, *push), momentum));
            nodes.iter_mut().for_each(|x| *x = add(*x, shift));
        }
    }
}
