//! Times own factors in double and single precision, and in 16 bits, against faer's, on one thread and on two, and their solves against
//! a plain read of as much memory. `cargo run --release -p pliant-numerics --example factors [repeats]`

mod boxes;

use boxes::{fastest, fastest_from, grid, springs};
use dyn_stack::{MemBuffer, MemStack};
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::cholesky::{self, CholeskySymbolicParams, LltRef, SymmetricOrdering};
use faer::sparse::{SparseColMat, Triplet};
use faer::{Conj, MatMut, Par, Side};
use numerics::blocks::BlockMatrix;
use numerics::linear::ordering::Ordering;
use numerics::linear::{Factor, LinearError, Precision, Stored, Structure};
use rayon::prelude::*;
use std::sync::Arc;

fn main() {
    let repeats = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(3);
    for (name, size) in [("cube 12k", [23, 23, 23]), ("bar 1200x4x4", [1201, 5, 5]), ("beam 64x16x16", [65, 17, 17])] {
        let pattern = grid(size);
        let a = springs(size, &pattern);
        let ordering = Ordering::best(&pattern);
        let Ok(structure) = Structure::new(&pattern, &ordering) else { continue };
        println!(
            "{name}: {} nodes, {:?}, {:.2e} flops, {:.2e} entries",
            pattern.rows(),
            ordering.method,
            structure.flops(),
            structure.entries()
        );
        let (factor, one, nine) = faer_times(&a, &ordering, repeats);
        println!("    faer f64, 1 thread:  factor {factor:8.2} ms, solve {one:7.2} ms, 9 columns {nine:7.2} ms");
        for threads in [1, 2] {
            let Ok(pool) = rayon::ThreadPoolBuilder::new().num_threads(threads).build() else { continue };
            pool.install(|| {
                own_times(Factor::<f64>::new(&structure), &a, &structure, repeats, threads);
                own_times(Factor::<f32>::new(&structure), &a, &structure, repeats, threads);
                own_times(Factor::in_16_bits(&structure), &a, &structure, repeats, threads);
            });
        }
    }
}

fn own_times<T: Precision, S: Stored<T>>(
    own: Result<Factor<T, S>, LinearError>,
    a: &BlockMatrix,
    structure: &Arc<Structure>,
    repeats: usize,
    threads: usize,
) {
    let Ok(mut own) = own else { return };
    let factor = fastest(repeats, || own.factorise(a).is_ok());
    let b: Vec<f64> = (0..9 * a.dim()).map(|k| (k as f64).sin()).collect();
    let mut solve = |columns| fastest_from(5 * repeats, &b[..columns * a.dim()], |x| own.solve(x, columns, None));
    let (one, nine) = (solve(1), solve(9));
    let bytes = 2.0 * structure.entries() * size_of::<S>() as f64;
    // Both sweeps of a solve read the factor once.
    let memory = vec![T::of(1.0); structure.entries() as usize * size_of::<S>() / size_of::<T>()];
    let read = 2.0 * fastest(5 * repeats, || sum(&memory, threads) > 0.0);
    println!(
        "    own f{}, {threads} threads: factor {factor:8.2} ms, solve {one:7.2} ms, 9 columns {nine:7.2} ms; {:.1} GB/s, plain read {:.1} GB/s",
        8 * size_of::<S>(),
        1e-6 * bytes / one,
        1e-6 * bytes / read
    );
}

/// Reads everything once.
fn sum<T: Precision>(memory: &[T], threads: usize) -> f64 {
    let part = |part: &[T]| {
        let one = T::splat(T::of(1.0));
        let mut sums = [T::splat(T::of(0.0)); 8];
        for chunks in T::chunks(part).chunks_exact(8) {
            (0..8).for_each(|k| sums[k] = T::fused_lanes(one, T::load(&chunks[k]), sums[k]));
        }
        sums.into_iter().map(|lanes| T::sum(lanes).to_f64()).sum::<f64>()
    };
    memory.par_chunks(memory.len().div_ceil(threads)).map(part).collect::<Vec<f64>>().iter().sum()
}

/// Returns the milliseconds of a factorisation, a solve and a solve of nine columns with faer.
fn faer_times(a: &BlockMatrix, ordering: &Ordering, repeats: usize) -> (f64, f64, f64) {
    let n = a.dim();
    // The upper triangle in the order of elimination: faer reads it without another permutation.
    let position = ordering.position();
    let mut entries = Vec::new();
    for i in 0..a.pattern().rows() {
        for (j, slot) in a.pattern().lower(i) {
            for (r, c) in (0..9).map(|k| (k / 3, k % 3)) {
                let (row, column) = (3 * position[i] as usize + r, 3 * position[j] as usize + c);
                if i != j || row >= column {
                    entries.push(Triplet::new(row.min(column), row.max(column), a.values[slot][r][c]));
                }
            }
        }
    }
    let Ok(upper) = SparseColMat::<usize, f64>::try_new_from_triplets(n, n, &entries) else {
        return Default::default();
    };
    let params = CholeskySymbolicParams {
        supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
        ..Default::default()
    };
    let symbolic =
        cholesky::factorize_symbolic_cholesky(upper.symbolic(), Side::Upper, SymmetricOrdering::Identity, params);
    let Ok(symbolic) = symbolic else { return Default::default() };
    let mut values = vec![0.0; symbolic.len_val()];
    let mut memory = MemBuffer::new(
        symbolic
            .factorize_numeric_llt_scratch::<f64>(Par::Seq, Default::default())
            .or(symbolic.solve_in_place_scratch::<f64>(9, Par::Seq)),
    );
    let factor = fastest(repeats, || {
        let stack = MemStack::new(&mut memory);
        symbolic
            .factorize_numeric_llt(
                &mut values,
                upper.as_ref(),
                Side::Upper,
                Default::default(),
                Par::Seq,
                stack,
                Default::default(),
            )
            .is_ok()
    });
    let b: Vec<f64> = (0..9 * n).map(|k| (k as f64).sin()).collect();
    let mut solve = |columns: usize| {
        fastest_from(3 * repeats, &b[..columns * n], |x| {
            let x = MatMut::from_column_major_slice_mut(x, n, columns);
            let stack = MemStack::new(&mut memory);
            LltRef::<usize, f64>::new(&symbolic, &values).solve_in_place_with_conj(Conj::No, x, Par::Seq, stack);
        })
    };
    (factor, solve(1), solve(9))
}
