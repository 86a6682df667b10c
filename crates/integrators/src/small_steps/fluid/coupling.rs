//! Nodes of other bodies among the particles: the volume that each displaces.
//!
//! A node counts as 1 / sum_k W(x - x_k) over the nodes of bodies (Akinci et al. 2012): where they are dense each
//! counts less. Where they are sparse, a node counts as one particle at most. Bodies whose nodes are farther apart than
//! particles leak.

use super::kernel::Kernel;
use super::neighbours::{CHUNK, Neighbours};
use model::Model;
use numerics::mat3::{Vec3, dot, sub};

/// Returns all nodes that are neither particles nor of a rigid body, with their volumes at rest [m^3].
pub(super) fn volumes(model: &Model, kernel: &Kernel) -> Vec<(u32, f64)> {
    // Particles meet rigid bodies by their shapes.
    let mut is_other = vec![false; model.nodes()];
    let carried =
        model.rigids().iter().flat_map(|rigid| rigid.carried.iter().map(|(node, _)| node).chain([&rigid.node]));
    let particles = model.fluids().iter().flat_map(|fluid| &fluid.nodes);
    particles.chain(carried).for_each(|&node| is_other[node as usize] = true);
    let nodes: Vec<u32> = (0..model.nodes() as u32).filter(|&node| !is_other[node as usize]).collect();
    let rest = |node: u32| -> Vec3 { std::array::from_fn(|c| model.rest()[3 * node as usize + c]) };
    let points: Vec<Vec3> = nodes.iter().map(|&node| rest(node)).collect();
    let mut neighbours = Neighbours::default();
    neighbours.make(&points, kernel.support);
    let particle = model.fluids().first().map_or(0.0, |fluid| fluid.liquid.spacing.powi(3));
    let order = neighbours.order();
    let at = |slot: u32| order.get(slot as usize).map_or([1e30; 3], |&k| points[k as usize]);
    let mut volumes: Vec<(u32, f64)> = nodes.iter().map(|&node| (node, particle)).collect();
    for (i, &k) in order.iter().enumerate() {
        let mut sum = 1.0;
        for &slot in neighbours.chunks[i / CHUNK].of(i % CHUNK).as_flattened() {
            let d = sub(at(slot), points[k as usize]);
            sum += kernel.shape(dot(d, d)).0;
        }
        volumes[k as usize].1 = particle.min(1.0 / (kernel.scale * sum));
    }
    volumes
}
