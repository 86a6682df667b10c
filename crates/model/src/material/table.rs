//! Table of materials, one line each. The facts of a material are in its own file.

use super::hooke::Given;
use super::{
    Law, arap, corotational, fibre_reinforced, linear, mooney_rivlin, neo_hookean, neo_hookean_isochoric, ogden,
    stable_neo_hookean, stvk,
};
use crate::parameter::{Kind, Parameter, ParameterError, Parameters, Value};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

/// Deformations for which a material has an energy, by the volume ratio det F.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Defined {
    /// All deformations.
    Everywhere,
    /// det F not zero: inverted as well, but not flat.
    ForNonzeroVolume,
    /// det F above zero: not inverted.
    ForPositiveVolume,
}

impl Defined {
    /// Returns true if an inverted tet has an energy.
    pub fn survives_inversion(self) -> bool {
        self != Defined::ForPositiveVolume
    }

    /// Returns a description for tables.
    pub fn words(self) -> &'static str {
        match self {
            Defined::Everywhere => "survives inversion",
            Defined::ForNonzeroVolume => "finite when inverted, infinite when flat",
            Defined::ForPositiveVolume => "no energy when inverted",
        }
    }
}

/// Density, a parameter of every material.
pub const DENSITY: Parameter = Parameter::required(
    "density",
    Kind::positive_because("what has no mass has no acceleration: water has 1000"),
    "kg/m^3",
    "density",
);

/// Row of [`MATERIALS`]: everything that scenes, contract tests, listings and the manual need.
#[derive(Debug, Clone, Copy)]
pub struct MaterialFacts {
    /// Name in scenes.
    pub name: &'static str,
    /// Other names.
    pub aliases: &'static [&'static str],
    /// Description in one line.
    pub description: &'static str,
    /// Source of the energy.
    pub citation: &'static str,
    /// W(QF) = W(F) for every rotation Q: rotating the body costs no energy.
    pub rotation_invariant: bool,
    /// W(FQ) = W(F) for every rotation Q: isotropic.
    pub isotropic: bool,
    /// Deformations F for which the density W, the stress P and dP/dF are finite.
    pub defined: Defined,
    /// Its parameters.
    pub parameters: &'static [Parameter],
    /// Returns parameters for a sample with this Young's modulus [Pa] and Poisson's ratio at rest. Fibres make it
    /// stiffer in their direction; ARAP has the shear modulus of these two.
    pub sample: fn(young: f64, poisson: f64) -> Given,
    /// Makes the material from checked parameters; use [`MaterialFacts::law`].
    pub make: fn(&Parameters) -> Result<Arc<dyn Law>, ParameterError>,
}

/// Every material.
pub static MATERIALS: &[MaterialFacts] = &[
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

    /// Returns the parameter of this name.
    pub fn parameter(&self, name: &str) -> Option<&'static Parameter> {
        self.parameters.iter().find(|parameter| parameter.name == name)
    }
}

/// Returns the row of [`MATERIALS`] with this name or alias.
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

/// Reason why a material cannot be made.
#[derive(Debug, Clone, PartialEq)]
pub enum MaterialError {
    /// No row of [`MATERIALS`] has this name or alias.
    UnknownName {
        /// Requested name.
        name: String,
    },
    /// A parameter is missing, unknown, or has an unusable value.
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
