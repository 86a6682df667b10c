//! A model in a few calls, in the numbering of its meshes: [`Builder`].

use model::energy::EnergyPart;
use model::energy::contact::Obstacle;
use model::energy::spring;
use model::load::Profile;
use model::material::Law;
use model::mesh::Mesh;
use model::{Basis, Blueprint, LoadPart, Model, ModelError, SolidPart, SpringPart};
use numerics::mat3::Vec3;
use std::ops::Range;
use std::sync::Arc;

/// Puts bodies into one world and builds its [`Model`].
///
/// Nodes and tets are numbered consecutively in the order in which bodies are added. For everything else (fluids, rigid
/// bodies, contact as a constraint, regions) use the [`Blueprint`] from [`Builder::blueprint_mut`].
///
/// ```
/// use model::material;
/// use model::mesh::generate::generate;
/// use simulation::Builder;
///
/// let mut world = Builder::new([0.0, 0.0, -9.81]);
/// let rubber = material::named("stable-neo-hookean", [("young", 1e6), ("poisson", 0.45)])?;
/// let bar = world.solid(&generate("bar", [])?, rubber, 1000.0);
/// world.fix(&bar, |x| x[0] < 1e-9);
/// let model = world.build()?;
/// assert!(model.free_nodes() < model.nodes());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Builder {
    blueprint: Blueprint,
    gravity: Vec3,
}

/// A body that was added to a [`Builder`]: its nodes and tets in the mesh of the world.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedBody {
    /// Its nodes.
    pub nodes: Range<usize>,
    /// Its tets.
    pub tets: Range<usize>,
}

impl Builder {
    /// Returns an empty world with this acceleration of gravity [m/s^2].
    pub fn new(gravity: Vec3) -> Builder {
        Builder { blueprint: Blueprint::default(), gravity }
    }

    /// Adds a body of tets of one material and density [kg/m^3].
    pub fn solid(&mut self, mesh: &Mesh, material: Arc<dyn Law>, density: f64) -> AddedBody {
        let body = self.add(mesh);
        let tets = (body.tets.start as u32..body.tets.end as u32).collect();
        self.blueprint.solids.push(SolidPart::new(tets, material, density));
        body
    }

    /// Adds a body of springs along the edges of a mesh, all of one stiffness [N/m], with a mass at each node [kg].
    pub fn springs(&mut self, mesh: &Mesh, law: spring::Law, stiffness: f64, node_mass: f64) -> AddedBody {
        let body = self.add(mesh);
        let first = body.nodes.start as u32;
        let pairs = mesh.edges.iter().map(|edge| edge.map(|node| node + first)).collect();
        self.blueprint.springs.push(SpringPart { pairs, law, stiffness });
        self.blueprint.node_masses.extend(body.nodes.clone().map(|node| (node as u32, node_mass)));
        body
    }

    /// Adds elements of an energy of your own, made by [`model::energy::part`] from nodes of the world.
    pub fn energy(&mut self, part: Box<dyn EnergyPart>) {
        self.blueprint.energies.push(part);
    }

    /// Holds the nodes of a body whose position at rest [m] fulfils a condition.
    pub fn fix(&mut self, body: &AddedBody, is_held: impl Fn(Vec3) -> bool) {
        let nodes = self.select(body, is_held);
        self.blueprint.fixed.extend(nodes);
    }

    /// Spreads a force [N] over the nodes of a body whose position at rest [m] fulfils a condition, by their mass.
    pub fn force(&mut self, body: &AddedBody, is_pushed: impl Fn(Vec3) -> bool, force: Vec3) {
        let nodes = self.select(body, is_pushed);
        self.blueprint.loads.push(LoadPart {
            nodes,
            basis: Basis::Total,
            direction: force,
            profile: Profile::Constant,
        });
    }

    /// Keeps all present nodes on the side of a plane that its unit normal points to, by a penalty of this stiffness
    /// per node [N/m].
    pub fn plane(&mut self, point: Vec3, normal: Vec3, stiffness: f64) {
        let nodes = (0..self.blueprint.mesh.points.len() as u32).collect();
        self.blueprint.contacts.push((Obstacle::Plane { point, normal }, nodes, stiffness));
    }

    /// Sets Rayleigh damping by mass [1/s] and stiffness [s].
    pub fn damping(&mut self, mass: f64, stiffness: f64) {
        self.blueprint.damping = [mass, stiffness];
    }

    /// Returns the blueprint, with everything that a model can be made of.
    pub fn blueprint_mut(&mut self) -> &mut Blueprint {
        &mut self.blueprint
    }

    /// Builds the model, which any number of simulations may share.
    pub fn build(mut self) -> Result<Arc<Model>, ModelError> {
        if self.gravity != [0.0; 3] {
            let nodes = (0..self.blueprint.mesh.points.len() as u32).collect();
            let gravity = LoadPart { nodes, basis: Basis::Mass, direction: self.gravity, profile: Profile::Constant };
            self.blueprint.loads.push(gravity);
        }
        self.blueprint.build().map(Arc::new)
    }

    fn add(&mut self, mesh: &Mesh) -> AddedBody {
        let all = &mut self.blueprint.mesh;
        let (nodes, tets) = (all.points.len(), all.tets.len());
        all.append(mesh);
        AddedBody { nodes: nodes..all.points.len(), tets: tets..all.tets.len() }
    }

    fn select(&self, body: &AddedBody, is_wanted: impl Fn(Vec3) -> bool) -> Vec<u32> {
        let points = &self.blueprint.mesh.points;
        body.nodes.clone().filter(|&node| is_wanted(points[node])).map(|node| node as u32).collect()
    }
}
