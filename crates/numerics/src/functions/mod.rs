//! Actions of matrix functions, as motions of a linear oscillator.
//!
//! Every product phi_k(h J) b that an exponential integrator of M x'' = f needs is part of the solution of
//!
//!   M y'' + D y' + K y = r_0 + t r_1 + t^2/2! r_2 + t^3/3! r_3,     y(0) = 0,  y'(0) = v                      (1)
//!
//! so that is what we solve: a [`Propagator`] takes an [`Oscillator`] and a [`Motion`] and computes y and y' at some
//! times. With J = [[0, I], [-M^-1 K, -M^-1 D]] and u = (y, y'), (1) says u(t) = exp(t J) (0, v) + sum_k t^k phi_k(t J)
//! b_k, b_k = (0, M^-1 r_(k-1)). Callers need not know phi functions, Stumpff functions or augmented matrices.
//!
//! **The operator contract** is [`Oscillator`]: products with K, M and D, divisions by M, solves with one shifted
//! matrix. K is symmetric and of any sign; M symmetric positive definite; D symmetric. Vectors are blocks of columns,
//! column-major, `dim()` numbers per column. An oscillator does not change while a propagator uses it. Propagators that only
//! multiply ([`Kiops`], [`Expokit`], [`Taylor`], [`Leja`]) also take a K and a general D with small parts that are not symmetric,
//! such as the inertial forces of a turning frame.
//!
//! **Errors** are measured in the M norm |x|^2 = x . M x, at every sample: with V = max(|v|, |y'|, |y|/t), a propagator
//! promises
//!
//!   |error of y'| <= tolerance V     and     |error of y| <= tolerance t V
//!
//! (the mean velocity |y|/t belongs to V, because a load on a damped body at rest leaves no other) and returns its
//! estimate of the larger of the two ratios. Where rounding alone makes a larger error than the tolerance allows, the
//! promise is [`rounding_floor`] instead: no basis and no piece can do better. An answer whose estimate meets neither
//! is returned as an error.
//!
//! **Work** is limited: a propagator calls [`Oscillator::go_on`] before every product with K and every solve, and ends
//! with the error it returns.

mod arnoldi;
pub mod dense;
mod expokit;
mod first_order;
mod kiops;
mod lanczos;
mod leja;
mod march;
mod rational;
mod relaxation;
pub mod scalar;
mod sparse;
mod start;
mod taylor;
mod tridiagonal;

pub use lanczos::Lanczos;
pub use rational::Rational;
pub use relaxation::{Relaxation, Relaxing};
pub use sparse::{NotAnOscillator, SparseOscillator};

pub use expokit::Expokit;
pub use kiops::Kiops;
pub use leja::Leja;
pub use taylor::Taylor;

use crate::linear::{LinearError, Work};
use std::fmt;

/// Relation of D to the other two matrices.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Damping {
    /// D = alpha M + beta K with the oscillator's own K: all three have the same modes. Zeros for no damping.
    Rayleigh {
        /// alpha [1/s].
        mass: f64,
        /// beta [s].
        stiffness: f64,
    },
    /// Any symmetric D.
    General,
}

