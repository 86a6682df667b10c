//! Initial guess: the best combination of the last few solutions.
//!
//! The systems of successive steps change slowly, and so do their solutions. Of all x = D c with D = [d_1 .. d_m] the
//! last solutions, the one with the least residual |b - A D c| leaves a hundredth of b or less in a smooth motion,
//! which saves one or two of the four iterations left with a good preconditioner. It is never worse than zero.
//!
//! A D = Q R by modified Gram-Schmidt, newest first; c = R^-1 Q^T b. Dependent columns are left out.
//!
//! Cost: a product of m columns, m (m + 3) / 2 passes over vectors. Memory: 2 m + 1 vectors. (Fischer 1998 does this in
//! the norm of a constant matrix; here it changes, so products are made anew.)

use super::pcg::{add, norm};
use crate::blocks::BlockMatrix;
use crate::vectors::{dot, is_finite};

/// Number of stored solutions: a fourth one saved a fifth of an iteration more, a third one half of one.
const MOST: usize = 4;
/// Relative size below which a column, after subtracting newer ones, is rounding.
const DEPENDENT: f64 = 1e-7;

/// The last solutions of systems with the same unknowns.
#[derive(Debug, Clone, Default)]
pub struct Recent {
    /// Newest first, side by side.
    solutions: Vec<f64>,
    /// A D, then Q.
    products: Vec<f64>,
    /// x = D c of the current system.
    start: Vec<f64>,
}

impl Recent {
    /// Overwrites b with b - A x for the best x; returns the relative residual |b - A x| / |b|.
    pub fn subtract(&mut self, a: &BlockMatrix, b: &mut [f64]) -> f64 {
        let n = b.len();
        let count = self.count(n);
        let Recent { solutions, products, start } = self;
        // Allocates the largest size, so that no later step allocates.
        [&mut *solutions, products].into_iter().for_each(|v| v.reserve_exact((MOST * n).saturating_sub(v.len())));
        start.clear();
        start.resize(n, 0.0);
        let whole = norm(b);
        if count == 0 || !(whole > 0.0 && whole.is_finite()) {
            return 1.0;
        }
        products.resize(count * n, 0.0);
        a.multiply_columns(solutions, products, count);

        let mut r = [[0.0; MOST]; MOST];
        let mut along = [0.0; MOST];
        for k in 0..count {
            let (newer, rest) = products.split_at_mut(k * n);
            let column = &mut rest[..n];
            let before = norm(column);
            for (j, q) in newer.chunks_exact(n).enumerate() {
                if r[j][j] != 0.0 {
                    r[j][k] = dot(q, column);
                    add(column, -r[j][k], q);
                }
            }
            let left = norm(column);
            if left > DEPENDENT * before && left.is_finite() {
                r[k][k] = left;
                column.iter_mut().for_each(|w| *w /= left);
                along[k] = dot(column, b);
                add(b, -along[k], column);
            } else {
                r.iter_mut().for_each(|r| r[k] = 0.0);
            }
        }
        for k in (0..count).rev() {
            if r[k][k] != 0.0 {
                let older: f64 = (k + 1..count).map(|j| r[k][j] * along[j]).sum();
                along[k] = (along[k] - older) / r[k][k];
            }
        }
        for (k, d) in solutions.chunks_exact(n).enumerate().filter(|(k, _)| r[*k][*k] != 0.0) {
            add(start, along[k], d);
        }
        norm(b) / whole
    }

    /// Starts from zero; the relative residual is 1.
    pub fn skip(&mut self) -> f64 {
        self.start.clear();
        1.0
    }

    /// x += the result of `subtract`; the sum is the solution, and is stored.
    pub fn finish(&mut self, x: &mut [f64]) {
        let n = x.len();
        add(x, 1.0, &self.start);
        if !is_finite(x) {
            return;
        }
        let kept = self.count(n).min(MOST - 1) * n;
        self.solutions.resize(kept + n, 0.0);
        self.solutions.copy_within(..kept, n);
        self.solutions[..n].copy_from_slice(x);
    }

