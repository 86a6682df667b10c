//! Errors of a mesh or of the parameters of a generator, with what to do about them.

use std::fmt;

use crate::parameter::ParameterError;
use numerics::mat3::Vec3;

/// Lists of a [`super::Mesh`] that hold elements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Element {
    /// `tets`
    Tet,
    /// `triangles`
    Triangle,
    /// `edges`
    Edge,
    /// `shear`
    Shear,
    /// `bends`
    Bend,
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(match self {
            Element::Tet => "tet",
            Element::Triangle => "triangle",
            Element::Edge => "edge",
            Element::Shear => "shear spring",
            Element::Bend => "bending spring",
        })
    }
}

/// Reason why a mesh cannot be simulated or made.
#[derive(Debug, Clone, PartialEq)]
pub enum MeshError {
    /// A coordinate is NaN or infinite.
    PointNotFinite {
        /// Node index.
        node: usize,
        /// Given position [m].
        point: Vec3,
    },
    /// An element has a node that does not exist.
    NodeOutOfRange {
        /// List of the element.
        kind: Element,
        /// Index in the list.
        element: usize,
        /// All nodes of the element.
        nodes: Vec<u32>,
        /// Node that does not exist.
        node: u32,
        /// Number of points.
        points: usize,
    },
    /// An element has a node twice.
    RepeatedNode {
        /// List of the element.
        kind: Element,
        /// Index in the list.
        element: usize,
        /// All nodes of the element.
        nodes: Vec<u32>,
    },
    /// A tet is flat or inverted.
    TetVolume {
        /// First such tet.
        tet: usize,
        /// Its nodes.
        nodes: [u32; 4],
        /// Its signed volume [m^3].
        volume: f64,
        /// Number of further tets that are flat or inverted.
        more: usize,
    },
    /// A triangle has no area.
    FlatTriangle {
        /// Triangle index.
        triangle: usize,
        /// Its nodes.
        nodes: [u32; 3],
    },
    /// A group has a member that does not exist.
    GroupOutOfRange {
        /// Name of the group.
        group: String,
        /// "node", "tet" or "triangle".
        what: &'static str,
        /// Index of the member.
        index: u32,
        /// Number of such items in the mesh.
        count: usize,
    },
    /// The parameters of a generator cannot be used.
    Parameter(ParameterError),
}

impl From<ParameterError> for MeshError {
    fn from(error: ParameterError) -> Self {
        MeshError::Parameter(error)
    }
}

impl fmt::Display for MeshError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            MeshError::PointNotFinite { node, point } => {
                write!(f, "node {node} is at {point:?}, which is not finite; correct its coordinates")
            }
            MeshError::NodeOutOfRange { kind, element, nodes, node, points } => write!(
                f,
                "{kind} {element} {nodes:?} names node {node}, but there are {points} (counted from 0); correct the \
                 index, or subtract 1 from all if the mesh counts from 1"
            ),
            MeshError::RepeatedNode { kind, element, nodes } => {
                write!(f, "{kind} {element} {nodes:?} names a node twice; remove it or correct its nodes")
            }
            MeshError::TetVolume { tet, nodes, volume, more } => {
                let (shape, cure) = if *volume < 0.0 {
                    ("inside out", "swap two of its nodes (orient the mesh) or untangle it")
                } else {
                    ("flat", "remove it or move its nodes apart")
                };
                write!(f, "tet {tet} {nodes:?} is {shape}: its volume is {volume:e} m^3")?;
                if *more > 0 {
                    write!(f, ", and {more} more are flat or inside out")?;
                }
                write!(f, "; {cure}")
            }
            MeshError::FlatTriangle { triangle, nodes } => {
                write!(f, "triangle {triangle} {nodes:?} has no area; remove it or move its nodes apart")
            }
            MeshError::GroupOutOfRange { group, what, index, count } => write!(
                f,
                "group '{group}' names {what} {index}, but there are {count} (counted from 0); correct the group"
            ),
            MeshError::Parameter(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for MeshError {}
