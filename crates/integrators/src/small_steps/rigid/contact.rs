//! Contacts of rigid bodies: found once per step over the predicted motion, enforced in every substep.

use super::super::constraints::{Ahead, Constraints, Substep};
use super::super::contact::faces;
use super::core::Core;
use super::held::Memory;
use super::touch::{RigidTouch, Side};
use crate::stepper::StepError;
use collision::{Bounds, Contact, Lists, Pose, Shape, Tree, manifold};
use model::collisions::Collider;
use model::energy::Bodies;
use model::{Anchor, Model, Rigid, Turn};
use numerics::mat3::{Vec3, add, norm, sub};

/// Distance by which bodies may come nearer than predicted within a step, over the smaller of their radii.
const MARGIN: f64 = 0.05;
/// Largest separation of an overlapping body per step, over its radius, where the scene sets none.
const SEPARATION: f64 = 0.1;

/// Contacts of rigid bodies with each other, with obstacles, and with deformable bodies: their nodes, faces and edges.
pub(in super::super) struct Touching {
    colliders: Vec<Collider>,
    /// Poses of the obstacles at the beginning and end of the substep.
    obstacles: Vec<[Pose; 2]>,
    /// Surface nodes of deformable bodies, and half their thickness [m].
    nodes: Vec<u32>,
    /// Their faces, and edges without a face, with one end twice.
    faces: Vec<[u32; 3]>,
    half: f64,
    /// Friction of deformable bodies, and the speed at which overlaps are removed [m/s], where the scene sets it.
    friction: f64,
    speed: Option<f64>,
    margin: f64,
    /// Radius of each body around its centre [m]; the smallest of those that move.
    radii: Vec<f64>,
    least: f64,
    tree: Tree,
    lists: Lists<[u32; 2]>,
    pairs: Vec<[u32; 2]>,
    boxes: Vec<Bounds>,
    paths: Vec<Path>,
    found: Vec<Contact>,
    touches: Vec<RigidTouch>,
    /// Contacts that stuck at the end of the last step.
    memory: Memory,
    /// Speed at which overlaps are removed in this step [m/s].
    limit: f64,
    /// Passes done in this step.
    passes: usize,
}

/// Predicted motion of a body in a step.
#[derive(Debug, Clone, Copy)]
struct Path {
    /// Pose of its shape.
    pose: Pose,
    /// Displacement of its centre [m].
    by: Vec3,
    /// Bound of the displacement of its surface by rotation [m].
    turning: f64,
}

impl Touching {
    /// Makes the contacts of a model with rigid bodies; `None` without.
    pub fn of(model: &Model) -> Option<Touching> {
        let rigids = model.rigids();
        if rigids.is_empty() {
            return None;
        }
        let radius = |rigid: &Rigid| {
            let Bounds { low, high } = rigid.shape.bounds();
            let far: Vec3 = std::array::from_fn(|c| low[c].abs().max(high[c].abs()));
            norm(far) + norm(rigid.frame.position)
        };
        let radii: Vec<f64> = rigids.iter().map(radius).collect();
        let moving = |k: &usize| (rigids[*k].node as usize) < model.free_nodes();
        let least = (0..rigids.len()).filter(moving).map(|k| radii[k]).fold(f64::INFINITY, f64::min);
        let collisions = model.collisions();
        let meets = collisions.filter(|c| c.between);
        let faces: Vec<[u32; 3]> = meets.map_or_else(Vec::new, |c| {
            c.triangles.iter().copied().chain(c.edges.iter().map(|&[a, b]| [a, b, b])).collect()
        });
        let points = meets.map_or(&[][..], |c| &c.points);
        let mut nodes: Vec<u32> = faces.as_flattened().iter().chain(points).copied().collect();
        nodes.sort_unstable();
        nodes.dedup();
        let colliders = collisions.map_or_else(Vec::new, |c| c.colliders.clone());
        let posed = |rigid: &Rigid| {
            let turn = Turn { orientation: rigid.orientation, ..Turn::default() };
            rigid.shape.bounds().posed(&rigid.pose(model.rest(), &turn).compose(&rigid.frame))
        };
        let boxes: Vec<Bounds> = rigids.iter().map(posed).collect();
        Some(Touching {
            obstacles: vec![[Pose::default(); 2]; colliders.len()],
            colliders,
            nodes,
            faces,
            half: collisions.map_or(0.0, |c| 0.5 * c.thickness),
            friction: collisions.map_or(0.0, |c| c.friction),
            speed: collisions.map(|c| c.max_separation_speed),
            margin: collisions.map_or(0.0, |c| c.margin),
            radii,
            least,
            tree: Tree::new(&boxes),
            lists: Lists::default(),
            pairs: Vec::new(),
            boxes,
            paths: Vec::new(),
            found: Vec::new(),
            touches: Vec::new(),
            memory: Memory::default(),
            limit: 0.0,
            passes: 0,
        })
    }

