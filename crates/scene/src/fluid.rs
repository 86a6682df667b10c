//! Fluids of a scene, as the file says them.

use crate::mark::Mark;
use model::Liquid;
use numerics::mat3::Vec3;

/// A fluid: a box of particles.
#[derive(Debug, Clone, PartialEq)]
pub struct Fluid {
    /// Its name, unlike all others.
    pub name: String,
    /// What is filled with particles, lowest and highest corner [m].
    pub filled: [Vec3; 2],
    /// What it is made of.
    pub liquid: Liquid,
    /// Velocity at the beginning [m/s].
    pub velocity: Vec3,
    /// The box particles stay in, lowest and highest corner [m].
    pub walls: Option<[Vec3; 2]>,
    /// Coulomb's coefficient at the walls.
    pub friction: f64,
    /// Mark of the fluid.
    pub at: Mark,
}
