//! Regions that the program chooses.

use crate::problem::Found;
use crate::scene::Scene;
use integrators::Proposal;
use model::{Model, Region};
use simulation::least_ratios;

impl Scene {
    /// Gives the model regions where that saves work. Explicit regions take as many steps as they need to be stable.
    pub(super) fn choose_regions(&self, model: &mut Model, found: &mut Found) -> Option<Proposal> {
        let mut proposal = integrators::propose(model);
        if proposal.regions.is_empty() || !self.integrator.method.has_explicit_regions {
            return Some(proposal);
        }
        let at = || self.span("integrator.regions");
        for (r, (region, least)) in
            proposal.regions.iter_mut().zip(least_ratios(model, self.integrator.step)).enumerate()
        {
            if least > Region::MOST as f64 {
                let message = format!(
                    "region {}, of {} nodes, would have to take {least} steps per step, for {} is explicit there, and {} are \
                     allowed; use a smaller step, or method = \"asynchronous-backward-euler\"",
                    r + 1,
                    region.nodes.len(),
                    self.integrator.method.name,
                    Region::MOST
                );
                found.add(&at(), message);
                return None;
            }
            region.ratio = region.ratio.max(least as usize);
        }
        let regions = proposal.regions.iter().map(|part| Region { nodes: part.nodes.clone(), ratio: part.ratio });
        if let Err(error) = model.set_regions(regions.collect()) {
            found.add(&at(), error.to_string());
            return None;
        }
        proposal.gain = integrators::gain(model);
        Some(proposal)
    }
}
