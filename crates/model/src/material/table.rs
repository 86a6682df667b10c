//! The table of materials: a line each. The facts of a material are in its own file.

use super::hooke::Given;
use super::{
    Law, arap, corotational, fibre_reinforced, linear, mooney_rivlin, neo_hookean, neo_hookean_isochoric, ogden,
    stable_neo_hookean, stvk,
};
use crate::parameter::{Parameter, ParameterError, Parameters, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// The deformations for which a material has an energy, by the volume det F.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Defined {
    /// For all.
    Everywhere,
    /// For det F not zero: inside out as well, but not flat.
    ForNonzeroVolume,
    /// For det F above zero: not inside out.
    ForPositiveVolume,
}

impl Defined {
    /// Returns whether a tet that is turned inside out has an energy.
    pub fn survives_inversion(self) -> bool {
        self != Defined::ForPositiveVolume
    }

    /// Some words for tables.
    pub fn words(self) -> &'static str {
        match self {
            Defined::Everywhere => "survives inversion",
            Defined::ForNonzeroVolume => "finite when inverted, infinite when flat",
            Defined::ForPositiveVolume => "no energy when inverted",
        }
    }
}

/// A row of [`MATERIALS`]: everything that scenes, contract tests, listings and the manual need.
#[derive(Debug, Clone, Copy)]
pub struct MaterialFacts {
    /// Its name in scenes.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// What it is, in a line.
    pub description: &'static str,
    /// Where the energy comes from.
    pub citation: &'static str,
    /// W(QF) = W(F) for every rotation Q: turning as a whole costs nothing.
    pub rotation_invariant: bool,
    /// W(FQ) = W(F) for every rotation Q: alike in all directions.
    pub isotropic: bool,
    /// For which F the density W, the stress P and dP/dF are finite.
    pub defined: Defined,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Parameters for a sample of this Young's modulus [Pa] and Poisson's ratio at rest. Where there are fibres, these stiffen it
    /// in their direction; ARAP has the shear modulus of these two.
    pub sample: fn(young: f64, poisson: f64) -> Given,
    /// Makes it from checked parameters; use [`MaterialFacts::law`].
    pub make: fn(&Parameters) -> Result<Arc<dyn Law>, ParameterError>,
}

/// Every material.
pub const MATERIALS: &[MaterialFacts] = &[
    linear::MATERIAL,
    corotational::MATERIAL,
    stvk::MATERIAL,
    neo_hookean::MATERIAL,
    neo_hookean_isochoric::MATERIAL,
    stable_neo_hookean::MATERIAL,
    arap::MATERIAL,
    mooney_rivlin::MATERIAL,
    ogden::MATERIAL,
    fibre_reinforced::MATERIAL,
];

impl MaterialFacts {
    /// Checks the given values, fills in the defaults and makes the material.
    pub fn law(&self, given: &BTreeMap<String, Value>) -> Result<Arc<dyn Law>, ParameterError> {
        (self.make)(&Parameters::resolve(self.name, self.parameters, given)?)
    }

    /// Returns its parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<&'static Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }
}

/// The row of [`MATERIALS`] with this name or alias.
pub fn find(name: &str) -> Option<&'static MaterialFacts> {
    MATERIALS.iter().find(|m| m.name == name || m.aliases.contains(&name))
}

/// Makes a material by name: `named("linear", [("young", 1e6), ("poisson", 0.3)])`.
pub fn named<'a, V: Into<Value>>(
    name: &str,
    given: impl IntoIterator<Item = (&'a str, V)>,
) -> Result<Arc<dyn Law>, MaterialError> {
    let facts = find(name).ok_or_else(|| MaterialError::UnknownName { name: name.to_string() })?;
    let given = given.into_iter().map(|(name, value)| (name.to_string(), value.into())).collect();
    facts.law(&given).map_err(MaterialError::Parameter)
}

/// Makes a sample of a material of this name with Young's modulus [Pa] and Poisson's ratio at rest.
pub fn sample(name: &str, young: f64, poisson: f64) -> Result<Arc<dyn Law>, MaterialError> {
    let given = find(name).map(|facts| (facts.sample)(young, poisson)).unwrap_or_default();
    named(name, given)
}

/// Why there is no such material.
#[derive(Debug, Clone, PartialEq)]
pub enum MaterialError {
    /// No row of [`MATERIALS`] has this name or alias.
    UnknownName {
        /// The name asked for.
        name: String,
    },
    /// A parameter is missing, unknown, or has a value that cannot be used.
    Parameter(ParameterError),
}

impl fmt::Display for MaterialError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            MaterialError::UnknownName { name } => {
                let names: Vec<&str> = MATERIALS.iter().map(|m| m.name).collect();
                write!(f, "there is no material \"{name}\"; choose one of {}", names.join(", "))
            }
            MaterialError::Parameter(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for MaterialError {}