    /// Predicts the motion of bodies from velocities and loads alone.
    fn foresee(&mut self, model: &Model, bodies: &Bodies, ahead: &Ahead) {
        self.paths.clear();
        for (k, (rigid, rotor)) in model.rigids().iter().zip(&bodies.rotors).enumerate() {
            let node = rigid.node as usize;
            let centre = std::array::from_fn(|c| bodies.start[node].0[c]);
            let pose = Pose { position: centre, rotation: rotor.orientation }.compose(&rigid.frame);
            let spin = norm(rotor.inverse_times(rotor.swing)) / ahead.dt;
            let turning = self.radii[k] * (ahead.h * spin).min(2.0);
            self.paths.push(Path { pose, by: travel(bodies, node, ahead), turning });
        }
        for ((bounds, path), rigid) in self.boxes.iter_mut().zip(&self.paths).zip(model.rigids()) {
            let here = rigid.shape.bounds().posed(&path.pose);
            let there = Bounds { low: add(here.low, path.by), high: add(here.high, path.by) };
            *bounds = here.union(&there).fattened(path.turning + MARGIN * self.least + self.margin);
        }
        self.tree.refit(&self.boxes);
    }

    fn among(&mut self, model: &Model, bodies: &Bodies) {
        self.tree.self_pairs(&mut self.lists, &mut self.pairs);
        for &[a, b] in &self.pairs {
            let [a, b] = [a.min(b) as usize, a.max(b) as usize];
            let rigids = [&model.rigids()[a], &model.rigids()[b]];
            let held = rigids.iter().all(|rigid| bodies.inverse_mass(rigid.node as usize) == 0.0);
            if held || model.joins(a, b) {
                continue;
            }
            let [p, q] = [&self.paths[a], &self.paths[b]];
            let reach = norm(sub(p.by, q.by)) + p.turning + q.turning;
            let margin = reach + MARGIN * self.radii[a].min(self.radii[b]) + self.margin;
            manifold(&rigids[0].shape, &p.pose, &rigids[1].shape, &q.pose, margin, &mut self.found);
            let friction = (rigids[0].friction * rigids[1].friction).sqrt();
            for contact in &self.found {
                let sides = [side(rigids[0], a, contact.on_a), side(rigids[1], b, contact.on_b)];
                self.touches.push(touch(sides, contact.normal, friction));
            }
        }
    }

    fn against(&mut self, model: &Model, bodies: &Bodies, ahead: &Ahead) {
        for (c, collider) in self.colliders.iter().enumerate() {
            let [from, to] = [collider.pose_at(ahead.t), collider.pose_at(ahead.t + ahead.h)];
            for &k in &collider.rigids {
                let (rigid, path) = (&model.rigids()[k as usize], &self.paths[k as usize]);
                if bodies.inverse_mass(rigid.node as usize) == 0.0 {
                    continue;
                }
                // Displacement of the obstacle at the position of the body.
                let centre = path.pose.position;
                let by = sub(to.point(from.local_point(centre)), centre);
                let reach = norm(sub(path.by, by)) + path.turning;
                let margin = reach + MARGIN * self.radii[k as usize] + self.margin;
                manifold(&rigid.shape, &path.pose, &collider.shape, &from, margin, &mut self.found);
                let friction = (rigid.friction * collider.friction).sqrt();
                for contact in &self.found {
                    let other = obstacle(&collider.shape, c, contact.on_b);
                    let sides = [side(rigid, k as usize, contact.on_a), other];
                    self.touches.push(touch(sides, contact.normal, friction));
                }
            }
        }
    }

    /// Finds contacts of deformable nodes with the shapes of bodies.
    fn with_nodes(&mut self, model: &Model, bodies: &Bodies, ahead: &Ahead) {
        for &i in &self.nodes {
            let at: Vec3 = std::array::from_fn(|c| bodies.start[i as usize].0[c]);
            let by = travel(bodies, i as usize, ahead);
            let bounds = Bounds::around([at, add(at, by)]).fattened(self.half);
            let (touches, paths) = (&mut self.touches, &self.paths);
            self.tree.visit(&bounds, |k| {
                let (rigid, path) = (&model.rigids()[k as usize], &paths[k as usize]);
                let reach = self.half + self.margin + norm(sub(by, path.by)) + path.turning;
                let Some(near) = rigid.shape.near_within(path.pose.local_point(at), reach) else { return };
                let normal = path.pose.vector(near.normal);
                let node = Core::At(Anchor::Node(i));
                let sides =
                    [Side { core: node, radius: self.half, obstacle: None }, side(rigid, k as usize, near.point)];
                let friction = (self.friction * rigid.friction).sqrt();
                touches.push(touch(sides, normal, friction));
            });
        }
    }

