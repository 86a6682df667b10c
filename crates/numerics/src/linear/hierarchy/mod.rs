//! A hierarchy of coarser and coarser matrices: smoothed aggregation (Vanek, Mandel, Brezina 1996).
//!
//! Neighbouring nodes become aggregates, each with six unknowns: its rigid motions, which cost hardly any energy. The
//! matrix of the next level is P^T A P with the prolongator P = (I - omega D^-1 A) T, T the motions themselves, and so
//! on until a direct factor costs nothing. A cycle smooths, solves the next level, and smooths again. As preconditioner
//! it needs about 20 iterations to 1e-6 (E = 1e6 to 1e8 Pa, nu = .45) and 8 with nu = .3, whatever the number of
//! nodes: memory and time per solve grow like the matrix, where those of a factor of a compact body grow like the power
//! 4/3 of the nodes, and its factorisation like the square.
//!
//! Within the cycle T takes the place of P: smoothing smooths the prolongation too, and P is not stored. The cycle is
//! symmetric and positive definite, because pre- and post-smoother are the same polynomial of the matrix and the coarse
//! matrix is positive definite. Everything is in single precision but the coarsest factor: conjugate gradients correct
//! it. The same bits on any number of threads.

mod aggregates;
mod galerkin;
mod level;
mod make;
mod small;
mod spectrum;
#[cfg(test)]
mod tests;

use super::LinearError;
use super::ordering::Ordering;
use super::supernodal::{Factor, Structure};
use crate::blocks::{BlockMatrix, Pattern};
use crate::interrupt;
use crate::mat3::{Mat3, mat_t_vec, mat_vec};
use level::{Level, PADDING};
use make::{Made, Problem};
use rayon::prelude::*;
use small::{Block, MOTIONS};
use std::sync::Arc;

/// Nodes of a level that the direct factor solves.
const SMALLEST: usize = 300;
/// A level that is not smaller than this part of the one above is left to the factor.
const SHRINKS: f64 = 0.7;
/// Nodes per task of a pass over vectors.
const NODES_PER_TASK: usize = 2048;
/// Bytes moved per stored block of the matrix by a cycle, and by making the levels: fitted to times of cubes.
const BYTES_A_CYCLE: f64 = 700.0;
const BYTES_TO_MAKE: f64 = 15_000.0;

/// P^-1, close to the inverse of a matrix.
pub struct Hierarchy {
    finest: Level<3, 4>,
    /// Inverse factors of the diagonal blocks.
    scale: Vec<[[f32; 3]; 3]>,
    coarse: Vec<Level<MOTIONS, 8>>,
    last: Factor<f64>,
    rhs_of_last: Vec<f64>,
    z: Vec<f32>,
}

impl Hierarchy {
    /// Makes the levels of `a`; `positions` of its nodes come first in that list. `None` if `a` is not positive definite
    /// to single precision.
    pub fn new(a: &BlockMatrix, positions: &[f64]) -> Result<Option<Hierarchy>, LinearError> {
        let motions: Vec<_> = positions.as_chunks::<3>().0.iter().take(a.pattern().rows()).map(rigid_motions).collect();
        let Some(Made { level: mut finest, inverses: scale, mut next }) = make::level(a.pattern(), &a.values, &motions)
        else {
            return Ok(None);
        };
        let mut coarse: Vec<Level<MOTIONS, 8>> = Vec::new();
        let mut above = a.pattern().rows();
        while next.pattern.rows() > SMALLEST && (next.pattern.rows() as f64) < SHRINKS * above as f64 {
            interrupt::check()?;
            above = next.pattern.rows();
            let Some(made) = make::level(&next.pattern, &next.values, &next.motions) else { return Ok(None) };
            match coarse.last_mut() {
                Some(level) => level.scale_next(&made.inverses),
                None => finest.scale_next(&made.inverses),
            }
            coarse.push(made.level);
            next = made.next;
        }
        let Some(last) = factor(&next)? else { return Ok(None) };
        let rhs_of_last = vec![0.0; MOTIONS * next.pattern.rows()];
        let scale = scale.iter().map(|l| l.map(|row| row.map(|x| x as f32))).collect();
        Ok(Some(Hierarchy { z: vec![0.0; a.dim() + PADDING], finest, scale, coarse, last, rhs_of_last }))
    }

    /// Bytes moved by an application, and by making it, for a matrix of `slots` stored blocks.
    pub(super) fn cost(slots: usize) -> [f64; 2] {
        [BYTES_A_CYCLE, BYTES_TO_MAKE].map(|bytes| bytes * slots as f64)
    }

    /// Numbers in single precision stored.
    pub fn entries(&self) -> usize {
        let coarse: usize = self.coarse.iter().map(Level::entries).sum();
        self.finest.entries() + coarse + 9 * self.scale.len() + self.z.len() + self.last.bytes() / 4
    }

