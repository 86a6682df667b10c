//! What can be wrong with a mesh or with the parameters of a generator, and what to do about it.

use std::fmt;

use crate::parameter::ParameterError;
use numerics::mat3::Vec3;

/// The lists of a [`super::Mesh`] that hold elements.
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

/// Why a mesh cannot be simulated or made.
#[derive(Debug, Clone, PartialEq)]
pub enum MeshError {
    /// A coordinate is NaN or infinite.
    PointNotFinite {
        /// Its index.
        node: usize,
        /// Where it is said to be [m].
        point: Vec3,
    },
    /// An element names a node that is not there.
    NodeOutOfRange {
        /// Which list.
        kind: Element,
        /// Which entry of the list.
        element: usize,
        /// All its nodes.
        nodes: Vec<u32>,
        /// The node that is not there.
        node: u32,
        /// How many points there are.
        points: usize,
    },
    /// An element names a node twice.
    RepeatedNode {
        /// Which list.
        kind: Element,
        /// Which entry of the list.
        element: usize,
        /// All its nodes.
        nodes: Vec<u32>,
    },
    /// A tet is flat or inside out.
    TetVolume {
        /// The first such tet.
        tet: usize,
        /// Its nodes.
        nodes: [u32; 4],
        /// Its signed volume [m^3].
        volume: f64,
        /// How many more tets are flat or inside out.
        more: usize,
    },
    /// A triangle has no area.
    FlatTriangle {
        /// Which triangle.
        triangle: usize,
        /// Its nodes.
        nodes: [u32; 3],
    },
    /// A group names something that is not there.
    GroupOutOfRange {
        /// The group.
        group: String,
        /// "node", "tet" or "triangle".
        what: &'static str,
        /// What it names.
        index: u32,
        /// How many there are.
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
                write!(f, "node {node} is at {point:?}, which is not a place; correct its coordinates")
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
