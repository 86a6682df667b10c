//! The lowest modes of a body in motion: eigenpairs of K u = lam M u, kept up to date from step to step.
//!
//! Block Davidson with the factor that an implicit step has anyway, A = M + h D + h^2 K. With the Ritz pairs (Lam, X)
//! of a basis V,
//!
//!   R = K X - M X Lam,     Z = A^-1 R,     V <- [V, Z],     Rayleigh-Ritz in V,                                    (1)
//!
//! until the residuals of the wanted pairs are small. From one step to the next V begins as last step's vectors, turned
//! with the body: then one pass of (1) is nearly always enough. K may have either sign, and A too: Rayleigh-Ritz orders
//! what A^-1 brings.
//!
//! **Residuals.** A^-1 M has the eigenvalues 1 / (1 + h^2 lam), and the relative residual of such a pair is
//! rho_i = h^2 |A^-1 r_i|_M = h^2 |z_i|_M: a pass tells it for the pairs it began with (as well as the factor is that of
//! A: with one of a much stiffer body it is too small, and the owner has to look again). After a pass it is bounded by
//! h^2 |M^-1 r_i|_M. In a body of one stiffness the bound is good; where a small part is 1e4 times stiffer, a change of it
//! that nobody can see fills the bound, and what the pass began with is the better one. The smaller of the two is told.
//!
//! A few guards more than the wanted vectors are carried, so that neighbours which swap places are there already. Null
//! vectors that the caller knows (translations of a free body) are kept as they are, before all others; the rest stays
//! orthogonal to them, so momentum is not a matter of tolerance.
//!
//! Nothing needs an orthogonal basis: Rayleigh-Ritz sorts out near-dependence in numbers as small as the basis. The
//! product K Z is (R - a M Z) / b where A = a M + b K. What cancels there is of the size of rounding over b, so of
//! rounding in rho.
//!
//! Cost of a warm start with p vectors: 1 product with K, 1 block solve, 2 Gram matrices of 2p x p and 2 of p x p,
//! combinations of 8 blocks by p x p. Memory: 3 bases and 3 blocks. Cited: Davidson 1975; Knyazev 2001 on why A^-1 R
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

/// The pencil (K, M) and a factor close to it.
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

    /// x = A^-1 x, by columns.
    fn solve(&mut self, x: &mut [f64], columns: usize) -> Result<(), LinearError>;

    /// a and b where A = a M + b K; otherwise products with K are made.
    fn shift(&self) -> Option<[f64; 2]>;

    /// h^2: what makes eigenvalues numbers without units.
    fn scale(&self) -> f64;
}

/// Eigenpairs: those of known null vectors first, then ascending.
#[derive(Debug, Clone, Default)]
pub struct Pairs {
    /// lam [1/s^2].
    pub values: Vec<f64>,
    /// Vectors with u . M u = 1, column-major; the largest component is positive, of equals the first.
    pub vectors: Vec<f64>,
    /// rho of each, or a bound of it.
    pub residuals: Vec<f64>,
    /// How many were known.
    pub known: usize,
}

/// When to stop.
#[derive(Debug, Clone, Copy)]
pub struct Stop {
    /// Largest rho of a wanted pair where there are vectors of an earlier step.
    pub warm: f64,
    /// The same where there are none.
    pub cold: f64,
    /// Most passes of (1) where there are vectors of an earlier step. What is reached by then is taken, and the next
    /// step goes on from there: where very many modes are much slower than the step, they part slowly.
    pub warm_passes: usize,
    /// The same where there are none.
    pub cold_passes: usize,
}

impl Default for Stop {
    fn default() -> Stop {
        Stop { warm: 5e-2, cold: 1e-3, warm_passes: 3, cold_passes: 20 }
    }
}

/// A pass makes residuals five to ten times smaller, and more where they are small.
const GAIN: f64 = 6.0;

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
}

impl LowestModes {
    /// Modes of systems with `dim` unknowns.
    pub fn new(dim: usize, stop: Stop) -> LowestModes {
        LowestModes { stop, kept: Pairs::default(), found: Pairs::default(), basis: Basis::new(dim) }
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
            basis.push_with(n, columns, |v| {
                v[..given * n].copy_from_slice(&guess[..given * n]);
                v[given * n..].iter_mut().enumerate().for_each(|(k, v)| *v = noise(k));
            });
            basis.smooth(pencil)?;
        }
        basis.make_orthogonal_to(known, pencil);
        basis.extend(pencil, None);

        let Stop { warm, cold, warm_passes, cold_passes } = self.stop;
        let (tolerance, most) = if is_warm { (warm, warm_passes) } else { (cold, cold_passes) };
        let mut is_ridden = false;
        let mut passes = 0;
        loop {
            interrupt::check()?;
            basis.rayleigh_ritz(columns)?;
            basis.residuals(pencil);
            let wanted = wanted.saturating_sub(known_count).min(basis.values.len());
            let worst = |residuals: &[f64]| residuals[..wanted].iter().fold(0.0, |m: f64, r| m.max(*r));
            // One pass follows every warm start, however good, unless the body stands still.
            let is_good = match passes {
                0 if is_warm => worst(&basis.residuals) <= 1e-2 * tolerance,
                0 => worst(&basis.residuals) <= tolerance,
                _ => worst(&basis.residuals) <= tolerance || worst(&basis.before) <= GAIN * tolerance,
            };
            if columns == all || is_good || passes == most {
                break;
            }
            let ride = if is_ridden { &mut [][..] } else { &mut rider[..] };
            basis.expand(pencil, ride)?;
            is_ridden = true;
            passes += 1;
        }
        basis.write(&mut self.found);
        // Room for the next answer, so that no later call allocates.
        let more = self.found.vectors.len().saturating_sub(self.kept.vectors.len());
        self.kept.vectors.reserve_exact(more);
        Ok(is_ridden)
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
        self.kept.residuals = vec![0.0; count];
        self.kept.vectors = vectors.to_vec();
        self.kept.known = known;
    }
}

/// Numbers between -1 and 1 without a pattern, the same everywhere (splitmix64).
fn noise(k: usize) -> f64 {
    let mut z = (k as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^= z >> 31;
    (z >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
}
