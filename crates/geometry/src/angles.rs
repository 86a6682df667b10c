//! Angles of a tet.

use numerics::mat3::{Vec3, cross, dot, norm, sub};

/// Computes the dihedral angles at the edges 01, 02, 03, 12, 13, 23 of a tet [degrees].
pub fn dihedral_angles(p: &[Vec3; 4]) -> [f64; 6] {
    [[0, 1, 2, 3], [0, 2, 1, 3], [0, 3, 1, 2], [1, 2, 0, 3], [1, 3, 0, 2], [2, 3, 0, 1]].map(|[i, j, k, l]| {
        let edge = sub(p[j], p[i]);
        let u = cross(edge, sub(p[k], p[i]));
        let v = cross(edge, sub(p[l], p[i]));
        norm(cross(u, v)).atan2(dot(u, v)).to_degrees()
    })
}
