//! Values of the parameters of methods, by field and by name.
//!
//! The file of a method, or of a part that several methods share, declares its parameters as [`Setting`]s: name, kind,
//! range, default and one line. Values are stored in fields of [`Options`].

use crate::asynchronous::{ContactStep, Coupling};
use crate::gautschi::LinearPart;
use crate::linearly_implicit_euler::LineariseAt;
use crate::matrix_functions::Krylov;
use crate::siere::{Modes, Rest, RestRule};
use crate::small_steps::Sweep;
use model::Model;
use model::energy::Order;
use model::parameter::{Parameter, Value};
use numerics::linear::{SolverKind, Stop};

/// A parameter of methods, with access to its value.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Name, kind, range, default and description.
    pub parameter: Parameter,
    /// Reads the value.
    pub get: fn(&Options) -> Value,
    /// Sets the value; returns false and changes nothing if it is of another kind.
    pub set: fn(&mut Options, &Value) -> bool,
}

/// A type of parameter values.
///
/// ```
/// use integrators::Field;
/// use model::parameter::Value;
///
/// let mut iterations = 20_usize;
/// assert!(iterations.take(&Value::from(5.0)));
/// assert_eq!(iterations, 5);
/// // A count is a whole number. Anything else is refused and changes nothing.
/// assert!(!iterations.take(&Value::from(2.5)));
/// assert!(!iterations.take(&Value::Flag(true)));
/// assert_eq!(iterations.value(), Value::from(5.0));
/// ```
pub trait Field {
    /// Returns the value in the form of a parameter.
    fn value(&self) -> Value;

    /// Takes a value; returns false and changes nothing if it is of another kind.
    fn take(&mut self, value: &Value) -> bool;
}

impl Field for f64 {
    fn value(&self) -> Value {
        Value::from(*self)
    }

    fn take(&mut self, value: &Value) -> bool {
        let Value::Numbers(numbers) = value else { return false };
        let [number] = numbers[..] else { return false };
        *self = number;
        true
    }
}

impl Field for usize {
    fn value(&self) -> Value {
        Value::from(*self as f64)
    }

    fn take(&mut self, value: &Value) -> bool {
        let mut number = 0.0;
        let is_count = number.take(value) && number >= 0.0 && number.fract() == 0.0;
        if is_count {
            *self = number as usize;
        }
        is_count
    }
}

impl Field for bool {
    fn value(&self) -> Value {
        Value::Flag(*self)
    }

    fn take(&mut self, value: &Value) -> bool {
        let Value::Flag(flag) = value else { return false };
        *self = *flag;
        true
    }
}

/// A type whose values are written as words.
///
/// ```
/// use integrators::{Field, Words};
/// use model::parameter::Value;
///
/// #[derive(Debug, Clone, Copy, PartialEq)]
/// enum Start {
///     Rest,
///     Guess,
/// }
///
/// impl Words for Start {
///     const WORDS: &'static [(&'static str, Start)] = &[("rest", Start::Rest), ("guess", Start::Guess)];
/// }
///
/// // Types with words are fields of options.
/// let mut start = Start::Rest;
/// assert!(start.take(&Value::from("guess")));
/// assert_eq!(start, Start::Guess);
/// assert!(!start.take(&Value::from("else")));
/// assert_eq!(start.value(), Value::from("guess"));
/// ```
pub trait Words: Copy + PartialEq + 'static {
    /// Every word and its value, the default first.
    const WORDS: &'static [(&'static str, Self)];
}

impl<T: Words> Field for T {
    fn value(&self) -> Value {
        Value::from(T::WORDS.iter().find(|(_, value)| value == self).map_or("", |(word, _)| word))
    }

    fn take(&mut self, value: &Value) -> bool {
        let Value::Word(word) = value else { return false };
        let found = T::WORDS.iter().find(|(known, _)| known == word);
        if let Some((_, value)) = found {
            *self = *value;
        }
        found.is_some()
    }
}

/// Lists the words of a table of N, for [`model::parameter::Kind::Word`]. The compiler checks N.
pub(crate) const fn words<T: Copy, const N: usize>(table: &[(&'static str, T)]) -> [&'static str; N] {
    assert!(table.len() == N);
    let mut words = [""; N];
    let mut i = 0;
    while i < N {
        words[i] = table[i].0;
        i += 1;
    }
    words
}

impl Words for SolverKind {
    const WORDS: &'static [(&'static str, SolverKind)] = &SolverKind::NAMES;
}

impl Words for Order {
    const WORDS: &'static [(&'static str, Order)] =
        &[("coloured", Order::Coloured), ("forward", Order::Forward), ("backward", Order::Backward)];
}

