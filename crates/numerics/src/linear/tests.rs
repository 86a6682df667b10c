//! Properties of every solver: correct answers, or true errors.

use super::*;
use crate::blocks::Pattern;
use crate::mat3::Mat3;
use std::sync::Arc;

/// Reproducible numbers in -1..1.
pub(super) struct Noise(u64);

impl Noise {
    pub fn new(seed: u64) -> Noise {
        Noise(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    pub fn vector(&mut self, n: usize) -> Vec<f64> {
        (0..n).map(|_| self.next()).collect()
    }
}

/// A box of nx x ny x nz nodes, each cell cut into the six tetrahedra of Kuhn.
pub(super) fn grid(nx: usize, ny: usize, nz: usize) -> Arc<Pattern> {
    let node = |x: usize, y: usize, z: usize| ((x * ny + y) * nz + z) as u32;
    let mut tets: Vec<[u32; 4]> = Vec::new();
    for (x, y, z) in cells(nx, ny, nz) {
        for order in [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]] {
            let mut at = [x, y, z];
            let mut tet = [node(x, y, z); 4];
            for k in 0..3 {
                at[order[k]] += 1;
                tet[k + 1] = node(at[0], at[1], at[2]);
            }
            tets.push(tet);
        }
    }
    Arc::new(Pattern::from_cliques(nx * ny * nz, tets.iter().map(|t| t.as_slice())))
}

fn cells(nx: usize, ny: usize, nz: usize) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..nx - 1).flat_map(move |x| (0..ny - 1).flat_map(move |y| (0..nz - 1).map(move |z| (x, y, z))))
}

/// Springs along the edges of a pattern, plus `mass`: each edge adds k k^T to its nodes, so A >= mass.
pub(super) fn springs(pattern: &Arc<Pattern>, mass: f64, seed: u64) -> BlockMatrix {
    let mut noise = Noise::new(seed);
    let mut a = BlockMatrix::zeros(pattern.clone());
    for i in 0..pattern.rows() {
        for (j, slot) in pattern.lower(i) {
            let k = [noise.next(), noise.next(), noise.next()];
            let block: Mat3 = std::array::from_fn(|r| std::array::from_fn(|c| k[r] * k[c] + f64::from(r == c) * 0.1));
            for r in 0..3 {
                for c in 0..3 {
                    if i == j {
                        a.values[slot][r][c] += mass * f64::from(r == c);
                    } else {
                        a.values[slot][r][c] -= block[r][c];
                        a.values[pattern.diagonal(i)][r][c] += block[r][c];
                        a.values[pattern.diagonal(j)][r][c] += block[r][c];
                    }
                }
            }
        }
    }
    a
}

/// |b - A x| / |b|
pub(super) fn residual(a: &BlockMatrix, x: &[f64], b: &[f64]) -> f64 {
    let mut r = vec![0.0; b.len()];
    a.multiply(x, &mut r);
    let norm = |v: &mut dyn Iterator<Item = f64>| v.map(|x| x * x).sum::<f64>().sqrt();
    norm(&mut r.iter().zip(b).map(|(r, b)| r - b)) / norm(&mut b.iter().copied())
}

/// A pattern of random triangles; its parts may be disconnected.
fn tangle(rows: usize, seed: u64) -> Arc<Pattern> {
    let mut noise = Noise::new(seed);
    let mut node = || ((0.5 * noise.next() + 0.5) * rows as f64) as u32;
    let triangles: Vec<[u32; 3]> = (0..rows).map(|_| [node(), node(), node()]).collect();
    Arc::new(Pattern::from_cliques(rows, triangles.iter().map(|t| t.as_slice())))
}

/// Returns S^T (7-point Laplacian of a box with fixed surroundings, three times - sigma) S with random invertible
/// blocks S, and its number of negative eigenvalues: the eigenvalues of the Laplacian below sigma, for any S
/// (Sylvester).
fn shifted_laplacian(size: [usize; 3], sigma: f64) -> (BlockMatrix, usize) {
    let [nx, ny, nz] = size;
    let pattern = grid(nx, ny, nz);
    let mut noise = Noise::new(5);
    let s: Vec<Mat3> = (0..pattern.rows())
        .map(|_| std::array::from_fn(|r| std::array::from_fn(|c| 0.3 * noise.next() + f64::from(r == c))))
        .collect();
    let at = |i: usize| [i / (ny * nz), i / nz % ny, i % nz];
    let mut a = BlockMatrix::zeros(pattern.clone());
    for i in 0..pattern.rows() {
        for (j, slot) in pattern.lower(i) {
            let distance: usize = (0..3).map(|d| at(i)[d].abs_diff(at(j)[d])).sum();
            let value = [6.0 - sigma, -1.0, 0.0, 0.0][distance];
            a.values[slot] = crate::mat3::mat_scale(value, &crate::mat3::mat_t_mul(&s[i], &s[j]));
        }
    }
    let eigenvalue = |k: usize, n: usize| 2.0 - 2.0 * (std::f64::consts::PI * (k + 1) as f64 / (n + 1) as f64).cos();
    let below =
        (0..pattern.rows()).filter(|&i| (0..3).map(|d| eigenvalue(at(i)[d], size[d])).sum::<f64>() < sigma).count();
    (a, 3 * below)
}

