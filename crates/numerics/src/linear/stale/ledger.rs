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

use crate::linear::hierarchy::Hierarchy;

/// Bytes that memory delivers in the time that a factorisation in single precision takes per flop of its dense kernels,
/// and per number of the factor (assembling fronts): fitted to the times of a cube, a beam and a slender bar (the
/// example `factors`).
const BYTES_A_FLOP: f64 = 0.18;
const BYTES_AN_ENTRY: f64 = 55.0;
/// Iterations with a rounded factor of the same matrix above which its rounding is to blame. The next form moves twice the bytes
/// and needs fewer; in double precision it needs none.
const ROUNDED_AWAY: f64 = 8.0;
/// Weight of the last solve in the recent average. Newton's method alternates between loose and tight solves.
const LATELY: f64 = 0.5;

/// Steps that the choice of a form counts with: solves of a step with a kept factor take this many iterations, and a
/// factor lives for so many steps (cubes and beams of 12k to 98k tets); a hierarchy lives longer.
const ITERATIONS_OF_FACTOR: f64 = 2.9;
const LIFE_OF_FACTOR: f64 = 16.0;
const LIFE_OF_HIERARCHY: f64 = 30.0;
/// Iterations with a hierarchy per decimal digit of a solve.
const ITERATIONS_A_DIGIT: f64 = 4.0;

/// Form of the stored inverse, from the one of least memory to the most exact one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Coarser and coarser matrices.
    Hierarchy,
    /// A factor computed in f32 and stored in 16 bits.
    Half,
    /// A factor in f32.
    Single,
    /// A factor in f64.
    Double,
}

impl Form {
    /// All forms with their codes in checkpoints.
    const CODES: [(Form, f64); 4] =
        [(Form::Hierarchy, 1.0), (Form::Half, 2.0), (Form::Single, 4.0), (Form::Double, 8.0)];

    /// Returns the code in checkpoints.
    pub fn code(self) -> f64 {
        Form::CODES.iter().find(|(form, _)| *form == self).map_or(0.0, |(_, code)| *code)
    }

    /// Returns the form of a code.
    pub fn of_code(code: f64) -> Option<Form> {
        Form::CODES.iter().find(|(_, known)| *known == code).map(|(form, _)| *form)
    }
}

/// Costs, in bytes moved.
#[derive(Debug, Clone, Copy)]
pub(super) struct Costs {
    flops: f64,
    entries: f64,
    /// Cost of a product with the matrix.
    product: f64,
    /// Cost of an application of a hierarchy, and of making it.
    hierarchy: [f64; 2],
}

impl Costs {
    /// Makes the costs of a factor of `entries` numbers made in `flops`, and of a matrix of `slots` stored blocks.
    pub fn new(flops: f64, entries: f64, slots: usize) -> Costs {
        // Blocks off the diagonal are read twice: as stored, and transposed.
        Costs { flops, entries, product: 144.0 * slots as f64, hierarchy: Hierarchy::cost(slots) }
    }

    /// Returns the cost of making a stored inverse, and of an iteration with it.
    fn of(&self, form: Form) -> [f64; 2] {
        let single = BYTES_A_FLOP * self.flops + BYTES_AN_ENTRY * self.entries;
        // A double is twice as wide for memory and for arithmetic alike.
        let (factor, size) = match form {
            Form::Hierarchy => return [self.hierarchy[1], self.hierarchy[0] + self.product],
            Form::Half => (single, 2.0),
            Form::Single => (single, 4.0),
            Form::Double => (2.0 * single, 8.0),
        };
        // Both sweeps read the whole factor.
        [factor, 2.0 * size * self.entries + self.product]
    }

    /// Returns the cost of making a stored inverse, in iterations with it.
    pub fn making(&self, form: Form) -> f64 {
        let [make, iteration] = self.of(form);
        make / iteration
    }

    /// Returns the iterations per step with a hierarchy that cost as much as a step with a factor.
    fn even(&self) -> f64 {
        let [factor, sweep] = self.of(Form::Half);
        let [make, cycle] = self.of(Form::Hierarchy);
        (ITERATIONS_OF_FACTOR * sweep + factor / LIFE_OF_FACTOR - make / LIFE_OF_HIERARCHY) / cycle
    }

    /// Returns true if steps that solve to `tolerance` should cost less with a hierarchy than with a factor.
    pub fn favour_hierarchy(&self, tolerance: f64) -> bool {
        -tolerance.log10() * ITERATIONS_A_DIGIT < self.even()
    }

    /// Returns the iterations with a stored inverse of the same matrix above which the next form is better: it is less
    /// exact than it should be.
    pub fn limit(&self, form: Form) -> f64 {
        match form {
            Form::Hierarchy => self.even(),
            Form::Half | Form::Single => ROUNDED_AWAY,
            Form::Double => f64::INFINITY,
        }
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
    pub fn is_worn(&self, costs: &Costs, form: Form) -> bool {
        self.lately * self.uses as f64 > costs.making(form) + self.iterations as f64
    }

    /// Returns the iterations after which a solve with this factor is abandoned for a new one.
    pub fn patience(&self, costs: &Costs, form: Form) -> usize {
        let usual = self.iterations.checked_div(self.uses).unwrap_or(0);
        (4.0 + 2.0 * usual as f64 + costs.making(form)) as usize
    }

    /// Returns true if the next matrices need a more exact form.
    pub fn is_inexact(&self, costs: &Costs, form: Form) -> bool {
        self.age == 0 && self.lately > costs.limit(form)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs solves of `iterations(age)` each; returns the age at which the factor is worn.
    fn life(costs: &Costs, iterations: impl Fn(u64) -> usize) -> u64 {
        let mut ledger = Ledger::default();
        while !ledger.is_worn(costs, Form::Half) && ledger.age < 1000 {
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
                (costs.making(Form::Half) + spent as f64) / life as f64
            };
            let best = (1..500).map(mean).fold(f64::INFINITY, f64::min);
            let chosen = mean(life(&costs, iterations));
            assert!(chosen <= 1.05 * best, "growth {growth}: {chosen} for {best}");
        }
    }

    #[test]
    fn large_compact_bodies_get_a_hierarchy_and_slender_ones_a_factor() {
        // Flops, numbers of the factor and stored blocks: cubes of 12k and 36k vertices, a bar, a sheet.
        let of = |flops, entries, slots| Costs::new(flops, entries, slots).favour_hierarchy(1e-4);
        assert!(!of(2.2e10, 2.4e7, 91_000) && of(2.2e11, 1.2e8, 270_000));
        assert!(!of(7.7e8, 9.1e6, 200_000) && !of(3.0e8, 3.0e6, 35_000));
    }

    #[test]
    fn a_factor_that_does_not_wear_is_kept_for_good() {
        assert_eq!(life(&Costs::new(1e6, 1e5, 1000), |_| 3), 1000);
    }
}
