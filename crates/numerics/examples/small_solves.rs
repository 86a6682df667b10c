//! Times solves of one column by small factors: plain, with the triangles of panels inverted, and in tasks on all threads.
//! The numbers behind `Cholesky::for_many_solves`. `cargo run --release -p pliant-numerics --example small_solves [repeats]`

mod boxes;

use boxes::{fastest, fastest_from, grid, springs};
use numerics::linear::ordering::Ordering;
use numerics::linear::{Cholesky, LinearSolver, Structure};

fn main() {
    let repeats = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(200);
    for size in [[14, 3, 3], [100, 3, 3], [60, 4, 4], [300, 3, 3], [300, 5, 5]] {
        let pattern = grid(size);
        let a = springs(size, &pattern);
        let ordering = Ordering::best(&pattern);
        let (Ok(whole), Ok(tasks)) = (Structure::undivided(&pattern, &ordering), Structure::new(&pattern, &ordering))
        else {
            continue;
        };
        let b = vec![1.0; a.dim()];
        let time = |solver: Cholesky| {
            let mut solver = solver;
            let factor = fastest(3, || solver.prepare(&a).is_ok());
            let solve = fastest_from(repeats, &b, |x| assert!(solver.solve_factored(x, 1).is_ok()));
            [1e3 * factor, 1e3 * solve]
        };
        let (Ok(plain), Ok(many), Ok(shared)) =
            (Cholesky::with_structure(&whole), Cholesky::with_structure(&whole), Cholesky::with_structure(&tasks))
        else {
            continue;
        };
        let [plain, many, shared] = [plain, many.for_many_solves(), shared].map(time);
        println!(
            "{size:?}: {} nodes, {:.1e} numbers; factor {:.0} us, inverted {:.0} us; solve {:.1} us, inverted {:.1} us, in tasks {:.1} us",
            pattern.rows(),
            ordering.entries,
            plain[0],
            many[0],
            plain[1],
            many[1],
            shared[1],
        );
    }
}
