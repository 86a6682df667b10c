//! Bodies put together from shapes: what a file says of them, and their mesh.

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

/// How often tets double in size inside, where nothing is said.
pub const GRADING: u32 = 2;

/// A body put together from shapes, as a scene or a shape file says it.
#[derive(Debug, Clone, PartialEq)]
pub struct Solid {
    /// What it is; may be empty.
    pub title: String,
    /// About how many vertices its mesh has.
    pub vertices: usize,
    /// How often tets may double in size from the surface to the middle.
    pub grading: u32,
    /// About how many vertices a finer surface has that follows the tets, if there is one.
    pub surface: Option<usize>,
    /// Its parts, joined in this order.
    pub parts: Vec<SolidPart>,
}

/// A part of it.
#[derive(Debug, Clone, PartialEq)]
pub struct SolidPart {
    /// Its name, a group of the mesh.
    pub name: Option<String>,
    /// The assembly it is added to, instead of the body.
    pub into: Option<String>,
    /// How it is joined.
    pub operation: Operation,
    /// Width of the seam that is made smooth [m].
    pub blend: f64,
    /// Added to all points, last [m].
    pub position: Vec3,
    /// A rotation about its origin.
    pub rotation: Option<Turn>,
    /// Factor of its size.
    pub scale: f64,
    /// A turn that grows along an axis.
    pub twist: Option<SolidTwist>,
    /// Copies, each made from the one before.
    pub repeat: Option<SolidRepeat>,
    /// A copy on the other side.
    pub mirror: Option<Mirror>,
    /// What it is.
    pub kind: PartKind,
    /// Mark of the part.
    pub at: Mark,
}

/// A turn about an axis that grows along it.
#[derive(Debug, Clone, PartialEq)]
pub struct SolidTwist {
    /// Axis through the origin of the shape, of any length but 0.
    pub axis: Vec3,
    /// Angle for each metre [degrees/m].
    pub degrees_per_metre: f64,
}

/// Copies of a part, each made from the one before.
#[derive(Debug, Clone, PartialEq)]
pub struct SolidRepeat {
    /// How many there are in all.
    pub count: u32,
    /// By how much each is moved [m].
    pub offset: Vec3,
    /// How each is turned.
    pub turn: Turn,
    /// Factor of the size of each.
    pub factor: f64,
}

/// What a part is.
#[derive(Debug, Clone)]
pub enum PartKind {
    /// A simple shape.
    Simple {
        /// Which.
        shape: &'static Shape,
        /// The parameters given to it; others have their defaults.
        parameters: BTreeMap<String, Value>,
    },
    /// What earlier parts put together.
    Assembly {
        /// By the name they said.
        of: String,
    },
    /// What a closed surface encloses.
    Surface {
        /// A file of the same directory, by its bare name.
        file: String,
    },
}

/// Shapes with equal parameters are equal, whether defaults are said or not.
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

/// Whether the text of a TOML file is that of a shape file, not of a scene: it has parts at its top.
pub fn is_shape_file(text: &str) -> bool {
    text.lines().any(|line| line.trim_start().starts_with("[[part]]") || line.trim_start().starts_with("[part]"))
}
