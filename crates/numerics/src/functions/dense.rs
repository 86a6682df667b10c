//! Functions of small dense matrices: the large methods reduce to them and are tested against them.
//!
//!   exp(A)                                    scaling and squaring, Pade [13/13]      (Higham 2005)
//!   phi_k(A) = sum_i A^i / (i + k)!           a corner of the exponential of [[A, I, 0], [0, 0, I], [0, 0, 0]]
//!   c_k(A) = sum_i (-A)^i / (2i + k)!         Stumpff functions of a symmetric A, by its eigenvectors
//!
//! The number of halvings of A is decided by |A^4|^(1/4) and |A^6|^(1/6), not by |A| (Al-Mohy and Higham 2009): (y, y')
//! in its own units is so far from normal that the norm would square twice as often as needed, and lose digits by it.
//! The cost is about 8 + log2 |A| products; memory that of ten matrices. Everything runs on one thread, so the bits are
//! always the same. An overflow gives infinities or NaNs, as does a matrix that contains some.

use dyn_stack::{MemBuffer, MemStack};
use faer::diag::Diag;
use faer::linalg::evd::{ComputeEigenvectors, self_adjoint_evd, self_adjoint_evd_scratch};
use faer::linalg::lu::partial_pivoting::{factor, solve};
use faer::linalg::matmul::matmul;
use faer::{Accum, Mat, MatRef, Par};

/// Numerator of the [13/13] Pade approximant of exp.
const PADE: [f64; 14] = [
    64764752532480000.0,
    32382376266240000.0,
    7771770303897600.0,
    1187353796428800.0,
    129060195264000.0,
    10559470521600.0,
    670442572800.0,
    33522128640.0,
    1323241920.0,
    40840800.0,
    960960.0,
    16380.0,
    182.0,
    1.0,
];
/// Up to this norm the approximant is exact to rounding.
const THETA: f64 = 5.371920351148152;
/// First coefficient of its backward error: (13!)^2 / (26! 27!).
const LEADING: f64 = 8.83e-36;

/// exp(A).
pub fn exponential(a: MatRef<f64>) -> Mat<f64> {
    let n = a.nrows();
    let norm = norm1(a);
    if !norm.is_finite() {
        return Mat::full(n, n, f64::NAN);
    }
    // Powers of A are taken at norm 1, so that no intermediate number overflows; powers of two change no digit.
    let ahead = norm.log2().ceil().max(0.0) as i32;
    let mut a = scaled(a, -ahead);
    let mut a2 = product(&a, &a);
    let mut a4 = product(&a2, &a2);
    let mut a6 = product(&a4, &a2);
    let squarings = squarings(&a, &a4, &a6, ahead);
    if squarings != ahead {
        for (power, of) in [(1, &mut a), (2, &mut a2), (4, &mut a4), (6, &mut a6)] {
            *of = scaled(of.as_ref(), power * (ahead - squarings));
        }
    }

    // exp(A) = (V - U)^-1 (V + U) = I + 2 (V - U)^-1 U, U odd and V even. The latter keeps ones exactly one where A has
    // rows of zeros; after thirty squarings, an error in the last digit of a one would be in the eighth.
    let b = &PADE;
    let combine = |c6: f64, c4: f64, c2: f64, c0: f64| {
        Mat::from_fn(n, n, |i, j| c6 * a6[(i, j)] + c4 * a4[(i, j)] + c2 * a2[(i, j)] + if i == j { c0 } else { 0.0 })
    };
    let high = product(&a6, &combine(b[13], b[11], b[9], 0.0));
    let u = product(&a, &(high + combine(b[7], b[5], b[3], b[1])));
    let v = product(&a6, &combine(b[12], b[10], b[8], 0.0)) + combine(b[6], b[4], b[2], b[0]);
    let mut x = divide(v - &u, u);
    x.as_mut().col_iter_mut().for_each(|column| column.iter_mut().for_each(|x| *x *= 2.0));
    x.diagonal_mut().column_vector_mut().iter_mut().for_each(|x| *x += 1.0);
    for _ in 0..squarings {
        x = product(&x, &x);
    }
    x
}

