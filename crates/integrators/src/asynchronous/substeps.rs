//! Algorithm 1: all small steps of a region, given the push in each.
//!
//!   A y_r = b_r + M y_(r-1) - h^2 K (y_1 + ... + y_(r-1)),   r = 1..m,   A = M + h D + h^2 K,   h the small step
//!
//! y_r are the changes of velocity since the beginning of the large step. Only the last one and the sum of all are
//! needed, and at the border the sum of all sums. With D = alpha M + beta K the product with K costs nothing: A = a M +
//! c K, so c K y_r = A y_r - a M y_r, where A y_r is the right-hand side just solved for.

use model::mass::Mass;
use numerics::blocks::BlockMatrix;
use numerics::interrupt;
use numerics::linear::{Cholesky, LinearError};
use rayon::prelude::*;

/// Data shared by all small steps.
pub(super) struct System {
    pub mass: Mass,
    /// The mass of each unknown, where it is lumped.
    pub masses: Vec<f64>,
    /// Factor of A.
    pub factor: Cholesky,
    /// K, where D is made from another one.
    pub stiffness: Option<BlockMatrix>,
    /// Small step [s].
    pub h: f64,
    /// 1 + alpha h.
    pub inertia: f64,
    /// h^2 / c.
    pub share: f64,
    /// Number of small steps.
    pub ratio: usize,
}

/// Columns passing through the small steps, column-major.
pub(super) struct Substeps {
    n: usize,
    /// y_r; in the end y_m.
    pub last: Vec<f64>,
    /// y_1 + ... + y_m.
    pub sum: Vec<f64>,
    /// y_1 + (y_1 + y_2) + ... + (y_1 + ... + y_m), at the nodes asked for.
    pub twice: Vec<f64>,
    rhs: Vec<f64>,
    momentum: Vec<f64>,
    /// h^2 K (y_1 + ... + y_r).
    pull: Vec<f64>,
}

/// Results of the small steps.
#[derive(Clone, Copy)]
pub(super) struct Results<'a> {
    pub last: &'a [f64],
    pub sum: &'a [f64],
    pub twice: &'a [f64],
}

impl Substeps {
    /// Allocates up to `columns` columns of n numbers.
    pub fn new(n: usize, columns: usize) -> Substeps {
        let zeros = || vec![0.0; n * columns];
        let (last, sum, twice) = (zeros(), zeros(), zeros());
        Substeps { n, last, sum, twice, rhs: zeros(), momentum: zeros(), pull: zeros() }
    }

    /// Returns the first `columns` columns: last change, sum of all, right-hand side, M y, and h^2 K times the sum.
    pub fn columns(&mut self, columns: usize) -> [&mut [f64]; 5] {
        let len = self.n * columns;
        let Substeps { last, sum, rhs, momentum, pull, .. } = self;
        [last, sum, rhs, momentum, pull].map(|v| &mut v[..len])
    }

    /// Returns the results for a single column.
    pub fn result(&self) -> Results<'_> {
        Results { last: &self.last, sum: &self.sum, twice: &self.twice }
    }

    /// Returns the results, column by column.
    pub fn results(&self, columns: usize) -> impl Iterator<Item = Results<'_>> {
        let of = |k: usize| k * self.n..(k + 1) * self.n;
        let results = move |k| Results { last: &self.last[of(k)], sum: &self.sum[of(k)], twice: &self.twice[of(k)] };
        (0..columns).map(results)
    }

    /// Takes `columns` columns through all small steps; `push(r, rhs)` adds b_r. At the nodes `near` the sums are
    /// summed up.
    pub fn run(
        &mut self,
        system: &mut System,
        columns: usize,
        near: &[u32],
        mut push: impl FnMut(usize, &mut [f64]),
    ) -> Result<(), LinearError> {
        let (n, len) = (self.n, self.n * columns);
        let Substeps { last, sum, twice, rhs, momentum, pull, .. } = self;
        let [last, sum, twice, rhs, momentum, pull] = [last, sum, twice, rhs, momentum, pull].map(|v| &mut v[..len]);
        [&mut *sum, rhs, pull].into_iter().for_each(|v| v.fill(0.0));
        if !near.is_empty() {
            twice.fill(0.0);
        }
        let mut sum_up = |sum: &[f64]| {
            for (sum, twice) in sum.chunks_exact(n).zip(twice.chunks_exact_mut(n)) {
                for at in near.iter().map(|&a| 3 * a as usize) {
                    (at..at + 3).for_each(|i| twice[i] += sum[i]);
                }
            }
        };
        for r in 1..=system.ratio {
            interrupt::check()?;
            push(r, rhs);
            last.copy_from_slice(rhs);
            system.factor.solve_factored(last, columns)?;
            if r == system.ratio {
                break;
            }
            system.go_on(last, [&mut *sum, rhs, momentum, pull], columns);
            sum_up(sum);
        }
        sum.iter_mut().zip(&*last).for_each(|(sum, y)| *sum += y);
        sum_up(sum);
        Ok(())
    }
}

