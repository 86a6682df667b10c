//! Joints: points of rigid bodies that stay together, and directions that stay aligned.
//!
//! A joint is one block, as an element is: the three equations a = b of its points are solved together,
//!
//!   (K_a + K_b + alpha~) p = -(a - b) - alpha~ lambda,   K = 1/m - [r]x I^-1 [r]x,   alpha~ = compliance / dt^2
//!
//! and so are those of its directions, with I_a^-1 + I_b^-1. The push p acts on both bodies at one point, midway
//! between a and b, so it has no moment: linear momentum is conserved to rounding, and angular momentum gains nothing
//! from a moment. Joints are relaxed in the order of their numbers, directions before points, so that points are met
//! best.

use super::constraints::{Constraints, Substep};
use super::rigid::grip;
use crate::stepper::StepReport;
use model::energy::Bodies;
use model::{Joint, JointKind, Model};
use numerics::mat3::{IDENTITY, Mat3, Vec3, add, cross, dot, norm, scale, sub};
use numerics::quaternion::{conjugate, product, rotate, rotation_vector};

/// The joints of a model.
pub(super) struct Joints {
    joints: Vec<Joint>,
    /// Push on the first end of each joint in this substep [kg m].
    multipliers: Vec<Vec3>,
    /// Largest distance between the ends of a joint at the end of the substep [m].
    gap: f64,
    /// Largest force of a joint in the substep [N].
    force: f64,
}

impl Joints {
    /// Collects the joints of a model; `None` without.
    pub fn of(model: &Model) -> Option<Joints> {
        let joints = model.joints().to_vec();
        let multipliers = vec![[0.0; 3]; joints.len()];
        (!joints.is_empty()).then_some(Joints { joints, multipliers, gap: 0.0, force: 0.0 })
    }
}

impl Constraints for Joints {
    fn solve(&mut self, bodies: &mut Bodies, substep: &Substep) {
        for (joint, multiplier) in self.joints.iter().zip(&mut self.multipliers) {
            if substep.pass == 0 {
                *multiplier = [0.0; 3];
            }
            let softness = joint.compliance / (substep.dt * substep.dt);
            match joint.kind {
                JointKind::Distance(length) => keep_distance(bodies, joint, length, softness, multiplier),
                JointKind::Ball => keep_point(bodies, joint, softness, multiplier),
                JointKind::Hinge(axes) => {
                    keep_axis(bodies, joint, axes);
                    keep_point(bodies, joint, softness, multiplier);
                }
                JointKind::Fixed(turn) => {
                    let [a, b] = joint.ends.map(|end| grip::orientation(bodies, &end));
                    let off = rotation_vector(product(b, conjugate(product(a, turn))));
                    keep_turned(bodies, joint, &IDENTITY, off);
                    keep_point(bodies, joint, softness, multiplier);
                }
            }
        }
    }

    fn end_substep(&mut self, bodies: &mut Bodies, dt: f64) {
        let gap = |joint: &Joint| {
            let [a, b] = joint.ends.map(|end| grip::end(bodies, &end));
            joint.gap(a, b)
        };
        self.gap = self.joints.iter().map(gap).fold(0.0, f64::max);
        self.force = self.multipliers.iter().map(|push| norm(*push)).fold(0.0, f64::max) / (dt * dt);
    }

    fn report(&self, report: &mut StepReport) {
        (report.joint_gap, report.joint_force) = (self.gap, self.force);
    }
}

/// Pushes both ends by p and -p at the point midway between them.
fn push_apart(bodies: &mut Bodies, joint: &Joint, amid: Vec3, p: Vec3) {
    grip::push(bodies, &joint.ends[0], amid, p);
    grip::push(bodies, &joint.ends[1], amid, p.map(|c| -c));
}

