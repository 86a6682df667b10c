//! The lowest modes of a body in motion: eigenpairs of K u = lam M u, kept up to date from step to step.
//!
//! Block Davidson. With the Ritz pairs (Lam, X) of a basis V and a factor of B, about a M + b K,
//!
//!   R = K X - M X Lam,     Z = B^-1 R,     V <- [V, Z],     Rayleigh-Ritz in V,                                    (1)
//!
//! until the wanted pairs are good. From one step to the next V begins as last step's vectors, turned with the body:
//! then a pass or two of (1) are enough, and none where the body hardly moved. K may have either sign, and B too:
//! Rayleigh-Ritz orders what B^-1 brings.
//!
//! **The factor.** A pass weakens what X has of the mode lam_j by about (lam + sigma) / (lam_j + sigma), sigma = a / b.
//! The matrix of an implicit step has sigma = 1 / h^2: it serves where modes beyond the wanted ones have h^2 lam >= 1, and
//! there a right-hand side of the step rides along in the block solve. For slower modes the owner of the pencil takes
//! another factor, whose sigma is of the size of their lam ([`Pencil::aim`]).
//!
//! **How good is a pair?** What matters is the angle between u and the exact mode, a number without units that does not
//! depend on the step. A residual r has (lam_j - lam) times what u has of mode j. With lam_p the last value that is carried,
//!
//!   angle <= |M^-1 r|_M / (lam_p - lam),      angle <= |(K + sigma M)^-1 r|_M (lam_p + sigma) / (lam_p - lam)         (2)
//!
//! to what is carried as a whole. The first is known at once. In a body of one stiffness it is good; where a small part is
//! 1e4 times stiffer, strains in it that nobody can see fill the bound. The second is nearly an equation, and b |z|_M is had
//! from the pass that follows: it tells the angle that the pass began with. (h^2 |A^-1 r|_M, the residual of A^-1 M, is no
//! measure of it: for h^2 lam << 1 it is small whatever u is.) Among what is carried Rayleigh-Ritz parts modes, up to
//! angle (lam_p - lam) / (lam_b - lam) times as much, with lam_b the first value beyond the wanted ones.
//!
//! A few guards more than the wanted vectors are carried, so that neighbours which swap places are there already. Null
//! vectors that the caller knows (translations of a free body) are kept as they are, before all others; the rest stays
//! orthogonal to them, so momentum is not a matter of tolerance. Vectors that turn out to depend on each other are replaced
//! by new directions: a stiff free body leaves nothing but its rigid motions in what B^-1 makes of noise.
//!
//! Nothing needs an orthogonal basis: Rayleigh-Ritz sorts out near-dependence in numbers as small as the basis. The
//! product K Z is (R - a M Z) / b where B = a M + b K. What cancels there is of the size of rounding over sigma.
//!
//! Cost of a pass with p vectors: 1 product with K, 1 block solve, 2 Gram matrices of 2p x p and 2 of p x p,
//! combinations of 8 blocks by p x p. Memory: 3 bases and 3 blocks. Cited: Davidson 1975; Knyazev 2001 on why B^-1 R
//! is the right direction.

mod basis;
mod ritz;
mod tall;
#[cfg(test)]
mod tests;

use crate::interrupt;
use crate::linear::LinearError;
use basis::Basis;
pub use tall::{add_combinations, inner_products};

/// The pencil (K, M) and a factor of a matrix B near it.
pub trait Pencil {
    /// Number of unknowns, a multiple of three.
    fn dim(&self) -> usize;

    /// y = K x, by columns.
    fn stiffness_times(&self, x: &[f64], y: &mut [f64], columns: usize);

    /// y = M x, by columns.
    fn mass_times(&self, x: &[f64], y: &mut [f64], columns: usize);

    /// The mass of each three unknowns, lumped. Residuals are measured with it: exact for a lumped mass; for a
    /// consistent one of linear tets they come out up to sqrt(5) too small.
    fn lumped_mass(&self) -> &[f64];

    /// About the largest eigenvalue: what rounding in K is measured by.
    fn fastest(&self) -> f64;

    /// Chooses the matrix B for the passes to come. `values` are the Ritz values at hand, ascending.
    fn aim(&mut self, values: &[f64]) -> Result<(), LinearError>;

    /// x = B^-1 x, by columns.
    fn solve(&mut self, x: &mut [f64], columns: usize) -> Result<(), LinearError>;

    /// a and b where B is about a M + b K.
    fn shift(&self) -> [f64; 2];

    /// Whether B is the matrix that riders are to be solved with.
    fn takes_riders(&self) -> bool;

