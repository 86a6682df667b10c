//! Artificial damping of each method on one mode, against closed forms: d/omega = -2 ln(rho) / z
//! with z = h omega and rho the spectral radius of the step.

mod problems;

use problems::*;

/// z; backward Euler; BDF2; generalized-alpha at rho_infinity 0, .3, .5, .7, .9.
#[rustfmt::skip]
const TABLE: [(f64, [f64; 7]); 11] = [
    (0.01,   [0.010000, 0.0000005, 0.000001, 0.0000002, 0.0, 0.0, 0.0]),
    (0.1,    [0.099503, 0.000488, 0.000962, 0.000154, 0.000037, 0.000005, 0.0]),
    (0.2,    [0.196104, 0.003638, 0.006908, 0.001185, 0.000289, 0.000043, 0.000001]),
    (0.5,    [0.446287, 0.038580, 0.063530, 0.014587, 0.003956, 0.000628, 0.000017]),
    (1.0,    [std::f64::consts::LN_2, 0.138012, 0.196189, 0.064266, 0.021489, 0.003961, 0.000115]),
    (2.0,    [0.804719, 0.271501, 0.346574, 0.151612, 0.064931, 0.015797, 0.000562]),
    (3.0,    [0.767528, 0.312728, 0.384353, 0.185306, 0.088158, 0.025534, 0.001123]),
    (5.0,    [0.651619, 0.307279, 0.367528, 0.186381, 0.096102, 0.033298, 0.002089]),
    (10.0,   [0.461512, 0.240295, 0.283321, 0.140787, 0.076390, 0.031044, 0.003274]),
    (100.0,  [0.092104, 0.050993, 0.060802, 0.021898, 0.012429, 0.006102, 0.001485]),
    (1000.0, [0.013816, 0.007538, 0.009197, 0.002362, 0.001355, 0.000690, 0.000196]),
];

/// How many roots the recursion x_(n + roots) = sum_k c_k x_(n + k) of a method has.
fn roots_of(name: &str, rho_infinity: f64) -> usize {
    match name {
        // Without damping the acceleration stays that of the force, and is no unknown of its own.
        "generalized-alpha" if rho_infinity == 1.0 => 2,
        "generalized-alpha" => 3, // position, velocity, algorithmic acceleration
        "bdf2" => 4,              // position and velocity, now and one step back
        _ => 2,
    }
}

/// The damping d/omega that a method gives one mode: its recursion is fitted to a run, and the
/// largest root taken. (Amplitudes alone would not do: fast modes have roots of nearly equal size.)
fn measured(name: &str, rho_infinity: f64, z: f64) -> f64 {
    // Unit step: h = 1, omega = z.
    let model = oscillator(z).build().unwrap();
    let mut state = model.state_at_rest();
    (state.x[0], state.v[0]) = (1.0, 0.3 * z);
    let options = integrators::Options { rho_infinity, ..tight() };
    let mut stepper = make(method(name), &model, &options);
    // The first step of BDF2 is not one of BDF2.
    stepper.step(&model, &mut state, 1.0).unwrap();
    let mut x = vec![state.x[0]];
    let roots = roots_of(name, rho_infinity);
    for _ in 1..2 * roots {
        stepper.step(&model, &mut state, 1.0).unwrap();
        x.push(state.x[0]);
    }
    -2.0 / z * spectral_radius(&x, roots).ln()
}

/// The largest modulus of a root of the recursion of order `n` behind a sequence.
fn spectral_radius(x: &[f64], n: usize) -> f64 {
    use faer::linalg::solvers::Solve;
    let hankel = faer::Mat::from_fn(n, n, |i, j| x[i + j]);
    let next = faer::Mat::from_fn(n, n, |i, j| x[i + j + 1]);
    // The pencil (next, hankel) has the roots of the recursion as eigenvalues.
    let step = hankel.full_piv_lu().solve(&next);
    step.eigenvalues().unwrap().iter().map(|root| root.re.hypot(root.im)).fold(0.0, f64::max)
}

#[test]
fn damping_follows_the_formulas() {
    let rho = [0.0, 0.3, 0.5, 0.7, 0.9];
    for (z, expected) in TABLE {
        let mut found = vec![measured("backward-euler", 0.0, z), measured("bdf2", 0.0, z)];
        found.extend(rho.map(|rho| measured("generalized-alpha", rho, z)));
        for (k, (found, expected)) in found.iter().zip(expected).enumerate() {
            assert!((found - expected).abs() < 1e-6, "z = {z}, column {k}: {found:.7} is not {expected}");
        }
        // The column of rho_infinity = 1 is zero.
        assert!(measured("generalized-alpha", 1.0, z).abs() < 1e-6);
        assert!((measured("linearly-implicit-euler", 0.0, z) - (1.0 + z * z).ln() / z).abs() < 1e-6);
    }
}

#[test]
fn conserving_methods_do_not_damp() {
    for z in [0.1, 1.0, 10.0, 100.0] {
        for name in ["implicit-midpoint", "newmark"] {
            assert!(measured(name, 0.0, z).abs() < 1e-9, "{name} at {z}");
        }
    }
}