fn keep_point(bodies: &mut Bodies, joint: &Joint, softness: f64, multiplier: &mut Vec3) {
    let [a, b] = joint.ends.map(|end| grip::position(bodies, &end));
    let (apart, amid) = (sub(a, b), scale(0.5, add(a, b)));
    let [k, l] = joint.ends.map(|end| grip::mobility_matrix(bodies, &end, amid));
    let matrix: Mat3 =
        std::array::from_fn(|i| std::array::from_fn(|j| k[i][j] + l[i][j] + if i == j { softness } else { 0.0 }));
    let wanted = add(apart, scale(softness, *multiplier)).map(|c| -c);
    if let Some(p) = grip::solved(&matrix, wanted) {
        *multiplier = add(*multiplier, p);
        push_apart(bodies, joint, amid, p);
    }
}

fn keep_distance(bodies: &mut Bodies, joint: &Joint, length: f64, softness: f64, multiplier: &mut Vec3) {
    let [a, b] = joint.ends.map(|end| grip::position(bodies, &end));
    let apart = sub(a, b);
    let distance = norm(apart);
    // Ends at one point may separate in any direction, unless their length is zero.
    let n = if distance > 0.0 { scale(1.0 / distance, apart) } else { [0.0, 0.0, 1.0] };
    let [k, l] = [(joint.ends[0], a), (joint.ends[1], b)].map(|(end, at)| grip::mobility(bodies, &end, at, n));
    let resistance = k + l + softness;
    if resistance > 0.0 {
        let p = scale(-(distance - length + softness * dot(*multiplier, n)) / resistance, n);
        *multiplier = add(*multiplier, p);
        // A push along the line between the ends has no moment.
        grip::push(bodies, &joint.ends[0], a, p);
        grip::push(bodies, &joint.ends[1], b, p.map(|c| -c));
    }
}

/// Aligns the axes of both ends, and leaves the rotation about them free.
fn keep_axis(bodies: &mut Bodies, joint: &Joint, axes: [Vec3; 2]) {
    let [a, b] = [0, 1].map(|k| rotate(grip::orientation(bodies, &joint.ends[k]), axes[k]));
    let across = cross(a, b);
    let sine = norm(across);
    // Opposite axes may turn back in any direction.
    let least = (0..3).fold(0, |k, c| if a[c].abs() < a[k].abs() { c } else { k });
    let first = if sine > 1e-12 { scale(1.0 / sine, across) } else { cross(a, IDENTITY[least]) };
    let first = scale(1.0 / norm(first), first);
    let off = scale(sine.atan2(dot(a, b)), first);
    keep_turned(bodies, joint, &[first, cross(a, first), a], off);
}

/// Removes a rotation `off` [rad] of the second end relative to the first. If it has no component along the last of the
/// `directions`, that direction stays free.
fn keep_turned(bodies: &mut Bodies, joint: &Joint, directions: &Mat3, off: Vec3) {
    if off == [0.0; 3] {
        return;
    }
    let is_free = *directions != IDENTITY;
    let turned = |push: Vec3| joint.ends.iter().fold([0.0; 3], |sum, end| add(sum, grip::turn_by(bodies, end, push)));
    let mut matrix: Mat3 = [[0.0; 3]; 3];
    for (j, direction) in directions.iter().enumerate() {
        let by = turned(*direction);
        (0..3).for_each(|i| matrix[i][j] = dot(directions[i], by));
    }
    if is_free {
        (0..3).for_each(|k| (matrix[2][k], matrix[k][2]) = (0.0, 0.0));
        matrix[2][2] = 1.0;
    }
    let wanted = directions.map(|direction| dot(direction, off));
    let wanted = if is_free { [wanted[0], wanted[1], 0.0] } else { wanted };
    if let Some(c) = grip::solved(&matrix, wanted) {
        let push = (0..3).fold([0.0; 3], |sum, k| add(sum, scale(c[k], directions[k])));
        grip::twist(bodies, &joint.ends[0], push);
        grip::twist(bodies, &joint.ends[1], push.map(|c| -c));
    }
}
