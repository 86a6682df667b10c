//! Errors of a blueprint, with their messages.

use crate::energy::ElementKind;
use crate::fluid::FluidError;
use crate::mesh::MeshError;
use crate::region::RegionError;
use crate::rigid::RigidError;
use crate::stokes::StokesError;
use numerics::mat3::Vec3;
use std::fmt;

/// Reason why a blueprint cannot be built into a model.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelError {
    /// The mesh is broken.
    Mesh(MeshError),
    /// A free node gets no mass from any element.
    NoMass {
        /// Node number in the mesh.
        node: usize,
    },
    /// Every node is fixed or scripted.
    NothingFree,
    /// A node has two motions, or is both fixed and scripted.
    TwoMotions {
        /// Node number in the mesh.
        node: usize,
    },
    /// A consistent mass couples free nodes to the accelerations of scripted nodes, which scripts do not give.
    ConsistentMassWithScripts,
    /// A fluid is invalid.
    Fluid(FluidError),
    /// A rigid body or joint is invalid.
    Rigid(RigidError),
    /// A fluid without inertia, or a motor, is invalid.
    Stokes(StokesError),
    /// Regions are invalid.
    Region(RegionError),
    /// A spring that needs a rest length has none.
    NoLength {
        /// Its nodes in the mesh.
        nodes: [u32; 2],
    },
    /// Fibres are invalid.
    Fibres {
        /// Index of the part among the solids.
        part: usize,
        /// Reason.
        what: FibreError,
    },
    /// An element of a user-supplied energy has a node that the mesh lacks, or has one node twice.
    Element {
        /// Kind of the element, with its name in messages.
        kind: ElementKind,
        /// Index of the element in its part.
        element: usize,
        /// Offending node.
        node: u32,
    },
}

/// Reason why the fibre directions of a solid cannot be used.
#[derive(Debug, Clone, PartialEq)]
pub enum FibreError {
    /// The material is isotropic.
    NoAxis,
    /// The number of directions is neither one nor the number of tets.
    Count {
        /// Number of tets.
        tets: usize,
        /// Number of directions.
        fibres: usize,
    },
    /// A direction is zero or not finite.
    Direction(Vec3),
}

impl fmt::Display for FibreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FibreError::NoAxis => {
                write!(
                    f,
                    "its material has no fibres: leave the directions out, or use a material such as fibre-reinforced"
                )
            }
            FibreError::Count { tets, fibres } => {
                write!(f, "{fibres} directions of fibres do not go with {tets} tets: give one, or one per tet")
            }
            FibreError::Direction(d) => {
                write!(f, "{d:?} is no direction of fibres: give three finite numbers, not all 0")
            }
        }
    }
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelError::Mesh(error) => error.fmt(f),
            ModelError::Fluid(error) => error.fmt(f),
            ModelError::Rigid(error) => error.fmt(f),
            ModelError::Region(error) => error.fmt(f),
            ModelError::Stokes(error) => error.fmt(f),
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
            ModelError::Fibres { part, what } => write!(f, "solid {part}: {what}"),
            ModelError::Element { kind, element, node } => write!(
                f,
                "{kind} {element} has node {node} twice, or the mesh has no such node; correct its nodes, counted from 0"
            ),
            ModelError::NoLength { nodes: [a, b] } => write!(
                f,
                "the spring between nodes {a} and {b} has no length, which its law divides by: \
                 move the nodes apart or use the linear law"
            ),
        }
    }
}

impl std::error::Error for ModelError {}