    /// Finds contacts of deformable faces and edges with the shapes of bodies, between their corners.
    fn with_faces(&mut self, model: &Model, bodies: &Bodies, ahead: &Ahead) {
        for &nodes in &self.faces {
            let at: [Vec3; 3] = nodes.map(|i| std::array::from_fn(|c| bodies.start[i as usize].0[c]));
            let by = nodes.map(|i| travel(bodies, i as usize, ahead));
            let then = [0, 1, 2].map(|k| add(at[k], by[k]));
            let bounds = Bounds::around(at.into_iter().chain(then)).fattened(self.half);
            let (touches, paths) = (&mut self.touches, &self.paths);
            self.tree.visit(&bounds, |k| {
                let (rigid, path) = (&model.rigids()[k as usize], &paths[k as usize]);
                let nearer = by.iter().map(|by| norm(sub(*by, path.by))).fold(0.0, f64::max);
                let reach = self.half + self.margin + nearer + path.turning;
                let x = at.map(|p| path.pose.local_point(p));
                let Some(near) = faces::nearest(&rigid.shape, nodes, x, reach, &mut [f64::INFINITY; 3]) else { return };
                let [a, b, c] = near.weights;
                let weights = if nodes[1] == nodes[2] { [a, b + c, 0.0] } else { near.weights };
                if weights[1] > faces::VERTEX {
                    return;
                }
                let face = Side { core: Core::Face(nodes, weights), radius: self.half, obstacle: None };
                let sides = [face, side(rigid, k as usize, near.point)];
                let friction = (self.friction * rigid.friction).sqrt();
                touches.push(touch(sides, path.pose.vector(near.normal), friction));
            });
        }
    }
}

/// Returns the displacement of a node in a step by its velocity and loads alone [m].
fn travel(bodies: &Bodies, node: usize, ahead: &Ahead) -> Vec3 {
    let (h, w) = (ahead.h, bodies.inverse_mass(node));
    let force = |c: usize| ahead.loads.get(3 * node + c).copied().unwrap_or(0.0);
    std::array::from_fn(|c| h / ahead.dt * bodies.shift[node].0[c] + h * h * w * force(c))
}

/// Returns the core and radius of the part of a shape that touches at a point of its frame.
fn rounded(shape: &Shape, on: Vec3) -> (Vec3, f64) {
    match shape {
        Shape::Ball { radius } => ([0.0; 3], *radius),
        Shape::Capsule { half_length, radius } => ([0.0, 0.0, on[2].clamp(-half_length, *half_length)], *radius),
        _ => (on, 0.0),
    }
}

fn side(rigid: &Rigid, k: usize, on: Vec3) -> Side {
    let (core, radius) = rounded(&rigid.shape, on);
    Side { core: Core::At(Anchor::Rigid(k as u32, rigid.frame.point(core))), radius, obstacle: None }
}

fn obstacle(shape: &Shape, c: usize, on: Vec3) -> Side {
    let (core, radius) = rounded(shape, on);
    Side { core: Core::At(Anchor::World(core)), radius, obstacle: Some(c as u32) }
}

fn touch(sides: [Side; 2], normal: Vec3, friction: f64) -> RigidTouch {
    let (slip, dragged) = ([0.0; 3], [0.0; 3]);
    RigidTouch { sides, normal, friction, slip, load: 0.0, pressed: 0.0, dragged, left: 0.0 }
}

impl Constraints for Touching {
    fn begin_step(&mut self, model: &Model, bodies: &Bodies, ahead: &Ahead) -> Result<(), StepError> {
        self.foresee(model, bodies, ahead);
        self.touches.clear();
        self.among(model, bodies);
        self.with_nodes(model, bodies, ahead);
        self.with_faces(model, bodies, ahead);
        self.against(model, bodies, ahead);
        let near = MARGIN * self.least;
        self.touches.iter_mut().for_each(|touch| self.memory.recall(touch, near));
        self.passes = 0;
        self.limit = self.speed.unwrap_or(SEPARATION * self.least / ahead.h);
        Ok(())
    }

    fn solve(&mut self, bodies: &mut Bodies, substep: &Substep) {
        let Touching { colliders, obstacles, touches, limit, passes, .. } = self;
        if substep.pass == 0 {
            for (poses, collider) in obstacles.iter_mut().zip(colliders.iter()) {
                *poses = [substep.t, substep.t + substep.dt].map(|t| collider.pose_at(t));
            }
        }
        // Forwards and backwards in turn: so no corner of a resting body is always first, and it does not creep.
        let relax = |touch: &mut RigidTouch| touch.relax(bodies, obstacles, substep, *limit);
        match *passes % 2 {
            0 => touches.iter_mut().for_each(relax),
            _ => touches.iter_mut().rev().for_each(relax),
        }
        *passes += 1;
        if substep.pass + 1 == substep.passes {
            // Contacts of two bodies were found one after the other.
            for contacts in touches.chunk_by_mut(|a, b| a.names() == b.names()) {
                let load = contacts.iter().map(|touch| touch.pressed).sum();
                contacts.iter_mut().for_each(|touch| touch.end(bodies, obstacles, load));
            }
        }
    }

    fn end_step(&mut self) {
        self.memory.keep(&self.touches);
    }

    fn forget(&mut self) {
        self.memory.clear();
    }

    fn memory(&self, out: &mut Vec<f64>) {
        self.memory.write(out);
    }

    fn recall(&mut self, memory: &[f64]) -> bool {
        self.memory.read(memory)
    }
}
