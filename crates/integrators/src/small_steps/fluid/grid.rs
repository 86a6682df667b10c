//! Particles sorted by the cell they are in.
//!
//! Cells are numbered x first, particles of a cell by their number: the order depends on positions alone. The grid is
//! wrapped around like a torus, at most a few cells a particle: whatever far away a particle flies, memory is bounded,
//! and cells that meet by wrapping only bring candidates that their distance rules out.

use rayon::prelude::*;

/// Cells a particle at most.
const MOST_CELLS: usize = 4;

/// A wrapped grid and the particles in the order of its cells.
#[derive(Default)]
pub(super) struct Grid {
    /// Cells along x, y and z, at least 3.
    size: [usize; 3],
    /// Edge of a cell [m].
    edge: f64,
    /// The cell of each particle.
    cell: Vec<u32>,
    /// The first place of each cell in `order`, and their number at the end.
    first: Vec<u32>,
    /// Particles by cell.
    pub order: Vec<u32>,
}

impl Grid {
    /// Sorts particles, given by their positions [m], into cells of this edge [m].
    pub fn sort(&mut self, points: &[[f64; 3]], edge: f64) {
        self.edge = edge;
        self.size = size(points, edge);
        let size = self.size;
        self.cell.resize(points.len(), 0);
        self.cell.par_iter_mut().zip(points).with_min_len(4096).for_each(|(cell, point)| {
            let [x, y, z] = wrapped(point, edge, &size);
            *cell = ((z * size[1] + y) * size[0] + x) as u32;
        });

        // Counting sort: how many, where each cell begins, then every particle to its place.
        let cells = size.iter().product::<usize>();
        self.first.clear();
        self.first.resize(cells + 1, 0);
        self.cell.iter().for_each(|&cell| self.first[cell as usize + 1] += 1);
        for cell in 0..cells {
            self.first[cell + 1] += self.first[cell];
        }
        self.order.resize(points.len(), 0);
        for (particle, &cell) in self.cell.iter().enumerate() {
            let place = &mut self.first[cell as usize];
            self.order[*place as usize] = particle as u32;
            *place += 1;
        }
        // Each cell's place is now where the next one begins.
        self.first.copy_within(0..cells, 1);
        self.first[0] = 0;
    }

    /// Calls `visit` with ranges of `order` that hold every particle within an edge of the point [m], in a fixed order.
    #[inline(always)]
    pub fn around(&self, point: &[f64; 3], mut visit: impl FnMut(std::ops::Range<usize>)) {
        let [x, y, z] = wrapped(point, self.edge, &self.size);
        let [nx, ny, nz] = self.size;
        for k in [z + nz - 1, z, z + 1] {
            for j in [y + ny - 1, y, y + 1] {
                let row = ((k % nz) * ny + j % ny) * nx;
                let mut cells = |from: usize, to: usize| {
                    visit(self.first[row + from] as usize..self.first[row + to] as usize);
                };
                // Cells next to each other along x are one range.
                if x == 0 {
                    cells(nx - 1, nx);
                    cells(0, 2);
                } else if x + 1 == nx {
                    cells(0, 1);
                    cells(x - 1, nx);
                } else {
                    cells(x - 1, x + 2);
                }
            }
        }
    }
}

/// How many cells along each axis: those of the box around all points, or fewer, wrapped.
fn size(points: &[[f64; 3]], edge: f64) -> [usize; 3] {
    let bounds = |c: usize| {
        let all = points.par_iter().with_min_len(4096).map(|p| (p[c], p[c]));
        all.reduce(|| (f64::INFINITY, f64::NEG_INFINITY), |a, b| (a.0.min(b.0), a.1.max(b.1)))
    };
    let most = MOST_CELLS * points.len() + 27;
    let mut size = [0, 1, 2].map(|c| {
        let (low, high) = bounds(c);
        // One more than the box needs, so that its ends do not become neighbours by wrapping. Casts saturate.
        (((high - low) / edge) as usize).saturating_add(2).clamp(3, most)
    });
    while size.iter().fold(1usize, |all, &n| all.saturating_mul(n)) > most {
        let longest = if size[0] >= size[1] && size[0] >= size[2] { 0 } else { 1 + usize::from(size[2] > size[1]) };
        size[longest] = (size[longest] / 2).max(3);
    }
    size
}

#[inline(always)]
fn wrapped(point: &[f64; 3], edge: f64, size: &[usize; 3]) -> [usize; 3] {
    std::array::from_fn(|c| ((point[c] / edge).floor() as i64).rem_euclid(size[c] as i64) as usize)
}
