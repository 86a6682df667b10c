//! The energies of a blueprint, as groups of elements in the numbering of the model.

use super::{Blueprint, ModelError, Numbering};
use crate::energy::Term;
use crate::energy::contact::{Contact, Obstacle, Penalty};
use crate::energy::solid::Solid;
use crate::energy::spring::{Law, Spring};
use crate::material::{Material, MaterialVisitor};
use crate::mesh::Mesh;
use numerics::mat3::{add, norm, scale, sub};

/// Makes the group of a part's tets for whatever material they have.
struct MakeSolid<'a> {
    mesh: &'a Mesh,
    tets: &'a [u32],
    numbering: &'a Numbering,
}

impl MaterialVisitor for MakeSolid<'_> {
    type Out = Box<dyn Term>;
    fn visit<M: Material<K>, const K: usize>(self, material: M) -> Box<dyn Term> {
        let MakeSolid { mesh, tets, numbering } = self;
        Box::new(Solid::group(material, numbering.free, mesh, tets, |node| numbering.of(node)))
    }
}

impl Blueprint {
    /// One group a part; those without elements are left out.
    pub(super) fn terms(&self, numbering: &Numbering) -> Result<Vec<Box<dyn Term>>, ModelError> {
        let mut terms: Vec<Box<dyn Term>> = Vec::new();
        let point = |i: u32| self.mesh.points[i as usize];
        let free = numbering.free;
        for part in &self.solids {
            let make = MakeSolid { mesh: &self.mesh, tets: &part.tets, numbering };
            terms.push(part.material.visit(make));
        }
        for part in &self.springs {
            let mut springs = Vec::with_capacity(part.pairs.len());
            for (e, nodes) in part.pairs.iter().enumerate() {
                let length = norm(sub(point(nodes[0]), point(nodes[1])));
                if length == 0.0 && part.law != Law::Linear {
                    return Err(ModelError::NoLength { nodes: *nodes });
                }
                springs.push((nodes.map(|i| numbering.of(i)), [length, part.stiffness], e as u32));
            }
            terms.push(Box::new(Spring::<2>::group(part.law, free, springs)));
        }
        for part in &self.face_springs {
            let springs = part.tets.iter().flat_map(|&e| {
                let tet = self.mesh.tets[e as usize];
                (0..4).map(move |a| (e, [tet[a], tet[(a + 1) % 4], tet[(a + 2) % 4], tet[(a + 3) % 4]]))
            });
            let springs = springs.map(|(e, nodes)| {
                let sum = nodes[1..].iter().fold([0.0; 3], |sum, &i| add(sum, point(i)));
                let length = norm(sub(point(nodes[0]), scale(1.0 / 3.0, sum)));
                (nodes.map(|i| numbering.of(i)), [length, part.stiffness], e)
            });
            terms.push(Box::new(Spring::<4>::group(part.law, free, springs.collect())));
        }
        for Penalty { obstacle, nodes } in self.penalties(numbering) {
            terms.push(Box::new(Contact::group(obstacle, free, nodes.into_iter())));
        }
        terms.retain(|term| term.count() > 0);
        Ok(terms)
    }

    /// The contacts of free nodes.
    pub(super) fn penalties(&self, numbering: &Numbering) -> Vec<Penalty> {
        let contacts = self.contacts.iter();
        let penalty = |(obstacle, nodes, k): &(Obstacle, Vec<u32>, f64)| {
            let nodes = nodes.iter().map(|&i| (numbering.of(i), *k)).filter(|&(i, _)| (i as usize) < numbering.free);
            Penalty { obstacle: *obstacle, nodes: nodes.collect() }
        };
        contacts.map(penalty).collect()
    }
}
