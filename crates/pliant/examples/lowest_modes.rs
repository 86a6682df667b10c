//! Lowest modes of your own K and M: a free sheet of 40 x 25 masses joined by springs.
//!
//!     cargo run --release --example lowest_modes

use pliant::numerics::blocks::{BlockMatrix, Pattern};
use pliant::numerics::modes::lowest;
use std::sync::Arc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Springs of 1000 N/m between neighbours, the same in x, y and z; masses of 0.1 kg.
    let (width, height) = (40, 25);
    let number = |i: u32, j: u32| i + width * j;
    let across = (0..height).flat_map(|j| (1..width).map(move |i| [number(i - 1, j), number(i, j)]));
    let along = (1..height).flat_map(|j| (0..width).map(move |i| [number(i, j - 1), number(i, j)]));
    let springs: Vec<[u32; 2]> = across.chain(along).collect();
    let nodes = (width * height) as usize;
    let pattern = Arc::new(Pattern::from_cliques(nodes, springs.iter().map(|spring| &spring[..])));
    let mut k = BlockMatrix::zeros(pattern.clone());
    for &[a, b] in &springs {
        for (i, j, value) in [(a, a, 1000.0), (b, b, 1000.0), (b.max(a), a.min(b), -1000.0)] {
            if let Some(slot) = pattern.slot(i as usize, j as usize) {
                (0..3).for_each(|c| k.values[slot][c][c] += value);
            }
        }
    }

    let modes = lowest(&k, &vec![0.1; nodes], 9, 1e-8)?;
    let hertz: Vec<f64> = modes.values.iter().map(|lam| lam.max(0.0).sqrt() / std::f64::consts::TAU).collect();
    println!("frequencies [Hz]: {hertz:.4?}");
    // Known: 2 sqrt(k/m) sin(pi / 2n) of the longer side, once for each direction, after three translations.
    let exact = 100.0 * 2.0 * (std::f64::consts::FRAC_PI_2 / f64::from(width)).sin() / std::f64::consts::TAU;
    assert!(hertz[3..6].iter().all(|found| (found - exact).abs() < 1e-9 * exact));
    Ok(())
}
