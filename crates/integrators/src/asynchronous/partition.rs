//! Division of the free nodes into regions and the rest, and of matrices into their blocks.

use super::storage;
use model::mass::Mass;
use model::{Model, Region};
use numerics::blocks::{BlockMatrix, Pattern};
use numerics::linear::LinearError;
use numerics::linear::ordering::Ordering;
use numerics::mat3::{Mat3, transpose};
use std::sync::Arc;

/// Mark in the slot map: the matrix of the model has no such block.
const NO_SLOT: u32 = u32::MAX;

/// A subset of the free nodes, with the blocks of model matrices between them.
pub(super) struct Subdomain {
    /// Node numbers in the model.
    pub nodes: Vec<u32>,
    pub pattern: Arc<Pattern>,
    /// Twice the index of each stored block in a matrix of the model; odd where the transposed block is stored there.
    slots: Vec<u32>,
}

impl Subdomain {
    /// Makes the subdomain of these nodes. `local` has their numbers in it; nodes of a clique are coupled in any case.
    fn new(whole: &Pattern, nodes: Vec<u32>, local: &[u32], cliques: &[&[u32]]) -> Subdomain {
        let is_mine = |j: u32| nodes.get(local[j as usize] as usize) == Some(&j);
        let pairs: Vec<[u32; 2]> = (0..nodes.len() as u32)
            .flat_map(|a| whole.columns(nodes[a as usize] as usize).iter().map(move |&j| (a, j)))
            .filter(|&(_, j)| is_mine(j))
            .map(|(a, j)| [a, local[j as usize]])
            .filter(|[a, b]| b <= a)
            .collect();
        let cliques = pairs.iter().map(|pair| pair.as_slice()).chain(cliques.iter().copied());
        let pattern = Pattern::from_cliques(nodes.len(), cliques);
        let mut slots = vec![NO_SLOT; pattern.slots()];
        for a in 0..nodes.len() {
            for (b, slot) in pattern.lower(a) {
                if let Some(there) = whole.slot(nodes[a] as usize, nodes[b] as usize) {
                    slots[slot] = 2 * there as u32 + u32::from(nodes[a] < nodes[b]);
                }
            }
        }
        Subdomain { nodes, pattern: Arc::new(pattern), slots }
    }

    /// Number of unknowns.
    pub fn dofs(&self) -> usize {
        3 * self.nodes.len()
    }

    /// Copies the subdomain's blocks out of a matrix of the model.
    pub fn take(&self, whole: &BlockMatrix, part: &mut BlockMatrix) {
        for (block, &slot) in part.values.iter_mut().zip(&self.slots) {
            *block = match slot {
                NO_SLOT => [[0.0; 3]; 3],
                slot if slot % 2 == 0 => whole.values[slot as usize / 2],
                slot => transpose(&whole.values[slot as usize / 2]),
            };
        }
    }

    /// Copies the subdomain's entries of a vector over the free nodes, each passed through `change`.
    pub fn gather(&self, whole: &[f64], part: &mut [f64], change: impl Fn(f64) -> f64) {
        for (part, &i) in part.as_chunks_mut::<3>().0.iter_mut().zip(&self.nodes) {
            (0..3).for_each(|c| part[c] = change(whole[3 * i as usize + c]));
        }
    }

    /// Calls `put` with each unknown of the subdomain and its index in the model.
    pub fn for_each(&self, mut put: impl FnMut(usize, usize)) {
        for (a, &i) in self.nodes.iter().enumerate() {
            (0..3).for_each(|c| put(3 * a + c, 3 * i as usize + c));
        }
    }

    /// Returns the mass of the subdomain.
    pub fn mass(&self, mass: &Mass) -> Mass {
        match mass {
            Mass::Lumped(mass) => Mass::Lumped(self.nodes.iter().map(|&i| mass[i as usize]).collect()),
            Mass::Consistent(whole) => {
                let mut part = BlockMatrix::zeros(self.pattern.clone());
                self.take(whole, &mut part);
                Mass::Consistent(part)
            }
        }
    }
}

/// A block of a matrix of the model between a node of a region and one of the rest.
pub(super) struct Link {
    /// Node of the region, in the region's numbers.
    pub node: u32,
    /// Node of the rest, as its index in the interface.
    pub across: u32,
    slot: u32,
    /// True if the stored block is that from the rest to the region.
    is_transposed: bool,
}

impl Link {
    /// Returns the block with rows of the region.
    pub fn of(&self, whole: &BlockMatrix) -> Mat3 {
        let block = &whole.values[self.slot as usize];
        if self.is_transposed { transpose(block) } else { *block }
    }
}

/// A region: its nodes, and its links to the rest.
pub(super) struct Cut {
    pub part: Subdomain,
    /// Elimination order; the subdomain's nodes are in this order.
    pub ordering: Ordering,
    pub ratio: usize,
    /// Nodes of the rest that share an element with the region, in the numbers of the rest, ascending.
    pub interface: Vec<u32>,
    pub links: Vec<Link>,
}

impl Cut {
    /// Counts the numbers read by all its small steps.
    pub fn work(&self) -> f64 {
        self.ratio as f64 * self.ordering.entries
    }

