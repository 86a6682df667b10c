//! Description of contact: surfaces of bodies, and rigid shapes that are fixed or follow a given motion.
//!
//! Contact as a constraint is enforced by methods that support it, contact by impulses by the simulation after each step
//! of any method with forces.

use crate::parameter::{Kind, Parameter, Preset, Variant};
use crate::script::Motion;
use collision::{Pose, Shape};

/// Contact with an obstacle as a constraint.
pub const CONSTRAINT: Variant = Variant {
    name: "constraint",
    doc: "nodes are kept outside, with friction, by methods with constraints",
    parameters: &[friction("Coulomb's coefficient against the obstacle")],
};

/// Contact with an obstacle by impulses after each step.
pub const IMPULSES: Variant = Variant {
    name: "impulses",
    doc: "nodes and fibres are kept outside after each step, with friction, by methods with forces",
    parameters: &[friction("Coulomb's coefficient against the obstacle"), RESTITUTION],
};

/// Ways to enforce contact between bodies.
pub const RESPONSES: &[&str] = &["constraint", "impulses"];

/// Things that impulses may move within a step.
pub const MOVED: &[&str] = &["nodes", "bodies"];

const RESTITUTION: Parameter = Parameter::new(
    "restitution",
    Kind::within(0.0, 1.0),
    Preset::Numbers(&[0.0]),
    "",
    "for impulses: speed after an impact over that before, 0 for none",
);

/// Parameters of contact between bodies.
pub const PARAMETERS: &[Parameter] = &[
    Parameter::new(
        "contact",
        Kind::Word { choices: RESPONSES },
        Preset::Word("constraint"),
        "",
        "constraint: within the small steps of small-steps; impulses: after each step of a method with forces",
    ),
    RESTITUTION,
    Parameter::new(
        "response",
        Kind::Word { choices: MOVED },
        Preset::Word("nodes"),
        "",
        "for impulses, what they move within the step: nodes that touch, or whole bodies by the matrix of the step, for stiff ones",
    ),
    Parameter::optional(
        "thickness",
        Kind::POSITIVE,
        "m",
        "distance that layers keep from each other, and half of it from obstacles; a quarter of the shortest edge if left out",
    ),
    Parameter::optional(
        "margin",
        Kind::NOT_NEGATIVE,
        "m",
        "margin for approaches within a step that the prediction misses; the thickness if left out",
    ),
    friction("Coulomb's coefficient between bodies"),
    Parameter::optional(
        "max_separation_speed",
        Kind::POSITIVE,
        "m/s",
        "speed at which overlaps are removed; one thickness per step if left out",
    ),
    Parameter::new("self", Kind::Flag, Preset::Flag(true), "", "contact of bodies with themselves"),
    Parameter::new("between", Kind::Flag, Preset::Flag(true), "", "contact between different bodies"),
];

const fn friction(doc: &'static str) -> Parameter {
    Parameter::new("friction", Kind::NOT_NEGATIVE, Preset::Numbers(&[0.0]), "", doc)
}

/// Contact by impulses after each step of a method with forces, instead of constraints within small steps.
#[derive(Debug, Clone, Default)]
pub struct Impulses {
    /// Speed after an impact over that before it, between bodies.
    pub restitution: f64,
    /// Whole bodies respond within the step, not only the nodes that touch.
    pub moves_bodies: bool,
    /// Rings of fibres by their nodes: each is a point of a centre line, their mean.
    pub rings: Vec<[u32; 4]>,
    /// Segments of fibres, by their rings.
    pub segments: Vec<[u32; 2]>,
}

/// Contact: the surfaces that may touch, and the contact laws.
#[derive(Debug, Clone)]
pub struct Collisions {
    /// Impulses, if contact is enforced by them.
    pub impulses: Option<Impulses>,
    /// Triangles of cloth and of the boundary of solids, by their nodes.
    pub triangles: Vec<[u32; 3]>,
    /// Edges of no triangle.
    pub edges: Vec<[u32; 2]>,
    /// Nodes of neither a triangle nor an edge.
    pub points: Vec<u32>,
    /// Body of each node.
    pub body: Vec<u32>,
    /// Thickness of deformable surfaces [m]: two layers stay this far apart, a layer stays half of it away from a
    /// shape.
    pub thickness: f64,
    /// Extra search distance for contacts [m]: surfaces may come this much closer within a step than predicted.
    pub margin: f64,
    /// Coulomb's coefficient between bodies.
    pub friction: f64,
    /// Largest speed at which existing overlaps are removed [m/s].
    pub max_separation_speed: f64,
    /// Bodies collide with themselves.
    pub within: bool,
    /// Bodies collide with each other.
    pub between: bool,
    /// Rigid obstacles.
    pub colliders: Vec<Collider>,
}

/// Rigid shape with a prescribed motion.
#[derive(Debug, Clone)]
pub struct Collider {
    /// Shape, in its own frame.
    pub shape: Shape,
    /// Pose of that frame at the beginning of the motion.
    pub pose: Pose,
    /// Motion; `None` for a fixed shape.
    pub motion: Option<Motion>,
    /// Coulomb's coefficient of contact with it.
    pub friction: f64,
    /// Speed after an impact over that before it.
    pub restitution: f64,
    /// Nodes that collide with it.
    pub nodes: Vec<u32>,
    /// Rigid bodies that collide with it, by index.
    pub rigids: Vec<u32>,
}

impl Collider {
    /// Returns its pose at time `t` [s].
    pub fn pose_at(&self, t: f64) -> Pose {
        self.motion.as_ref().map_or(self.pose, |motion| motion.carry(t, &self.pose))
    }
}

impl Collisions {
    /// Returns a copy with renumbered nodes; the nodes that meet colliders are restricted to the first `free` ones,
    /// each once.
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
            impulses: self.impulses.as_ref().map(|impulses| Impulses {
                rings: impulses.rings.iter().map(|nodes| nodes.map(&of)).collect(),
                ..impulses.clone()
            }),
            body: origin.iter().map(|&i| self.body[i as usize]).collect(),
            colliders: colliders.collect(),
            ..*self
        }
    }
}
