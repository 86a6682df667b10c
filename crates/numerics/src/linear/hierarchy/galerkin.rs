//! The matrix of the next level: P^T A^ P with the smoothed prolongator P = (I - omega A^) T.

use super::aggregates::NONE;
use super::level::Level;
use super::small::{self, Block, MOTIONS, add_times, transpose};
use crate::blocks::Pattern;
use rayon::prelude::*;

/// Rows per task.
const ROWS_PER_TASK: usize = 512;

/// Sparse rows of B x 6 blocks, made in pieces of [`ROWS_PER_TASK`].
struct Rows<const B: usize>(Vec<Piece<B>>);

/// Rows of a task: columns `start[k]..start[k + 1]` and blocks of its row k.
#[derive(Default)]
struct Piece<const B: usize> {
    start: Vec<usize>,
    columns: Vec<u32>,
    blocks: Vec<[[f32; MOTIONS]; B]>,
}

impl<const B: usize> Rows<B> {
    /// Makes `rows` rows; `add` puts the terms of a row into an accumulator. Columns ascend.
    fn new(rows: usize, columns: usize, add: impl Fn(usize, &mut Sum<B>) + Sync) -> Rows<B> {
        let piece = |sum: &mut Sum<B>, task: usize| {
            let mut piece = Piece { start: vec![0], ..Piece::default() };
            for i in task * ROWS_PER_TASK..((task + 1) * ROWS_PER_TASK).min(rows) {
                add(i, sum);
                sum.drain(|column, block| {
                    piece.columns.push(column);
                    piece.blocks.push(block.map(|row| row.map(|x| x as f32)));
                });
                piece.start.push(piece.columns.len());
            }
            piece
        };
        let tasks = rows.div_ceil(ROWS_PER_TASK);
        Rows((0..tasks).into_par_iter().map_init(|| Sum::new(columns), piece).collect())
    }

    /// Returns columns and blocks of a row.
    fn row(&self, i: usize) -> impl Iterator<Item = (usize, Block<B, MOTIONS>)> + '_ {
        let piece = &self.0[i / ROWS_PER_TASK];
        let here = piece.start[i % ROWS_PER_TASK]..piece.start[i % ROWS_PER_TASK + 1];
        let wide = |block: &[[f32; MOTIONS]; B]| block.map(|row| row.map(f64::from));
        piece.columns[here.clone()].iter().zip(&piece.blocks[here]).map(move |(&j, block)| (j as usize, wide(block)))
    }

    /// Returns the columns of a row.
    fn columns(&self, i: usize) -> &[u32] {
        let piece = &self.0[i / ROWS_PER_TASK];
        &piece.columns[piece.start[i % ROWS_PER_TASK]..piece.start[i % ROWS_PER_TASK + 1]]
    }
}

/// A sparse row in progress.
struct Sum<const B: usize> {
    /// Place of each column in `terms`, or [`NONE`].
    place: Vec<u32>,
    terms: Vec<(u32, Block<B, MOTIONS>)>,
}

impl<const B: usize> Sum<B> {
    fn new(columns: usize) -> Sum<B> {
        Sum { place: vec![NONE; columns], terms: Vec::new() }
    }

    #[inline]
    fn at(&mut self, column: usize) -> &mut Block<B, MOTIONS> {
        let place = &mut self.place[column];
        if *place == NONE {
            *place = self.terms.len() as u32;
            self.terms.push((column as u32, [[0.0; MOTIONS]; B]));
        }
        &mut self.terms[*place as usize].1
    }

    /// Passes on the row by ascending columns, and starts a new one.
    fn drain(&mut self, mut take: impl FnMut(u32, &Block<B, MOTIONS>)) {
        self.terms.iter().for_each(|(column, _)| self.place[*column as usize] = NONE);
        self.terms.sort_unstable_by_key(|(column, _)| *column);
        self.terms.iter().for_each(|(column, block)| take(*column, block));
        self.terms.clear();
    }
}

/// Returns pattern and blocks of P^T A^ P.
pub(super) fn coarse<const B: usize, const W: usize>(level: &Level<B, W>) -> (Pattern, Vec<Block<MOTIONS, MOTIONS>>) {
    let Level { pattern, aggregates, tentative, most, .. } = level;
    let (rows, count) = (pattern.rows(), aggregates.count());
    let motions = |i: usize| -> Block<B, MOTIONS> {
        let p = &tentative[B * MOTIONS * i..];
        std::array::from_fn(|r| std::array::from_fn(|c| f64::from(p[MOTIONS * r + c])))
    };
    let omega = 4.0 / 3.0 / f64::from(*most);
    let prolongator = Rows::new(rows, count, |i, sum: &mut Sum<B>| {
        for (j, a) in level.row(i).chain([(i, small::identity())]).filter(|(j, _)| aggregates.of[*j] != NONE) {
            let (sum, motions) = (sum.at(aggregates.of[j] as usize), motions(j));
            add_times(sum, -omega, &a, &motions);
            if i == j {
                add_times(sum, 1.0, &a, &motions);
            }
        }
    });
    let product = Rows::new(rows, count, |i, sum: &mut Sum<B>| {
        for (j, a) in level.row(i).chain([(i, small::identity())]) {
            prolongator.row(j).for_each(|(k, p)| add_times(sum.at(k), 1.0, &a, &p));
        }
    });
    // Rows of A in which each column of P is nonzero.
    let mut start = vec![0_usize; count + 1];
    (0..rows).for_each(|i| prolongator.columns(i).iter().for_each(|&k| start[k as usize + 1] += 1));
    (0..count).for_each(|k| start[k + 1] += start[k]);
    let (mut next, mut support) = (start.clone(), vec![0_u32; start[count]]);
    for i in 0..rows {
        for &k in prolongator.columns(i) {
            support[next[k as usize]] = i as u32;
            next[k as usize] += 1;
        }
    }
    let row = |sum: &mut Sum<MOTIONS>, own: usize| {
        for &i in &support[start[own]..start[own + 1]] {
            let i = i as usize;
            let Some((_, p)) = prolongator.row(i).find(|(k, _)| *k == own) else { continue };
            let p = transpose(&p);
            for (k, q) in product.row(i) {
                let sum = sum.at(k);
                // The other triangle is only needed for the pattern.
                if k <= own {
                    add_times(sum, 1.0, &p, &q);
                }
            }
        }
        let (mut columns, mut blocks) = (Vec::new(), Vec::new());
        sum.drain(|column, block| {
            columns.push(column);
            if column as usize <= own {
                blocks.push(*block);
            }
        });
        (columns, blocks)
    };
    let made: Vec<_> = (0..count).into_par_iter().map_init(|| Sum::new(count), row).collect();
    let (neighbours, blocks): (Vec<_>, Vec<_>) = made.into_iter().unzip();
    let pattern = Pattern::from_neighbours(&neighbours);
    let mut values: Vec<Block<MOTIONS, MOTIONS>> = blocks.into_iter().flatten().collect();
    // Motions that an aggregate does not have: a single node does not turn.
    for k in 0..count {
        let diagonal = &mut values[pattern.diagonal(k)];
        for m in 0..MOTIONS {
            if diagonal[m][m] == 0.0 {
                diagonal[m][m] = 1.0;
            }
        }
    }
    (pattern, values)
}
