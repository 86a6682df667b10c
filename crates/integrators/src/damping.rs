//! Artificial damping: what a method takes from one oscillation that has no damping of its own.
//!
//!   d / omega = -2 ln(rho) / z,   z = h omega,   rho the spectral radius of the step on x'' + omega^2 x = 0
//!
//! so that amplitudes shrink like exp(-d t / 2). [`formula`] takes rho from the method's row of `METHODS`; [`measure`] takes
//! it from steps of the method itself.

use crate::method::Method;
use crate::options::Options;
use crate::siere::Modes;
use faer::Mat;
use faer::linalg::solvers::Solve;
use model::energy::spring::Law;
use model::mesh::Mesh;
use model::{Blueprint, Model, SpringPart};

/// What a step makes of one undamped mode, a fact of every method.
#[derive(Debug, Clone, Copy)]
pub struct OneMode {
    /// How many roots the recursion x_(n + roots) = sum_k c_k x_(n + k) of its positions has.
    pub roots: fn(&Options) -> usize,
    /// The spectral radius of the step at h omega.
    pub radius: fn(&Options, f64) -> f64,
}

/// Position and velocity, and no other memory.
pub(crate) const TWO: fn(&Options) -> usize = |_| 2;

/// Turned, and neither longer nor shorter: of methods that conserve, and of those that are exact.
pub(crate) const UNDAMPED: OneMode = OneMode { roots: TWO, radius: |_, _| 1.0 };

/// Of backward Euler, linearised or not, which are the same on a linear problem.
pub(crate) const IMPLICIT_EULER: OneMode = OneMode { roots: TWO, radius: |_, z| 1.0 / z.hypot(1.0) };

/// The largest modulus of an eigenvalue; not a number if they cannot be found.
pub(crate) fn radius(amplification: &[[f64; 3]; 3]) -> f64 {
    spectral_radius(&Mat::from_fn(3, 3, |i, j| amplification[i][j])).unwrap_or(f64::NAN)
}

fn spectral_radius(matrix: &Mat<f64>) -> Option<f64> {
    let roots = matrix.eigenvalues().ok()?;
    Some(roots.iter().map(|root| root.re.hypot(root.im)).fold(0.0, f64::max))
}

fn damping(radius: f64, z: f64) -> f64 {
    // Zero without a sign.
    -2.0 / z * radius.ln() + 0.0
}

/// The damping d / omega by formula at `z` = h omega; below zero where the step is not stable and amplitudes grow.
pub fn formula(method: &Method, options: &Options, z: f64) -> f64 {
    damping((method.one_mode.radius)(options, z), z)
}

/// The damping d / omega of steps of the method itself at `z` = h omega, with all equations solved to rounding; `None` if a
/// step fails. The recursion of its positions is fitted to a run and the largest root taken. (Amplitudes alone would not do:
/// fast modes have roots of nearly equal size.)
pub fn measure(method: &Method, options: &Options, z: f64) -> Option<f64> {
    // Unit step: h = 1, omega = z.
    let model = oscillator(z)?;
    let mut state = model.state_at_rest();
    (state.x[0], state.v[0]) = (1.0, 0.3 * z);
    let options = to_rounding(options);
    let mut stepper = (method.make)(&model, &options).ok()?;
    let roots = (method.one_mode.roots)(&options);
    let mut x = Vec::new();
    // The first state is left out: the first step of BDF2 is not one of BDF2.
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

/// One mass of 1 kg on a spring without rest length: a linear oscillator of frequency `omega` [rad/s].
fn oscillator(omega: f64) -> Option<Model> {
    let mesh = Mesh { points: vec![[0.0; 3]; 2], edges: vec![[0, 1]], ..Mesh::default() };
    let springs = vec![SpringPart { pairs: vec![[0, 1]], law: Law::Linear, stiffness: omega * omega }];
    let node_masses = vec![(0, 1.0), (1, 1.0)];
    Blueprint { mesh, springs, node_masses, fixed: vec![0], ..Blueprint::default() }.build().ok()
}

/// Equations solved so well, and steps so fixed, that only the method's own error is left.
fn to_rounding(options: &Options) -> Options {
    // The oscillator has three modes, one an axis: all of them, or none.
    let modes = if options.modes == Modes::Count(0) { Modes::Count(0) } else { Modes::Count(3) };
    let (tolerance, solver_tolerance, krylov_tolerance) = (1e-13, 1e-10, 1e-11);
    let (iterations, halvings, adaptive) = (50, 0, false);
    Options { tolerance, iterations, halvings, solver_tolerance, krylov_tolerance, adaptive, modes, ..options.clone() }
}
