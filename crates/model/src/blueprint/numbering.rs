//! Numbering of the nodes in the model, from that of the mesh.

use super::{Blueprint, ModelError};
use crate::rigid::RigidError;
use numerics::blocks::Pattern;

/// Node numbers of the model: free nodes come first, and neighbours of each kind are close to each other. Element loops
/// and matrix products then read memory almost in sequence, for any order of the mesh.
pub struct Numbering {
    /// Number of free nodes.
    pub free: usize,
    /// Number in the model of each node of the mesh.
    pub number: Vec<u32>,
    /// Number in the mesh of each node of the model.
    pub origin: Vec<u32>,
}

impl Numbering {
    pub fn new(blueprint: &Blueprint) -> Result<Numbering, ModelError> {
        let nodes = blueprint.mesh.points.len();
        let mut given = vec![false; nodes];
        for script in &blueprint.scripts {
            for &node in &script.0 {
                if std::mem::replace(&mut given[node as usize], true) {
                    return Err(ModelError::TwoMotions { node: node as usize });
                }
            }
        }
        let scripted = given.clone();
        for &node in &blueprint.fixed {
            if scripted[node as usize] {
                return Err(ModelError::TwoMotions { node: node as usize });
            }
            given[node as usize] = true;
        }
        for &(node, _) in blueprint.rigids.iter().flat_map(|rigid| &rigid.carried) {
            if std::mem::replace(&mut given[node as usize], true) {
                return Err(ModelError::Rigid(RigidError::Taken { node: node as usize }));
            }
        }
        let tets = blueprint.mesh.tets.iter().map(|tet| tet.as_slice());
        let pairs = blueprint.springs.iter().flat_map(|part| part.pairs.iter().map(|pair| pair.as_slice()));
        let others = blueprint.energies.iter().flat_map(|part| (0..part.count()).map(|e| part.nodes(e)));
        let order = Pattern::from_cliques(nodes, tets.chain(pairs).chain(others)).breadth_first();
        let (mut origin, rest): (Vec<u32>, Vec<u32>) = order.into_iter().partition(|&i| !given[i as usize]);
        let free = origin.len();
        if free == 0 {
            return Err(ModelError::NothingFree);
        }
        origin.extend(rest);
        let mut number = vec![0; nodes];
        origin.iter().enumerate().for_each(|(new, &old)| number[old as usize] = new as u32);
        Ok(Numbering { free, number, origin })
    }

    /// Returns the number in the model of a node of the mesh.
    pub fn of(&self, node: u32) -> u32 {
        self.number[node as usize]
    }
}
