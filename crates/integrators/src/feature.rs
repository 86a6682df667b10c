//! Features that not every method supports.

/// A feature of scenes that not every method supports.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feature {
    /// A mass matrix that couples nodes.
    ConsistentMass,
    /// Damping by the stiffness at rest, in any configuration.
    DampingAtRest,
    /// Particles with a density constraint.
    Fluids,
    /// Contact as a constraint.
    Contact,
    /// Contact by impulses after each step.
    Impulses,
    /// Whole bodies that respond to such impulses within the step.
    Response,
    /// Rigid bodies and their joints.
    RigidBodies,
    /// Parts that take small steps.
    Regions,
    /// A fluid so viscous that it has no inertia, whose drag couples all nodes.
    StokesFlow,
    /// Nodes outside of such a fluid, where there is one.
    DryNodes,
}

impl Feature {
    /// Returns the end of an error sentence that begins with the method: the missing feature, and the remedy.
    pub fn lack(self) -> &'static str {
        match self {
            Feature::ConsistentMass => {
                "needs a separate mass for each node, and a consistent mass couples nodes; use mass = \"lumped\""
            }
            Feature::Fluids => "has no forces for the particles of a fluid; use no [[fluid]]",
            Feature::RigidBodies => "moves nodes only and cannot rotate rigid bodies; use no [[rigid]] and [[joint]]",
            Feature::DampingAtRest => {
                "damps by its current constraints, not by the stiffness at rest; use reference = \"current\""
            }
            Feature::Regions => "takes the same step everywhere; use no [[integrator.region]]",
            Feature::StokesFlow => {
                "does not couple bodies through a fluid without inertia; use linearly-implicit-euler, ere or backward-euler, or no [stokes]"
            }
            Feature::DryNodes => {
                "moves bodies by their drag alone, and some nodes are in no fluid; wet all bodies, or use backward-euler"
            }
            Feature::Impulses => {
                "keeps bodies apart within its own small steps; use contact = \"constraint\" and kind = \"constraint\""
            }
            Feature::Response => {
                "does not solve with M + h D + h^2 K, by which whole bodies respond to impulses; use response = \"nodes\""
            }
            Feature::Contact => "uses forces, not constraints; use contact = \"impulses\" and kind = \"impulses\"",
        }
    }
}
