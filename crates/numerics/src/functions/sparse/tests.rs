//! Oscillators from arrays: products and solves agree, and what is none is refused.

use super::*;
use crate::functions::{Lanczos, Motion, Propagator, Rational, Sample};

/// A string whose masses differ.
fn string(n: usize) -> SparseOscillator {
    let (mut start, mut columns, mut values) = (vec![0], vec![], vec![]);
    for i in 0..n {
        for j in i.saturating_sub(1)..(i + 2).min(n) {
            columns.push(j);
            values.push(if i == j { 2.0 } else { -1.0 });
        }
        start.push(columns.len());
    }
    let mass = (0..n).map(|i| 1.0 + 0.5 * (i % 3) as f64).collect();
    SparseOscillator::new(start, columns, values, mass).unwrap()
}

#[test]
fn products_and_solves_agree() {
    let (n, motion_of) = (40, |i: usize| (0.3 * i as f64).sin());
    let (v, r): (Vec<f64>, Vec<f64>) = (0..n).map(|i| (motion_of(i), motion_of(2 * i))).unzip();
    let motion = Motion { velocity: &v, loads: &[&r] };
    let mut both: Vec<Vec<f64>> = Vec::new();
    // Lanczos asks for products only, the rational method for solves with a shifted matrix, of one and more columns.
    for propagator in [&mut Lanczos::new() as &mut dyn Propagator, &mut Rational::new()] {
        let (mut y, mut velocity) = (vec![0.0; n], vec![0.0; n]);
        let sample = Sample { time: 5.0, y: &mut y, velocity: &mut velocity };
        let mut system = string(n).damped(0.1, 0.02);
        propagator.propagate(&mut system, &motion, 1e-9, &mut [sample]).unwrap();
        both.push([y, velocity].concat());
    }
    let largest = both[0].iter().fold(0.0, |m: f64, x| m.max(x.abs()));
    for (a, b) in both[0].iter().zip(&both[1]) {
        assert!((a - b).abs() < 1e-7 * largest, "{a} and {b}");
    }
}

#[test]
fn shifted_solves_undo_shifted_products() {
    for columns in 1..=7 {
        let (n, mut system) = (11, string(11).damped(0.3, 0.2));
        assert_eq!(system.solve_shifted(&mut [0.0; 11], 1), Err(LinearError::NotPrepared));
        let x: Vec<f64> = (0..n * columns).map(|i| (i as f64).cos()).collect();
        let mut parts = [(); 3].map(|()| vec![0.0; x.len()]);
        system.mass_times(&x, &mut parts[0], columns);
        system.damping_times(&x, &mut parts[1], columns);
        system.stiffness_times(&x, &mut parts[2], columns);
        let mut b: Vec<f64> = (0..x.len()).map(|i| 2.0 * parts[0][i] + 3.0 * parts[1][i] + 5.0 * parts[2][i]).collect();
        system.prepare_shifted([2.0, 3.0, 5.0]).unwrap();
        system.solve_shifted(&mut b, columns).unwrap();
        assert!(b.iter().zip(&x).all(|(b, x)| (b - x).abs() < 1e-12), "{columns} columns");
    }
}

#[test]
fn what_is_no_oscillator_is_refused() {
    let refused = |start: &[usize], columns: &[usize], values: &[f64], mass: &[f64]| {
        SparseOscillator::new(start.into(), columns.into(), values.into(), mass.into()).err().unwrap()
    };
    let (start, columns, values, mass) = ([0, 2, 4], [0, 1, 0, 1], [2.0, -1.0, -1.0, 2.0], [1.0, 1.0]);
    assert_eq!(refused(&[0, 2], &columns, &values, &mass), NotAnOscillator::Rows { row: 0 });
    assert_eq!(refused(&[0, 9, 4], &columns, &values, &mass), NotAnOscillator::Rows { row: 0 });
    assert_eq!(refused(&start, &[0, 1, 1, 0], &values, &mass), NotAnOscillator::Rows { row: 1 });
    assert_eq!(refused(&start, &[0, 1, 0, 2], &values, &mass), NotAnOscillator::Rows { row: 1 });
    let lopsided = refused(&start, &columns, &[2.0, -1.0, -3.0, 2.0], &mass);
    assert_eq!(lopsided, NotAnOscillator::Entry { row: 0, column: 1 });
    let nan = refused(&start, &columns, &[2.0, -1.0, -1.0, f64::NAN], &mass);
    assert_eq!(nan, NotAnOscillator::Entry { row: 1, column: 1 });
    assert_eq!(refused(&start, &columns, &values, &[1.0, 0.0]), NotAnOscillator::Mass { row: 1 });
}
