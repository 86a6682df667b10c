//! Fluids of a scene, as the file describes them.

use crate::mark::Mark;
use model::Liquid;
use numerics::mat3::Vec3;

/// A fluid: a box of particles.
#[derive(Debug, Clone, PartialEq)]
pub struct Fluid {
    /// Name, unique in the scene.
    pub name: String,
    /// Box that is filled with particles, lowest and highest corner [m].
    pub filled: [Vec3; 2],
    /// Properties of the liquid.
    pub liquid: Liquid,
    /// Velocity at the beginning [m/s].
    pub velocity: Vec3,
    /// Box that particles stay in, lowest and highest corner [m].
    pub walls: Option<[Vec3; 2]>,
    /// Coulomb's coefficient at the walls.
    pub friction: f64,
    /// Mark of the fluid.
    pub at: Mark,
}
