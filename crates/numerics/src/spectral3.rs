//! Singular values, rotations and eigenpairs of 3x3 matrices, for one matrix or several side by side.
//!
//! All three are Jacobi iterations with a fixed number of sweeps: no branch depends on the numbers, so the lanes never
//! diverge. The singular value decomposition rotates the columns of F itself and never forms F^T F, whose eigenvalues
//! would lose every singular value below 1e-8 of the largest. A test below shows how few sweeps are enough.
//!
//! Entries between 1e-150 and 1e150 in magnitude are supported. A NaN or an infinity in the input gives NaN in every
//! output: the sweeps spread it over all columns.

use crate::mat3::{self, Mat3, Vec3};
use crate::real::Real;

/// Sweeps over the three pairs of columns. Each about cubes the error: the worst of a hundred thousand matrices is off
/// by 5e-3 after three, 1e-9 after four and 4e-15 after five.
const SWEEPS: usize = 5;

/// Squares of scaled entries below this are noise; it avoids 0/0 in the rotations and changes nothing else.
const TINY: f64 = 1e-150;

/// F = U diag(sigma) V^T.
#[derive(Debug, Clone, Copy)]
pub struct Svd<R = f64> {
    /// Left singular vectors as columns; a rotation.
    pub u: Mat3<R>,
    /// Singular values, descending in magnitude (to rounding); only the last may be negative, with the sign of det F.
    pub sigma: Vec3<R>,
    /// Right singular vectors as columns; a rotation.
    pub v: Mat3<R>,
}

/// Computes the singular value decomposition with two rotations: a reflection in F goes into the sign of the smallest
/// singular value, as elasticity needs it.
///
/// One-sided Jacobi: rotations V from the right make the columns of B = F V orthogonal and sort them. Then B = U Sigma,
/// where u_0 and u_1 come from the two longer columns and u_2 = u_0 x u_1. A rank-deficient F leaves directions
/// undetermined; they are chosen so that U and V are rotations for every F, including zero.
#[inline]
pub fn svd<R: Real>(f: &Mat3<R>) -> Svd<R> {
    let (scale, unscale) = safe_scale(f);
    let mut b = mat3::transpose(&mat3::mat_scale(scale, f)); // b[j] and v[j] are columns
    let mut v = mat3::identity();
    for _ in 0..SWEEPS {
        orthogonalise::<R, 0, 1>(&mut b, &mut v);
        orthogonalise::<R, 0, 2>(&mut b, &mut v);
        orthogonalise::<R, 1, 2>(&mut b, &mut v);
    }

    let nothing = R::splat(1e-250);
    let (u0, sigma0) = unit_or(b[0], nothing, std::array::from_fn(|i| R::splat(mat3::IDENTITY[0][i])));
    // The columns are orthogonal to rounding, unless b_1 itself is rounding error: then it may point along u_0 and says
    // nothing about u_1.
    let across = mat3::sub(b[1], mat3::scale(mat3::dot(u0, b[1]), u0));
    let (u1, sigma1) = unit_or(across, R::splat(0.25).mul_add(mat3::dot(b[1], b[1]), nothing), perpendicular(u0));
    let u2 = mat3::cross(u0, u1);
    let sigma = [sigma0, sigma1, mat3::dot(u2, b[2])];

    Svd { u: mat3::transpose(&[u0, u1, u2]), sigma: mat3::scale(unscale, sigma), v: mat3::transpose(&v) }
}

/// F = R S, R the nearest rotation to F (never a reflection) and S symmetric.
#[inline]
pub fn polar<R: Real>(f: &Mat3<R>) -> (Mat3<R>, Mat3<R>) {
    let Svd { u, sigma, v } = svd(f);
    (mat3::mat_mul_t(&u, &v), compose_symmetric(sigma, &v))
}

