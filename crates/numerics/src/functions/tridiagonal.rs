//! First columns f(T) e_1 of functions of a symmetric tridiagonal matrix T, several functions at once.
//!
//! The functions are interpolated at Chebyshev points of the smallest interval that contains the spectrum, and the
//! interpolant is applied by the three-term recurrence: O(k degree) for k rows, where an eigendecomposition takes k^3.
//! The interval comes from bisection with Sturm counts: Gershgorin's is wider, and where it reaches below zero a cos
//! becomes a cosh that dominates everything. For a small matrix and strongly oscillating functions an
//! eigendecomposition is used.

use super::FunctionError;
use super::dense::eigen;
use crate::interrupt;
use crate::linear::LinearError;
use faer::Mat;

/// Relative widening of the interval, for the error of bisection.
const MARGIN: f64 = 1e-10;
/// Limit of interpolation points: its square in flops is a second.
const MOST_POINTS: usize = 20_000;
/// Flops of an eigendecomposition, over the cube of the rows.
const DECOMPOSITION: f64 = 10.0;
/// Degree below which interpolation, which allocates nothing, costs almost nothing.
const WORTH_IT: usize = 400;
/// Multiplications between checks for a request to stop: about 20 ms.
const FLOPS_PER_CHECK: usize = 20_000_000;

/// T, by its diagonal and the entries beside it; an unused last entry beside it is allowed.
#[derive(Debug, Clone, Copy)]
pub struct Tridiagonal<'a> {
    pub diagonal: &'a [f64],
    pub off: &'a [f64],
}

impl Tridiagonal<'_> {
    /// Returns the smallest and the largest eigenvalue, with a small error relative to the larger magnitude.
    pub fn extremes(&self) -> (f64, f64) {
        let n = self.diagonal.len();
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for i in 0..n {
            let left = if i > 0 { self.off[i - 1].abs() } else { 0.0 };
            let right = if i + 1 < n { self.off[i].abs() } else { 0.0 };
            low = low.min(self.diagonal[i] - left - right);
            high = high.max(self.diagonal[i] + left + right);
        }
        let width = 0.5 * MARGIN * low.abs().max(high.abs());
        // The first argument has fewer than `count` eigenvalues below it, the second at least as many.
        let bisect = |mut a: f64, mut b: f64, count: usize| {
            while b - a > width {
                let middle = 0.5 * (a + b);
                let (left, right) = (a < middle, middle < b);
                if self.below(middle) >= count {
                    b = middle;
                } else {
                    a = middle;
                }
                if !(left && right) {
                    break;
                }
            }
            (a, b)
        };
        (bisect(low, high, 1).0, bisect(low, high, n).1)
    }

    /// Counts the eigenvalues below x: negative pivots of T - x.
    fn below(&self, x: f64) -> usize {
        let mut count = 0;
        let mut pivot = 1.0;
        for i in 0..self.diagonal.len() {
            let coupling = if i > 0 { self.off[i - 1] } else { 0.0 };
            pivot = self.diagonal[i] - x - if coupling == 0.0 { 0.0 } else { coupling * (coupling / pivot) };
            if pivot == 0.0 {
                pivot = -f64::MIN_POSITIVE;
            }
            count += usize::from(pivot < 0.0);
        }
        count
    }
}

/// Interpolation and its memory.
#[derive(Debug, Default, Clone)]
pub struct Chebyshev {
    cosines: Vec<f64>,
    values: Vec<f64>,
    coefficients: Vec<f64>,
    polynomials: [Vec<f64>; 2],
    /// f(T) e_1, function after function.
    pub columns: Vec<f64>,
    /// Largest value of each function: rounding errors are a few units in its last place.
    pub sizes: Vec<f64>,
}

impl Chebyshev {
    /// Fills `columns` with f(T) e_1 for `functions` functions, where `evaluate(lam, f)` gives their values at a point.
    ///
    /// `interval` contains the spectrum; `degree` is where the search for a sufficient one starts. `false`: there is
    /// none, since a function is infinite, oscillates faster than assumed, or needs too many points.
    pub fn apply(
        &mut self,
        t: Tridiagonal,
        interval: (f64, f64),
        degree: usize,
        functions: usize,
        evaluate: impl Fn(f64, &mut [f64]),
    ) -> Result<bool, FunctionError> {
        if degree > WORTH_IT && DECOMPOSITION * (t.diagonal.len() as f64).powi(3) < (degree as f64).powi(2) {
            return Ok(self.decompose(t, functions, evaluate));
        }
        let margin = (MARGIN * interval.0.abs().max(interval.1.abs())).max(f64::MIN_POSITIVE);
        let centre = 0.5 * (interval.0 + interval.1);
        let half = 0.5 * (interval.1 - interval.0) + margin;
        let mut points = degree + 8;
        loop {
            if points > (8 * degree + 400).min(MOST_POINTS) {
                return Ok(false);
            }
            if self.interpolate(points, functions, |s, f| evaluate(centre + half * s, f))? {
                break;
            }
            if self.sizes.iter().any(|size| !size.is_finite()) {
                return Ok(false);
            }
            points += points / 2;
        }
        self.recurrence(t, centre, half, functions);
        Ok(true)
    }

