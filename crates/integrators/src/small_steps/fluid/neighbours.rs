//! Neighbour lists: for each particle the others within a radius, as numbers in the order of the grid.
//!
//! Lists belong to chunks of particles of fixed length, which are made and read in parallel. They are made with a
//! margin at the positions of the beginning of a step, and used until two particles may have approached each other by
//! more than the margin; then they are made again. So a pass misses no neighbour.

use super::grid::Grid;
use super::lanes;
use rayon::prelude::*;
use wide::f64x8;

/// Particles per chunk.
pub(super) const CHUNK: usize = 512;
/// Neighbours read side by side; lists are filled up to a multiple of it.
pub(super) const GROUP: usize = 8;
/// Limit of a list's length, to bound memory: 60 is usual.
pub(super) const MOST: usize = 4096;

/// Lists of the particles of one chunk.
#[derive(Default)]
pub(super) struct Chunk {
    ends: Vec<u32>,
    list: Vec<u32>,
    crowded: Option<u32>,
}

impl Chunk {
    /// Returns the neighbours of the k-th particle of the chunk, in groups of eight.
    #[inline(always)]
    pub fn of(&self, k: usize) -> &[[u32; GROUP]] {
        let start = if k == 0 { 0 } else { self.ends[k - 1] as usize };
        self.list[start..self.ends[k] as usize].as_chunks().0
    }
}

/// Sorted particles and their neighbours.
#[derive(Default)]
pub(super) struct Neighbours {
    grid: Grid,
    /// Coordinates in sorted order when the lists were made [m], a few entries longer than there are particles.
    made_at: [Vec<f64>; 3],
    /// The lists.
    pub chunks: Vec<Chunk>,
    /// Index of each particle in the sorted order.
    pub slot: Vec<u32>,
}

impl Neighbours {
    /// Returns the particles in sorted order.
    pub fn order(&self) -> &[u32] {
        &self.grid.order
    }

    /// Sorts these particles [m] and lists all pairs within a radius [m]. Lists are filled up with the number of
    /// particles, which is no particle.
    pub fn make(&mut self, points: &[[f64; 3]], radius: f64) {
        let n = points.len();
        self.grid.sort(points, radius);
        self.slot.resize(n, 0);
        let order = &self.grid.order;
        order.iter().enumerate().for_each(|(slot, &particle)| self.slot[particle as usize] = slot as u32);
        for (c, sorted) in self.made_at.iter_mut().enumerate() {
            sorted.resize(n + 8, 0.0);
            let pairs = sorted[..n].par_iter_mut().zip(order).with_min_len(4096);
            pairs.for_each(|(x, &particle)| *x = points[particle as usize][c]);
        }
        self.chunks.resize_with(n.div_ceil(CHUNK), Chunk::default);
        let (grid, made_at) = (&self.grid, &self.made_at);
        self.chunks.par_iter_mut().enumerate().for_each(|(chunk, lists)| {
            lists.ends.clear();
            lists.ends.reserve_exact(CHUNK);
            lists.list.clear();
            let capacity = lists.list.capacity();
            lists.crowded = None;
            for i in chunk * CHUNK..(chunk * CHUNK + CHUNK).min(n) {
                let point = [made_at[0][i], made_at[1][i], made_at[2][i]];
                let before = lists.list.len();
                grid.around(&point, |range| near(i, &point, radius * radius, made_at, range, &mut lists.list));
                if lists.list.len() > before + MOST {
                    lists.list.truncate(before + MOST);
                    lists.crowded.get_or_insert(i as u32);
                }
                lists.list.resize(lists.list.len().next_multiple_of(GROUP), n as u32);
                lists.ends.push(lists.list.len() as u32);
            }
            // A list that had to grow gets some spare capacity, so that the next steps do not allocate.
            if lists.list.capacity() > capacity {
                lists.list.reserve_exact(lists.list.len() / 8);
            }
        });
    }

    /// Returns a particle with more neighbours than lists can hold.
    pub fn crowded(&self) -> Option<u32> {
        self.chunks.iter().find_map(|chunk| chunk.crowded).map(|slot| self.grid.order[slot as usize])
    }

    /// Returns a bound of the approach of any two particles since the lists were made [m], for particles in sorted
    /// order.
    pub fn approach<T: Sync>(&self, rows: &[T], position: impl Fn(&T) -> [f64; 3] + Sync) -> f64 {
        let [x, y, z] = &self.made_at;
        let n = self.grid.order.len();
        let moved = |i: usize| {
            let [a, b, c] = position(&rows[i]);
            [a - x[i], b - y[i], c - z[i]]
        };
        // A common motion brings none closer: the centre of the bounding box of all motions is subtracted.
        let whole = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
        let (low, high) = (0..n).into_par_iter().with_min_len(4096).map(|i| (moved(i), moved(i))).reduce(
            || whole,
            |a, b| (std::array::from_fn(|c| a.0[c].min(b.0[c])), std::array::from_fn(|c| a.1[c].max(b.1[c]))),
        );
        let middle: [f64; 3] = std::array::from_fn(|c| 0.5 * (low[c] + high[c]));
        let square = (0..n).into_par_iter().with_min_len(4096).map(|i| {
            let d = moved(i);
            (0..3).map(|c| (d[c] - middle[c]) * (d[c] - middle[c])).sum::<f64>()
        });
        2.0 * square.reduce(|| 0.0, f64::max).sqrt()
    }
}

/// Appends those of a range within a distance of particle `i`, except itself.
#[inline(always)]
fn near(
    i: usize,
    point: &[f64; 3],
    square: f64,
    [x, y, z]: &[Vec<f64>; 3],
    range: std::ops::Range<usize>,
    list: &mut Vec<u32>,
) {
    let (px, py, pz) = (f64x8::splat(point[0]), f64x8::splat(point[1]), f64x8::splat(point[2]));
    for start in range.clone().step_by(8) {
        // Grown manually in small amounts: lists take most of a fluid's memory, and doubling would waste half of it.
        if list.capacity() - list.len() < 8 {
            list.reserve_exact((list.len() / 8).max(1024));
        }
        let eight = |c: &[f64]| c[start..].first_chunk::<8>().map_or(f64x8::ZERO, |eight| f64x8::new(*eight));
        let (dx, dy, dz) = (eight(x) - px, eight(y) - py, eight(z) - pz);
        let r2 = dx.mul_add(dx, dy.mul_add(dy, dz * dz));
        let inside = r2.simd_le(f64x8::splat(square)).to_bitmask() as u8;
        let not_beyond = 0xff_u8 >> (8 - (range.end - start).min(8));
        let itself = if (start..start + 8).contains(&i) { 1_u8 << (i - start) } else { 0 };
        lanes::append(list, start as u32, inside & not_beyond & !itself);
    }
}
