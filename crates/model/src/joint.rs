//! Joints: what rigid bodies, nodes and the world hold each other by.

use numerics::mat3::{Vec3, norm, sub};
use numerics::quaternion::Quaternion;

/// One end of a joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Anchor {
    /// A place in the world [m].
    World(Vec3),
    /// A node of something else.
    Node(u32),
    /// A place in the frame of a rigid body, by its number [m].
    Rigid(u32, Vec3),
}

/// What a joint keeps.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum JointKind {
    /// Both ends at one place.
    Ball,
    /// Both ends at one place, and this axis of both, each in the frame of its end, in one direction.
    Hinge([Vec3; 2]),
    /// Both ends at one place, and the second turned by this against the first.
    Fixed(Quaternion),
    /// Both ends this far from each other [m].
    Distance(f64),
}

/// A joint.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Joint {
    /// What it keeps.
    pub kind: JointKind,
    /// Between what.
    pub ends: [Anchor; 2],
    /// How far its ends give under a force [m/N]; rigid if zero. Turns are always kept rigidly.
    pub compliance: f64,
}

impl Joint {
    /// The same with other numbers of nodes.
    pub(crate) fn renumbered(&self, of: impl Fn(u32) -> u32) -> Joint {
        let ends = self.ends.map(|end| match end {
            Anchor::Node(node) => Anchor::Node(of(node)),
            other => other,
        });
        Joint { ends, ..*self }
    }

    /// Whether one of its ends is this rigid body.
    pub fn holds(&self, rigid: usize) -> bool {
        self.ends.iter().any(|end| matches!(end, Anchor::Rigid(k, _) if *k as usize == rigid))
    }

    /// The distance of what is from what is kept [m].
    pub fn gap(&self, a: Vec3, b: Vec3) -> f64 {
        let apart = norm(sub(a, b));
        match self.kind {
            JointKind::Distance(length) => (apart - length).abs(),
            _ => apart,
        }
    }
}
