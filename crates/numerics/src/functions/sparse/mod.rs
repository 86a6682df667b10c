//! An oscillator from arrays: sparse symmetric K in compressed rows, diagonal M, damping proportional to both.
//!
//! For matrices of other programs: `indptr`, `indices` and `data` of a scipy `csr_array` are what [`SparseOscillator::new`] takes.
//! Products run on one thread. Solves with a shifted matrix use [`ScalarCholesky`], made by the first propagator that asks.

use super::{Damping, Oscillator};
use crate::blocks::Pattern;
use crate::linear::{LinearError, ScalarCholesky};
use std::fmt;

/// M y'' + (alpha M + beta K) y' + K y, K sparse and symmetric, M diagonal.
pub struct SparseOscillator {
    start: Vec<usize>,
    columns: Vec<usize>,
    values: Vec<f64>,
    mass: Vec<f64>,
    rayleigh: [f64; 2],
    pattern: Option<Pattern>,
    factor: Option<ScalarCholesky>,
    /// Three columns side by side, as the factor takes them.
    three: Vec<[f64; 3]>,
}

/// Arrays that are no oscillator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NotAnOscillator {
    /// Lengths of the arrays do not fit, or a row does not ascend to columns that are there.
    Rows {
        /// The first row that is wrong.
        row: usize,
    },
    /// An entry differs from the one across the diagonal, or is not finite.
    Entry {
        /// Its row.
        row: usize,
        /// Its column.
        column: usize,
    },
    /// A mass is not above zero.
    Mass {
        /// Its row.
        row: usize,
    },
}

impl fmt::Display for NotAnOscillator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotAnOscillator::Rows { row } => {
                write!(f, "row {row} is no compressed row: give rows + 1 starts, and columns that ascend within a row")
            }
            NotAnOscillator::Entry { row, column } => write!(
                f,
                "entry ({row}, {column}) is not finite or differs from ({column}, {row}): give both halves of a symmetric matrix"
            ),
            NotAnOscillator::Mass { row } => write!(f, "mass {row} is not a number above zero"),
        }
    }
}

impl std::error::Error for NotAnOscillator {}

impl SparseOscillator {
    /// K in compressed rows (row i has the entries `start[i]..start[i + 1]` of `columns` and `values`) and the diagonal of M.
    ///
    /// Both halves of K are given. Entries across the diagonal must be equal to 1e-12 of the larger one.
    pub fn new(
        start: Vec<usize>,
        columns: Vec<usize>,
        values: Vec<f64>,
        mass: Vec<f64>,
    ) -> Result<SparseOscillator, NotAnOscillator> {
        let n = mass.len();
        let rows = start.len() == n + 1 && start[0] == 0 && start[n] == columns.len() && columns.len() == values.len();
        if !rows {
            return Err(NotAnOscillator::Rows { row: 0 });
        }
        for row in 0..n {
            let ascend = || columns[start[row]..start[row + 1]].windows(2).all(|pair| pair[0] < pair[1]);
            let within = || columns[start[row]..start[row + 1]].iter().all(|&column| column < n);
            if start[row] > start[row + 1] || start[row + 1] > columns.len() || !ascend() || !within() {
                return Err(NotAnOscillator::Rows { row });
            }
        }
        if let Some(row) = mass.iter().position(|&m| !(m.is_finite() && m > 0.0)) {
            return Err(NotAnOscillator::Mass { row });
        }
        let three = vec![[0.0; 3]; n];
        let new =
            SparseOscillator { start, columns, values, mass, rayleigh: [0.0; 2], pattern: None, factor: None, three };
        for row in 0..n {
            for (column, value) in new.row(row) {
                let across = new.entry(column, row);
                let near = (value - across).abs() <= 1e-12 * value.abs().max(across.abs());
                if !near {
                    return Err(NotAnOscillator::Entry { row, column });
                }
            }
        }
        Ok(new)
    }

