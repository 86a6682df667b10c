//! Particles sorted by their grid cell.
//!
//! Cells are short along x and numbered along x first; particles of a cell are in the order of their numbers. So the
//! order depends on positions alone. Consecutive cells of a row are one range of particles, so a ball is searched in
//! nine ranges, each as long as the ball is wide there. The grid wraps around like a torus, with a few cells per
//! particle at most. So memory is bounded however far a particle flies, and cells that coincide by wrapping only add
//! candidates that their distance excludes.

use rayon::prelude::*;
use std::ops::Range;

/// Limit of cells per particle.
const MOST_CELLS: usize = 2;
/// Edge along y and z over that along x.
const ASPECT: f64 = 4.0;
/// Least number of cells along each axis, so that no range meets itself by wrapping.
const FEWEST: [usize; 3] = [2 * ASPECT as usize + 4, 3, 3];
/// Relative rounding error of coordinates; distances that exclude rows are reduced by it.
const ROUNDING: f64 = 1e-15;

/// A wrapped grid, with the particles in the order of its cells.
#[derive(Default)]
pub(super) struct Grid {
    /// Cells along x, y and z.
    size: [usize; 3],
    /// Edge along y and z, equal to the search radius [m].
    edge: f64,
    /// Inverse edges [1/m].
    inverse: [f64; 3],
    /// Cell of each particle.
    cell: Vec<u32>,
    /// Index of each cell's first particle in `order`; the number of particles at the end.
    first: Vec<u32>,
    /// Particles sorted by cell.
    pub order: Vec<u32>,
}

impl Grid {
    /// Sorts particles at these positions [m], for searches within a radius [m].
    pub fn sort(&mut self, points: &[[f64; 3]], radius: f64) {
        self.edge = radius;
        self.inverse = [ASPECT / radius, 1.0 / radius, 1.0 / radius];
        self.size = size(points, &self.inverse);
        let (size, inverse) = (self.size, self.inverse);
        self.cell.resize(points.len(), 0);
        self.cell.par_iter_mut().zip(points).with_min_len(4096).for_each(|(cell, point)| {
            let [x, y, z] = std::array::from_fn(|c| wrapped(point[c] * inverse[c], size[c]));
            *cell = ((z * size[1] + y) * size[0] + x) as u32;
        });

        // Counting sort: count, find the start of each cell, then put every particle there.
        let cells = size.iter().product::<usize>();
        self.first.clear();
        self.first.resize(cells + 1, 0);
        self.cell.iter().for_each(|&cell| self.first[cell as usize + 1] += 1);
        for cell in 0..cells {
            self.first[cell + 1] += self.first[cell];
        }
        self.order.resize(points.len(), 0);
        for (particle, &cell) in self.cell.iter().enumerate() {
            let slot = &mut self.first[cell as usize];
            self.order[*slot as usize] = particle as u32;
            *slot += 1;
        }
        // Each cell's start is now that of the next one.
        self.first.copy_within(0..cells, 1);
        self.first[0] = 0;
    }

    /// Calls `visit` with ranges of `order` that contain every particle within the radius of a point [m], in a fixed
    /// order.
    #[inline(always)]
    pub fn around(&self, &[px, py, pz]: &[f64; 3], mut visit: impl FnMut(Range<usize>)) {
        let [nx, ny, nz] = self.size;
        let column = (px * self.inverse[0]).floor();
        let x = wrapped(px * self.inverse[0], nx) as isize;
        let rows = |p: f64, inverse: f64, n: usize| {
            let cell = (p * inverse).floor();
            let here = wrapped(p * inverse, n);
            let below = if here == 0 { n - 1 } else { here - 1 };
            let above = if here + 1 == n { 0 } else { here + 1 };
            // Distance to the rows beside.
            let rounded = ROUNDING * p.abs() + 1e-9 * self.edge;
            let down = (p - cell * self.edge - rounded).max(0.0);
            let up = ((cell + 1.0) * self.edge - p - rounded).max(0.0);
            [(below, down * down), (here, 0.0), (above, up * up)]
        };
        let (in_y, in_z) = (rows(py, self.inverse[1], ny), rows(pz, self.inverse[2], nz));
        for (k, away_z) in in_z {
            for (j, away) in in_y {
                // Half the width of the ball in this row.
                let square = self.edge * self.edge - away - away_z;
                if square < 0.0 {
                    continue;
                }
                let reach = square.sqrt() * (1.0 + 1e-9) + ROUNDING * px.abs();
                // Limited by the radius, where coordinates are so large that sums with it are rounded by whole cells.
                let offset =
                    |x: f64| ((x * self.inverse[0]).floor() - column).clamp(-ASPECT - 1.0, ASPECT + 1.0) as isize;
                let (from, to) = (x + offset(px - reach), x + offset(px + reach) + 1);
                let row = (k * ny + j) * nx;
                let mut cells = |from: isize, to: isize| {
                    visit(self.first[row + from as usize] as usize..self.first[row + to as usize] as usize);
                };
                let n = nx as isize;
                if from < 0 {
                    cells(from + n, n);
                    cells(0, to);
                } else if to > n {
                    cells(0, to - n);
                    cells(from, n);
                } else {
                    cells(from, to);
                }
            }
        }
    }
}

/// Returns the number of cells along each axis: those of the bounding box, or fewer, wrapped.
fn size(points: &[[f64; 3]], inverse: &[f64; 3]) -> [usize; 3] {
    let whole = ([f64::INFINITY; 3], [f64::NEG_INFINITY; 3]);
    let (low, high) = points.par_iter().with_min_len(4096).map(|p| (*p, *p)).reduce(
        || whole,
        |a, b| (std::array::from_fn(|c| a.0[c].min(b.0[c])), std::array::from_fn(|c| a.1[c].max(b.1[c]))),
    );
    let most = MOST_CELLS * points.len() + FEWEST.iter().product::<usize>();
    let mut size: [usize; 3] = std::array::from_fn(|c| {
        // One more than the box needs, so that its ends do not become neighbours by wrapping. Casts saturate.
        (((high[c] - low[c]) * inverse[c]) as usize).saturating_add(2).clamp(FEWEST[c], most)
    });
    while size.iter().fold(1usize, |all, &n| all.saturating_mul(n)) > most {
        // Halve the axis that exceeds its minimum most.
        let excess = |c: usize| size[c] as f64 / FEWEST[c] as f64;
        let longest =
            if excess(0) >= excess(1) && excess(0) >= excess(2) { 0 } else { 1 + usize::from(excess(2) > excess(1)) };
        size[longest] = (size[longest] / 2).max(FEWEST[longest]);
    }
    size
}

#[inline(always)]
fn wrapped(cells: f64, size: usize) -> usize {
    (cells.floor() as i64).rem_euclid(size as i64) as usize
}
