//! Fluids: free nodes with mass and without elements, which keep a density.

use crate::collisions::Collider;
use numerics::mat3::Vec3;
use std::fmt;

/// A fluid in the numbering of whoever holds it: of the mesh in a blueprint, of the model in a model.
#[derive(Debug, Clone)]
pub struct Fluid {
    /// Its particles.
    pub nodes: Vec<u32>,
    /// What the fluid is.
    pub liquid: Liquid,
    /// Inside of which box the particles stay, `[low, high]` [m], if there is one.
    pub walls: Option<[Vec3; 2]>,
    /// Outside of what they stay; each particle meets each, whatever nodes these name.
    pub obstacles: Vec<Collider>,
    /// Coulomb's coefficient at walls; at obstacles and rigid bodies the geometric mean with theirs counts. Zero lets the fluid slip.
    pub friction: f64,
}

/// What a fluid is made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Liquid {
    /// Distance of particles at rest [m]; a particle has the volume spacing^3 and the radius spacing / 2.
    pub spacing: f64,
    /// Density at rest [kg/m^3].
    pub density: f64,
    /// What it resists compression with [Pa]; infinite for an incompressible one.
    pub bulk_modulus: f64,
    /// Dynamic viscosity [Pa s].
    pub viscosity: f64,
    /// Vorticity confinement: acceleration for each unit of vorticity [m/s].
    pub vorticity: f64,
    /// How far a particle may move in a substep, in radii.
    pub cfl: f64,
}

impl Liquid {
    /// The mass of a particle [kg].
    pub fn particle_mass(&self) -> f64 {
        self.density * self.spacing.powi(3)
    }
}

/// Why a fluid cannot be simulated.
#[derive(Debug, Clone, PartialEq)]
pub enum FluidError {
    /// A number out of its range.
    OutOfRange {
        /// Which.
        what: &'static str,
        /// What it is.
        value: f64,
    },
    /// Fluids of one scene whose particles differ in size.
    TwoSpacings {
        /// Both [m].
        spacings: [f64; 2],
    },
    /// A particle that belongs to two fluids, or that is fixed or scripted.
    NotFree {
        /// Its number in the mesh.
        node: usize,
    },
    /// A box of walls with no room for a particle.
    NoRoom {
        /// The box [m].
        walls: [Vec3; 2],
        /// The diameter of a particle [m].
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
    /// Whether every number is in its range.
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
            // Asked as "is there room", so that NaN counts as none.
            Some([low, high]) if !(0..3).all(|c| high[c] - low[c] >= spacing * (1.0 - 1e-9)) => {
                Err(FluidError::NoRoom { walls: [low, high], spacing })
            }
            _ => Ok(()),
        }
    }
}