/// Computes the eigenvalues of a symmetric A, descending, and its eigenvectors as the columns of a rotation. The lower
/// triangle is not read.
///
/// Two-sided Jacobi; errors are of the size of rounding times the largest eigenvalue.
#[inline]
pub fn eigen_symmetric<R: Real>(a: &Mat3<R>) -> (Vec3<R>, Mat3<R>) {
    let (scale, unscale) = safe_scale(a);
    let entry = |i: usize, j: usize| scale * a[i][j];
    let mut diagonal = [entry(0, 0), entry(1, 1), entry(2, 2)];
    let mut off = [entry(1, 2), entry(0, 2), entry(0, 1)]; // off[k] couples the two that are not k
    let mut v = mat3::identity();
    for _ in 0..SWEEPS {
        diagonalise::<R, 0, 1, 2>(&mut diagonal, &mut off, &mut v);
        diagonalise::<R, 0, 2, 1>(&mut diagonal, &mut off, &mut v);
        diagonalise::<R, 1, 2, 0>(&mut diagonal, &mut off, &mut v);
    }
    (mat3::scale(unscale, diagonal), mat3::transpose(&v))
}

/// Computes V diag(values) V^T, symmetric to the last bit.
#[inline(always)]
pub fn compose_symmetric<R: Real>(values: Vec3<R>, v: &Mat3<R>) -> Mat3<R> {
    let scaled: Mat3<R> = std::array::from_fn(|i| std::array::from_fn(|k| v[i][k] * values[k]));
    std::array::from_fn(|i| std::array::from_fn(|j| mat3::dot(scaled[i.min(j)], v[i.max(j)])))
}

/// Returns cosine and sine of the rotation that makes [[alpha, gamma], [gamma, beta]] diagonal with the larger entry
/// first.
///
/// The tangent of the smaller of the two possible angles is 2 gamma / (|delta| + sqrt(delta^2 + 4 gamma^2)), where
/// delta = alpha - beta, without cancellation; when beta is the larger entry the other angle is used, which swaps the
/// two. So the columns are sorted on the way, which helps convergence.
#[inline(always)]
fn jacobi<R: Real>(alpha: R, beta: R, gamma: R) -> (R, R) {
    let delta = alpha - beta;
    let twice = gamma + gamma;
    let square = twice * twice;
    let reach = delta.max(-delta) + delta.mul_add(delta, square).sqrt() + R::splat(TINY);
    let inverse = R::splat(1.0) / reach.mul_add(reach, square).sqrt();
    let (long, short) = (reach * inverse, twice * inverse);
    (beta.select_gt(alpha, short, long), beta.select_gt(alpha, long, short))
}

/// (p, q) <- (c p + s q, c q - s p)
#[inline(always)]
fn turn<R: Real>(c: R, s: R, p: R, q: R) -> (R, R) {
    (c.mul_add(p, s * q), c.mul_add(q, -(s * p)))
}

/// Makes columns P and Q of `b` orthogonal, the longer first, and rotates `v` with them.
#[inline(always)]
fn orthogonalise<R: Real, const P: usize, const Q: usize>(b: &mut Mat3<R>, v: &mut Mat3<R>) {
    let (c, s) = jacobi(mat3::dot(b[P], b[P]), mat3::dot(b[Q], b[Q]), mat3::dot(b[P], b[Q]));
    for i in 0..3 {
        (b[P][i], b[Q][i]) = turn(c, s, b[P][i], b[Q][i]);
        (v[P][i], v[Q][i]) = turn(c, s, v[P][i], v[Q][i]);
    }
}

/// Makes the entry (P, Q) of a symmetric matrix zero, the larger eigenvalue first; K is the third index.
#[inline(always)]
fn diagonalise<R: Real, const P: usize, const Q: usize, const K: usize>(
    diagonal: &mut Vec3<R>,
    off: &mut Vec3<R>,
    v: &mut Mat3<R>,
) {
    let (alpha, beta, gamma) = (diagonal[P], diagonal[Q], off[K]);
    let (c, s) = jacobi(alpha, beta, gamma);
    let (cc, ss, cross) = (c * c, s * s, (c * s) * (gamma + gamma));
    diagonal[P] = cc.mul_add(alpha, ss.mul_add(beta, cross));
    diagonal[Q] = ss.mul_add(alpha, cc.mul_add(beta, -cross));
    (off[Q], off[P]) = turn(c, s, off[Q], off[P]);
    off[K] = R::splat(0.0);
    for i in 0..3 {
        (v[P][i], v[Q][i]) = turn(c, s, v[P][i], v[Q][i]);
    }
}

