use super::tall::{block, gram};
use super::*;
use crate::blocks::{BlockMatrix, Pattern};
use crate::linear::{Cholesky, LinearSolver};
use faer::Mat;
use std::sync::Arc;

/// A grid of masses with springs between neighbours, some of them negative as `soft` says.
struct Grid {
    k: BlockMatrix,
    a: BlockMatrix,
    mass: Vec<f64>,
    solver: Cholesky,
    h: f64,
    solves: usize,
    products: std::cell::Cell<usize>,
    by_product: bool,
}

impl Grid {
    /// `pinned` ties the first layer to the ground.
    fn new([nx, ny, nz]: [usize; 3], pinned: bool, soft: f64, h: f64) -> Grid {
        let nodes = nx * ny * nz;
        let cell = |i: usize| [i / (ny * nz), i / nz % ny, i % nz];
        let near = |i: usize, j: usize| (0..3).all(|c| cell(i)[c].abs_diff(cell(j)[c]) <= 1);
        let pairs: Vec<[u32; 2]> =
            (0..nodes).flat_map(|i| (0..i).filter(move |&j| near(i, j)).map(move |j| [i as u32, j as u32])).collect();
        let pattern = Arc::new(Pattern::from_cliques(nodes, pairs.iter().map(|p| p.as_slice())));
        let mut k = BlockMatrix::zeros(pattern.clone());
        for (number, &[i, j]) in pairs.iter().enumerate() {
            let (i, j) = (i as usize, j as usize);
            let d: [f64; 3] = std::array::from_fn(|c| cell(i)[c] as f64 - cell(j)[c] as f64);
            let length: f64 = d.iter().map(|d| d * d).sum();
            for r in 0..3 {
                for c in 0..3 {
                    let across = if r == c { 0.05 } else { 0.0 } - if number % 17 == 3 { soft } else { 0.0 };
                    let value = 1e3 * (d[r] * d[c] / length + across);
                    k.values[pattern.slot(i, j).unwrap()][r][c] -= value;
                    k.values[pattern.diagonal(i)][r][c] += value;
                    k.values[pattern.diagonal(j)][r][c] += value;
                }
            }
        }
        if pinned {
            for i in 0..ny * nz {
                (0..3).for_each(|c| k.values[pattern.diagonal(i)][c][c] += 5e3);
            }
        }
        let mass: Vec<f64> = (0..nodes).map(|i| 0.1 + 0.02 * (i % 5) as f64).collect();
        let mut a = k.clone();
        a.set_scaled(h * h, &k);
        for (i, m) in mass.iter().enumerate() {
            (0..3).for_each(|c| a.values[pattern.diagonal(i)][c][c] += m);
        }
        let mut solver = Cholesky::new(&pattern).unwrap();
        solver.prepare(&a).unwrap();
        Grid { k, a, mass, solver, h, solves: 0, products: std::cell::Cell::new(0), by_product: false }
    }

    /// Returns all eigenvalues, ascending, and the M-orthonormal eigenvectors.
    fn dense(&self) -> (Vec<f64>, Mat<f64>) {
        let n = self.dim();
        let root = |i: usize| self.mass[i / 3].sqrt();
        let entry = |i: usize, j: usize| self.k.block(i / 3, j / 3)[i % 3][j % 3] / root(i) / root(j);
        let evd = Mat::from_fn(n, n, entry).self_adjoint_eigen(faer::Side::Lower).unwrap();
        let u = Mat::from_fn(n, n, |i, j| evd.U()[(i, j)] / root(i));
        (evd.S().column_vector().iter().copied().collect(), u)
    }
}

impl Pencil for Grid {
    fn dim(&self) -> usize {
        self.k.dim()
    }
    fn stiffness_times(&self, x: &[f64], y: &mut [f64], columns: usize) {
        self.products.set(self.products.get() + columns);
        self.k.multiply_columns(x, y, columns);
    }
    fn mass_times(&self, x: &[f64], y: &mut [f64], _: usize) {
        let n = self.dim();
        x.iter().zip(y).enumerate().for_each(|(i, (x, y))| *y = self.mass[i % n / 3] * x);
    }
    fn lumped_mass(&self) -> &[f64] {
        &self.mass
    }
    fn solve(&mut self, x: &mut [f64], columns: usize) -> Result<(), LinearError> {
        self.solves += columns;
        self.solver.solve(&self.a, x, columns)
    }
    fn fastest(&self) -> f64 {
        (0..self.mass.len()).map(|i| self.k.block(i, i)[0][0] / self.mass[i]).fold(0.0, f64::max)
    }
    fn aim(&mut self, _: &[f64]) -> Result<(), LinearError> {
        Ok(())
    }
    fn shift(&self) -> [f64; 2] {
        [1.0, self.h * self.h]
    }
    fn takes_riders(&self) -> bool {
        true
    }
    fn is_exact(&self) -> bool {
        !self.by_product
    }
}

