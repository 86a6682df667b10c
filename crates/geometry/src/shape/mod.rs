//! Shapes by signed distance: simple ones, and bodies composed of them.
//!
//! A simple shape is one file and one row of [`SHAPES`]; the row declares its parameters as data, so that scenes, lists
//! and the manual need no code for any of them. [`Part`] places, twists and repeats a shape, [`Assembly`] combines parts.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::mesh::generate::{Kind, Parameter, Parameters, Preset, Range, Value};
use model::mesh::{ParameterError, closest_name};

use crate::Distance;

mod assembly;
mod ball;
mod capsule;
mod cone;
mod cuboid;
mod ellipsoid;
mod extrusion;
mod half_space;
mod part;
mod ribbon;
mod torus;
mod tube;

pub use assembly::{Assembly, AssemblyError, Joined, Operation};
pub use part::{Mirror, Part, Placement, Repeat, Twist};

/// A shape that can be shared by parts and threads.
pub type Shared = Arc<dyn Distance + Send + Sync>;

/// A simple shape.
#[derive(Debug)]
pub struct Shape {
    /// Name in a scene file.
    pub name: &'static str,
    /// Description in a sentence.
    pub description: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Makes it.
    pub make: fn(&Parameters) -> Result<Shared, ParameterError>,
}

/// All simple shapes.
pub const SHAPES: &[Shape] = &[
    ball::BALL,
    ellipsoid::ELLIPSOID,
    cuboid::BOX,
    capsule::CAPSULE,
    cone::CONE,
    tube::TUBE,
    torus::TORUS,
    ribbon::RIBBON,
    extrusion::EXTRUSION,
    half_space::HALF_SPACE,
];

impl Shape {
    /// Finds the shape of that name.
    pub fn find(name: &str) -> Result<&'static Shape, ParameterError> {
        SHAPES.iter().find(|shape| shape.name == name).ok_or_else(|| ParameterError::UnknownGenerator {
            name: name.to_string(),
            closest: closest_name(name, SHAPES.iter().map(|shape| shape.name)).unwrap_or_default(),
        })
    }

    /// Makes the shape from the given values; others have their defaults.
    pub fn with(&self, given: &BTreeMap<String, Value>) -> Result<Shared, ParameterError> {
        (self.make)(&Parameters::resolve(self.name, self.parameters, given)?)
    }
}

/// Makes a shape by its name: `shape("ball", [("radius", 0.5.into())])`.
pub fn shape<'a>(name: &str, given: impl IntoIterator<Item = (&'a str, Value)>) -> Result<Shared, ParameterError> {
    let given = given.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
    Shape::find(name)?.with(&given)
}

const fn position(name: &'static str, default: &'static [f64; 3], doc: &'static str) -> Parameter {
    Parameter { name, kind: Kind::VECTOR, default: Preset::Numbers(default), doc, unit: "m" }
}

const fn length(name: &'static str, default: &'static [f64; 1], doc: &'static str) -> Parameter {
    Parameter { name, kind: Kind::LENGTH, default: Preset::Numbers(default), doc, unit: "m" }
}

/// A length that may be 0.
const fn width(name: &'static str, default: &'static [f64; 1], doc: &'static str) -> Parameter {
    let kind = Kind::Number { components: 1, range: Range::NotNegative };
    Parameter { name, kind, default: Preset::Numbers(default), doc, unit: "m" }
}