    /// The same by the eigenvalues and eigenvectors of T; `false` where a function is infinite at one.
    fn decompose(&mut self, t: Tridiagonal, functions: usize, evaluate: impl Fn(f64, &mut [f64])) -> bool {
        let n = t.diagonal.len();
        let entry = |i: usize, j: usize| match i.abs_diff(j) {
            0 => t.diagonal[i],
            1 => t.off[i.min(j)],
            _ => 0.0,
        };
        let Chebyshev { values, columns, sizes, .. } = self;
        for (numbers, length) in [(&mut *values, functions), (&mut *columns, n * functions), (&mut *sizes, functions)] {
            numbers.clear();
            numbers.resize(length, 0.0);
        }
        let Some((eigenvalues, vectors)) = eigen(Mat::from_fn(n, n, entry).as_ref()) else { return false };
        for (k, &lam) in eigenvalues.iter().enumerate() {
            evaluate(lam, values);
            for (f, size) in values.iter().zip(&mut *sizes) {
                // A NaN must not get lost in a maximum.
                *size = if f.is_finite() { size.max(f.abs()) } else { f64::INFINITY };
            }
            for (column, f) in columns.chunks_exact_mut(n).zip(&*values) {
                let factor = f * vectors[(0, k)];
                column.iter_mut().enumerate().for_each(|(i, sum)| *sum += factor * vectors[(i, k)]);
            }
        }
        sizes.iter().all(|size| size.is_finite())
    }