    /// Returns its nodes that have links, ascending, if forces on them can replace the interface and they are not more.
    pub fn own(&self, model: &Model) -> Option<Vec<u32>> {
        let mut own: Vec<u32> = self.links.iter().map(|link| link.node).collect();
        own.sort_unstable();
        own.dedup();
        (model.couples_by_stiffness_alone() && own.len() <= self.interface.len()).then_some(own)
    }

    /// Counts the columns needed to express everything the rest can do to it.
    pub fn columns(&self, model: &Model) -> usize {
        3 * self.own(model).map_or(self.interface.len(), |own| own.len())
    }
}

/// Cuts a model into regions and the rest, in whose pattern the interface of each region is a clique. An error if that
/// is too large. A region of several pieces becomes as many regions, those with the most work first.
pub(super) fn cut(model: &Model) -> Result<(Subdomain, Vec<Cut>), LinearError> {
    storage::check(model)?;
    let pieces: Vec<Region> = model.regions().iter().flat_map(|region| pieces(model, region)).collect();
    let (mut cuts, rest, local) = cut_out(model, &pieces);
    cuts.sort_by(|a, b| b.work().total_cmp(&a.work()));
    let cliques: Vec<&[u32]> = cuts.iter().map(|cut| cut.interface.as_slice()).collect();
    Ok((Subdomain::new(model.pattern(), rest, &local, &cliques), cuts))
}

/// Returns the connected pieces of a region.
pub(super) fn pieces(model: &Model, region: &Region) -> Vec<Region> {
    let mut is_in = vec![false; model.free_nodes()];
    region.nodes.iter().for_each(|&i| is_in[i as usize] = true);
    let pieces = connected(model.pattern(), &is_in).into_iter();
    pieces.map(|nodes| Region { nodes, ratio: region.ratio }).collect()
}

/// Returns the connected sets of the marked nodes, each ascending.
pub(super) fn connected(pattern: &Pattern, is_in: &[bool]) -> Vec<Vec<u32>> {
    let mut seen = vec![false; is_in.len()];
    let mut parts = Vec::new();
    for first in 0..is_in.len() {
        if !is_in[first] || std::mem::replace(&mut seen[first], true) {
            continue;
        }
        let mut part = vec![first as u32];
        let mut at = 0;
        while let Some(&i) = part.get(at) {
            at += 1;
            for (j, _) in pattern.neighbours(i as usize) {
                if is_in[j] && !std::mem::replace(&mut seen[j], true) {
                    part.push(j as u32);
                }
            }
        }
        part.sort_unstable();
        parts.push(part);
    }
    parts
}

/// Cuts these regions out of a model: the regions, the nodes of the rest, and the number of each node in its subdomain.
pub(super) fn cut_out(model: &Model, regions: &[Region]) -> (Vec<Cut>, Vec<u32>, Vec<u32>) {
    const REST: u32 = u32::MAX;
    let whole = model.pattern();
    let mut owner = vec![REST; model.free_nodes()];
    for (r, region) in regions.iter().enumerate() {
        region.nodes.iter().for_each(|&i| owner[i as usize] = r as u32);
    }
    let mut local = vec![0_u32; owner.len()];
    let rest: Vec<u32> = (0..owner.len() as u32).filter(|&i| owner[i as usize] == REST).collect();
    let parts = regions.iter().map(|region| &region.nodes).chain([&rest]);
    for nodes in parts {
        nodes.iter().enumerate().for_each(|(a, &i)| local[i as usize] = a as u32);
    }
    let mut cuts: Vec<Cut> = Vec::with_capacity(regions.len());
    for region in regions {
        // In elimination order, so that vectors need not be permuted for every solve.
        let pattern = Subdomain::new(whole, region.nodes.clone(), &local, &[]).pattern;
        let dissected = Ordering::metis(&pattern);
        let ordering = Ordering::amd(&pattern);
        // There are many solves: the number of entries they read decides.
        let ordering = dissected.filter(|other| other.entries < ordering.entries).unwrap_or(ordering);
        let nodes: Vec<u32> = ordering.order.iter().map(|&k| region.nodes[k as usize]).collect();
        nodes.iter().enumerate().for_each(|(a, &i)| local[i as usize] = a as u32);
        let across = |i: u32| whole.neighbours(i as usize).filter(|&(j, _)| owner[j] == REST);
        let mut interface: Vec<u32> = nodes.iter().flat_map(|&i| across(i).map(|(j, _)| local[j])).collect();
        interface.sort_unstable();
        interface.dedup();
        let link = |i: u32, (j, slot): (usize, usize)| Link {
            node: local[i as usize],
            across: interface.partition_point(|&k| k < local[j]) as u32,
            slot: slot as u32,
            is_transposed: j > i as usize,
        };
        let links = nodes.iter().flat_map(|&i| across(i).map(move |at| (i, at))).map(|(i, at)| link(i, at)).collect();
        let part = Subdomain::new(whole, nodes, &local, &[]);
        cuts.push(Cut { part, ordering: ordering.natural(), ratio: region.ratio, interface, links });
    }
    (cuts, rest, local)
}
