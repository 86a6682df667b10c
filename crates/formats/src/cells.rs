//! Elements with the labels of a file: regions, references, physical groups.

use std::collections::BTreeMap;
use std::ops::Range;

use model::mesh::Group;

/// Limit of labels that count as groups: more of them number something else.
const MOST_LABELS: usize = 4096;

/// Limit of copies of an element that count as groups.
const MOST_COPIES: usize = 64;

/// Elements of `N` nodes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cells<const N: usize> {
    /// Nodes of each.
    pub nodes: Vec<[u32; N]>,
    labels: Labels,
}

/// A label for each item of a list, stored as runs, because neighbours mostly share theirs.
#[derive(Debug, Clone, Default)]
pub(crate) struct Labels {
    /// Labels, and the lengths of their runs.
    runs: Vec<(i64, usize)>,
}

impl Labels {
    /// Labels the next `count`.
    #[inline]
    pub fn push(&mut self, label: i64, count: usize) {
        match self.runs.last_mut() {
            Some(run) if run.0 == label => run.1 += count,
            _ if count == 0 => {}
            _ => self.runs.push((label, count)),
        }
    }

    /// Appends other labels.
    pub fn append(&mut self, other: Labels) {
        for (label, count) in other.runs {
            self.push(label, count);
        }
    }

    /// Returns each label and its range.
    pub fn runs(&self) -> impl Iterator<Item = (i64, Range<u32>)> {
        let mut start = 0;
        self.runs.iter().map(move |&(label, count)| {
            let run = start as u32..(start + count) as u32;
            start += count;
            (label, run)
        })
    }

    /// Returns the list of each label; none if there are too many labels to be groups.
    pub fn lists(&self) -> BTreeMap<i64, Vec<u32>> {
        let mut lists: BTreeMap<i64, Vec<u32>> = BTreeMap::new();
        for (label, run) in self.runs() {
            lists.entry(label).or_default().extend(run);
            if lists.len() > MOST_LABELS {
                return BTreeMap::new();
            }
        }
        lists
    }
}

impl<const N: usize> Cells<N> {
    /// Makes elements with a label for each.
    pub fn new(nodes: Vec<[u32; N]>, labels: Labels) -> Cells<N> {
        Cells { nodes, labels }
    }

    /// Adds an element.
    #[inline]
    pub fn push(&mut self, nodes: [u32; N], label: i64) {
        self.nodes.push(nodes);
        self.labels.push(label, 1);
    }

    /// Adds elements of one label.
    pub fn extend(&mut self, nodes: Vec<[u32; N]>, label: i64) {
        self.labels.push(label, nodes.len());
        if self.nodes.is_empty() {
            self.nodes = nodes;
        } else {
            self.nodes.extend(nodes);
        }
    }

    /// Appends others.
    pub fn append(&mut self, other: Cells<N>) {
        if self.nodes.is_empty() {
            *self = other;
        } else {
            self.nodes.extend(other.nodes);
            self.labels.append(other.labels);
        }
    }

    /// Returns true if an element follows itself.
    pub fn has_copies(&self) -> bool {
        self.nodes.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// Joins elements that follow themselves with other labels; labels become the numbers of sets of labels.
    pub fn join_copies(&mut self, sets: &mut BTreeMap<Vec<i64>, i64>) {
        let labels = self.labels.runs().flat_map(|(label, run)| run.map(move |_| label));
        let mut joined: Cells<N> = Cells::default();
        let mut tags: Vec<i64> = Vec::new();
        let mut close = |joined: &mut Cells<N>, tags: &mut Vec<i64>| {
            let next = sets.len() as i64;
            joined.labels.push(*sets.entry(std::mem::take(tags)).or_insert(next), 1);
        };
        for (nodes, label) in self.nodes.iter().zip(labels) {
            // With the same label it is a repeated element, which a reader does not repair.
            if joined.nodes.last() == Some(nodes) && !tags.contains(&label) && tags.len() < MOST_COPIES {
                tags.push(label);
                continue;
            }
            if !tags.is_empty() {
                close(&mut joined, &mut tags);
            }
            joined.nodes.push(*nodes);
            tags.push(label);
        }
        if !tags.is_empty() {
            close(&mut joined, &mut tags);
        }
        *self = joined;
    }

    /// Returns their labels.
    pub fn labels(&self) -> &Labels {
        &self.labels
    }
}

/// Names lists `prefix` + label; label `none` means no group.
pub(crate) fn name_labels(
    groups: &mut BTreeMap<String, Group>,
    prefix: &str,
    labels: &Labels,
    none: Option<i64>,
    list: fn(&mut Group) -> &mut Vec<u32>,
) {
    for (label, members) in labels.lists() {
        if Some(label) != none {
            *list(groups.entry(format!("{prefix}{label}")).or_default()) = members;
        }
    }
}
