//! Small dense oscillators with known motion: by their modes, or by the exponential of their first-order form.

use faer::Mat;
use numerics::functions::dense::exponential;
use numerics::functions::scalar::response;
use numerics::functions::{Damping, FunctionError, Motion, Oscillator};
use numerics::linear::{LinearError, Work};
use std::cell::Cell;

/// A small dense oscillator that counts its operations.
pub struct Pencil {
    pub k: Mat<f64>,
    pub m: Mat<f64>,
    pub d: Mat<f64>,
    pub damping: Damping,
    pub inverse: Mat<f64>,
    pub shifted: Mat<f64>,
    pub products: Cell<u64>,
    pub calls: Cell<u64>,
    pub solves: u64,
    pub factorisations: u64,
    /// Products after which it refuses to continue.
    pub most: u64,
}

pub fn times(a: &Mat<f64>, x: &[f64], y: &mut [f64]) {
    let n = a.nrows();
    for (x, y) in x.chunks_exact(n).zip(y.chunks_exact_mut(n)) {
        for i in 0..n {
            y[i] = (0..n).map(|j| a[(i, j)] * x[j]).sum();
        }
    }
}

pub fn inverse(a: &Mat<f64>) -> Mat<f64> {
    use faer::linalg::solvers::DenseSolveCore;
    a.partial_piv_lu().inverse()
}

impl Pencil {
    pub fn new(k: Mat<f64>, m: Mat<f64>, alpha: f64, beta: f64) -> Pencil {
        Pencil {
            inverse: inverse(&m),
            shifted: m.clone(),
            d: &m * faer::Scale(alpha) + &k * faer::Scale(beta),
            k,
            m,
            damping: Damping::Rayleigh { mass: alpha, stiffness: beta },
            products: Cell::new(0),
            calls: Cell::new(0),
            solves: 0,
            factorisations: 0,
            most: u64::MAX,
        }
    }

    /// Makes one with any symmetric damping matrix.
    pub fn general(k: Mat<f64>, m: Mat<f64>, d: Mat<f64>) -> Pencil {
        Pencil { d, damping: Damping::General, ..Pencil::new(k, m, 0.0, 0.0) }
    }

    /// Returns lam and U with U^T M U = 1, K U = M U lam.
    pub fn modes(&self) -> (Vec<f64>, Mat<f64>) {
        let n = self.k.nrows();
        let l = self.m.llt(faer::Side::Lower).unwrap().L().to_owned();
        let l_inverse = inverse(&l);
        let a = &l_inverse * &self.k * l_inverse.transpose();
        let a = Mat::from_fn(n, n, |i, j| 0.5 * (a[(i, j)] + a[(j, i)]));
        let eigen = a.self_adjoint_eigen(faer::Side::Lower).unwrap();
        let lam = (0..n).map(|i| eigen.S().column_vector()[i]).collect();
        (lam, l_inverse.transpose() * eigen.U())
    }

    pub fn norm(&self, x: &[f64]) -> f64 {
        let mut mx = vec![0.0; x.len()];
        times(&self.m, x, &mut mx);
        x.iter().zip(&mx).map(|(x, y)| x * y).sum::<f64>().max(0.0).sqrt()
    }

    /// Computes y and y' by the exponential of the first-order system of (y / t, y', 1, t, t^2/2, ..).
    pub fn exact_by_exponential(&self, motion: &Motion, t: f64) -> (Vec<f64>, Vec<f64>) {
        let n = self.k.nrows();
        let (l, d) = (&self.inverse * &self.k, &self.inverse * &self.d);
        let count = motion.loads.len();
        let loads: Vec<Vec<f64>> = motion
            .loads
            .iter()
            .map(|load| {
                let mut b = vec![0.0; n];
                times(&self.inverse, load, &mut b);
                b
            })
            .collect();
        let size = 2 * n + count;
        let a = Mat::from_fn(size, size, |i, j| match (i, j) {
            _ if i < n => f64::from(u8::from(j == i + n)),
            _ if i < 2 * n && j < n => -t * t * l[(i - n, j)],
            _ if i < 2 * n && j < 2 * n => -t * d[(i - n, j - n)],
            _ if i < 2 * n => t * loads[j - 2 * n][i - n],
            _ => t * f64::from(u8::from(j + 1 == i && j >= 2 * n)),
        });
        let e = exponential(a.as_ref());
        let mut start = vec![0.0; size];
        start[n..2 * n].copy_from_slice(motion.velocity);
        if count > 0 {
            start[2 * n] = 1.0;
        }
        let u: Vec<f64> = (0..2 * n).map(|i| (0..size).map(|j| e[(i, j)] * start[j]).sum()).collect();
        (u[..n].iter().map(|p| t * p).collect(), u[n..].to_vec())
    }

