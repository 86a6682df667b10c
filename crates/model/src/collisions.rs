//! What meets what: surfaces of bodies, and rigid shapes that are still or follow a given motion.
//!
//! This is a description only. Methods that serve contact find out who touches whom (`crates/collision`) and keep them apart.

use crate::script::Motion;
use collision::{Pose, Shape};

/// Contact as a constraint: what may touch, and the laws of touching.
#[derive(Debug, Clone)]
pub struct Collisions {
    /// Triangles of cloth and of the boundary of solids, by their nodes.
    pub triangles: Vec<[u32; 3]>,
    /// Edges that are of no triangle.
    pub edges: Vec<[u32; 2]>,
    /// Nodes that are of neither.
    pub points: Vec<u32>,
    /// The body of each node.
    pub body: Vec<u32>,
    /// Thickness of what bends [m]: two layers are as far apart, and a layer is half of it from a shape.
    pub thickness: f64,
    /// How much nearer than foreseen things may come within a step [m].
    pub margin: f64,
    /// Coulomb's coefficient between bodies.
    pub friction: f64,
    /// How fast overlaps that are there already are undone [m/s].
    pub max_separation_speed: f64,
    /// Whether a body meets itself.
    pub within: bool,
    /// Whether bodies meet each other.
    pub between: bool,
    /// The rigid shapes in the way.
    pub colliders: Vec<Collider>,
}

/// A rigid shape whose motion is given.
#[derive(Debug, Clone)]
pub struct Collider {
    /// The shape, in a frame of its own.
    pub shape: Shape,
    /// That frame where the motion begins.
    pub pose: Pose,
    /// How it moves; still if there is none.
    pub motion: Option<Motion>,
    /// Coulomb's coefficient against it.
    pub friction: f64,
    /// The nodes that meet it.
    pub nodes: Vec<u32>,
    /// The rigid bodies that meet it, by number.
    pub rigids: Vec<u32>,
}

impl Collider {
    /// Where it is at time `t` [s].
    pub fn pose_at(&self, t: f64) -> Pose {
        self.motion.as_ref().map_or(self.pose, |motion| motion.carry(t, &self.pose))
    }
}

impl Collisions {
    /// The same with other numbers of nodes; nodes that meet colliders are the first `free` ones, each once.
    pub(crate) fn renumbered(&self, free: usize, origin: &[u32], of: impl Fn(u32) -> u32) -> Collisions {
        let colliders = self.colliders.iter().map(|collider| {
            let mut nodes: Vec<u32> = collider.nodes.iter().map(|&i| of(i)).filter(|&i| (i as usize) < free).collect();
            nodes.sort_unstable();
            nodes.dedup();
            Collider { nodes, ..collider.clone() }
        });
        Collisions {
            triangles: self.triangles.iter().map(|nodes| nodes.map(&of)).collect(),
            edges: self.edges.iter().map(|nodes| nodes.map(&of)).collect(),
            points: self.points.iter().map(|&node| of(node)).collect(),
            body: origin.iter().map(|&i| self.body[i as usize]).collect(),
            colliders: colliders.collect(),
            ..*self
        }
    }
}
