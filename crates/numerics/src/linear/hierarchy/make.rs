//! Making a level from a matrix and the motions that cost no energy.

use super::aggregates::{Aggregates, NONE};
use super::level::{Level, PADDING};
use super::small::{Block, MOTIONS, cholesky, inverse, orthonormalize, times, transpose};
use super::{galerkin, spectrum};
use crate::blocks::Pattern;
use rayon::prelude::*;
use std::sync::Arc;

/// A level's matrix, and the rigid motions in its unknowns.
pub(super) struct Problem<const B: usize> {
    pub pattern: Arc<Pattern>,
    /// Blocks by slot.
    pub values: Vec<Block<B, B>>,
    /// Rigid motions, a block per node.
    pub motions: Vec<Block<B, MOTIONS>>,
}

/// A level, the inverse L_i^-1 of the factor of each diagonal block, and what is left to solve.
pub(super) struct Made<const B: usize, const W: usize> {
    pub level: Level<B, W>,
    pub inverses: Vec<Block<B, B>>,
    pub next: Problem<MOTIONS>,
}

/// Makes a level for the matrix of `pattern`; `None` if a diagonal block is not positive definite.
pub(super) fn level<const B: usize, const W: usize>(
    pattern: &Arc<Pattern>,
    values: &[Block<B, B>],
    motions: &[Block<B, MOTIONS>],
) -> Option<Made<B, W>> {
    let rows = pattern.rows();
    let factors: Option<Vec<Block<B, B>>> = (0..rows).map(|i| cholesky(&values[pattern.diagonal(i)])).collect();
    let factors = factors?;
    let inverses: Vec<Block<B, B>> = factors.par_iter().map(inverse).collect();
    let mut scaled = vec![0.0_f32; B * B * pattern.off_diagonal_blocks() + PADDING];
    let mut strength = vec![0.0_f32; pattern.slots()];
    let mut blocks = scaled.chunks_exact_mut(B * B);
    for i in 0..rows {
        for ((j, slot), scaled) in pattern.neighbours(i).filter(|&(j, _)| j != i).zip(&mut blocks) {
            // Right of the diagonal the slot holds the transposed block.
            let block = if j < i { values[slot] } else { transpose(&values[slot]) };
            let block = times(&times(&inverses[i], &block), &transpose(&inverses[j]));
            strength[slot] = block.as_flattened().iter().map(|x| x * x).sum::<f64>().sqrt() as f32;
            scaled.iter_mut().zip(block.as_flattened()).for_each(|(scaled, x)| *scaled = *x as f32);
        }
    }
    let aggregates = Aggregates::new(pattern, &strength);
    // Orthonormal motions of each aggregate, and the coefficients of the rigid ones.
    let of_aggregate = |k: usize| {
        let nodes = aggregates.nodes(k).iter().map(|&i| i as usize);
        let mut blocks: Vec<_> = nodes.map(|i| times(&transpose(&factors[i]), &motions[i])).collect();
        let coefficients = orthonormalize(&mut blocks);
        (blocks, coefficients)
    };
    let made: Vec<_> = (0..aggregates.count()).into_par_iter().map(of_aggregate).collect();
    let mut tentative = vec![0.0_f32; B * MOTIONS * rows];
    let mut next_motions = Vec::with_capacity(made.len());
    for (k, (blocks, coefficients)) in made.into_iter().enumerate() {
        next_motions.push(coefficients);
        for (&i, block) in aggregates.nodes(k).iter().zip(&blocks) {
            let tentative = &mut tentative[B * MOTIONS * i as usize..][..B * MOTIONS];
            tentative.iter_mut().zip(block.as_flattened()).for_each(|(t, x)| *t = *x as f32);
        }
    }
    let mut level = Level::new(pattern.clone(), scaled, aggregates, tentative);
    level.most = spectrum::largest(&level) as f32;
    let (pattern, values) = galerkin::coarse(&level);
    let next = Problem { pattern: Arc::new(pattern), values, motions: next_motions };
    Some(Made { level, inverses, next })
}

impl<const B: usize, const W: usize> Level<B, W> {
    /// Makes this level prolong from the scaled unknowns of the next one: T <- T L^-T.
    pub fn scale_next(&mut self, inverses: &[Block<MOTIONS, MOTIONS>]) {
        for (rows, &aggregate) in
            self.tentative.as_chunks_mut::<MOTIONS>().0.chunks_exact_mut(B).zip(&self.aggregates.of)
        {
            if aggregate == NONE {
                continue;
            }
            let inverse = &inverses[aggregate as usize];
            for row in rows {
                let old = row.map(f64::from);
                *row = inverse.map(|l| l.iter().zip(old).map(|(l, t)| l * t).sum::<f64>() as f32);
            }
        }
    }
}