fn solved(solver: &mut dyn LinearSolver, a: &BlockMatrix) -> f64 {
    let b = Noise::new(3).vector(a.dim());
    let mut x = b.clone();
    solver.solve(a, &mut x, 1).unwrap();
    residual(a, &x, &b)
}

const TIGHT: Stop = Stop::at(1e-12, 2000);

#[test]
fn positive_definite_matrices_are_solved_to_rounding() {
    let patterns = [grid(2, 2, 2), grid(5, 4, 6), grid(40, 3, 3), grid(9, 9, 9), tangle(60, 1), tangle(300, 2)];
    for pattern in patterns {
        let a = springs(&pattern, 0.01, 7);
        let mut direct = Cholesky::new(&pattern).unwrap();
        assert_eq!(direct.prepare(&a), Ok(Definiteness::Positive));
        assert!(solved(&mut direct, &a) < 1e-12);
        let mut pcg = Pcg::new(&pattern, TIGHT);
        pcg.prepare(&a).unwrap();
        assert!(solved(&mut pcg, &a) <= 1e-12);
        assert!(pcg.work().iterations > 0 && pcg.work().products >= pcg.work().iterations);
    }
}

#[test]
fn tiny_and_edgeless_patterns_are_solved() {
    for rows in 0..4 {
        for linked in [false, true] {
            let clique: Vec<u32> = (0..rows as u32).collect();
            let cliques = if linked { vec![clique.as_slice()] } else { vec![] };
            let pattern = Arc::new(Pattern::from_cliques(rows, cliques.into_iter()));
            let a = springs(&pattern, 0.5, 1);
            for kind in [SolverKind::Auto, SolverKind::Direct, SolverKind::Pcg] {
                let mut solver = choose(&pattern, kind, TIGHT).unwrap();
                solver.prepare(&a).unwrap();
                let mut x = vec![1.0; a.dim()];
                solver.solve(&a, &mut x, 1).unwrap();
                assert!(rows == 0 || residual(&a, &x, &vec![1.0; a.dim()]) < 1e-12);
            }
        }
    }
}

#[test]
fn negative_eigenvalues_are_counted_exactly_and_solved_with() {
    for size in [[4, 5, 6], [9, 9, 9], [50, 3, 2]] {
        let mut solver = Cholesky::new(&grid(size[0], size[1], size[2])).unwrap();
        // Not at symmetric values, where eigenvalues of the box coincide with the shift.
        for sigma in [-1.0, 0.05, 0.83, 2.217, 3.1418, 5.713, 9.07, 13.0] {
            let (a, negative) = shifted_laplacian(size, sigma);
            let expected = match negative {
                0 => Definiteness::Positive,
                negative => Definiteness::Indefinite { negative },
            };
            assert_eq!(solver.prepare(&a), Ok(expected), "{size:?}, shift {sigma}");
            let left = solved(&mut solver, &a);
            assert!(left < 1e-8, "{size:?}, shift {sigma}: {left:.1e}");
        }
        let mut strict = Cholesky::new(&grid(size[0], size[1], size[2])).unwrap().refuse_indefinite();
        let (a, _) = shifted_laplacian(size, 5.713);
        assert_eq!(strict.prepare(&a), Err(LinearError::Indefinite { negative: None }));
        let mut x = vec![1.0; a.dim()];
        assert_eq!(strict.solve(&a, &mut x, 1), Err(LinearError::NotPrepared));
    }
}

