//! Lifetime of a stored factor: decided from counted work, never from a clock.
//!
//! A stored factor saves a factorisation and costs iterations, more and more of them as the matrix changes. If the k-th
//! solve took i_k iterations, the average cost of a solve since the factor was made is
//!
//!   (F + sum_k i_k I) / uses,       F, I: cost of a factorisation, of an iteration
//!
//! which falls at first, because F is shared by more and more solves, and is least where a solve costs as much as the
//! average. Then the factor is worn: a new one is made for the next matrix. A single solve spends no more iterations on
//! an old factor than a new one would cost.

/// Bytes that memory delivers in the time that a factorisation in single precision takes per flop of its dense kernels,
/// and per number of the factor (assembling fronts): fitted to the times of a cube, a beam and a slender bar (the
/// example `factors`).
const BYTES_A_FLOP: f64 = 0.18;
const BYTES_AN_ENTRY: f64 = 55.0;
/// Iterations with a single-precision factor of the same matrix above which its rounding is to blame: a factor in
/// double precision moves twice the bytes, and needs none.
const ROUNDED_AWAY: f64 = 8.0;
/// Weight of the last solve in the recent average. Newton's method alternates between loose and tight solves.
const LATELY: f64 = 0.5;

/// Precision of a factor's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// f32
    Single,
    /// f64
    Double,
}

/// Costs, in bytes moved.
#[derive(Debug, Clone, Copy)]
pub(super) struct Costs {
    flops: f64,
    entries: f64,
    /// Cost of a product with the matrix.
    product: f64,
}

impl Costs {
    /// Makes the costs of a factor of `entries` numbers made in `flops`, and of a matrix of `slots` stored blocks.
    pub fn new(flops: f64, entries: f64, slots: usize) -> Costs {
        // Blocks off the diagonal are read twice: as stored, and transposed.
        Costs { flops, entries, product: 144.0 * slots as f64 }
    }

    /// Returns the cost of a factorisation, in iterations.
    pub fn factorisation(&self, width: Width) -> f64 {
        let size = if width == Width::Single { 4.0 } else { 8.0 };
        // A double is twice as wide for memory and for arithmetic alike. Both sweeps read the whole factor.
        let factor = 0.25 * size * (BYTES_A_FLOP * self.flops + BYTES_AN_ENTRY * self.entries);
        factor / (2.0 * size * self.entries + self.product)
    }
}

/// Use of a factor since it was made.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct Ledger {
    /// Matrices it has been kept for.
    pub age: u64,
    /// Solves.
    pub uses: u64,
    /// Iterations of all of them, and the recent average per solve.
    pub iterations: u64,
    pub lately: f64,
}

impl Ledger {
    pub fn record(&mut self, iterations: usize) {
        self.uses += 1;
        self.iterations += iterations as u64;
        let now = iterations as f64;
        self.lately = if self.uses == 1 { now } else { self.lately + LATELY * (now - self.lately) };
    }

    /// Returns true if the next matrix should get a new factor.
    pub fn is_worn(&self, costs: &Costs, width: Width) -> bool {
        self.lately * self.uses as f64 > costs.factorisation(width) + self.iterations as f64
    }

    /// Returns the iterations after which a solve with this factor is abandoned for a new one.
    pub fn patience(&self, costs: &Costs, width: Width) -> usize {
        let usual = self.iterations.checked_div(self.uses).unwrap_or(0);
        (4.0 + 2.0 * usual as f64 + costs.factorisation(width)) as usize
    }

    /// Returns true if single precision is not enough for such matrices.
    pub fn is_rounded_away(&self) -> bool {
        self.age == 0 && self.lately > ROUNDED_AWAY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs solves of `iterations(age)` each; returns the age at which the factor is worn.
    fn life(costs: &Costs, iterations: impl Fn(u64) -> usize) -> u64 {
        let mut ledger = Ledger::default();
        while !ledger.is_worn(costs, Width::Single) && ledger.age < 1000 {
            ledger.record(iterations(ledger.age));
            ledger.age += 1;
        }
        ledger.age
    }

    #[test]
    fn the_life_of_a_factor_is_the_one_of_least_mean_cost() {
        let costs = Costs::new(2.2e10, 1.9e7, 97_000);
        for growth in [0.05, 0.2, 1.0] {
            let iterations = |age: u64| (3.0 + growth * age as f64) as usize;
            let mean = |life: u64| {
                let spent: usize = (0..life).map(iterations).sum();
                (costs.factorisation(Width::Single) + spent as f64) / life as f64
            };
            let best = (1..500).map(mean).fold(f64::INFINITY, f64::min);
            let chosen = mean(life(&costs, iterations));
            assert!(chosen <= 1.05 * best, "growth {growth}: {chosen} for {best}");
        }
    }

    #[test]
    fn a_factor_that_does_not_wear_is_kept_for_good() {
        assert_eq!(life(&Costs::new(1e6, 1e5, 1000), |_| 3), 1000);
    }
}