    /// Returns the columns that `subtract` multiplies for systems of `n` unknowns.
    pub fn count(&self, n: usize) -> usize {
        self.solutions.len() / n.max(1)
    }

    /// Returns the stored solutions.
    pub fn memory(&self) -> &[f64] {
        &self.solutions
    }

    /// Restores the result of `memory` for systems of `n` unknowns; false if the numbers are impossible.
    pub fn recall(&mut self, memory: &[f64], n: usize) -> bool {
        let is_whole = n > 0 && memory.len().is_multiple_of(n) && memory.len() / n <= MOST;
        let is_mine = memory.is_empty() || (is_whole && memory.iter().all(|x| x.is_finite()));
        self.solutions.clear();
        self.solutions.extend_from_slice(if is_mine { memory } else { &[] });
        is_mine
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::tests::{Noise, grid, residual, springs};
    use crate::linear::{Cholesky, LinearSolver};

    /// Solves b - A x exactly, as a solver would, and finishes.
    fn step(recent: &mut Recent, a: &BlockMatrix, b: &[f64]) -> (f64, Vec<f64>) {
        let mut r = b.to_vec();
        let left = recent.subtract(a, &mut r);
        let whole = norm(b);
        assert!((norm(&r) / whole - left).abs() < 1e-12 && left <= 1.0 + 1e-12);
        assert!((residual(a, &recent.start, b) - left).abs() < 1e-7 * (1.0 + left));
        let mut solver = Cholesky::new(a.pattern()).unwrap();
        solver.prepare(a).unwrap();
        solver.solve(a, &mut r, 1).unwrap();
        recent.finish(&mut r);
        assert!(residual(a, &r, b) < 1e-9);
        (left, r)
    }

    #[test]
    fn what_was_solved_before_is_known_and_what_moves_smoothly_nearly() {
        let a = springs(&grid(5, 4, 4), 0.1, 7);
        let n = a.dim();
        let parts: Vec<Vec<f64>> = (0..3).map(|k| Noise::new(k + 1).vector(n)).collect();
        let at = |t: f64| -> Vec<f64> {
            (0..n).map(|i| parts[0][i] + t * parts[1][i] + (3.0 * t).sin() * parts[2][i]).collect()
        };
        let mut recent = Recent::default();
        assert_eq!(step(&mut recent, &a, &at(0.0)).0, 1.0);
        assert!(step(&mut recent, &a, &at(0.0)).0 < 1e-9);
        let lefts: Vec<f64> = (1..8).map(|k| step(&mut recent, &a, &at(0.05 * k as f64)).0).collect();
        assert!(lefts[6] < 1e-5 && lefts[0] < 0.2, "{lefts:?}");
    }

    #[test]
    fn a_surprise_costs_nothing_and_zeros_are_no_trouble() {
        let a = springs(&grid(4, 4, 3), 0.1, 7);
        let mut recent = Recent::default();
        for seed in 0..6 {
            let (left, _) = step(&mut recent, &a, &Noise::new(seed).vector(a.dim()));
            assert!(left <= 1.0 + 1e-12);
        }
        let mut nothing = vec![0.0; a.dim()];
        assert_eq!(recent.subtract(&a, &mut nothing), 1.0);
        recent.finish(&mut nothing);
        assert_eq!(nothing, vec![0.0; a.dim()]);
        // Solutions that include zeros, and are all alike.
        let b = Noise::new(9).vector(a.dim());
        (0..5).for_each(|_| _ = step(&mut recent, &a, &b));
        // Values that are not finite are not stored.
        let memory = recent.memory().to_vec();
        let mut bad = b.clone();
        bad[3] = f64::NAN;
        recent.subtract(&a, &mut bad);
        recent.finish(&mut bad);
        assert_eq!(recent.memory(), memory);
        assert!(recent.recall(&memory, a.dim()) && !recent.recall(&memory[1..], a.dim()) && recent.memory().is_empty());
    }
}
