//! Rigid bodies and joints of a scene, as the file says them.

use crate::mark::Mark;
use crate::turn::Turn;
use model::RigidMass;
use numerics::mat3::Vec3;
use std::path::PathBuf;

/// A rigid body.
#[derive(Debug, Clone, PartialEq)]
pub struct Rigid {
    /// Its name, unlike all others.
    pub name: String,
    /// What it looks like.
    pub shape: RigidShape,
    /// Where the origin of the shape is [m].
    pub position: Vec3,
    /// A rotation about the origin of the shape.
    pub rotation: Option<Turn>,
    /// Its mass; one that never moves needs none.
    pub mass: Option<RigidMass>,
    /// Velocity of its centre at the beginning [m/s].
    pub velocity: Vec3,
    /// Angular velocity at the beginning [rad/s].
    pub angular_velocity: Vec3,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// Whether it never moves.
    pub fixed: bool,
    /// Mark of the body.
    pub at: Mark,
    /// Mark of its shape.
    pub shape_at: Mark,
}

/// What a rigid body looks like.
#[derive(Debug, Clone, PartialEq)]
pub enum RigidShape {
    /// A box around the origin.
    Box {
        /// Its sides [m].
        size: Vec3,
    },
    /// A ball around the origin.
    Ball {
        /// Its radius [m].
        radius: f64,
    },
    /// All that is nearer than a radius to a segment along z around the origin.
    Capsule {
        /// Length of the segment [m].
        length: f64,
        /// The radius [m].
        radius: f64,
    },
    /// The convex hull of points [m].
    Points(Vec<Vec3>),
    /// The convex hull of the points of a mesh file.
    File {
        /// Where it is; a relative path starts from [`crate::Scene::directory`].
        path: PathBuf,
        /// The checksum it must have, if the scene says one.
        checksum: Option<String>,
    },
}

/// A joint.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// What it keeps.
    pub kind: JointKind,
    /// The names of what it holds: a rigid or another body; the world, where there is no second.
    pub bodies: [Option<String>; 2],
    /// Where it holds the first, and the second too where the kind says no other place [m]; of what is not rigid the nearest node
    /// counts.
    pub at: Vec3,
    /// How far it gives [m/N].
    pub compliance: f64,
    /// Mark of the joint.
    pub mark: Mark,
}

/// What a joint keeps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JointKind {
    /// A point.
    Ball,
    /// A point and an axis, of any length but 0.
    Hinge(Vec3),
    /// A point and all directions.
    Fixed,
    /// How far two points are apart.
    Distance {
        /// The point of the second [m].
        to_at: Vec3,
        /// Their distance [m]; that at the beginning, if none is said.
        length: Option<f64>,
    },
}
