//! The end of a run and its cause.

use crate::energies::Energies;
use crate::progress::{Progress, Recovery, Warping};
use integrators::{StepError, StepReport};
use model::energy::ElementKind;
use numerics::linear::LinearError;
use std::fmt;

/// Work of a run, and how it ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// Reason of the end.
    pub ending: Ending,
    /// Steps done.
    pub steps: u64,
    /// Time reached [s].
    pub time: f64,
    /// Energies at the beginning [J].
    pub first: Energies,
    /// Energies of the last good state [J].
    pub last: Energies,
    /// Work of all steps, attempts that failed included.
    pub work: StepReport,
    /// Steps that only succeeded as several shorter ones.
    pub recoveries: Vec<Recovery>,
    /// Seconds spent stepping, without output [s].
    pub seconds: f64,
    /// Cost of warping.
    pub warping: Warping,
}

impl Outcome {
    /// Returns the outcome of a run that ends at this time [s].
    pub fn new(ending: Ending, time: f64, progress: &Progress) -> Outcome {
        let Progress { steps, first, last, work, seconds, .. } = *progress;
        let (recoveries, warping) = (progress.recoveries.clone(), progress.warping);
        Outcome { ending, steps, time, first, last, work, recoveries, seconds, warping }
    }

    /// Returns the outcome of a run whose program failed, with this message, in a step of `h` [s] after `steps` and
    /// `time` [s]: work and energies are unknown.
    pub fn failed(message: String, steps: u64, time: f64, h: f64) -> Outcome {
        let divergence = Divergence { step: steps + 1, time, h, halvings: 0, cause: Cause::Failed { message } };
        Outcome::new(Ending::Diverged(divergence), time, &Progress { steps, ..Progress::default() })
    }

    /// Returns the computing time per step [ms]; 0 without steps.
    pub fn ms_per_step(&self) -> f64 {
        if self.steps == 0 { 0.0 } else { 1e3 * self.seconds / self.steps as f64 }
    }

    /// Returns the time of warping per frame [ms], and its share of the time of stepping and warping; `None` if nothing
    /// was warped.
    pub fn warping_cost(&self) -> Option<[f64; 2]> {
        let Warping { frames, seconds } = self.warping;
        (frames > 0).then(|| [1e3 * seconds / frames as f64, seconds / (seconds + self.seconds).max(f64::MIN_POSITIVE)])
    }
}

/// Reason why a run ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Ending {
    /// It reached its end.
    Done,
    /// It was asked to stop.
    Interrupted,
    /// A step failed.
    Diverged(Divergence),
}

impl Ending {
    /// Returns whether the program itself failed, which is no answer of the method.
    pub fn is_failure(&self) -> bool {
        matches!(self, Ending::Diverged(Divergence { cause: Cause::Failed { .. }, .. }))
    }

    /// Returns a word for tables and programs.
    pub fn word(&self) -> &'static str {
        match self {
            _ if self.is_failure() => "failed",
            Ending::Done => "done",
            Ending::Interrupted => "interrupted",
            Ending::Diverged(_) => "diverged",
        }
    }
}

/// The step a run ended with.
#[derive(Debug, Clone, PartialEq)]
pub struct Divergence {
    /// Its number, counted from one; 0 when the scene begins with an impossible state.
    pub step: u64,
    /// Time of its beginning, which is that of the last good state [s].
    pub time: f64,
    /// Its length [s].
    pub h: f64,
    /// Number of times it was halved before the run gave up.
    pub halvings: u32,
    /// Cause of the failure.
    pub cause: Cause,
}

/// Reason why a step is not accepted. Nodes and elements are numbered as in the mesh.
#[derive(Debug, Clone, PartialEq)]
pub enum Cause {
    /// The method reports an error, or the state after the step is not finite.
    Step(StepError),
    /// Features are too near, or cross, before the first step of a scene with contact by impulses.
    TooNear {
        /// A node of each.
        nodes: [usize; 2],
        /// Their distance [m]; 0 if they cross.
        distance: f64,
    },
    /// Contacts cannot be resolved: held or scripted parts and obstacles close upon something.
    Caught {
        /// A node that is caught.
        node: usize,
    },
    /// A measure of constraints is not finite.
    NonFinite {
        /// Name of the measure.
        what: &'static str,
    },
    /// The program itself failed: the method panicked, or could not be built.
    Failed {
        /// The message, with the source line of a panic.
        message: String,
    },
    /// The energy is far beyond that which the scene can have.
    EnergyJump {
        /// Kinetic and elastic energy after the step [J].
        energy: f64,
        /// The energy that the scene can have [J].
        budget: f64,
        /// The fastest node.
        node: usize,
    },
}

impl Cause {
    /// Returns a word for tables and programs.
    pub fn word(&self) -> &'static str {
        match self {
            Cause::Step(error) => error.cause(),
            Cause::TooNear { .. } => "too near",
            Cause::Caught { .. } => "caught between",
            Cause::NonFinite { .. } => "non-finite value",
            Cause::Failed { .. } => "fault of the program",
            Cause::EnergyJump { .. } => "energy jump",
        }
    }

    /// Returns the node where it happened, if known.
    pub fn node(&self) -> Option<usize> {
        match *self {
            Cause::Step(
                StepError::NonFinite { node } | StepError::NewtonStalled { node, .. } | StepError::Crowded { node, .. },
            ) => Some(node),
            Cause::Step(StepError::Linear(LinearError::Singular { row })) => row,
            Cause::Step(StepError::Linear(LinearError::NonFinite { row })) => Some(row),
            Cause::EnergyJump { node, .. } | Cause::Caught { node } | Cause::TooNear { nodes: [node, _], .. } => {
                Some(node)
            }
            _ => None,
        }
    }

    /// Returns the element where it happened, its kind and number, if known.
    pub fn element(&self) -> Option<(ElementKind, usize)> {
        match *self {
            Cause::Step(StepError::Inverted { element, number }) => Some((element, number)),
            _ => None,
        }
    }
}

/// Describes the event, without advice.
impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Step(StepError::NonFinite { node }) => write!(f, "node {node} has a value that is not finite"),
            Cause::Step(StepError::Inverted { element, number }) => {
                write!(f, "{element} {number} has turned inside out, where its material has no energy")
            }
            Cause::Step(StepError::NewtonStalled { iterations, residual, node }) => write!(
                f,
                "Newton's method stalled after {iterations} iterations at a relative residual of {residual:.1e}, \
                 largest at node {node}"
            ),
            Cause::Step(error) => error.fmt(f),
            Cause::NonFinite { what } => write!(f, "{what} is not finite"),
            Cause::TooNear { nodes: [a, b], distance } if *distance > 0.0 => write!(
                f,
                "features of nodes {a} and {b} are {distance:.1e} m apart, nearer than a tenth of the thickness of contact"
            ),
            Cause::TooNear { nodes: [a, b], .. } => write!(f, "features of nodes {a} and {b} touch or cross"),
            Cause::Caught { node } => {
                write!(f, "node {node} is caught between held parts or obstacles that close upon it")
            }
            Cause::Failed { message } => write!(f, "the program failed: {message}"),
            Cause::EnergyJump { energy, budget, node } => write!(
                f,
                "the energy is {energy:.1e} J where the scene can have about {budget:.1e} J; node {node} is the fastest"
            ),
        }
    }
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Divergence { step, time, cause, .. } = self;
        match step {
            0 => write!(f, "the first state is not possible: {cause}; begin with less"),
            _ => write!(f, "step {step} fails at t = {time} s: {cause}; use a smaller step, or another method"),
        }
    }
}

impl std::error::Error for Divergence {}
