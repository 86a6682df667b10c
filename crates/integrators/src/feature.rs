//! What not every method can do.

/// Something a scene may ask for that not every method can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// A mass matrix that couples nodes.
    ConsistentMass,
    /// Damping by the stiffness at rest, wherever the body is.
    DampingAtRest,
    /// Particles that keep a density.
    Fluids,
    /// Contact as a constraint.
    Contact,
    /// Bodies that turn without bending, and their joints.
    RigidBodies,
    /// Parts that take more steps than the rest.
    Regions,
}

impl Feature {
    /// What a method that does not serve it lacks, and what to do: the end of a sentence that begins with the method.
    pub fn lack(self) -> &'static str {
        match self {
            Feature::ConsistentMass => {
                "moves every node by a mass of its own, and a consistent mass couples nodes; use mass = \"lumped\""
            }
            Feature::Fluids => "has no forces for the particles of a fluid; use no [[fluid]]",
            Feature::RigidBodies => "knows nodes only, and rigid bodies turn; use no [[rigid]] and [[joint]]",
            Feature::DampingAtRest => {
                "damps what its constraints resist where they are, not the stiffness at rest; use reference = \"current\""
            }
            Feature::Regions => "steps everything at once; use no [[integrator.region]]",
            Feature::Contact => "knows forces and no constraints; use kind = \"penalty\" with a plane or a ball",
        }
    }
}
