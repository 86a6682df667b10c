//! Rigid bodies and joints of a scene, as the file describes them.

use crate::mark::Mark;
use crate::turn::Turn;
use model::RigidMass;
use numerics::mat3::Vec3;
use std::path::PathBuf;

/// A rigid body.
#[derive(Debug, Clone, PartialEq)]
pub struct Rigid {
    /// Name, unique in the scene.
    pub name: String,
    /// Shape.
    pub shape: RigidShape,
    /// Position of the origin of the shape [m].
    pub position: Vec3,
    /// A rotation about the origin of the shape.
    pub rotation: Option<Turn>,
    /// Mass; a body that never moves needs none.
    pub mass: Option<RigidMass>,
    /// Velocity of its centre at the beginning [m/s].
    pub velocity: Vec3,
    /// Angular velocity at the beginning [rad/s].
    pub angular_velocity: Vec3,
    /// Coulomb's coefficient.
    pub friction: f64,
    /// True if it never moves.
    pub fixed: bool,
    /// Mark of the body.
    pub at: Mark,
    /// Mark of its shape.
    pub shape_at: Mark,
}

/// Shape of a rigid body.
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
        /// Radius [m].
        radius: f64,
    },
    /// The convex hull of points [m].
    Points(Vec<Vec3>),
    /// The convex hull of the points of a mesh file.
    File {
        /// Path of the file; a relative path starts from [`crate::Scene::directory`].
        path: PathBuf,
        /// Expected checksum of the file, if the scene gives one.
        checksum: Option<String>,
    },
}

/// A joint.
#[derive(Debug, Clone, PartialEq)]
pub struct Joint {
    /// Kind of the joint.
    pub kind: JointKind,
    /// Names of the joined bodies, rigid or not; `None` as the second is the world.
    pub bodies: [Option<String>; 2],
    /// Point where it holds the first body, and the second too unless the kind gives another point [m]; a body that is
    /// not rigid is held at its nearest node.
    pub at: Vec3,
    /// Compliance [m/N].
    pub compliance: f64,
    /// Mark of the joint.
    pub mark: Mark,
}

/// Relative motion that a joint prevents.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JointKind {
    /// Keeps a point together.
    Ball,
    /// Keeps a point and an axis together; the axis is of any length but 0.
    Hinge(Vec3),
    /// Keeps a point and all directions together.
    Fixed,
    /// Keeps the distance of two points.
    Distance {
        /// Point of the second body [m].
        to_at: Vec3,
        /// Their distance [m]; the initial one if `None`.
        length: Option<f64>,
    },
}
