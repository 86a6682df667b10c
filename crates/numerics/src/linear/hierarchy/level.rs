//! One level: the matrix with unit diagonal blocks in single precision, its smoother, and the way to the next level.
//!
//! With A_ii = L_i L_i^T a level works on A^ = L^-1 A L^-T: smoothing needs no diagonal, and all numbers are of size
//! one, whatever the units. Rows are computed from both triangles and written once, so the bits do not depend on threads.

use super::aggregates::{Aggregates, NONE};
use super::small::{Block, MOTIONS};
use crate::blocks::Pattern;
use rayon::prelude::*;
use std::sync::Arc;

/// Rows and aggregates per task; fixed, so that threads never change the result.
const ROWS_PER_TASK: usize = 512;
const AGGREGATES_PER_TASK: usize = 128;
/// Numbers that kernels read beyond the end of vectors and blocks.
pub(super) const PADDING: usize = 8;
/// Steps of the smoother, before and after the coarse solve. Two need half as many iterations again, four save a sixth.
pub(super) const STEPS: usize = 3;

/// A level of B unknowns per node; W >= B is a count of lanes.
pub(super) struct Level<const B: usize, const W: usize> {
    pub pattern: Arc<Pattern>,
    /// Blocks of A^ off the diagonal, row by row on both sides of it: twice the numbers of one triangle, but read in the
    /// order of memory, which is twice as fast.
    pub values: Vec<f32>,
    /// Upper bound of the eigenvalues of A^.
    pub most: f32,
    pub aggregates: Aggregates,
    /// Tentative prolongator: B x 6 numbers per node.
    pub tentative: Vec<f32>,
    b: Vec<f32>,
    x: Vec<f32>,
    /// The next x, while x is read.
    ahead: Vec<f32>,
    /// Last change of x, or the residual.
    change: Vec<f32>,
    /// Right-hand side of the next level, then its solution.
    below: Vec<f32>,
}

/// Weights of step k = 1, 2, ... of the Chebyshev smoother of the fourth kind, for eigenvalues up to 1: of the last
/// change, and of the residual (Lottes 2023; it needs no lower bound).
fn weights(k: usize) -> [f32; 2] {
    let k = k as f32;
    [(2.0 * k - 3.0) / (2.0 * k + 1.0), (8.0 * k - 4.0) / (2.0 * k + 1.0)]
}

impl<const B: usize, const W: usize> Level<B, W> {
    pub fn new(pattern: Arc<Pattern>, values: Vec<f32>, aggregates: Aggregates, tentative: Vec<f32>) -> Level<B, W> {
        let zeros = || vec![0.0; B * pattern.rows() + PADDING];
        let [b, x, ahead, change] = [zeros(), zeros(), zeros(), zeros()];
        let below = vec![0.0; MOTIONS * aggregates.count() + PADDING];
        Level { pattern, values, most: 1.0, aggregates, tentative, b, x, ahead, change, below }
    }

    /// Numbers stored.
    pub fn entries(&self) -> usize {
        self.values.len() + self.tentative.len() + 4 * self.b.len() + self.below.len()
    }

    /// Passes row i of A^ x to `put` with the blocks i of two vectors.
    pub fn for_rows(
        &self,
        x: &[f32],
        [y, z]: [&mut [f32]; 2],
        put: impl Fn(usize, [f32; B], &mut [f32; B], &mut [f32; B]) + Sync,
    ) {
        let y = y.par_chunks_mut(B * ROWS_PER_TASK);
        let z = z.par_chunks_mut(B * ROWS_PER_TASK);
        let rows = self.pattern.rows();
        y.zip(z).enumerate().for_each(|(task, (y, z))| {
            let blocks = y.as_chunks_mut::<B>().0.iter_mut().zip(z.as_chunks_mut::<B>().0);
            let here = task * ROWS_PER_TASK..rows;
            here.zip(blocks).for_each(|(i, (y, z))| put(i, self.row_times(i, x), y, z));
        });
    }

    /// Returns row `i` of A^ x.
    #[inline]
    fn row_times(&self, i: usize, x: &[f32]) -> [f32; B] {
        let (first, left, right) = self.pattern.off_diagonal(i);
        let blocks = &self.values[B * B * first..][..B * B * (left.len() + right.len()) + PADDING];
        // Lanes from B on hold numbers of other blocks, and are never read.
        let mut rows = [[0.0_f32; W]; B];
        for (p, &j) in left.iter().chain(right).enumerate() {
            let (a, x) = (&blocks[B * B * p..][..B * (B - 1) + W], &x[B * j as usize..][..W]);
            for r in 0..B {
                let a = &a[B * r..][..W];
                (0..W).for_each(|c| rows[r][c] += a[c] * x[c]);
            }
        }
        std::array::from_fn(|r| x[B * i + r] + (0..B).map(|c| rows[r][c]).sum::<f32>())
    }

