//! Fluids: free nodes with mass and without elements, whose density is kept.

use crate::collisions::Collider;
use crate::parameter::{Kind, Parameter, Preset};
use numerics::mat3::Vec3;
use std::fmt;

/// Fluid, in the numbering of its owner: of the mesh in a blueprint, of the model in a model.
#[derive(Debug, Clone)]
pub struct Fluid {
    /// Its particles.
    pub nodes: Vec<u32>,
    /// Properties of the liquid.
    pub liquid: Liquid,
    /// Box that the particles stay inside, `[low, high]` [m]; `None` without walls.
    pub walls: Option<[Vec3; 2]>,
    /// Obstacles that the particles stay outside of. Every particle meets every obstacle; the nodes that obstacles name
    /// are ignored.
    pub obstacles: Vec<Collider>,
    /// Coulomb's coefficient at walls. At obstacles and rigid bodies it is the geometric mean with theirs. Zero lets
    /// the fluid slip.
    pub friction: f64,
}

/// Parameters of a fluid.
pub const PARAMETERS: &[Parameter] = &[
    Parameter::required("spacing", Kind::POSITIVE, "m", "distance of particles at rest, twice their radius"),
    Parameter::new("density", Kind::POSITIVE, Preset::Numbers(&[1000.0]), "kg/m^3", "density at rest"),
    Parameter::new("velocity", Kind::VECTOR, Preset::Numbers(&[0.0; 3]), "m/s", "velocity at the beginning"),
    Parameter::new("viscosity", Kind::NOT_NEGATIVE, Preset::Numbers(&[0.0]), "Pa s", "dynamic viscosity"),
    Parameter::new(
        "vorticity",
        Kind::NOT_NEGATIVE,
        Preset::Numbers(&[0.0]),
        "m/s",
        "confinement: acceleration per unit of vorticity",
    ),
    Parameter::optional("bulk_modulus", Kind::POSITIVE, "Pa", "resistance to compression; infinite if left out"),
    Parameter::new(
        "cfl",
        Kind::POSITIVE,
        Preset::Numbers(&[0.3]),
        "",
        "largest displacement of a particle per substep, in radii",
    ),
    Parameter::new(
        "friction",
        Kind::NOT_NEGATIVE,
        Preset::Numbers(&[0.0]),
        "",
        "Coulomb's coefficient at the walls; elsewhere the geometric mean with that of the other body; 0 for no friction",
    ),
];

/// Properties of a liquid.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Liquid {
    /// Distance between particles at rest [m]; a particle has the volume spacing^3 and the radius spacing / 2.
    pub spacing: f64,
    /// Density at rest [kg/m^3].
    pub density: f64,
    /// Bulk modulus [Pa]; infinite for an incompressible liquid.
    pub bulk_modulus: f64,
    /// Dynamic viscosity [Pa s].
    pub viscosity: f64,
    /// Vorticity confinement: acceleration per unit of vorticity [m/s].
    pub vorticity: f64,
    /// Largest displacement of a particle in a substep, in radii.
    pub cfl: f64,
}

impl Liquid {
    /// Returns the mass of a particle [kg].
    pub fn particle_mass(&self) -> f64 {
        self.density * self.spacing.powi(3)
    }
}

/// Reason why a fluid cannot be simulated.
#[derive(Debug, Clone, PartialEq)]
pub enum FluidError {
    /// A number is out of range.
    OutOfRange {
        /// Name of the quantity.
        what: &'static str,
        /// Given value.
        value: f64,
    },
    /// Fluids of one scene have particles of different sizes.
    TwoSpacings {
        /// Both spacings [m].
        spacings: [f64; 2],
    },
    /// A particle belongs to two fluids, or is fixed or scripted.
    NotFree {
        /// Node number in the mesh.
        node: usize,
    },
    /// The box of walls is too small for a particle.
    NoRoom {
        /// The box [m].
        walls: [Vec3; 2],
        /// Diameter of a particle [m].
        spacing: f64,
    },
}

impl fmt::Display for FluidError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FluidError::OutOfRange { what, value } => {
                write!(f, "the {what} of a fluid is {value}: give a number in its range")
            }
            FluidError::TwoSpacings { spacings: [a, b] } => write!(
                f,
                "fluids with a spacing of {a} m and of {b} m cannot meet: give all fluids of a scene one spacing"
            ),
            FluidError::NotFree { node } => {
                write!(f, "particle {node} is fixed, scripted or part of two fluids: leave particles free, each in one")
            }
            FluidError::NoRoom { walls: [low, high], spacing } => write!(
                f,
                "the walls from {low:?} to {high:?} have no room for particles {spacing} m apart: move them apart"
            ),
        }
    }
}

impl std::error::Error for FluidError {}

impl Fluid {
    /// Checks that every number is in range.
    pub fn check(&self) -> Result<(), FluidError> {
        let Liquid { spacing, density, bulk_modulus, viscosity, vorticity, cfl } = self.liquid;
        let positive = |value: f64| value > 0.0 && value.is_finite();
        let not_negative = |value: f64| value >= 0.0 && value.is_finite();
        for (what, value, good) in [
            ("spacing", spacing, positive(spacing) && positive(spacing.powi(5))),
            ("density", density, positive(density)),
            ("bulk modulus", bulk_modulus, bulk_modulus > 0.0),
            ("viscosity", viscosity, not_negative(viscosity)),
            ("vorticity", vorticity, not_negative(vorticity)),
            ("cfl bound", cfl, positive(cfl)),
            ("friction", self.friction, not_negative(self.friction)),
        ] {
            if !good {
                return Err(FluidError::OutOfRange { what, value });
            }
        }
        match self.walls {
            // Negated, so that NaN counts as no room.
            Some([low, high]) if !(0..3).all(|c| high[c] - low[c] >= spacing * (1.0 - 1e-9)) => {
                Err(FluidError::NoRoom { walls: [low, high], spacing })
            }
            _ => Ok(()),
        }
    }
}
