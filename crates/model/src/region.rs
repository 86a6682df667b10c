//! Regions: sets of nodes that take more steps than the rest.

use crate::energy::Term;
use std::fmt;

/// Nodes that take `ratio` steps while the rest takes one. Regions do not touch: no element has nodes of two regions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Region {
    /// Its nodes; a built model keeps only the free ones.
    pub nodes: Vec<u32>,
    /// Number of steps per step of the rest, from 1 to [`Region::MOST`].
    pub ratio: usize,
}

impl Region {
    /// Largest allowed ratio.
    pub const MOST: usize = 1000;
}

/// Reason why nodes cannot be regions. Regions are numbered from 0 in their order, nodes and elements as in the mesh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RegionError {
    /// A region has no free node.
    Empty {
        /// Region.
        region: usize,
    },
    /// A ratio is out of range.
    Ratio {
        /// Region.
        region: usize,
        /// Its ratio.
        ratio: usize,
    },
    /// A node is in two regions.
    Shared {
        /// Both regions.
        regions: [usize; 2],
        /// The node.
        node: usize,
    },
    /// Elements have nodes of two regions.
    Touching {
        /// Both regions.
        regions: [usize; 2],
        /// First of these elements, at most [`RegionError::NAMED`]: kind and number.
        elements: Vec<(&'static str, usize)>,
        /// Number of such elements.
        count: usize,
    },
}

impl RegionError {
    /// Limit of elements listed in an error.
    pub const NAMED: usize = 5;

    /// Returns the region to be changed.
    pub fn region(&self) -> usize {
        match self {
            RegionError::Empty { region } | RegionError::Ratio { region, .. } => *region,
            RegionError::Shared { regions, .. } | RegionError::Touching { regions, .. } => regions[1],
        }
    }
}

impl fmt::Display for RegionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            RegionError::Empty { region } => {
                write!(f, "region {} has no node that is free to move; select others, or remove it", region + 1)
            }
            RegionError::Ratio { region, ratio } => {
                write!(f, "region {} has a ratio of {ratio}; use 1 to {}", region + 1, Region::MOST)
            }
            RegionError::Shared { regions: [a, b], node } => {
                write!(f, "node {node} is in region {} and in region {}; let each node be in one at most", a + 1, b + 1)
            }
            RegionError::Touching { regions: [a, b], elements, count } => {
                let mut named: Vec<String> = elements.iter().map(|(kind, number)| format!("{kind} {number}")).collect();
                if *count > elements.len() {
                    named.push(format!("{} more", count - elements.len()));
                }
                let last = named.pop().unwrap_or_default();
                let (named, have) = match named.is_empty() {
                    true => (last, "has"),
                    false => (format!("{} and {last}", named.join(", ")), "have"),
                };
                write!(
                    f,
                    "regions {} and {} touch: {named} {have} nodes of both; leave a layer of elements to the rest between them, \
                     or make them one",
                    a + 1,
                    b + 1
                )
            }
        }
    }
}

impl std::error::Error for RegionError {}

/// Converts regions to the numbers of the model, free nodes only, ascending. `number` maps nodes of the mesh to those
/// of the model, `origin` the reverse.
pub(crate) fn settle(
    regions: &[Region],
    free: usize,
    number: impl Fn(u32) -> u32,
    origin: &[u32],
    terms: &[Box<dyn Term>],
) -> Result<Vec<Region>, RegionError> {
    let mut owner = vec![None; if regions.is_empty() { 0 } else { free }];
    let mut settled = Vec::with_capacity(regions.len());
    for (region, given) in regions.iter().enumerate() {
        if !(1..=Region::MOST).contains(&given.ratio) {
            return Err(RegionError::Ratio { region, ratio: given.ratio });
        }
        let mut nodes: Vec<u32> = given.nodes.iter().map(|&i| number(i)).filter(|&i| (i as usize) < free).collect();
        nodes.sort_unstable();
        nodes.dedup();
        for &i in &nodes {
            if let Some(before) = owner[i as usize].replace(region) {
                return Err(RegionError::Shared { regions: [before, region], node: origin[i as usize] as usize });
            }
        }
        if nodes.is_empty() {
            return Err(RegionError::Empty { region });
        }
        settled.push(Region { nodes, ratio: given.ratio });
    }
    if regions.len() > 1 {
        no_touching(&owner, terms)?;
    }
    Ok(settled)
}

/// Returns an error with the elements between the first two regions found to touch.
fn no_touching(owner: &[Option<usize>], terms: &[Box<dyn Term>]) -> Result<(), RegionError> {
    let (mut both, mut found, mut count) = (None, Vec::new(), 0);
    for term in terms {
        for e in 0..term.count() {
            let owners = || term.nodes(e).iter().filter_map(|&i| *owner.get(i as usize)?);
            let (Some(low), Some(high)) = (owners().min(), owners().max()) else { continue };
            if low == high || *both.get_or_insert([low, high]) != [low, high] {
                continue;
            }
            count += 1;
            if found.len() < RegionError::NAMED {
                found.push((term.kind().name(), term.origin(e)));
            }
        }
    }
    both.map_or(Ok(()), |regions| Err(RegionError::Touching { regions, elements: found, count }))
}
