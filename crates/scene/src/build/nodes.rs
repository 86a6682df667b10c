//! Nodes by selection: held, scripted or loaded.

use super::{BodyRange, FibreLines, body, rigid};
use crate::contact::{Act, Obstacle};
use crate::files::MeshFile;
use crate::problem::Found;
use crate::scene::{Scene, Selection, Span};
use crate::solid::Made;
use crate::turn::unit_motion;
use model::energy::contact::{self, Projection};
use model::fibre::Fibres;
use model::mesh::Mesh;
use model::{Basis, Blueprint, LoadPart, Region};
use numerics::mat3::unit;

/// The placed bodies, each alone and all in one mesh.
#[derive(Default)]
pub(super) struct PlacedBodies {
    /// True if mistakes in the keys left out some bodies of the file.
    pub is_partial: bool,
    pub meshes: Vec<Mesh>,
    /// True for bodies that have no mesh, for reasons that are reported; their mesh is empty.
    pub missing: Vec<bool>,
    /// Finer surface of each body that has one.
    pub surfaces: Vec<Option<Mesh>>,
    pub all: Mesh,
    pub ranges: Vec<BodyRange>,
    /// Centre lines of the fibres, and what they are made of, until the blueprint takes it.
    pub lines: FibreLines,
    pub fibres: Vec<(u32, Fibres)>,
    /// Rigid bodies, which are the last of the ranges; `None` for those that could not be made.
    pub rigids: Vec<Option<rigid::Made>>,
    /// Mesh files of the bodies, each once.
    pub files: Vec<MeshFile>,
}

impl PlacedBodies {
    /// Adds a body.
    pub fn push(&mut self, name: &str, made: Made) {
        let Made { mesh, surface, .. } = made;
        let before = [self.all.points.len(), self.all.tets.len(), self.all.triangles.len(), self.all.edges.len()];
        self.all.append(&mesh);
        self.ranges.push(BodyRange {
            name: name.to_string(),
            nodes: before[0]..self.all.points.len(),
            tets: before[1]..self.all.tets.len(),
            triangles: before[2]..self.all.triangles.len(),
            edges: before[3]..self.all.edges.len(),
        });
        self.meshes.push(mesh);
        self.surfaces.push(surface);
        self.missing.push(false);
    }

    /// Adds a placeholder for a body that could not be made.
    pub fn push_missing(&mut self, name: &str) {
        self.push(name, Made { mesh: Mesh::default(), spacing: None, surface: None });
        if let Some(last) = self.missing.last_mut() {
            *last = true;
        }
    }

    /// Returns whether every body of the file is there.
    pub fn is_whole(&self) -> bool {
        !self.is_partial && !self.missing.contains(&true)
    }

    /// Returns the number of a body by its name.
    pub fn number(&self, body: Option<&str>) -> Option<usize> {
        body.and_then(|name| self.ranges.iter().position(|range| range.name == name))
    }

    /// Returns the mesh of a body, or of all.
    pub fn mesh(&self, body: Option<usize>) -> &Mesh {
        body.map_or(&self.all, |body| &self.meshes[body])
    }

    /// Returns the body that a node belongs to.
    pub fn body_of(&self, node: usize) -> usize {
        self.ranges.iter().position(|range| range.nodes.contains(&node)).unwrap_or_default()
    }

    /// Returns the selected nodes, numbered over all bodies; `None` and a problem if there are none. If a body is
    /// missing, its selection is unknown: `None` without a problem.
    pub fn nodes(&self, on: &Selection, found: &mut Found) -> Option<Vec<u32>> {
        let one = if self.ranges.len() == 1 { Some(0) } else { self.number(on.body.as_deref()) };
        if one.map_or(!self.is_whole(), |body| self.missing[body]) {
            return None;
        }
        match on.part.nodes(self.mesh(one)) {
            Ok(nodes) => {
                let offset = one.map_or(0, |body| self.ranges[body].nodes.start as u32);
                Some(nodes.into_iter().map(|i| i + offset).collect())
            }
            Err(error) => {
                match one {
                    Some(one) => body::unselected(&self.ranges[one].name, &on.at, &error, found),
                    None => found.add(&on.at, format!("of all bodies: {error}")),
                }
                None
            }
        }
    }

    /// Reports fluids and rigid bodies (those after the first `bodies`) of which only some nodes are selected: they
    /// meet things as a whole.
    pub fn refuse_parts(&self, nodes: &[u32], bodies: usize, at: &Span, found: &mut Found) {
        let mut counts = vec![0; self.ranges.len()];
        for &i in nodes {
            counts[self.ranges.partition_point(|range| range.nodes.end <= i as usize)] += 1;
        }
        for (range, count) in self.ranges.iter().zip(counts).skip(bodies) {
            if count > 0 && count < range.nodes.len() {
                found.add(
                    at,
                    format!(
                        "it selects {count} of the {} nodes of \"{}\", and fluids and rigid bodies meet an obstacle as a whole; \
                         select all of them, as with `body`, or none",
                        range.nodes.len(),
                        range.name
                    ),
                );
            }
        }
    }

