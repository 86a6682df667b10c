//! What can be wrong with a mesh or with the parameters of a generator, and what to do about it.

use std::fmt;

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

/// Why a generator, shape or material refuses its parameters.
#[derive(Debug, Clone, PartialEq)]
pub enum ParameterError {
    /// There is no generator of that name.
    UnknownGenerator {
        /// The name asked for.
        name: String,
        /// The nearest name there is.
        closest: &'static str,
    },
    /// The generator has no parameter of that name.
    UnknownParameter {
        /// The generator.
        generator: &'static str,
        /// The name given.
        name: String,
        /// The names it has.
        known: Vec<&'static str>,
        /// The nearest of them.
        closest: &'static str,
    },
    /// A value is of the wrong kind, out of range, or does not go with the others.
    Value {
        /// The generator.
        generator: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// The value given.
        value: String,
        /// What it must be.
        need: String,
    },
    /// A value that has no default is not given.
    Missing {
        /// The generator.
        generator: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// The parameter in a phrase.
        doc: &'static str,
        /// What it must be.
        need: String,
    },
    /// The mesh would be absurdly large.
    TooManyElements {
        /// The generator.
        generator: &'static str,
        /// How many elements it would have.
        elements: u128,
        /// How many are allowed.
        most: u128,
    },
    /// A generator reads a parameter that its table does not declare: a mistake in the generator.
    Undeclared {
        /// The generator.
        generator: &'static str,
        /// The parameter it reads.
        parameter: &'static str,
    },
}

impl fmt::Display for ParameterError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            ParameterError::UnknownGenerator { name, closest } => {
                write!(f, "there is no mesh generator '{name}'; use one of the list, perhaps '{closest}'")
            }
            ParameterError::UnknownParameter { generator, name, known, closest } => write!(
                f,
                "the {generator} has no parameter '{name}', it has {}; perhaps use '{closest}'",
                known.join(", ")
            ),
            ParameterError::Value { generator, parameter, value, need } => {
                write!(f, "{parameter} = {value} of the {generator} cannot be used; give {need}")
            }
            ParameterError::Missing { generator, parameter, doc, need } => {
                write!(f, "{parameter} of the {generator} is missing, {doc}; give {need}")
            }
            ParameterError::TooManyElements { generator, elements, most } => write!(
                f,
                "this {generator} would have {elements} elements, more than the {most} that are allowed; lower \
                 its counts"
            ),
            ParameterError::Undeclared { generator, parameter } => write!(
                f,
                "the {generator} generator reads '{parameter}', which its table does not declare; add the row"
            ),
        }
    }
}

impl std::error::Error for ParameterError {}