#[test]
fn zero_diagonal_blocks_are_an_answer_or_an_error() {
    // A saddle: within the supernode of a node with a zero block there is no pivot, within its neighbour's there is.
    let pattern = Arc::new(Pattern::from_cliques(2, [[0_u32, 1].as_slice()].into_iter()));
    let mut a = BlockMatrix::zeros(pattern.clone());
    a.values[pattern.slot(1, 0).unwrap()] = [[2.0, 0.0, 0.0], [0.0, 1.0, 0.5], [0.0, 0.0, 3.0]];
    let mut solver = Cholesky::new(&pattern).unwrap();
    match solver.prepare(&a) {
        Ok(found) => {
            assert_eq!(found, Definiteness::Indefinite { negative: 3 });
            assert!(solved(&mut solver, &a) < 1e-8);
        }
        Err(error) => assert!(matches!(error, LinearError::Singular { .. })),
    }
}

#[test]
fn singular_matrices_are_errors() {
    for pattern in [grid(3, 3, 3), grid(8, 8, 8), grid(60, 3, 3)] {
        // Without mass the springs resist no translation.
        let free = springs(&pattern, 0.0, 7);
        let mut direct = Cholesky::new(&pattern).unwrap();
        let error = direct.prepare(&free).unwrap_err();
        assert!(matches!(error, LinearError::Singular { .. }), "{error:?}");
        // A node without any stiffness.
        let mut loose = springs(&pattern, 0.1, 7);
        for &j in pattern.columns(5) {
            loose.values[pattern.slot(5, j as usize).unwrap()] = [[0.0; 3]; 3];
        }
        assert_eq!(direct.prepare(&loose), Err(LinearError::Singular { row: Some(5) }));
        let mut pcg = Pcg::new(&pattern, TIGHT);
        assert!(pcg.prepare(&loose).is_err());
    }
}

#[test]
fn what_is_not_finite_is_named() {
    let pattern = grid(4, 4, 4);
    for bad in [f64::NAN, f64::INFINITY] {
        let mut a = springs(&pattern, 0.1, 1);
        let slot = pattern.lower(37).next().unwrap().1;
        a.values[slot][1][2] = bad;
        for kind in [SolverKind::Direct, SolverKind::Pcg] {
            let mut solver = choose(&pattern, kind, TIGHT).unwrap();
            assert_eq!(solver.prepare(&a), Err(LinearError::NonFinite { row: 37 }));
            solver.prepare(&springs(&pattern, 0.1, 1)).unwrap();
            let mut b = vec![1.0; a.dim()];
            b[3 * 11 + 2] = bad;
            assert_eq!(solver.solve(&a, &mut b, 1), Err(LinearError::NonFinite { row: 11 }));
        }
    }
}

#[test]
fn conjugate_gradients_report_what_they_cannot_do() {
    let (a, _) = shifted_laplacian([6, 6, 6], 2.217);
    let mut solver = Pcg::new(a.pattern(), TIGHT);
    let mut b = Noise::new(2).vector(a.dim());
    let outcome = solver.prepare(&a).and_then(|_| solver.solve(&a, &mut b, 1));
    assert_eq!(outcome, Err(LinearError::Indefinite { negative: None }));

    let a = springs(&grid(9, 9, 9), 0.001, 3);
    let mut solver = Pcg::new(a.pattern(), Stop::at(1e-9, 3));
    solver.prepare(&a).unwrap();
    let mut b = Noise::new(2).vector(a.dim());
    assert!(matches!(solver.solve(&a, &mut b, 1), Err(LinearError::NotConverged { iterations: 3, .. })));
    assert_eq!(solver.work().iterations, 3);
}

#[test]
fn several_columns_agree_with_single_ones() {
    // To rounding for the direct solver, whose kernels differ with the number of columns; to the bit for the iteration.
    let pattern = grid(7, 6, 5);
    let (indefinite, _) = shifted_laplacian([7, 6, 5], 3.1418);
    for (a, kind) in [
        (springs(&pattern, 0.01, 7), SolverKind::Direct),
        (springs(&pattern, 0.01, 7), SolverKind::Pcg),
        (indefinite, SolverKind::Direct),
    ] {
        let mut solver = choose(&pattern, kind, TIGHT).unwrap();
        solver.prepare(&a).unwrap();
        let n = a.dim();
        let b = Noise::new(9).vector(5 * n);
        let mut together = b.clone();
        solver.solve(&a, &mut together, 5).unwrap();
        for (together, b) in together.chunks(n).zip(b.chunks(n)) {
            let mut alone = b.to_vec();
            solver.solve(&a, &mut alone, 1).unwrap();
            let size = alone.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let apart = alone.iter().zip(together).fold(0.0_f64, |m, (a, b)| m.max((a - b).abs()));
            assert!(apart <= if kind == SolverKind::Pcg { 0.0 } else { 1e-11 * size });
        }
    }
}

