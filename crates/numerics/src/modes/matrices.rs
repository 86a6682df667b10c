//! Computes the lowest modes of given matrices K and M in one call.

use super::{LowestModes, Pairs, Pencil, Stop, Task};
use crate::blocks::BlockMatrix;
use crate::linear::{Cholesky, LinearError, LinearSolver};

/// Shift s of the factorised matrix K + s M, relative to a bound of the largest eigenvalue: large beside rounding, small beside
/// most modes.
const SHIFT: f64 = 1e-8;

/// Finds the `count` lowest modes of K u = lam M u. `mass` holds one mass per three unknowns; `tolerance` bounds the estimated angle
/// of each mode to the exact one [rad].
///
/// K is symmetric and may be singular. Modes far below zero are found too, but slowly. For modes of a matrix that changes little from
/// call to call use [`LowestModes`], which begins with those of the call before.
///
/// ```
/// use numerics::blocks::{BlockMatrix, Pattern};
/// use numerics::modes::lowest;
/// use std::sync::Arc;
///
/// // A free chain of 50 masses, the same in x, y and z.
/// let links: Vec<[u32; 2]> = (0..49).map(|i| [i, i + 1]).collect();
/// let pattern = Arc::new(Pattern::from_cliques(50, links.iter().map(|link| &link[..])));
/// let mut k = BlockMatrix::zeros(pattern.clone());
/// for i in 0..50 {
///     for (j, slot) in pattern.lower(i) {
///         let diagonal = if i == 0 || i == 49 { 1.0 } else { 2.0 };
///         (0..3).for_each(|c| k.values[slot][c][c] = if i == j { diagonal } else { -1.0 });
///     }
/// }
/// let modes = lowest(&k, &[1.0; 50], 6, 1e-6)?;
/// let exact = (2.0 * (0.5 * std::f64::consts::PI / 50.0).sin()).powi(2);
/// assert!(modes.values[..3].iter().all(|lam| lam.abs() < 1e-12));
/// assert!(modes.values[3..6].iter().all(|lam| (lam - exact).abs() < 1e-9 * exact));
/// # Ok::<(), numerics::linear::LinearError>(())
/// ```
pub fn lowest(k: &BlockMatrix, mass: &[f64], count: usize, tolerance: f64) -> Result<Pairs, LinearError> {
    let fastest = (0..mass.len()).fold(0.0, |most: f64, i| most.max(row_bound(k, mass, i)));
    let shift = SHIFT * fastest;
    let mut shifted = k.clone();
    for (i, mass) in mass.iter().enumerate() {
        let slot = k.pattern().diagonal(i);
        (0..3).for_each(|c| shifted.values[slot][c][c] += shift * mass);
    }
    let mut factor = Cholesky::new(k.pattern())?;
    factor.prepare(&shifted)?;
    let mut pencil = Matrices { k, mass, shifted, factor, shift, fastest };
    let mut modes = LowestModes::new(k.dim(), Stop::at(tolerance));
    let guards = (count / 5).max(3);
    modes.find(
        &mut pencil,
        Task { wanted: count, guards, known: &[], turn: &mut |_, _| (), guess: &[], rider: &mut [] },
    )?;
    let mut found = modes.found().clone();
    let count = count.min(found.values.len());
    found.values.truncate(count);
    found.angles.truncate(count);
    found.vectors.truncate(count * k.dim());
    Ok(found)
}

/// Sum of the norms of the blocks of a row of M^-1/2 K M^-1/2: no eigenvalue is larger than the largest of them (Gershgorin).
fn row_bound(k: &BlockMatrix, mass: &[f64], i: usize) -> f64 {
    let norm = |j: usize| k.block(i, j).as_flattened().iter().map(|x| x * x).sum::<f64>().sqrt();
    k.pattern().columns(i).iter().map(|&j| norm(j as usize) / (mass[i] * mass[j as usize]).sqrt()).sum()
}

/// K, a lumped M, and the factor of K + s M.
struct Matrices<'a> {
    k: &'a BlockMatrix,
    mass: &'a [f64],
    shifted: BlockMatrix,
    factor: Cholesky,
    shift: f64,
    fastest: f64,
}

impl Pencil for Matrices<'_> {
    fn dim(&self) -> usize {
        self.k.dim()
    }

    fn stiffness_times(&self, x: &[f64], y: &mut [f64], columns: usize) {
        self.k.multiply_columns(x, y, columns);
    }

    fn mass_times(&self, x: &[f64], y: &mut [f64], _columns: usize) {
        let n = self.dim();
        x.iter().zip(y).enumerate().for_each(|(i, (x, y))| *y = self.mass[i % n / 3] * x);
    }

    fn lumped_mass(&self) -> &[f64] {
        self.mass
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

    // Products are computed with K itself: derived from solves with a nearly singular matrix, they would be rounding errors.
    fn is_exact(&self) -> bool {
        false
    }
}
