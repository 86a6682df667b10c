//! Properties of factors in either precision.

use super::*;
use crate::blocks::{BlockMatrix, Pattern};
use crate::linear::ordering::Ordering;
use crate::linear::tests::{Noise, grid, residual, springs};
use crate::linear::{Cholesky, Definiteness, LinearError, LinearSolver};
use crate::mat3::{Mat3, mat_mul, mat_mul_t, mat_vec};
use std::sync::Arc;

fn structure(pattern: &Arc<Pattern>) -> Arc<Structure> {
    Structure::new(pattern, &Ordering::best(pattern)).unwrap()
}

fn factor<T: Precision>(a: &BlockMatrix) -> Factor<T> {
    let mut factor = Factor::new(&structure(a.pattern())).unwrap();
    factor.factorise(a).unwrap();
    factor
}

fn half_factor(a: &BlockMatrix) -> Factor<f32, Half> {
    let mut factor = Factor::in_16_bits(&structure(a.pattern())).unwrap();
    factor.factorise(a).unwrap();
    factor
}

/// Rounding errors cancel on the motions in which the matrix is weakest.
#[test]
fn a_factor_in_16_bits_is_best_where_the_matrix_is_weakest() {
    let pattern = grid(14, 12, 10);
    for shift in [1e-2, 1e-4] {
        let a = springs(&pattern, shift, 7);
        let smooth = vec![1.0; a.dim()];
        let mut x = vec![0.0; a.dim()];
        a.multiply(&smooth, &mut x);
        half_factor(&a).solve(&mut x, 1, None);
        let error = x.iter().map(|x| (x - 1.0).powi(2)).sum::<f64>().sqrt() / (a.dim() as f64).sqrt();
        println!("shift {shift:e}: error {error:e}");
        assert!(error < 1e-2, "{error:e}");
    }
}

#[test]
fn columns_and_rotations_go_through_a_factor_in_16_bits_like_through_any_other() {
    for pattern in shapes() {
        let a = springs(&pattern, 0.5, 7);
        let (n, turns) = (a.dim(), rotations(pattern.rows()));
        let b = Noise::new(3).vector(17 * n);
        let (mut half, mut together) = (half_factor(&a), b.clone());
        half.solve(&mut together, 17, Some(&turns));
        for (column, found) in b.chunks(n).zip(together.chunks(n)) {
            let mut alone = column.to_vec();
            half.solve(&mut alone, 1, Some(&turns));
            let size = alone.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            assert!(alone.iter().zip(found).all(|(a, b)| (a - b).abs() < 1e-5 * size));
        }
        // The same numbers in other units: a power of two.
        let mut scaled = a.clone();
        scaled.values.as_flattened_mut().as_flattened_mut().iter_mut().for_each(|x| *x *= 1024.0);
        let (mut one, mut other) = (b[..n].to_vec(), b[..n].to_vec());
        half.solve(&mut one, 1, None);
        half_factor(&scaled).solve(&mut other, 1, None);
        assert!(one.iter().zip(&other).all(|(one, other)| *one == 1024.0 * other));
    }
}

/// Returns one rotation per node.
fn rotations(count: usize) -> Vec<Mat3> {
    let mut noise = Noise::new(8);
    let turn = |axis: usize, angle: f64| -> Mat3 {
        let (sin, cos) = angle.sin_cos();
        let (b, c) = ((axis + 1) % 3, (axis + 2) % 3);
        let mut r = crate::mat3::IDENTITY;
        (r[b][b], r[b][c], r[c][b], r[c][c]) = (cos, -sin, sin, cos);
        r
    };
    let mut angle = || 3.0 * noise.next();
    (0..count).map(|_| mat_mul(&turn(0, angle()), &mat_mul(&turn(1, angle()), &turn(2, angle())))).collect()
}

fn shapes() -> [Arc<Pattern>; 6] {
    let edgeless = Arc::new(Pattern::from_cliques(3, std::iter::empty()));
    [edgeless, grid(2, 2, 2), grid(40, 3, 3), grid(5, 4, 6), grid(9, 9, 9), grid(20, 19, 2)]
}

#[test]
fn systems_are_solved_to_the_precision_of_the_factor() {
    for pattern in shapes() {
        let a = springs(&pattern, 0.5, 7);
        let b = Noise::new(3).vector(a.dim());
        let (mut double, mut single) = (b.clone(), b.clone());
        let mut half = b.clone();
        factor::<f64>(&a).solve(&mut double, 1, None);
        factor::<f32>(&a).solve(&mut single, 1, None);
        half_factor(&a).solve(&mut half, 1, None);
        let left = residual(&a, &half, &b);
        println!("{} nodes: {left:e} left with 16 bits", pattern.rows());
        assert!(left < 0.02 && (left > 1e-5 || pattern.rows() == 3));
        assert!(residual(&a, &double, &b) < 1e-13);
        assert!(residual(&a, &single, &b) < 1e-5);
        assert!(residual(&a, &single, &b) > 1e-9, "not single precision");
    }
}

