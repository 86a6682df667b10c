//! The largest eigenvalue of a symmetric operator, by Lanczos iterations.

/// Most iterations: the largest eigenvalue is the first to be found.
const ITERATIONS: usize = 40;

/// Returns the largest eigenvalue of a positive semidefinite operator, slightly too low; 0 if it cannot be found.
///
/// `apply` overwrites its second argument, which holds zeros, with the operator times the first. Iterations end when one adds
/// less than the share `enough` of the value.
pub fn largest(dim: usize, enough: f64, apply: &mut dyn FnMut(&[f64], &mut [f64])) -> f64 {
    // A fixed start that resembles no mode of a body: neighbours differ.
    let mut v: Vec<f64> = (0..dim).map(|i| (1.7 * i as f64 + 0.3 * (i * i) as f64).sin()).collect();
    let (mut before, mut y) = (vec![0.0; dim], vec![0.0; dim]);
    let (mut diagonal, mut beside) = (Vec::new(), Vec::new());
    let mut value = 0.0;
    let mut length = norm(&v);
    while length > 0.0 && length.is_finite() && diagonal.len() < ITERATIONS {
        v.iter_mut().for_each(|v| *v /= length);
        y.fill(0.0);
        apply(&v, &mut y);
        let back = beside.last().copied().unwrap_or(0.0);
        (0..dim).for_each(|i| y[i] -= back * before[i]);
        let along: f64 = v.iter().zip(&y).map(|(v, y)| v * y).sum();
        y.iter_mut().zip(&v).for_each(|(y, v)| *y -= along * v);
        length = norm(&y);
        diagonal.push(along);
        let largest = largest_of_tridiagonal(&diagonal, &beside);
        beside.push(length);
        let grown = largest - value;
        value = largest;
        // Rounding ends it too: the start then lies in an invariant space.
        if grown <= enough * value && diagonal.len() > 5 || length <= 1e-12 * value {
            break;
        }
        std::mem::swap(&mut before, &mut v);
        std::mem::swap(&mut v, &mut y);
    }
    if value.is_finite() { value.max(0.0) } else { 0.0 }
}

fn norm(v: &[f64]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Returns the largest eigenvalue of a symmetric tridiagonal matrix T, by bisection: all are below `x` when the pivots
/// of T - x are all negative.
fn largest_of_tridiagonal(diagonal: &[f64], beside: &[f64]) -> f64 {
    let (n, off) = (diagonal.len(), |i: usize| beside.get(i).map_or(0.0, |b| b.abs()));
    // Gershgorin: no eigenvalue exceeds a diagonal entry plus the absolute values beside it.
    let bound = |i: usize| if i > 0 { off(i - 1) } else { 0.0 } + if i + 1 < n { off(i) } else { 0.0 };
    let mut high = (0..n).map(|i| diagonal[i] + bound(i)).fold(f64::NEG_INFINITY, f64::max);
    let mut low = diagonal.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    for _ in 0..60 {
        let middle = 0.5 * (low + high);
        let mut factor = diagonal[0] - middle;
        let mut below = factor < 0.0;
        for i in 1..n {
            factor = diagonal[i] - middle - off(i - 1) * off(i - 1) / factor;
            below &= factor < 0.0;
        }
        if below {
            high = middle;
        } else {
            low = middle;
        }
    }
    high
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_eigenvalue_of_the_second_difference_is_known() {
        for n in 1..30 {
            let expected = 2.0 + 2.0 * (std::f64::consts::PI / (n + 1) as f64).cos();
            let found = largest_of_tridiagonal(&vec![2.0; n], &vec![-1.0; n - 1]);
            assert!((found - expected).abs() < 1e-12, "{n}: {found}, not {expected}");
        }
    }
}
