//! Artificial damping of a method: the amplitude lost by one undamped mode.
//!
//!   d / omega = -2 ln(rho) / z,   z = h omega,   rho the spectral radius of the step on x'' + omega^2 x = 0
//!
//! so that amplitudes shrink like exp(-d t / 2). [`formula`] takes rho from the method's row of `METHODS`; [`measure`]
//! finds it from steps of the method.

use crate::controller::ADAPTIVE;
use crate::halving::HALVINGS;
use crate::linear_system::SOLVER_TOLERANCE;
use crate::matrix_functions::KRYLOV_TOLERANCE;
use crate::method::Method;
use crate::one_mode::spectral_radius;
use crate::options::Options;
use crate::siere::{MODES, Modes};
use crate::stage::{ITERATIONS, TOLERANCE};
use faer::Mat;
use faer::linalg::solvers::Solve;
use model::energy::spring::Law;
use model::mesh::Mesh;
use model::{Blueprint, Model, SpringPart};

fn damping(radius: f64, z: f64) -> f64 {
    // Avoids negative zero.
    -2.0 / z * radius.ln() + 0.0
}

/// Returns the damping d / omega by formula at `z` = h omega; negative where the step is unstable and amplitudes grow.
pub fn formula(method: &Method, options: &Options, z: f64) -> f64 {
    damping((method.one_mode.radius)(options, z), z)
}

/// Measures the damping d / omega of steps of the method at `z` = h omega, with all equations solved to rounding;
/// `None` if a step fails. It fits the recursion of positions to a run and takes its largest root. (Amplitudes alone
/// are not enough: fast modes have roots of nearly equal modulus.)
pub fn measure(method: &Method, options: &Options, z: f64) -> Option<f64> {
    // Unit step: h = 1, omega = z.
    let model = oscillator(z)?;
    let mut state = model.state_at_rest();
    (state.x[0], state.v[0]) = (1.0, 0.3 * z);
    let options = to_rounding(options);
    let mut stepper = (method.make)(&model, &options).ok()?;
    let roots = (method.one_mode.roots)(&options);
    let mut x = Vec::new();
    // The first state is left out: the first step of BDF2 is another method.
    for _ in 0..2 * roots {
        stepper.step(&model, &mut state, 1.0).ok()?;
        x.push(state.x[0]);
    }
    let hankel = Mat::from_fn(roots, roots, |i, j| x[i + j]);
    let next = Mat::from_fn(roots, roots, |i, j| x[i + j + 1]);
    // The pencil (next, hankel) has the roots of the recursion as eigenvalues.
    let found = damping(spectral_radius(&hankel.full_piv_lu().solve(&next))?, z);
    found.is_finite().then_some(found)
}

/// Returns the positions [m] of q'' + omega^2 q = 0 before and after each of some steps of `h` [s] from q = 0 with this
/// velocity [m/s], all equations solved to rounding; `None` if a step fails.
pub fn oscillate(method: &Method, omega: f64, h: f64, steps: usize, velocity: f64) -> Option<Vec<f64>> {
    let model = oscillator(omega)?;
    let mut state = model.state_at_rest();
    state.v[0] = velocity;
    let mut stepper = (method.make)(&model, &to_rounding(&Options::default())).ok()?;
    let mut positions = vec![state.x[0]];
    for _ in 0..steps {
        stepper.step(&model, &mut state, h).ok()?;
        positions.push(state.x[0]);
    }
    Some(positions)
}

/// One mass of 1 kg on a spring without rest length: a linear oscillator of frequency `omega` [rad/s].
fn oscillator(omega: f64) -> Option<Model> {
    let mesh = Mesh { points: vec![[0.0; 3]; 2], edges: vec![[0, 1]], ..Mesh::default() };
    let springs = vec![SpringPart { pairs: vec![[0, 1]], law: Law::Linear, stiffness: omega * omega }];
    let node_masses = vec![(0, 1.0), (1, 1.0)];
    Blueprint { mesh, springs, node_masses, fixed: vec![0], ..Blueprint::default() }.build().ok()
}

/// Tightens tolerances and fixes the step, so that only the method's own error is left.
fn to_rounding(options: &Options) -> Options {
    // The oscillator has three modes, one per axis: all of them, or none.
    let modes = if options.get(&MODES) == Modes::Count(0) { Modes::Count(0) } else { Modes::Count(3) };
    options
        .clone()
        .with(&TOLERANCE, 1e-13)
        .with(&ITERATIONS, 50)
        .with(&HALVINGS, 0)
        .with(&SOLVER_TOLERANCE, 1e-10)
        .with(&KRYLOV_TOLERANCE, 1e-11)
        .with(&ADAPTIVE, false)
        .with(&MODES, modes)
}
