//! Memory that regions need beyond their factors: it grows with the square of their borders.
//!
//! The rest's matrix has one dense block per border, and so have a region's share of it and the factor; loads that
//! change are stored for each small step. Sizes are checked before anything is allocated, because on systems that
//! overcommit memory the allocation itself does not fail.

use super::partition;
use model::{Model, Region};
use numerics::linear::LinearError;

/// Limit of the numbers that the regions of a model may store: 8 GiB.
pub(super) const MOST: f64 = (1u64 << 30) as f64;

/// Returns the border nodes of the rest and the stored numbers of each region, summed over its pieces.
fn regions(model: &Model) -> Vec<(usize, f64)> {
    let mut is_rest = vec![true; model.free_nodes()];
    model.regions().iter().flat_map(|region| &region.nodes).for_each(|&i| is_rest[i as usize] = false);
    let of_piece = |piece: &Region| {
        let across = |i: u32| model.pattern().neighbours(i as usize).filter(|&(j, _)| is_rest[j]);
        let mut near: Vec<usize> = piece.nodes.iter().flat_map(|&i| across(i).map(|(j, _)| j)).collect();
        near.sort_unstable();
        near.dedup();
        // Its share of the rest's matrix, the reactions of all columns, and the dense block in the rest's factor.
        (near.len(), 3.0 * (3.0 * near.len() as f64).powi(2))
    };
    let of_region = |region: &Region| {
        let changing =
            if model.depends_on_time() { 3.0 * region.nodes.len() as f64 * region.ratio as f64 } else { 0.0 };
        let pieces = partition::pieces(model, region);
        pieces.iter().map(of_piece).fold((0, changing), |(near, all), (n, numbers)| (near + n, all + numbers))
    };
    model.regions().iter().map(of_region).collect()
}

/// Counts the numbers that the regions of a model need in asynchronous steps, beyond factors and caches.
pub fn numbers(model: &Model) -> f64 {
    regions(model).iter().map(|(_, numbers)| numbers).sum()
}

/// Returns an error that names the largest region if all regions together exceed the limit.
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