    /// Returns the selected nodes of deformable bodies and fluids; reports a problem if only others are selected.
    fn loose_nodes(&self, on: &Selection, found: &mut Found) -> Option<Vec<u32>> {
        let nodes = self.not_rigid(self.nodes(on, found)?);
        if nodes.is_empty() {
            found.add(&on.at, "it selects nodes of rigid bodies alone, which are not moved one by one; select others");
        }
        Some(nodes)
    }

    /// Adds everything that acts on nodes to the blueprint; returns the nodes that each [[initial]] changes.
    pub fn attach(&self, scene: &Scene, blueprint: &mut Blueprint, found: &mut Found) -> Vec<Vec<u32>> {
        let held = self.hold(scene, blueprint, found);
        let all_held = |nodes: &[u32]| nodes.iter().all(|&i| held[i as usize].is_some());
        for load in &scene.loads {
            let Some(nodes) = self.nodes(&load.on, found) else { continue };
            if all_held(&nodes) {
                found.add(&load.on.at, "all nodes of the load are fixed or scripted; push nodes that can move");
            }
            if load.basis == Basis::Area {
                let areas = self.mesh(None).nodal_areas();
                if nodes.iter().all(|&i| areas[i as usize] == 0.0) {
                    let message = "a pressure acts on surfaces, and the nodes have none; use acceleration or force";
                    found.add(&load.at, message);
                }
            }
            let (direction, profile) = (load.value, load.profile);
            blueprint.loads.push(LoadPart { nodes, basis: load.basis, direction, profile });
        }
        for region in &scene.integrator.regions {
            let nodes = self.loose_nodes(&region.on, found).unwrap_or_default();
            if !nodes.is_empty() && all_held(&nodes) {
                found.add(&region.on.at, "all nodes of the region are fixed or scripted; select nodes that can move");
            }
            blueprint.regions.push(Region { nodes, ratio: region.ratio });
        }
        for contact in &scene.contacts {
            let Some(nodes) = self.nodes(&contact.on, found) else { continue };
            let nodes = self.not_rigid(nodes);
            match (&contact.act, &contact.obstacle) {
                (Act::Penalty { stiffness }, Obstacle::Plane { point, normal }) => {
                    let obstacle = contact::Obstacle::Plane { point: *point, normal: unit(*normal) };
                    blueprint.contacts.push((obstacle, nodes, *stiffness));
                }
                (Act::Penalty { stiffness }, Obstacle::Ball { center, radius }) => {
                    let obstacle = contact::Obstacle::Ball { center: *center, radius: *radius };
                    blueprint.contacts.push((obstacle, nodes, *stiffness));
                }
                (Act::Projection, Obstacle::Ball { center, radius }) => {
                    blueprint.projections.push(Projection { nodes, center: *center, radius: *radius });
                }
                // Constraints are made with the surfaces that meet; the rest was refused when the file was checked.
                _ => {}
            }
        }
        let mut changed = Vec::new();
        for (on, _) in &scene.initials {
            let nodes = self.loose_nodes(on, found).unwrap_or_default();
            if !nodes.is_empty() && all_held(&nodes) {
                found.add(&on.at, "all nodes it changes are fixed or scripted; change nodes that can move");
            }
            changed.push(nodes);
        }
        changed
    }

    /// Adds fixes and scripts; returns the kind of hold of each node, and its span in the file.
    fn hold<'s>(
        &self,
        scene: &'s Scene,
        blueprint: &mut Blueprint,
        found: &mut Found,
    ) -> Vec<Option<(&'static str, &'s Span)>> {
        let mut held: Vec<Option<(&str, &Span)>> = vec![None; self.all.points.len()];
        for fix in &scene.fixes {
            let Some(nodes) = self.loose_nodes(fix, found) else { continue };
            nodes.iter().for_each(|&i| held[i as usize] = Some(("fixed", &fix.at)));
            blueprint.fixed.extend(nodes);
        }
        blueprint.fixed.sort_unstable();
        blueprint.fixed.dedup();
        for (on, motion) in &scene.scripts {
            let Some(nodes) = self.loose_nodes(on, found) else { continue };
            if let Some((node, (how, before))) =
                nodes.iter().find_map(|&i| held[i as usize].zip(Some(i)).map(|(h, i)| (i, h)))
            {
                let body = &self.ranges[self.body_of(node as usize)].name;
                let before = found.source.words(before);
                let message = format!(
                    "node {node}, of body \"{body}\", is already {how} by {before}; let each node follow one rule"
                );
                found.add(&on.at, message);
            }
            nodes.iter().for_each(|&i| held[i as usize] = Some(("scripted", &on.at)));
            blueprint.scripts.push((nodes, unit_motion(motion)));
        }
        if self.is_whole() && !held.is_empty() && held.iter().all(Option::is_some) {
            let last = scene.scripts.last().map(|(on, _)| on).or(scene.fixes.last());
            let at = last.map_or(0..0, |on| Span::clone(&on.at));
            found.add(&at, "every node is fixed or scripted, and nothing can move; leave some free");
        }
        held
    }
}
