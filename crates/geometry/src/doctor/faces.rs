//! Faces of tets and edges of triangles, brought together by sorting.

use model::mesh::Mesh;
use rayon::prelude::*;

/// Faces of a positively oriented tet, each counter-clockwise seen from outside.
pub(crate) const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

/// A face by its sorted corners, and its owner: 4 tet + face.
pub(crate) type Face = ([u32; 3], u32);

/// Returns the faces of all tets, sorted: sides of one face are neighbours.
pub(crate) fn faces(mesh: &Mesh) -> Vec<Face> {
    let mut faces = vec![([0; 3], 0); 4 * mesh.tets.len()];
    faces.par_chunks_mut(4).zip(&mesh.tets).enumerate().for_each(|(e, (out, tet))| {
        for (f, face) in FACES.iter().enumerate() {
            let mut key = face.map(|k| tet[k]);
            key.sort_unstable();
            out[f] = (key, 4 * e as u32 + f as u32);
        }
    });
    faces.par_sort_unstable();
    faces
}

/// An edge by its sorted ends, its owner, 3 triangle + edge, and true if the triangle runs from the lower end up.
pub(crate) type Edge = ([u32; 2], u32, bool);

/// Returns the edges of triangles, sorted: those of one edge are neighbours.
pub(crate) fn edges_of_triangles(triangles: &[[u32; 3]]) -> Vec<Edge> {
    let mut edges = vec![([0; 2], 0, false); 3 * triangles.len()];
    edges.par_chunks_mut(3).zip(triangles).enumerate().for_each(|(e, (out, t))| {
        for k in 0..3 {
            let [a, b] = [t[k], t[(k + 1) % 3]];
            out[k] = ([a.min(b), a.max(b)], (3 * e + k) as u32, a < b);
        }
    });
    edges.par_sort_unstable();
    edges
}

/// Returns, for each triangle of the mesh, true if it is a face of a tet.
pub fn triangles_of_tets(mesh: &Mesh) -> Vec<bool> {
    if mesh.tets.is_empty() || mesh.triangles.is_empty() {
        return vec![false; mesh.triangles.len()];
    }
    let faces = faces(mesh);
    let is_face = |triangle: &[u32; 3]| {
        let mut key = *triangle;
        key.sort_unstable();
        faces.binary_search_by(|(face, _)| face.cmp(&key)).is_ok()
    };
    mesh.triangles.par_iter().map(is_face).collect()
}
