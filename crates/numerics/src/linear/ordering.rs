//! Fill-reducing orderings of the block rows.
//!
//! The graph of the blocks is ordered, not that of the scalars: the fill is the same and the graph
//! nine times smaller. AMD wins on slender bodies, nested dissection (METIS) on compact ones by a
//! factor of three to five, so both are run once per pattern and the one with fewer flops is kept.

use crate::blocks::Pattern;
use dyn_stack::{MemBuffer, MemStack};
use faer::sparse::SymbolicSparseColMatRef;
use faer::sparse::linalg::amd;
use metis_sys as metis;
use std::sync::Mutex;

/// METIS uses the random numbers of the C library, whose state all threads share.
static METIS_TURN: Mutex<()> = Mutex::new(());
/// Any fixed number: the same graph must give the same ordering on every run.
const METIS_SEED: metis::idx_t = 1;

/// Algorithm of an ordering.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Approximate minimum degree.
    Amd,
    /// Nested dissection.
    Metis,
}

/// An order of elimination, and the cost of its Cholesky factor.
#[derive(Debug, Clone)]
pub struct Ordering {
    /// Algorithm.
    pub method: Method,
    /// `order[k]` is the block row eliminated as the k-th; a postorder of the elimination tree.
    pub order: Vec<u32>,
    /// Multiplications and additions of the scalar Cholesky factorisation.
    pub flops: f64,
    /// Scalar nonzeros of the factor.
    pub entries: f64,
}

impl Ordering {
    /// The ordering with fewer flops of AMD and METIS.
    pub fn best(pattern: &Pattern) -> Ordering {
        let amd = Ordering::amd(pattern);
        match Ordering::metis(pattern) {
            Some(metis) if metis.flops < amd.flops => metis,
            _ => amd,
        }
    }

    /// Returns the same elimination for a matrix whose rows are in this order.
    pub fn natural(&self) -> Ordering {
        Ordering { order: (0..self.order.len() as u32).collect(), ..self.clone() }
    }

    /// Computes approximate minimum degree.
    pub fn amd(pattern: &Pattern) -> Ordering {
        let n = pattern.rows();
        let (start, row) = upper_triangle(pattern);
        let graph = SymbolicSparseColMatRef::new_checked(n, n, &start, None, &row);
        let (mut order, mut inverse) = (vec![0_usize; n], vec![0_usize; n]);
        let mut memory = MemBuffer::new(amd::order_scratch::<usize>(n, row.len()));
        let done = amd::order(&mut order, &mut inverse, graph, Default::default(), MemStack::new(&mut memory));
        // It fails only if indices overflow; then the given order is as good as any.
        let order = if done.is_ok() { order.iter().map(|&i| i as u32).collect() } else { (0..n as u32).collect() };
        Ordering::costed(pattern, Method::Amd, order)
    }

    /// Computes nested dissection; `None` if the graph has no edges or METIS fails.
    pub fn metis(pattern: &Pattern) -> Option<Ordering> {
        let n = pattern.rows();
        let edges = (0..n).map(|i| pattern.columns(i).len() - 1).sum::<usize>();
        if edges == 0 || edges > metis::idx_t::MAX as usize {
            return None;
        }
        let mut start: Vec<metis::idx_t> = vec![0];
        let mut neighbour: Vec<metis::idx_t> = Vec::with_capacity(edges);
        for i in 0..n {
            neighbour.extend(pattern.columns(i).iter().filter(|&&j| j as usize != i).map(|&j| j as metis::idx_t));
            start.push(neighbour.len() as metis::idx_t);
        }
        let mut rows = n as metis::idx_t;
        let mut order: Vec<metis::idx_t> = vec![0; n];
        let mut inverse: Vec<metis::idx_t> = vec![0; n];
        let mut options = [0; metis::METIS_NOPTIONS as usize];
        // A poisoned lock only means that another ordering panicked; the lock guards no data.
        let turn = METIS_TURN.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        // SAFETY: every pointer is to a live buffer of the length METIS documents: start n + 1, neighbour start[n],
        // order and inverse n, options METIS_NOPTIONS; no vertex weights. METIS writes to order, inverse, options,
        // and only shifts the graph's numbering, which starts at 0 here.
        let status = unsafe {
            metis::METIS_SetDefaultOptions(options.as_mut_ptr());
            options[metis::moptions_et_METIS_OPTION_SEED as usize] = METIS_SEED;
            metis::METIS_NodeND(
                &mut rows,
                start.as_mut_ptr(),
                neighbour.as_mut_ptr(),
                std::ptr::null_mut(),
                options.as_mut_ptr(),
                order.as_mut_ptr(),
                inverse.as_mut_ptr(),
            )
        };
        drop(turn);
        let order: Vec<u32> = order.iter().map(|&i| i as u32).collect();
        (status == metis::rstatus_et_METIS_OK && is_permutation(&order))
            .then(|| Ordering::costed(pattern, Method::Metis, order))
    }

