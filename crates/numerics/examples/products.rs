//! Times products with several columns at once against single ones, on boxes of tetrahedra.
//! `cargo run --release -p pliant-numerics --example products`

use numerics::blocks::{BlockMatrix, Pattern};
use std::sync::Arc;
use std::time::Instant;

fn main() {
    for (name, [nx, ny, nz]) in [("bar 30k", [1200, 5, 5]), ("cube 12k", [23, 23, 23])] {
        let a = grid(nx, ny, nz);
        let n = a.dim();
        for columns in [1, 4, 8, 16, 24] {
            let x: Vec<f64> = (0..columns * n).map(|k| (k as f64).sin()).collect();
            let mut y = vec![0.0; columns * n];
            let single = fastest(|| {
                x.chunks_exact(n).zip(y.chunks_exact_mut(n)).for_each(|(x, y)| a.multiply(x, y));
            });
            let block = fastest(|| a.multiply_columns(&x, &mut y, columns));
            println!("{name}, {columns} columns: one by one {single:.2} ms, at once {block:.2} ms");
        }
    }
}

/// Nodes of a grid that are coupled across the six Kuhn tets of each cell.
fn grid(nx: usize, ny: usize, nz: usize) -> BlockMatrix {
    let node = |x: usize, y: usize, z: usize| ((x * ny + y) * nz + z) as u32;
    let mut cliques: Vec<[u32; 4]> = Vec::new();
    for (x, y, z) in (0..nx - 1).flat_map(|x| (0..ny - 1).flat_map(move |y| (0..nz - 1).map(move |z| (x, y, z)))) {
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut at = [x, y, z];
            let mut tet = [node(x, y, z); 4];
            for (k, &axis) in order.iter().enumerate() {
                at[axis] += 1;
                tet[k + 1] = node(at[0], at[1], at[2]);
            }
            cliques.push(tet);
        }
    }
    let pattern = Arc::new(Pattern::from_cliques(nx * ny * nz, cliques.iter().map(|c| c.as_slice())));
    let mut a = BlockMatrix::zeros(pattern);
    for (k, block) in a.values.iter_mut().enumerate() {
        *block = std::array::from_fn(|r| std::array::from_fn(|c| ((7 * k + 3 * r + c) as f64).sin()));
    }
    a
}

/// Returns the milliseconds of the fastest of some calls.
fn fastest(mut work: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..15 {
        let start = Instant::now();
        work();
        best = best.min(1e3 * start.elapsed().as_secs_f64());
    }
    best
}