/// M y'' + D y' + K y = ..., the linear part of a mechanical system.
///
/// ```
/// use numerics::functions::{Damping, Lanczos, Motion, Oscillator, Propagator, Sample};
/// use numerics::linear::LinearError;
///
/// /// Masses of 1 kg, each on its own spring [N/m]; without damping.
/// struct Springs {
///     k: Vec<f64>,
///     factors: [f64; 3],
/// }
///
/// impl Oscillator for Springs {
///     fn dim(&self) -> usize {
///         self.k.len()
///     }
///     fn stiffness_times(&self, x: &[f64], y: &mut [f64], _columns: usize) {
///         (0..x.len()).for_each(|i| y[i] = self.k[i % self.k.len()] * x[i]);
///     }
///     fn mass_times(&self, x: &[f64], y: &mut [f64], _columns: usize) {
///         y.copy_from_slice(x);
///     }
///     fn divide_by_mass(&mut self, _x: &mut [f64], _columns: usize) -> Result<(), LinearError> {
///         Ok(())
///     }
///     fn damping(&self) -> Damping {
///         Damping::Rayleigh { mass: 0.0, stiffness: 0.0 }
///     }
///     fn damping_times(&self, _x: &[f64], y: &mut [f64], _columns: usize) {
///         y.fill(0.0);
///     }
///     fn prepare_shifted(&mut self, factors: [f64; 3]) -> Result<(), LinearError> {
///         self.factors = factors;
///         Ok(())
///     }
///     fn solve_shifted(&mut self, x: &mut [f64], _columns: usize) -> Result<(), LinearError> {
///         let [m, _, k] = self.factors;
///         (0..x.len()).for_each(|i| x[i] /= m + k * self.k[i % self.k.len()]);
///         Ok(())
///     }
/// }
///
/// // The motion of each is y(t) = v sin(w t) / w with w^2 = k / m.
/// let mut springs = Springs { k: vec![1.0, 4.0], factors: [0.0; 3] };
/// let (mut y, mut velocity) = ([0.0; 2], [0.0; 2]);
/// let sample = Sample { time: 3.0, y: &mut y, velocity: &mut velocity };
/// let motion = Motion { velocity: &[1.0, 1.0], loads: &[] };
/// Lanczos::new().propagate(&mut springs, &motion, 1e-10, &mut [sample])?;
/// assert!((y[0] - 3_f64.sin()).abs() < 1e-8 && (y[1] - 6_f64.sin() / 2.0).abs() < 1e-8);
/// # Ok::<(), numerics::functions::FunctionError>(())
/// ```
pub trait Oscillator {
    /// Number of unknowns.
    fn dim(&self) -> usize;

    /// y = K x.
    fn stiffness_times(&self, x: &[f64], y: &mut [f64], columns: usize);

    /// y = M x.
    fn mass_times(&self, x: &[f64], y: &mut [f64], columns: usize);

    /// x = M^-1 x.
    fn divide_by_mass(&mut self, x: &mut [f64], columns: usize) -> Result<(), LinearError>;

    /// Returns the kind of D.
    fn damping(&self) -> Damping;

    /// y = D x.
    fn damping_times(&self, x: &[f64], y: &mut [f64], columns: usize);

    /// Prepares m M + d D + k K for [`Oscillator::solve_shifted`].
    fn prepare_shifted(&mut self, factors: [f64; 3]) -> Result<(), LinearError>;

    /// x = (m M + d D + k K)^-1 x with the coefficients prepared last.
    fn solve_shifted(&mut self, x: &mut [f64], columns: usize) -> Result<(), LinearError>;

    /// Called before each product with K and each solve, of one or several columns; `work` is that of the motion so
    /// far. An error ends the motion.
    fn go_on(&self, work: &Work) -> Result<(), FunctionError> {
        let _ = work;
        Ok(())
    }
}

/// Returns a bound of the error of a motion by rounding alone, in the measure of the module; `phase` is t omega_max.
/// Rounding of K rotates the fastest mode by `phase` units in the last place.
pub fn rounding_floor(phase: f64) -> f64 {
    256.0 * f64::EPSILON * (4.0 + phase)
}

/// Input of the oscillator: (1) of the module.
#[derive(Debug, Clone, Copy)]
pub struct Motion<'a> {
    /// y'(0) = v.
    pub velocity: &'a [f64],
    /// r_0, r_1, ...: at most four.
    pub loads: &'a [&'a [f64]],
}

/// A time at which the solution is wanted.
#[derive(Debug)]
pub struct Sample<'a> {
    /// Time; above 0.
    pub time: f64,
    /// Receives y(t).
    pub y: &'a mut [f64],
    /// Receives y'(t).
    pub velocity: &'a mut [f64],
}

/// Report of a propagator.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Report {
    /// Products with K (counted per column), solves with the shifted matrix, factorisations.
    pub work: Work,
    /// Vectors in the largest basis, or the largest degree.
    pub dimension: usize,
    /// Pieces the time was cut into.
    pub substeps: usize,
    /// Estimated error, in the measure of the module.
    pub error: f64,
}

