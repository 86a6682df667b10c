//! The supernodal elimination tree, and its cut into tasks.
//!
//! Columns of the factor in different subtrees are independent. The tree is cut by counted work, never by the number of
//! threads: subtrees become tasks, small neighbours together, and the part above them is the top, which waits for all.
//! A cut costs the work of the top, then that of the largest task or an even share of all. Starting from the whole
//! tree, the largest task is split until it is small; the cheapest cut found is taken. So a bushy tree becomes many
//! tasks, and a long chain becomes its two halves if its root is in the middle.

use std::ops::Range;

/// Threads assumed for the even share.
const THREADS: f64 = 4.0;
/// Share of all work below which tasks are not split.
const SHARE: f64 = 1.0 / 64.0;
/// Work (numbers in the panels) below which a task does not pay: waking a thread takes as long.
pub(super) const SMALLEST: f64 = 5e4;

/// Supernodes in the order of their columns, a postorder: every subtree is a range.
pub(super) struct Tree {
    /// `None` at the roots.
    pub parent: Vec<Option<usize>>,
    /// First supernode of the subtree of each.
    pub first: Vec<usize>,
}

impl Tree {
    pub fn new(parent: Vec<Option<usize>>) -> Tree {
        let mut first: Vec<usize> = (0..parent.len()).collect();
        for s in 0..parent.len() {
            if let Some(p) = parent[s] {
                first[p] = first[p].min(first[s]);
            }
        }
        Tree { parent, first }
    }

    /// Returns ranges of supernodes that are whole subtrees, in order. The supernodes outside are the top.
    pub fn tasks(&self, work: &[f64]) -> Vec<Range<usize>> {
        let mut below = work.to_vec();
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); work.len()];
        let mut roots: Vec<usize> = Vec::new();
        for s in 0..work.len() {
            match self.parent[s] {
                Some(p) => {
                    below[p] += below[s];
                    children[p].push(s);
                }
                None => roots.push(s),
            }
        }
        let all: f64 = work.iter().sum();
        // Work is finite; equal subtrees are split in the order of their columns.
        let mut open: Vec<usize> = roots.clone();
        let (mut top, mut best, mut cut) = (0.0, f64::INFINITY, roots);
        while let Some((at, &s)) =
            open.iter().enumerate().max_by(|a, b| below[*a.1].total_cmp(&below[*b.1]).then(b.1.cmp(a.1)))
        {
            let cost = top + below[s].max((all - top) / THREADS);
            if cost < best {
                (best, cut) = (cost, open.clone());
            }
            if below[s] <= SHARE * all || top >= best {
                break;
            }
            top += work[s];
            open.swap_remove(at);
            open.extend(&children[s]);
        }
        cut.sort_unstable();
        self.merged(&cut, &below, SHARE * all)
    }

    /// Merges small neighbours; what is too small for a task stays in the top.
    fn merged(&self, roots: &[usize], below: &[f64], limit: f64) -> Vec<Range<usize>> {
        let mut tasks: Vec<(Range<usize>, f64)> = Vec::new();
        for &root in roots {
            let range = self.first[root]..root + 1;
            match tasks.last_mut() {
                Some((last, sum)) if last.end == range.start && *sum + below[root] <= limit => {
                    last.end = range.end;
                    *sum += below[root];
                }
                _ => tasks.push((range, below[root])),
            }
        }
        tasks.retain(|(_, sum)| *sum >= SMALLEST);
        if tasks.len() < 2 { Vec::new() } else { tasks.into_iter().map(|(range, _)| range).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bushy_tree_is_cut_into_whole_subtrees() {
        // A binary tree of five levels in postorder.
        fn grow(level: usize, parent: &mut Vec<Option<usize>>) -> usize {
            let children: Vec<usize> = (0..if level == 0 { 0 } else { 2 }).map(|_| grow(level - 1, parent)).collect();
            parent.push(None);
            let root = parent.len() - 1;
            children.iter().for_each(|&c| parent[c] = Some(root));
            root
        }
        let mut parent = Vec::new();
        grow(4, &mut parent);
        let tree = Tree::new(parent);
        let tasks = tree.tasks(&vec![SMALLEST; tree.parent.len()]);
        assert!(tasks.len() >= 4, "{tasks:?}");
        for task in tasks {
            assert!(task.clone().all(|s| task.contains(&tree.first[s])));
            let roots = |s: &usize| tree.parent[*s].is_some_and(|p| !task.contains(&p));
            assert_eq!(task.clone().filter(roots).count(), 1);
        }
        // Too small to share.
        assert!(tree.tasks(&vec![1.0; tree.parent.len()]).is_empty());
    }

    #[test]
    fn a_chain_with_its_root_in_the_middle_is_cut_there() {
        let chain = |from: usize, len: usize, root: usize| {
            (from..from + len).map(move |s| Some(if s + 1 < from + len { s + 1 } else { root }))
        };
        let parent: Vec<Option<usize>> = chain(0, 100, 200).chain(chain(100, 100, 200)).chain([None]).collect();
        let tree = Tree::new(parent);
        assert_eq!(tree.tasks(&vec![SMALLEST; 201]), [0..100, 100..200]);
    }
}
