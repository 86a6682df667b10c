//! Components of one shape, packed into lanes: where their rows and blocks are in the matrix.

use super::pack::Sources;
use super::partition::{Alike, LEAST_MEMBERS, Partition};
use super::shape::Shape;
use crate::blocks::Pattern;
use crate::real::{Lanes, Real};
use rayon::prelude::*;

const LANES: usize = Lanes::LANES;

/// Packed row and lane of each row of a matrix that consists of packs alone.
pub(super) struct Places(Vec<u32>);

impl Places {
    pub fn new(rows: usize, all: &[Packs]) -> Places {
        let (mut place, mut first) = (vec![0; rows], 0);
        for packs in all {
            for (row, packed, lane) in packs.places() {
                place[row as usize] = ((first + packed) * LANES + lane) as u32;
            }
            first += packs.rows.len();
        }
        Places(place)
    }

    /// Returns the packed row and the lane of a row.
    pub fn of(&self, row: usize) -> (usize, usize) {
        (self.0[row] as usize / LANES, self.0[row] as usize % LANES)
    }

    /// Calls `put` for every row, with its packed value, its lane, and the three numbers of the row in `to`.
    pub fn for_each<T: Sync>(&self, packed: &[T], to: &mut [f64], put: impl Fn(&T, usize, &mut [f64; 3]) + Sync) {
        let tasks = to[..3 * self.0.len()].par_chunks_mut(3 * super::ROWS_PER_TASK);
        tasks.zip(self.0.par_chunks(super::ROWS_PER_TASK)).for_each(|(to, place)| {
            for (to, &place) in to.as_chunks_mut::<3>().0.iter_mut().zip(place) {
                put(&packed[place as usize / LANES], place as usize % LANES, to);
            }
        });
    }
}

/// All components of one shape, eight to a pack.
pub struct Packs {
    pub(super) shape: Shape,
    /// Rows of the matrix: row by row of the shape, the eight components of a pack beside each other. The last pack
    /// repeats its last component.
    pub(super) rows: Vec<[u32; LANES]>,
    /// Number of components.
    pub(super) members: usize,
}

impl Packs {
    /// Finds the components of a pattern, by shape. `None` if some are too large for a pack, or if packs would be less than half
    /// full.
    pub fn of_all(pattern: &Pattern) -> Option<Vec<Packs>> {
        let partition = Partition::of_groups(pattern, 1);
        if !partition.rest.is_empty() {
            return None;
        }
        let all: Vec<Packs> = partition.groups.into_iter().map(Packs::new).collect();
        let [packs, members] =
            all.iter().fold([0; 2], |[packs, members], own| [packs + own.count(), members + own.members]);
        (members > 0 && members >= LEAST_MEMBERS * packs).then_some(all)
    }

    pub(super) fn new(alike: Alike) -> Packs {
        let Alike { shape, rows: of_members } = alike;
        let members = of_members.len() / shape.rows();
        let count = members.div_ceil(LANES);
        let row =
            |pack: usize, i: usize, lane: usize| of_members[(LANES * pack + lane).min(members - 1) * shape.rows() + i];
        let packed = (0..count).flat_map(|pack| (0..shape.rows()).map(move |i| (pack, i)));
        let rows = packed.map(|(pack, i)| std::array::from_fn(|lane| row(pack, i, lane))).collect();
        Packs { shape, rows, members }
    }

    /// Looks up the blocks of the components in a matrix: slot by slot of the shape, pack after pack.
    pub(super) fn sources(&self, pattern: &Pattern) -> Vec<Sources> {
        let Packs { shape, rows, .. } = self;
        let mut sources = Vec::with_capacity(self.count() * shape.pattern.slots());
        for rows in rows.chunks_exact(shape.rows()) {
            for i in 0..shape.rows() {
                for (j, _) in shape.pattern.lower(i) {
                    sources.push(std::array::from_fn(|lane| {
                        let [i, j] = [rows[i][lane], rows[j][lane]];
                        let slot = pattern.slot(i as usize, j as usize).unwrap_or_default();
                        2 * slot as u32 + u32::from(i < j)
                    }));
                }
            }
        }
        sources
    }

    /// Number of components.
    pub fn members(&self) -> usize {
        self.members
    }

    /// Number of rows of a component.
    pub fn height(&self) -> usize {
        self.shape.rows()
    }

    /// Returns the rows of the matrix that a pack holds, those of its eight components beside each other.
    pub fn rows(&self, pack: usize) -> &[[u32; LANES]] {
        &self.rows[pack * self.height()..(pack + 1) * self.height()]
    }

    /// Number of packs.
    pub fn count(&self) -> usize {
        self.members.div_ceil(LANES)
    }

    /// Number of components in a pack: the other lanes repeat one.
    pub fn lanes(&self, pack: usize) -> usize {
        (self.members - LANES * pack).min(LANES)
    }

    /// Returns the row of the matrix, the packed row and the lane of every row of every component.
    pub(super) fn places(&self) -> impl Iterator<Item = (u32, usize, usize)> + '_ {
        self.rows.iter().enumerate().flat_map(move |(packed, rows)| {
            let lanes = self.lanes(packed / self.shape.rows());
            rows.iter().enumerate().take(lanes).map(move |(lane, &row)| (row, packed, lane))
        })
    }
}