#[test]
fn a_matrix_in_the_order_of_elimination_is_solved_to_the_same_bits() {
    let pattern = grid(5, 4, 6);
    let ordering = Ordering::best(&pattern);
    let (position, order) = (ordering.position(), &ordering.order);
    let a = springs(&pattern, 0.5, 7);
    let cliques: Vec<[u32; 2]> = (0..pattern.rows())
        .flat_map(|i| pattern.columns(i).iter().map(move |&j| [i, j as usize]))
        .map(|pair| pair.map(|i| position[i]))
        .collect();
    let turned = Arc::new(Pattern::from_cliques(pattern.rows(), cliques.iter().map(|pair| pair.as_slice())));
    let mut natural = BlockMatrix::zeros(turned.clone());
    for i in 0..turned.rows() {
        for (j, slot) in turned.lower(i) {
            natural.values[slot] = a.block(order[i] as usize, order[j] as usize);
        }
    }
    let structure = Structure::undivided(&turned, &ordering.natural()).unwrap();
    let mut whole: Factor<f64> = Factor::new(&structure).unwrap();
    whole.factorise(&natural).unwrap();
    let b = Noise::new(3).vector(a.dim());
    let permuted: Vec<f64> = order.iter().flat_map(|&i| b[3 * i as usize..3 * i as usize + 3].to_vec()).collect();
    let (mut expected, mut found) = (b, permuted);
    let mut permuted: Factor<f64> = Factor::new(&Structure::undivided(&pattern, &ordering).unwrap()).unwrap();
    permuted.factorise(&a).unwrap();
    permuted.solve(&mut expected, 1, None);
    whole.solve(&mut found, 1, None);
    for (k, &i) in order.iter().enumerate() {
        assert_eq!(expected[3 * i as usize..3 * i as usize + 3], found[3 * k..3 * k + 3]);
    }
}

#[test]
fn inverses_of_panels_solve_what_the_factor_solves() {
    // Chains, sheets and blocks: panels of all widths, and of more rows than registers hold.
    for pattern in [grid(1, 1, 1), grid(40, 1, 1), grid(9, 9, 1), grid(7, 7, 7)] {
        let amd = Ordering::amd(&pattern);
        for ordering in [amd.natural(), amd] {
            let structure = Structure::undivided(&pattern, &ordering).unwrap();
            let mut many = Cholesky::with_structure(&structure).unwrap().for_many_solves();
            // Each matrix replaces the one before: well-conditioned, barely definite, indefinite, and back.
            for shift in [5.0, 0.01, 1e-9, -0.3, 1.0] {
                let a = springs(&pattern, shift, 7);
                let signs = many.prepare(&a).unwrap();
                assert_eq!(signs == Definiteness::Positive, shift > 0.0);
                let b = Noise::new(3).vector(a.dim());
                let mut plain = Cholesky::with_structure(&structure).unwrap();
                plain.prepare(&a).unwrap();
                let mut expected = b.clone();
                plain.solve_factored(&mut expected, 1).unwrap();
                // Twice: the first solve leaves no trace.
                for _ in 0..2 {
                    let mut x = b.clone();
                    many.solve_factored(&mut x, 1).unwrap();
                    let [ours, plain] = [&x, &expected].map(|x| residual(&a, x, &b));
                    assert!(ours < 1e-13 + 4.0 * plain, "{shift}: {ours:e} for {plain:e}");
                }
            }
            let mut bad = vec![0.0; structure.layout.dim()];
            bad[1] = f64::NAN;
            assert!(matches!(many.solve_factored(&mut bad, 1), Err(LinearError::NonFinite { row: 0 })));
        }
    }
}

#[test]
fn columns_of_a_factor_in_one_piece_are_shared_among_threads_to_the_same_bits() {
    let pattern = grid(6, 5, 4);
    let structure = Structure::undivided(&pattern, &Ordering::amd(&pattern)).unwrap();
    let a = springs(&pattern, 0.5, 7);
    let columns = 25;
    let b = Noise::new(3).vector(columns * a.dim());
    let solved = |threads: usize| {
        rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
            let mut factor: Factor<f64> = Factor::new(&structure).unwrap();
            factor.factorise(&a).unwrap();
            let mut x = b.clone();
            factor.solve(&mut x, columns, None);
            x
        })
    };
    let one = solved(1);
    for (x, b) in one.chunks_exact(a.dim()).zip(b.chunks_exact(a.dim())) {
        assert!(residual(&a, x, b) < 1e-13);
    }
    [2, 3, 4].into_iter().for_each(|threads| assert!(solved(threads) == one));
}

