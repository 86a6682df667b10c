//! Obstacles of a scene and contact between bodies, as the file describes them.

use crate::mark::Mark;
use crate::selection::Selection;
use crate::turn::Turn;
use model::script::Motion;
use numerics::mat3::Vec3;
use std::path::PathBuf;

/// An obstacle and its action on nodes.
#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    /// Nodes that meet it.
    pub on: Selection,
    /// Shape of the obstacle.
    pub obstacle: Obstacle,
    /// Action on the nodes.
    pub act: Act,
    /// Mark of the obstacle.
    pub at: Mark,
}

/// Shape of an obstacle. Only constraints and impulses support shapes other than planes and balls.
#[derive(Debug, Clone, PartialEq)]
pub enum Obstacle {
    /// The half space on the side of a point that a normal points away from.
    Plane {
        /// A point of the surface [m].
        point: Vec3,
        /// Normal that points to the free side, of any length but 0.
        normal: Vec3,
    },
    /// A ball.
    Ball {
        /// Its centre [m].
        center: Vec3,
        /// Its radius [m].
        radius: f64,
    },
    /// A box.
    Box {
        /// Its centre [m].
        center: Vec3,
        /// Its sides [m].
        size: Vec3,
        /// A rotation about its centre.
        rotation: Option<Turn>,
    },
    /// All that is nearer than a radius to a segment.
    Capsule {
        /// One end of the segment [m].
        from: Vec3,
        /// Other end of the segment [m].
        to: Vec3,
        /// Radius [m].
        radius: f64,
    },
    /// The surface of a mesh.
    Mesh(ObstacleMesh),
}

/// A mesh as an obstacle.
#[derive(Debug, Clone, PartialEq)]
pub struct ObstacleMesh {
    /// Path of its file; a relative path starts from [`crate::Scene::directory`].
    pub path: PathBuf,
    /// Expected checksum of the file, if the scene gives one.
    pub checksum: Option<String>,
    /// Approximate number of vertices that a shape file is filled with.
    pub vertices: Option<usize>,
    /// Translation of all points, applied last [m].
    pub position: Vec3,
    /// A rotation about its origin.
    pub rotation: Option<Turn>,
    /// Factor of its size.
    pub scale: f64,
}

/// Action of an obstacle on nodes.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// A spring pushes nodes out.
    Penalty {
        /// Stiffness per node [N/m].
        stiffness: f64,
    },
    /// Nodes inside are put back on the surface after each step.
    Projection,
    /// Nodes and fibres are kept outside after each step.
    Impulses {
        /// Coulomb's coefficient.
        friction: f64,
        /// Speed after an impact over that before.
        restitution: f64,
        /// Motion of the obstacle, if any; an axis may be of any length but 0.
        motion: Option<Motion>,
    },
    /// Nodes are kept outside within the step.
    Constraint {
        /// Coulomb's coefficient.
        friction: f64,
        /// Motion of the obstacle, if any; an axis may be of any length but 0.
        motion: Option<Motion>,
    },
}

/// Contact between bodies, and the laws of contact as a constraint. Missing values follow from the meshes and the step.
#[derive(Debug, Clone, PartialEq)]
pub struct Collisions {
    /// Impulses after each step, not constraints.
    pub by_impulses: bool,
    /// For impulses: speed after an impact over that before.
    pub restitution: f64,
    /// For impulses: whole bodies respond within the step.
    pub moves_bodies: bool,
    /// Distance kept between layers; half of it is kept from obstacles [m].
    pub thickness: Option<f64>,
    /// Distance that things may approach beyond the prediction within a step [m].
    pub margin: Option<f64>,
    /// Coulomb's coefficient between bodies.
    pub friction: f64,
    /// Speed at which overlaps are undone [m/s].
    pub max_separation_speed: Option<f64>,
    /// True if bodies meet themselves.
    pub within: bool,
    /// True if bodies meet each other.
    pub between: bool,
}