/// Returns a power of two that scales the entries so that their fourth powers neither overflow nor vanish, and its
/// inverse.
#[inline(always)]
fn safe_scale<R: Real>(a: &Mat3<R>) -> (R, R) {
    let largest = a.iter().flatten().fold(R::splat(0.0), |largest, &x| largest.max(x.max(-x)));
    let (big, small) = (R::splat(2f64.powi(200)), R::splat(2f64.powi(-200)));
    let (up, down) = (R::splat(2f64.powi(350)), R::splat(2f64.powi(-350)));
    let one = R::splat(1.0);
    let scale = largest.select_gt(big, down, small.select_gt(largest, up, one));
    let unscale = largest.select_gt(big, up, small.select_gt(largest, down, one));
    (scale, unscale)
}

/// a / |a| and |a|; `otherwise` for the direction of a vector with |a|^2 below `floor`.
#[inline(always)]
fn unit_or<R: Real>(a: Vec3<R>, floor: R, otherwise: Vec3<R>) -> (Vec3<R>, R) {
    let square = mat3::dot(a, a);
    let length = square.sqrt();
    let inverse = R::splat(1.0) / length;
    (std::array::from_fn(|i| floor.select_gt(square, otherwise[i], a[i] * inverse)), length)
}

/// Returns a unit vector perpendicular to the unit vector a: its cross product with whichever of x and y is further
/// from it.
#[inline(always)]
fn perpendicular<R: Real>(a: Vec3<R>) -> Vec3<R> {
    let (zero, half) = (R::splat(0.0), R::splat(0.5));
    let from_x = (a[0] * a[0]).select_gt(half, zero, R::splat(1.0));
    let axis = [from_x, R::splat(1.0) - from_x, zero];
    let across = mat3::cross(axis, a);
    mat3::scale(R::splat(1.0) / mat3::norm(across), across)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::real::Lanes;

    /// Uniform numbers in [-1, 1), the same on every machine (splitmix64).
    struct Random(u64);

    impl Random {
        fn next(&mut self) -> f64 {
            self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 52) as f64 - 1.0
        }
        fn matrix(&mut self) -> Mat3 {
            std::array::from_fn(|_| std::array::from_fn(|_| self.next()))
        }
        fn rotation(&mut self) -> Mat3 {
            let axis = [self.next(), self.next(), self.next() + 1e-3];
            mat3::rotation(mat3::scale(1.0 / mat3::norm(axis), axis), 4.0 * self.next())
        }
        /// Random rotations around given singular values.
        fn with(&mut self, sigma: Vec3) -> Mat3 {
            let diagonal = std::array::from_fn(|i| mat3::scale(sigma[i], mat3::IDENTITY[i]));
            mat3::mat_mul_t(&mat3::mat_mul(&self.rotation(), &diagonal), &self.rotation())
        }
    }

    fn largest(a: &Mat3) -> f64 {
        a.iter().flatten().fold(0.0, |m: f64, x| m.max(x.abs()))
    }

    /// Returns the distance of Q from a rotation; NaN counts as far.
    fn rotation_error(q: &Mat3) -> f64 {
        let e =
            largest(&mat3::mat_sub(&mat3::mat_t_mul(q, q), &mat3::IDENTITY)).max((mat3::determinant(q) - 1.0).abs());
        if q.iter().flatten().all(|x| x.is_finite()) { e } else { f64::INFINITY }
    }

    /// Returns the largest of: reconstruction error relative to F, U and V as rotations, order and signs of sigma.
    fn svd_error(f: &Mat3) -> f64 {
        let Svd { u, sigma, v } = svd(f);
        let us: Mat3 = std::array::from_fn(|i| std::array::from_fn(|j| u[i][j] * sigma[j]));
        let scale = largest(f).max(f64::MIN_POSITIVE);
        let rebuilt = largest(&mat3::mat_sub(&mat3::mat_mul_t(&us, &v), f)) / scale;
        let disorder = (sigma[1] - sigma[0]).max(sigma[2].abs() - sigma[1]).max(-sigma[1]).max(0.0) / scale;
        rebuilt.max(rotation_error(&u)).max(rotation_error(&v)).max(disorder)
    }

    #[test]
    fn fixed_sweeps_are_enough() {
        let mut random = Random(1);
        let mut worst: f64 = 0.0;
        for round in 0..100_000 {
            let graded = std::array::from_fn(|_| 10f64.powf(8.0 * random.next()));
            let spread = 10f64.powf(8.0 * random.next() - 8.0);
            let close = std::array::from_fn(|_| 1.0 + spread * random.next());
            let mut scaled = random.matrix();
            scaled.iter_mut().flatten().for_each(|x| *x *= 10f64.powf(10.0 * random.next()));
            let f = match round % 4 {
                0 => random.matrix(),
                1 => random.with(graded),
                2 => random.with(close),
                _ => scaled,
            };
            worst = worst.max(svd_error(&f));
        }
        println!("worst svd error {worst:.1e}");
        assert!(worst < 1e-14, "{worst:e}");
    }

    #[test]
    fn degenerate_matrices_have_rotations() {
        let mut random = Random(2);
        let sigmas: &[Vec3] = &[
            [1.0, 1.0, 1.0],
            [1.0, 1.0, -1.0],
            [2.0, 2.0, 1.0],
            [2.0, 1.0, 1.0],
            [2.0, 1.0, -1.0],
            [3.0, 2.0, 0.0],
            [2.0, 2.0, 0.0],
            [1.0, 1e-16, 1e-16],
            [1.0, 1e-14, 1e-15],
            [1.0, 0.0, 0.0],
            [0.0, 0.0, 0.0],
        ];
        for &sigma in sigmas {
            for size in [1.0, 1e-150, 1e150, 1e-60, 1e60, 1e-61, 1e61, 1e-30, 1e30] {
                let diagonal = std::array::from_fn(|i| mat3::scale(size * sigma[i], mat3::IDENTITY[i]));
                assert!(svd_error(&diagonal) < 1e-14, "{diagonal:?}");
                for _ in 0..200 {
                    let f = random.with(mat3::scale(size, sigma));
                    let e = svd_error(&f);
                    assert!(e < 1e-14, "{sigma:?} {size:e}: {e:e}");
                    let found = svd(&f).sigma;
                    assert!((0..3).all(|i| (found[i] - size * sigma[i]).abs() <= 1e-14 * size * sigma[0]), "{found:?}");
                }
            }
        }
        // Exactly rank one and two, with whole numbers, in every orientation of the zero rows and columns.
        for bits in 0..512 {
            let f = std::array::from_fn(|i| std::array::from_fn(|j| f64::from(bits >> (3 * i + j) & 1)));
            assert!(svd_error(&f) < 1e-14, "{f:?}");
        }
        // The rest of an exact rank one is rounding, at times along the column it should be orthogonal to.
        for round in 0..20_000 {
            let mut vector =
                || std::array::from_fn(|_| if round % 2 == 0 { random.next() } else { (4.0 * random.next()).round() });
            let f = mat3::outer(vector(), vector());
            assert!(svd_error(&f) < 1e-14, "{f:?}");
        }
    }

    #[test]
    fn the_sign_of_the_determinant_is_the_sign_of_the_last_singular_value() {
        let mut random = Random(3);
        for _ in 0..1000 {
            let f = random.matrix();
            let sigma = svd(&f).sigma;
            let det = mat3::determinant(&f);
            assert!((sigma[0] * sigma[1] * sigma[2] - det).abs() < 1e-14, "{sigma:?} {det}");
        }
    }

    #[test]
    fn small_singular_values_survive() {
        // Columns of very different length: F^T F would lose the two smaller values.
        let q = mat3::rotation([0.6, 0.0, 0.8], 1.0);
        let expected = [1.0, 1e-20, 1e-40];
        let f: Mat3 = std::array::from_fn(|i| std::array::from_fn(|j| q[i][j] * expected[j]));
        let sigma = svd(&f).sigma;
        assert!((0..3).all(|i| (sigma[i] / expected[i] - 1.0).abs() < 1e-14), "{sigma:?}");
    }

    #[test]
    fn polar_is_the_nearest_rotation() {
        let mut random = Random(4);
        for _ in 0..1000 {
            let f = random.matrix();
            let (r, s) = polar(&f);
            assert!(rotation_error(&r) < 1e-14);
            assert!(largest(&mat3::mat_sub(&mat3::mat_mul(&r, &s), &f)) < 1e-14);
            assert_eq!(s, mat3::transpose(&s));
            let distance = |q: &Mat3| mat3::contract(&mat3::mat_sub(&f, q), &mat3::mat_sub(&f, q));
            assert!(distance(&random.rotation()) >= distance(&r));
        }
    }

    #[test]
    fn eigenpairs_of_symmetric_matrices() {
        let mut random = Random(5);
        let mut worst: f64 = 0.0;
        for round in 0..100_000 {
            let spread = 10f64.powf(8.0 * random.next() - 8.0);
            let size = [1.0, 1e-150, 1e150][round % 3];
            let values = match round % 5 {
                0 => [0.0; 3],
                1 => [1.0, 1.0, -1.0],
                2 => std::array::from_fn(|_| 1.0 + spread * random.next()),
                3 => std::array::from_fn(|_| random.next() * 10f64.powf(8.0 * random.next())),
                _ => std::array::from_fn(|_| random.next()),
            };
            let a = compose_symmetric(mat3::scale(size, values), &random.rotation());
            let (found, v) = eigen_symmetric(&a);
            let rebuilt = largest(&mat3::mat_sub(&compose_symmetric(found, &v), &a));
            let disorder = (found[1] - found[0]).max(found[2] - found[1]).max(0.0);
            worst = worst.max(rotation_error(&v)).max(rebuilt.max(disorder) / largest(&a).max(f64::MIN_POSITIVE));
        }
        println!("worst eigen error {worst:.1e}");
        assert!(worst < 1e-14, "{worst:e}");
    }

    #[test]
    fn lanes_are_scalars_side_by_side() {
        let mut random = Random(6);
        let mut each: [Mat3; 8] = std::array::from_fn(|_| random.matrix());
        each[3] = [[0.0; 3]; 3];
        each[5][1][2] = f64::NAN; // one bad lane leaves its neighbours alone
        let f: Mat3<Lanes> = std::array::from_fn(|i| std::array::from_fn(|j| Lanes::from_fn(|l| each[l][i][j])));
        let (together, (values, vectors)) = (svd(&f), eigen_symmetric(&f));
        for l in 0..8 {
            let (alone, (value, vector)) = (svd(&each[l]), eigen_symmetric(&each[l]));
            let same = |a: Lanes, b: f64| (a.lane(l) - b).abs() < 1e-14 || (a.lane(l).is_nan() && b.is_nan());
            for i in 0..3 {
                assert!(same(together.sigma[i], alone.sigma[i]) && same(values[i], value[i]));
                for j in 0..3 {
                    assert!(same(together.u[i][j], alone.u[i][j]) && same(together.v[i][j], alone.v[i][j]));
                    assert!(same(vectors[i][j], vector[i][j]));
                }
            }
        }
    }

    #[test]
    fn nan_and_infinity_come_out_as_nan() {
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            for at in 0..9 {
                let mut f = mat3::rotation([0.0, 0.6, 0.8], 1.0);
                f[at / 3][at % 3] = bad;
                let Svd { u, sigma, v } = svd(&f);
                let (r, s) = polar(&f);
                assert!([u, v, r, s].iter().flatten().flatten().chain(&sigma).all(|x| x.is_nan()), "{f:?}");
                let a = compose_symmetric([bad, 1.0, 2.0], &mat3::IDENTITY);
                let (values, vectors) = eigen_symmetric(&a);
                assert!(vectors.iter().flatten().chain(&values).all(|x| x.is_nan()));
            }
        }
    }
}
