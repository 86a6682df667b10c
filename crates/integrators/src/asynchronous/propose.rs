//! Proposes regions: parts that are stiffer, lighter or finer than the rest and should take small steps.
//!
//! A node with its neighbours held has the frequencies of K_ii / m_i. Nodes whose root-mean-square frequency is at
//! least twice the median are fast. The sets they form are smoothed by the majority of neighbours, islands are dropped,
//! and sets grow by rings of nodes as long as each ring shrinks their border with the rest by a tenth. Such parts share
//! no element, or they would be one. The number of small steps per large step is the ratio of median frequencies of
//! part and rest, rounded down, and at most that which was stable in all cases tried.
//!
//! The gain is the ratio of counted work: solves of asynchronous steps against single-rate steps as small as the
//! fastest part's, without the work of factorisation. Without a gain there are no regions. The proposal depends on the
//! model alone.

use super::partition;
use crate::stepper::SAFE_RATIO;
use model::{Model, Region};
use numerics::blocks::BlockMatrix;
use numerics::linear::ordering::Ordering;

/// Least ratio of a fast node's frequency to the median.
const FAST: f64 = 2.0;
/// Least number of nodes of a region, and least share of all nodes.
const FEWEST: usize = 8;
const SHARE: f64 = 0.005;
/// Limit of rings that a region may grow by.
const RINGS: usize = 3;
/// Least gain of work that pays.
const WORTH: f64 = 1.1;

/// A part that takes small steps.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposed {
    /// Free nodes, numbered as in the model.
    pub nodes: Vec<u32>,
    /// Small steps per large step.
    pub ratio: usize,
    /// Nodes of the rest that share an element with it.
    pub interface: usize,
    /// Median frequency of its nodes [rad/s].
    pub frequency: f64,
}

/// Proposed regions.
#[derive(Debug, Clone, PartialEq)]
pub struct Proposal {
    /// Regions; none where they do not pay.
    pub regions: Vec<Proposed>,
    /// Median frequency of the other nodes [rad/s].
    pub frequency: f64,
    /// Work of single-rate steps as small as the smallest of these, divided by that of asynchronous steps; 1 without
    /// regions.
    pub gain: f64,
}

/// Gives the model regions where that saves work.
pub fn propose(model: &mut Model) -> Proposal {
    let none = |frequency: f64| Proposal { regions: Vec::new(), frequency, gain: 1.0 };
    let frequencies = frequencies(model);
    let all = median(frequencies.iter().copied());
    let mut fast: Vec<bool> = frequencies.iter().map(|w| *w >= FAST * all).collect();
    smooth(model, &mut fast);
    let mut parts = partition::connected(model.pattern(), &fast);
    let fewest = FEWEST.max((SHARE * model.free_nodes() as f64) as usize);
    parts.retain(|part| part.len() >= fewest);
    grow(model, &mut parts);

    let mut owned = vec![false; model.free_nodes()];
    parts.iter().flatten().for_each(|&i| owned[i as usize] = true);
    let rest = median((0..owned.len()).filter(|&i| !owned[i]).map(|i| frequencies[i]));
    let regions = parts.into_iter().map(|nodes| {
        let frequency = median(nodes.iter().map(|&i| frequencies[i as usize]));
        // Tolerates rounding: a part exactly ten times as fast gets ten small steps.
        let ratio = ((frequency / rest * (1.0 + 1e-9)) as usize).min(SAFE_RATIO);
        Proposed { interface: border(model, &nodes).len(), ratio, frequency, nodes }
    });
    let regions: Vec<Proposed> = regions.filter(|region| region.ratio > 1).collect();
    if regions.is_empty() {
        return none(rest);
    }
    let given = regions.iter().map(|part| Region { nodes: part.nodes.clone(), ratio: part.ratio }).collect();
    if model.set_regions(given).is_err() {
        return none(rest);
    }
    let gain = gain(model);
    if gain < WORTH {
        // Removing regions never fails.
        let _ = model.set_regions(Vec::new());
        return none(rest);
    }
    Proposal { regions, frequency: rest, gain }
}

/// Returns the work of single-rate steps as small as the smallest of a model's regions, divided by that of its
/// asynchronous steps: counted flops of solves and of products with the columns of interfaces. 1 without regions, 0
/// where they are too large.
pub fn gain(model: &Model) -> f64 {
    let Ok((rest, cuts)) = partition::cut(model) else { return 0.0 };
    let Some(most) = cuts.iter().map(|cut| cut.ratio).max() else { return 1.0 };
    let of_regions = cuts.iter().map(|cut| {
        let solves = cut.ratio as f64 * cut.ordering.entries;
        solves + solves.min((cut.part.dofs() * cut.columns(model)) as f64)
    });
    let of_rest = if rest.nodes.is_empty() { 0.0 } else { Ordering::best(&rest.pattern).entries };
    most as f64 * Ordering::best(model.pattern()).entries / (of_regions.sum::<f64>() + of_rest)
}

/// Computes the frequency of each free node with its neighbours held [rad/s].
fn frequencies(model: &Model) -> Vec<f64> {
    let mut k = BlockMatrix::zeros(model.pattern().clone());
    model.stiffness(model.stiffness_kind(), model.rest(), &mut k);
    let trace = |i: usize| -> f64 {
        let block = &k.values[model.pattern().diagonal(i)];
        (0..3).map(|c| block[c][c]).sum()
    };
    (0..model.free_nodes()).map(|i| (trace(i).max(0.0) / (3.0 * model.node_mass()[i])).sqrt()).collect()
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// Fills holes and removes spikes, by the majority of neighbours.
fn smooth(model: &Model, fast: &mut Vec<bool>) {
    for _ in 0..2 {
        let share = |i: usize| {
            let near = || model.pattern().neighbours(i).filter(|&(j, _)| j != i);
            near().filter(|&(j, _)| fast[j]).count() as f64 / near().count().max(1) as f64
        };
        *fast = (0..fast.len()).map(|i| if fast[i] { share(i) >= 0.25 } else { share(i) > 0.7 }).collect();
    }
}

/// Returns the nodes outside a part that share an element with it, ascending.
fn border(model: &Model, part: &[u32]) -> Vec<u32> {
    let near = part.iter().flat_map(|&i| model.pattern().neighbours(i as usize).map(|(j, _)| j as u32));
    let mut border: Vec<u32> = near.filter(|j| part.binary_search(j).is_err()).collect();
    border.sort_unstable();
    border.dedup();
    border
}

/// Grows parts ring by ring while that shrinks their border by a tenth and they stay apart.
fn grow(model: &Model, parts: &mut [Vec<u32>]) {
    for k in 0..parts.len() {
        for _ in 0..RINGS {
            let ring = border(model, &parts[k]);
            let mut grown = [&parts[k][..], &ring[..]].concat();
            grown.sort_unstable();
            let next = border(model, &grown);
            let others = || parts.iter().enumerate().filter(|(other, _)| *other != k);
            let touches = others().any(|(_, part)| next.iter().chain(&ring).any(|i| part.binary_search(i).is_ok()));
            if touches || 10 * next.len() >= 9 * ring.len() || 2 * grown.len() > model.free_nodes() {
                break;
            }
            parts[k] = grown;
        }
    }
}
