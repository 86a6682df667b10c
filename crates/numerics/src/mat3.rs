//! 3-vectors and 3x3 matrices of [`Real`] numbers, row by row: `a[i][j]` is row i, column j.
//!
//! Plain arrays and free functions: kernels read like the formulas.

use crate::real::Real;

/// A column of three numbers.
pub type Vec3<R = f64> = [R; 3];
/// A 3x3 matrix, `a[row][column]`.
pub type Mat3<R = f64> = [[R; 3]; 3];

/// The 3x3 identity.
pub const IDENTITY: Mat3 = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// a + b
#[inline(always)]
pub fn add<R: Real>(a: Vec3<R>, b: Vec3<R>) -> Vec3<R> {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

/// a - b
#[inline(always)]
pub fn sub<R: Real>(a: Vec3<R>, b: Vec3<R>) -> Vec3<R> {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

/// s a
#[inline(always)]
pub fn scale<R: Real>(s: R, a: Vec3<R>) -> Vec3<R> {
    [s * a[0], s * a[1], s * a[2]]
}

/// a . b
#[inline(always)]
pub fn dot<R: Real>(a: Vec3<R>, b: Vec3<R>) -> R {
    a[0].mul_add(b[0], a[1].mul_add(b[1], a[2] * b[2]))
}

/// a x b
#[inline(always)]
pub fn cross<R: Real>(a: Vec3<R>, b: Vec3<R>) -> Vec3<R> {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

/// The vector of length one; NaN for a vector that is 0 or not finite. The largest component is divided out first, so that no square
/// overflows or vanishes.
pub fn unit(v: Vec3) -> Vec3 {
    let largest = v.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
    let v = v.map(|x| x / largest);
    let length = v.iter().map(|x| x * x).sum::<f64>().sqrt();
    v.map(|x| x / length)
}

/// |a|
#[inline(always)]
pub fn norm<R: Real>(a: Vec3<R>) -> R {
    dot(a, a).sqrt()
}

/// a b^T
#[inline(always)]
pub fn outer<R: Real>(a: Vec3<R>, b: Vec3<R>) -> Mat3<R> {
    [scale(a[0], b), scale(a[1], b), scale(a[2], b)]
}

/// A x
#[inline(always)]
pub fn mat_vec<R: Real>(a: &Mat3<R>, x: Vec3<R>) -> Vec3<R> {
    [dot(a[0], x), dot(a[1], x), dot(a[2], x)]
}

/// A^T x
#[inline(always)]
pub fn mat_t_vec<R: Real>(a: &Mat3<R>, x: Vec3<R>) -> Vec3<R> {
    std::array::from_fn(|j| a[0][j].mul_add(x[0], a[1][j].mul_add(x[1], a[2][j] * x[2])))
}

/// A B
#[inline(always)]
pub fn mat_mul<R: Real>(a: &Mat3<R>, b: &Mat3<R>) -> Mat3<R> {
    std::array::from_fn(|i| mat_t_vec(b, a[i]))
}

/// A^T B
#[inline(always)]
pub fn mat_t_mul<R: Real>(a: &Mat3<R>, b: &Mat3<R>) -> Mat3<R> {
    mat_mul(&transpose(a), b)
}

/// A B^T
#[inline(always)]
pub fn mat_mul_t<R: Real>(a: &Mat3<R>, b: &Mat3<R>) -> Mat3<R> {
    std::array::from_fn(|i| mat_vec(b, a[i]))
}

/// A^T
#[inline(always)]
pub fn transpose<R: Real>(a: &Mat3<R>) -> Mat3<R> {
    std::array::from_fn(|i| std::array::from_fn(|j| a[j][i]))
}

/// A + B
#[inline(always)]
pub fn mat_add<R: Real>(a: &Mat3<R>, b: &Mat3<R>) -> Mat3<R> {
    std::array::from_fn(|i| add(a[i], b[i]))
}

/// A - B
#[inline(always)]
pub fn mat_sub<R: Real>(a: &Mat3<R>, b: &Mat3<R>) -> Mat3<R> {
    std::array::from_fn(|i| sub(a[i], b[i]))
}

/// s A
#[inline(always)]
pub fn mat_scale<R: Real>(s: R, a: &Mat3<R>) -> Mat3<R> {
    std::array::from_fn(|i| scale(s, a[i]))
}

/// A : B, the sum of the products of their entries.
#[inline(always)]
pub fn contract<R: Real>(a: &Mat3<R>, b: &Mat3<R>) -> R {
    dot(a[0], b[0]) + dot(a[1], b[1]) + dot(a[2], b[2])
}

/// The sum of the diagonal.
#[inline(always)]
pub fn trace<R: Real>(a: &Mat3<R>) -> R {
    a[0][0] + a[1][1] + a[2][2]
}

/// The identity in the numbers `R`.
#[inline(always)]
pub fn identity<R: Real>() -> Mat3<R> {
    std::array::from_fn(|i| std::array::from_fn(|j| R::splat(IDENTITY[i][j])))
}

/// The cofactor matrix, d det A / d A; its rows are the cross products of the rows of A.
#[inline(always)]
pub fn cofactor<R: Real>(a: &Mat3<R>) -> Mat3<R> {
    [cross(a[1], a[2]), cross(a[2], a[0]), cross(a[0], a[1])]
}

/// det A
#[inline(always)]
pub fn determinant<R: Real>(a: &Mat3<R>) -> R {
    dot(a[0], cross(a[1], a[2]))
}

/// The rotation by `angle` [rad] about the unit vector `axis` (Rodrigues).
pub fn rotation(axis: Vec3, angle: f64) -> Mat3 {
    let (s, c) = angle.sin_cos();
    let [x, y, z] = axis;
    let k = [[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]];
    mat_add(&mat_add(&mat_scale(c, &IDENTITY), &mat_scale(s, &k)), &mat_scale(1.0 - c, &outer(axis, axis)))
}
