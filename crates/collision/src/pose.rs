//! Where a body is: a place and a turn.

use numerics::mat3::{Vec3, add, sub};
use numerics::quaternion::{NONE, Quaternion, conjugate, normalise, product, rotate, rotate_back};

/// A frame in the world: where its origin is and how it is turned.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pose {
    /// The origin of the frame in the world [m].
    pub position: Vec3,
    /// From the frame to the world, of unit length.
    pub rotation: Quaternion,
}

impl Default for Pose {
    fn default() -> Self {
        Pose { position: [0.0; 3], rotation: NONE }
    }
}

impl Pose {
    /// A pose; the rotation is brought to unit length.
    pub fn new(position: Vec3, rotation: Quaternion) -> Self {
        Pose { position, rotation: normalise(rotation) }
    }

    /// Moved without a turn.
    pub fn at(position: Vec3) -> Self {
        Pose { position, rotation: NONE }
    }

    /// A point of the frame in the world [m].
    #[inline]
    pub fn point(&self, local: Vec3) -> Vec3 {
        add(self.position, rotate(self.rotation, local))
    }

    /// A point of the world in the frame [m].
    #[inline]
    pub fn local_point(&self, world: Vec3) -> Vec3 {
        rotate_back(self.rotation, sub(world, self.position))
    }

    /// A direction of the frame in the world.
    #[inline]
    pub fn vector(&self, local: Vec3) -> Vec3 {
        rotate(self.rotation, local)
    }

    /// A direction of the world in the frame.
    #[inline]
    pub fn local_vector(&self, world: Vec3) -> Vec3 {
        rotate_back(self.rotation, world)
    }

    /// The frame `inner`, given in this frame, in the world.
    pub fn compose(&self, inner: &Pose) -> Pose {
        Pose { position: self.point(inner.position), rotation: product(self.rotation, inner.rotation) }
    }

    /// The world seen from this frame.
    pub fn inverse(&self) -> Pose {
        let position = rotate_back(self.rotation, self.position.map(|c| -c));
        Pose { position, rotation: conjugate(self.rotation) }
    }
}
