//! An independent check that nothing crosses anything: every edge against every triangle, by signed volumes.

use model::Model;
use numerics::mat3::{Vec3, cross, dot, sub};

/// Returns six times the signed volume of a tetrahedron [m^3].
fn volume(a: Vec3, b: Vec3, c: Vec3, d: Vec3) -> f64 {
    dot(cross(sub(b, a), sub(c, a)), sub(d, a))
}

/// Returns true if the segment crosses the triangle.
fn crosses([p, q]: [Vec3; 2], [a, b, c]: [Vec3; 3]) -> bool {
    if volume(a, b, c, p) * volume(a, b, c, q) > 0.0 {
        return false;
    }
    let sides = [volume(p, q, a, b), volume(p, q, b, c), volume(p, q, c, a)];
    sides.iter().all(|s| *s > 0.0) || sides.iter().all(|s| *s < 0.0)
}

/// Returns an edge and a triangle that cross, if any, of a model at positions `x`.
pub fn crossing(model: &Model, x: &[Vec3]) -> Option<([u32; 2], [u32; 3])> {
    let collisions = model.collisions().unwrap();
    let sides = collisions.triangles.iter().flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]]);
    let mut edges: Vec<[u32; 2]> = sides.chain(collisions.edges.iter().copied()).collect();
    edges.iter_mut().for_each(|edge| edge.sort_unstable());
    edges.sort_unstable();
    edges.dedup();
    let at = |i: u32| x[i as usize];
    // Boxes first: the check is over all pairs.
    let bounds = |points: &[Vec3]| {
        let low: Vec3 = std::array::from_fn(|c| points.iter().fold(f64::INFINITY, |m, p| m.min(p[c])));
        let high: Vec3 = std::array::from_fn(|c| points.iter().fold(f64::NEG_INFINITY, |m, p| m.max(p[c])));
        (low, high)
    };
    let around: Vec<_> = collisions.triangles.iter().map(|t| bounds(&t.map(at))).collect();
    for edge in edges {
        let (low, high) = bounds(&edge.map(at));
        for (triangle, (l, h)) in collisions.triangles.iter().zip(&around) {
            let apart = (0..3).any(|c| high[c] < l[c] || h[c] < low[c]);
            if !apart && !triangle.iter().any(|i| edge.contains(i)) && crosses(edge.map(at), triangle.map(at)) {
                return Some((edge, *triangle));
            }
        }
    }
    None
}

#[test]
fn a_crossing_is_found() {
    let triangle = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    assert!(crosses([[0.2, 0.2, -1.0], [0.2, 0.2, 1.0]], triangle));
    assert!(!crosses([[0.2, 0.2, 0.1], [0.2, 0.2, 1.0]], triangle));
    assert!(!crosses([[0.8, 0.8, -1.0], [0.8, 0.8, 1.0]], triangle));
}
