//! Mobility of points in a fluid: their velocities per force on each, by direct sums.

use super::kernel::{between, stokeslet};
use numerics::mat3::Vec3;
use numerics::real::{Lanes, Real};
use rayon::prelude::*;
use std::f64::consts::PI;

/// Positions and blobs of points, coordinate by coordinate and padded to whole lanes.
#[derive(Debug, Clone, Default)]
pub struct Cloud {
    count: usize,
    x: [Vec<f64>; 3],
    /// Squares of the blobs' sizes [m^2].
    squares: Vec<f64>,
}

impl Cloud {
    /// Makes room for points with these epsilons [m], all at the origin.
    pub fn new(epsilons: impl Iterator<Item = f64>) -> Cloud {
        let mut squares: Vec<f64> = epsilons.map(|e| e * e).collect();
        let count = squares.len();
        // Padding: any positive number.
        squares.resize(count.next_multiple_of(Lanes::LANES), 1.0);
        let zeros = vec![0.0; squares.len()];
        Cloud { count, x: [zeros.clone(), zeros.clone(), zeros], squares }
    }

    /// Returns the number of points.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Sets the position of a point [m].
    pub fn place(&mut self, point: usize, position: Vec3) {
        (0..3).for_each(|c| self.x[c][point] = position[c]);
    }

    /// Returns the position of a point [m].
    pub fn at(&self, point: usize) -> Vec3 {
        [0, 1, 2].map(|c| self.x[c][point])
    }

    /// Fills the lower triangle of the mobility, column by column, three rows and columns per point [m / (N s)].
    pub fn mobility(&self, viscosity: f64, matrix: &mut [f64]) {
        let rows = 3 * self.count;
        let scale = 1.0 / (8.0 * PI * viscosity);
        matrix.par_chunks_mut(3 * rows.max(1)).enumerate().for_each(|(j, columns)| {
            let from = j - j % Lanes::LANES;
            for first in (from..self.count).step_by(Lanes::LANES) {
                let r: [Lanes; 3] = [0, 1, 2].map(|c| lanes(&self.x[c], first) - Lanes::splat(self.x[c][j]));
                let square = r[0] * r[0] + r[1] * r[1] + r[2] * r[2];
                let both = [lanes(&self.squares, first), Lanes::splat(self.squares[j])];
                let [whole, along] = between(square, both).map(|factor| factor * Lanes::splat(scale));
                let last = (first + Lanes::LANES).min(self.count);
                for c in 0..3 {
                    let pulled = along * r[c];
                    let block: [[f64; 8]; 3] = std::array::from_fn(|d| {
                        let value = pulled * r[d];
                        (if c == d { value + whole } else { value }).to_array()
                    });
                    for i in first.max(j)..last {
                        let at = c * rows + 3 * i;
                        (0..3).for_each(|d| columns[at + d] = block[d][i - first]);
                    }
                }
            }
        });
    }

    /// Computes the velocity of the fluid at a place, caused by forces on the points [N]: without the background flow
    /// [m/s].
    pub fn velocity(&self, viscosity: f64, place: Vec3, forces: &[Vec3]) -> Vec3 {
        let mut sum = [0.0; 3];
        for (i, force) in forces.iter().enumerate().take(self.count) {
            let r = [0, 1, 2].map(|c| place[c] - self.x[c][i]);
            let [whole, along] = stokeslet(r[0] * r[0] + r[1] * r[1] + r[2] * r[2], self.squares[i]);
            let pulled = along * (force[0] * r[0] + force[1] * r[1] + force[2] * r[2]);
            (0..3).for_each(|c| sum[c] += whole * force[c] + pulled * r[c]);
        }
        sum.map(|u| u / (8.0 * PI * viscosity))
    }
}

#[inline(always)]
fn lanes(values: &[f64], first: usize) -> Lanes {
    Lanes::from_fn(|lane| values[first + lane])
}
