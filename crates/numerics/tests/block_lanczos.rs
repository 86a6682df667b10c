//! The lowest modes of one matrix, from vectors near them, against chains whose modes are known.

use numerics::block_lanczos::lowest_near;
use numerics::blocks::{BlockMatrix, Pattern};
use numerics::modes::inner_products;
use std::f64::consts::PI;
use std::sync::Arc;

/// A chain of masses, held at both ends or free, the same in x, y and z: every mode is threefold.
fn chain(nodes: usize, is_free: bool, k: f64) -> BlockMatrix {
    let links: Vec<[u32; 2]> = (1..nodes as u32).map(|i| [i - 1, i]).collect();
    let pattern = Arc::new(Pattern::from_cliques(nodes, links.iter().map(|link| &link[..])));
    let mut matrix = BlockMatrix::zeros(pattern.clone());
    for i in 0..nodes {
        let ends = if is_free { f64::from(u8::from(i == 0) + u8::from(i + 1 == nodes)) } else { 0.0 };
        for (j, slot) in pattern.lower(i) {
            (0..3).for_each(|c| matrix.values[slot][c][c] = if i == j { k * (2.0 - ends) } else { -k });
        }
    }
    matrix
}

fn exact(nodes: usize, is_free: bool, mode: usize) -> f64 {
    let (order, parts) = if is_free { (mode / 3, nodes) } else { (mode / 3 + 1, nodes + 1) };
    (2.0 * (0.5 * PI * order as f64 / parts as f64).sin()).powi(2)
}

#[test]
fn modes_of_chains_are_found_threefold() {
    for (nodes, is_free) in [(2, false), (7, true), (60, false), (200, true)] {
        let k = chain(nodes, is_free, 1.0);
        for count in [1, 3, 5.min(3 * nodes), 14.min(3 * nodes)] {
            let (found, _) = lowest_near(&k, count, 1e-8, &[]).unwrap();
            for (j, lam) in found.values.iter().enumerate() {
                let known = exact(nodes, is_free, j);
                assert!((lam - known).abs() < 1e-10 * (known + 0.1), "{nodes} {count}: {j} {lam} {known}");
            }
            let n = k.dim();
            let products = inner_products(&found.vectors, &found.vectors, n, &mut Vec::new());
            for (at, product) in products.iter().enumerate() {
                let unit = f64::from(u8::from(at / count == at % count));
                assert!((product - unit).abs() < 1e-10, "{nodes} {count}: {product}");
            }
        }
    }
}

#[test]
fn vectors_nearby_save_solves_and_wrong_ones_are_left() {
    let (nodes, count) = (300, 12);
    let k = chain(nodes, false, 1.0);
    let (cold, solved) = lowest_near(&k, count, 1e-6, &[]).unwrap();
    // A matrix that differs by a thousandth in some places.
    let mut other = k.clone();
    other.values.iter_mut().step_by(7).for_each(|block| block[0][0] *= 1.0 + 1e-3);
    let (warm, fewer) = lowest_near(&other, count, 1e-6, &cold.vectors).unwrap();
    println!("{solved} columns cold, {fewer} warm");
    assert!(4 * fewer <= 3 * solved, "{solved} columns cold, {fewer} warm");
    let (again, _) = lowest_near(&other, count, 1e-10, &[]).unwrap();
    assert!(warm.values.iter().zip(&again.values).all(|(a, b)| (a - b).abs() < 1e-9 * b));
    // The exact modes 4 to 15 of the matrix itself: an invariant space, and not the lowest.
    let (more, _) = lowest_near(&k, count + 3, 1e-10, &[]).unwrap();
    let (right, _) = lowest_near(&k, count, 1e-8, &more.vectors[3 * k.dim()..]).unwrap();
    assert!(right.values.iter().zip(&cold.values).all(|(a, b)| (a - b).abs() < 1e-9 * b), "{:?}", right.values);
}

#[test]
fn bits_do_not_depend_on_threads() {
    let k = chain(2000, false, 1.0);
    let of = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| lowest_near(&k, 6, 1e-6, &[])).unwrap().0
    };
    let (one, three) = (of(1), of(3));
    assert!(one.vectors == three.vectors && one.values == three.values);
}

#[test]
fn modes_below_zero_are_found() {
    let mut k = chain(40, false, 1.0);
    for i in 0..40 {
        let slot = k.pattern().diagonal(i);
        (0..3).for_each(|c| k.values[slot][c][c] -= 0.05);
    }
    let (found, _) = lowest_near(&k, 9, 1e-8, &[]).unwrap();
    for (j, lam) in found.values.iter().enumerate() {
        let known = exact(40, false, j) - 0.05;
        assert!((lam - known).abs() < 1e-10, "{j}: {lam} {known}");
    }
}