/// phi_k(A); phi_0 is the exponential.
pub fn phi(k: usize, a: MatRef<f64>) -> Mat<f64> {
    let n = a.nrows();
    let size = (k + 1) * n;
    // All rows but the first block are [0 .. I .. 0]: halving and squaring keep the relative accuracy of each corner,
    // so the sizes of A and I need not match.
    let augmented = Mat::from_fn(size, size, |i, j| match (i < n, j < n) {
        (true, true) => a[(i, j)],
        _ => f64::from(u8::from(j == i + n)),
    });
    let corner = exponential(augmented.as_ref());
    Mat::from_fn(n, n, |i, j| corner[(i, k * n + j)])
}

/// Computes c_k(A) of a symmetric A; the lower half is read.
pub fn stumpff(k: usize, a: MatRef<f64>) -> Mat<f64> {
    let n = a.nrows();
    let Some((values, q)) = eigen(a) else { return Mat::full(n, n, f64::NAN) };
    let values: Vec<f64> = values.iter().map(|&x| stumpff_of_number(k, x)).collect();
    let qc = Mat::from_fn(n, n, |i, j| q[(i, j)] * values[j]);
    let mut out = Mat::zeros(n, n);
    matmul(out.as_mut(), Accum::Replace, &qc, q.transpose(), 1.0, Par::Seq);
    out
}

/// Computes eigenvalues and vectors of a symmetric A; the lower half is read; `None` if they are not found.
pub(crate) fn eigen(a: MatRef<f64>) -> Option<(Vec<f64>, Mat<f64>)> {
    let n = a.nrows();
    let (mut values, mut q) = (Diag::<f64>::zeros(n), Mat::<f64>::zeros(n, n));
    let mut memory =
        MemBuffer::new(self_adjoint_evd_scratch::<f64>(n, ComputeEigenvectors::Yes, Par::Seq, Default::default()));
    let stack = MemStack::new(&mut memory);
    self_adjoint_evd(a, values.as_mut(), Some(q.as_mut()), Par::Seq, stack, Default::default()).ok()?;
    Some((values.column_vector().iter().copied().collect(), q))
}

/// Computes c_k(x) for one number: by the series where the recurrence c_(k+2) = (1/k! - c_k) / x would cancel.
fn stumpff_of_number(k: usize, x: f64) -> f64 {
    if x.abs() <= 4.0 {
        let mut term = 1.0 / (1..=k).map(|i| i as f64).product::<f64>();
        let mut sum = 0.0;
        for i in 1..24 {
            sum += term;
            term *= -x / ((2 * i + k - 1) * (2 * i + k)) as f64;
        }
        return sum;
    }
    let root = x.abs().sqrt();
    let (even, odd) = if x > 0.0 { (root.cos(), root.sin() / root) } else { (root.cosh(), root.sinh() / root) };
    let (mut c, mut factorial) = (if k.is_multiple_of(2) { even } else { odd }, 1.0);
    for j in (k % 2..k).step_by(2) {
        c = (1.0 / factorial - c) / x;
        factorial *= ((j + 1) * (j + 2)) as f64;
    }
    c
}

/// Returns the number of halvings of A 2^ahead.
fn squarings(a: &Mat<f64>, a4: &Mat<f64>, a6: &Mat<f64>, ahead: i32) -> i32 {
    let root = norm1(a4.as_ref()).powf(0.25).max(norm1(a6.as_ref()).powf(1.0 / 6.0));
    let halvings = |x: f64| x.log2().ceil() as i32;
    let by_norm = ahead + halvings((norm1(a.as_ref()) / THETA).max(f64::MIN_POSITIVE));
    let by_powers = ahead + halvings((root / THETA).max(f64::MIN_POSITIVE));
    // Powers cancel, rounding errors do not: |A|^27 entry by entry tells how many more halvings rounding needs.
    let at_least = by_powers.max(0);
    let scale = 2_f64.powi(ahead - at_least);
    let n = a.nrows();
    let (mut row, mut next) = (vec![1.0; n], vec![0.0; n]);
    for _ in 0..27 {
        for j in 0..n {
            next[j] = scale * (0..n).map(|i| row[i] * a[(i, j)].abs()).sum::<f64>();
        }
        std::mem::swap(&mut row, &mut next);
    }
    let grown = row.iter().fold(0.0, |m: f64, &x| m.max(x)) / (scale * norm1(a.as_ref()));
    let by_rounding = ((2.0 * LEADING * grown / f64::EPSILON).log2() / 26.0).ceil().max(0.0) as i32;
    at_least.saturating_add(by_rounding).min(by_norm.max(0))
}

