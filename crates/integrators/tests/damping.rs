//! Artificial damping of each method on one mode, against closed forms: d/omega = -2 ln(rho) / z
//! with z = h omega and rho the spectral radius of the step.

mod problems;

use integrators::damping::{formula, measure};
use integrators::{EnergyBehaviour, METHODS, Modes, Options, parameters};
use problems::{forms, method};

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

fn with(rho_infinity: f64) -> Options {
    Options::default().with(&parameters::RHO_INFINITY, rho_infinity)
}

/// Returns the damping d/omega of one mode, measured from steps and by formula.
fn found(name: &str, options: &Options, z: f64) -> [f64; 2] {
    let method = method(name);
    [measure(method, options, z).unwrap_or(f64::NAN), formula(method, options, z)]
}

#[test]
fn damping_follows_the_formulas() {
    let rho = [0.0, 0.3, 0.5, 0.7, 0.9];
    for (z, expected) in TABLE {
        let mut columns = vec![found("backward-euler", &with(0.0), z), found("bdf2", &with(0.0), z)];
        columns.extend(rho.map(|rho| found("generalized-alpha", &with(rho), z)));
        for (k, (found, expected)) in columns.iter().zip(expected).enumerate() {
            for found in found {
                assert!((found - expected).abs() < 1e-6, "z = {z}, column {k}: {found:.7} is not {expected}");
            }
        }
        // The column of rho_infinity = 1 is zero.
        assert!(found("generalized-alpha", &with(1.0), z).iter().all(|found| found.abs() < 1e-6));
        let expected = (1.0 + z * z).ln() / z;
        assert!(found("linearly-implicit-euler", &with(0.0), z).iter().all(|found| (found - expected).abs() < 1e-6));
    }
}

#[test]
fn conserving_methods_do_not_damp() {
    for z in [0.1, 1.0, 10.0, 100.0] {
        for name in ["implicit-midpoint", "newmark"] {
            let [measured, formula] = found(name, &with(0.0), z);
            assert!(measured.abs() < 1e-9 && formula.abs() < 1e-9, "{name} at {z}");
        }
    }
}

#[test]
fn what_every_method_does_is_its_formula() {
    for z in [0.03, 0.3, 1.0, 1.9, 2.5, 7.0, 40.0] {
        for method in METHODS {
            let more = [
                Options::default(),
                with(0.8)
                    .with(&parameters::MODES, Modes::Count(0))
                    .with(&parameters::GAMMA, 0.7)
                    .with(&parameters::BETA, 0.4),
            ];
            for options in more.iter().flat_map(|options| forms(method, options)) {
                let [measured, formula] = found(method.name, &options, z);
                assert!((measured - formula).abs() < 1e-8, "{} at {z}: {measured}, not {formula}", method.name);
                let stays = method.exact_on_linear || method.energy == EnergyBehaviour::Conserves;
                assert!(
                    !stays || options.get(&parameters::GAMMA) > 0.5 || formula.abs() < 1e-12,
                    "{} is said to keep",
                    method.name
                );
            }
        }
    }
}

#[test]
fn explicit_methods_grow_beyond_their_limits() {
    for (name, limit) in [("symplectic-euler", 2.0), ("rk4", 8f64.sqrt())] {
        let [below, above] = [0.999, 1.001].map(|share| formula(method(name), &with(0.0), share * limit));
        assert!(below >= 0.0 && above < 0.0, "{name}: {below}, {above}");
    }
}
