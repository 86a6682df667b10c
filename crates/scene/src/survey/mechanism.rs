//! Motions of a mesh that deform nothing: rigid motions of each piece that leave its held nodes in place.

use model::mesh::Mesh;
use numerics::mat3::{Vec3, add, cross, norm, scale, sub};

/// Largest motion of a held node that counts as none, relative to the size of a piece.
const STILL: f64 = 1e-6;

/// Returns infinitesimal motions of all points, each zero outside one piece; pieces share no node.
pub(super) fn free_motions(mesh: &Mesh, held: &[u32]) -> Vec<Vec<Vec3>> {
    let piece = pieces(mesh);
    let count = piece.iter().map(|&p| p as usize + 1).max().unwrap_or(0);
    let mut motions = Vec::new();
    for p in 0..count as u32 {
        let nodes: Vec<usize> = (0..piece.len()).filter(|&i| piece[i] == p).collect();
        let sum = nodes.iter().fold([0.0; 3], |sum, &i| add(sum, mesh.points[i]));
        let middle = scale(1.0 / nodes.len() as f64, sum);
        let size = nodes.iter().map(|&i| norm(sub(mesh.points[i], middle))).fold(0.0, f64::max);
        // Three translations, and three rotations about the middle that move the farthest point by about one.
        let motion = |k: usize, i: usize| -> Vec3 {
            let mut axis = [0.0; 3];
            axis[k % 3] = 1.0;
            if k < 3 { axis } else { scale(1.0 / size, cross(axis, sub(mesh.points[i], middle))) }
        };
        let at = |c: &[f64; 6], i: usize| (0..6).fold([0.0; 3], |sum, k| add(sum, scale(c[k], motion(k, i))));
        let mut left: Vec<[f64; 6]> = (0..6).map(|k| std::array::from_fn(|j| f64::from(u8::from(j == k)))).collect();
        for &i in held.iter().filter(|&&i| piece[i as usize] == p) {
            for c in 0..3 {
                keep_still(&mut left, |motion| at(motion, i as usize)[c]);
            }
        }
        motions.extend(left.iter().map(|c| {
            let mut motion = vec![[0.0; 3]; mesh.points.len()];
            nodes.iter().for_each(|&i| motion[i] = at(c, i));
            motion
        }));
    }
    motions
}

/// Combines motions so that `number` vanishes for all: one of them is removed, and used to correct the others.
fn keep_still(motions: &mut Vec<[f64; 6]>, number: impl Fn(&[f64; 6]) -> f64) {
    let values: Vec<f64> = motions.iter().map(number).collect();
    let Some(most) = (0..values.len()).max_by(|&a, &b| values[a].abs().total_cmp(&values[b].abs())) else { return };
    if values[most].abs() <= STILL {
        return;
    }
    let gone = motions.swap_remove(most);
    let mut others = values.clone();
    let pivot = others.swap_remove(most);
    for (motion, value) in motions.iter_mut().zip(others) {
        *motion = std::array::from_fn(|k| motion[k] - value / pivot * gone[k]);
    }
}

/// Returns the piece of each node, counted from 0 in the order of their first nodes: nodes of one tet belong to one
/// piece.
fn pieces(mesh: &Mesh) -> Vec<u32> {
    let mut root: Vec<u32> = (0..mesh.points.len() as u32).collect();
    fn find(root: &mut [u32], mut i: u32) -> u32 {
        while root[i as usize] != i {
            root[i as usize] = root[root[i as usize] as usize];
            i = root[i as usize];
        }
        i
    }
    for tet in &mesh.tets {
        for pair in tet.windows(2) {
            let [a, b] = [pair[0], pair[1]].map(|i| find(&mut root, i));
            root[a.max(b) as usize] = a.min(b);
        }
    }
    // Roots are the first nodes of their pieces.
    let (mut name, mut count) = (vec![0; root.len()], 0);
    for i in 0..root.len() as u32 {
        let first = find(&mut root, i);
        if first == i {
            name[i as usize] = count;
            count += 1;
        } else {
            name[i as usize] = name[first as usize];
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_held_by_more_points_has_fewer_motions() {
        let points = vec![[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
        let mut mesh = Mesh { points, tets: vec![[0, 1, 2, 3]], ..Mesh::default() };
        for (held, expected) in [(&[][..], 6), (&[0], 3), (&[0, 1], 1), (&[0, 1, 2], 0), (&[0, 1, 2, 3], 0)] {
            let motions = free_motions(&mesh, held);
            assert_eq!(motions.len(), expected, "{held:?}");
            for motion in motions {
                held.iter().for_each(|&i| assert!(norm(motion[i as usize]) < 1e-12, "{held:?}: {motion:?}"));
                // The tet keeps its edges.
                for [a, b] in [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]] {
                    let (along, change) = (sub(mesh.points[b], mesh.points[a]), sub(motion[b], motion[a]));
                    assert!((0..3).map(|c| along[c] * change[c]).sum::<f64>().abs() < 1e-12);
                }
            }
        }
        let other = mesh.clone();
        mesh.append(&other);
        assert_eq!(free_motions(&mesh, &[0, 1, 2]).len(), 6, "the second piece is free");
    }
}
