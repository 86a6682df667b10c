//! Rigid bodies.
//!
//! A rigid body is one node, its centre of mass, with the whole mass; a [`Turn`] of the state; and carried nodes, the
//! corners of its surface, which follow it as scripted nodes follow their script. Translation, gravity and momentum are
//! then those of any node, and code that shows or exports triangles needs no knowledge of rigid bodies.

use collision::{Pose, Shape, ShapeError};
use numerics::mat3::{Vec3, add, cross, dot};
use numerics::quaternion::{NONE, Quaternion, normalise, product, rotate, rotate_back};
use std::fmt;

/// Orientation and angular velocity of a rigid body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Turn {
    /// Unit quaternion from the frame of the body, its principal axes, to the world.
    pub orientation: Quaternion,
    /// Angular velocity in the world [rad/s].
    pub spin: Vec3,
}

impl Default for Turn {
    fn default() -> Self {
        Turn { orientation: NONE, spin: [0.0; 3] }
    }
}

/// Rigid body. Its frame is at its centre of mass, along its principal axes.
#[derive(Debug, Clone)]
pub struct Rigid {
    /// Node at its centre, which has its whole mass; fixed where the body is held.
    pub node: u32,
    /// Principal moments of inertia [kg m^2].
    pub inertia: Vec3,
    /// Orientation at rest.
    pub orientation: Quaternion,
    /// Shape, for contact.
    pub shape: Shape,
    /// Pose of the shape in the frame of the body.
    pub frame: Pose,
    /// Carried nodes and their positions in its frame [m].
    pub carried: Vec<(u32, Vec3)>,
    /// Coulomb's coefficient; contact of two bodies uses the geometric mean.
    pub friction: f64,
}

/// Mass of a rigid body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum RigidMass {
    /// Density of the material [kg/m^3].
    Density(f64),
    /// Total mass [kg].
    Total(f64),
}

impl Rigid {
    /// Creates a body of uniform density around the node `node`, with its shape at `pose`. Returns the body, its centre
    /// [m] and its mass [kg].
    pub fn new(shape: Shape, pose: &Pose, mass: RigidMass, node: u32) -> Result<(Rigid, Vec3, f64), ShapeError> {
        shape.check()?;
        let measure = shape.measure()?;
        let (moments, axes) = measure.principal();
        let density = match mass {
            RigidMass::Density(density) => density,
            RigidMass::Total(mass) => mass / measure.volume,
        };
        let frame = Pose::new(measure.centre, axes).inverse();
        let rigid = Rigid {
            node,
            inertia: moments.map(|moment| density * moment),
            orientation: normalise(product(pose.rotation, axes)),
            shape,
            frame,
            carried: Vec::new(),
            friction: 0.0,
        };
        Ok((rigid, pose.point(measure.centre), density * measure.volume))
    }

    /// Checks that moments of inertia are positive and sizes finite.
    pub(crate) fn check(&self) -> Result<(), RigidError> {
        let positive = |value: &&f64| **value > 0.0 && value.is_finite();
        if let Some(&value) = self.inertia.iter().find(|value| !positive(value)) {
            return Err(RigidError::Value { what: "moment of inertia", value });
        }
        let finite = |local: &Vec3| local.iter().copied().find(|c| !c.is_finite());
        match self.carried.iter().find_map(|(_, local)| finite(local)) {
            Some(value) => Err(RigidError::Value { what: "size", value }),
            None => Ok(()),
        }
    }

    /// Returns a copy with renumbered nodes.
    pub(crate) fn renumbered(&self, of: impl Fn(u32) -> u32) -> Rigid {
        let carried = self.carried.iter().map(|&(node, local)| (of(node), local)).collect();
        Rigid { node: of(self.node), carried, ..self.clone() }
    }

    /// Multiplies a vector by the inertia in world axes of a body with this orientation.
    pub fn inertia_times(&self, orientation: Quaternion, a: Vec3) -> Vec3 {
        let local = rotate_back(orientation, a);
        rotate(orientation, std::array::from_fn(|k| self.inertia[k] * local[k]))
    }

    /// Returns the pose of its frame in a state.
    pub fn pose(&self, x: &[f64], turn: &Turn) -> Pose {
        let i = 3 * self.node as usize;
        Pose { position: [x[i], x[i + 1], x[i + 2]], rotation: turn.orientation }
    }

    /// Sets positions and velocities of the carried nodes.
    pub(crate) fn carry(&self, turn: &Turn, x: &mut [f64], v: &mut [f64]) {
        let pose = self.pose(x, turn);
        let i = 3 * self.node as usize;
        let velocity = [v[i], v[i + 1], v[i + 2]];
        for &(node, local) in &self.carried {
            let (at, arm) = (3 * node as usize, pose.vector(local));
            x[at..at + 3].copy_from_slice(&add(pose.position, arm));
            v[at..at + 3].copy_from_slice(&add(velocity, cross(turn.spin, arm)));
        }
    }

    /// Computes 1/2 w . I w [J].
    pub(crate) fn kinetic(&self, turn: &Turn) -> f64 {
        0.5 * dot(turn.spin, self.inertia_times(turn.orientation, turn.spin))
    }
}

/// Reason why rigid bodies or joints are refused. Nodes are numbered as in the mesh.
#[derive(Debug, Clone, PartialEq)]
pub enum RigidError {
    /// A carried node, or the centre, is fixed, scripted, carried twice, or part of an element.
    Taken {
        /// Node number.
        node: usize,
    },
    /// A joint refers to a node or body that does not exist.
    Nothing {
        /// Joint index.
        joint: usize,
    },
    /// A joint that constrains rotation has an end without an orientation.
    NoDirection {
        /// Joint index.
        joint: usize,
    },
    /// Neither end of a joint can move.
    NothingMoves {
        /// Joint index.
        joint: usize,
    },
    /// A size or moment is not a positive finite number.
    Value {
        /// Name of the quantity.
        what: &'static str,
        /// Given value.
        value: f64,
    },
}

impl fmt::Display for RigidError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RigidError::Taken { node } => write!(
                f,
                "node {node} belongs to a rigid body and to something else: give the body nodes of its own, and use joints"
            ),
            RigidError::Nothing { joint } => {
                write!(f, "joint {joint} holds a node or body that is not there: name one that is")
            }
            RigidError::NoDirection { joint } => write!(
                f,
                "joint {joint} keeps a direction, which a node has none of: use a ball or distance joint, or a rigid body"
            ),
            RigidError::NothingMoves { joint } => {
                write!(f, "nothing that joint {joint} holds can move: free one of its ends, or remove it")
            }
            RigidError::Value { what, value } => {
                write!(
                    f,
                    "the {what} of a rigid body is {value}: use a size and mass whose squares are finite and not zero"
                )
            }
        }
    }
}

impl std::error::Error for RigidError {}
