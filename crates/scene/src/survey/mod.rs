//! A scene in numbers, to judge whether it is meant so: sizes, masses, frequencies, and improbable values.

mod mechanism;
mod probable;
mod refine;
mod slowest;

pub use slowest::{Slowest, Unknown};

use crate::body::{Body, Material};
use crate::build::by_material;
use crate::problem::Found;
use crate::{Built, Scene};
use model::SolidPart;
use model::mesh::{Group, Mesh};
use numerics::mat3::Vec3;
use simulation::fastest_frequency;
use slowest::Budget;
use std::ops::Range;

/// Flops of all factorisations for the slowest oscillations: some seconds.
const FLOPS: f64 = 3e10;

/// A scene in numbers.
#[derive(Debug, Clone)]
pub struct Survey {
    /// All bodies, in the order of [`crate::Ground::bodies`].
    pub bodies: Vec<Surveyed>,
    /// Angular frequency of the fastest oscillation about the initial state [rad/s]; 0 if nothing oscillates.
    pub fastest: f64,
}

/// A body in numbers.
#[derive(Debug, Clone)]
pub struct Surveyed {
    /// Its name.
    pub name: String,
    /// Extent along x, y and z at rest [m].
    pub extent: Vec3,
    /// Its mass [kg].
    pub mass: f64,
    /// Its slowest oscillation.
    pub slowest: Result<Slowest, Unknown>,
    /// True if some of its nodes are fixed or scripted.
    pub is_held: bool,
}

impl Survey {
    /// Surveys a scene and what was built from it.
    pub fn new(scene: &Scene, built: &Built) -> Survey {
        let (model, state) = (built.simulation.model(), built.simulation.state());
        let (mesh, bodies) = (&built.mesh, &built.bodies);
        let mut budget = Budget(FLOPS);
        let is_held = |node: usize| model.number(node) >= model.free_nodes();
        let mut surveyed = Vec::with_capacity(bodies.len());
        for (k, range) in bodies.iter().enumerate() {
            let points = Mesh { points: mesh.points[range.nodes.clone()].to_vec(), ..Mesh::default() };
            let [low, high] = points.bounds().unwrap_or_default();
            let held: Vec<bool> = range.nodes.clone().map(is_held).collect();
            let solid = scene.bodies.get(k).filter(|body| body.material.is_some() && body.springs.is_none());
            surveyed.push(Surveyed {
                name: range.name.clone(),
                extent: std::array::from_fn(|c| high[c] - low[c]),
                mass: range.nodes.clone().map(|node| model.node_mass()[model.number(node)]).sum(),
                slowest: match solid {
                    Some(body) => {
                        let own = part_of(mesh, &range.nodes, &range.tets);
                        slowest::slowest(&own, &parts(scene, body, &own), &held, &mut budget)
                    }
                    None => Err(Unknown::NoSolid),
                },
                is_held: held.contains(&true),
            });
        }
        Survey { bodies: surveyed, fastest: fastest_frequency(model, model.terms(), &state.x) }
    }

    /// Returns the angular frequency of the slowest known oscillation of all bodies [rad/s].
    pub fn slowest(&self) -> Option<f64> {
        self.bodies.iter().filter_map(|body| body.slowest.ok()).map(|slowest| slowest.frequency).min_by(f64::total_cmp)
    }
}

/// Returns the tets of a body by material.
fn parts(scene: &Scene, body: &Body, mesh: &Mesh) -> Vec<SolidPart> {
    let mut found = Found::new(scene.source());
    let groups = body.material.iter().flat_map(|material| by_material(body, material, mesh, &mut found));
    let part = |(material, _, tets): (Material, _, Vec<u32>)| {
        Some(SolidPart::new(tets, material.law(body.rotation).ok()?, material.density))
    };
    groups.filter_map(part).collect()
}

/// Returns the tets of one body, counted from its first node, and its groups.
fn part_of(all: &Mesh, nodes: &Range<usize>, tets: &Range<usize>) -> Mesh {
    let within = |list: &[u32], range: &Range<usize>| -> Vec<u32> {
        let own = list.iter().filter(|i| range.contains(&(**i as usize)));
        own.map(|i| i - range.start as u32).collect()
    };
    let group = |group: &Group| Group {
        nodes: within(&group.nodes, nodes),
        tets: within(&group.tets, tets),
        triangles: Vec::new(),
    };
    Mesh {
        points: all.points[nodes.clone()].to_vec(),
        tets: all.tets[tets.clone()].iter().map(|tet| tet.map(|i| i - nodes.start as u32)).collect(),
        groups: all.groups.iter().map(|(name, known)| (name.clone(), group(known))).collect(),
        ..Mesh::default()
    }
}
