//! Energies of a blueprint, as groups of elements in the numbering of the model.

use super::{Blueprint, FibreError, ModelError, Numbering, SolidPart};
use crate::energy::Term;
use crate::energy::contact::{Contact, Obstacle, Penalty};
use crate::energy::spring::{Law, Spring};
use crate::material::Tets;
use numerics::mat3::{Vec3, add, norm, scale, sub};

impl Blueprint {
    /// Builds one group per part; parts without elements are left out.
    pub(super) fn terms(&self, numbering: &Numbering) -> Result<Vec<Box<dyn Term>>, ModelError> {
        let mut terms: Vec<Box<dyn Term>> = Vec::new();
        let point = |i: u32| self.mesh.points[i as usize];
        let free = numbering.free;
        let number = &|node: u32| numbering.of(node);
        for (k, part) in self.solids.iter().enumerate() {
            let (mesh, tets, fibres) = (&self.mesh, &part.tets, &unit_fibres(k, part)?);
            terms.push(part.material.group(&Tets { mesh, tets, fibres, free, number }));
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
        terms.extend(self.energies.iter().map(|part| part.group(free, number)));
        for Penalty { obstacle, nodes } in self.penalties(numbering) {
            terms.push(Box::new(Contact::group(obstacle, free, nodes.into_iter())));
        }
        terms.retain(|term| term.count() > 0);
        Ok(terms)
    }

    /// Returns the penalty contacts of free nodes.
    pub(super) fn penalties(&self, numbering: &Numbering) -> Vec<Penalty> {
        let contacts = self.contacts.iter();
        let penalty = |(obstacle, nodes, k): &(Obstacle, Vec<u32>, f64)| {
            let nodes = nodes.iter().map(|&i| (numbering.of(i), *k)).filter(|&(i, _)| (i as usize) < numbering.free);
            Penalty { obstacle: *obstacle, nodes: nodes.collect() }
        };
        contacts.map(penalty).collect()
    }
}

/// Returns the fibre directions of a part, normalised to length 1.
fn unit_fibres(part: usize, SolidPart { tets, material, fibres, .. }: &SolidPart) -> Result<Vec<Vec3>, ModelError> {
    let wrong = |what: FibreError| ModelError::Fibres { part, what };
    if !fibres.is_empty() && material.axis().is_none() {
        return Err(wrong(FibreError::NoAxis));
    }
    if fibres.len() > 1 && fibres.len() != tets.len() {
        return Err(wrong(FibreError::Count { tets: tets.len(), fibres: fibres.len() }));
    }
    let unit = |direction: &Vec3| {
        // Divide by the largest component first, so that no square overflows or underflows.
        let largest = direction.iter().fold(0.0_f64, |most, x| most.max(x.abs()));
        let scaled = direction.map(|x| x / largest);
        let unit = scale(1.0 / norm(scaled), scaled);
        if unit.iter().all(|x| x.is_finite()) { Ok(unit) } else { Err(wrong(FibreError::Direction(*direction))) }
    };
    fibres.iter().map(unit).collect()
}
