//! Surfaces as triangles, for drawing and for contact with deformable bodies.

use numerics::mat3::Vec3;
use std::f64::consts::FRAC_PI_2;

/// Points [m] and triangles, counter-clockwise seen from outside.
type Triangulation = (Vec<Vec3>, Vec<[u32; 3]>);

/// Returns a square with sides of 2 m in the plane z = 0.
pub(super) fn square() -> Triangulation {
    (vec![[-1.0, -1.0, 0.0], [1.0, -1.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 0.0]], vec![[0, 1, 2], [0, 2, 3]])
}

/// Returns the 8 corners, x fastest, and 12 triangles.
pub(super) fn cuboid(half: Vec3) -> Triangulation {
    let points = (0..8).map(|i| std::array::from_fn(|k| if i >> k & 1 == 1 { half[k] } else { -half[k] })).collect();
    let faces: [[u32; 4]; 6] = [[0, 4, 6, 2], [1, 3, 7, 5], [0, 1, 5, 4], [2, 6, 7, 3], [0, 2, 3, 1], [4, 5, 7, 6]];
    (points, faces.iter().flat_map(|&[a, b, c, d]| [[a, b, c], [a, c, d]]).collect())
}

/// Makes rings of points about z from the lower pole to the upper one, with two at the equator if the segment has a
/// length.
pub(super) fn capsule(half_length: f64, radius: f64, fineness: usize) -> Triangulation {
    let fineness = fineness.max(1);
    let around = 4 * fineness;
    let step = FRAC_PI_2 / fineness as f64;
    let heights = (1..2 * fineness).map(|k| k as f64 * step - FRAC_PI_2);
    let mut rings: Vec<(f64, f64)> = Vec::new();
    for (k, angle) in heights.enumerate() {
        let (sine, cosine) = angle.sin_cos();
        let at = |side: f64| (radius * cosine, radius * sine + side * half_length);
        match (k + 1).cmp(&fineness) {
            std::cmp::Ordering::Less => rings.push(at(-1.0)),
            std::cmp::Ordering::Greater => rings.push(at(1.0)),
            std::cmp::Ordering::Equal if half_length > 0.0 => {
                rings.extend([(radius, -half_length), (radius, half_length)])
            }
            std::cmp::Ordering::Equal => rings.push((radius, 0.0)),
        }
    }
    let mut points = vec![[0.0, 0.0, -half_length - radius]];
    for (r, z) in &rings {
        points.extend((0..around).map(|k| {
            let (sine, cosine) = (k as f64 * step).sin_cos();
            [r * cosine, r * sine, *z]
        }));
    }
    points.push([0.0, 0.0, half_length + radius]);
    let top = points.len() as u32 - 1;
    let at = |ring: usize, k: usize| (1 + ring * around + k % around) as u32;
    let last = rings.len() - 1;
    let mut triangles = Vec::new();
    for k in 0..around {
        triangles.push([0, at(0, k + 1), at(0, k)]);
        for ring in 0..last {
            let [a, b, c, d] = [at(ring, k), at(ring, k + 1), at(ring + 1, k + 1), at(ring + 1, k)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
        triangles.push([at(last, k), at(last, k + 1), top]);
    }
    (points, triangles)
}