fn translations(grid: &Grid) -> Vec<f64> {
    let total: f64 = grid.mass.iter().sum();
    let n = grid.dim();
    (0..3).flat_map(|c| (0..n).map(move |i| if i % 3 == c { 1.0 / total.sqrt() } else { 0.0 })).collect()
}

fn find(modes: &mut LowestModes, grid: &mut Grid, wanted: usize, known: &[f64]) {
    let mut turn = |_: &mut [f64], _: usize| ();
    let task = Task { wanted, guards: 3, known, turn: &mut turn, guess: &[], rider: &mut [] };
    modes.find(grid, task).unwrap();
}

/// Returns the distance of vector `k` of the pairs from the space of the exact vectors with nearly its eigenvalue.
fn outside(pairs: &Pairs, k: usize, grid: &Grid, values: &[f64], exact: &Mat<f64>) -> f64 {
    let n = grid.dim();
    let x = &pairs.vectors[k * n..(k + 1) * n];
    let close = (0..n).filter(|&j| (values[j] - pairs.values[k]).abs() < 1e-6 * (1.0 + values[j].abs()));
    let inside: f64 = close.map(|j| (0..n).map(|i| exact[(i, j)] * grid.mass[i / 3] * x[i]).sum::<f64>().powi(2)).sum();
    (1.0 - inside).abs()
}

#[test]
fn converged_modes_are_the_dense_ones_also_below_the_shift() {
    let tight = Stop { cold_passes: 400, ..Stop::at(1e-9) };
    // Square bars (double modes), without and with negative eigenvalues, then far below -1 / h^2; a free body.
    for (size, pinned, soft, h, by_product) in [
        ([10, 3, 3], true, 0.0, 0.02, false),
        ([10, 3, 3], true, 0.35, 0.005, true),
        ([8, 3, 3], true, 0.6, 0.1, false),
        ([6, 4, 3], false, 0.0, 0.05, false),
    ] {
        let mut grid = Grid::new(size, pinned, soft, h);
        grid.by_product = by_product;
        let (values, exact) = grid.dense();
        let known = if pinned { Vec::new() } else { translations(&grid) };
        let mut modes = LowestModes::new(grid.dim(), tight);
        find(&mut modes, &mut grid, 9, &known);
        let found = modes.found();
        let from = found.known;
        println!("{size:?} soft {soft}: x = {:?}", &values[..3].iter().map(|l| h * h * l).collect::<Vec<_>>());
        println!("    {} solves, worst {:e}", grid.solves, found.angles[..9].iter().fold(0.0_f64, |m, r| m.max(*r)));
        assert!(soft == 0.0 || values[0] < 0.0);
        assert!(soft < 0.5 || h * h * values[0] < -1.0);
        for k in 0..9 {
            let off = (found.values[k] - values[k]).abs() * h * h / (1.0 + h * h * values[k].abs());
            assert!(off < 1e-12, "value {k}: {} is not {}", found.values[k], values[k]);
            assert!(found.angles[k] <= 3e-9);
            let away = outside(found, k, &grid, &values, &exact);
            assert!(k < from || away < 1e-8, "vector {k} is {away:e} outside");
        }
        // Orthonormal.
        let mut scratch = Vec::new();
        let n = grid.dim();
        let count = found.values.len();
        let mut mx = vec![0.0; n * count];
        grid.mass_times(&found.vectors, &mut mx, count);
        let g = gram(block(&found.vectors, n, count), block(&mx, n, count), &mut scratch);
        for i in 0..9 {
            for j in 0..9 {
                let expected = if i == j { 1.0 } else { 0.0 };
                assert!((g[(i, j)] - expected).abs() < 1e-12, "{i} {j}: {}", g[(i, j)]);
            }
        }
    }
}

#[test]
fn half_the_unknowns_or_more_are_exact_without_a_solve() {
    let mut grid = Grid::new([3, 2, 2], false, 0.0, 0.05);
    let (values, _) = grid.dense();
    let known = translations(&grid);
    for wanted in [20, 36, 50] {
        let mut modes = LowestModes::new(grid.dim(), Stop::at(1e-3));
        find(&mut modes, &mut grid, wanted, &known);
        assert_eq!((modes.found().values.len(), grid.solves), (36, 0));
        for (found, exact) in modes.found().values.iter().zip(&values) {
            assert!((found - exact).abs() < 1e-9 * values[35], "{found} {exact}");
        }
    }
}

#[test]
fn a_warm_start_costs_one_block_solve_and_no_more_products_than_columns() {
    let mut grid = Grid::new([12, 3, 3], true, 0.0, 0.02);
    let mut modes = LowestModes::new(grid.dim(), Stop { warm_passes: 1, ..Stop::at(1e-3) });
    find(&mut modes, &mut grid, 5, &[]);
    modes.keep();
    // Slightly different masses.
    grid.mass.iter_mut().enumerate().for_each(|(i, m)| *m *= 1.0 + 0.05 * (i as f64).sin());
    let before = grid.solves;
    grid.products.set(0);
    grid.by_product = false;
    find(&mut modes, &mut grid, 5, &[]);
    assert_eq!((grid.solves - before, grid.products.get()), (8, 8));
    assert_eq!(modes.passes(), 1);
}

