//! Rayleigh-Ritz in a small basis that may be neither orthogonal nor independent.

use dyn_stack::{MemBuffer, MemStack};
use faer::diag::Diag;
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};

/// Square of a direction, for basis vectors of length 1, below which it counts as rounding.
const DEPENDENT: f64 = 1e-10;

/// Ritz pairs of H c = lam G c.
pub struct Ritz {
    /// Ascending.
    pub values: Vec<f64>,
    /// Columns c with c^T G c = 1.
    pub vectors: Mat<f64>,
    /// Least square of a kept direction: errors of orthogonality are rounding over this.
    pub least: f64,
}

/// Computes all Ritz pairs of the independent part of the basis; `None` where a number is not finite.
pub fn ritz(g: MatRef<f64>, h: MatRef<f64>) -> Option<Ritz> {
    let m = g.nrows();
    let inverse: Vec<f64> = (0..m).map(|i| if g[(i, i)] > 0.0 { 1.0 / g[(i, i)].sqrt() } else { 0.0 }).collect();
    let scaled = Mat::from_fn(m, m, |i, j| inverse[i] * g[(i, j)] * inverse[j]);
    let (squares, turned) = eigen(scaled.as_ref())?;
    let first = squares.iter().position(|&square| square > DEPENDENT).unwrap_or(m);
    let rank = m - first;
    // T^T G T = I.
    let t = Mat::from_fn(m, rank, |i, j| inverse[i] * turned[(i, first + j)] / squares[first + j].sqrt());
    let mut ht = Mat::zeros(m, rank);
    matmul(ht.as_mut(), Accum::Replace, h, t.as_ref(), 1.0, Par::Seq);
    let mut small = Mat::zeros(rank, rank);
    matmul(small.as_mut(), Accum::Replace, t.transpose(), ht.as_ref(), 1.0, Par::Seq);
    let symmetric = Mat::from_fn(rank, rank, |i, j| 0.5 * (small[(i, j)] + small[(j, i)]));
    let (values, y) = eigen(symmetric.as_ref())?;
    let mut vectors = Mat::zeros(m, rank);
    matmul(vectors.as_mut(), Accum::Replace, t.as_ref(), y.as_ref(), 1.0, Par::Seq);
    Some(Ritz { values, vectors, least: squares.get(first).copied().unwrap_or(1.0) })
}

/// Computes eigenvalues, ascending, and eigenvectors of a symmetric matrix, on one thread.
fn eigen(a: MatRef<f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    let n = a.nrows();
    if (0..n).any(|j| a.col(j).iter().any(|x| !x.is_finite())) {
        return None;
    }
    let (mut values, mut q) = (Diag::<f64>::zeros(n), Mat::<f64>::zeros(n, n));
    let mut memory =
        MemBuffer::new(self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, Default::default()));
    let stack = MemStack::new(&mut memory);
    self_adjoint_evd(a, values.as_mut(), Some(q.as_mut()), Par::Seq, stack, Default::default()).ok()?;
    Some((values.column_vector().iter().copied().collect(), q))
}
