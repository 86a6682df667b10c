//! From a name in a scene to code compiled for that material alone.
//!
//! Element loops are generic over [`Material`]. A [`MaterialVisitor`] is the piece of code that is to run with the
//! concrete type; [`MaterialKind::visit`] hands it over, once for a whole group of elements.

use std::fmt;

use super::{
    Arap, Corotational, Linear, MATERIALS, Material, MaterialFacts, NeoHookean, NeoHookeanIsochoric, StVenantKirchhoff,
    StableNeoHookean,
};

/// One of the materials of [`MATERIALS`], with its parameters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MaterialKind {
    /// Linear elasticity.
    Linear(Linear),
    /// Hooke's law in the frame of the nearest rotation.
    Corotational(Corotational),
    /// St. Venant-Kirchhoff.
    StVenantKirchhoff(StVenantKirchhoff),
    /// Neo-Hookean.
    NeoHookean(NeoHookean),
    /// Neo-Hookean of shape and volume apart, finite beyond inversion.
    NeoHookeanIsochoric(NeoHookeanIsochoric),
    /// Neo-Hookean, with an energy of inverted tets too.
    StableNeoHookean(StableNeoHookean),
    /// As rigid as possible.
    Arap(Arap),
}

/// Code to run with a material whose type is only known at run time.
pub trait MaterialVisitor {
    /// What it gives back.
    type Out;
    /// Compiled once for each material.
    fn visit<M: Material<K>, const K: usize>(self, material: M) -> Self::Out;
}

/// Why there is no such material.
#[derive(Debug, Clone, PartialEq)]
pub enum MaterialError {
    /// No row of [`MATERIALS`] has this name or alias.
    UnknownName {
        /// What was asked for.
        name: String,
    },
    /// Young's modulus is not a positive number.
    Young {
        /// What was given [Pa].
        young: f64,
    },
    /// Poisson's ratio is not between -1 and 1/2.
    Poisson {
        /// What was given.
        poisson: f64,
    },
}

impl fmt::Display for MaterialError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            MaterialError::UnknownName { name } => {
                let names: Vec<&str> = MATERIALS.iter().map(|m| m.name).collect();
                write!(f, "there is no material \"{name}\"; choose one of {}", names.join(", "))
            }
            MaterialError::Young { young } => {
                write!(f, "Young's modulus is {young} Pa; give a positive number of pascals, such as 1e6 for rubber")
            }
            MaterialError::Poisson { poisson } => {
                write!(f, "Poisson's ratio is {poisson}; give a number above -1 and below 0.5, such as 0.3 for steel")
            }
        }
    }
}

impl std::error::Error for MaterialError {}

/// The row of [`MATERIALS`] with this name or alias.
pub fn find(name: &str) -> Option<&'static MaterialFacts> {
    MATERIALS.iter().find(|m| m.name == name || m.aliases.contains(&name))
}

impl MaterialKind {
    /// The material of this name or alias, with Young's modulus [Pa] and Poisson's ratio.
    pub fn new(name: &str, young: f64, poisson: f64) -> Result<MaterialKind, MaterialError> {
        let facts = find(name).ok_or_else(|| MaterialError::UnknownName { name: name.to_string() })?;
        if !(young > 0.0 && young.is_finite()) {
            return Err(MaterialError::Young { young });
        }
        if !(poisson > -1.0 && poisson < 0.5) {
            return Err(MaterialError::Poisson { poisson });
        }
        Ok((facts.new)(young, poisson))
    }

    /// Runs `visitor` with the concrete material.
    pub fn visit<V: MaterialVisitor>(self, visitor: V) -> V::Out {
        match self {
            MaterialKind::Linear(m) => visitor.visit(m),
            MaterialKind::Corotational(m) => visitor.visit(m),
            MaterialKind::StVenantKirchhoff(m) => visitor.visit(m),
            MaterialKind::NeoHookean(m) => visitor.visit(m),
            MaterialKind::NeoHookeanIsochoric(m) => visitor.visit(m),
            MaterialKind::StableNeoHookean(m) => visitor.visit(m),
            MaterialKind::Arap(m) => visitor.visit(m),
        }
    }
}