    /// Returns columns and blocks of row `i`, without the diagonal.
    pub fn row(&self, i: usize) -> impl Iterator<Item = (usize, Block<B, B>)> + '_ {
        let (first, left, right) = self.pattern.off_diagonal(i);
        let blocks = self.values[B * B * first..].as_chunks::<B>().0.chunks_exact(B);
        left.iter()
            .chain(right)
            .zip(blocks)
            .map(|(&j, block)| (j as usize, std::array::from_fn(|r| block[r].map(f64::from))))
    }

    /// Overwrites `z` with P^-1 z, P close to A^: smoothing, a solve of the next level by `solve`, smoothing.
    pub fn cycle(&mut self, z: &mut [f32], solve: &mut dyn FnMut(&mut [f32])) {
        let mut work =
            [&mut self.b, &mut self.x, &mut self.ahead, &mut self.change, &mut self.below].map(std::mem::take);
        let [b, x, ahead, change, below] = &mut work;
        b.copy_from_slice(z);
        let start = weights(1)[1] / self.most;
        x.iter_mut().zip(&mut *change).zip(&*b).for_each(|((x, change), b)| {
            *change = start * b;
            *x = *change;
        });
        (2..=STEPS).for_each(|k| self.smooth(k, b, x, ahead, change));
        if self.aggregates.count() > 0 {
            self.for_rows(x, [&mut *change, &mut *ahead], |i, y, r, _| (0..B).for_each(|c| r[c] = b[B * i + c] - y[c]));
            self.restrict(change, below);
            solve(below);
            self.prolong(below, x);
        }
        (1..=STEPS).for_each(|k| self.smooth(k, b, x, ahead, change));
        z.copy_from_slice(x);
        [self.b, self.x, self.ahead, self.change, self.below] = work;
    }

    /// Step k of the smoother.
    fn smooth(&self, k: usize, b: &[f32], x: &mut Vec<f32>, ahead: &mut Vec<f32>, change: &mut [f32]) {
        let [of_change, of_residual] = weights(k);
        let of_residual = of_residual / self.most;
        // The first step starts anew.
        let of_change = if k == 1 { 0.0 } else { of_change };
        self.for_rows(x, [change, ahead], |i, y, change, ahead| {
            for c in 0..B {
                change[c] = of_change * change[c] + of_residual * (b[B * i + c] - y[c]);
                ahead[c] = x[B * i + c] + change[c];
            }
        });
        std::mem::swap(x, ahead);
    }

    /// Sets `coarse` = T^T r.
    fn restrict(&self, r: &[f32], coarse: &mut [f32]) {
        let Level { aggregates, tentative, .. } = self;
        let tasks = coarse[..MOTIONS * aggregates.count()].par_chunks_mut(MOTIONS * AGGREGATES_PER_TASK);
        tasks.enumerate().for_each(|(task, coarse)| {
            for (k, coarse) in coarse.as_chunks_mut::<MOTIONS>().0.iter_mut().enumerate() {
                *coarse = [0.0; MOTIONS];
                for &i in aggregates.nodes(task * AGGREGATES_PER_TASK + k) {
                    let i = i as usize;
                    for (t, r) in tentative[B * MOTIONS * i..].as_chunks::<MOTIONS>().0.iter().zip(&r[B * i..B * i + B])
                    {
                        (0..MOTIONS).for_each(|m| coarse[m] += t[m] * r);
                    }
                }
            }
        });
    }

    /// x += T `coarse`.
    fn prolong(&self, coarse: &[f32], x: &mut [f32]) {
        let Level { aggregates, tentative, .. } = self;
        let coarse = coarse.as_chunks::<MOTIONS>().0;
        x.par_chunks_mut(B * ROWS_PER_TASK).enumerate().for_each(|(task, x)| {
            let here = &aggregates.of[(task * ROWS_PER_TASK).min(aggregates.of.len())..];
            for (k, (x, &aggregate)) in x.as_chunks_mut::<B>().0.iter_mut().zip(here).enumerate() {
                if aggregate != NONE {
                    let i = task * ROWS_PER_TASK + k;
                    let e = &coarse[aggregate as usize];
                    for (x, t) in x.iter_mut().zip(tentative[B * MOTIONS * i..].as_chunks::<MOTIONS>().0) {
                        *x += (0..MOTIONS).map(|m| t[m] * e[m]).sum::<f32>();
                    }
                }
            }
        });
    }
}
