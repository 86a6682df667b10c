//! Rigid bodies and joints: their meshes, their part of the blueprint, and their initial velocities.

use super::fluid::begun_inside;
use super::nodes::PlacedBodies;
use super::shape::ShapeError;
use super::{BodyRange, Ground};
use crate::files::{MeshFile, read_file};
use crate::problem::Found;
use crate::rigid::{Joint, JointKind, Rigid, RigidShape};
use crate::scene::Scene;
use crate::turn::Turn;
use collision::{Pose, Shape};
use model::mesh::Mesh;
use model::{Anchor, Blueprint, Model, RigidMass, State};
use numerics::mat3::{Vec3, norm, sub, unit};
use numerics::quaternion::{NONE, Quaternion, conjugate, from_axis_angle, product, rotate_back};
use std::path::Path;

/// Mass of a body that never moves, if none is given: it has no effect.
const ANY: RigidMass = RigidMass::Density(1000.0);
/// Parts per quarter turn of round shapes.
const FINENESS: usize = 4;

/// A rigid body as built: the body, with nodes numbered from its centre on, the centre [m] and the mass [kg].
pub(super) type Made = (model::Rigid, Vec3, f64);

/// Makes the body and the mesh of its centre and surface, or returns the reason why not.
pub(super) fn made(rigid: &Rigid, directory: &Path, files: &mut Vec<MeshFile>) -> Result<(Made, Mesh), String> {
    let shape = shape(&rigid.shape, directory, files)?;
    let (axis, angle) = Turn::radians(rigid.rotation);
    let pose = Pose::new(rigid.position, from_axis_angle(axis, angle));
    let (points, triangles) = shape.triangles(FINENESS);
    let mass = rigid.mass.unwrap_or(ANY);
    let (body, centre, mass) = model::Rigid::new(shape, &pose, mass, 0).map_err(|error| error.to_string())?;
    let frame = Pose { position: centre, rotation: body.orientation };
    let local: Vec<Vec3> = points.iter().map(|p| body.frame.point(*p)).collect();
    let carried = (1..).zip(local.iter().copied()).collect();
    let mesh = Mesh {
        points: std::iter::once(centre).chain(local.iter().map(|p| frame.point(*p))).collect(),
        triangles: triangles.iter().map(|nodes| nodes.map(|i| i + 1)).collect(),
        ..Mesh::default()
    };
    mesh.validate().map_err(|error| error.to_string())?;
    Ok(((model::Rigid { carried, friction: rigid.friction, ..body }, centre, mass), mesh))
}

fn shape(shape: &RigidShape, directory: &Path, files: &mut Vec<MeshFile>) -> Result<Shape, String> {
    let shape = match shape {
        RigidShape::Box { size } => Shape::Box { half: size.map(|side| 0.5 * side) },
        RigidShape::Ball { radius } => Shape::Ball { radius: *radius },
        RigidShape::Capsule { length, radius } => Shape::Capsule { half_length: 0.5 * length, radius: *radius },
        RigidShape::Points(points) => Shape::hull(points).map_err(|error| error.to_string())?,
        RigidShape::File { path, checksum } => {
            let path = directory.join(path);
            let (mesh, file) = read_file(&path).map_err(|error| error.to_string())?;
            let found = file.checksum();
            if let Some(expected) = checksum.clone().filter(|expected| *expected != found) {
                let path = path.display().to_string();
                return Err(ShapeError::Checksum { path, expected, found }.to_string());
            }
            let hull = Shape::hull(&mesh.points).map_err(|error| format!("{}: {error}", path.display()))?;
            if !files.iter().any(|known| known.path == path) {
                files.push(file);
            }
            hull
        }
    };
    shape.check().map_err(|error| error.to_string())?;
    Ok(shape)
}

impl PlacedBodies {
    /// Returns the index of the first rigid body among the ranges; rigid bodies come last.
    fn first_rigid(&self) -> usize {
        self.ranges.len() - self.rigids.len()
    }

    /// Returns whether a node belongs to a rigid body.
    pub fn is_rigid(&self, node: u32) -> bool {
        let first = self.ranges.get(self.first_rigid()).map_or(self.all.points.len(), |range| range.nodes.start);
        node as usize >= first
    }

    /// Returns the nodes that belong to no rigid body.
    pub fn not_rigid(&self, nodes: Vec<u32>) -> Vec<u32> {
        nodes.into_iter().filter(|&i| !self.is_rigid(i)).collect()
    }

    /// Returns the numbers of the rigid bodies that have some of these nodes.
    pub fn rigids_among(&self, nodes: &[u32]) -> Vec<u32> {
        let rigids = self.ranges[self.first_rigid()..].iter().enumerate();
        let has = |range: &BodyRange| nodes.iter().any(|&i| range.nodes.contains(&(i as usize)));
        rigids.filter(|(_, range)| has(range)).map(|(k, _)| k as u32).collect()
    }

