//! Components of one shape, packed into lanes: where their rows and blocks are in the matrix.

use super::pack::Sources;
use super::partition::Alike;
use super::shape::Shape;
use crate::blocks::Pattern;
use crate::real::{Lanes, Real};

const LANES: usize = Lanes::LANES;

pub(super) struct Packs {
    pub shape: Shape,
    /// Rows of the matrix: row by row of the shape, the eight components of a pack beside each other. The last pack
    /// repeats its last component.
    pub rows: Vec<[u32; LANES]>,
    /// Number of components.
    pub members: usize,
    /// Blocks of the matrix, slot by slot of the shape, pack after pack.
    pub sources: Vec<Sources>,
}

impl Packs {
    pub fn new(pattern: &Pattern, alike: Alike) -> Packs {
        let Alike { shape, rows: of_members } = alike;
        let members = of_members.len() / shape.rows();
        let count = members.div_ceil(LANES);
        let row =
            |pack: usize, i: usize, lane: usize| of_members[(LANES * pack + lane).min(members - 1) * shape.rows() + i];
        let mut rows = Vec::with_capacity(count * shape.rows());
        let mut sources = Vec::with_capacity(count * shape.pattern.slots());
        for pack in 0..count {
            for i in 0..shape.rows() {
                rows.push(std::array::from_fn(|lane| row(pack, i, lane)));
                for (j, _) in shape.pattern.lower(i) {
                    sources.push(std::array::from_fn(|lane| {
                        let [i, j] = [row(pack, i, lane), row(pack, j, lane)];
                        let slot = pattern.slot(i as usize, j as usize).unwrap_or_default();
                        2 * slot as u32 + u32::from(i < j)
                    }));
                }
            }
        }
        Packs { shape, rows, members, sources }
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
    pub fn places(&self) -> impl Iterator<Item = (u32, usize, usize)> + '_ {
        self.rows.iter().enumerate().flat_map(move |(packed, rows)| {
            let lanes = self.lanes(packed / self.shape.rows());
            rows.iter().enumerate().take(lanes).map(move |(lane, &row)| (row, packed, lane))
        })
    }
}