    /// Interpolates at `points` points of [-1, 1]; returns true if the coefficients have fallen to rounding errors.
    fn interpolate(
        &mut self,
        points: usize,
        functions: usize,
        evaluate: impl Fn(f64, &mut [f64]),
    ) -> Result<bool, FunctionError> {
        let Chebyshev { cosines, values, coefficients, sizes, .. } = self;
        let angle = std::f64::consts::PI / (2 * points) as f64;
        cosines.clear();
        cosines.extend((0..4 * points).map(|m| (angle * m as f64).cos()));
        values.resize(points * functions, 0.0);
        sizes.clear();
        sizes.resize(functions, 0.0);
        for (i, f) in values.chunks_exact_mut(functions).enumerate() {
            evaluate(cosines[2 * i + 1], f);
            for (f, size) in f.iter().zip(&mut *sizes) {
                // A NaN must not get lost in a maximum.
                *size = if f.is_finite() { size.max(f.abs()) } else { f64::INFINITY };
            }
        }
        coefficients.clear();
        coefficients.resize(points * functions, 0.0);
        // The value of an oscillating function carries the rounding of its argument, which grows with the degree.
        let noise = f64::EPSILON * (8 + points) as f64;
        let mut flops = 0;
        // From the last one on: where it is too large, the others are not needed.
        for (j, c) in coefficients.chunks_exact_mut(functions).enumerate().rev() {
            flops += points * functions;
            if flops >= FLOPS_PER_CHECK {
                flops = 0;
                interrupt::check().map_err(LinearError::from)?;
            }
            let mut m = j;
            for f in values.chunks_exact(functions) {
                let cosine = cosines[m];
                c.iter_mut().zip(f).for_each(|(c, f)| *c += cosine * f);
                m += 2 * j;
                m -= if m >= 4 * points { 4 * points } else { 0 };
            }
            let factor = if j == 0 { 1.0 } else { 2.0 } / points as f64;
            c.iter_mut().for_each(|c| *c *= factor);
            if j + 4 >= points && !c.iter().zip(&*sizes).all(|(c, size)| c.abs() <= noise * size) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// Sums coefficient times T_j((T - centre) / half) e_1.
    fn recurrence(&mut self, t: Tridiagonal, centre: f64, half: f64, functions: usize) {
        let Chebyshev { coefficients, polynomials: [old, new], columns, .. } = self;
        let n = t.diagonal.len();
        for p in [&mut *old, new] {
            p.clear();
            p.resize(n, 0.0);
        }
        columns.clear();
        columns.resize(n * functions, 0.0);
        new[0] = 1.0;
        for (j, c) in coefficients.chunks_exact(functions).enumerate() {
            // T_j e_1 ends after j + 1 entries.
            let length = n.min(j + 1);
            for (column, &c) in columns.chunks_exact_mut(n).zip(c) {
                column[..length].iter_mut().zip(&new[..length]).for_each(|(f, p)| *f += c * p);
            }
            let factor = if j == 0 { 1.0 } else { 2.0 } / half;
            for i in 0..n.min(j + 2) {
                let mut product = (t.diagonal[i] - centre) * new[i];
                if i > 0 {
                    product += t.off[i - 1] * new[i - 1];
                }
                if i + 1 < n {
                    product += t.off[i] * new[i + 1];
                }
                old[i] = factor * product - old[i];
            }
            std::mem::swap(old, new);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The second difference: eigenvalues 2 - 2 cos(pi j / (n + 1)), vectors sin(pi i j / (n + 1)).
    fn first_column(n: usize, f: impl Fn(f64) -> f64) -> Vec<f64> {
        let angle = std::f64::consts::PI / (n + 1) as f64;
        let entry = |i: usize| {
            let term = |j: usize| {
                let (s, j) = ((angle * (i * j) as f64).sin(), angle * j as f64);
                s * j.sin() * f(2.0 - 2.0 * j.cos())
            };
            (1..=n).map(term).sum::<f64>() * 2.0 / (n + 1) as f64
        };
        (1..=n).map(entry).collect()
    }

    #[test]
    fn cosines_and_sines_of_the_second_difference() {
        // By interpolation, and, where the degree is large, by decomposition.
        let cases = [(1, 3.0), (2, 3.0), (5, 1e-3), (30, 2.0), (40, 30.0), (200, 150.0)];
        for ((n, time), degree) in cases.into_iter().flat_map(|case| [(case, 10), (case, 100_000)]) {
            let (diagonal, off) = (vec![2.0; n], vec![-1.0; n]);
            let t = Tridiagonal { diagonal: &diagonal, off: &off };
            let mut chebyshev = Chebyshev::default();
            let interval = t.extremes();
            let exact = 2.0 - 2.0 * (std::f64::consts::PI * n as f64 / (n + 1) as f64).cos();
            assert!((interval.1 - exact).abs() < 1e-9 && (interval.0 + exact - 4.0).abs() < 1e-9, "{interval:?}");
            let both = |lam: f64, f: &mut [f64]| {
                f[0] = (time * lam.sqrt()).cos();
                f[1] = (time * lam.sqrt()).sin() / lam.sqrt();
            };
            assert_eq!(chebyshev.apply(t, interval, degree, 2, both), Ok(true));
            let cosine = first_column(n, |lam| (time * lam.sqrt()).cos());
            let sine = first_column(n, |lam| (time * lam.sqrt()).sin() / lam.sqrt());
            for i in 0..n {
                assert!((chebyshev.columns[i] - cosine[i]).abs() < 2e-13, "{n} {i}");
                assert!((chebyshev.columns[n + i] - sine[i]).abs() < 2e-13 * time.max(1.0), "{n} {i}");
            }
        }
    }

    #[test]
    fn an_infinite_function_is_refused() {
        let t = Tridiagonal { diagonal: &[1.0, 2.0], off: &[1.0] };
        for degree in [5, 1000] {
            let applied = Chebyshev::default().apply(t, t.extremes(), degree, 1, |lam, f| f[0] = lam * f64::INFINITY);
            assert_eq!(applied, Ok(false));
        }
    }

    #[test]
    fn extremes_of_decoupled_and_scaled_matrices() {
        for scale in [1e-200, 1.0, 1e200] {
            let diagonal = [3.0 * scale, -7.0 * scale, 5.0 * scale];
            let t = Tridiagonal { diagonal: &diagonal, off: &[0.0, 0.0] };
            let (low, high) = t.extremes();
            assert!((low / scale + 7.0).abs() < 1e-8 && (high / scale - 5.0).abs() < 1e-8, "{low} {high}");
        }
        let t = Tridiagonal { diagonal: &[0.0, 0.0], off: &[0.0] };
        assert_eq!(t.extremes(), (0.0, 0.0));
    }
}