/// Returns the largest column sum.
fn norm1(a: MatRef<f64>) -> f64 {
    // Not f64::max, which would drop a NaN.
    let larger = |m: f64, x: f64| if x <= m { m } else { x };
    a.col_iter().map(|column| column.iter().map(|x| x.abs()).sum::<f64>()).fold(0.0, larger)
}

/// 2^power A.
fn scaled(a: MatRef<f64>, power: i32) -> Mat<f64> {
    let (half, rest) = (power / 2, power - power / 2);
    let (half, rest) = (2_f64.powi(half), 2_f64.powi(rest));
    Mat::from_fn(a.nrows(), a.ncols(), |i, j| a[(i, j)] * half * rest)
}

fn product(a: &Mat<f64>, b: &Mat<f64>) -> Mat<f64> {
    let mut out = Mat::zeros(a.nrows(), b.ncols());
    matmul(out.as_mut(), Accum::Replace, a, b, 1.0, Par::Seq);
    out
}

/// A^-1 B.
pub(super) fn divide(mut a: Mat<f64>, mut b: Mat<f64>) -> Mat<f64> {
    let n = a.nrows();
    let (mut forward, mut inverse) = (vec![0_usize; n], vec![0_usize; n]);
    let need = factor::lu_in_place_scratch::<usize, f64>(n, n, Par::Seq, Default::default())
        .or(solve::solve_in_place_scratch::<usize, f64>(n, n, Par::Seq));
    let mut memory = MemBuffer::new(need);
    let stack = MemStack::new(&mut memory);
    let (_, order) = factor::lu_in_place(a.as_mut(), &mut forward, &mut inverse, Par::Seq, stack, Default::default());
    solve::solve_in_place(a.as_ref(), a.as_ref(), order, b.as_mut(), Par::Seq, stack);
    b
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Q diag(values) Q^T with Q made of two reflections.
    fn symmetric(values: &[f64]) -> Mat<f64> {
        let n = values.len();
        let reflection = |phase: f64| {
            let w: Vec<f64> = (0..n).map(|i| (1.3 * i as f64 + phase).sin()).collect();
            let ww: f64 = w.iter().map(|x| x * x).sum();
            Mat::<f64>::from_fn(n, n, |i, j| f64::from(u8::from(i == j)) - 2.0 * w[i] * w[j] / ww)
        };
        let q = product(&reflection(0.3), &reflection(1.9));
        let scaled = Mat::from_fn(n, n, |i, j| q[(i, j)] * values[j]);
        &scaled * q.transpose()
    }

    fn assert_near(a: &Mat<f64>, b: &Mat<f64>, tolerance: f64) {
        let error = (a - b).norm_max() / b.norm_max();
        assert!(error <= tolerance, "{error:.1e}");
    }

    /// Returns the operator on (y, y') for y'' = -L y.
    fn first_order(l: &Mat<f64>) -> Mat<f64> {
        let n = l.nrows();
        Mat::from_fn(2 * n, 2 * n, |i, j| match (i < n, j < n) {
            (true, false) if i + n == j => 1.0,
            (false, true) => -l[(i - n, j)],
            _ => 0.0,
        })
    }

    #[test]
    fn exponential_of_what_is_known() {
        let values = [-3e4, -700.0, -40.0, -1.0, 0.0, 1e-9, 2.5, 30.0];
        let diagonal = Mat::from_fn(8, 8, |i, j| if i == j { values[i] } else { 0.0 });
        let e = exponential(diagonal.as_ref());
        for i in 0..8 {
            // A decaying number loses a digit per squaring in any case.
            assert!((e[(i, i)] - values[i].exp()).abs() <= 2e-12 * values[i].exp() + 1e-16, "{}", values[i]);
        }
        assert_near(&exponential(Mat::zeros(3, 3).as_ref()), &Mat::identity(3, 3), 0.0);
        // A rotation by a thousand radians, in its own units and with lengths a thousand times too long.
        for scale in [1.0, 1e3, 1e6] {
            let w = 1e3;
            let turn = Mat::from_fn(2, 2, |i, j| {
                if i == j {
                    0.0
                } else if i == 0 {
                    w * scale
                } else {
                    -w / scale
                }
            });
            let e = exponential(turn.as_ref());
            let known = [[w.cos(), w.sin()], [-w.sin(), w.cos()]];
            for (i, j, s) in [(0, 0, 1.0), (0, 1, scale), (1, 0, 1.0 / scale), (1, 1, 1.0)] {
                assert!((e[(i, j)] / s - known[i][j]).abs() < 5e-12, "{scale} {i} {j} {}", e[(i, j)] / s - known[i][j]);
            }
        }
        let orthogonal = symmetric(&[-20.0, -2.0, 0.0, 1.0, 11.0]);
        assert_near(&exponential(orthogonal.as_ref()), &symmetric(&[-20.0, -2.0, 0.0, 1.0, 11.0].map(f64::exp)), 1e-13);
    }

    #[test]
    fn overflow_and_nan_are_seen() {
        let huge = Mat::from_fn(2, 2, |_, _| 1e4);
        assert!(!exponential(huge.as_ref()).norm_max().is_finite());
        let nan = Mat::from_fn(2, 2, |i, _| if i == 0 { f64::NAN } else { 1.0 });
        assert!(exponential(nan.as_ref())[(1, 1)].is_nan());
        assert!(stumpff(1, nan.as_ref())[(1, 1)].is_nan());
    }

    #[test]
    fn phi_of_numbers() {
        for x in [0.0_f64, 1e-12, -1e-3, 0.5, -2.0, 30.0, -50.0, -1e8, 300.0] {
            // Backward recurrence from a series where x is small, forward where it is not.
            let series = |k: usize| {
                let mut term = 1.0 / (1..=k).map(|i| i as f64).product::<f64>();
                (1..60).fold(0.0, |sum, i| {
                    let next = sum + term;
                    term *= x / (i + k) as f64;
                    next
                })
            };
            let mut forward = x.exp();
            let mut factorial = 1.0;
            for k in 0..=5 {
                let known = if x.abs() < 4.0 { series(k) } else { forward };
                let found = phi(k, Mat::full(1, 1, x).as_ref())[(0, 0)];
                assert!((found - known).abs() <= 1e-12 * known.abs() + 1e-300, "phi_{k}({x}) = {known} not {found}");
                forward = (forward - 1.0 / factorial) / x;
                factorial *= (k + 1) as f64;
            }
        }
    }

    #[test]
    fn stumpff_functions_are_corners_of_phi() {
        // phi_k(hJ)(p; r) = (c_k p + h c_(k+1) r; c_k r - h L c_(k+1) p), c_k = c_k(h^2 L).
        let cases: [(&[f64], f64); 4] = [
            (&[-80.0, -31.0, -4.0, -0.2, 0.0, 0.3, 5.0, 22.0, 47.0, 73.0], 0.3),
            (&[0.0, 0.0, 0.0], 0.3),
            (&[1e6, 4e5, 2e6, 9e5], 1.0),
            (&[-400.0, 1e-7, -1e-7, 900.0], 1.0),
        ];
        for (values, h) in cases {
            let (n, l) = (values.len(), symmetric(values));
            let hj = first_order(&l) * faer::Scale(h);
            let hhl = &l * faer::Scale(h * h);
            for k in 0..5 {
                let (c, next) = (stumpff(k, hhl.as_ref()), stumpff(k + 1, hhl.as_ref()));
                let lower = &l * &next;
                let built = Mat::from_fn(2 * n, 2 * n, |i, j| match (i < n, j < n) {
                    (true, true) => c[(i, j)],
                    (true, false) => h * next[(i, j - n)],
                    (false, true) => -h * lower[(i - n, j)],
                    (false, false) => c[(i - n, j - n)],
                });
                assert_near(&phi(k, hj.as_ref()), &built, 1e-12);
            }
        }
    }

    #[test]
    fn stumpff_of_numbers_is_smooth_where_the_formula_changes() {
        for k in 0..=5 {
            for x in [4.0_f64, -4.0] {
                let (inside, outside) = (stumpff_of_number(k, x), stumpff_of_number(k, x * (1.0 + 4e-16)));
                assert!((inside - outside).abs() <= 1e-13 * inside.abs(), "c_{k}({x})");
            }
        }
    }
}