    /// Postorders `order`, which keeps the fill and places equal columns of the factor side by side, and counts.
    ///
    /// First, the elimination tree gets a root in its middle, which keeps the fill too.
    fn costed(pattern: &Pattern, method: Method, order: Vec<u32>) -> Ordering {
        let order = rooted_in_the_middle(pattern, postordered(pattern, order));
        let order = postordered(pattern, order);
        let parent = elimination_tree(pattern, &order);
        let (mut flops, mut entries) = (0.0, 0.0);
        for blocks in column_counts(pattern, &order, &parent) {
            // The three scalar columns of a block column have 3 b, 3 b - 1 and 3 b - 2 entries.
            for count in (0..3).map(|c| (3 * blocks - c) as f64) {
                flops += count * count;
                entries += count;
            }
        }
        Ordering { method, order, flops, entries }
    }

    /// Returns the position of each block row: the inverse of `order`.
    pub fn position(&self) -> Vec<u32> {
        inverse(&self.order)
    }
}

/// Returns the same elimination with every column after its children in the tree, and subtrees together.
fn postordered(pattern: &Pattern, order: Vec<u32>) -> Vec<u32> {
    postorder(&elimination_tree(pattern, &order)).iter().map(|&k| order[k]).collect()
}

fn inverse(order: &[u32]) -> Vec<u32> {
    let mut position = vec![0; order.len()];
    for (k, &i) in order.iter().enumerate() {
        position[i as usize] = k as u32;
    }
    position
}

fn is_permutation(order: &[u32]) -> bool {
    let mut seen = vec![false; order.len()];
    order.iter().all(|&i| seen.get_mut(i as usize).is_some_and(|s| !std::mem::replace(s, true)))
}

fn upper_triangle(pattern: &Pattern) -> (Vec<usize>, Vec<usize>) {
    let mut start = vec![0];
    let mut row = Vec::with_capacity(pattern.slots());
    for j in 0..pattern.rows() {
        row.extend(pattern.lower(j).map(|(i, _)| i));
        start.push(row.len());
    }
    (start, row)
}

/// Mark for no parent: a root of the elimination forest.
const ROOT: usize = usize::MAX;

/// Computes the parents in the elimination tree of the permuted matrix (Liu 1990, with path compression).
fn elimination_tree(pattern: &Pattern, order: &[u32]) -> Vec<usize> {
    let position = inverse(order);
    let mut parent = vec![ROOT; order.len()];
    let mut ancestor = vec![ROOT; order.len()];
    for (k, &i) in order.iter().enumerate() {
        for &j in pattern.columns(i as usize) {
            let mut at = position[j as usize] as usize;
            while at < k {
                let next = std::mem::replace(&mut ancestor[at], k);
                if next == ROOT {
                    parent[at] = k;
                    break;
                }
                at = next;
            }
        }
    }
    parent
}

/// Returns an order of elimination with the same fill whose tree has its root in the middle, where no branch has more
/// than half of the work.
///
/// Minimum degree eliminates a slender body from one end to the other: the tree is a chain, and nothing can run in
/// parallel. But a column and its rows below are a clique of the filled graph, these cliques form a tree, and any of
/// them may be the root (Jess and Kees 1982; Liu 1988): a clique is eliminated except for what it shares with its
/// parent. On the path from the old root to the new one parents become children, and a column goes with the last clique
/// on the path that has it as a row. All other columns come first, in their old order.
fn rooted_in_the_middle(pattern: &Pattern, order: Vec<u32>) -> Vec<u32> {
    let parent = elimination_tree(pattern, &order);
    let counts = column_counts(pattern, &order, &parent);
    let mut work: Vec<f64> = counts.iter().map(|&c| (c * c) as f64).collect();
    let half = 0.5 * work.iter().sum::<f64>();
    (0..order.len()).filter(|&k| parent[k] != ROOT).for_each(|k| work[parent[k]] += work[k]);
    // Subtrees with more than half of the work contain each other: they are a path down from a root.
    let path: Vec<usize> = (0..order.len()).filter(|&k| work[k] > half).collect();
    match path.first() {
        // All of the path is one clique: the root is in the middle.
        Some(&middle) if counts[middle] > path.len() - 1 => return order,
        None => return order,
        _ => {}
    }
    let position = inverse(&order);
    let mut on_path = vec![false; order.len()];
    path.iter().for_each(|&k| on_path[k] = true);
    let mut visited = vec![ROOT; order.len()];
    let mut last = |k: usize| {
        let mut last = k;
        for &j in pattern.columns(order[k] as usize) {
            let mut at = position[j as usize] as usize;
            while at < k && visited[at] != k {
                visited[at] = k;
                last = if on_path[at] { last.min(at) } else { last };
                at = parent[at];
            }
        }
        last
    };
    let mut turned: Vec<(std::cmp::Reverse<usize>, usize)> =
        path.iter().map(|&k| (std::cmp::Reverse(last(k)), k)).collect();
    turned.sort_unstable();
    let others = (0..order.len()).filter(|&k| !on_path[k]);
    others.chain(turned.iter().map(|&(_, k)| k)).map(|k| order[k]).collect()
}

