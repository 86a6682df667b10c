//! A hierarchy is a good preconditioner of bodies of any size, and never a wrong one.

use super::*;
use crate::linear::stale::tests::SpringBox;
use crate::linear::tests::{Noise, residual, springs};
use crate::linear::{Converged, Stop, Vectors, pcg};

fn hierarchy(body: &SpringBox) -> Hierarchy {
    Hierarchy::new(&body.matrix(), &body.x).unwrap().unwrap()
}

/// Solves for noise to 1e-6.
fn iterations(a: &BlockMatrix, hierarchy: &mut Hierarchy) -> usize {
    let b = Noise::new(3).vector(a.dim());
    let mut x = vec![0.0; a.dim()];
    let mut apply = |r: &mut [f64], _: usize| {
        hierarchy.solve(r, None);
        Ok(())
    };
    let multiply = |x: &[f64], y: &mut [f64], columns: usize| a.multiply_columns(x, y, columns);
    let done = pcg(multiply, &mut apply, &b, &mut x, 1, Stop::at(1e-6, 200), &mut Vectors::default());
    let Converged { iterations, .. } = done.unwrap();
    assert!(residual(a, &x, &b) < 2e-6);
    iterations
}

#[test]
fn iterations_and_memory_do_not_grow_with_the_body() {
    for stiffness in [30.0, 1e3, 1e5] {
        let mut counts = Vec::new();
        for size in [6, 10, 16, 24] {
            let body = SpringBox::new([size; 3], stiffness);
            let mut hierarchy = hierarchy(&body);
            counts.push(iterations(&body.matrix(), &mut hierarchy));
            // The factor of the last level is small for large bodies only.
            if size == 24 {
                let per_block = hierarchy.entries() as f64 / body.pattern.slots() as f64;
                assert!(per_block < 30.0, "{size}: {per_block} numbers per block");
            }
        }
        assert!(counts[3] <= 18 && counts[3] <= counts[1] + 4, "stiffness {stiffness}: {counts:?}");
    }
    assert_eq!(hierarchy(&SpringBox::new([24; 3], 1e3)).coarse.len(), 1);
}

#[test]
fn it_is_symmetric_and_positive_definite() {
    let body = SpringBox::new([13, 11, 9], 1e4);
    let mut hierarchy = hierarchy(&body);
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    for seed in 0..5 {
        let [u, v] = [2 * seed + 1, 2 * seed + 2].map(|seed| Noise::new(seed).vector(body.x.len()));
        let [mut pu, mut pv] = [u.clone(), v.clone()];
        hierarchy.solve(&mut pu, None);
        hierarchy.solve(&mut pv, None);
        let [uu, vv] = [dot(&u, &pu), dot(&v, &pv)];
        assert!(uu > 0.0 && vv > 0.0);
        assert!((dot(&u, &pv) - dot(&v, &pu)).abs() < 1e-5 * (uu * vv).sqrt());
    }
}

#[test]
fn units_and_threads_change_no_bit() {
    let body = SpringBox::new([17, 13, 11], 1e3);
    let run = |threads: usize, [of_matrix, of_rhs, of_length]: [f64; 3]| -> Vec<f64> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        let mut a = body.matrix();
        a.values.as_flattened_mut().as_flattened_mut().iter_mut().for_each(|x| *x *= of_matrix);
        let positions: Vec<f64> = body.x.iter().map(|x| of_length * x).collect();
        pool.install(|| {
            let mut hierarchy = Hierarchy::new(&a, &positions).unwrap().unwrap();
            let mut x = Noise::new(5).vector(a.dim()).iter().map(|x| of_rhs * x).collect::<Vec<_>>();
            hierarchy.solve(&mut x, None);
            x.iter().map(|x| x * of_matrix / of_rhs).collect()
        })
    };
    let expected = run(1, [1.0; 3]);
    assert!([2, 3].into_iter().all(|threads| run(threads, [1.0; 3]) == expected));
    let two = |power: i32| 2.0_f64.powi(power);
    assert!(run(1, [two(80), two(-300), two(-20)]) == expected);
    assert!(run(1, [two(-80), two(300), two(20)]) == expected);
}

#[test]
fn bodies_without_neighbours_ropes_and_sheets_converge() {
    // A rope, a sheet, and a solid.
    for size in [[900, 1, 1], [40, 40, 1], [20, 9, 9]] {
        let body = SpringBox::new(size, 100.0);
        let count = iterations(&body.matrix(), &mut hierarchy(&body));
        assert!(count < 120, "{size:?}: {count} iterations");
    }
    // Loose nodes, and pairs.
    let pairs: Vec<[u32; 2]> = (0..400).map(|k| [3 * k, 3 * k + 1]).collect();
    let pattern = Arc::new(Pattern::from_cliques(1200, pairs.iter().map(|pair| pair.as_slice())));
    let a = springs(&pattern, 0.1, 7);
    let positions = Noise::new(2).vector(a.dim());
    let count = iterations(&a, &mut Hierarchy::new(&a, &positions).unwrap().unwrap());
    assert!(count < 30, "{count} iterations");
    let a = springs(&Arc::new(Pattern::from_cliques(50, [].into_iter())), 0.1, 7);
    assert!(iterations(&a, &mut Hierarchy::new(&a, &[0.0; 150]).unwrap().unwrap()) <= 3);
}

#[test]
fn a_matrix_that_is_not_positive_definite_has_none() {
    let body = SpringBox::new([8, 8, 8], 30.0);
    let mut a = body.matrix();
    (0..3).for_each(|c| a.values[body.pattern.diagonal(77)][c][c] = -1.0);
    assert!(Hierarchy::new(&a, &body.x).unwrap().is_none());
    a.values[3][0][0] = f64::NAN;
    assert!(Hierarchy::new(&a, &body.x).unwrap().is_none());
}
