//! Why a blueprint is no model, in words.

use crate::fluid::FluidError;
use crate::mesh::MeshError;
use crate::region::RegionError;
use crate::rigid::RigidError;
use std::fmt;

/// Why a blueprint is no model.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelError {
    /// The mesh is broken.
    Mesh(MeshError),
    /// A free node that no element gives mass.
    NoMass {
        /// Its number in the mesh.
        node: usize,
    },
    /// Every node is fixed or scripted.
    NothingFree,
    /// A node with two motions, or fixed and scripted.
    TwoMotions {
        /// Its number in the mesh.
        node: usize,
    },
    /// A consistent mass couples free nodes to the accelerations of scripted ones, which no script gives.
    ConsistentMassWithScripts,
    /// A fluid that cannot be.
    Fluid(FluidError),
    /// A rigid body or joint that cannot be.
    Rigid(RigidError),
    /// Regions that cannot be.
    Region(RegionError),
    /// A spring that needs a rest length has none.
    NoLength {
        /// Its nodes in the mesh.
        nodes: [u32; 2],
    },
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelError::Mesh(error) => error.fmt(f),
            ModelError::Fluid(error) => error.fmt(f),
            ModelError::Rigid(error) => error.fmt(f),
            ModelError::Region(error) => error.fmt(f),
            ModelError::NoMass { node } => {
                write!(f, "node {node} has no mass: give the elements around it a density, or remove it from the mesh")
            }
            ModelError::NothingFree => write!(f, "every node is fixed or scripted: leave some free to move"),
            ModelError::TwoMotions { node } => {
                write!(f, "node {node} is fixed or scripted twice: let each node follow one rule")
            }
            ModelError::ConsistentMassWithScripts => {
                write!(f, "a consistent mass does not go with scripted nodes: use the lumped mass, or fix the nodes")
            }
            ModelError::NoLength { nodes: [a, b] } => write!(
                f,
                "the spring between nodes {a} and {b} has no length, which its law divides by: \
                 move the nodes apart or use the linear law"
            ),
        }
    }
}

impl std::error::Error for ModelError {}
