//! Bodies put together from shapes: their description in a file, and their mesh.

mod make;

pub(crate) use make::fill_surface;
pub use make::{Made, SolidError};

use crate::mark::Mark;
use crate::turn::Turn;
use geometry::shape::{Mirror, Operation, Shape};
use model::mesh::generate::Value;
use model::parameter::Parameters;
use numerics::mat3::Vec3;
use std::collections::BTreeMap;

/// Default number of times that tets double in size inside.
pub const GRADING: u32 = 2;

/// Resolution of the surface that follows the tets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// Approximate number of vertices.
    Vertices(usize),
    /// The triangles of the file that is filled.
    Given,
}

/// A body put together from shapes, as a scene or a shape file describes it.
#[derive(Debug, Clone, PartialEq)]
pub struct Solid {
    /// Title; may be empty.
    pub title: String,
    /// Approximate number of vertices of its mesh.
    pub vertices: usize,
    /// Number of times tets may double in size from the surface to the middle.
    pub grading: u32,
    /// Approximate number of vertices of a finer surface that follows the tets, if there is one.
    pub surface: Option<usize>,
    /// Its parts, joined in this order.
    pub parts: Vec<ShapePart>,
}

/// A part of a solid: a placed shape and the operation that joins it.
#[derive(Debug, Clone, PartialEq)]
pub struct ShapePart {
    /// Name, which becomes a group of the mesh.
    pub name: Option<String>,
    /// Assembly it is added to, instead of the body.
    pub into: Option<String>,
    /// Operation that joins it.
    pub operation: Operation,
    /// Width of the seam that is made smooth [m].
    pub blend: f64,
    /// Translation of all points, applied last [m].
    pub position: Vec3,
    /// A rotation about its origin.
    pub rotation: Option<Turn>,
    /// Factor of its size.
    pub scale: f64,
    /// Twist along an axis.
    pub twist: Option<SolidTwist>,
    /// Copies, each made from the one before.
    pub repeat: Option<SolidRepeat>,
    /// A copy on the other side.
    pub mirror: Option<Mirror>,
    /// Kind of the part.
    pub kind: PartKind,
    /// Mark of the part.
    pub at: Mark,
}

/// A rotation about an axis by an angle that grows along it.
#[derive(Debug, Clone, PartialEq)]
pub struct SolidTwist {
    /// Axis through the origin of the shape, of any length but 0.
    pub axis: Vec3,
    /// Angle per metre [degrees/m].
    pub degrees_per_metre: f64,
}

/// Copies of a part, each made from the one before.
#[derive(Debug, Clone, PartialEq)]
pub struct SolidRepeat {
    /// Number in all.
    pub count: u32,
    /// Displacement of each [m].
    pub offset: Vec3,
    /// Rotation of each.
    pub turn: Turn,
    /// Factor of the size of each.
    pub factor: f64,
}

/// Kind of a part.
#[derive(Debug, Clone)]
pub enum PartKind {
    /// A simple shape.
    Simple {
        /// The shape.
        shape: &'static Shape,
        /// Given parameters; others have their defaults.
        parameters: BTreeMap<String, Value>,
    },
    /// An assembly of earlier parts.
    Assembly {
        /// Name of the assembly.
        of: String,
    },
    /// The inside of a closed surface.
    Surface {
        /// A file of the same directory, by its bare name.
        file: String,
    },
}

/// Shapes with equal parameters are equal, even if one spells out defaults and the other does not.
impl PartialEq for PartKind {
    fn eq(&self, other: &PartKind) -> bool {
        match (self, other) {
            (PartKind::Simple { shape: a, parameters: p }, PartKind::Simple { shape: b, parameters: q }) => {
                let all = |given| Parameters::resolve(a.name, a.parameters, given);
                let alike = || p == q || matches!((all(p), all(q)), (Ok(p), Ok(q)) if p == q);
                a.name == b.name && alike()
            }
            (PartKind::Assembly { of: a }, PartKind::Assembly { of: b }) => a == b,
            (PartKind::Surface { file: a }, PartKind::Surface { file: b }) => a == b,
            _ => false,
        }
    }
}

/// Returns whether the text of a TOML file is a shape file, not a scene: it has parts at its top.
pub fn is_shape_file(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with("[[part]]") || line.trim_start().starts_with("[part]"))
}
