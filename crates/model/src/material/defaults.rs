//! Defaults of [`super::Material`], derived from density, stress and tangent alone.
//!
//! They hold for every material; a material overrides them where it has a faster form. Tests compare both.

use super::{Majorant, Row, Tangent, symmetric_tangent};
use numerics::mat3::{self, Mat3};
use numerics::real::Real;

/// Limit of sweeps of Jacobi rotations. Convergence is quadratic: five or six are enough.
const SWEEPS: usize = 12;

/// Sets the negative eigenvalues of a tangent to zero, lane by lane. NaN stays NaN.
pub fn projected<R: Real>(tangent: &Tangent<R>) -> Tangent<R> {
    let mut all = [[[0.0; 9]; 9]; 8];
    for (lane, out) in all.iter_mut().enumerate().take(R::LANES) {
        *out = without_negative_part(&tangent.map(|row| row.map(|x| x.lane(lane))));
    }
    std::array::from_fn(|m| std::array::from_fn(|n| R::from_fn(|lane| all[lane][m][n])))
}

fn without_negative_part(tangent: &Tangent) -> Tangent {
    let (values, vectors) = eigen(*tangent);
    if values.iter().all(|&value| value >= 0.0) {
        return *tangent;
    }
    symmetric_tangent(|i, j, k, l| {
        let (m, n) = (3 * i + j, 3 * k + l);
        let clamped = |value: f64| if value < 0.0 { 0.0 } else { value };
        (0..9).map(|e| clamped(values[e]) * vectors[e][m] * vectors[e][n]).sum()
    })
}

/// Computes the eigenvalues of a symmetric 9x9 matrix and its eigenvectors as rows, by cyclic Jacobi rotations.
fn eigen(mut a: Tangent) -> ([f64; 9], Tangent) {
    let mut v: Tangent = std::array::from_fn(|i| std::array::from_fn(|j| if i == j { 1.0 } else { 0.0 }));
    let size: f64 = a.as_flattened().iter().map(|x| x * x).sum();
    for _ in 0..SWEEPS {
        let off: f64 = (1..9).map(|p| a[p][..p].iter().map(|x| x * x).sum::<f64>()).sum();
        if off <= 1e-32 * size {
            break;
        }
        for (p, q) in (0..9).flat_map(|p| (p + 1..9).map(move |q| (p, q))) {
            if a[p][q] == 0.0 {
                continue;
            }
            // The smaller of the two angles that make entry pq zero.
            let cotangent = 0.5 * (a[q][q] - a[p][p]) / a[p][q];
            let t = 1.0_f64.copysign(cotangent) / (cotangent.abs() + cotangent.hypot(1.0));
            let c = 1.0 / t.hypot(1.0);
            let s = t * c;
            for m in 0..9 {
                (a[p][m], a[q][m]) = (c * a[p][m] - s * a[q][m], s * a[p][m] + c * a[q][m]);
                (v[p][m], v[q][m]) = (c * v[p][m] - s * v[q][m], s * v[p][m] + c * v[q][m]);
            }
            for row in &mut a {
                (row[p], row[q]) = (c * row[p] - s * row[q], s * row[p] + c * row[q]);
            }
        }
    }
    (std::array::from_fn(|e| a[e][e]), v)
}

/// Writes a density W with stress P as one row, C = sqrt(2 W) with stiffness 1; further rows are empty.
///
/// dC/dF = P / C is 0/0 at rest. There W is no larger than its rounding error, a fraction of `modulus` [Pa]. 2 W is
/// bounded below by that fraction, so that the gradient stays finite and C dC/dF is always P. Where W is negative the
/// row has the right force but the wrong energy.
#[inline(always)]
pub fn rows<R: Real, const K: usize>(density: R, stress: &Mat3<R>, modulus: f64) -> [Row<R>; K] {
    let c = (density + density).at_least(R::splat(f64::EPSILON * modulus)).sqrt();
    let (zero, along) = (R::splat(0.0), mat3::mat_scale(R::splat(1.0) / c, stress));
    std::array::from_fn(|r| match r {
        0 => Row { c, gradient: along, k: 1.0 },
        _ => Row { c: zero, gradient: [[zero; 3]; 3], k: 0.0 },
    })
}

/// Bounds the tangent T by the form of [`Majorant`], at least nine tenths of T everywhere, and equal to T at rest for
/// isotropic materials.
///
/// With n the unit vector of cof F, t = n : T : n, r the rest of T : n, and p the largest eigenvalue of T across n, T
/// is at most p + |r| across n and t + |r| along it. p comes from a norm of the eighth power of T, which is the
/// sixteenth root of a sum of sixteenth powers of eigenvalues. It is scaled to be exact for five equal eigenvalues,
/// those of shear at rest.
#[inline(always)]
pub fn majorant<R: Real>(f: &Mat3<R>, stress: &Mat3<R>, tangent: &Tangent<R>) -> Majorant<R> {
    let (zero, one, tiny) = (R::splat(0.0), R::splat(1.0), R::splat(f64::MIN_POSITIVE));
    let cofactor = mat3::cofactor(f);
    let length = mat3::contract(&cofactor, &cofactor).sqrt();
    let inverse = one / length.at_least(R::splat(1e-150));
    let n: [R; 9] = std::array::from_fn(|m| inverse * cofactor[m / 3][m % 3]);
    let dot = |a: &[R; 9], b: &[R; 9]| (0..9).fold(zero, |sum, m| a[m].mul_add(b[m], sum));
    let image: [R; 9] = std::array::from_fn(|m| dot(&tangent[m], &n));
    let along = dot(&n, &image);
    let rest: [R; 9] = std::array::from_fn(|m| image[m] - along * n[m]);
    let coupling = dot(&rest, &rest).sqrt();

    let mut power: Tangent<R> =
        std::array::from_fn(|a| std::array::from_fn(|b| tangent[a][b] - n[a] * image[b] - rest[a] * n[b]));
    let norm = |a: &Tangent<R>| (0..9).fold(zero, |sum, m| sum + dot(&a[m], &a[m])).sqrt();
    let size = norm(&power).at_least(tiny);
    power = power.map(|row| row.map(|x| x / size));
    for _ in 0..3 {
        power = squared(&power);
    }
    // Eighth root of the norm of the eighth power, divided by its value for five ones.
    const FIVE: f64 = 0.904_303_839_402_411_5;
    let across = R::splat(FIVE) * size * norm(&power).sqrt().sqrt().sqrt();
    let shape = across + coupling;
    let volume = (along + coupling - shape).at_least(zero) * inverse * inverse;
    Majorant { stress: *stress, cofactor, shape, volume }
}

/// Squares a symmetric matrix. A loop, and not inlined: unrolled it would be two thousand operations in every kernel.
#[inline(never)]
fn squared<R: Real>(a: &Tangent<R>) -> Tangent<R> {
    let mut square = [[R::splat(0.0); 9]; 9];
    for (row, out) in a.iter().zip(&mut square) {
        for (x, other) in row.iter().zip(a) {
            for (sum, y) in out.iter_mut().zip(other) {
                *sum = x.mul_add(*y, *sum);
            }
        }
    }
    square
}
