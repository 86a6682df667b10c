//! Surfaces of a mesh for formats of triangles, and triangulation of larger faces.

use model::mesh::Mesh;
use numerics::mat3::Vec3;

/// The surface of a mesh, with the points that it uses in their order.
pub(crate) struct Surface {
    pub points: Vec<Vec3>,
    /// The boundary of the tets, then the triangles of the mesh.
    pub triangles: Vec<[u32; 3]>,
    /// Number of the triangles that are the boundary of the tets.
    pub boundary: usize,
    pub edges: Vec<[u32; 2]>,
}

impl Surface {
    /// Returns the surface of a mesh, with its edges if the format has them.
    pub fn of(mesh: &Mesh, with_edges: bool) -> Surface {
        let mut triangles = mesh.boundary_triangles();
        let boundary = triangles.len();
        triangles.extend_from_slice(&mesh.triangles);
        let mut edges = if with_edges { mesh.edges.clone() } else { Vec::new() };

        // Numbers of the points in use, in order; the others are never read. Beside surfaces, points without elements
        // are particles, and stay; beside solids they are inside, or unused.
        let mut numbers = vec![u32::MAX; mesh.points.len()];
        for &i in triangles.as_flattened().iter().chain(edges.as_flattened()) {
            numbers[i as usize] = 0;
        }
        if mesh.tets.is_empty() {
            mesh.loose_points().into_iter().for_each(|i| numbers[i as usize] = 0);
        }
        let mut points = Vec::new();
        for (number, point) in numbers.iter_mut().zip(&mesh.points).filter(|(number, _)| **number == 0) {
            *number = points.len() as u32;
            points.push(*point);
        }
        let renumber = |i: &mut u32| *i = numbers[*i as usize];
        triangles.as_flattened_mut().iter_mut().for_each(renumber);
        edges.as_flattened_mut().iter_mut().for_each(renumber);
        Surface { points, triangles, boundary, edges }
    }
}

/// Returns the triangles of a polygon, all at its first corner.
pub(crate) fn fan(nodes: &[u32]) -> impl Iterator<Item = [u32; 3]> {
    (1..nodes.len().saturating_sub(1)).map(|k| [nodes[0], nodes[k], nodes[k + 1]])
}

/// Returns the triangles of a strip: every second one is reversed.
pub(crate) fn strip(nodes: &[u32]) -> impl Iterator<Item = [u32; 3]> {
    nodes.windows(3).enumerate().map(|(k, w)| if k % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] })
}
