//! From a description to a [`Model`]: numbering, mass, groups, pattern.
//!
//! A [`Blueprint`] is plain data in the numbering of its mesh. Building it checks what only the
//! whole can tell (every node has mass, the mesh is sound) and renumbers the nodes.

use crate::collisions::Collisions;
use crate::energy::contact::{Contact, Obstacle, Penalty, Projection};
use crate::energy::solid::Solid;
use crate::energy::spring::{Law, Spring};
use crate::energy::{Stiffness, Term};
use crate::fluid::{Fluid, FluidError};
use crate::joint::{Anchor, Joint, JointKind};
use crate::load::{Load, Profile};
use crate::mass::Mass;
use crate::material::{Material, MaterialKind, MaterialVisitor};
use crate::mesh::{Mesh, MeshError};
use crate::model::{Damping, Model};
use crate::region::{self, Region, RegionError};
use crate::rigid::{Rigid, RigidError};
use crate::script::{Motion, Script};
use numerics::blocks::{BlockMatrix, Pattern};
use numerics::mat3::{Vec3, norm, scale, sub};
use std::fmt;
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
pub struct SolidPart {
    /// Numbers of the tets in the mesh.
    pub tets: Vec<u32>,
    /// What they are made of.
    pub material: MaterialKind,
    /// Density [kg/m^3].
    pub density: f64,
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

/// Why a blueprint is no model.
#[derive(Debug, Clone, PartialEq)]
pub enum ModelError {
    /// The mesh is broken.
    Mesh(MeshError),
    /// A free node that no element gives mass.
    NoMass {
        /// Its number in the mesh.
        node: usize,
    },
    /// Every node is fixed or scripted.
    NothingFree,
    /// A node with two motions, or fixed and scripted.
    TwoMotions {
        /// Its number in the mesh.
        node: usize,
    },
    /// A consistent mass couples free nodes to the accelerations of scripted ones, which no script gives.
    ConsistentMassWithScripts,
    /// A fluid that cannot be.
    Fluid(FluidError),
    /// A rigid body or joint that cannot be.
    Rigid(RigidError),
    /// Regions that cannot be.
    Region(RegionError),
    /// A spring that needs a rest length has none.
    NoLength {
        /// Its nodes in the mesh.
        nodes: [u32; 2],
    },
}

impl fmt::Display for ModelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ModelError::Mesh(error) => error.fmt(f),
            ModelError::Fluid(error) => error.fmt(f),
            ModelError::Rigid(error) => error.fmt(f),
            ModelError::Region(error) => error.fmt(f),
            ModelError::NoMass { node } => {
                write!(f, "node {node} has no mass: give the elements around it a density, or remove it from the mesh")
            }
            ModelError::NothingFree => write!(f, "every node is fixed or scripted: leave some free to move"),
            ModelError::TwoMotions { node } => {
                write!(f, "node {node} is fixed or scripted twice: let each node follow one rule")
            }
            ModelError::ConsistentMassWithScripts => {
                write!(f, "a consistent mass does not go with scripted nodes: use the lumped mass, or fix the nodes")
            }
            ModelError::NoLength { nodes: [a, b] } => write!(
                f,
                "the spring between nodes {a} and {b} has no length, which its law divides by: \
                 move the nodes apart or use the linear law"
            ),
        }
    }
}

impl std::error::Error for ModelError {}

/// Numbers of nodes: free first, each kind with neighbours close to each other, so that element loops and
/// matrix products read memory almost in sequence whatever the order of the mesh.
struct Numbering {
    free: usize,
    number: Vec<u32>,
    origin: Vec<u32>,
}

impl Numbering {
    fn new(blueprint: &Blueprint) -> Result<Numbering, ModelError> {
        let nodes = blueprint.mesh.points.len();
        let mut given = vec![false; nodes];
        for script in &blueprint.scripts {
            for &node in &script.0 {
                if std::mem::replace(&mut given[node as usize], true) {
                    return Err(ModelError::TwoMotions { node: node as usize });
                }
            }
        }
        let scripted = given.clone();
        for &node in &blueprint.fixed {
            if scripted[node as usize] {
                return Err(ModelError::TwoMotions { node: node as usize });
            }
            given[node as usize] = true;
        }
        for &(node, _) in blueprint.rigids.iter().flat_map(|rigid| &rigid.carried) {
            if std::mem::replace(&mut given[node as usize], true) {
                return Err(ModelError::Rigid(RigidError::Taken { node: node as usize }));
            }
        }
        let tets = blueprint.mesh.tets.iter().map(|tet| tet.as_slice());
        let pairs = blueprint.springs.iter().flat_map(|part| part.pairs.iter().map(|pair| pair.as_slice()));
        let order = Pattern::from_cliques(nodes, tets.chain(pairs)).breadth_first();
        let (mut origin, rest): (Vec<u32>, Vec<u32>) = order.into_iter().partition(|&i| !given[i as usize]);
        let free = origin.len();
        if free == 0 {
            return Err(ModelError::NothingFree);
        }
        origin.extend(rest);
        let mut number = vec![0; nodes];
        origin.iter().enumerate().for_each(|(new, &old)| number[old as usize] = new as u32);
        Ok(Numbering { free, number, origin })
    }

