//! Deformations and velocities of a body before the first step.

use crate::mesh::Mesh;
use crate::model::Model;
use crate::state::State;
use numerics::mat3::{Vec3, add, cross, dot, mat_vec, rotation, scale, sub};

/// Change of the initial positions or velocities of some nodes.
#[derive(Debug, Clone, PartialEq)]
pub enum Initial {
    /// Rotates each node about an axis, by an angle that grows along the axis.
    Twist {
        /// Point of the axis where the angle is zero [m].
        center: Vec3,
        /// Unit vector along the axis.
        axis: Vec3,
        /// Angle per metre along the axis [rad/m].
        rate: f64,
    },
    /// Scales along the coordinate axes.
    Stretch {
        /// Fixed point [m].
        center: Vec3,
        /// Factor along x, y and z.
        factors: Vec3,
    },
    /// Translates.
    Shift {
        /// Displacement [m].
        offset: Vec3,
    },
    /// Sets the velocity: a translation and a rotation.
    Velocity {
        /// Velocity of the centre [m/s].
        linear: Vec3,
        /// Point on the axis of rotation [m].
        center: Vec3,
        /// Angular velocity [rad/s].
        angular: Vec3,
    },
}

impl Initial {
    /// Applies the change to the free ones among some nodes, numbered as in the mesh.
    pub fn apply(&self, model: &Model, nodes: &[u32], state: &mut State) {
        for &node in nodes {
            let i = model.number(node as usize);
            if i >= model.free_nodes() {
                continue;
            }
            let at = 3 * i..3 * i + 3;
            let x: Vec3 = std::array::from_fn(|c| state.x[3 * i + c]);
            match self {
                Initial::Velocity { linear, center, angular } => {
                    let v = add(*linear, cross(*angular, sub(x, *center)));
                    state.v[at].copy_from_slice(&v);
                }
                _ => state.x[at].copy_from_slice(&self.moved(x)),
            }
        }
    }

    fn moved(&self, x: Vec3) -> Vec3 {
        match self {
            Initial::Twist { center, axis, rate } => {
                let arm = sub(x, *center);
                add(*center, mat_vec(&rotation(*axis, rate * dot(arm, *axis)), arm))
            }
            Initial::Stretch { center, factors } => {
                let arm = sub(x, *center);
                add(*center, std::array::from_fn(|c| factors[c] * arm[c]))
            }
            Initial::Shift { offset } => add(x, *offset),
            Initial::Velocity { .. } => x,
        }
    }
}

/// Computes the mean of a mesh's points [m], the default centre of twists and rotations.
pub fn middle(mesh: &Mesh) -> Vec3 {
    let sum = mesh.points.iter().fold([0.0; 3], |sum, &p| add(sum, p));
    scale(1.0 / mesh.points.len().max(1) as f64, sum)
}
