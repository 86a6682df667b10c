//! Building of a [`Model`] from its description: numbering, mass, groups, pattern.
//!
//! A [`Blueprint`] is plain data in the numbering of its mesh. Building it checks what concerns the whole model (every
//! node has mass, the mesh is valid) and renumbers the nodes.

mod checks;
mod error;
mod mass;
mod numbering;
mod terms;

pub use error::{FibreError, ModelError};

use crate::collisions::Collisions;
use crate::damping::Damping;
use crate::energy::contact::{Obstacle, Projection};
use crate::energy::spring::Law;
use crate::energy::{EnergyPart, Stiffness};
use crate::fluid::Fluid;
use crate::joint::Joint;
use crate::load::{Load, Profile};
use crate::mass::Mass;
use crate::material::Law as MaterialLaw;
use crate::mesh::Mesh;
use crate::model::Model;
use crate::region::{self, Region};
use crate::rigid::Rigid;
use crate::script::{Motion, Script};
use crate::stokes::{Motor, Stokes};
use numbering::Numbering;
use numerics::blocks::{BlockMatrix, Pattern};
use numerics::mat3::Vec3;
use std::sync::Arc;

/// Complete description of a model, in the numbering of `mesh`.
#[derive(Default)]
pub struct Blueprint {
    /// All bodies in one mesh.
    pub mesh: Mesh,
    /// Tets with their materials.
    pub solids: Vec<SolidPart>,
    /// Springs between nodes.
    pub springs: Vec<SpringPart>,
    /// Springs from each vertex of these tets to the centroid of the opposite face.
    pub face_springs: Vec<FaceSpringPart>,
    /// User-supplied energies.
    pub energies: Vec<Box<dyn EnergyPart>>,
    /// Masses added to nodes: node, mass [kg].
    pub node_masses: Vec<(u32, f64)>,
    /// Nodes that never move.
    pub fixed: Vec<u32>,
    /// Scripted nodes with their motions.
    pub scripts: Vec<(Vec<u32>, Motion)>,
    /// External forces.
    pub loads: Vec<LoadPart>,
    /// Penalty contact: obstacle, nodes, stiffness per node [N/m].
    pub contacts: Vec<(Obstacle, Vec<u32>, f64)>,
    /// Hard balls, from which nodes are projected.
    pub projections: Vec<Projection>,
    /// Fluids; building the model gives their particles mass.
    pub fluids: Vec<Fluid>,
    /// Contact as a constraint.
    pub collisions: Option<Collisions>,
    /// Rigid bodies; `node_masses` holds the mass of their centres.
    pub rigids: Vec<Rigid>,
    /// Joints between rigid bodies, nodes and the world.
    pub joints: Vec<Joint>,
    /// Fluid without inertia that bodies are in.
    pub stokes: Option<Stokes>,
    /// Motors.
    pub motors: Vec<Motor>,
    /// Regions that take more steps than the rest, for methods that support it.
    pub regions: Vec<Region>,
    /// Alpha [1/s] and beta [s] of Rayleigh damping.
    pub damping: [f64; 2],
    /// Beta multiplies the stiffness at rest, not the current one.
    pub damp_at_rest: bool,
    /// The mass of tets is consistent, not lumped.
    pub consistent_mass: bool,
    /// Kind of stiffness that methods use.
    pub stiffness: Stiffness,
}

/// Tets of one material.
#[derive(Clone)]
pub struct SolidPart {
    /// Numbers of the tets in the mesh.
    pub tets: Vec<u32>,
    /// Material of the tets.
    pub material: Arc<dyn MaterialLaw>,
    /// Density [kg/m^3].
    pub density: f64,
    /// Directions of fibres, of any length, for materials with fibres: one for all tets, one per tet, or none to use
    /// the axis of the material.
    pub fibres: Vec<Vec3>,
}

impl SolidPart {
    /// Describes tets of one material and density [kg/m^3], with fibres along the axis of the material.
    pub fn new(tets: Vec<u32>, material: Arc<dyn MaterialLaw>, density: f64) -> SolidPart {
        SolidPart { tets, material, density, fibres: Vec::new() }
    }
}

/// Springs of one law and stiffness.
pub struct SpringPart {
    /// Pairs of nodes; the rest length is their distance in the mesh.
    pub pairs: Vec<[u32; 2]>,
    /// Growth of the pull with elongation.
    pub law: Law,
    /// Stiffness k [N/m].
    pub stiffness: f64,
}

/// Vertex-to-opposite-face springs of one law and stiffness, four per tet.
pub struct FaceSpringPart {
    /// Numbers of the tets in the mesh.
    pub tets: Vec<u32>,
    /// Growth of the pull with elongation.
    pub law: Law,
    /// Stiffness k [N/m].
    pub stiffness: f64,
}

/// Quantity that a load is proportional to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Basis {
    /// Mass of each node: the direction is an acceleration [m/s^2].
    Mass,
    /// Area of the surface around each node: the direction is a pressure [Pa].
    Area,
    /// Share of the total by mass: the direction is the total force [N].
    Total,
}

/// A load on some nodes.
pub struct LoadPart {
    /// Loaded nodes; those that are not free are ignored.
    pub nodes: Vec<u32>,
    /// Quantity that the load is proportional to.
    pub basis: Basis,
    /// Acceleration, pressure or force.
    pub direction: Vec3,
    /// Change with time.
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
        self.check_stokes().map_err(ModelError::Stokes)?;
        let stokes = self.stokes.as_ref().map(|stokes| Arc::new(stokes.renumbered(|i| numbering.of(i))));
        let mut terms = self.terms(&numbering)?;
        let free = numbering.free;
        let regions = region::settle(&self.regions, free, |i| numbering.of(i), &numbering.origin, &terms)
            .map_err(ModelError::Region)?;
        let cliques = || terms.iter().flat_map(|term| (0..term.count()).map(|e| term.nodes(e)));
        // Drag couples all nodes in a fluid.
        let wet = stokes.as_ref().map(|stokes| stokes.nodes()).unwrap_or_default();
        let pattern = Arc::new(Pattern::from_cliques_and_one(free, cliques(), &wet));
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
        let motors: Vec<Motor> = self.motors.iter().map(|motor| motor.renumbered(|i| numbering.of(i))).collect();
        let driven = vec![0.0; if motors.is_empty() { 0 } else { 3 * free }];
        let damping = Damping { mass: self.damping[0], stiffness: self.damping[1], at_rest: None };
        let Numbering { number, origin, .. } = numbering;
        let is_turned = self.stiffness == Stiffness::Auto && terms.iter().any(|term| term.is_self_stressed());
        let stiffness = if is_turned { Stiffness::Turned } else { self.stiffness };
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
            stokes,
            motors,
            driven,
        };
        let rest = model.rest.clone();
        model.drive(&rest);
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
