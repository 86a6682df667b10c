//! Motors: a torque about an axle on some nodes, and its opposite on others.
//!
//! Each acts as forces of a rotation about the middle of its nodes, f_k = w x r_k with w = I^-1 T e, I = sum (r^2 - r r^T). So the
//! sum of both is no force and no torque, to rounding. Forces follow the axle from step to step and are constant during a step.

use super::StokesError;
use crate::parameter::{Kind, Parameter};
use numerics::mat3::{
    Mat3, Vec3, add, cofactor, cross, determinant, dot, identity, mat_add, mat_scale, mat_sub, mat_vec, outer, scale,
    sub, unit,
};

/// Parameters of motors.
pub const MOTOR: &[Parameter] = &[
    Parameter::required(
        "torque",
        Kind::FINITE,
        "N m",
        "torque about the direction from the first to the second node of the axle",
    ),
    Parameter::required(
        "hinge",
        Kind::POSITIVE,
        "N/m",
        "stiffness of the springs from the corners of the ring to the nodes of the axle, whose lengths do not change as it turns",
    ),
];

/// A motor. Nodes are numbered as in the mesh of a blueprint, or as in the model.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Motor {
    /// Two nodes of the axle; the torque is about the direction from the first to the second.
    pub axle: [u32; 2],
    /// Nodes that it turns.
    pub turned: Vec<u32>,
    /// Nodes that it pushes off from.
    pub held: Vec<u32>,
    /// Torque [N m].
    pub torque: f64,
}

impl Motor {
    /// Adds its forces at positions x to the forces on the free nodes [N].
    pub(crate) fn add_force(&self, x: &[f64], f: &mut [f64]) {
        let at = |i: u32| -> Vec3 { std::array::from_fn(|c| x[3 * i as usize + c]) };
        let torque = scale(self.torque, unit(sub(at(self.axle[1]), at(self.axle[0]))));
        for (nodes, sign) in [(&self.turned, 1.0), (&self.held, -1.0)] {
            let (middle, inertia) = moments(nodes, &at);
            let spin = scale(sign / determinant(&inertia), mat_vec(&cofactor(&inertia), torque));
            for &i in nodes {
                let force = cross(spin, sub(at(i), middle));
                if let Some(f) = f.get_mut(3 * i as usize..3 * i as usize + 3) {
                    (0..3).for_each(|c| f[c] += force[c]);
                }
            }
        }
    }

    /// Returns the same with other numbers of nodes.
    pub(crate) fn renumbered(&self, number: impl Fn(u32) -> u32) -> Motor {
        let all = |nodes: &[u32]| nodes.iter().map(|&i| number(i)).collect();
        let Motor { axle, turned, held, torque } = self;
        Motor { axle: axle.map(&number), turned: all(turned), held: all(held), torque: *torque }
    }

    /// Checks it at rest, as motor number `motor`.
    pub(crate) fn check(&self, motor: usize, points: &[Vec3]) -> Result<(), StokesError> {
        let all = || self.axle.iter().chain(&self.turned).chain(&self.held);
        if let Some(&node) = all().find(|&&i| i as usize >= points.len()) {
            return Err(StokesError::Mean { node });
        }
        let at = |i: u32| points[i as usize];
        if at(self.axle[0]) == at(self.axle[1]) {
            return Err(StokesError::NoAxle { motor });
        }
        if !self.torque.is_finite() {
            return Err(StokesError::Torque { motor });
        }
        for nodes in [&self.turned, &self.held] {
            let (_, inertia) = moments(nodes, &at);
            let size = (0..3).map(|c| inertia[c][c]).sum::<f64>() / 3.0;
            // On a line one moment is 0.
            if nodes.len() < 3 || determinant(&inertia) <= 1e-12 * size.powi(3) {
                return Err(StokesError::OnALine { motor });
            }
        }
        Ok(())
    }
}

/// Returns the middle of nodes and their moments about it: sum (r^2 - r r^T) [m^2].
fn moments(nodes: &[u32], at: &dyn Fn(u32) -> Vec3) -> (Vec3, Mat3) {
    let sum = nodes.iter().fold([0.0; 3], |sum, &i| add(sum, at(i)));
    let middle = scale(1.0 / nodes.len().max(1) as f64, sum);
    let inertia = nodes.iter().fold([[0.0; 3]; 3], |sum, &i| {
        let r = sub(at(i), middle);
        mat_add(&sum, &mat_sub(&mat_scale(dot(r, r), &identity()), &outer(r, r)))
    });
    (middle, inertia)
}