    /// Computes y and y' mode by mode.
    pub fn exact(&self, motion: &Motion, t: f64) -> (Vec<f64>, Vec<f64>) {
        let n = self.k.nrows();
        let Damping::Rayleigh { mass: alpha, stiffness: beta } = self.damping else {
            return self.exact_by_exponential(motion, t);
        };
        let (lam, u) = self.modes();
        let (mut y, mut velocity) = (vec![0.0; n], vec![0.0; n]);
        let mut mv = vec![0.0; n];
        times(&self.m, motion.velocity, &mut mv);
        for i in 0..n {
            let r = response(t, lam[i], alpha + beta * lam[i]);
            let part = |b: &[f64]| (0..n).map(|j| u[(j, i)] * b[j]).sum::<f64>();
            let mut both = (r.impulse * part(&mv), r.impulse_rate * part(&mv));
            for (j, load) in motion.loads.iter().enumerate() {
                both.0 += r.loaded[j] * part(load);
                both.1 += if j == 0 { r.impulse } else { r.loaded[j - 1] } * part(load);
            }
            for j in 0..n {
                y[j] += u[(j, i)] * both.0;
                velocity[j] += u[(j, i)] * both.1;
            }
        }
        (y, velocity)
    }
}

impl Oscillator for Pencil {
    fn dim(&self) -> usize {
        self.k.nrows()
    }
    fn stiffness_times(&self, x: &[f64], y: &mut [f64], columns: usize) {
        assert_eq!(x.len(), columns * self.dim());
        self.products.set(self.products.get() + columns as u64);
        self.calls.set(self.calls.get() + 1);
        times(&self.k, x, y);
    }
    fn mass_times(&self, x: &[f64], y: &mut [f64], columns: usize) {
        assert_eq!(x.len(), columns * self.dim());
        times(&self.m, x, y);
    }
    fn divide_by_mass(&mut self, x: &mut [f64], columns: usize) -> Result<(), LinearError> {
        assert_eq!(x.len(), columns * self.dim());
        let b = x.to_vec();
        times(&self.inverse, &b, x);
        Ok(())
    }
    fn damping(&self) -> Damping {
        self.damping
    }
    fn damping_times(&self, x: &[f64], y: &mut [f64], _: usize) {
        times(&self.d, x, y);
    }
    fn prepare_shifted(&mut self, [m, d, k]: [f64; 3]) -> Result<(), LinearError> {
        self.factorisations += 1;
        let shifted = &self.m * faer::Scale(m) + &self.d * faer::Scale(d) + &self.k * faer::Scale(k);
        self.shifted = inverse(&shifted);
        Ok(())
    }
    fn solve_shifted(&mut self, x: &mut [f64], columns: usize) -> Result<(), LinearError> {
        assert_eq!(x.len(), columns * self.dim());
        self.solves += columns as u64;
        let b = x.to_vec();
        times(&self.shifted, &b, x);
        Ok(())
    }
    fn go_on(&self, work: &Work) -> Result<(), FunctionError> {
        if work.products < self.most { Ok(()) } else { Err(FunctionError::TooMuchWork { most: self.most }) }
    }
}

/// Numbers in [-1, 1].
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }
    pub fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }
    /// B^T B / n + shift.
    pub fn symmetric(&mut self, n: usize, shift: f64) -> Mat<f64> {
        let b = Mat::from_fn(n, n, |_, _| self.next());
        b.transpose() * &b * faer::Scale(1.0 / n as f64) + Mat::<f64>::identity(n, n) * faer::Scale(shift)
    }
}

/// Springs between neighbours, free at both ends.
pub fn chain(n: usize, stiffness: f64) -> Mat<f64> {
    Mat::from_fn(n, n, |i, j| match i.abs_diff(j) {
        0 if i == 0 || i + 1 == n => stiffness,
        0 => 2.0 * stiffness,
        1 => -stiffness,
        _ => 0.0,
    })
}
