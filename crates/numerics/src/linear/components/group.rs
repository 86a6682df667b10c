//! The factor of all components of one shape.

use super::doubtful::Doubtful;
use super::pack::{self, Block, Gathered, Sources, Triangle};
use super::packs::Packs;
use super::partition::Alike;
use super::shape::Shape;
use crate::blocks::{BlockMatrix, Pattern};
use crate::linear::LinearError;
use crate::real::{Lanes, Real};
use rayon::prelude::*;

/// Judgement of the pivots of a pack.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
struct Judgement {
    /// Bit of each lane with a pivot that is not positive, or lost in rounding.
    doubtful: u8,
    /// True if the matrix holds a NaN or an infinity.
    is_bad: bool,
}

pub(super) struct Group {
    pub packs: Packs,
    sources: Vec<Sources>,
    blocks: Vec<Block>,
    triangles: Vec<Triangle>,
    judgements: Vec<Judgement>,
    /// Components that are not positive definite.
    pub doubtful: Doubtful,
}

impl Group {
    pub fn new(pattern: &Pattern, alike: Alike) -> Result<Group, LinearError> {
        let packs = Packs::new(alike);
        let zero = Lanes::splat(0.0);
        Ok(Group {
            blocks: filled([[zero; 3]; 3], packs.count() * stride(&packs.shape))?,
            triangles: filled([zero; 6], packs.rows.len())?,
            judgements: vec![Judgement::default(); packs.count()],
            doubtful: Doubtful::default(),
            sources: packs.sources(pattern),
            packs,
        })
    }

    /// Factorises all components; those that are not positive definite by the general solver.
    pub fn prepare(&mut self, a: &BlockMatrix) -> Result<(), LinearError> {
        let Group { packs: Packs { shape, .. }, sources, blocks, triangles, judgements, .. } = self;
        let packs = (sources.par_chunks(shape.pattern.slots()))
            .zip(blocks.par_chunks_mut(stride(shape)))
            .zip(triangles.par_chunks_mut(shape.rows()))
            .zip(judgements.par_iter_mut());
        packs.with_min_len(PACKS_PER_TASK).for_each(|(((sources, blocks), triangles), judgement)| {
            let mut source = Gathered { shape, values: &a.values, sources, bad: Lanes::splat(0.0) };
            let doubtful = pack::factorise(shape, &mut source, blocks, triangles);
            *judgement = Judgement { doubtful, is_bad: source.is_bad() };
        });
        if self.judgements.iter().any(|judgement| judgement.is_bad) {
            let row = crate::linear::permuted::first_non_finite::<f64>(a).unwrap_or(0);
            return Err(LinearError::NonFinite { row });
        }
        let packs = &self.packs;
        let failed = (self.judgements.iter().enumerate()).flat_map(|(pack, judgement)| {
            (0..packs.lanes(pack)).filter(|lane| judgement.doubtful >> lane & 1 == 1).map(move |lane| (pack, lane))
        });
        self.doubtful.prepare(packs, &self.sources, failed, a)
    }

    /// Solves for C columns of `rhs`, each of `dim` numbers, into `x`, by packed rows.
    pub fn solve<const C: usize>(&self, rhs: &[f64], dim: usize, x: &mut [[[Lanes; 3]; C]]) {
        let Group { packs: Packs { shape, rows, .. }, blocks, triangles, .. } = self;
        let packs = (x.par_chunks_mut(shape.rows()))
            .zip(rows.par_chunks(shape.rows()))
            .zip(blocks.par_chunks(stride(shape)))
            .zip(triangles.par_chunks(shape.rows()));
        packs.with_min_len(PACKS_PER_TASK).for_each(|(((x, rows), blocks), triangles)| {
            for (x, rows) in x.iter_mut().zip(rows) {
                for (c, x) in x.iter_mut().enumerate() {
                    let numbers = rows.map(|row| &rhs[c * dim + 3 * row as usize..][..3]);
                    *x = std::array::from_fn(|k| Lanes::from_fn(|lane| numbers[lane][k]));
                }
            }
            pack::solve(shape, blocks, triangles, x);
        });
    }
}

/// Returns the blocks of memory per pack: one at least, because slices are cut into packs.
fn stride(shape: &Shape) -> usize {
    shape.blocks().max(1)
}

/// Fewest packs per task: some ten microseconds.
const PACKS_PER_TASK: usize = 4;

/// Allocates, or says how much there was to be allocated.
fn filled<T: Copy>(value: T, count: usize) -> Result<Vec<T>, LinearError> {
    let mut values = Vec::new();
    let entries = (count * size_of::<T>() / size_of::<f64>()) as f64;
    values.try_reserve_exact(count).map_err(|_| LinearError::TooLarge { entries })?;
    values.resize(count, value);
    Ok(values)
}
