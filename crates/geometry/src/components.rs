//! The pieces of a mesh.

use model::mesh::Mesh;

/// The piece that each tet belongs to, counted from 0 in the order of their first tets, and how many there are. Tets
/// that share a node are of one piece.
pub fn components(mesh: &Mesh) -> (Vec<u32>, usize) {
    // Each node points to a lower one of its piece, or to itself.
    let mut root: Vec<u32> = (0..mesh.points.len() as u32).collect();
    fn find(root: &mut [u32], mut node: u32) -> u32 {
        while root[node as usize] != node {
            root[node as usize] = root[root[node as usize] as usize];
            node = root[node as usize];
        }
        node
    }
    for tet in &mesh.tets {
        let roots = tet.map(|node| find(&mut root, node));
        let lowest = roots.into_iter().fold(u32::MAX, u32::min);
        roots.iter().for_each(|&node| root[node as usize] = lowest);
    }
    let mut count = 0;
    let mut name = vec![u32::MAX; mesh.points.len()];
    let of_tets = (mesh.tets.iter())
        .map(|tet| {
            let name = &mut name[find(&mut root, tet[0]) as usize];
            if *name == u32::MAX {
                *name = count;
                count += 1;
            }
            *name
        })
        .collect();
    (of_tets, count as usize)
}
