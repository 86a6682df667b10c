//! Joints between rigid bodies, nodes and the world.

use numerics::mat3::{Vec3, norm, sub};
use numerics::quaternion::Quaternion;

/// One end of a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Anchor {
    /// Point in the world [m].
    World(Vec3),
    /// Node, by its number.
    Node(u32),
    /// Point in the frame of a rigid body, by the index of the body [m].
    Rigid(u32, Vec3),
}

/// Constraint of a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JointKind {
    /// Both ends coincide.
    Ball,
    /// Both ends coincide, and one axis of each, in the frame of its end, points in the same direction.
    Hinge([Vec3; 2]),
    /// Both ends coincide, and the second has this rotation relative to the first.
    Fixed(Quaternion),
    /// Both ends have this distance from each other [m].
    Distance(f64),
}

/// Joint between two ends.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Joint {
    /// Constraint.
    pub kind: JointKind,
    /// Ends.
    pub ends: [Anchor; 2],
    /// Displacement of its ends per force [m/N]; zero for a rigid joint. Rotations are always constrained rigidly.
    pub compliance: f64,
}

impl Joint {
    /// Returns a copy with renumbered nodes.
    pub(crate) fn renumbered(&self, of: impl Fn(u32) -> u32) -> Joint {
        let ends = self.ends.map(|end| match end {
            Anchor::Node(node) => Anchor::Node(of(node)),
            other => other,
        });
        Joint { ends, ..*self }
    }

    /// Returns true if one of its ends is this rigid body.
    pub fn holds(&self, rigid: usize) -> bool {
        self.ends.iter().any(|end| matches!(end, Anchor::Rigid(k, _) if *k as usize == rigid))
    }

    /// Computes the violation of the position constraint [m].
    pub fn gap(&self, a: Vec3, b: Vec3) -> f64 {
        let apart = norm(sub(a, b));
        match self.kind {
            JointKind::Distance(length) => (apart - length).abs(),
            _ => apart,
        }
    }
}
