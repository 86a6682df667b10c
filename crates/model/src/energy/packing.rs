//! Packing of elements into lanes such that the lanes of a pack share no node.
//!
//! Relaxing an element moves its nodes, and the next element that shares a node must see the new positions. Elements
//! are cut into chunks of neighbours. Within a chunk each element goes into the first pack with none of its nodes.
//! Packs that share a node are kept apart in the sequence, so that none waits for the previous one. Chunks that share
//! no node get the same colour. The order depends on the elements alone: bit-for-bit the same for any number of
//! threads.

use super::colour::Chunks;
use super::relaxation::Order;
use numerics::real::{Lanes, Real};

const LANES: usize = Lanes::LANES;
/// Target number of chunks per group, within the limits of their length: enough to balance a few threads.
const CHUNKS: usize = 32;
/// Limits of elements per chunk: enough to fill packs, few enough to stay in a core's cache.
const SHORTEST: usize = 256;
const LONGEST: usize = 4096;

/// Packs of elements, and the chunks of packs.
pub struct Packing {
    /// Elements of each pack; fewer than lanes where no more fit.
    pub packs: Vec<Vec<u32>>,
    /// Chunks of packs by colour.
    pub chunks: Chunks,
}

impl Packing {
    /// Packs elements whose nodes are below `nodes`; sequential orders sort by `origin`.
    pub fn new<const N: usize>(elements: &[[u32; N]], origin: &[u32], nodes: usize, order: Order) -> Packing {
        let mut packs: Vec<Vec<u32>> = Vec::new();
        let mut ends = vec![0];
        if order == Order::Coloured {
            let length = (elements.len() / CHUNKS).clamp(SHORTEST, LONGEST);
            for begin in (0..elements.len()).step_by(length) {
                let end = elements.len().min(begin + length);
                packs.extend(apart(first_fit(elements, begin..end), elements));
                ends.push(packs.len());
            }
        } else {
            // Sequential: packs of one element, all in one chunk.
            let mut sequence: Vec<u32> = (0..elements.len() as u32).collect();
            sequence.sort_by_key(|&e| origin[e as usize]);
            if order == Order::Backward {
                sequence.reverse();
            }
            packs = sequence.into_iter().map(|e| vec![e]).collect();
            ends.push(packs.len());
        }
        let ranges = ends.windows(2).map(|ends| ends[0]..ends[1]);
        let chunks = Chunks::of(ranges, nodes, |pack| packs[pack].iter().flat_map(|&e| elements[e as usize]));
        Packing { packs, chunks }
    }
}

fn share_a_node<const N: usize>(elements: &[[u32; N]], a: &[u32], b: &[u32]) -> bool {
    let mut nodes = a.iter().flat_map(|&e| elements[e as usize]);
    nodes.any(|i| b.iter().any(|&e| elements[e as usize].contains(&i)))
}

/// Puts each element into the first pack that is not full and has none of its nodes.
fn first_fit<const N: usize>(elements: &[[u32; N]], range: std::ops::Range<usize>) -> Vec<Vec<u32>> {
    let mut packs: Vec<Vec<u32>> = Vec::new();
    // All packs before this one are full.
    let mut open = 0;
    for e in range.start as u32..range.end as u32 {
        let fits = |pack: &Vec<u32>| pack.len() < LANES && !share_a_node(elements, &[e], pack);
        match (open..packs.len()).find(|&pack| fits(&packs[pack])) {
            Some(pack) => packs[pack].push(e),
            None => packs.push(vec![e]),
        }
        while packs.get(open).is_some_and(|pack| pack.len() == LANES) {
            open += 1;
        }
    }
    packs
}

/// Reorders packs so that, where possible, each shares no node with the two before it.
fn apart<const N: usize>(mut packs: Vec<Vec<u32>>, elements: &[[u32; N]]) -> Vec<Vec<u32>> {
    let mut ordered: Vec<Vec<u32>> = Vec::with_capacity(packs.len());
    while !packs.is_empty() {
        let last = &ordered[ordered.len().saturating_sub(2)..];
        let is_apart = |pack: &Vec<u32>| !last.iter().any(|other| share_a_node(elements, pack, other));
        let next = packs.iter().position(is_apart).unwrap_or(0);
        ordered.push(packs.remove(next));
    }
    ordered
}