    /// Whether B is a M + b K itself, and `solve` exact: then products with K are had without making them.
    fn is_exact(&self) -> bool;
}

/// Eigenpairs: those of known null vectors first, then ascending.
#[derive(Debug, Clone, Default)]
pub struct Pairs {
    /// lam [1/s^2].
    pub values: Vec<f64>,
    /// Vectors with u . M u = 1, column-major; the largest component is positive, of equals the first.
    pub vectors: Vec<f64>,
    /// Estimated angle of each to the exact mode [rad], zero for known ones.
    pub angles: Vec<f64>,
    /// How many were known.
    pub known: usize,
}

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub struct Stop {
    /// Largest estimated angle of a wanted mode to the exact one [rad].
    pub tolerance: f64,
    /// Most passes of (1) where there are vectors of an earlier step. What is reached by then is taken, and the next
    /// step goes on from there.
    pub warm_passes: usize,
    /// The same where there are none.
    pub cold_passes: usize,
}

impl Stop {
    /// At this angle [rad], or after more passes than are ever of use.
    pub fn at(tolerance: f64) -> Stop {
        Stop { tolerance, warm_passes: 12, cold_passes: 60 }
    }
}

/// A pass makes angles at least this much smaller.
const GAIN: f64 = 3.0;
/// How often new directions are tried where vectors turn out to depend on each other.
const FILLS: usize = 4;

/// What a call is given besides the pencil.
pub struct Task<'a> {
    /// How many pairs are wanted, known ones included.
    pub wanted: usize,
    /// How many more are carried along.
    pub guards: usize,
    /// Null vectors of K, column-major, M-orthonormal.
    pub known: &'a [f64],
    /// Turns vectors of the earlier step into where the body is now, by columns.
    pub turn: &'a mut dyn FnMut(&mut [f64], usize),
    /// Vectors to begin with where there is no earlier step: the more like low modes the better.
    pub guess: &'a [f64],
    /// A right-hand side that rides along in the first block solve and becomes its solution.
    pub rider: &'a mut [f64],
}

/// The lowest modes, from step to step.
pub struct LowestModes {
    /// When to stop.
    pub stop: Stop,
    kept: Pairs,
    found: Pairs,
    basis: Basis,
    passes: usize,
}

impl LowestModes {
    /// Modes of systems with `dim` unknowns.
    pub fn new(dim: usize, stop: Stop) -> LowestModes {
        LowestModes { stop, kept: Pairs::default(), found: Pairs::default(), basis: Basis::new(dim), passes: 0 }
    }

    /// Finds the lowest pairs, from those kept if there are any. Tells whether the rider was solved for: nothing is
    /// solved where the vectors of the earlier step are good as they are.
    ///
    /// The answer is in [`LowestModes::found`], and is forgotten unless [`LowestModes::keep`] is called.
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
        basis.know(known, pencil);
        if columns == all {
            basis.push_with(n, n, |v| (0..n).for_each(|k| v[k * n + k] = 1.0));
        } else if is_warm {
            let from = self.kept.known * n;
            let old = &self.kept.vectors[from..];
            let count = (old.len() / n).min(columns);
            basis.push_with(n, count, |v| {
                v.copy_from_slice(&old[..count * n]);
                turn(v, count);
            });
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
            let is_good = worst(&basis.angles) <= tolerance || worst(&basis.before) <= GAIN * tolerance;
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
        basis.write(&mut self.found);
        // Room for the next answer, so that no later call allocates.
        let more = self.found.vectors.len().saturating_sub(self.kept.vectors.len());
        self.kept.vectors.reserve_exact(more);
        Ok(is_ridden)
    }

    /// How many passes the last search took.
    pub fn passes(&self) -> usize {
        self.passes
    }

    /// What was found last.
    pub fn found(&self) -> &Pairs {
        &self.found
    }

    /// Begins from what was found last the next time.
    pub fn keep(&mut self) {
        std::mem::swap(&mut self.kept, &mut self.found);
    }

    /// What the next step begins from.
    pub fn kept(&self) -> &Pairs {
        &self.kept
    }

    /// Begins anew.
    pub fn forget(&mut self) {
        self.kept.values.clear();
        self.kept.known = 0;
    }

    /// Begins from these vectors, of which the first `known` were known.
    pub fn recall(&mut self, known: usize, vectors: &[f64], dim: usize) {
        let count = vectors.len() / dim.max(1);
        self.kept.values = vec![0.0; count];
        self.kept.angles = vec![0.0; count];
        self.kept.vectors = vectors.to_vec();
        self.kept.known = known;
    }
}
