//! The lowest modes of a moving body: eigenpairs of K u = lam M u, updated from step to step.
//!
//! Block Davidson. With the Ritz pairs (Lam, X) of a basis V and a factor of B, about a M + b K,
//!
//!   R = K X - M X Lam,     Z = B^-1 R,     V <- [V, Z],     Rayleigh-Ritz in V,                                    (1)
//!
//! until the wanted pairs are accurate. From one step to the next V begins as the last step's vectors, rotated with the
//! body: then a pass or two of (1) are enough, and none where the body hardly moved. K may be indefinite, and B too:
//! Rayleigh-Ritz sorts the result of B^-1.
//!
//! **The factor.** A pass reduces the part of X along the mode lam_j by about (lam + sigma) / (lam_j + sigma), sigma =
//! a / b. The matrix of an implicit step has sigma = 1 / h^2: it is effective where modes beyond the wanted ones have
//! h^2 lam >= 1, and there a right-hand side of the step (the rider) joins the block solve. For slower modes the caller
//! provides another factor, whose sigma is of the size of their lam ([`Pencil::aim`]).
//!
//! **Accuracy.** The measure is the angle between u and the exact mode, a number without units that does not depend on
//! the step. A residual r has (lam_j - lam) times the part of u along mode j. With lam_p the last carried value,
//!
//!   angle <= |M^-1 r|_M / (lam_p - lam),      angle <= |(K + sigma M)^-1 r|_M (lam_p + sigma) / (lam_p - lam)         (2)
//!
//! to the carried space as a whole. The first is known at once. In a body of one stiffness it is good; where a small
//! part is 1e4 times stiffer, invisible strains in it dominate the bound. The second is nearly an equation, and b |z|_M
//! comes from the pass that follows: it gives the angle at the beginning of the pass. (h^2 |A^-1 r|_M, the residual of
//! A^-1 M, is no measure of it: for h^2 lam << 1 it is small whatever u is.) Within the carried space Rayleigh-Ritz
//! separates modes, up to angle (lam_p - lam) / (lam_b - lam) times as much, with lam_b the first value beyond the
//! wanted ones.
//!
//! A few more vectors than wanted, the guards, are carried, so that neighbours which swap places are known already.
//! Null vectors given by the caller (translations of a free body) are kept unchanged, before all others; the rest stays
//! orthogonal to them, so momentum does not depend on the tolerance. Dependent vectors are replaced by new directions:
//! for a stiff free body B^-1 turns noise into rigid motions only.
//!
//! Nothing needs an orthogonal basis: Rayleigh-Ritz handles near-dependence in numbers as small as the basis. The
//! product K Z is (R - a M Z) / b where B = a M + b K. The cancellation there is of the size of rounding over sigma.
//!
//! Cost of a pass with p vectors: 1 product with K, 1 block solve, 2 Gram matrices of 2p x p and 2 of p x p,
//! combinations of 8 blocks by p x p. Memory: 3 bases and 3 blocks. Citation: Davidson 1975; Knyazev 2001 on why B^-1 R
//! is the right direction.

mod basis;
mod matrices;
mod ritz;
mod tall;
#[cfg(test)]
mod tests;
mod trend;

use crate::interrupt;
use crate::linear::LinearError;
use basis::Basis;
pub use matrices::lowest;
pub use tall::{add_combinations, inner_products};
use trend::Trend;

/// The pencil (K, M) and a factor of a matrix B near it.
///
/// ```
/// use numerics::linear::LinearError;
/// use numerics::modes::{LowestModes, Pencil, Stop, Task};
///
/// /// Springs of 1, 2, 3 ... N/m, one per unknown, and masses of 1 kg. B is K itself.
/// struct Springs {
///     k: Vec<f64>,
///     mass: Vec<f64>,
/// }
///
/// impl Pencil for Springs {
///     fn dim(&self) -> usize {
///         self.k.len()
///     }
///     fn stiffness_times(&self, x: &[f64], y: &mut [f64], _columns: usize) {
///         (0..x.len()).for_each(|i| y[i] = self.k[i % self.k.len()] * x[i]);
///     }
///     fn mass_times(&self, x: &[f64], y: &mut [f64], _columns: usize) {
///         y.copy_from_slice(x);
///     }
///     fn lumped_mass(&self) -> &[f64] {
///         &self.mass
///     }
///     fn fastest(&self) -> f64 {
///         self.k.len() as f64
///     }
///     fn aim(&mut self, _values: &[f64]) -> Result<(), LinearError> {
///         Ok(())
///     }
///     fn solve(&mut self, x: &mut [f64], _columns: usize) -> Result<(), LinearError> {
///         (0..x.len()).for_each(|i| x[i] /= self.k[i % self.k.len()]);
///         Ok(())
///     }
///     fn shift(&self) -> [f64; 2] {
///         [0.0, 1.0]
///     }
///     fn takes_riders(&self) -> bool {
///         false
///     }
///     fn is_exact(&self) -> bool {
///         true
///     }
/// }
///
/// let mut springs = Springs { k: (1..=60).map(f64::from).collect(), mass: vec![1.0; 20] };
/// let mut modes = LowestModes::new(60, Stop::at(1e-6));
/// let task = Task { wanted: 2, guards: 4, known: &[], turn: &mut |_, _| (), guess: &[], rider: &mut [] };
/// modes.find(&mut springs, task)?;
/// let values = &modes.found().values;
/// assert!((values[0] - 1.0).abs() < 1e-9 && (values[1] - 2.0).abs() < 1e-9);
/// # Ok::<(), LinearError>(())
/// ```
pub trait Pencil {
    /// Number of unknowns, a multiple of three.
    fn dim(&self) -> usize;

