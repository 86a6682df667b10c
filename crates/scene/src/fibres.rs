//! Fibres of a scene, as the file describes them: their roots and their kind.

use crate::mark::Mark;
use model::fibre::FibreKind;
use model::mesh::Selector;
use model::parameter::{ParameterError, Value};
use numerics::mat3::Vec3;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// Fibres of one kind.
#[derive(Debug, Clone)]
pub struct Fibres {
    /// Name, unique in the scene.
    pub name: String,
    /// Places where they begin.
    pub roots: Roots,
    /// Direction of all, of any length; the normal of the surface without.
    pub direction: Option<Vec3>,
    /// Given parameters, as [`model::fibre::PARAMETERS`] names them; others have their defaults.
    pub parameters: BTreeMap<String, Value>,
    /// Mark of the fibres.
    pub at: Mark,
    /// Mark of their roots.
    pub roots_at: Mark,
}

/// Places where fibres begin.
#[derive(Debug, Clone, PartialEq)]
pub enum Roots {
    /// At given points.
    Points {
        /// The points [m].
        points: Vec<Vec3>,
        /// A direction for each, of any length; empty to use that of all.
        directions: Vec<Vec3>,
    },
    /// In rows on a parallelogram; the normal is the first side cross the second.
    Rows {
        /// Centre [m].
        center: Vec3,
        /// Its two sides [m].
        sides: [Vec3; 2],
        /// Number along both sides.
        counts: [usize; 2],
    },
    /// At random places of a sphere.
    Ball {
        /// Centre [m].
        center: Vec3,
        /// Radius [m].
        radius: f64,
        /// Number and part.
        scatter: Scatter,
    },
    /// At random places of a body's surface.
    Body {
        /// Name of the body.
        body: String,
        /// Number and part.
        scatter: Scatter,
    },
    /// At random places of the surface in a mesh file.
    File {
        /// Path of the file; a relative path starts from [`crate::Scene::directory`].
        path: PathBuf,
        /// Expected checksum of the file, if the scene gives one.
        checksum: Option<String>,
        /// Factor of its size.
        scale: f64,
        /// Translation, after scaling [m].
        position: Vec3,
        /// Number and part.
        scatter: Scatter,
    },
}

/// Number of roots at random places, and the part of the surface that has them.
#[derive(Debug, Clone, PartialEq)]
pub struct Scatter {
    /// Number of roots.
    pub count: usize,
    /// Part of the surface.
    pub part: Selector,
}

impl Roots {
    /// Returns the number of roots.
    pub fn count(&self) -> usize {
        match self {
            Roots::Points { points, .. } => points.len(),
            Roots::Rows { counts: [a, b], .. } => a * b,
            Roots::Ball { scatter, .. } | Roots::Body { scatter, .. } | Roots::File { scatter, .. } => scatter.count,
        }
    }
}

impl Fibres {
    /// Returns their kind, every default filled in, or the parameter that does not fit.
    pub fn kind(&self) -> Result<FibreKind, ParameterError> {
        FibreKind::resolve(&self.parameters)
    }
}

/// Fibres of one kind are equal, even if one spells out defaults and the other does not.
impl PartialEq for Fibres {
    fn eq(&self, other: &Fibres) -> bool {
        let Fibres { name, roots, direction, parameters, at: _, roots_at: _ } = self;
        let alike =
            || parameters == &other.parameters || matches!((self.kind(), other.kind()), (Ok(a), Ok(b)) if a == b);
        (name, roots, direction) == (&other.name, &other.roots, &other.direction) && alike()
    }
}
