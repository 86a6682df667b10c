//! Mesh generators: shapes from a few numbers.
//!
//! A generator is one file and one row of [`GENERATORS`]. The row declares its parameters, with kind, default and
//! range. Reading scenes, listing and the manual need no code for a single generator.

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
mod sphere;
mod spring_rope;
mod sweep;

pub use crate::parameter::{Kind, Parameter, Parameters, Preset, Range, Value};

/// Limit of elements per mesh. The largest meshes of the field have a few million; a larger request is a typing error
/// that would exhaust the memory.
pub const MAX_ELEMENTS: u128 = 50_000_000;

/// Mesh generator.
#[derive(Debug)]
pub struct Generator {
    /// Name in scene files.
    pub name: &'static str,
    /// Shape and position, in one sentence.
    pub description: &'static str,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Returns the number of elements of the mesh, at least approximately, without building it.
    pub elements: fn(&Parameters) -> Result<u128, MeshError>,
    /// The mesh is one flat sheet in the plane z = 0, which a picture can be spread over.
    pub is_sheet: bool,
    /// Makes the mesh.
    pub build: fn(&Parameters) -> Result<Mesh, MeshError>,
}

/// Every generator.
pub const GENERATORS: &[Generator] = &[
    cuboid::BOX,
    cuboid::BAR,
    cylinder::CYLINDER,
    ball::BALL,
    sphere::SPHERE,
    rope::ROPE,
    spring_rope::SPRING_ROPE,
    cloth::CLOTH,
    chain::CHAIN,
    honeycomb::HONEYCOMB,
    lattice_bridge::LATTICE_BRIDGE,
    girder_tower::GIRDER_TOWER,
];

impl Generator {
    /// Returns the generator of this name.
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

    /// Makes the mesh from the given values; missing ones take their defaults.
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
