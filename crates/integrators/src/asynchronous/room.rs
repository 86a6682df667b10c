//! The memory that regions take beyond factors: it grows with the square of their borders.
//!
//! The rest's matrix has a dense block a border, and so have a region's share of it and the factor; loads that change are held
//! for each small step. Sizes are looked at before anything is made: where memory is promised freely, asking for it does not fail.

use model::Model;
use numerics::linear::LinearError;

/// Most numbers that the regions of a model may take: 8 GiB.
pub(super) const MOST: f64 = (1u64 << 30) as f64;

/// The nodes of the rest that border on each region, and the numbers it takes.
fn regions(model: &Model) -> Vec<(usize, f64)> {
    let mut owner = vec![None; model.free_nodes()];
    for (r, region) in model.regions().iter().enumerate() {
        region.nodes.iter().for_each(|&i| owner[i as usize] = Some(r));
    }
    let mut seen = vec![usize::MAX; owner.len()];
    let of_region = |(r, region): (usize, &model::Region)| {
        let near = region.nodes.iter().flat_map(|&i| model.pattern().neighbours(i as usize));
        let interface = near.filter(|&(j, _)| owner[j].is_none() && std::mem::replace(&mut seen[j], r) != r).count();
        let changing =
            if model.depends_on_time() { 3.0 * region.nodes.len() as f64 * region.ratio as f64 } else { 0.0 };
        (interface, 2.0 * (3.0 * interface as f64).powi(2) + changing)
    };
    model.regions().iter().enumerate().map(of_region).collect()
}

/// Numbers that the regions of a model take in asynchronous steps beyond their factors and what is kept to save time.
pub fn numbers(model: &Model) -> f64 {
    regions(model).iter().map(|(_, numbers)| numbers).sum()
}

/// An error that names the largest region where all of them take more than there may be.
pub(super) fn check(model: &Model) -> Result<(), LinearError> {
    let regions = regions(model);
    let all: f64 = regions.iter().map(|(_, numbers)| numbers).sum();
    let largest = regions.iter().enumerate().max_by(|(_, a), (_, b)| a.1.total_cmp(&b.1));
    match largest {
        Some((part, &(interface, entries))) if all > MOST => {
            Err(LinearError::PartTooLarge { part, interface, entries })
        }
        _ => Ok(()),
    }
}
