//! Each tet cut into eight.

use model::mesh::{Mesh, tet_volume};
use numerics::mat3::{Vec3, add, norm, scale, sub};

/// A mesh whose tets are cut into eight each.
pub(super) struct Refined {
    /// Tets only. The points of the coarse mesh come first; tet `e` becomes the tets from `8 e` to `8 e + 7`.
    pub mesh: Mesh,
    /// Coarse edge that each further point halves.
    pub edges: Vec<[u32; 2]>,
}

/// Edges of a tet by its corners; their midpoints are counted in this order.
const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
/// Three diagonals of the octahedron between the midpoints, each with the ring of the other four.
const DIAGONALS: [([usize; 2], [usize; 4]); 3] =
    [([0, 5], [1, 3, 4, 2]), ([1, 4], [0, 3, 5, 2]), ([2, 3], [0, 1, 5, 4])];
/// Largest relative difference of lengths that count as equal.
const EQUAL: f64 = 1e-6;

/// Cuts every tet into eight: four at its corners, and four around a diagonal of the octahedron between them.
pub(super) fn refined(coarse: &Mesh) -> Refined {
    let edges = coarse.edges_of_tets();
    let count = coarse.points.len() as u32;
    let mut mesh = Mesh { points: coarse.points.clone(), ..Mesh::default() };
    let half = |[a, b]: &[u32; 2]| scale(0.5, add(coarse.points[*a as usize], coarse.points[*b as usize]));
    mesh.points.extend(edges.iter().map(half));
    let middle = |a: u32, b: u32| {
        let edge = [a.min(b), a.max(b)];
        count + edges.partition_point(|known| *known < edge) as u32
    };
    mesh.tets.reserve(8 * coarse.tets.len());
    for tet in &coarse.tets {
        let m = EDGES.map(|[i, j]| middle(tet[i], tet[j]));
        let [a, b, c, d] = *tet;
        let corners = [[a, m[0], m[1], m[2]], [b, m[0], m[3], m[4]], [c, m[1], m[3], m[5]], [d, m[2], m[4], m[5]]];
        let ([i, j], ring) = diagonal(&tet.map(|i| coarse.points[i as usize]));
        let inner: [[u32; 4]; 4] = std::array::from_fn(|k| [m[i], m[j], m[ring[k]], m[ring[(k + 1) % 4]]]);
        for mut child in corners.into_iter().chain(inner) {
            if tet_volume(&child.map(|i| mesh.points[i as usize])) < 0.0 {
                child.swap(0, 1);
            }
            mesh.tets.push(child);
        }
    }
    Refined { mesh, edges }
}

/// Returns the shortest diagonal. Of equally short ones it is one that does not end on the longest edge: so the tets of
/// a grid become those of a finer grid, and both meshes have the same kind of error.
fn diagonal(points: &[Vec3; 4]) -> ([usize; 2], [usize; 4]) {
    let length = |k: usize| norm(sub(points[EDGES[k][0]], points[EDGES[k][1]]));
    let longest = (0..6).fold(0, |most, k| if length(k) > (1.0 + EQUAL) * length(most) { k } else { most });
    let middle = |k: usize| scale(0.5, add(points[EDGES[k][0]], points[EDGES[k][1]]));
    let across = |(ends, _): &([usize; 2], [usize; 4])| norm(sub(middle(ends[0]), middle(ends[1])));
    let shortest = DIAGONALS.iter().map(across).fold(f64::INFINITY, f64::min);
    let short = || DIAGONALS.iter().filter(|d| across(d) <= (1.0 + EQUAL) * shortest);
    *short().find(|(ends, _)| !ends.contains(&longest)).or(short().next()).unwrap_or(&DIAGONALS[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_tets_fill_each_and_meet_at_their_faces() {
        let points = vec![[0.0, 0.0, 0.0], [1.0, 0.1, 0.0], [0.2, 1.1, 0.0], [0.1, 0.3, 0.9], [1.2, 1.0, 1.1]];
        let mut mesh = Mesh { points, tets: vec![[0, 1, 2, 3], [1, 2, 3, 4]], ..Mesh::default() };
        mesh.orient();
        let fine = refined(&mesh);
        assert_eq!((fine.mesh.tets.len(), fine.mesh.points.len()), (16, 5 + 9));
        fine.mesh.validate().unwrap();
        for e in 0..2 {
            let parts: f64 = (8 * e..8 * e + 8).map(|child| fine.mesh.tet_volume(child)).sum();
            assert!((parts - mesh.tet_volume(e)).abs() < 1e-14, "{parts}");
        }
        assert_eq!(fine.mesh.boundary_triangles().len(), 4 * mesh.boundary_triangles().len(), "no gap inside");
    }

    #[test]
    fn a_tet_of_a_grid_becomes_tets_of_a_finer_grid() {
        // A path along the edges of a cube, whose tets have edges of 1, sqrt 2 and sqrt 3, in any order.
        let path = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [1.0, 1.0, 0.0], [1.0, 1.0, 1.0]];
        for order in [[0, 1, 2, 3], [2, 0, 3, 1], [3, 1, 0, 2], [1, 3, 2, 0]] {
            let mut mesh =
                Mesh { points: order.map(|i: usize| path[i]).to_vec(), tets: vec![[0, 1, 2, 3]], ..Mesh::default() };
            mesh.orient();
            let fine = refined(&mesh).mesh;
            for e in 0..8 {
                let p = fine.tet_points(e);
                let mut lengths = EDGES.map(|[i, j]| 4.0 * norm(sub(p[i], p[j])).powi(2));
                lengths.sort_by(f64::total_cmp);
                let off =
                    lengths.iter().zip([1.0, 1.0, 1.0, 2.0, 2.0, 3.0]).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
                assert!(off < 1e-12, "{order:?}, child {e}: {lengths:?}");
            }
        }
    }
}
