//! From a description to a [`Model`]: numbering, mass, groups, pattern.
//!
//! A [`Blueprint`] is plain data in the numbering of its mesh. Building it checks what only the
//! whole can tell (every node has mass, the mesh is sound) and renumbers the nodes.

mod checks;
mod error;
mod mass;
mod numbering;
mod terms;

pub use error::{FibreError, ModelError};

use crate::collisions::Collisions;
use crate::energy::contact::{Obstacle, Projection};
use crate::energy::spring::Law;
use crate::energy::{Part, Stiffness};
use crate::fluid::Fluid;
use crate::joint::Joint;
use crate::load::{Load, Profile};
use crate::mass::Mass;
use crate::material::Law as MaterialLaw;
use crate::mesh::Mesh;
use crate::model::{Damping, Model};
use crate::region::{self, Region};
use crate::rigid::Rigid;
use crate::script::{Motion, Script};
use numbering::Numbering;
use numerics::blocks::{BlockMatrix, Pattern};
use numerics::mat3::Vec3;
use std::sync::Arc;

/// Everything a model is made of, in the numbering of `mesh`.
#[derive(Default)]
pub struct Blueprint {
    /// All bodies in one mesh.
    pub mesh: Mesh,
    /// Tets and what they are made of.
    pub solids: Vec<SolidPart>,
    /// Springs between nodes.
    pub springs: Vec<SpringPart>,
    /// Springs from each vertex of these tets to the centroid of the opposite face.
    pub face_springs: Vec<FaceSpringPart>,
    /// Energies that this crate does not know.
    pub energies: Vec<Box<dyn Part>>,
    /// Masses added to nodes: node, mass [kg].
    pub node_masses: Vec<(u32, f64)>,
    /// Nodes that never move.
    pub fixed: Vec<u32>,
    /// Nodes that follow a motion.
    pub scripts: Vec<(Vec<u32>, Motion)>,
    /// Forces from outside.
    pub loads: Vec<LoadPart>,
    /// Penalty contact: obstacle, nodes, stiffness a node [N/m].
    pub contacts: Vec<(Obstacle, Vec<u32>, f64)>,
    /// Hard balls.
    pub projections: Vec<Projection>,
    /// Fluids; building gives their particles mass.
    pub fluids: Vec<Fluid>,
    /// Contact as a constraint.
    pub collisions: Option<Collisions>,
    /// Rigid bodies; `node_masses` has the mass of their centres.
    pub rigids: Vec<Rigid>,
    /// Joints between rigid bodies, nodes and the world.
    pub joints: Vec<Joint>,
    /// Parts that take more steps than the rest, for methods that know such.
    pub regions: Vec<Region>,
    /// Alpha [1/s] and beta [s] of Rayleigh damping.
    pub damping: [f64; 2],
    /// Whether beta multiplies the stiffness at rest, not the current one.
    pub damp_at_rest: bool,
    /// Whether the mass of tets is consistent, not lumped.
    pub consistent_mass: bool,
    /// Which stiffness methods use.
    pub stiffness: Stiffness,
}

/// Tets of one material.
#[derive(Clone)]
pub struct SolidPart {
    /// Numbers of the tets in the mesh.
    pub tets: Vec<u32>,
    /// What they are made of.
    pub material: Arc<dyn MaterialLaw>,
    /// Density [kg/m^3].
    pub density: f64,
    /// Directions of fibres, of any length, for materials that have some: one for all tets, one per tet, or none for the axis of the
    /// material.
    pub fibres: Vec<Vec3>,
}

impl SolidPart {
    /// Tets of one material and density [kg/m^3], fibres along the axis of the material.
    pub fn new(tets: Vec<u32>, material: Arc<dyn MaterialLaw>, density: f64) -> SolidPart {
        SolidPart { tets, material, density, fibres: Vec::new() }
    }
}

/// Springs of one law and stiffness.
pub struct SpringPart {
    /// Pairs of nodes; the rest length is their distance in the mesh.
    pub pairs: Vec<[u32; 2]>,
    /// How the pull grows.
    pub law: Law,
    /// Stiffness k [N/m].
    pub stiffness: f64,
}

/// Vertex-to-opposite-face springs of one law and stiffness, four a tet.
pub struct FaceSpringPart {
    /// Numbers of the tets in the mesh.
    pub tets: Vec<u32>,
    /// How the pull grows.
    pub law: Law,
    /// Stiffness k [N/m].
    pub stiffness: f64,
}

/// What a load is proportional to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// The mass of each node: the direction is an acceleration [m/s^2].
    Mass,
    /// The area of the surface around each node: the direction is a pressure [Pa].
    Area,
    /// A share of one, by mass: the direction is the whole force [N].
    Total,
}

