//! Surface of a mesh: the boundary of its tets and the triangles of its cloth.

use numerics::mat3::{cross, norm, sub};

use super::Mesh;

/// Faces of a positively oriented tet, counter-clockwise from outside.
const FACES: [[usize; 3]; 4] = [[1, 2, 3], [0, 3, 2], [0, 1, 3], [0, 2, 1]];

impl Mesh {
    /// Returns the surface of the tets: faces of one tet only, oriented outward, in the order of the tets.
    pub fn boundary_triangles(&self) -> Vec<[u32; 3]> {
        // Sorting faces by their sorted corners puts the two sides of an inner face next to each other.
        let mut faces: Vec<([u32; 3], u32)> = Vec::with_capacity(4 * self.tets.len());
        for (e, tet) in self.tets.iter().enumerate() {
            for (f, face) in FACES.iter().enumerate() {
                let mut key = face.map(|k| tet[k]);
                key.sort_unstable();
                faces.push((key, 4 * e as u32 + f as u32));
            }
        }
        faces.sort_unstable();
        let mut boundary: Vec<u32> =
            faces.chunk_by(|a, b| a.0 == b.0).filter(|same| same.len() == 1).map(|same| same[0].1).collect();
        boundary.sort_unstable();
        boundary.into_iter().map(|id| FACES[id as usize % 4].map(|k| self.tets[id as usize / 4][k])).collect()
    }

    /// Computes the area of a triangle of three nodes [m^2].
    pub fn triangle_area(&self, [a, b, c]: [u32; 3]) -> f64 {
        let [p, q, r] = [a, b, c].map(|i| self.points[i as usize]);
        0.5 * norm(cross(sub(q, p), sub(r, p)))
    }

    /// Computes the surface area of each node [m^2]: a third of the area of every adjacent triangle, of the boundary of
    /// the tets and of the cloth. Zero inside a solid and on ropes.
    pub fn nodal_areas(&self) -> Vec<f64> {
        let mut areas = vec![0.0; self.points.len()];
        for triangle in self.boundary_triangles().into_iter().chain(self.triangles.iter().copied()) {
            let third = self.triangle_area(triangle) / 3.0;
            triangle.iter().for_each(|&i| areas[i as usize] += third);
        }
        areas
    }
}