    /// Adds rigid bodies and joints to the blueprint.
    pub fn add_rigids(&self, scene: &Scene, blueprint: &mut Blueprint, found: &mut Found) {
        let first = self.first_rigid();
        for ((rigid, made), range) in scene.rigids.iter().zip(&self.rigids).zip(&self.ranges[first..]) {
            let Some((made, centre, mass)) = made else { continue };
            let pose = Pose::new(*centre, made.orientation).compose(&made.frame);
            let particles = blueprint.fluids.iter().flat_map(|fluid| &fluid.nodes);
            let points = particles.map(|&i| self.all.points[i as usize]);
            if let Some(problem) = begun_inside(&made.shape, &pose, points) {
                found.add(&rigid.shape_at, format!("rigid body \"{}\": {problem}", rigid.name));
            }
            let node = range.nodes.start as u32;
            let carried = made.carried.iter().map(|&(i, local)| (i + node, local)).collect();
            blueprint.rigids.push(model::Rigid { node, carried, ..made.clone() });
            blueprint.node_masses.push((node, *mass));
            if rigid.fixed {
                blueprint.fixed.push(node);
            }
        }
        let is_there = |name: &String| {
            self.ranges.iter().zip(&self.missing).any(|(range, is_missing)| range.name == *name && !is_missing)
        };
        let is_known = |joint: &&Joint| self.is_whole() || joint.bodies.iter().flatten().all(is_there);
        for joint in scene.joints.iter().filter(is_known) {
            match self.joint(joint) {
                Some(joint) => blueprint.joints.push(joint),
                None => found.add(&joint.mark, "the joint holds a body without nodes; name another"),
            }
        }
    }

    /// Returns an end of a joint, its position [m] and its orientation; the world if no name is given.
    fn anchor(&self, name: Option<&str>, at: Vec3) -> Option<(Anchor, Vec3, Quaternion)> {
        let Some(name) = name else { return Some((Anchor::World(at), at, NONE)) };
        let body = self.ranges.iter().position(|range| range.name == name)?;
        if let Some(k) = body.checked_sub(self.first_rigid()) {
            let (rigid, centre, _) = self.rigids[k].as_ref()?;
            let local = rotate_back(rigid.orientation, sub(at, *centre));
            return Some((Anchor::Rigid(k as u32, local), at, rigid.orientation));
        }
        let distance = |i: &usize| norm(sub(self.all.points[*i], at));
        let node = self.ranges[body].nodes.clone().min_by(|a, b| distance(a).total_cmp(&distance(b)))?;
        Some((Anchor::Node(node as u32), self.all.points[node], NONE))
    }

    fn joint(&self, joint: &Joint) -> Option<model::Joint> {
        let [first, second] = &joint.bodies;
        let [mut at, mut to] = match joint.kind {
            JointKind::Distance { to_at, .. } => [joint.at, to_at],
            _ => [joint.at; 2],
        };
        let (a, place_a, _) = self.anchor(first.as_deref(), at)?;
        let (b, place_b, _) = self.anchor(second.as_deref(), to)?;
        // A deformable body is held at a node: the other end moves there.
        match (joint.kind, a, b) {
            (JointKind::Distance { .. }, ..) => (at, to) = (place_a, place_b),
            (_, Anchor::Node(_), _) => (at, to) = (place_a, place_a),
            (_, _, Anchor::Node(_)) => (at, to) = (place_b, place_b),
            _ => {}
        }
        let (a, place_a, p) = self.anchor(first.as_deref(), at)?;
        let (b, place_b, q) = self.anchor(second.as_deref(), to)?;
        let kind = match joint.kind {
            JointKind::Ball => model::JointKind::Ball,
            JointKind::Hinge(axis) => model::JointKind::Hinge([p, q].map(|turn| rotate_back(turn, unit(axis)))),
            JointKind::Fixed => model::JointKind::Fixed(product(conjugate(p), q)),
            JointKind::Distance { length, .. } => {
                model::JointKind::Distance(length.unwrap_or_else(|| norm(sub(place_a, place_b))))
            }
        };
        Some(model::Joint { kind, ends: [a, b], compliance: joint.compliance })
    }
}

/// Sets the initial velocities of rigid bodies.
pub(super) fn begin(scene: &Scene, model: &Model, state: &mut State) {
    for ((rigid, body), turn) in scene.rigids.iter().zip(model.rigids()).zip(&mut state.turns) {
        let at = 3 * body.node as usize;
        state.v[at..at + 3].copy_from_slice(&rigid.velocity);
        turn.spin = rigid.angular_velocity;
    }
    model.carry(state);
}

impl Ground {
    /// Returns pairs of rigid bodies that overlap at the beginning, by name, and the depth [m]; joined bodies may
    /// overlap.
    pub fn overlaps(&self) -> Vec<(&str, &str, f64)> {
        let Ground { model, start: state, .. } = self;
        let (rigids, mut contacts, mut found) = (model.rigids(), Vec::new(), Vec::new());
        let poses: Vec<Pose> = rigids
            .iter()
            .zip(&state.turns)
            .map(|(rigid, turn)| rigid.pose(&state.x, turn).compose(&rigid.frame))
            .collect();
        let bounds: Vec<_> = rigids.iter().zip(&poses).map(|(rigid, pose)| rigid.shape.bounds().posed(pose)).collect();
        let name = |rigid: &model::Rigid| {
            let body = self.body_of_node(model.origin(rigid.node as usize));
            self.bodies.get(body).map_or("", |body| body.name.as_str())
        };
        for b in 0..rigids.len() {
            for a in (0..b).filter(|&a| bounds[a].overlaps(&bounds[b]) && !model.joins(a, b)) {
                let (first, second) = (&rigids[a], &rigids[b]);
                collision::manifold(&first.shape, &poses[a], &second.shape, &poses[b], 0.0, &mut contacts);
                let deepest = contacts.iter().map(|contact| -contact.separation).fold(0.0, f64::max);
                if deepest > 1e-6 * norm(first.shape.bounds().high) {
                    found.push((name(first), name(second), deepest));
                }
            }
        }
        found
    }
}