/// Lists every node after its children, subtrees together.
fn postorder(parent: &[usize]) -> Vec<usize> {
    let n = parent.len();
    let (mut first_child, mut sibling) = (vec![ROOT; n], vec![ROOT; n]);
    let mut post = Vec::with_capacity(n);
    let mut path = Vec::new();
    for k in (0..n).rev().filter(|&k| parent[k] != ROOT) {
        sibling[k] = std::mem::replace(&mut first_child[parent[k]], k);
    }
    for root in (0..n).filter(|&k| parent[k] == ROOT) {
        path.push(root);
        while let Some(&k) = path.last() {
            let child = first_child[k];
            if child == ROOT {
                post.push(k);
                path.pop();
            } else {
                first_child[k] = sibling[child];
                path.push(child);
            }
        }
    }
    post
}

/// Counts the blocks in each block column of the factor, including diagonals: walks the subtree of every row.
fn column_counts(pattern: &Pattern, order: &[u32], parent: &[usize]) -> Vec<usize> {
    let position = inverse(order);
    let mut count = vec![1; order.len()];
    let mut visited = vec![ROOT; order.len()];
    for (k, &i) in order.iter().enumerate() {
        visited[k] = k;
        for &j in pattern.columns(i as usize) {
            let mut at = position[j as usize] as usize;
            while at < k && visited[at] != k {
                count[at] += 1;
                visited[at] = k;
                at = parent[at];
            }
        }
    }
    count
}

#[cfg(test)]
mod tests {
    use super::super::tests::grid;
    use super::*;

    #[test]
    fn the_cheaper_ordering_is_kept() {
        for pattern in [grid(14, 14, 14), grid(500, 3, 3)] {
            let (amd, metis) = (Ordering::amd(&pattern), Ordering::metis(&pattern).unwrap());
            let best = Ordering::best(&pattern);
            assert_eq!(best.flops, amd.flops.min(metis.flops));
            assert!(is_permutation(&amd.order) && is_permutation(&metis.order));
        }
        assert_eq!(Ordering::best(&grid(14, 14, 14)).method, Method::Metis);
        assert_eq!(Ordering::best(&grid(500, 3, 3)).method, Method::Amd);
    }

    #[test]
    fn a_root_in_the_middle_costs_nothing_and_halves_the_longest_branch() {
        // Nested boxes of a slender body: a chain from one end to the other.
        let pattern = grid(200, 3, 3);
        let chain: Vec<u32> = (0..pattern.rows() as u32).collect();
        let turned = rooted_in_the_middle(&pattern, chain.clone());
        assert!(is_permutation(&turned));
        let fill =
            |order: &[u32]| column_counts(&pattern, order, &elimination_tree(&pattern, order)).iter().sum::<usize>();
        assert!(fill(&turned) <= fill(&chain));
        let branch = |order: &[u32]| {
            let parent = elimination_tree(&pattern, order);
            let mut depth = vec![0; order.len()];
            (0..order.len()).rev().filter(|&k| parent[k] != ROOT).for_each(|k| depth[k] = depth[parent[k]] + 1);
            depth.into_iter().max().unwrap_or(0)
        };
        assert!(branch(&turned) < branch(&chain) * 11 / 20, "{} of {}", branch(&turned), branch(&chain));
        // A body without chains stays unchanged.
        let compact = grid(9, 9, 9);
        let dissected = Ordering::metis(&compact).unwrap().order;
        assert_eq!(rooted_in_the_middle(&compact, dissected.clone()), dissected);
    }

    #[test]
    fn costs_are_those_of_a_dense_elimination() {
        // Every node is coupled to every other: n scalar columns of n, n - 1, ... 1 entries.
        let clique: Vec<u32> = (0..5).collect();
        let pattern = Pattern::from_cliques(5, [clique.as_slice()].into_iter());
        let ordering = Ordering::best(&pattern);
        assert_eq!(ordering.entries, 120.0);
        assert_eq!(ordering.flops, (1..=15).map(|c| (c * c) as f64).sum::<f64>());
    }

    #[test]
    fn orderings_repeat() {
        let pattern = grid(9, 8, 7);
        let first = Ordering::metis(&pattern).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert_eq!(Ordering::metis(&pattern).unwrap().order, first.order));
            }
        });
    }
}
