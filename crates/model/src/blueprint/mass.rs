//! Mass of the nodes of a blueprint.

use super::{Blueprint, Numbering};
use numerics::blocks::{BlockMatrix, Pattern};
use std::sync::Arc;

impl Blueprint {
    /// Returns the mass of every node of the model [kg]: a quarter of each tet, plus the masses given to nodes.
    pub(super) fn node_mass(&self, numbering: &Numbering) -> Vec<f64> {
        let mut mass = vec![0.0; self.mesh.points.len()];
        for part in &self.solids {
            for &e in &part.tets {
                let quarter = part.density * self.mesh.tet_volume(e as usize) / 4.0;
                self.mesh.tets[e as usize].iter().for_each(|&i| mass[numbering.of(i) as usize] += quarter);
            }
        }
        self.point_masses().for_each(|(i, m)| mass[numbering.of(i) as usize] += m);
        mass
    }

    /// Returns the masses given to nodes, and those of particles: node, mass [kg].
    fn point_masses(&self) -> impl Iterator<Item = (u32, f64)> {
        let particles =
            self.fluids.iter().flat_map(|fluid| fluid.nodes.iter().map(|&i| (i, fluid.liquid.particle_mass())));
        self.node_masses.iter().copied().chain(particles)
    }

    /// Computes the Galerkin mass of linear tets, rho V / 20 (1 + delta_ab); masses given to nodes go on the diagonal.
    pub(super) fn consistent_mass(&self, numbering: &Numbering, pattern: &Arc<Pattern>) -> BlockMatrix {
        let mut matrix = BlockMatrix::zeros(pattern.clone());
        let free = numbering.free;
        let mut put = |i: u32, j: u32, m: f64| {
            if let Some(slot) = pattern.slot(i as usize, j as usize) {
                (0..3).for_each(|r| matrix.values[slot][r][r] += m);
            }
        };
        for part in &self.solids {
            for &e in &part.tets {
                let share = part.density * self.mesh.tet_volume(e as usize) / 20.0;
                let nodes = self.mesh.tets[e as usize].map(|i| numbering.of(i));
                for (a, &i) in nodes.iter().enumerate().filter(|(_, i)| (**i as usize) < free) {
                    put(i, i, 2.0 * share);
                    for &j in nodes[..a].iter().filter(|&&j| (j as usize) < free) {
                        put(i, j, share);
                    }
                }
            }
        }
        for (i, m) in self.point_masses() {
            let i = numbering.of(i);
            if (i as usize) < free {
                put(i, i, m);
            }
        }
        matrix
    }
}
