mod table;

use super::*;
use table::{STUMPFF, TABLE};

fn array(r: Response) -> [f64; 6] {
    [r.impulse_rate, r.impulse, r.loaded[0], r.loaded[1], r.loaded[2], r.loaded[3]]
}

/// Returns the effect of rounded arguments on the k-th function: no formula can be more accurate.
fn inevitable(t: f64, lam: f64, d: f64, k: usize) -> f64 {
    let at = |t, lam, d| array(response(t, lam, d))[k];
    let (up, down, here) = (1.0 + 2.0 * f64::EPSILON, 1.0 - 2.0 * f64::EPSILON, at(t, lam, d));
    let moved =
        [at(t * up, lam, d), at(t, lam * up, d), at(t, lam, d * up), at(t, lam * down, d), at(t, lam, d * down)];
    moved.iter().map(|m| (m - here).abs()).sum()
}

#[test]
fn responses_agree_with_high_precision() {
    let mut errors = Vec::new();
    for ([t, lam, d], expected) in TABLE {
        let found = array(response(t, lam, d));
        for k in 0..6 {
            let error = (found[k] - expected[k]).abs();
            let allowed = 1e-13 * expected[k].abs() + inevitable(t, lam, d, k);
            assert!(error <= allowed, "k {k} at t {t}, lam {lam}, d {d}: {} for {}", found[k], expected[k]);
            errors.push(if error > 0.0 { error / expected[k].abs() } else { 0.0 });
        }
    }
    errors.sort_by(f64::total_cmp);
    println!("median {:e}, worst {:e}", errors[errors.len() / 2], errors[errors.len() - 1]);
    assert!(errors[errors.len() / 2] < 1e-15);
    assert!(errors[errors.len() - 1] < 1e-10);
}

#[test]
fn stumpff_functions_agree_with_high_precision() {
    for (x, expected) in STUMPFF {
        let found = stumpff(x);
        for k in 0..6 {
            let error = (found[k] - expected[k]).abs();
            let allowed =
                4e-15 * expected[k].abs() + 2.0 * (stumpff(x * (1.0 + 2.0 * f64::EPSILON))[k] - found[k]).abs();
            assert!(error <= allowed, "c_{k}({x}): {} for {}", found[k], expected[k]);
        }
    }
    assert!(stumpff(-1e9).iter().all(|&c| c == f64::INFINITY));
    assert!(stumpff(1e300).iter().all(|c| c.is_finite()));
}

/// S' + d S + lam R_0 = 1 and so on: (1) of the module, on a grid that crosses every border between formulas.
#[test]
fn the_equation_of_motion_holds() {
    for a in [-0.5, -1e-9, 0.0, 1e-9, 0.1, 1.0, 1.99, 2.01, 5.0, 50.0, 700.0] {
        for x in [-400.0, -4.1, -3.9, -1e-3, 0.0, 1e-3, 1.0, 3.9, 4.1, 25.0, 2500.0, 4.9e5] {
            let g = scaled(a, x);
            for k in 0..4 {
                let terms = [g[k], 2.0 * a * g[k + 1], x * g[k + 2]];
                let size = terms.iter().fold(1.0_f64, |m, t| m.max(t.abs()));
                let defect = terms.iter().sum::<f64>() - INVERSE_FACTORIAL[k];
                assert!(defect.abs() < 1e-13 * size, "a {a}, x {x}, k {k}: {defect:e}");
            }
        }
    }
}

/// Neighbouring formulas agree: no jump across a border.
#[test]
fn formulas_join_smoothly() {
    let near = |p: [f64; 6], q: [f64; 6]| {
        for k in 2..6 {
            assert!((p[k] - q[k]).abs() < 2e-14 * p[k].abs(), "{k}: {p:?} {q:?}");
        }
    };
    let step = 1.0 + 1e-15;
    for x in [-4.0, -1.0, 0.0, 1.0, 4.0] {
        near(scaled(SERIES, x), scaled(SERIES * step, x));
        near(scaled(1e-18, x), scaled(0.0, x));
    }
    for a in [0.3, 1.0, 2.0] {
        near(scaled(a, 4.0), scaled(a, 4.0 * step));
        near(scaled(a, -4.0), scaled(a, -4.0 * step));
    }
    for a in [3.0_f64, 30.0, 300.0] {
        // half = a / 3: from divided differences to the recurrence.
        let x = a * a * (8.0 / 9.0);
        near(scaled(a, x * (1.0 - 1e-15)), scaled(a, x * (1.0 + 1e-15)));
        near(scaled(a, a * a * (1.0 - 1e-15)), scaled(a, a * a * (1.0 + 1e-15)));
    }
}