#[test]
fn bits_do_not_depend_on_threads() {
    let (indefinite, _) = shifted_laplacian([14, 13, 12], 1.3);
    for a in [springs(&grid(14, 13, 12), 0.01, 7), springs(&grid(150, 4, 3), 0.01, 7), indefinite] {
        let run = |count: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().unwrap();
            pool.install(|| {
                let mut solver = Cholesky::new(a.pattern()).unwrap();
                let definiteness = solver.prepare(&a).unwrap();
                let mut x = Noise::new(4).vector(3 * a.dim());
                solver.solve(&a, &mut x, 3).unwrap();
                if definiteness == Definiteness::Positive {
                    let mut pcg = Pcg::new(a.pattern(), Stop::at(1e-8, 500));
                    pcg.prepare(&a).unwrap();
                    let mut y = Noise::new(4).vector(a.dim());
                    pcg.solve(&a, &mut y, 1).unwrap();
                    x.extend(y);
                }
                x.into_iter().map(f64::to_bits).collect::<Vec<u64>>()
            })
        };
        let expected = run(1);
        for count in [2, 3, 4, 8] {
            assert!(run(count) == expected, "{count} threads");
        }
    }
}

#[test]
fn an_old_factor_preconditions_a_newer_matrix() {
    let pattern = grid(8, 8, 8);
    let (old, new) = (springs(&pattern, 0.01, 7), springs(&pattern, 0.011, 7));
    let mut factor = Cholesky::new(&pattern).unwrap();
    factor.prepare(&old).unwrap();
    let b = Noise::new(1).vector(new.dim());
    let mut x = vec![0.0; new.dim()];
    let stop = Stop::at(1e-10, 50);
    let multiply = |x: &[f64], y: &mut [f64], columns: usize| new.multiply_columns(x, y, columns);
    let done = pcg(multiply, &mut factor, &b, &mut x, 1, stop, &mut Vectors::default()).unwrap();
    assert!(done.iterations < 12 && residual(&new, &x, &b) < 2e-10, "{done:?}");
    // A closure is a preconditioner too, and an exact guess needs no iteration.
    let mut closure = |r: &mut [f64], columns: usize| factor.solve_factored(r, columns);
    let again = pcg(multiply, &mut closure, &b, &mut x, 1, stop, &mut Vectors::default()).unwrap();
    assert!(again.iterations <= 1, "{again:?}");
}

#[test]
fn matrices_of_another_pattern_are_refused() {
    let mut solver = Cholesky::new(&grid(3, 3, 3)).unwrap();
    let other = springs(&grid(3, 3, 4), 1.0, 1);
    assert_eq!(solver.prepare(&other), Err(LinearError::Pattern { expected: 27, found: 36 }));
    // An equal pattern at another address is accepted.
    assert!(solver.prepare(&springs(&grid(3, 3, 3), 1.0, 1)).is_ok());
}

#[test]
fn the_rule_takes_the_direct_solver_for_bars_and_iterates_on_large_cubes() {
    let flops_a_block = |pattern: &Pattern| ordering::Ordering::best(pattern).flops / pattern.slots() as f64;
    assert!(flops_a_block(&grid(300, 5, 5)) < 0.1 * FLOPS_A_BLOCK);
    assert!(flops_a_block(&grid(20, 20, 20)) < FLOPS_A_BLOCK);
    assert!(flops_a_block(&grid(32, 32, 32)) > FLOPS_A_BLOCK);
}

#[test]
fn what_conjugate_gradients_cannot_solve_is_factorised() {
    let (a, negative) = shifted_laplacian([6, 5, 4], 1.1);
    assert!(negative > 0);
    let ordering = super::ordering::Ordering::best(a.pattern());
    let mut solver = Fallback::new(a.pattern(), ordering, Stop::at(1e-10, 1000));
    let rhs: Vec<f64> = (0..a.dim()).map(|i| (i as f64).sin()).collect();
    let mut x = rhs.clone();
    solver.prepare(&a).unwrap();
    solver.solve(&a, &mut x, 1).unwrap();
    assert_eq!(solver.definiteness(), Definiteness::Indefinite { negative });
    let mut product = vec![0.0; a.dim()];
    a.multiply(&x, &mut product);
    let error = product.iter().zip(&rhs).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(error < 1e-8, "{error:e}");
    // The next matrix is tried by iteration again.
    let (positive, _) = shifted_laplacian([6, 5, 4], -1.0);
    let factorised = solver.work();
    solver.prepare(&positive).unwrap();
    solver.solve(&positive, &mut x, 1).unwrap();
    assert!(solver.work().iterations > factorised.iterations && solver.definiteness() == Definiteness::Unknown);
}
