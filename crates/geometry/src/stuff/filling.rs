//! One shape at one spacing: lattice, cuts and the tets between them.

use model::mesh::{Mesh, tet_volume};
use numerics::mat3::Vec3;
use rayon::prelude::*;

use super::{
    StuffError,
    background::Background,
    cut::Cuts,
    morton::{LatticePoint, decode, encode},
    octree::Octree,
    stencil::Stencils,
};
use crate::Distance;

/// Length of the parts in which tets are filled, for any number of threads.
const PART: usize = 4096;

/// Limit of octree corrections: distances need none, steep functions a few.
const ROUNDS: usize = 64;

/// A lattice with its cuts, and the tets inside the shape.
pub(super) struct Filling {
    tree: Octree,
    background: Background,
    cuts: Cuts,
    exact: bool,
    /// Tets of lattice vertices and, after them, cut points.
    tets: Vec<[u32; 4]>,
    /// Corners used by the tets, in Morton order.
    used: Vec<u32>,
}

impl Filling {
    /// Fills the shape with the cuts of a function that is linear along each edge.
    pub(super) fn new(shape: &dyn Distance, spacing: f64, grading: u32) -> Result<Self, StuffError> {
        let tree = Octree::new(shape, spacing, grading)?;
        let background = Background::new(&tree, shape)?;
        let cuts = Cuts::linear(&background);
        let mut filling = Filling { tree, background, cuts, exact: false, tets: Vec::new(), used: Vec::new() };
        filling.mend(shape)?;
        filling.fill();
        Ok(filling)
    }

    /// Moves all cuts onto the surface.
    pub(super) fn refine(&mut self, shape: &dyn Distance) -> Result<(), StuffError> {
        self.exact = true;
        self.cuts.refine(&self.background, &self.tree, shape)?;
        self.mend(shape)?;
        self.fill();
        Ok(())
    }

    /// Returns the number of vertices of the mesh.
    pub(super) fn vertices(&self) -> usize {
        self.used.len()
    }

    /// Divides and adds leaves until only finest BCC tets are cut or warped and none of them is missing.
    fn mend(&mut self, shape: &dyn Distance) -> Result<(), StuffError> {
        for round in 0.. {
            let mut coarse = std::mem::take(&mut self.background.coarse);
            let missing = std::mem::take(&mut self.background.missing);
            let stencils = Stencils { background: &self.background, cuts: &self.cuts };
            let loose = self.background.whole.iter().filter(|(tet, _)| !tet.iter().all(|&node| stencils.is_firm(node)));
            coarse.extend(loose.map(|&(_, leaf)| leaf));
            if coarse.is_empty() && missing.is_empty() {
                break;
            }
            if round == ROUNDS {
                let cell = missing
                    .first()
                    .copied()
                    .or_else(|| coarse.first().map(|&leaf| decode(self.tree.leaves[leaf as usize].code)));
                let point = self.tree.point(cell.unwrap_or([0; 3]).map(|i| 2 * i));
                return Err(StuffError::NotADistance { point });
            }
            self.tree.mend(coarse, missing);
            self.background = Background::new(&self.tree, shape)?;
            self.cuts = Cuts::linear(&self.background);
            if self.exact {
                self.cuts.refine(&self.background, &self.tree, shape)?;
            }
        }
        Ok(())
    }

    /// Makes the tets inside, and lists their corners.
    fn fill(&mut self) {
        let stencils = Stencils { background: &self.background, cuts: &self.cuts };
        let parts: Vec<Vec<[u32; 4]>> = (self.background.fine.par_chunks(PART))
            .map(|tets| {
                let mut inside = Vec::with_capacity(2 * tets.len());
                tets.iter().for_each(|&tet| stencils.fill(tet, &mut |tet| inside.push(tet)));
                inside
            })
            .collect();
        self.tets = self.background.whole.iter().map(|&(tet, _)| tet).chain(parts.into_iter().flatten()).collect();
        let mut is_used = vec![false; self.background.codes.len() + self.cuts.ends.len()];
        self.tets.iter().flatten().for_each(|&corner| is_used[corner as usize] = true);
        let mut used: Vec<u32> = (0..is_used.len() as u32).filter(|&corner| is_used[corner as usize]).collect();
        used.par_sort_unstable_by_key(|&corner| self.order(corner));
        self.used = used;
    }

    /// Returns the common order of lattice vertices and cut points: no two edges share a middle.
    fn order(&self, corner: u32) -> u64 {
        let point = |node: u32| decode(self.background.codes[node as usize]);
        let ends: [LatticePoint; 2] = match corner.checked_sub(self.background.codes.len() as u32) {
            None => [point(corner); 2],
            Some(cut) => self.cuts.ends[cut as usize].map(point),
        };
        encode(std::array::from_fn(|k| ends[0][k] + ends[1][k]))
    }

    fn point(&self, corner: u32) -> Vec3 {
        let cut = match corner.checked_sub(self.background.codes.len() as u32) {
            None => self.cuts.moved[corner as usize],
            cut => cut,
        };
        match cut {
            Some(cut) => self.cuts.point(cut, &self.background, &self.tree),
            None => self.tree.point(decode(self.background.codes[corner as usize])),
        }
    }

    /// Makes the mesh: points and tets in Morton order, all tets positively oriented.
    pub(super) fn mesh(&self) -> Mesh {
        let points: Vec<Vec3> = self.used.iter().map(|&corner| self.point(corner)).collect();
        let mut number = vec![0; self.background.codes.len() + self.cuts.ends.len()];
        for (i, &corner) in self.used.iter().enumerate() {
            number[corner as usize] = i as u32;
        }
        let mut tets: Vec<[u32; 4]> = (self.tets.par_iter())
            .map(|tet| {
                let mut tet = tet.map(|corner| number[corner as usize]);
                if tet_volume(&tet.map(|i| points[i as usize])) < 0.0 {
                    tet.swap(2, 3);
                }
                tet
            })
            .collect();
        tets.par_sort_by_key(|tet| tet.iter().copied().min());
        Mesh { points, tets, ..Mesh::default() }
    }
}