/// Values of every parameter of every method. A method reads those that its row declares.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Newton stops when the residual force is below this share of the forces in play.
    pub tolerance: f64,
    /// Limit of Newton iterations per step.
    pub iterations: usize,
    /// Shorten Newton steps that do not lower the energy.
    pub line_search: bool,
    /// Use the projected stiffness in Newton's matrix, independent of the scene's stiffness.
    pub hessian_correction: bool,
    /// Number of times a failing step may be split in two.
    pub halvings: usize,
    /// Newmark's beta.
    pub beta: f64,
    /// Newmark's gamma.
    pub gamma: f64,
    /// Spectral radius of generalized-alpha for infinitely fast modes.
    pub rho_infinity: f64,
    /// Linear solver.
    pub solver: SolverKind,
    /// Relative residual at which an iterative solver stops.
    pub solver_tolerance: f64,
    /// Limit of conjugate-gradient iterations per solve, whose last iterate is then taken; zero: as many as needed.
    pub solver_iterations: usize,
    /// Position at which linearly implicit Euler evaluates force and stiffness.
    pub linearise_at: LineariseAt,
    /// Number of modes captured by siere.
    pub modes: Modes,
    /// Largest estimated angle between those modes and the exact ones [rad].
    pub modes_tolerance: f64,
    /// Method of siere for everything but the captured modes.
    pub rest: Rest,
    /// Method of siere2 for everything but the captured modes.
    pub rest_rule: RestRule,
    /// Algorithm for actions of matrix functions.
    pub krylov: Krylov,
    /// Relative error of the matrix functions of a step.
    pub krylov_tolerance: f64,
    /// Limit of products with the stiffness matrix per step, for matrix functions.
    pub products: usize,
    /// Vary the step inside the given one by the embedded error estimate.
    pub adaptive: bool,
    /// Local error allowed per step, relative to the motion.
    pub step_tolerance: f64,
    /// Constant stiffness that is integrated exactly.
    pub linear_part: LinearPart,
    /// Substeps per step of a position-based method.
    pub substeps: usize,
    /// Passes over all constraints per substep.
    pub passes: usize,
    /// Kind of relaxation of constraints.
    pub relaxation: Sweep,
    /// Share of a node's mass that a constraint uses where all are relaxed simultaneously; above 1/2 it diverges.
    pub weight: f64,
    /// Order in which constraints are relaxed.
    pub order: Order,
    /// Treat the matrix of the large step as symmetric where it is only nearly so.
    pub symmetric: bool,
    /// Steps at which penalties of regions are evaluated.
    pub contact: ContactStep,
    /// Coupling of regions and the rest within a large step.
    pub coupling: Coupling,
}

/// Relative residual of solves that count as exact.
const TIGHT: f64 = 1e-8;

impl Options {
    /// Default values.
    pub const DEFAULT: Options = {
        Options {
            tolerance: 1e-6,
            iterations: 20,
            line_search: true,
            hessian_correction: false,
            halvings: 0,
            beta: 0.25,
            gamma: 0.5,
            rho_infinity: 0.5,
            solver: SolverKind::Auto,
            solver_tolerance: 1e-4,
            solver_iterations: 0,
            linearise_at: LineariseAt::Current,
            modes: Modes::Count(Modes::DEFAULT),
            modes_tolerance: 1e-4,
            rest: Rest::Linear,
            rest_rule: RestRule::TrBdf2,
            krylov: Krylov::Auto,
            krylov_tolerance: 1e-8,
            products: 100_000,
            adaptive: false,
            step_tolerance: 1e-4,
            linear_part: LinearPart::Rest,
            substeps: 20,
            passes: 1,
            relaxation: Sweep::GaussSeidel,
            weight: 0.5,
            order: Order::Coloured,
            symmetric: false,
            contact: ContactStep::Large,
            coupling: Coupling::Paper,
        }
    };
}

impl Default for Options {
    fn default() -> Options {
        Options::DEFAULT
    }
}

impl Options {
    /// Returns the stopping rule of an iterative linear solver.
    pub(crate) fn stop(&self, model: &Model) -> Stop {
        match self.solver_iterations {
            // In exact arithmetic as many iterations as unknowns suffice; with a preconditioner far fewer do.
            0 => Stop::at(self.solver_tolerance, model.dofs().clamp(100, 10_000)),
            most => Stop { takes_last: true, ..Stop::at(self.solver_tolerance, most) },
        }
    }

    /// Returns the stopping rule where the solution counts as exact: inside matrix functions, and for accelerations.
    pub(crate) fn tight_stop(&self, model: &Model) -> Stop {
        Stop { tolerance: self.solver_tolerance.min(TIGHT), ..self.stop(model) }
    }
}