    /// Overwrites each column with W P^-1 W^T times itself, W = blockdiag(`warp`), the identity without one.
    pub fn solve(&mut self, x: &mut [f64], warp: Option<&[Mat3]>) {
        let Hierarchy { finest, scale, coarse, last, rhs_of_last, z } = self;
        for column in x.chunks_exact_mut(3 * scale.len()) {
            let nodes = column.as_chunks_mut::<3>().0;
            // A power of two, so that neither small nor large units leave the range of single precision.
            let size = nodes.as_flattened().iter().fold(0.0_f64, |most, x| most.max(x.abs()));
            let unit = if size > f64::MIN_POSITIVE && size.is_finite() {
                2.0_f64.powi((size.log2().floor() as i32).min(1000))
            } else {
                1.0
            };
            let per_unit = 1.0 / unit;
            let tasks = z.as_chunks_mut::<3>().0.par_chunks_mut(NODES_PER_TASK).zip(nodes.par_chunks(NODES_PER_TASK));
            tasks.enumerate().for_each(|(task, (z, x))| {
                for (k, (z, x)) in z.iter_mut().zip(x).enumerate() {
                    let i = task * NODES_PER_TASK + k;
                    let x = warp.map_or(*x, |w| mat_t_vec(&w[i], *x)).map(|x| (per_unit * x) as f32);
                    let l = &scale[i];
                    *z = std::array::from_fn(|r| (0..=r).map(|c| l[r][c] * x[c]).sum());
                }
            });
            finest.cycle(z, &mut |z| descend(coarse, last, rhs_of_last, z));
            let tasks = nodes.par_chunks_mut(NODES_PER_TASK).zip(z.as_chunks::<3>().0.par_chunks(NODES_PER_TASK));
            tasks.enumerate().for_each(|(task, (x, z))| {
                for (k, (x, z)) in x.iter_mut().zip(z).enumerate() {
                    let i = task * NODES_PER_TASK + k;
                    let l = &scale[i];
                    let y: [f32; 3] = std::array::from_fn(|c| (c..3).map(|r| l[r][c] * z[r]).sum());
                    let y = y.map(|y| unit * f64::from(y));
                    *x = warp.map_or(y, |w| mat_vec(&w[i], y));
                }
            });
        }
    }
}

/// Solves the levels from the first of `levels` on.
fn descend(levels: &mut [Level<MOTIONS, 8>], last: &mut Factor<f64>, rhs: &mut [f64], z: &mut [f32]) {
    match levels.split_first_mut() {
        Some((level, rest)) => level.cycle(z, &mut |z| descend(rest, last, rhs, z)),
        None => {
            rhs.iter_mut().zip(&*z).for_each(|(rhs, z)| *rhs = f64::from(*z));
            last.solve(rhs, 1, None);
            z.iter_mut().zip(&*rhs).for_each(|(z, x)| *z = *x as f32);
        }
    }
}

/// Returns the displacements of a node by unit translations, and by rotations about the three axes.
fn rigid_motions(&[x, y, z]: &[f64; 3]) -> Block<3, MOTIONS> {
    [[1.0, 0.0, 0.0, 0.0, z, -y], [0.0, 1.0, 0.0, -z, 0.0, x], [0.0, 0.0, 1.0, y, -x, 0.0]]
}

/// Factorises the coarsest matrix, whose blocks of 6 x 6 are four of 3 x 3; `None` if it is not positive definite.
fn factor(problem: &Problem<MOTIONS>) -> Result<Option<Factor<f64>>, LinearError> {
    let coarse = &problem.pattern;
    let neighbours: Vec<Vec<u32>> = (0..2 * coarse.rows())
        .map(|i| coarse.columns(i / 2).iter().flat_map(|&j| [2 * j, 2 * j + 1]).collect())
        .collect();
    let pattern = Arc::new(Pattern::from_neighbours(&neighbours));
    let mut a = BlockMatrix::zeros(pattern.clone());
    for i in 0..pattern.rows() {
        for (j, slot) in pattern.lower(i) {
            let Some(from) = coarse.slot(i / 2, j / 2) else { continue };
            let (row, column) = (3 * (i % 2), 3 * (j % 2));
            a.values[slot] =
                std::array::from_fn(|r| std::array::from_fn(|c| problem.values[from][row + r][column + c]));
        }
    }
    let mut factor = Factor::new(&Structure::new(&pattern, &Ordering::best(&pattern))?)?;
    match factor.factorise(&a) {
        Ok(()) => Ok(Some(factor)),
        Err(LinearError::Interrupted) => Err(LinearError::Interrupted),
        Err(_) => Ok(None),
    }
}