    /// Damps by D = alpha M + beta K, alpha [1/s], beta [s].
    pub fn damped(mut self, alpha: f64, beta: f64) -> SparseOscillator {
        self.rayleigh = [alpha, beta];
        self
    }

    fn row(&self, i: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let here = self.start[i]..self.start[i + 1];
        self.columns[here.clone()].iter().copied().zip(self.values[here].iter().copied())
    }

    /// K_ij.
    fn entry(&self, i: usize, j: usize) -> f64 {
        let here = &self.columns[self.start[i]..self.start[i + 1]];
        here.binary_search(&j).map_or(0.0, |at| self.values[self.start[i] + at])
    }

    /// y = m M x + k K x, by columns.
    fn add(&self, [m, k]: [f64; 2], x: &[f64], y: &mut [f64], columns: usize) {
        let n = self.dim().max(1);
        for (x, y) in x.chunks_exact(n).zip(y.chunks_exact_mut(n)).take(columns) {
            for i in 0..n {
                let product: f64 = self.row(i).map(|(j, value)| value * x[j]).sum();
                y[i] = m * self.mass[i] * x[i] + k * product;
            }
        }
    }
}

impl Oscillator for SparseOscillator {
    fn dim(&self) -> usize {
        self.mass.len()
    }

    fn stiffness_times(&self, x: &[f64], y: &mut [f64], columns: usize) {
        self.add([0.0, 1.0], x, y, columns);
    }

    fn mass_times(&self, x: &[f64], y: &mut [f64], columns: usize) {
        let n = self.dim().max(1);
        for (x, y) in x.chunks_exact(n).zip(y.chunks_exact_mut(n)).take(columns) {
            (0..n).for_each(|i| y[i] = self.mass[i] * x[i]);
        }
    }

    fn divide_by_mass(&mut self, x: &mut [f64], columns: usize) -> Result<(), LinearError> {
        for x in x.chunks_exact_mut(self.dim().max(1)).take(columns) {
            x.iter_mut().zip(&self.mass).for_each(|(x, m)| *x /= m);
        }
        Ok(())
    }

    fn damping(&self) -> Damping {
        Damping::Rayleigh { mass: self.rayleigh[0], stiffness: self.rayleigh[1] }
    }

    fn damping_times(&self, x: &[f64], y: &mut [f64], columns: usize) {
        self.add(self.rayleigh, x, y, columns);
    }

    fn prepare_shifted(&mut self, [m, d, k]: [f64; 3]) -> Result<(), LinearError> {
        let n = self.dim();
        let pattern = self.pattern.take().unwrap_or_else(|| {
            let pairs: Vec<[u32; 2]> =
                (0..n).flat_map(|i| self.row(i).map(move |(j, _)| [i as u32, j as u32])).collect();
            Pattern::from_cliques(n, pairs.iter().map(|pair| &pair[..]))
        });
        let mut values = vec![0.0; pattern.slots()];
        let [alpha, beta] = self.rayleigh;
        for i in 0..n {
            for (j, slot) in pattern.lower(i) {
                values[slot] = (d * beta + k) * self.entry(i, j);
            }
            values[pattern.diagonal(i)] += (m + d * alpha) * self.mass[i];
        }
        self.factor = None;
        let factor = ScalarCholesky::new(&pattern, &values);
        self.pattern = Some(pattern);
        self.factor = Some(factor?);
        Ok(())
    }

    fn solve_shifted(&mut self, x: &mut [f64], columns: usize) -> Result<(), LinearError> {
        let n = self.dim().max(1);
        let factor = self.factor.as_mut().ok_or(LinearError::NotPrepared)?;
        let given = (columns * n).min(x.len());
        for x in x[..given].chunks_mut(3 * n) {
            for (i, three) in self.three.iter_mut().enumerate() {
                *three = std::array::from_fn(|c| x.get(c * n + i).copied().unwrap_or(0.0));
            }
            factor.solve(&mut self.three);
            for (i, three) in self.three.iter().enumerate() {
                (0..x.len() / n).for_each(|c| x[c * n + i] = three[c]);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests;
