//! Contact by impulses: nothing passes through anything, in random throws of cloth, and the laws of impacts hold.

mod apart;
mod bodies;
mod laws;
mod promises;
mod throws;

use collision::{Pose, Shape};
use integrators::{Options, find};
use model::collisions::{Collider, Collisions, Impulses};
use model::energy::Stiffness;
use model::energy::spring::Law;
use model::load::Profile;
use model::mesh::Mesh;
use model::mesh::generate::generate;
use model::{Basis, Blueprint, LoadPart, SpringPart};
use numerics::mat3::{Vec3, add, mat_vec, rotation, scale, sub, unit};
use simulation::Simulation;
use std::sync::Arc;

/// Random numbers of a test: xorshift.
pub struct Dice(pub u64);

impl Dice {
    /// Returns a number from -1 to 1.
    pub fn any(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1_u64 << 52) as f64 - 1.0
    }

    /// Returns a vector with such numbers.
    pub fn vector(&mut self) -> Vec3 {
        [self.any(), self.any(), self.any()]
    }

    /// Returns a number between two.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + 0.5 * (high - low) * (self.any() + 1.0)
    }
}

/// A world of things that meet by impulses, before its model is built.
pub struct World {
    pub blueprint: Blueprint,
    pub velocities: Vec<Vec3>,
    pub collisions: Collisions,
}

impl World {
    /// Returns an empty world; everything in it keeps this thickness [m].
    pub fn new(thickness: f64) -> World {
        let collisions = Collisions {
            impulses: Some(Impulses::default()),
            triangles: vec![],
            edges: vec![],
            points: vec![],
            body: vec![],
            thickness,
            margin: thickness,
            friction: 0.0,
            max_separation_speed: 1.0,
            within: true,
            between: true,
            colliders: vec![],
        };
        // Throws press springs together, where the exact stiffness is indefinite.
        let blueprint = Blueprint { stiffness: Stiffness::Projected, ..Blueprint::default() };
        World { blueprint, velocities: vec![], collisions }
    }

    /// Adds a mesh with a velocity; returns its first node.
    pub fn add(&mut self, mesh: &Mesh, velocity: Vec3) -> u32 {
        let all = &mut self.blueprint.mesh;
        let first = all.points.len() as u32;
        let body = self.collisions.body.last().map_or(0, |body| body + 1);
        let mut triangles = mesh.boundary_triangles();
        triangles.extend(&mesh.triangles);
        let is_alone = triangles.is_empty() && mesh.edges.is_empty();
        self.collisions.triangles.extend(triangles.iter().map(|t| t.map(|i| i + first)));
        if triangles.is_empty() {
            self.collisions.edges.extend(mesh.edges.iter().map(|e| e.map(|i| i + first)));
        }
        if is_alone {
            self.collisions.points.extend((0..mesh.points.len() as u32).map(|i| i + first));
        }
        self.collisions.body.extend(vec![body; mesh.points.len()]);
        self.velocities.extend(vec![velocity; mesh.points.len()]);
        all.append(mesh);
        first
    }

    /// Adds a square of cloth, turned about a random axis, with springs of stiffness `k` [N/m] and 1 g per node.
    pub fn cloth(&mut self, [side, k]: [f64; 2], cells: u32, middle: Vec3, turn: (Vec3, f64), velocity: Vec3) -> u32 {
        let cells = f64::from(cells);
        let mut mesh = generate("cloth", [("size", [side, side].into()), ("cells", [cells, cells].into())]).unwrap();
        let r = rotation(unit(turn.0), turn.1);
        for p in &mut mesh.points {
            *p = add(middle, mat_vec(&r, sub(*p, [0.5 * side, 0.5 * side, 0.0])));
        }
        let first = self.add(&mesh, velocity);
        let pairs = [&mesh.edges, &mesh.shear, &mesh.bends].into_iter().flatten();
        let pairs = pairs.map(|pair| pair.map(|i| i + first)).collect();
        self.blueprint.springs.push(SpringPart { pairs, law: Law::Linear, stiffness: k });
        let nodes = first..first + mesh.points.len() as u32;
        self.blueprint.node_masses.extend(nodes.map(|i| (i, 1e-3)));
        first
    }

    /// Adds an obstacle for everything that is there.
    pub fn obstacle(&mut self, shape: Shape, pose: Pose, friction: f64) -> &mut Collider {
        let nodes = (0..self.blueprint.mesh.points.len() as u32).collect();
        let collider = Collider { shape, pose, motion: None, friction, restitution: 0.0, nodes, rigids: vec![] };
        self.collisions.colliders.push(collider);
        self.collisions.colliders.last_mut().unwrap()
    }

    /// Adds gravity [m/s^2].
    pub fn gravity(&mut self, direction: Vec3) {
        let nodes = (0..self.blueprint.mesh.points.len() as u32).collect();
        self.blueprint.loads.push(LoadPart { nodes, basis: Basis::Mass, direction, profile: Profile::Constant });
    }

    /// Builds it.
    pub fn build(mut self, method: &str, step: f64) -> Simulation {
        self.blueprint.collisions = Some(self.collisions);
        let model = Arc::new(self.blueprint.build().unwrap());
        let mut simulation = Simulation::new(model.clone(), find(method).unwrap(), &Options::default(), step).unwrap();
        let held = |i: usize| model.number(i) >= model.free_nodes();
        let mut velocities = simulation.velocities();
        let given = self.velocities.iter().enumerate().filter(|(i, _)| !held(*i));
        given.for_each(|(i, v)| velocities[i] = *v);
        simulation.set_velocities(&velocities).unwrap();
        simulation
    }
}

/// Returns the positions of a simulation, one vector per node of the model.
pub fn places(simulation: &Simulation) -> Vec<Vec3> {
    simulation.state().x.as_chunks::<3>().0.to_vec()
}

/// Returns the sum of the momenta of the free nodes [kg m/s].
pub fn momentum(simulation: &Simulation) -> Vec3 {
    simulation.model().momentum(&simulation.state().v)
}

/// Returns the mass-weighted mean of the velocities of some nodes of the mesh [m/s].
pub fn mean_velocity(simulation: &Simulation, nodes: std::ops::Range<u32>) -> Vec3 {
    let model = simulation.model();
    let (mut sum, mut mass) = ([0.0; 3], 0.0);
    for node in nodes {
        let i = model.number(node as usize);
        let m = model.node_mass()[i];
        sum = add(sum, scale(m, std::array::from_fn(|c| simulation.state().v[3 * i + c])));
        mass += m;
    }
    scale(1.0 / mass, sum)
}
