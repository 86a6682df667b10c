//! Elements of a model by region.

use crate::energy::Term;
use crate::model::Model;
use crate::region::{Region, RegionError, settle};

impl Model {
    /// Replaces the regions; nodes are numbered as in the model.
    pub fn set_regions(&mut self, regions: Vec<Region>) -> Result<(), RegionError> {
        self.regions = settle(&regions, self.free, |i| i, &self.origin, &self.terms)?;
        Ok(())
    }

    /// Returns the elements whose free nodes are all in this region.
    pub fn terms_within(&self, region: usize) -> Vec<Box<dyn Term>> {
        let owner = self.owner();
        self.some_terms(&|nodes| self.only_owner(&owner, nodes) == Some(region))
    }

    /// Returns the elements whose free nodes are not all in one region.
    pub fn terms_between(&self) -> Vec<Box<dyn Term>> {
        let owner = self.owner();
        self.some_terms(&|nodes| self.only_owner(&owner, nodes).is_none())
    }

    /// Returns the region of each free node.
    fn owner(&self) -> Vec<Option<usize>> {
        let mut owner = vec![None; self.free];
        for (r, region) in self.regions.iter().enumerate() {
            region.nodes.iter().for_each(|&i| owner[i as usize] = Some(r));
        }
        owner
    }

    /// Returns the region of all free ones among these nodes, if it is the same.
    fn only_owner(&self, owner: &[Option<usize>], nodes: &[u32]) -> Option<usize> {
        let mut owners = nodes.iter().filter_map(|&i| owner.get(i as usize));
        let first = (*owners.next()?)?;
        owners.all(|owner| *owner == Some(first)).then_some(first)
    }

    fn some_terms(&self, keep: &dyn Fn(&[u32]) -> bool) -> Vec<Box<dyn Term>> {
        let mut terms: Vec<Box<dyn Term>> = self.terms.iter().map(|term| term.part(keep)).collect();
        terms.retain(|term| term.count() > 0);
        terms.iter_mut().for_each(|term| term.freeze(&self.pattern));
        terms
    }
}
