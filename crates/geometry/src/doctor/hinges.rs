//! Tets connected to others by an edge or a vertex only.

use super::nodes::connected_by_nodes;
use crate::components;
use model::mesh::Mesh;

/// Returns the first tet of every piece that shares nodes but no face with a larger piece of its component; ascending. Tets
/// that are not `sound` are ignored.
pub(super) fn hinges(mesh: &Mesh, sound: &[bool]) -> Vec<u32> {
    let ids: Vec<u32> = (0..mesh.tets.len() as u32).filter(|&e| sound[e as usize]).collect();
    let mut solid = Mesh { tets: ids.iter().map(|&e| mesh.tets[e as usize]).collect(), ..Mesh::default() };
    let (piece_of, count) = components(&solid);
    if count < 2 {
        return Vec::new();
    }
    solid.points = mesh.points.clone();
    let components = connected_by_nodes(&solid, &[]);
    // For each piece its first tet and its size; for each component its largest piece, the first of equals.
    let mut pieces = vec![(u32::MAX, 0_usize); count];
    for (e, &piece) in piece_of.iter().enumerate() {
        let piece = &mut pieces[piece as usize];
        *piece = (piece.0.min(e as u32), piece.1 + 1);
    }
    let component = |first: u32| components.of_node[solid.tets[first as usize][0] as usize] as usize;
    let mut largest: Vec<Option<usize>> = vec![None; components.sizes.len()];
    for (piece, &(first, size)) in pieces.iter().enumerate() {
        let most = &mut largest[component(first)];
        if most.is_none_or(|other| pieces[other].1 < size) {
            *most = Some(piece);
        }
    }
    let hangs = |(piece, (first, _)): &(usize, &(u32, usize))| largest[component(*first)] != Some(*piece);
    let mut firsts: Vec<u32> =
        pieces.iter().enumerate().filter(hangs).map(|(_, (first, _))| ids[*first as usize]).collect();
    firsts.sort_unstable();
    firsts
}
