//! Pose of a body: position and rotation.

use numerics::mat3::{Vec3, add, sub};
use numerics::quaternion::{NONE, Quaternion, conjugate, normalise, product, rotate, rotate_back};

/// A frame in the world: the position of its origin, and its rotation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// Origin of the frame in the world [m].
    pub position: Vec3,
    /// Rotation from the frame to the world, of unit length.
    pub rotation: Quaternion,
}

impl Default for Pose {
    fn default() -> Self {
        Pose { position: [0.0; 3], rotation: NONE }
    }
}

impl Pose {
    /// Makes a pose; the rotation is normalised.
    pub fn new(position: Vec3, rotation: Quaternion) -> Self {
        Pose { position, rotation: normalise(rotation) }
    }

    /// Makes a pose without rotation.
    pub fn at(position: Vec3) -> Self {
        Pose { position, rotation: NONE }
    }

    /// Maps a point of the frame to the world [m].
    #[inline]
    pub fn point(&self, local: Vec3) -> Vec3 {
        add(self.position, rotate(self.rotation, local))
    }

    /// Maps a point of the world to the frame [m].
    #[inline]
    pub fn local_point(&self, world: Vec3) -> Vec3 {
        rotate_back(self.rotation, sub(world, self.position))
    }

    /// Maps a direction of the frame to the world.
    #[inline]
    pub fn vector(&self, local: Vec3) -> Vec3 {
        rotate(self.rotation, local)
    }

    /// Maps a direction of the world to the frame.
    #[inline]
    pub fn local_vector(&self, world: Vec3) -> Vec3 {
        rotate_back(self.rotation, world)
    }

    /// Maps the frame `inner`, given in this frame, to the world.
    pub fn compose(&self, inner: &Pose) -> Pose {
        Pose { position: self.point(inner.position), rotation: product(self.rotation, inner.rotation) }
    }

    /// Returns the inverse: the world seen from this frame.
    pub fn inverse(&self) -> Pose {
        let position = rotate_back(self.rotation, self.position.map(|c| -c));
        Pose { position, rotation: conjugate(self.rotation) }
    }
}