/// Reason why there is no answer.
#[derive(Debug, Clone, PartialEq)]
pub enum FunctionError {
    /// A division by the mass or the shifted matrix failed.
    Linear(LinearError),
    /// The basis, or the number of pieces, is at its limit and the error is still too large.
    NotConverged {
        /// Work so far.
        work: Work,
        /// The estimated error; infinite where there is no estimate.
        error: f64,
    },
    /// The motion needs more products than allowed.
    TooMuchWork {
        /// Limit of products.
        most: u64,
    },
    /// A number overflowed: exp(t J) is too large for this t.
    Overflow,
    /// The method needs damping with the modes of the stiffness.
    DampingNotRayleigh,
}

impl From<LinearError> for FunctionError {
    fn from(error: LinearError) -> FunctionError {
        FunctionError::Linear(error)
    }
}

impl fmt::Display for FunctionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FunctionError::Linear(error) => error.fmt(f),
            FunctionError::NotConverged { work, error } => {
                let Work { products, solves, .. } = work;
                match error.is_finite() {
                    true => write!(f, "the matrix functions of a step are off by {error:.1e} after ")?,
                    false => write!(f, "the matrix functions of a step do not converge within ")?,
                }
                match (products, solves) {
                    (products, 0) => write!(f, "{products} products")?,
                    (0, solves) => write!(f, "{solves} solves")?,
                    (products, solves) => write!(f, "{products} products and {solves} solves")?,
                }
                write!(f, ": use a smaller step, a larger krylov_tolerance or another krylov")
            }
            FunctionError::TooMuchWork { most } => write!(
                f,
                "the matrix functions of a step take more than {most} products with the stiffness matrix, for the fastest \
                 motions are far faster than the step: use a smaller step, an implicit method such as backward-euler, or \
                 allow more products"
            ),
            FunctionError::Overflow => {
                write!(
                    f,
                    "the linearised motion overflows within a step: use a smaller step or the projected stiffness"
                )
            }
            FunctionError::DampingNotRayleigh => write!(
                f,
                "symmetric Lanczos needs damping proportional to mass and stiffness: use Rayleigh damping, or a Krylov \
                 method for any damping"
            ),
        }
    }
}

impl std::error::Error for FunctionError {}

/// A way to solve (1), with the memory it works in: the second call allocates nothing that grows with the system.
///
/// ```
/// use numerics::functions::{Kiops, Lanczos, Motion, Propagator, Sample, SparseOscillator, Taylor};
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// // Masses of 1 kg on springs of 1 and 4 N/m: y(t) = v sin(w t) / w with w^2 = k / m.
/// let mut springs = SparseOscillator::new(vec![0, 1, 2], vec![0, 1], vec![1.0, 4.0], vec![1.0, 1.0])?;
/// let motion = Motion { velocity: &[1.0, 1.0], loads: &[] };
///
/// // All of them answer the same question; they differ in work.
/// let methods: [Box<dyn Propagator>; 3] = [Box::new(Lanczos::new()), Box::new(Kiops::new()), Box::new(Taylor::new())];
/// for mut method in methods {
///     let (mut y, mut velocity) = ([0.0; 2], [0.0; 2]);
///     let sample = Sample { time: 3.0, y: &mut y, velocity: &mut velocity };
///     let report = method.propagate(&mut springs, &motion, 1e-10, &mut [sample])?;
///     assert!((y[0] - 3_f64.sin()).abs() < 1e-8 && (y[1] - 6_f64.sin() / 2.0).abs() < 1e-8);
///     assert!(report.work.products > 0);
/// }
/// # Ok(())
/// # }
/// ```
pub trait Propagator: Send + Sync {
    /// Solves (1) and fills the samples, whose times ascend. On an error they hold nothing of use.
    fn propagate(
        &mut self,
        system: &mut dyn Oscillator,
        motion: &Motion,
        tolerance: f64,
        samples: &mut [Sample],
    ) -> Result<Report, FunctionError>;
}
