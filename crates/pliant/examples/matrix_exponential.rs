//! exp(h A) b of your own sparse matrix: a wave on a string of 2,000 masses, A = [[0, I], [-M^-1 K, 0]], b = (0, v).
//!
//!     cargo run --release --example matrix_exponential

use pliant::numerics::functions::{Lanczos, Motion, Propagator, Sample, SparseOscillator};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // K in compressed rows, the second difference times 1e4; M is the identity.
    let (n, stiffness) = (2000_usize, 1e4);
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for i in 0..n {
        for j in i.saturating_sub(1)..(i + 2).min(n) {
            columns.push(j);
            values.push(if i == j { 2.0 * stiffness } else { -stiffness });
        }
        starts.push(columns.len());
    }
    let mut string = SparseOscillator::new(starts, columns, values, vec![1.0; n])?;

    // A hump of velocity in the middle splits into two waves that run at 100 masses per second.
    let velocity: Vec<f64> = (0..n).map(|i| (-((i as f64 - 1000.0) / 20.0).powi(2)).exp()).collect();
    let (mut y, mut rate) = (vec![0.0; n], vec![0.0; n]);
    let sample = Sample { time: 5.0, y: &mut y, velocity: &mut rate };
    let motion = Motion { velocity: &velocity, loads: &[] };
    let report = Lanczos::new().propagate(&mut string, &motion, 1e-9, &mut [sample])?;

    let front = (0..1000).max_by(|&a, &b| rate[a].total_cmp(&rate[b])).unwrap_or(0);
    println!("{} products with K, error below {:.0e}; one wave is at mass {front}", report.work.products, report.error);
    assert!(front.abs_diff(500) <= 2);
    Ok(())
}
