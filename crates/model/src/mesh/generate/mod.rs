//! Mesh generators: a shape from a few numbers.
//!
//! A generator is a file and a row of [`GENERATORS`]. The row declares its parameters, with kind, default and range,
//! so that reading scenes, listing and the manual need no word about any one of them.

use std::collections::BTreeMap;

use super::{Mesh, MeshError, ParameterError, closest_name};

mod ball;
mod chain;
mod cloth;
mod cuboid;
mod cylinder;
mod disc;
mod frame;
mod girder_tower;
mod helix;
mod honeycomb;
mod lattice_bridge;
mod rope;
mod spring_rope;
mod sweep;

pub use crate::parameter::{Kind, Parameter, Parameters, Preset, Range, Value};

/// No generator makes more elements than this: the largest meshes of the field have some millions, and what asks for
/// more is a slip of the keyboard that would exhaust the memory first.
pub const MAX_ELEMENTS: u128 = 50_000_000;

/// A way of making a mesh.
#[derive(Debug)]
pub struct Generator {
    /// Its name in a scene file.
    pub name: &'static str,
    /// What it makes and where, in a sentence.
    pub description: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// How many elements the mesh will have, at least about: known without making it.
    pub elements: fn(&Parameters) -> Result<u128, MeshError>,
    /// Makes the mesh.
    pub build: fn(&Parameters) -> Result<Mesh, MeshError>,
}

/// Every generator.
pub const GENERATORS: &[Generator] = &[
    cuboid::BOX,
    cuboid::BAR,
    cylinder::CYLINDER,
    ball::BALL,
    rope::ROPE,
    spring_rope::SPRING_ROPE,
    cloth::CLOTH,
    chain::CHAIN,
    honeycomb::HONEYCOMB,
    lattice_bridge::LATTICE_BRIDGE,
    girder_tower::GIRDER_TOWER,
];

impl Generator {
    /// The generator of that name.
    pub fn find(name: &str) -> Result<&'static Generator, ParameterError> {
        GENERATORS.iter().find(|generator| generator.name == name).ok_or_else(|| ParameterError::UnknownGenerator {
            name: name.to_string(),
            closest: closest_name(name, GENERATORS.iter().map(|generator| generator.name)).unwrap_or_default(),
        })
    }

    /// Checks the given values, fills in the defaults, and refuses absurd sizes before anything is allocated.
    pub fn resolve(&self, given: &BTreeMap<String, Value>) -> Result<Parameters, MeshError> {
        let parameters = Parameters::resolve(self.name, self.parameters, given)?;
        let elements = (self.elements)(&parameters)?;
        if elements > MAX_ELEMENTS {
            return Err(ParameterError::TooManyElements { generator: self.name, elements, most: MAX_ELEMENTS }.into());
        }
        Ok(parameters)
    }

    /// Makes the mesh from the given values; what is not given has its default.
    pub fn mesh(&self, given: &BTreeMap<String, Value>) -> Result<Mesh, MeshError> {
        (self.build)(&self.resolve(given)?)
    }
}

/// Makes a mesh by the name of its generator: `generate("box", [("cells", [8.0, 2.0, 2.0].into())])`.
pub fn generate<'a>(name: &str, given: impl IntoIterator<Item = (&'a str, Value)>) -> Result<Mesh, MeshError> {
    let given = given.into_iter().map(|(name, value)| (name.to_string(), value)).collect();
    Generator::find(name)?.mesh(&given)
}

#[cfg(test)]
mod tests;
