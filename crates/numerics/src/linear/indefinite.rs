//! L B L^T = P A P^T of symmetric matrices that are not positive definite, B of 1x1 and 2x2 blocks (Bunch-Kaufman).
//!
//! By Sylvester's law of inertia B has as many negative eigenvalues as A. Pivots never leave their supernode, so the
//! factorisation can be inaccurate: it is checked by solving once for noise, and solutions are refined once.

use super::LinearError;
use super::permuted::Permuted;
use super::supernodal::{NOISE, Structure};
use crate::blocks::BlockMatrix;
use dyn_stack::{MemBuffer, MemStack, StackReq};
use faer::sparse::linalg::cholesky::supernodal;
use faer::{Conj, MatMut, Par};
use std::sync::Arc;

/// Relative residual that a factorisation must reach on noise, after one refinement.
const RESIDUAL: f64 = 1e-8;

/// Memory of L B L^T besides that of L, which a [`super::Factor`] lends.
pub(super) struct Indefinite {
    structure: Arc<Structure>,
    permuted: Permuted,
    /// Below the diagonal of B; zero except at the first row of a 2x2 block.
    subdiagonal: Vec<f64>,
    /// Row k of the pivoted matrix is row `forward[k]` of the permuted one.
    forward: Vec<usize>,
    inverse: Vec<usize>,
    /// Right-hand sides in the order of the factor, and scratch for a residual.
    x: Vec<f64>,
    residual: Vec<f64>,
    memory: MemBuffer,
}

impl Indefinite {
    pub fn new(structure: &Arc<Structure>) -> Indefinite {
        Indefinite {
            permuted: Permuted::new(&structure.layout),
            structure: structure.clone(),
            subdiagonal: Vec::new(),
            forward: Vec::new(),
            inverse: Vec::new(),
            x: Vec::new(),
            residual: Vec::new(),
            memory: MemBuffer::new(StackReq::EMPTY),
        }
    }

    /// Factorises `a` into `values` and counts its negative eigenvalues.
    pub fn factorise(&mut self, a: &BlockMatrix, values: &mut [f64]) -> Result<usize, LinearError> {
        self.permuted.load(a)?;
        let n = a.dim();
        // The factorisation does not write entries beside pivots that need no elimination: they must start as zeros.
        self.subdiagonal.clear();
        self.subdiagonal.resize(n, 0.0);
        self.forward.resize(n, 0);
        self.inverse.resize(n, 0);
        let required = supernodal::factorize_supernodal_numeric_intranode_lblt_scratch::<usize, f64>(
            &self.structure.symbolic,
            Par::Seq,
            Default::default(),
        );
        supernodal::factorize_supernodal_numeric_intranode_lblt(
            values,
            &mut self.subdiagonal,
            &mut self.forward,
            &mut self.inverse,
            self.permuted.lower(),
            &self.structure.symbolic,
            Par::Seq,
            grown(&mut self.memory, required),
            Default::default(),
        );
        let negative = self.count_negative(values)?;
        self.check_on_noise(values)?;
        Ok(negative)
    }

    /// Overwrites the columns of `rhs`, in the order of the matrix, with the solutions.
    pub fn solve(&mut self, values: &[f64], rhs: &mut [f64], columns: usize) {
        self.x.resize(rhs.len(), 0.0);
        self.structure.layout.gather(rhs, &mut self.x);
        self.solve_permuted(values, columns);
        self.structure.layout.scatter(&self.x, rhs);
    }

    /// Counts the negative eigenvalues of B.
    fn count_negative(&self, values: &[f64]) -> Result<usize, LinearError> {
        let mut negative = 0;
        let mut diagonal = self.structure.diagonal(values);
        while let Some((j, d)) = diagonal.next() {
            let (row, off) = (self.forward[j], self.subdiagonal[j]);
            let noise = NOISE * f64::EPSILON * self.permuted.scale(row);
            let singular = LinearError::Singular { row: Some(self.structure.layout.order()[row / 3] as usize) };
            if off == 0.0 {
                // Written so that NaN counts as singular.
                if d.abs() > noise {
                    negative += usize::from(d < 0.0);
                } else {
                    return Err(singular);
                }
            } else if let Some((_, e)) = diagonal.next() {
                // det < 0: one of each sign. Otherwise both have the sign of the trace.
                let det = d * e - off * off;
                if !det.is_finite() || det.abs() <= noise * noise {
                    return Err(singular);
                }
                negative += if det < 0.0 { 1 } else { 2 * usize::from(d + e < 0.0) };
            }
        }
        Ok(negative)
    }

    /// Solves for noise, which has a part along every eigenvector, and checks the residual.
    fn check_on_noise(&mut self, values: &[f64]) -> Result<(), LinearError> {
        let n = self.forward.len();
        let noise = |k: usize| ((k as f64 + 1.0) * 12.9898).sin();
        self.x.resize(n, 0.0);
        self.x.iter_mut().enumerate().for_each(|(k, x)| *x = noise(k));
        self.solve_permuted(values, 1);
        self.residual.resize(n, 0.0);
        self.residual.iter_mut().enumerate().for_each(|(k, r)| *r = noise(k));
        self.permuted.subtract_product(&self.x[..n], &mut self.residual[..n]);
        let squares = |v: &mut dyn Iterator<Item = f64>| v.map(|x| x * x).sum::<f64>();
        let (left, whole) = (squares(&mut self.residual[..n].iter().copied()), squares(&mut (0..n).map(noise)));
        if left <= RESIDUAL * RESIDUAL * whole { Ok(()) } else { Err(LinearError::Singular { row: None }) }
    }

    /// Solves with one step of refinement for `x`, column by column.
    fn solve_permuted(&mut self, values: &[f64], columns: usize) {
        let n = self.forward.len();
        self.residual.resize(2 * n, 0.0);
        let symbolic = &self.structure.symbolic;
        let stack = grown(&mut self.memory, symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        let (residual, y) = self.residual.split_at_mut(n);
        // SAFETY: the factorisation wrote forward and inverse as permutations inverse to each other.
        let perm = unsafe { faer::perm::PermRef::new_unchecked(&self.forward, &self.inverse, n) };
        let lblt = supernodal::SupernodalIntranodeLbltRef::new(symbolic, values, &self.subdiagonal, perm);
        let mut solve = |b: &[f64], y: &mut [f64]| {
            y.iter_mut().zip(&self.forward).for_each(|(y, &k)| *y = b[k]);
            let y = MatMut::from_column_major_slice_mut(y, n, 1);
            lblt.solve_in_place_no_numeric_permute_with_conj(Conj::No, y, Par::Seq, stack);
        };
        for x in self.x.chunks_exact_mut(n.max(1)).take(columns) {
            residual.copy_from_slice(x);
            solve(residual, y);
            self.forward.iter().zip(&*y).for_each(|(&k, y)| x[k] = *y);
            self.permuted.subtract_product(x, residual);
            solve(residual, y);
            self.forward.iter().zip(&*y).for_each(|(&k, y)| x[k] += *y);
        }
    }
}

/// Returns the memory as a stack of at least the required size.
fn grown(memory: &mut MemBuffer, required: StackReq) -> &mut MemStack {
    if !MemStack::new(memory).can_hold(required) {
        *memory = MemBuffer::new(required);
    }
    MemStack::new(memory)
}