    /// y = K x, by columns.
    fn stiffness_times(&self, x: &[f64], y: &mut [f64], columns: usize);

    /// y = M x, by columns.
    fn mass_times(&self, x: &[f64], y: &mut [f64], columns: usize);

    /// Returns the lumped mass of each three unknowns. Residuals are measured with it: exact for a lumped mass; for a
    /// consistent one of linear tets they come out up to sqrt(5) too small.
    fn lumped_mass(&self) -> &[f64];

    /// Returns about the largest eigenvalue: the scale of rounding in K.
    fn fastest(&self) -> f64;

    /// Chooses the matrix B for the next passes. `values` are the current Ritz values, ascending.
    fn aim(&mut self, values: &[f64]) -> Result<(), LinearError>;

    /// x = B^-1 x, by columns.
    fn solve(&mut self, x: &mut [f64], columns: usize) -> Result<(), LinearError>;

    /// Returns a and b where B is about a M + b K.
    fn shift(&self) -> [f64; 2];

    /// Returns true if B is the matrix that riders are to be solved with.
    fn takes_riders(&self) -> bool;

    /// Returns true if B is exactly a M + b K, and `solve` exact: then products with K need no multiplication.
    fn is_exact(&self) -> bool;
}

/// Eigenpairs: those of known null vectors first, then ascending.
#[derive(Debug, Clone, Default)]
pub struct Pairs {
    /// lam [1/s^2].
    pub values: Vec<f64>,
    /// Vectors with u . M u = 1, column-major; the largest component is positive, the first of equals.
    pub vectors: Vec<f64>,
    /// Estimated angle of each to the exact mode [rad], zero for known ones.
    pub angles: Vec<f64>,
    /// Number of known null vectors.
    pub known: usize,
}

/// Stopping rule.
#[derive(Debug, Clone, Copy)]
pub struct Stop {
    /// Largest estimated angle of a wanted mode to the exact one [rad].
    pub tolerance: f64,
    /// Limit of passes of (1) with vectors of an earlier step. The result at that point is used, and the next step
    /// continues from it.
    pub warm_passes: usize,
    /// The same without earlier vectors.
    pub cold_passes: usize,
}

impl Stop {
    /// Stops at this angle [rad], or after more passes than are ever useful.
    pub fn at(tolerance: f64) -> Stop {
        Stop { tolerance, warm_passes: 12, cold_passes: 60 }
    }
}

/// Bounds of the factor by which a pass reduces angles.
const GAINS: [f64; 2] = [2.0, 30.0];
/// Searches after which the gain is measured again: each costs a pass that may not be needed.
const MEASURED_FOR: u64 = 10;
/// Limit of attempts with new directions where vectors are dependent.
const FILLS: usize = 4;

/// Input of a search besides the pencil.
pub struct Task<'a> {
    /// Number of wanted pairs, including known ones.
    pub wanted: usize,
    /// Number of additional pairs carried along.
    pub guards: usize,
    /// Null vectors of K, column-major, M-orthonormal.
    pub known: &'a [f64],
    /// Rotates vectors of the earlier step to the current pose, by columns.
    pub turn: &'a mut dyn FnMut(&mut [f64], usize),
    /// Initial vectors where there is no earlier step: similar to low modes if possible.
    pub guess: &'a [f64],
    /// A right-hand side that joins the first block solve and becomes its solution.
    pub rider: &'a mut [f64],
}

/// The lowest modes, from step to step.
pub struct LowestModes {
    /// Stopping rule.
    pub stop: Stop,
    kept: Pairs,
    found: Pairs,
    trend: Trend,
    next_trend: Trend,
    basis: Basis,
    passes: usize,
}

impl LowestModes {
    /// Makes it for systems with `dim` unknowns.
    pub fn new(dim: usize, stop: Stop) -> LowestModes {
        let [kept, found] = [(); 2].map(|()| Pairs::default());
        let [trend, next_trend] = [(); 2].map(|()| Trend::default());
        LowestModes { stop, kept, found, trend, next_trend, basis: Basis::new(dim), passes: 0 }
    }

