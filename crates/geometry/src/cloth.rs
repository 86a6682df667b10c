//! Springs of a cloth given by its triangles.

use crate::doctor::edges_of_triangles;

/// Returns every edge once, and pairs of corners opposite across an inner edge, once each; the lower index first,
/// sorted. Edges of three and more triangles get no bending springs: it is undefined which two continue each other.
pub fn cloth_springs(triangles: &[[u32; 3]]) -> (Vec<[u32; 2]>, Vec<[u32; 2]>) {
    let (mut edges, mut bends) = (Vec::new(), Vec::new());
    for same in edges_of_triangles(triangles).chunk_by(|a, b| a.0 == b.0) {
        edges.push(same[0].0);
        if let [a, b] = same {
            let opposite = |id: u32| triangles[id as usize / 3][(id as usize + 2) % 3];
            let [a, b] = [opposite(a.1), opposite(b.1)];
            bends.extend((a != b).then_some([a.min(b), a.max(b)]));
        }
    }
    bends.sort_unstable();
    bends.dedup();
    (edges, bends)
}
