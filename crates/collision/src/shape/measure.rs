//! Volume, centre and inertia.

use super::{Mesh, ShapeError};
use numerics::mat3::{
    IDENTITY, Mat3, Vec3, add, cross, determinant, dot, mat_add, mat_scale, mat_sub, outer, scale, sub, trace,
    transpose,
};
use numerics::quaternion::{Quaternion, from_matrix};
use numerics::spectral3::eigen_symmetric;
use std::f64::consts::PI;

/// Volume, centre and inertia of a shape of unit density.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Measure {
    /// Volume [m^3].
    pub volume: f64,
    /// Centre of mass in the frame of the shape [m].
    pub centre: Vec3,
    /// Inertia about the centre for unit density, integral of |r|^2 I - r r^T [m^5].
    pub inertia: Mat3,
}

impl Measure {
    pub(super) fn ball(radius: f64) -> Self {
        let volume = 4.0 / 3.0 * PI * radius.powi(3);
        Measure::centred(volume, [0.4 * volume * radius * radius; 3])
    }

    pub(super) fn cuboid(half: Vec3) -> Self {
        let volume = 8.0 * half[0] * half[1] * half[2];
        let [x, y, z] = half.map(|h| volume * h * h / 3.0);
        Measure::centred(volume, [y + z, x + z, x + y])
    }

    /// Measures a cylinder and two half balls, whose centres are 3/8 of the radius off the ends of the cylinder.
    pub(super) fn capsule(half_length: f64, radius: f64) -> Self {
        let (h, r2) = (half_length, radius * radius);
        let [cylinder, ball] = [2.0 * PI * r2 * h, 4.0 / 3.0 * PI * r2 * radius];
        let along = 0.5 * cylinder * r2 + 0.4 * ball * r2;
        let across = cylinder * (r2 / 4.0 + h * h / 3.0) + ball * (0.4 * r2 + h * h + 0.75 * h * radius);
        Measure::centred(cylinder + ball, [across, across, along])
    }

    /// Sums over the tets between the triangles and a point among them, so that no digits are lost far from the origin.
    pub(super) fn mesh(mesh: &Mesh) -> Result<Self, ShapeError> {
        if mesh.open_edges() > 0 {
            return Err(ShapeError::Open { edges: mesh.open_edges() });
        }
        let amid = mesh.bounds().middle();
        let (mut volume, mut first, mut second) = (0.0, [0.0; 3], [[0.0; 3]; 3]);
        for t in 0..mesh.triangles().len() {
            let corners = mesh.corners(t as u32).map(|p| sub(p, amid));
            let [a, b, c] = corners;
            let v = dot(a, cross(b, c)) / 6.0;
            let sum = add(a, add(b, c));
            volume += v;
            first = add(first, scale(v / 4.0, sum));
            // integral of r r^T over a tet with a corner at 0: v / 20 (sum sum^T + a a^T + b b^T + c c^T)
            let squares = corners.iter().fold(outer(sum, sum), |m, p| mat_add(&m, &outer(*p, *p)));
            second = mat_add(&second, &mat_scale(v / 20.0, &squares));
        }
        if volume.is_nan() || volume <= 0.0 {
            return Err(ShapeError::InsideOut { volume });
        }
        let offset = scale(1.0 / volume, first);
        let second = mat_sub(&second, &mat_scale(volume, &outer(offset, offset)));
        let inertia = mat_sub(&mat_scale(trace(&second), &IDENTITY), &second);
        Ok(Measure { volume, centre: add(amid, offset), inertia })
    }

    /// Makes the measure of a shape around the origin, along the axes.
    fn centred(volume: f64, [x, y, z]: Vec3) -> Self {
        Measure { volume, centre: [0.0; 3], inertia: [[x, 0.0, 0.0], [0.0, y, 0.0], [0.0, 0.0, z]] }
    }

    /// Returns the principal moments [m^5] and the rotation from the principal axes to the frame of the shape.
    pub fn principal(&self) -> (Vec3, Quaternion) {
        let off = [self.inertia[0][1], self.inertia[0][2], self.inertia[1][2]];
        if off == [0.0; 3] {
            return (std::array::from_fn(|k| self.inertia[k][k]), numerics::quaternion::NONE);
        }
        let (moments, mut axes) = eigen_symmetric(&self.inertia);
        if determinant(&axes) < 0.0 {
            axes = transpose(&axes);
            axes[2] = axes[2].map(|c| -c);
            axes = transpose(&axes);
        }
        (moments, from_matrix(&axes))
    }
}