    /// Finds the lowest pairs, from stored ones if there are any. Returns true if the rider was solved for: nothing is
    /// solved where the vectors of the earlier step are accurate already.
    ///
    /// The answer is in [`LowestModes::found`], and is dropped unless [`LowestModes::keep`] is called.
    pub fn find(&mut self, pencil: &mut dyn Pencil, task: Task) -> Result<bool, LinearError> {
        let n = pencil.dim();
        let Task { wanted, guards, known, turn, guess, rider } = task;
        let known_count = known.len() / n.max(1);
        // Half the unknowns or more: all of them, which is exact and no more work.
        let all = n - known_count;
        let few = (wanted + guards).saturating_sub(known_count).max(1);
        let columns = if 2 * few >= all { all } else { few };
        let is_warm = self.kept.values.len() > self.kept.known;

        let basis = &mut self.basis;
        basis.clear(columns, if columns == all { 1 } else { 4 });
        [&mut self.trend, &mut self.next_trend].into_iter().for_each(|trend| trend.reserve(columns, n));
        basis.know(known, pencil);
        if columns == all {
            basis.push_with(n, n, |v| (0..n).for_each(|k| v[k * n + k] = 1.0));
        } else if is_warm {
            let from = self.kept.known * n;
            let old = &self.kept.vectors[from..];
            let count = (old.len() / n).min(columns);
            basis.push_with(n, count, |v| self.trend.predict(&old[..count * n], n, turn, v));
        } else {
            let given = (guess.len() / n).min(columns);
            basis.push_with(n, given, |v| v.copy_from_slice(&guess[..given * n]));
            basis.smooth(pencil)?;
        }
        basis.make_orthogonal(pencil);
        basis.extend(pencil, None);

        let Stop { tolerance, warm_passes, cold_passes } = self.stop;
        let most = if is_warm { warm_passes } else { cold_passes };
        let (mut passes, mut fills, mut is_ridden) = (0, 0, false);
        let (mut gain, mut measured, mut last) = (self.trend.gain, false, f64::INFINITY);
        loop {
            interrupt::check()?;
            basis.rayleigh_ritz(columns)?;
            if basis.values.len() < columns && fills < FILLS {
                // Too few to begin with, or some are combinations of others.
                basis.fill(pencil, columns, fills)?;
                fills += 1;
                continue;
            }
            basis.residuals(pencil);
            let wanted = wanted.saturating_sub(known_count).min(basis.values.len());
            basis.estimate_angles(wanted, pencil.fastest());
            let worst = |angles: &[f64]| angles[..wanted].iter().fold(0.0, |m: f64, angle| m.max(*angle));
            // The angle after a pass is that before it over the gain.
            let before = worst(&basis.before);
            if last.is_finite() && before > 0.0 {
                (gain, measured) = ((last / before).clamp(GAINS[0], GAINS[1]), true);
            }
            last = before;
            let is_known = measured || self.trend.age < MEASURED_FOR || before <= GAINS[0] * tolerance;
            let is_good = worst(&basis.angles) <= tolerance || is_known && before <= gain * tolerance;
            if columns == all || is_good || passes == most {
                break;
            }
            pencil.aim(&basis.values)?;
            let ride = if is_ridden || !pencil.takes_riders() { &mut [][..] } else { &mut rider[..] };
            is_ridden |= !ride.is_empty();
            basis.expand(pencil, ride)?;
            passes += 1;
        }
        self.passes = passes;
        basis.expect(gain);
        basis.write(&mut self.found);
        let now = &self.found.vectors[known_count * n..];
        if !is_warm {
            self.trend.forget();
        }
        self.next_trend.gain = gain;
        self.next_trend.age = if measured { 0 } else { self.trend.age.saturating_add(u64::from(passes > 0)) };
        self.next_trend.follow(&self.trend, now, pencil);
        // Allocates the next answer, so that no later call allocates.
        let more = self.found.vectors.len().saturating_sub(self.kept.vectors.len());
        self.kept.vectors.reserve_exact(more);
        Ok(is_ridden)
    }

    /// Returns the passes of the last search.
    pub fn passes(&self) -> usize {
        self.passes
    }

    /// Returns the last result.
    pub fn found(&self) -> &Pairs {
        &self.found
    }

    /// Stores the last result as the start of the next search.
    pub fn keep(&mut self) {
        std::mem::swap(&mut self.kept, &mut self.found);
        std::mem::swap(&mut self.trend, &mut self.next_trend);
    }

    /// Returns the start of the next search.
    pub fn kept(&self) -> &Pairs {
        &self.kept
    }

    /// Drops the stored pairs.
    pub fn forget(&mut self) {
        self.kept.values.clear();
        self.kept.known = 0;
        self.trend.forget();
    }

    /// Returns how the stored pairs move, as numbers.
    pub fn trend(&self) -> Vec<f64> {
        self.trend.memory()
    }

    /// Restores the result of [`LowestModes::trend`] for `dim` unknowns; false if the numbers are impossible.
    pub fn recall_trend(&mut self, memory: &[f64], dim: usize) -> bool {
        self.trend.recall(memory, dim)
    }

    /// Stores these vectors as the start, of which the first `known` were known.
    pub fn recall(&mut self, known: usize, vectors: &[f64], dim: usize) {
        let count = vectors.len() / dim.max(1);
        self.kept.values = vec![0.0; count];
        self.kept.angles = vec![0.0; count];
        self.kept.vectors = vectors.to_vec();
        self.kept.known = known;
    }
}
