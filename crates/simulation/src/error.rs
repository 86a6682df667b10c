//! Errors of the input of a simulation, with advice.

use integrators::Feature;
use model::energy::ElementKind;
use numerics::linear::LinearError;
use std::fmt;

/// Reason why a simulation refuses its input. Nodes and elements are numbered as in the mesh.
#[derive(Debug, Clone, PartialEq)]
pub enum SimulationError {
    /// The step is no length of time.
    Step {
        /// The step [s].
        step: f64,
    },
    /// The model needs something that the method cannot do.
    Lacking {
        /// The method.
        method: &'static str,
        /// The feature it lacks.
        feature: Feature,
    },
    /// The method cannot be made for the model.
    Linear(LinearError),
    /// There are more or fewer nodes than the model has.
    Count {
        /// Nodes given.
        found: usize,
        /// Nodes of the model.
        expected: usize,
    },
    /// A value is not a finite number.
    NonFinite {
        /// First such node.
        node: usize,
    },
    /// A node that is not free was given another position or velocity.
    Held {
        /// The node.
        node: usize,
    },
    /// An element would be inverted, where its energy is undefined.
    Inverted {
        /// The kind of the element.
        element: ElementKind,
        /// Its number.
        number: usize,
    },
}

impl fmt::Display for SimulationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            SimulationError::Step { step } => write!(f, "a step of {step} s advances nothing; use a positive number"),
            SimulationError::Lacking { method, feature } => write!(f, "{method} {}", feature.lack()),
            SimulationError::Linear(error) => error.fmt(f),
            SimulationError::Count { found, expected } => {
                write!(
                    f,
                    "there are values for {found} nodes, and the model has {expected}; give one for each node of its mesh"
                )
            }
            SimulationError::NonFinite { node } => {
                write!(f, "the value of node {node} is not finite; look for a division by zero")
            }
            SimulationError::Held { node } => {
                write!(f, "node {node} is fixed, scripted or carried by a rigid body; leave its value as it is")
            }
            SimulationError::Inverted { element, number } => {
                write!(f, "{element} {number} would be inside out, where its material has no energy; move nodes less")
            }
        }
    }
}

impl std::error::Error for SimulationError {}

/// Reason why a simulation cannot continue from a stored state.
#[derive(Debug, Clone, PartialEq)]
pub enum ResumeError {
    /// The state does not fit this model.
    State(SimulationError),
    /// The memory does not fit this method and model.
    Memory {
        /// The method.
        method: &'static str,
    },
}

impl fmt::Display for ResumeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ResumeError::State(error) => error.fmt(f),
            ResumeError::Memory { method } => {
                write!(f, "the memory was not made by {method} on this model; continue with the method that made it")
            }
        }
    }
}

impl std::error::Error for ResumeError {}
