//! Times factorisations and solves on boxes of tetrahedra, with one thread and with all: the numbers behind the rules
//! for threads and solvers. `cargo run --release -p pliant-numerics --example factor_times`

mod boxes;

use boxes::{fastest, fastest_from, grid, springs};
use numerics::linear::ordering::Ordering;
use numerics::linear::{Cholesky, LinearSolver, Pcg, Stop};
use std::time::Instant;

fn main() {
    let repeats = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(3);
    for (name, size) in [
        ("cube 1k", [10, 10, 10]),
        ("cube 4k", [16, 16, 16]),
        ("cube 12k", [23, 23, 23]),
        ("beam 1:1:8 10k", [88, 11, 11]),
        ("bar 3x3 12k", [1333, 3, 3]),
        ("bar 5x5 30k", [1200, 5, 5]),
        ("sheet 10k", [100, 100, 1]),
        ("cube 28k", [30, 30, 30]),
    ] {
        let pattern = grid(size);
        let a = springs(size, &pattern);
        let start = Instant::now();
        let ordering = Ordering::best(&pattern);
        let ordered = start.elapsed().as_secs_f64();
        let Ok(mut solver) = Cholesky::with_ordering(&pattern, &ordering) else { continue };
        println!(
            "{name}: {} nodes, {:?}, {:.2e} flops, {:.2e} entries, ordered in {:.0} ms, analysed in {:.0} ms",
            pattern.rows(),
            ordering.method,
            ordering.flops,
            ordering.entries,
            1e3 * ordered,
            1e3 * (start.elapsed().as_secs_f64() - ordered)
        );
        for (threads, label) in [(1, "one thread "), (0, "all threads")] {
            let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(threads).build() else { continue };
            pool.install(|| {
                let factor = fastest(repeats, || solver.prepare(&a).is_ok());
                let b = vec![1.0; 10 * a.dim()];
                let mut solve = |columns| {
                    fastest_from(3 * repeats, &b[..columns * a.dim()], |x| {
                        assert!(solver.solve(&a, x, columns).is_ok())
                    })
                };
                let (solve, block) = (solve(1), solve(10));
                println!(
                    "    direct, {label}: factor {factor:8.2} ms, solve {solve:7.2} ms, ten columns {block:7.2} ms"
                );
            });
        }
        let mut solver = Pcg::new(&pattern, Stop::at(1e-6, 1000));
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
