//! Incomplete Cholesky factor with the pattern of the matrix, in 3x3 blocks: A ~ L L^T without fill.
//!
//! Row by row, L_ik = (A_ik - sum_j L_ij L_kj^T) L_kk^-T over the blocks j < k the rows i and k share, and
//! L_ii L_ii^T = A_ii - sum_j L_ij L_ij^T. Dropped fill can make that last block lose its positivity although A is
//! positive definite; then all diagonal blocks are enlarged by a factor 1 + shift and the factorisation starts again
//! (Manteuffel 1980). Rows keep the order of the matrix: a mesh numbered along its shape suits the incomplete factor.

use super::LinearError;
use super::pcg::Preconditioner;
use super::permuted::first_non_finite;
use crate::blocks::{BlockMatrix, Pattern};
use crate::mat3::{Mat3, Vec3, mat_mul_t, mat_sub};
use crate::vectors::is_finite;
use std::sync::Arc;

/// First shift tried after a breakdown; each further one is four times larger.
const FIRST_SHIFT: f64 = 1e-3;
/// Number of shifts tried; the last one is about 250, where diagonal blocks dominate everything.
const SHIFTS: i32 = 10;
/// A pivot this small relative to the diagonal entry it comes from is a breakdown.
const BREAKDOWN: f64 = 1e-6;

/// The factor, and the memory to make the next one.
pub struct IncompleteCholesky {
    pattern: Arc<Pattern>,
    /// Blocks of L by slot of A. In place of L_ii stands its inverse.
    factor: Vec<Mat3>,
    /// Slot of block (i, j) of the row being factorised, by column j; valid where `owner` is i.
    slot: Vec<u32>,
    owner: Vec<u32>,
    shift: f64,
}

impl IncompleteCholesky {
    /// Memory for matrices of `pattern`.
    pub fn new(pattern: &Arc<Pattern>) -> IncompleteCholesky {
        IncompleteCholesky {
            pattern: pattern.clone(),
            factor: vec![[[0.0; 3]; 3]; pattern.slots()],
            slot: vec![0; pattern.rows()],
            owner: vec![u32::MAX; pattern.rows()],
            shift: 0.0,
        }
    }

    /// Factorises `a`.
    pub fn factorise(&mut self, a: &BlockMatrix) -> Result<(), LinearError> {
        super::adopt(&mut self.pattern, a)?;
        if !is_finite(a.values.as_flattened().as_flattened()) {
            return Err(LinearError::NonFinite { row: first_non_finite::<f64>(a).unwrap_or(0) });
        }
        for attempt in 0..=SHIFTS {
            self.shift = if attempt == 0 { 0.0 } else { FIRST_SHIFT * 4_f64.powi(attempt - 1) };
            if self.attempt(a) {
                return Ok(());
            }
        }
        Err(LinearError::Indefinite { negative: None })
    }

    fn attempt(&mut self, a: &BlockMatrix) -> bool {
        let pattern = &*self.pattern;
        self.owner.fill(u32::MAX);
        for i in 0..pattern.rows() {
            for (j, slot) in pattern.lower(i) {
                self.slot[j] = slot as u32;
                self.owner[j] = i as u32;
            }
            let at = pattern.diagonal(i);
            let scale = 1.0 + self.shift;
            let full: Mat3 = a.values[at].map(|row| row.map(|x| scale * x));
            let mut diagonal = full;
            for (k, slot) in pattern.lower(i).filter(|&(k, _)| k < i) {
                let mut block = a.values[slot];
                for (j, other) in pattern.lower(k).filter(|&(j, _)| j < k) {
                    if self.owner[j] == i as u32 {
                        block = mat_sub(&block, &mat_mul_t(&self.factor[self.slot[j] as usize], &self.factor[other]));
                    }
                }
                let block = mat_mul_t(&block, &self.factor[pattern.diagonal(k)]);
                diagonal = mat_sub(&diagonal, &mat_mul_t(&block, &block));
                self.factor[slot] = block;
            }
            match inverse_cholesky(&diagonal, [full[0][0], full[1][1], full[2][2]]) {
                Some(inverse) => self.factor[at] = inverse,
                None => return false,
            }
        }
        true
    }

    /// x <- (L L^T)^-1 x
    fn solve(&self, x: &mut [f64]) {
        let pattern = &*self.pattern;
        let get = |x: &[f64], i: usize| -> Vec3 { [x[3 * i], x[3 * i + 1], x[3 * i + 2]] };
        for i in 0..pattern.rows() {
            let mut sum = get(x, i);
            let mut inverse = 0;
            for (k, slot) in pattern.lower(i) {
                if k == i {
                    inverse = slot;
                    break;
                }
                let (l, y) = (&self.factor[slot], get(x, k));
                for r in 0..3 {
                    sum[r] -= l[r][0] * y[0] + l[r][1] * y[1] + l[r][2] * y[2];
                }
            }
            let l = &self.factor[inverse];
            for r in 0..3 {
                x[3 * i + r] = l[r][0] * sum[0] + l[r][1] * sum[1] + l[r][2] * sum[2];
            }
        }
        for i in (0..pattern.rows()).rev() {
            let (l, y) = (&self.factor[pattern.diagonal(i)], get(x, i));
            let y: Vec3 = std::array::from_fn(|r| l[0][r] * y[0] + l[1][r] * y[1] + l[2][r] * y[2]);
            x[3 * i..3 * i + 3].copy_from_slice(&y);
            for (k, slot) in pattern.lower(i).filter(|&(k, _)| k < i) {
                let l = &self.factor[slot];
                for r in 0..3 {
                    x[3 * k + r] -= l[0][r] * y[0] + l[1][r] * y[1] + l[2][r] * y[2];
                }
            }
        }
    }
}

impl Preconditioner for IncompleteCholesky {
    fn apply(&mut self, x: &mut [f64], _: usize) -> Result<(), LinearError> {
        x.chunks_exact_mut(3 * self.pattern.rows().max(1)).for_each(|x| self.solve(x));
        Ok(())
    }
}

/// L^-1 of A = L L^T; `None` when a pivot is lost relative to `scale`.
fn inverse_cholesky(a: &Mat3, scale: Vec3) -> Option<Mat3> {
    let kept = |pivot: f64, scale: f64| (scale > 0.0 && pivot > BREAKDOWN * scale).then(|| pivot.sqrt());
    let l00 = kept(a[0][0], scale[0])?;
    let (l10, l20) = (a[1][0] / l00, a[2][0] / l00);
    let l11 = kept(a[1][1] - l10 * l10, scale[1])?;
    let l21 = (a[2][1] - l20 * l10) / l11;
    let l22 = kept(a[2][2] - l20 * l20 - l21 * l21, scale[2])?;
    let (m00, m11, m22) = (1.0 / l00, 1.0 / l11, 1.0 / l22);
    let m10 = -l10 * m00 * m11;
    let m21 = -l21 * m11 * m22;
    let m20 = -(l20 * m00 + l21 * m10) * m22;
    Some([[m00, 0.0, 0.0], [m10, m11, 0.0], [m20, m21, m22]])
}
