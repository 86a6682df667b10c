//! Aggregates: groups of neighbouring nodes that become one node of the next level.
//!
//! Three passes in the order of the rows (Vanek, Mandel, Brezina 1996): a node all of whose neighbours are free founds
//! an aggregate with them; the remaining ones join the founded aggregate they are coupled to most; those that touch
//! none make aggregates with their free neighbours. A node without a strong coupling belongs to none: smoothing
//! alone solves for it.

use crate::blocks::Pattern;

/// Norm of a block, relative to the diagonal ones, above which a coupling is strong.
const STRONG: f32 = 0.02;

/// No aggregate.
pub(super) const NONE: u32 = u32::MAX;

/// Aggregate of each node, and the nodes of each aggregate.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Aggregates {
    /// Aggregate of each node, or [`NONE`].
    pub of: Vec<u32>,
    /// Nodes of aggregate k: `start[k]..start[k + 1]` of `nodes`, ascending.
    start: Vec<usize>,
    nodes: Vec<u32>,
}

impl Aggregates {
    /// Groups the rows of a pattern; `strength` has the norm of each block by slot.
    pub fn new(pattern: &Pattern, strength: &[f32]) -> Aggregates {
        let rows = pattern.rows();
        let strong = |i: usize| pattern.neighbours(i).filter(move |&(j, slot)| j != i && strength[slot] > STRONG);
        let mut of = vec![NONE; rows];
        let mut count = 0;
        for i in 0..rows {
            if of[i] == NONE && strong(i).next().is_some() && strong(i).all(|(j, _)| of[j] == NONE) {
                of[i] = count;
                strong(i).for_each(|(j, _)| of[j] = count);
                count += 1;
            }
        }
        let founded = of.clone();
        for i in 0..rows {
            if of[i] == NONE {
                let mut best = (0.0, NONE);
                for (j, slot) in strong(i).filter(|&(j, _)| founded[j] != NONE) {
                    if strength[slot] > best.0 {
                        best = (strength[slot], founded[j]);
                    }
                }
                of[i] = best.1;
            }
        }
        for i in 0..rows {
            if of[i] == NONE && strong(i).next().is_some() {
                of[i] = count;
                strong(i).for_each(|(j, _)| {
                    if of[j] == NONE {
                        of[j] = count;
                    }
                });
                count += 1;
            }
        }
        Aggregates::of_nodes(of, count as usize)
    }

    fn of_nodes(of: Vec<u32>, count: usize) -> Aggregates {
        let mut start = vec![0; count + 1];
        of.iter().filter(|&&k| k != NONE).for_each(|&k| start[k as usize + 1] += 1);
        (0..count).for_each(|k| start[k + 1] += start[k]);
        let mut next = start.clone();
        let mut nodes = vec![0; start[count]];
        for (i, &k) in of.iter().enumerate().filter(|(_, k)| **k != NONE) {
            nodes[next[k as usize]] = i as u32;
            next[k as usize] += 1;
        }
        Aggregates { of, start, nodes }
    }

    /// Number of aggregates.
    pub fn count(&self) -> usize {
        self.start.len().saturating_sub(1)
    }

    /// Returns the nodes of an aggregate, ascending.
    pub fn nodes(&self, aggregate: usize) -> &[u32] {
        &self.nodes[self.start[aggregate]..self.start[aggregate + 1]]
    }
}