/// Push on a region in its small steps: b_r = start + r slope + r^2 curve + later[r - 1].
pub(super) struct Push<'a> {
    pub start: &'a [f64],
    pub slope: &'a [f64],
    /// Empty until the rest's motion is known.
    pub curve: &'a [f64],
    /// Empty where nothing depends on time.
    pub later: &'a [f64],
}

impl Push<'_> {
    /// rhs += b_r.
    pub fn add(&self, r: usize, rhs: &mut [f64]) {
        let (n, t) = (self.start.len(), r as f64);
        let b = self.start.iter().zip(self.slope).map(|(start, slope)| start + t * slope);
        rhs.iter_mut().zip(b).for_each(|(rhs, b)| *rhs += b);
        rhs.iter_mut().zip(self.curve).for_each(|(rhs, curve)| *rhs += t * t * curve);
        if let Some(later) = self.later.get((r - 1) * n..r * n) {
            rhs.iter_mut().zip(later).for_each(|(rhs, later)| *rhs += later);
        }
    }
}

impl System {
    /// Computes, from y of one small step, the right-hand side of the next, without its push.
    pub fn go_on(&self, y: &[f64], [sum, rhs, momentum, pull]: [&mut [f64]; 4], columns: usize) {
        let System { inertia, share, masses, .. } = self;
        match (&self.mass, &self.stiffness) {
            (Mass::Lumped(_), None) => {
                let n = masses.len().max(1);
                let of_column = |y: &[f64], [sum, rhs, pull]: [&mut [f64]; 3]| {
                    let rest = sum.iter_mut().zip(rhs).zip(pull);
                    for ((y, mass), ((sum, rhs), pull)) in y.iter().zip(masses).zip(rest) {
                        let momentum = mass * y;
                        *sum += y;
                        *pull += share * (*rhs - inertia * momentum);
                        *rhs = momentum - *pull;
                    }
                };
                if columns == 1 {
                    return of_column(y, [sum, rhs, pull]);
                }
                let columns = y.par_chunks_exact(n).zip(sum.par_chunks_exact_mut(n)).zip(rhs.par_chunks_exact_mut(n));
                let columns = columns.zip(pull.par_chunks_exact_mut(n));
                return columns.for_each(|(((y, sum), rhs), pull)| of_column(y, [sum, rhs, pull]));
            }
            (mass, Some(stiffness)) => {
                momentum.fill(0.0);
                let n = y.len() / columns;
                y.chunks_exact(n).zip(momentum.chunks_exact_mut(n)).for_each(|(y, p)| mass.multiply_add(1.0, y, p));
                stiffness.multiply_add_columns(self.h * self.h, y, pull, columns);
            }
            (Mass::Consistent(mass), None) => {
                mass.multiply_columns(y, momentum, columns);
                let known = rhs.iter().zip(&*momentum);
                pull.iter_mut().zip(known).for_each(|(k, (rhs, p))| *k += share * (rhs - inertia * p));
            }
        }
        sum.iter_mut().zip(y).for_each(|(sum, y)| *sum += y);
        rhs.iter_mut().zip(momentum.iter().zip(&*pull)).for_each(|(rhs, (p, k))| *rhs = p - k);
    }
}
