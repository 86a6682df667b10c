//! The lowest modes of a matrix, from those of a similar one.

use numerics::blocks::BlockMatrix;
use numerics::linear::{Cholesky, LinearError, LinearSolver};
use numerics::modes::{LowestModes, Pairs, Pencil, Stop, Task};

/// Shift s of the factorised matrix K + s, relative to a bound of the largest eigenvalue, as in [`numerics::modes::lowest`].
const SHIFT: f64 = 1e-8;

/// Finds the lowest eigenpairs of K, as [`numerics::modes::lowest`] does, from vectors near them, column-major.
pub fn lowest_from(k: &BlockMatrix, count: usize, tolerance: f64, guess: &[f64]) -> Result<Pairs, LinearError> {
    let rows = k.pattern().rows();
    let norm = |i: usize, j: usize| k.block(i, j).as_flattened().iter().map(|x| x * x).sum::<f64>().sqrt();
    let bound = |i: usize| k.pattern().columns(i).iter().map(|&j| norm(i, j as usize)).sum::<f64>();
    let fastest = (0..rows).map(bound).fold(0.0, f64::max);
    let shift = SHIFT * fastest;
    let mut shifted = k.clone();
    for i in 0..rows {
        let block = &mut shifted.values[k.pattern().diagonal(i)];
        (0..3).for_each(|c| block[c][c] += shift);
    }
    let mut factor = Cholesky::new(k.pattern())?;
    factor.prepare(&shifted)?;
    let mut pencil = Shifted { k, mass: vec![1.0; rows], shifted, factor, shift, fastest };
    let mut modes = LowestModes::new(k.dim(), Stop::at(tolerance));
    modes.recall(0, guess, k.dim());
    let guards = (count / 5).max(3);
    let turn = &mut |_: &mut [f64], _| ();
    modes.find(&mut pencil, Task { wanted: count, guards, known: &[], turn, guess: &[], rider: &mut [] })?;
    let mut found = modes.found().clone();
    let count = count.min(found.values.len());
    found.values.truncate(count);
    found.angles.truncate(count);
    found.vectors.truncate(count * k.dim());
    Ok(found)
}

/// K, masses of one, and the factor of K + s.
struct Shifted<'a> {
    k: &'a BlockMatrix,
    mass: Vec<f64>,
    shifted: BlockMatrix,
    factor: Cholesky,
    shift: f64,
    fastest: f64,
}

impl Pencil for Shifted<'_> {
    fn dim(&self) -> usize {
        self.k.dim()
    }

    fn stiffness_times(&self, x: &[f64], y: &mut [f64], columns: usize) {
        self.k.multiply_columns(x, y, columns);
    }

    fn mass_times(&self, x: &[f64], y: &mut [f64], _columns: usize) {
        y.copy_from_slice(x);
    }

    fn lumped_mass(&self) -> &[f64] {
        &self.mass
    }

    fn fastest(&self) -> f64 {
        self.fastest
    }

    fn aim(&mut self, _values: &[f64]) -> Result<(), LinearError> {
        Ok(())
    }

    fn solve(&mut self, x: &mut [f64], columns: usize) -> Result<(), LinearError> {
        self.factor.solve(&self.shifted, x, columns)
    }

    fn shift(&self) -> [f64; 2] {
        [self.shift, 1.0]
    }

    fn takes_riders(&self) -> bool {
        false
    }

    fn is_exact(&self) -> bool {
        false
    }
}