/// A load on some nodes.
pub struct LoadPart {
    /// Nodes it acts on; those that are not free are left out.
    pub nodes: Vec<u32>,
    /// What it is proportional to.
    pub basis: Basis,
    /// Acceleration, pressure or force.
    pub direction: Vec3,
    /// How it changes with time.
    pub profile: Profile,
}

impl Blueprint {
    /// Builds the model.
    pub fn build(self) -> Result<Model, ModelError> {
        self.mesh.validate().map_err(ModelError::Mesh)?;
        if self.consistent_mass && !self.scripts.is_empty() {
            return Err(ModelError::ConsistentMassWithScripts);
        }
        self.check_energies()?;
        let numbering = Numbering::new(&self)?;
        self.check_fluids(&numbering).map_err(ModelError::Fluid)?;
        self.check_rigids(&numbering).map_err(ModelError::Rigid)?;
        let mut terms = self.terms(&numbering)?;
        let free = numbering.free;
        let regions = region::settle(&self.regions, free, |i| numbering.of(i), &numbering.origin, &terms)
            .map_err(ModelError::Region)?;
        let cliques = || terms.iter().flat_map(|term| (0..term.count()).map(|e| term.nodes(e)));
        let pattern = Arc::new(Pattern::from_cliques(free, cliques()));
        terms.iter_mut().for_each(|term| term.freeze(&pattern));

        let node_mass = self.node_mass(&numbering);
        if let Some(i) = (0..free).find(|&i| node_mass[i] <= 0.0) {
            return Err(ModelError::NoMass { node: numbering.origin[i] as usize });
        }
        let mass = if self.consistent_mass {
            Mass::Consistent(self.consistent_mass(&numbering, &pattern))
        } else {
            Mass::Lumped(node_mass[..free].to_vec())
        };

        let rest: Vec<f64> = numbering.origin.iter().flat_map(|&i| self.mesh.points[i as usize]).collect();
        let loads = self.loads.iter().map(|load| self.load(load, &numbering, &node_mass)).collect();
        let renumber = |nodes: &[u32]| nodes.iter().map(|&i| numbering.of(i)).collect::<Vec<_>>();
        let scripts = self
            .scripts
            .iter()
            .map(|(nodes, motion)| Script { nodes: renumber(nodes), motion: motion.clone() })
            .collect();
        let projections = self
            .projections
            .iter()
            .map(|p| Projection {
                nodes: renumber(&p.nodes).into_iter().filter(|&i| (i as usize) < free).collect(),
                ..p.clone()
            })
            .collect();

        let fluids = self.fluids.iter().map(|fluid| Fluid { nodes: renumber(&fluid.nodes), ..fluid.clone() }).collect();
        let collisions = self.collisions.as_ref().map(|c| c.renumbered(free, &numbering.origin, |i| numbering.of(i)));

        let rigids = self.rigids.iter().map(|rigid| rigid.renumbered(|i| numbering.of(i))).collect();
        let joints = self.joints.iter().map(|joint| joint.renumbered(|i| numbering.of(i))).collect();
        let penalties = self.penalties(&numbering);
        let damping = Damping { mass: self.damping[0], stiffness: self.damping[1], at_rest: None };
        let Numbering { number, origin, .. } = numbering;
        let stiffness = self.stiffness;
        let mut model = Model {
            free,
            rest,
            node_mass,
            origin,
            number,
            terms: terms.into(),
            pattern,
            mass,
            damping,
            stiffness,
            loads,
            forces: Vec::new(),
            scripts,
            projections,
            fluids,
            collisions,
            rigids,
            joints,
            regions,
            penalties,
        };
        if self.damp_at_rest && self.damping[1] != 0.0 {
            let mut k = BlockMatrix::zeros(model.pattern.clone());
            model.stiffness(stiffness, &model.rest, &mut k);
            model.damping.at_rest = Some(k);
        }
        Ok(model)
    }

    fn load(&self, load: &LoadPart, numbering: &Numbering, node_mass: &[f64]) -> Load {
        let nodes: Vec<u32> =
            load.nodes.iter().map(|&i| numbering.of(i)).filter(|&i| (i as usize) < numbering.free).collect();
        let weight: Box<dyn Fn(u32) -> f64> = match load.basis {
            Basis::Mass => Box::new(|i| node_mass[i as usize]),
            Basis::Area => {
                let areas = self.mesh.nodal_areas();
                Box::new(move |i| areas[numbering.origin[i as usize] as usize])
            }
            Basis::Total => {
                let all: f64 = nodes.iter().map(|&i| node_mass[i as usize]).sum();
                Box::new(move |i| node_mass[i as usize] / all)
            }
        };
        let weights = nodes.iter().map(|&i| (i, weight(i))).collect();
        Load { weights, direction: load.direction, profile: load.profile }
    }
}