    fn of(&self, node: u32) -> u32 {
        self.number[node as usize]
    }
}

/// Makes the group of a part's tets for whatever material they have.
struct MakeSolid<'a> {
    mesh: &'a Mesh,
    tets: &'a [u32],
    numbering: &'a Numbering,
}

impl MaterialVisitor for MakeSolid<'_> {
    type Out = Box<dyn Term>;
    fn visit<M: Material<K>, const K: usize>(self, material: M) -> Box<dyn Term> {
        let MakeSolid { mesh, tets, numbering } = self;
        Box::new(Solid::group(material, numbering.free, mesh, tets, |node| numbering.of(node)))
    }
}

impl Blueprint {
    /// Builds the model.
    pub fn build(self) -> Result<Model, ModelError> {
        self.mesh.validate().map_err(ModelError::Mesh)?;
        if self.consistent_mass && !self.scripts.is_empty() {
            return Err(ModelError::ConsistentMassWithScripts);
        }
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
            terms,
            pattern,
            mass,
            damping,
            stiffness,
            loads,
            hand: None,
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

    /// Fluids that can meet, of particles that move by themselves.
    fn check_fluids(&self, numbering: &Numbering) -> Result<(), FluidError> {
        let mut taken = vec![false; if self.fluids.is_empty() { 0 } else { self.mesh.points.len() }];
        for fluid in &self.fluids {
            fluid.check()?;
            let spacings = [self.fluids[0].liquid.spacing, fluid.liquid.spacing];
            if spacings[0] != spacings[1] {
                return Err(FluidError::TwoSpacings { spacings });
            }
            for &node in &fluid.nodes {
                let twice = std::mem::replace(&mut taken[node as usize], true);
                if twice || numbering.of(node) as usize >= numbering.free {
                    return Err(FluidError::NotFree { node: node as usize });
                }
            }
        }
        Ok(())
    }

    /// Rigid bodies with nodes of their own, and joints that can do something.
    fn check_rigids(&self, numbering: &Numbering) -> Result<(), RigidError> {
        if self.rigids.is_empty() && self.joints.is_empty() {
            return Ok(());
        }
        let mut in_elements = vec![false; self.mesh.points.len()];
        let tets = self.mesh.tets.as_flattened().iter();
        let springs = self.springs.iter().flat_map(|part| part.pairs.as_flattened());
        tets.chain(springs).for_each(|&i| in_elements[i as usize] = true);
        for rigid in &self.rigids {
            let mut nodes = std::iter::once(rigid.node).chain(rigid.carried.iter().map(|(i, _)| *i));
            if let Some(node) = nodes.find(|&i| in_elements[i as usize]) {
                return Err(RigidError::Taken { node: node as usize });
            }
            rigid.check()?;
        }
        let moves = |anchor: &Anchor| match *anchor {
            Anchor::World(_) => Some(false),
            Anchor::Node(i) => numbering.number.get(i as usize).map(|&i| (i as usize) < numbering.free),
            Anchor::Rigid(k, _) => {
                self.rigids.get(k as usize).map(|rigid| (numbering.of(rigid.node) as usize) < numbering.free)
            }
        };
        for (joint, Joint { kind, ends, .. }) in self.joints.iter().enumerate() {
            match [moves(&ends[0]), moves(&ends[1])] {
                [Some(false), Some(false)] => return Err(RigidError::NothingMoves { joint }),
                [Some(_), Some(_)] => {}
                _ => return Err(RigidError::Nothing { joint }),
            }
            let directed = matches!(kind, JointKind::Hinge(_) | JointKind::Fixed(_));
            if directed && ends.iter().any(|end| matches!(end, Anchor::Node(_))) {
                return Err(RigidError::NoDirection { joint });
            }
        }
        Ok(())
    }

    fn terms(&self, numbering: &Numbering) -> Result<Vec<Box<dyn Term>>, ModelError> {
        let mut terms: Vec<Box<dyn Term>> = Vec::new();
        let point = |i: u32| self.mesh.points[i as usize];
        let free = numbering.free;
        for part in &self.solids {
            let make = MakeSolid { mesh: &self.mesh, tets: &part.tets, numbering };
            terms.push(part.material.visit(make));
        }
        for part in &self.springs {
            let mut springs = Vec::with_capacity(part.pairs.len());
            for (e, nodes) in part.pairs.iter().enumerate() {
                let length = norm(sub(point(nodes[0]), point(nodes[1])));
                if length == 0.0 && part.law != Law::Linear {
                    return Err(ModelError::NoLength { nodes: *nodes });
                }
                springs.push((nodes.map(|i| numbering.of(i)), [length, part.stiffness], e as u32));
            }
            terms.push(Box::new(Spring::<2>::group(part.law, free, springs)));
        }
        for part in &self.face_springs {
            let springs = part.tets.iter().flat_map(|&e| {
                let tet = self.mesh.tets[e as usize];
                (0..4).map(move |a| (e, [tet[a], tet[(a + 1) % 4], tet[(a + 2) % 4], tet[(a + 3) % 4]]))
            });
            let springs = springs.map(|(e, nodes)| {
                let sum = nodes[1..].iter().fold([0.0; 3], |sum, &i| numerics::mat3::add(sum, point(i)));
                let length = norm(sub(point(nodes[0]), scale(1.0 / 3.0, sum)));
                (nodes.map(|i| numbering.of(i)), [length, part.stiffness], e)
            });
            terms.push(Box::new(Spring::<4>::group(part.law, free, springs.collect())));
        }
        for Penalty { obstacle, nodes } in self.penalties(numbering) {
            terms.push(Box::new(Contact::group(obstacle, free, nodes.into_iter())));
        }
        terms.retain(|term| term.count() > 0);
        Ok(terms)
    }

    fn penalties(&self, numbering: &Numbering) -> Vec<Penalty> {
        let contacts = self.contacts.iter();
        let penalty = |(obstacle, nodes, k): &(Obstacle, Vec<u32>, f64)| {
            let nodes = nodes.iter().map(|&i| (numbering.of(i), *k)).filter(|&(i, _)| (i as usize) < numbering.free);
            Penalty { obstacle: *obstacle, nodes: nodes.collect() }
        };
        contacts.map(penalty).collect()
    }

    /// Mass at every node of the model: a quarter of each tet, and what is given to nodes.
    fn node_mass(&self, numbering: &Numbering) -> Vec<f64> {
        let mut mass = vec![0.0; self.mesh.points.len()];
        for part in &self.solids {
            for &e in &part.tets {
                let quarter = part.density * self.mesh.tet_volume(e as usize) / 4.0;
                self.mesh.tets[e as usize].iter().for_each(|&i| mass[numbering.of(i) as usize] += quarter);
            }
        }
        self.point_masses().for_each(|(i, m)| mass[numbering.of(i) as usize] += m);
        mass
    }

    /// The masses given to nodes, and those of particles: node, mass [kg].
    fn point_masses(&self) -> impl Iterator<Item = (u32, f64)> {
        let particles =
            self.fluids.iter().flat_map(|fluid| fluid.nodes.iter().map(|&i| (i, fluid.liquid.particle_mass())));
        self.node_masses.iter().copied().chain(particles)
    }

    /// Galerkin mass of linear tets, rho V / 20 (1 + delta_ab); masses at nodes go on the diagonal.
    fn consistent_mass(&self, numbering: &Numbering, pattern: &Arc<Pattern>) -> BlockMatrix {
        let mut matrix = BlockMatrix::zeros(pattern.clone());
        let free = numbering.free;
        let mut put = |i: u32, j: u32, m: f64| {
            if let Some(slot) = pattern.slot(i as usize, j as usize) {
                (0..3).for_each(|r| matrix.values[slot][r][r] += m);
            }
        };
        for part in &self.solids {
            for &e in &part.tets {
                let share = part.density * self.mesh.tet_volume(e as usize) / 20.0;
                let nodes = self.mesh.tets[e as usize].map(|i| numbering.of(i));
                for (a, &i) in nodes.iter().enumerate().filter(|(_, i)| (**i as usize) < free) {
                    put(i, i, 2.0 * share);
                    for &j in nodes[..a].iter().filter(|&&j| (j as usize) < free) {
                        put(i, j, share);
                    }
                }
            }
        }
        for (i, m) in self.point_masses() {
            let i = numbering.of(i);
            if (i as usize) < free {
                put(i, i, m);
            }
        }
        matrix
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
