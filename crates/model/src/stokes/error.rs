//! Errors of fluids and motors, with their messages.

use super::Drag;
use std::fmt;

/// Most points, and most nodes, in a fluid.
pub const LARGEST: usize = 5000;

/// Reason why bodies cannot be in a fluid, or be turned by a motor.
#[derive(Debug, Clone, PartialEq)]
pub enum StokesError {
    /// The viscosity, or a drag, is not above 0.
    Viscosity(f64),
    /// The size of a blob is not above 0.
    Epsilon(f64),
    /// The gradient of the background flow has a trace: it would create fluid.
    Divergence(f64),
    /// A body has no surface, from whose area epsilon would follow.
    NoSurface,
    /// There are more than [`LARGEST`] points or nodes.
    TooMany {
        /// Points that push the fluid.
        points: usize,
        /// Nodes that move with it.
        nodes: usize,
    },
    /// A node is not in the mesh, or weights have not the sum 1.
    Mean {
        /// The node, or the first of the mean.
        node: u32,
    },
    /// A motor has no axle: its two nodes are one, or at one place.
    NoAxle {
        /// Number of the motor.
        motor: usize,
    },
    /// Nodes that a motor turns, or pushes off from, are on a line, about which they cannot be turned.
    OnALine {
        /// Number of the motor.
        motor: usize,
    },
    /// The torque of a motor is not finite.
    Torque {
        /// Number of the motor.
        motor: usize,
    },
}

impl StokesError {
    /// Returns the motor that it is about.
    pub fn motor(&self) -> Option<usize> {
        match self {
            StokesError::NoAxle { motor } | StokesError::OnALine { motor } | StokesError::Torque { motor } => {
                Some(*motor)
            }
            _ => None,
        }
    }
}

impl fmt::Display for StokesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StokesError::Viscosity(value) => {
                write!(
                    f,
                    "a viscosity or drag of {value} resists nothing; give a number above 0: water has about 1e-3 Pa s"
                )
            }
            StokesError::Epsilon(value) => {
                write!(f, "a blob of size {value} m has no extent; give an epsilon above 0")
            }
            StokesError::Divergence(trace) => write!(
                f,
                "the gradient of the background flow has the trace {trace} 1/s and would create fluid; let its diagonal add up to 0"
            ),
            StokesError::NoSurface => write!(
                f,
                "it has no surface, from whose area the size of its points in the fluid follows; give `epsilon`: 0.4 of the distance \
                 of neighbours on a surface, 1.65 radii along a rod"
            ),
            StokesError::TooMany { points, nodes } => write!(
                f,
                "{points} points and {nodes} nodes are in the fluid, and more than {LARGEST} of either take more than {:.0} GB and \
                 minutes per step; use coarser bodies, fibres of fewer segments or a larger `fibre_spacing`, or wet fewer bodies",
                1e-9 * Drag::bytes(LARGEST, LARGEST)
            ),
            StokesError::Mean { node } => write!(
                f,
                "a point in the fluid is a mean of nodes that are not in the mesh, or with weights that do not add up to 1; \
                 correct that of node {node}"
            ),
            StokesError::NoAxle { motor } => {
                write!(f, "motor {} has no axle: give it two nodes at different places", motor + 1)
            }
            StokesError::OnALine { motor } => write!(
                f,
                "motor {} turns, or pushes off from, nodes on a line, on which no torque can act; give it three or more that are not",
                motor + 1
            ),
            StokesError::Torque { motor } => {
                write!(f, "the torque of motor {} is not finite; give a number of N m", motor + 1)
            }
        }
    }
}

impl std::error::Error for StokesError {}
