//! Connected components of a pattern, and the groups of those with one shape.

use super::canonical;
use super::shape::Shape;
use crate::blocks::Pattern;
use crate::real::{Lanes, Real};
use std::collections::HashMap;

/// Most block rows of a component that is packed: a larger one is worth the general solver.
const MOST_ROWS: usize = 512;
/// Most blocks of its factor: a pack of eight stays within the second cache (1.2 MB).
const MOST_BLOCKS: usize = 2048;
/// Fewest components of one shape that are worth a pack: half of its lanes.
pub(super) const LEAST_MEMBERS: usize = Lanes::LANES / 2;

/// Components of one shape.
pub(super) struct Alike {
    pub shape: Shape,
    /// Rows of each member in the order of the shape, one member after the other.
    pub rows: Vec<u32>,
}

/// Components by shape, and the rows that belong to no group.
pub(super) struct Partition {
    pub groups: Vec<Alike>,
    /// Ascending.
    pub rest: Vec<u32>,
}

impl Partition {
    pub fn new(pattern: &Pattern) -> Partition {
        Partition::of_groups(pattern, LEAST_MEMBERS)
    }

    /// Makes groups of at least this many components.
    pub fn of_groups(pattern: &Pattern, least: usize) -> Partition {
        let mut kinds = Kinds::default();
        let mut rest = Vec::new();
        for_each_component(pattern, |rows| {
            if rows.len() > MOST_ROWS {
                rest.extend_from_slice(rows);
            } else {
                kinds.add(pattern, rows);
            }
        });
        let mut groups = Vec::new();
        for (neighbours, members) in kinds.members {
            let is_group = members.len() >= least * neighbours.len();
            match is_group.then(|| Shape::new(&neighbours)).filter(|shape| shape.blocks() <= MOST_BLOCKS) {
                Some(shape) => {
                    let reordered = members.chunks_exact(neighbours.len());
                    let rows = reordered.flat_map(|rows| shape.order().iter().map(|&k| rows[k as usize])).collect();
                    groups.push(Alike { shape, rows });
                }
                None => rest.extend(members),
            }
        }
        rest.sort_unstable();
        Partition { groups, rest }
    }

    /// Counts the multiplications and additions of a factorisation of all groups, and the numbers of their factors.
    pub fn cost(&self) -> [f64; 2] {
        self.groups.iter().fold([0.0; 2], |[flops, entries], Alike { shape, rows }| {
            let members = (rows.len() / shape.rows()) as f64;
            let numbers = 9 * shape.blocks() + 6 * shape.rows();
            [flops + members * shape.flops(), entries + members * numbers as f64]
        })
    }
}

/// Calls `visit` with the rows of each component, ascending; components come in the order of their first rows.
fn for_each_component(pattern: &Pattern, mut visit: impl FnMut(&[u32])) {
    let mut seen = vec![false; pattern.rows()];
    let mut rows: Vec<u32> = Vec::new();
    for seed in 0..pattern.rows() {
        if seen[seed] {
            continue;
        }
        seen[seed] = true;
        rows.clear();
        rows.push(seed as u32);
        let mut next = 0;
        while next < rows.len() {
            for &j in pattern.columns(rows[next] as usize) {
                if !std::mem::replace(&mut seen[j as usize], true) {
                    rows.push(j);
                }
            }
            next += 1;
        }
        rows.sort_unstable();
        visit(&rows);
    }
}

/// A component as numbered in the pattern: counts and neighbours of its rows, by their places among its rows.
type Numbered = Vec<u32>;
/// Neighbours of each row, without itself, ascending.
type Neighbours = Vec<Vec<u32>>;

/// Shapes found so far.
#[derive(Default)]
struct Kinds {
    /// Kind and order of components that were seen in this numbering: most bodies are numbered alike.
    numbered: HashMap<Numbered, (usize, Vec<u32>)>,
    /// Kind of each shape.
    shapes: HashMap<Neighbours, usize>,
    /// Shape of each kind, and the rows of its members.
    members: Vec<(Neighbours, Vec<u32>)>,
    key: Numbered,
}

impl Kinds {
    fn add(&mut self, pattern: &Pattern, rows: &[u32]) {
        let place = |j: u32| rows.partition_point(|&row| row < j) as u32;
        self.key.clear();
        for &i in rows {
            let columns = pattern.columns(i as usize);
            self.key.push(columns.len() as u32);
            self.key.extend(columns.iter().map(|&j| place(j)));
        }
        if !self.numbered.contains_key(&self.key) {
            let neighbours: Neighbours = (rows.iter().enumerate())
                .map(|(k, &i)| {
                    pattern.columns(i as usize).iter().map(|&j| place(j)).filter(|&j| j != k as u32).collect()
                })
                .collect();
            let order = canonical::order(&neighbours);
            let shape = permuted(&neighbours, &order);
            let new = self.members.len();
            let kind = *self.shapes.entry(shape.clone()).or_insert(new);
            if kind == new {
                self.members.push((shape, Vec::new()));
            }
            self.numbered.insert(self.key.clone(), (kind, order));
        }
        if let Some((kind, order)) = self.numbered.get(&self.key) {
            self.members[*kind].1.extend(order.iter().map(|&k| rows[k as usize]));
        }
    }
}

/// Returns the neighbours of the rows in another order.
pub(super) fn permuted(neighbours: &Neighbours, order: &[u32]) -> Neighbours {
    let mut place = vec![0; order.len()];
    order.iter().enumerate().for_each(|(k, &i)| place[i as usize] = k as u32);
    let of_row = |&i: &u32| {
        let mut list: Vec<u32> = neighbours[i as usize].iter().map(|&j| place[j as usize]).collect();
        list.sort_unstable();
        list
    };
    order.iter().map(of_row).collect()
}
