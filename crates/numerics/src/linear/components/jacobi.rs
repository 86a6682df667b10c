//! Eigenvalues of small symmetric matrices side by side, by rotations (Jacobi 1846).

use crate::real::Real;

/// Most passes over all pairs; the last ones converge quadratically.
const SWEEPS: usize = 12;

/// Diagonalises `a` (n x n, by rows) by rotations, which `q` (n x n, by rows) collects: its columns are eigenvectors,
/// and the diagonal of `a` holds the eigenvalues in any order.
pub(super) fn diagonalise<R: Real>(a: &mut [R], q: &mut [R], n: usize) {
    let [zero, one] = [0.0, 1.0].map(R::splat);
    q.fill(zero);
    (0..n).for_each(|k| q[k * n + k] = one);
    for _ in 0..SWEEPS {
        for i in 0..n {
            for j in i + 1..n {
                let (aii, ajj, aij) = (a[i * n + i], a[j * n + j], a[i * n + j]);
                // tan of the angle that removes a_ij, the smaller of both; zero where there is nothing to remove.
                let (gap, twice) = (ajj - aii, aij + aij);
                let size = (gap * gap + twice * twice).sqrt();
                let down = gap.select_gt(zero, gap + size, gap - size);
                let square = down * down;
                let tan = square.select_gt(zero, twice / square.select_gt(zero, down, one), zero);
                let cos = one / (one + tan * tan).sqrt();
                let sin = tan * cos;
                for k in 0..n {
                    let (x, y) = (a[k * n + i], a[k * n + j]);
                    (a[k * n + i], a[k * n + j]) = (cos * x - sin * y, sin * x + cos * y);
                }
                for k in 0..n {
                    let (x, y) = (a[i * n + k], a[j * n + k]);
                    (a[i * n + k], a[j * n + k]) = (cos * x - sin * y, sin * x + cos * y);
                    let (x, y) = (q[k * n + i], q[k * n + j]);
                    (q[k * n + i], q[k * n + j]) = (cos * x - sin * y, sin * x + cos * y);
                }
            }
        }
        if is_diagonal(a, n) {
            break;
        }
    }
}

/// Returns true if all lanes are diagonal to rounding.
fn is_diagonal<R: Real>(a: &[R], n: usize) -> bool {
    let (mut beside, mut on) = (R::splat(0.0), R::splat(0.0));
    for i in 0..n {
        for j in 0..i {
            beside += a[i * n + j] * a[i * n + j];
        }
        on += a[i * n + i] * a[i * n + i];
    }
    let limit = 1e-30;
    (0..R::LANES).all(|lane| beside.lane(lane) <= limit * on.lane(lane))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::linear::tests::Noise;

    #[test]
    fn rotations_find_all_eigenvalues() {
        for n in 1..9 {
            let mut noise = Noise::new(n as u64);
            let mut a = vec![0.0; n * n];
            for i in 0..n {
                for j in 0..=i {
                    // Some of many sizes, some equal, some zero.
                    let value = if i == j { (i / 2) as f64 * 10.0 } else { noise.next() * 10.0_f64.powi(-(j as i32)) };
                    (a[i * n + j], a[j * n + i]) = (value, value);
                }
            }
            let (whole, mut q) = (a.clone(), vec![0.0; n * n]);
            diagonalise(&mut a, &mut q, n);
            for i in 0..n {
                for k in 0..n {
                    let product: f64 = (0..n).map(|j| whole[i * n + j] * q[j * n + k]).sum();
                    assert!((product - q[i * n + k] * a[k * n + k]).abs() < 1e-13 * 80.0);
                    let inner: f64 = (0..n).map(|j| q[j * n + i] * q[j * n + k]).sum();
                    assert!((inner - f64::from(i == k)).abs() < 1e-14);
                }
            }
        }
    }
}
