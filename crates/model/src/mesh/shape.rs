//! Size and quality of one element.

use numerics::mat3::{Vec3, cross, dot, norm, sub};

/// Volume, relative to the cube of the longest edge, below which a tet is flat. Its shape functions would have no
/// correct digits left for a simulation.
const FLAT: f64 = 1e-12;

/// Returns true if a tetrahedron has negligible volume of either sign; one whose volume overflows counts as flat.
pub fn is_flat_tet(p: &[Vec3; 4]) -> bool {
    let mut longest = 0.0_f64;
    for i in 0..4 {
        for j in 0..i {
            let d = sub(p[i], p[j]);
            longest = longest.max(dot(d, d));
        }
    }
    let good = tet_volume(p).abs() > FLAT * longest * longest.sqrt();
    !good
}

/// Returns true if a triangle has negligible area; one whose area overflows counts as flat.
pub fn is_flat_triangle(&[a, b, c]: &[Vec3; 3]) -> bool {
    let (u, v) = (sub(b, a), sub(c, a));
    let good = norm(cross(u, v)) > FLAT * (dot(u, u) + dot(v, v));
    !good
}

/// Computes the signed volume of a tetrahedron [m^3]: positive when (p1 - p0) x (p2 - p0) . (p3 - p0) > 0.
pub fn tet_volume(p: &[Vec3; 4]) -> f64 {
    dot(cross(sub(p[1], p[0]), sub(p[2], p[0])), sub(p[3], p[0])) / 6.0
}

/// Sums the squared lengths of the six edges [m^2].
fn squared_edges(p: &[Vec3; 4]) -> f64 {
    let mut sum = 0.0;
    for i in 0..4 {
        for j in 0..i {
            let d = sub(p[i], p[j]);
            sum += dot(d, d);
        }
    }
    sum
}

/// Computes the mean-ratio quality 12 (3 V)^(2/3) / sum l^2: 1 for the regular tetrahedron, 0 for a flat one, negative
/// for an inverted one. A Kuhn tet of a cube has 0.756.
pub fn mean_ratio(p: &[Vec3; 4]) -> f64 {
    let volume = tet_volume(p);
    12.0 * (3.0 * volume.abs()).powf(2.0 / 3.0).copysign(volume) / squared_edges(p)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_regular_tetrahedron_has_quality_one() {
        let p = [[1.0, 1.0, 1.0], [1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [-1.0, -1.0, 1.0]];
        let q = [p[0], p[2], p[1], p[3]];
        assert!((mean_ratio(&p).abs() - 1.0).abs() < 1e-14);
        assert_eq!(mean_ratio(&p), -mean_ratio(&q));
        assert!((tet_volume(&p).abs() - 8.0 / 3.0).abs() < 1e-14);
    }
}