#[test]
fn a_solve_that_begins_before_all_is_known_ends_as_any_other() {
    let pattern = grid(30, 5, 5);
    let structure = structure(&pattern);
    assert!(structure.tasks.len() > 2);
    let a = springs(&pattern, 0.5, 7);
    let b = Noise::new(3).vector(a.dim());
    for late in [vec![], vec![0, 31, 400], (0..pattern.rows()).collect()] {
        let solved = |threads: usize| {
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
                let mut factor = Cholesky::with_structure(&structure).unwrap();
                factor.prepare(&a).unwrap();
                let waiting = factor.late(late.iter().copied());
                let mut x = b.clone();
                late.iter().for_each(|&row| x[3 * row..3 * row + 3].fill(1e9));
                factor.begin_solve(&x, &waiting);
                x.copy_from_slice(&b);
                factor.end_solve(&mut x, &waiting).unwrap();
                assert_eq!(factor.work().solves, 1);
                x
            })
        };
        let one = solved(1);
        assert!(residual(&a, &one, &b) < 1e-13);
        [2, 4, 8].into_iter().for_each(|threads| assert!(solved(threads) == one));
    }
}

#[test]
fn a_solve_in_company_has_the_same_bits_and_its_company_is_done() {
    for pattern in [grid(30, 5, 5), grid(4, 3, 3)] {
        let structure = structure(&pattern);
        let a = springs(&pattern, 0.5, 7);
        let b = Noise::new(3).vector(a.dim());
        let mut factor = Cholesky::with_structure(&structure).unwrap();
        factor.prepare(&a).unwrap();
        let mut plain = b.clone();
        factor.solve_factored(&mut plain, 1).unwrap();
        for threads in [1, 2, 4] {
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(|| {
                let (mut x, mut is_done) = (b.clone(), false);
                factor.solve_beside(&mut x, || is_done = true).unwrap();
                assert!(is_done && x == plain);
            });
        }
        assert_eq!(factor.work().solves, 4);
    }
}

#[test]
fn a_warped_factor_is_that_of_the_turned_matrix() {
    for pattern in [grid(5, 4, 6), grid(30, 3, 3)] {
        let a = springs(&pattern, 0.5, 7);
        let w = rotations(pattern.rows());
        let mut turned = a.clone();
        for i in 0..pattern.rows() {
            for (j, slot) in pattern.lower(i) {
                turned.values[slot] = mat_mul_t(&mat_mul(&w[i], &a.values[slot]), &w[j]);
            }
        }
        let b = Noise::new(3).vector(2 * a.dim());
        let (mut double, mut single) = (b.clone(), b.clone());
        factor::<f64>(&a).solve(&mut double, 2, Some(&w));
        factor::<f32>(&a).solve(&mut single, 2, Some(&w));
        for column in 0..2 {
            let part = column * a.dim()..(column + 1) * a.dim();
            assert!(residual(&turned, &double[part.clone()], &b[part.clone()]) < 1e-13);
            assert!(residual(&turned, &single[part.clone()], &b[part.clone()]) < 1e-5);
        }
        // Without the warp it fails: the rotations matter.
        let mut plain = b[..a.dim()].to_vec();
        factor::<f64>(&a).solve(&mut plain, 1, None);
        assert!(residual(&turned, &plain, &b[..a.dim()]) > 0.1);
        assert!(w.iter().all(|w| (mat_vec(w, [1.0, 0.0, 0.0]).iter().map(|x| x * x).sum::<f64>() - 1.0).abs() < 1e-14));
    }
}

#[test]
fn a_block_of_columns_agrees_with_its_columns() {
    for pattern in shapes() {
        let a = springs(&pattern, 0.5, 7);
        agrees(&mut factor::<f64>(&a), a.dim(), 1e-12);
        agrees(&mut factor::<f32>(&a), a.dim(), 1e-4);
    }
}

fn agrees<T: Precision>(factor: &mut Factor<T>, n: usize, tolerance: f64) {
    for columns in [1, 2, 3, 7, 9, 17] {
        let b = Noise::new(9).vector(columns * n);
        let mut together = b.clone();
        factor.solve(&mut together, columns, None);
        for (together, b) in together.chunks(n).zip(b.chunks(n)) {
            let mut alone = b.to_vec();
            factor.solve(&mut alone, 1, None);
            let size = alone.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let apart = alone.iter().zip(together).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(apart <= tolerance * size, "{columns} columns: {apart:e} of {size:e}");
        }
    }
}

