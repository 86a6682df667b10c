//! Obstacles of a scene and bodies that meet, as the file says them.

use crate::mark::Mark;
use crate::scene::Selection;
use crate::turn::Turn;
use model::script::Motion;
use numerics::mat3::Vec3;
use std::path::PathBuf;

/// An obstacle and how it acts.
#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    /// Which nodes meet it.
    pub on: Selection,
    /// What they meet.
    pub obstacle: Obstacle,
    /// How it acts.
    pub act: Act,
    /// Mark of the obstacle.
    pub at: Mark,
}

/// What nodes meet. Only constraints know others than planes and balls.
#[derive(Debug, Clone, PartialEq)]
pub enum Obstacle {
    /// The half space behind a point, below a normal.
    Plane {
        /// A point of the surface [m].
        point: Vec3,
        /// The normal that points to where nodes may be, of any length but 0.
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
        /// The other [m].
        to: Vec3,
        /// The radius [m].
        radius: f64,
    },
    /// The surface of a mesh.
    Mesh(ObstacleMesh),
}

/// A mesh in the way.
#[derive(Debug, Clone, PartialEq)]
pub struct ObstacleMesh {
    /// Where its file is; a relative path starts from [`crate::Scene::directory`].
    pub path: PathBuf,
    /// The checksum the file must have, if the scene says one.
    pub checksum: Option<String>,
    /// About how many vertices a shape file is filled with.
    pub vertices: Option<usize>,
    /// Added to all points, last [m].
    pub position: Vec3,
    /// A rotation about its origin.
    pub rotation: Option<Turn>,
    /// Factor of its size.
    pub scale: f64,
}

/// How an obstacle acts.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// A spring pushes nodes out.
    Penalty {
        /// Its stiffness a node [N/m].
        stiffness: f64,
    },
    /// Nodes inside are put back on the surface after each step.
    Projection,
    /// Nodes are kept outside within the step.
    Constraint {
        /// Coulomb's coefficient.
        friction: f64,
        /// How the obstacle moves, if it does; an axis may be of any length but 0.
        motion: Option<Motion>,
    },
}

/// Bodies that meet, and the laws of contact as a constraint. What is not said follows from the meshes and the step.
#[derive(Debug, Clone, PartialEq)]
pub struct Collisions {
    /// Layers keep this apart, and half of it from obstacles [m].
    pub thickness: Option<f64>,
    /// How much nearer than foreseen things may come within a step [m].
    pub margin: Option<f64>,
    /// Coulomb's coefficient between bodies.
    pub friction: f64,
    /// How fast overlaps are undone [m/s].
    pub max_separation_speed: Option<f64>,
    /// Whether bodies meet themselves.
    pub within: bool,
    /// Whether bodies meet each other.
    pub between: bool,
}
