//! The second factorisation and the second solve allocate nothing that grows with the matrix.

use numerics::blocks::{BlockMatrix, Pattern};
use numerics::linear::ordering::Ordering as Elimination;
use numerics::linear::{Cholesky, Factor, LinearSolver, Pcg, Stop, Structure};
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts the bytes asked for; one test in this file, so that nothing else is counted.
struct Counting;

static BYTES: AtomicUsize = AtomicUsize::new(0);

// SAFETY: everything is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        BYTES.fetch_add(layout.size(), Ordering::Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocated(run: impl FnOnce()) -> usize {
    let before = BYTES.load(Ordering::Relaxed);
    run();
    BYTES.load(Ordering::Relaxed) - before
}

/// A strip of nodes that see their neighbours up to three away; `diagonal` decides the signs of the eigenvalues.
fn strip(pattern: &Arc<Pattern>, diagonal: f64) -> BlockMatrix {
    let mut a = BlockMatrix::zeros(pattern.clone());
    for i in 0..pattern.rows() {
        for (j, slot) in pattern.lower(i) {
            (0..3).for_each(|r| a.values[slot][r][r] = if i == j { diagonal + r as f64 } else { -1.0 });
        }
    }
    a
}

#[test]
fn the_second_time_is_free() {
    for rows in [200_u32, 2000] {
        let cliques: Vec<[u32; 4]> = (0..rows - 3).map(|i| [i, i + 1, i + 2, i + 3]).collect();
        let pattern = Arc::new(Pattern::from_cliques(rows as usize, cliques.iter().map(|c| c.as_slice())));
        let (definite, indefinite) = (strip(&pattern, 7.0), strip(&pattern, 2.5));
        let mut direct = Cholesky::new(&pattern).unwrap();
        let mut iterative = Pcg::new(&pattern, Stop::at(1e-8, 1000));
        let structure = Structure::new(&pattern, &Elimination::best(&pattern)).unwrap();
        let mut single = Factor::<f32>::new(&structure).unwrap();
        let mut double = Factor::<f64>::new(&structure).unwrap();
        let mut rhs = vec![1.0; 4 * definite.dim()];
        let mut everything = || {
            for a in [&definite, &indefinite] {
                direct.prepare(a).unwrap();
                direct.solve(a, &mut rhs, 4).unwrap();
                direct.solve(a, &mut rhs[..definite.dim()], 1).unwrap();
            }
            single.factorise(&definite).unwrap();
            double.factorise(&definite).unwrap();
            for columns in [4, 1] {
                single.solve(&mut rhs[..columns * definite.dim()], columns, None);
                double.solve(&mut rhs[..columns * definite.dim()], columns, None);
            }
            iterative.prepare(&definite).unwrap();
            iterative.solve(&definite, &mut rhs, 4).unwrap();
        };
        everything();
        // Queues of the thread pool take a block now and then; what the solvers took they would take every time.
        let bytes = (0..5).map(|_| allocated(&mut everything)).min().unwrap();
        assert!(bytes < 5000, "{bytes} bytes for {rows} rows");
    }
}
