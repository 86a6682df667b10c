//! Connected pieces of a mesh.

use model::mesh::Mesh;

/// Returns the piece of each tet, counted from 0 in the order of their first tets, and the number of pieces. Tets that
/// share a face are of one piece; an edge or a vertex alone does not connect: it is a hinge.
pub fn components(mesh: &Mesh) -> (Vec<u32>, usize) {
    // Sorting faces by their sorted corners brings the two sides of an inner face together.
    let mut faces: Vec<([u32; 3], u32)> = Vec::with_capacity(4 * mesh.tets.len());
    for (e, &[a, b, c, d]) in mesh.tets.iter().enumerate() {
        for mut face in [[a, b, c], [a, b, d], [a, c, d], [b, c, d]] {
            face.sort_unstable();
            faces.push((face, e as u32));
        }
    }
    faces.sort_unstable();
    // Each tet points to a lower one of its piece, or to itself.
    let mut root: Vec<u32> = (0..mesh.tets.len() as u32).collect();
    fn find(root: &mut [u32], mut tet: u32) -> u32 {
        while root[tet as usize] != tet {
            root[tet as usize] = root[root[tet as usize] as usize];
            tet = root[tet as usize];
        }
        tet
    }
    for pair in faces.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
        let [a, b] = [pair[0].1, pair[1].1].map(|tet| find(&mut root, tet));
        root[a.max(b) as usize] = a.min(b);
    }
    let mut count = 0;
    let mut name = vec![u32::MAX; mesh.tets.len()];
    let of_tets = (0..mesh.tets.len() as u32)
        .map(|tet| {
            let name = &mut name[find(&mut root, tet) as usize];
            if *name == u32::MAX {
                *name = count;
                count += 1;
            }
            *name
        })
        .collect();
    (of_tets, count as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tets_that_share_an_edge_only_are_two_pieces() {
        let points = vec![[0.0; 3]; 7];
        let face = Mesh { points: points.clone(), tets: vec![[0, 1, 2, 3], [1, 2, 3, 4]], ..Mesh::default() };
        assert_eq!(components(&face), (vec![0, 0], 1));
        let edge = Mesh { points, tets: vec![[0, 1, 2, 3], [3, 4, 5, 2], [3, 4, 5, 6]], ..Mesh::default() };
        assert_eq!(components(&edge), (vec![0, 1, 1], 2));
        assert_eq!(components(&Mesh::default()), (vec![], 0));
    }
}