#[test]
fn what_cannot_be_factorised_is_an_error() {
    for pattern in [grid(3, 3, 3), grid(8, 8, 8), grid(60, 3, 3)] {
        let structure = structure(&pattern);
        let mut single = Factor::<f32>::new(&structure).unwrap();
        let mut double = Factor::<f64>::new(&structure).unwrap();
        let mut a = springs(&pattern, 0.5, 7);
        a.values[pattern.diagonal(5)][1][1] = -1.0;
        assert_eq!(double.factorise(&a), Err(LinearError::Indefinite { negative: None }));
        assert_eq!(single.factorise(&a), Err(LinearError::Indefinite { negative: None }));
        // Too large for f32 only.
        a.values[pattern.diagonal(5)][1][1] = 1e40;
        assert_eq!(single.factorise(&a), Err(LinearError::NonFinite { row: 5 }));
        assert_eq!(double.factorise(&a), Ok(()));
        a.values[pattern.diagonal(5)][1][1] = f64::NAN;
        assert_eq!(double.factorise(&a), Err(LinearError::NonFinite { row: 5 }));
        // Without mass the springs resist no translation.
        let free = springs(&pattern, 0.0, 7);
        let failed = |outcome| matches!(outcome, Err(LinearError::Singular { .. } | LinearError::Indefinite { .. }));
        assert!(failed(double.factorise(&free)) && failed(single.factorise(&free)));
        let other = springs(&grid(3, 3, 4), 1.0, 1);
        assert!(matches!(single.factorise(&other), Err(LinearError::Pattern { .. })));
        // After errors a factor is as good as new.
        let a = springs(&pattern, 0.5, 7);
        double.factorise(&a).unwrap();
        let b = Noise::new(3).vector(a.dim());
        let mut x = b.clone();
        double.solve(&mut x, 1, None);
        assert!(residual(&a, &x, &b) < 1e-13);
    }
}

#[test]
fn bits_do_not_depend_on_threads() {
    for size in [[14, 13, 12], [150, 4, 3], [70, 30, 2]] {
        let a = springs(&grid(size[0], size[1], size[2]), 0.01, 7);
        let structure = structure(a.pattern());
        assert!(structure.tasks.len() > 2, "{size:?} is one task: threads have nothing to do");
        bits_do_not_depend_on_threads_in(|| Factor::<f64>::new(&structure), &a);
        bits_do_not_depend_on_threads_in(|| Factor::<f32>::new(&structure), &a);
        bits_do_not_depend_on_threads_in(|| Factor::in_16_bits(&structure), &a);
    }
}

fn bits_do_not_depend_on_threads_in<T: Precision, S: Stored<T>>(
    make: impl Fn() -> Result<Factor<T, S>, LinearError> + Sync,
    a: &BlockMatrix,
) {
    let run = |count: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap();
        pool.install(|| {
            let mut factor = make().unwrap();
            factor.factorise(a).unwrap();
            let mut x = Noise::new(4).vector(20 * a.dim());
            let w = rotations(a.pattern().rows());
            factor.solve(&mut x[..a.dim()], 1, Some(&w));
            factor.solve(&mut x[a.dim()..], 19, None);
            x.into_iter().map(f64::to_bits).collect::<Vec<u64>>()
        })
    };
    let expected = run(1);
    assert!([2, 3, 4, 8].into_iter().all(|count| run(count) == expected));
}

/// Checks for requests to stop are counted by work, as many on one thread as on two; an interrupted factorisation gives
/// the same bits when repeated.
#[test]
fn a_long_factorisation_can_be_interrupted() {
    use crate::interrupt::{Signal, watch};
    use std::sync::atomic::AtomicBool;
    let never = AtomicBool::new(false);
    let pattern = grid(21, 20, 19);
    let a = springs(&pattern, 0.5, 7);
    let structure = structure(&pattern);
    let mut whole = Factor::<f64>::new(&structure).unwrap();
    let mut counts = [1, 2].map(|threads| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let signal = Signal::new(&never);
        pool.install(|| watch(&signal, || whole.factorise(&a))).unwrap();
        signal.checks()
    });
    println!("{:.1e} flops, checks {counts:?}", structure.flops());
    assert_eq!(counts[0], counts[1]);
    // No more work than this between two.
    assert!(counts[0] as f64 >= structure.flops() / 2e9, "{counts:?} checks in {:e} flops", structure.flops());
    counts[1] /= 2;
    let mut factor = Factor::<f64>::new(&structure).unwrap();
    for k in [1, counts[1], counts[0]] {
        let stopped = watch(&Signal::at_check(&never, k), || factor.factorise(&a));
        assert_eq!(stopped, Err(LinearError::Interrupted), "at check {k} of {}", counts[0]);
        factor.factorise(&a).unwrap();
        assert!(factor.values() == whole.values(), "other bits after check {k}");
    }
}
