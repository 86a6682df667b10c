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
mod tests {
    use super::*;
    use crate::functions::{Lanczos, Motion, Propagator, Rational, Sample};

    /// A string whose masses differ.
    fn string(n: usize) -> SparseOscillator {
        let (mut start, mut columns, mut values) = (vec![0], vec![], vec![]);
        for i in 0..n {
            for j in i.saturating_sub(1)..(i + 2).min(n) {
                columns.push(j);
                values.push(if i == j { 2.0 } else { -1.0 });
            }
            start.push(columns.len());
        }
        let mass = (0..n).map(|i| 1.0 + 0.5 * (i % 3) as f64).collect();
        SparseOscillator::new(start, columns, values, mass).unwrap()
    }

    #[test]
    fn products_and_solves_agree() {
        let (n, motion_of) = (40, |i: usize| (0.3 * i as f64).sin());
        let (v, r): (Vec<f64>, Vec<f64>) = (0..n).map(|i| (motion_of(i), motion_of(2 * i))).unzip();
        let motion = Motion { velocity: &v, loads: &[&r] };
        let mut both: Vec<Vec<f64>> = Vec::new();
        // Lanczos asks for products only, the rational method for solves with a shifted matrix, of one and more columns.
        for propagator in [&mut Lanczos::new() as &mut dyn Propagator, &mut Rational::new()] {
            let (mut y, mut velocity) = (vec![0.0; n], vec![0.0; n]);
            let sample = Sample { time: 5.0, y: &mut y, velocity: &mut velocity };
            let mut system = string(n).damped(0.1, 0.02);
            propagator.propagate(&mut system, &motion, 1e-9, &mut [sample]).unwrap();
            both.push([y, velocity].concat());
        }
        let largest = both[0].iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        for (a, b) in both[0].iter().zip(&both[1]) {
            assert!((a - b).abs() < 1e-7 * largest, "{a} and {b}");
        }
    }

    #[test]
    fn shifted_solves_undo_shifted_products() {
        for columns in 1..=7 {
            let (n, mut system) = (11, string(11).damped(0.3, 0.2));
            assert_eq!(system.solve_shifted(&mut [0.0; 11], 1), Err(LinearError::NotPrepared));
            let x: Vec<f64> = (0..n * columns).map(|i| (i as f64).cos()).collect();
            let mut parts = [(); 3].map(|()| vec![0.0; x.len()]);
            system.mass_times(&x, &mut parts[0], columns);
            system.damping_times(&x, &mut parts[1], columns);
            system.stiffness_times(&x, &mut parts[2], columns);
            let mut b: Vec<f64> =
                (0..x.len()).map(|i| 2.0 * parts[0][i] + 3.0 * parts[1][i] + 5.0 * parts[2][i]).collect();
            system.prepare_shifted([2.0, 3.0, 5.0]).unwrap();
            system.solve_shifted(&mut b, columns).unwrap();
            assert!(b.iter().zip(&x).all(|(b, x)| (b - x).abs() < 1e-12), "{columns} columns");
        }
    }

    #[test]
    fn what_is_no_oscillator_is_refused() {
        let refused = |start: &[usize], columns: &[usize], values: &[f64], mass: &[f64]| {
            SparseOscillator::new(start.into(), columns.into(), values.into(), mass.into()).err().unwrap()
        };
        let (start, columns, values, mass) = ([0, 2, 4], [0, 1, 0, 1], [2.0, -1.0, -1.0, 2.0], [1.0, 1.0]);
        assert_eq!(refused(&[0, 2], &columns, &values, &mass), NotAnOscillator::Rows { row: 0 });
        assert_eq!(refused(&[0, 9, 4], &columns, &values, &mass), NotAnOscillator::Rows { row: 0 });
        assert_eq!(refused(&start, &[0, 1, 1, 0], &values, &mass), NotAnOscillator::Rows { row: 1 });
        assert_eq!(refused(&start, &[0, 1, 0, 2], &values, &mass), NotAnOscillator::Rows { row: 1 });
        let lopsided = refused(&start, &columns, &[2.0, -1.0, -3.0, 2.0], &mass);
        assert_eq!(lopsided, NotAnOscillator::Entry { row: 0, column: 1 });
        let nan = refused(&start, &columns, &[2.0, -1.0, -1.0, f64::NAN], &mass);
        assert_eq!(nan, NotAnOscillator::Entry { row: 1, column: 1 });
        assert_eq!(refused(&start, &columns, &values, &[1.0, 0.0]), NotAnOscillator::Mass { row: 1 });
    }
}
