//! Times factorisations and solves on boxes of tetrahedra, with one thread and with all: the numbers behind the rules
//! for threads and solvers. `cargo run --release -p numerics --example factor_times`

use numerics::blocks::{BlockMatrix, Pattern};
use numerics::linear::ordering::Ordering;
use numerics::linear::{Cholesky, LinearSolver, Pcg, Stop, Threads};
use std::sync::Arc;
use std::time::Instant;

fn main() {
    let repeats = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(3);
    for (name, [nx, ny, nz]) in [
        ("cube 1k", [10, 10, 10]),
        ("cube 4k", [16, 16, 16]),
        ("cube 12k", [23, 23, 23]),
        ("beam 1:1:8 10k", [88, 11, 11]),
        ("bar 3x3 12k", [1333, 3, 3]),
        ("bar 5x5 30k", [1200, 5, 5]),
        ("sheet 10k", [100, 100, 1]),
        ("cube 28k", [30, 30, 30]),
    ] {
        let pattern = grid(nx, ny, nz);
        let a = springs(nx, ny, nz, &pattern);
        let start = Instant::now();
        let ordering = Ordering::best(&pattern);
        let ordered = start.elapsed().as_secs_f64();
        let Ok(mut solver) = Cholesky::with_ordering(&pattern, &ordering) else { continue };
        println!(
            "{name}: {} nodes, {:?}, {:.2e} flops, {:.2e} entries, {:.1e} flops a supernode, ordered in {:.0} ms, analysed in {:.0} ms",
            pattern.rows(),
            ordering.method,
            ordering.flops,
            ordering.entries,
            ordering.flops / solver.supernodes() as f64,
            1e3 * ordered,
            1e3 * (start.elapsed().as_secs_f64() - ordered)
        );
        for (threads, label) in [(Threads::One, "one thread "), (Threads::All, "all threads")] {
            solver.set_threads(threads);
            let factor = fastest(repeats, || solver.prepare(&a).is_ok());
            let mut one = vec![1.0; a.dim()];
            let solve = fastest(3 * repeats, || solver.solve(&a, &mut one, 1).is_ok());
            let mut ten = vec![1.0; 10 * a.dim()];
            let block = fastest(repeats, || solver.solve(&a, &mut ten, 10).is_ok());
            println!("    direct, {label}: factor {factor:8.2} ms, solve {solve:7.2} ms, ten columns {block:7.2} ms");
        }
        let mut solver = Pcg::new(&pattern, Stop { tolerance: 1e-6, max_iterations: 1000 });
        let factor = fastest(repeats, || solver.prepare(&a).is_ok());
        let mut x: Vec<f64> = (0..a.dim()).map(|k| (k as f64).sin()).collect();
        let mut reached = false;
        let solve = fastest(1, || {
            reached = solver.solve(&a, &mut x, 1).is_ok();
            true
        });
        let iterations = solver.work().iterations;
        let outcome = if reached { "" } else { ", gave up" };
        println!(
            "    conjugate gradients: incomplete factor {factor:.2} ms, solve {solve:.2} ms, {iterations} iterations{outcome}"
        );
    }
}

/// Milliseconds of the fastest run.
fn fastest(repeats: usize, mut run: impl FnMut() -> bool) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..repeats {
        let start = Instant::now();
        assert!(run(), "the solver failed");
        best = best.min(1e3 * start.elapsed().as_secs_f64());
    }
    best
}

/// A box of nx x ny x nz nodes, each cell cut into the six tetrahedra of Kuhn.
fn grid(nx: usize, ny: usize, nz: usize) -> Arc<Pattern> {
    let node = |at: [usize; 3]| ((at[0] * ny + at[1]) * nz + at[2]) as u32;
    let size = [nx, ny, nz];
    let mut edges: Vec<[u32; 2]> = Vec::new();
    for x in 0..nx {
        for y in 0..ny {
            for z in 0..nz {
                // Kuhn's tetrahedra connect nodes that differ by 0 or 1 in every direction, all with the same sign.
                for step in 1..8 {
                    let to = [x + (step & 1), y + (step >> 1 & 1), z + (step >> 2 & 1)];
                    if (0..3).all(|d| to[d] < size[d]) {
                        edges.push([node([x, y, z]), node(to)]);
                    }
                }
            }
        }
    }
    Arc::new(Pattern::from_cliques(nx * ny * nz, edges.iter().map(|e| e.as_slice())))
}

/// Mass and springs along the edges, stiff enough to couple the whole body: what an implicit step solves.
fn springs(nx: usize, ny: usize, nz: usize, pattern: &Arc<Pattern>) -> BlockMatrix {
    let at = |i: usize| [i / (ny * nz), i / nz % ny, i % nz].map(|x| x as f64);
    let mut a = BlockMatrix::zeros(pattern.clone());
    assert_eq!(pattern.rows(), nx * ny * nz);
    for i in 0..pattern.rows() {
        for (j, slot) in pattern.lower(i) {
            let d: [f64; 3] = std::array::from_fn(|k| at(i)[k] - at(j)[k]);
            let length = d.iter().map(|d| d * d).sum::<f64>();
            for r in 0..3 {
                for c in 0..3 {
                    let same = f64::from(r == c);
                    if i == j {
                        a.values[slot][r][c] += 0.01 * same;
                    } else {
                        let k = 1000.0 * (d[r] * d[c] / length + 0.1 * same);
                        a.values[slot][r][c] -= k;
                        a.values[pattern.diagonal(i)][r][c] += k;
                        a.values[pattern.diagonal(j)][r][c] += k;
                    }
                }
            }
        }
    }
    a
}
