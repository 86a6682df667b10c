//! Stokes flow and motors of a scene, as the file describes them.

use crate::mark::Mark;
use model::parameter::{ParameterError, Value};
use model::stokes::{Rules, Stokes};
use std::collections::BTreeMap;

/// A fluid without inertia around bodies.
#[derive(Debug, Clone)]
pub struct StokesFlow {
    /// Given parameters, as [`model::stokes::PARAMETERS`] names them; others have their defaults.
    pub parameters: BTreeMap<String, Value>,
    /// Bodies and fibres in the fluid; all if empty.
    pub wet: Vec<Wet>,
    /// Mark of the section.
    pub at: Mark,
}

/// A body in the fluid.
#[derive(Debug, Clone, PartialEq)]
pub struct Wet {
    /// Name of the body or of the fibres.
    pub body: String,
    /// Size of the blobs of a body [m]; by the rule for its surface without.
    pub epsilon: Option<f64>,
    /// Mark of the entry.
    pub at: Mark,
}

/// A motor between a body and the root of a fibre.
#[derive(Debug, Clone, PartialEq)]
pub struct Motor {
    /// Name of the fibres, of which there is one; its first ring is turned.
    pub fibres: String,
    /// Name of the body that it pushes off from.
    pub body: String,
    /// Group of the two nodes of the axle, in that body.
    pub axle: String,
    /// Torque about the direction from the first to the second of them [N m].
    pub torque: f64,
    /// Stiffness of the springs between the ring and the axle [N/m].
    pub hinge: f64,
    /// Mark of the motor.
    pub at: Mark,
}

impl StokesFlow {
    /// Returns the fluid without bodies, every default filled in, and the rules for its points.
    pub fn resolve(&self) -> Result<(Stokes, Rules), ParameterError> {
        Stokes::resolve(&self.parameters)
    }
}

/// Fluids are equal, even if one spells out defaults and the other does not.
impl PartialEq for StokesFlow {
    fn eq(&self, other: &StokesFlow) -> bool {
        let alike = || matches!((self.resolve(), other.resolve()), (Ok(a), Ok(b)) if a == b);
        self.wet == other.wet && (self.parameters == other.parameters || alike())
    }
}
