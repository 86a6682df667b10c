//! Upper bound of the eigenvalues of a level's matrix.

use super::level::{Level, PADDING};

/// Steps of Lanczos' method: the largest eigenvalue comes out within a few per cent.
const STEPS: usize = 12;
/// Factor of safety. The smoother is a contraction up to half as much again.
const MARGIN: f64 = 1.1;
/// Steps of bisection.
const HALVINGS: usize = 40;

/// Returns the bound.
pub(super) fn largest<const B: usize, const W: usize>(level: &Level<B, W>) -> f64 {
    let n = B * level.pattern.rows();
    let dot = |a: &[f32], b: &[f32]| -> f64 {
        let (a, b) = (a[..n].as_chunks::<8>(), b[..n].as_chunks::<8>());
        let mut sums = [0.0_f64; 8];
        a.0.iter().zip(b.0).for_each(|(a, b)| (0..8).for_each(|k| sums[k] += f64::from(a[k]) * f64::from(b[k])));
        a.1.iter().zip(b.1).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum::<f64>() + sums.iter().sum::<f64>()
    };
    // Any rough vector: xorshift.
    let mut state = 0x9E37_79B9_7F4A_7C15_u64;
    let mut v = vec![0.0_f32; n + PADDING];
    for v in &mut v[..n] {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        *v = (state >> 40) as f32 / (1 << 23) as f32 - 1.0;
    }
    let length = dot(&v, &v).sqrt();
    v.iter_mut().for_each(|v| *v = (f64::from(*v) / length) as f32);
    let (mut before, mut w, mut unused) = (vec![0.0_f32; n + PADDING], v.clone(), v.clone());
    let (mut diagonal, mut beside) = (Vec::new(), vec![0.0_f64]);
    for k in 0..STEPS {
        level.for_rows(&v, [&mut w, &mut unused], |_, y, w, _| *w = y);
        let along = dot(&v, &w);
        diagonal.push(along);
        let last = beside[k];
        for ((w, v), before) in w.iter_mut().zip(&v).zip(&before) {
            *w -= (along * f64::from(*v) + last * f64::from(*before)) as f32;
        }
        let left = dot(&w, &w).sqrt();
        if left < 1e-5 {
            break;
        }
        beside.push(left);
        std::mem::swap(&mut before, &mut v);
        v.iter_mut().zip(&w).for_each(|(v, w)| *v = (f64::from(*w) / left) as f32);
    }
    MARGIN * largest_of_tridiagonal(&diagonal, &beside)
}

/// Largest eigenvalue of a symmetric tridiagonal matrix; `beside[k]` couples k - 1 and k.
fn largest_of_tridiagonal(diagonal: &[f64], beside: &[f64]) -> f64 {
    let row = |k: usize| diagonal[k] + beside[k] + beside.get(k + 1).unwrap_or(&0.0);
    let (mut low, mut high) = (0.0, (0..diagonal.len()).map(row).fold(0.0, f64::max));
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        // Signs of the pivots count eigenvalues (Sylvester). At a zero one a smaller matrix has this eigenvalue, and the
        // whole one a larger.
        let mut pivot = 1.0;
        let is_above = diagonal.iter().zip(beside).any(|(diagonal, beside)| {
            pivot = diagonal - middle - beside * beside / pivot;
            pivot >= 0.0
        });
        *(if is_above { &mut low } else { &mut high }) = middle;
    }
    high
}

#[cfg(test)]
mod tests {
    use super::largest_of_tridiagonal;

    #[test]
    fn the_largest_eigenvalue_of_a_string_is_found() {
        let n = 9;
        let beside: Vec<f64> = (0..n).map(|k| if k == 0 { 0.0 } else { 1.0 }).collect();
        let expected = 2.0 + 2.0 * (std::f64::consts::PI / (n + 1) as f64).cos();
        assert!((largest_of_tridiagonal(&vec![2.0; n], &beside) - expected).abs() < 1e-9);
    }
}
