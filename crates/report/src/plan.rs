//! Plan of a comparison, and its errors.

use scene::output::OutputError;
use scene::{Overrides, Problems, Scene, caught};
use std::fmt;

/// A method and a step.
#[derive(Debug, Clone, PartialEq)]
pub struct Contender {
    /// The method, by name or alias; the scene's own if there is none.
    pub method: Option<String>,
    /// The step [s]; the scene's own if there is none.
    pub step: Option<f64>,
}

/// Plan of a comparison.
pub struct Plan {
    /// The scene.
    pub scene: Scene,
    /// Contenders, in this order.
    pub contenders: Vec<Contender>,
    /// Reference for errors.
    pub reference: Option<Contender>,
    /// True if steps are chosen so that a simulated second costs every contender the same as the first.
    pub equal_cost: bool,
    /// True if small bodies may run side by side, each on one core; results are the same.
    pub side_by_side: bool,
}

/// Reason why nothing could be compared.
#[derive(Debug)]
pub enum CompareError {
    /// The scene is wrong, or not for one of the methods.
    Scene(Problems),
    /// Something could not be written.
    Output(OutputError),
    /// The program failed, and no contender is left to compare.
    Failed {
        /// The action that failed.
        what: String,
        /// The message, with the source line of a panic.
        cause: String,
    },
    /// The reference does not reach its end.
    Reference {
        /// Label of the reference.
        label: String,
        /// Time of the failure [s].
        time: f64,
    },
}

impl fmt::Display for CompareError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            CompareError::Scene(problems) => problems.fmt(f),
            CompareError::Output(error) => error.fmt(f),
            CompareError::Failed { what, cause } => {
                write!(f, "the program failed in {what}: {cause}; leave that out, and report this with the scene")
            }
            CompareError::Reference { label, time } => {
                write!(f, "the reference {label} fails at {time} s; give it a shorter step or another method")
            }
        }
    }
}

impl std::error::Error for CompareError {}

impl From<Problems> for CompareError {
    fn from(problems: Problems) -> Self {
        CompareError::Scene(problems)
    }
}

impl From<OutputError> for CompareError {
    fn from(error: OutputError) -> Self {
        CompareError::Output(error)
    }
}

/// Runs `work`, and turns a panic into an error.
pub(crate) fn isolated<T>(what: &str, work: impl FnOnce() -> Result<T, CompareError>) -> Result<T, CompareError> {
    caught(work).unwrap_or_else(|cause| Err(CompareError::Failed { what: what.to_string(), cause }))
}

/// Returns the scene with the method and step of a contender.
pub(crate) fn with(scene: &Scene, contender: &Contender) -> Result<Scene, Problems> {
    scene.with(&Overrides::new().method(contender.method.as_deref()).step(contender.step))
}