/// Masses that change steadily turn the modes steadily: where they are next is known from where they were.
#[test]
fn steady_changes_are_predicted() {
    let solves = |predicts: bool| {
        let mut grid = Grid::new([12, 3, 3], true, 0.0, 0.02);
        grid.by_product = true;
        let at_first = grid.mass.clone();
        let mut modes = LowestModes::new(grid.dim(), Stop::at(1e-5));
        let mut after_first = 0;
        for step in 0..12 {
            for (i, (m, first)) in grid.mass.iter_mut().zip(&at_first).enumerate() {
                *m = first * (1.0 + 0.004 * step as f64 * (i as f64).sin());
            }
            find(&mut modes, &mut grid, 5, &[]);
            modes.keep();
            if step == 0 {
                after_first = grid.solves;
            }
            let trend = modes.trend();
            // Without the trend the gain of a pass stays known.
            let kept = if predicts { trend } else { vec![trend[0], trend[1], 0.0] };
            assert!(modes.recall_trend(&kept, grid.dim()));
        }
        grid.solves - after_first
    };
    let [with, without] = [true, false].map(solves);
    println!("{with} solves with prediction, {without} without");
    assert!(4 * with < 3 * without, "{with} solves with prediction, {without} without");
}

#[test]
fn impossible_trends_are_refused() {
    let mut modes = LowestModes::new(6, Stop::at(1e-3));
    let sound = [5.0, 2.0, 1.0, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    assert!(modes.recall_trend(&sound, 6) && modes.trend() == sound);
    assert!(!modes.recall_trend(&sound[..9], 6));
    for (at, wrong) in [(0, f64::NAN), (0, 0.5), (1, -1.0), (1, 0.5), (2, 2.0), (2, f64::INFINITY)] {
        let mut bad = sound;
        bad[at] = wrong;
        assert!(!modes.recall_trend(&bad, 6), "{at}: {wrong}");
        assert!(modes.trend().len() == 3, "nothing is remembered");
    }
    assert!(modes.recall_trend(&[], 6));
}

#[test]
fn same_bits_on_any_number_of_threads_and_after_a_recall() {
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let mut grid = Grid::new([200, 3, 3], true, 0.0, 0.02);
            let mut modes = LowestModes::new(grid.dim(), Stop::at(1e-3));
            find(&mut modes, &mut grid, 5, &[]);
            modes.keep();
            let mut again = LowestModes::new(grid.dim(), Stop::at(1e-3));
            again.recall(0, &modes.kept().vectors, grid.dim());
            assert!(again.recall_trend(&modes.trend(), grid.dim()));
            grid.mass.iter_mut().enumerate().for_each(|(i, m)| *m *= 1.0 + 0.05 * (i as f64).sin());
            find(&mut modes, &mut grid, 5, &[]);
            find(&mut again, &mut grid, 5, &[]);
            assert!(modes.found().vectors == again.found().vectors);
            modes.found().vectors.clone()
        })
    };
    let one = on(1);
    assert!([2, 3, 8].into_iter().all(|threads| on(threads) == one));
    // The largest component is positive.
    for x in one.chunks(3 * 1800) {
        let most = x.iter().fold(0.0_f64, |m, &x| if x.abs() > m.abs() { x } else { m });
        assert!(most > 0.0);
    }
}

#[test]
fn products_of_tall_matrices_are_plain_sums() {
    for n in [1, 8, 15, 16, 17, 770] {
        for (p, q) in (1..=6).flat_map(|p| (1..=6).map(move |q| (p, q))) {
            let wave = |count: usize, by: f64| -> Vec<f64> { (0..count).map(|i| (by * i as f64).sin()).collect() };
            let (u, y, c) = (wave(n * p, 0.7), wave(n * q, 0.3), wave(p * q, 1.3));
            let g = inner_products(&u, &y, n, &mut Vec::new());
            let mut sum = y.clone();
            add_combinations(&u, &c, &mut sum, n);
            for j in 0..q {
                for i in 0..p {
                    let plain: f64 = (0..n).map(|r| u[i * n + r] * y[j * n + r]).sum();
                    assert!((g[i + p * j] - plain).abs() < 1e-13 * n as f64, "{n} rows, {p} by {q}: {i}, {j}");
                }
                for r in 0..n {
                    let plain: f64 = y[j * n + r] + (0..p).map(|k| u[k * n + r] * c[k + p * j]).sum::<f64>();
                    assert!((sum[j * n + r] - plain).abs() < 1e-14, "{n} rows, {p} to {q}: {r}, {j}");
                }
            }
        }
    }
}
