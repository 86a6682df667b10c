//! A tree of boxes over primitives: overlaps with a box, with itself or with another tree, and nearest primitives.
//!
//! Primitives are split at the median of their middles along the longest side. Leaf k of L, a power of two, holds the
//! primitives k n / L to (k + 1) n / L of the order so made; node i has the children 2i and 2i + 1, and the root is 1.
//! The form of the tree depends on the number of primitives alone: boxes are updated level by level, in parallel, to
//! the same bits.
//!
//! Searches that fill lists are cut into a fixed number of tasks, each with its own list ([`Lists`]), which are joined
//! in order: the result does not depend on threads, and the second search allocates only if it finds more.

use crate::Bounds;
use numerics::mat3::Vec3;
use rayon::prelude::*;

/// Limit of primitives per leaf, unless another is asked for.
const LEAF: usize = 4;
/// Ranges and levels of fewer entries than this are one task.
const TASK: usize = 2048;
/// Limit of subtrees that searches are cut into.
const SUBTREES: usize = 256;
/// Stack size for the paths to the deepest leaves of two trees of 2^32 primitives.
const DEPTH: usize = 72;

/// Boxes that a tree is made of.
///
/// ```
/// use collision::{Lists, Tree, Volume};
///
/// /// A range of heights [m]: enough to sort flat layers.
/// #[derive(Clone, Copy)]
/// struct Layer([f64; 2]);
///
/// impl Volume for Layer {
///     const EMPTY: Layer = Layer([f64::INFINITY, f64::NEG_INFINITY]);
///     fn union(&self, other: &Layer) -> Layer {
///         Layer([self.0[0].min(other.0[0]), self.0[1].max(other.0[1])])
///     }
///     fn overlaps(&self, other: &Layer) -> bool {
///         self.0[0] <= other.0[1] && other.0[0] <= self.0[1]
///     }
///     fn middle(&self) -> [f64; 3] {
///         [0.0, 0.0, 0.5 * (self.0[0] + self.0[1])]
///     }
/// }
///
/// let tree = Tree::new(&[Layer([0.0, 1.0]), Layer([2.0, 3.0]), Layer([0.5, 1.5])]);
/// let mut pairs = Vec::new();
/// tree.self_pairs(&mut Lists::default(), &mut pairs);
/// assert_eq!(pairs, [[0, 2]]);
/// ```
pub trait Volume: Copy + Send + Sync {
    /// The empty box: the union with it changes nothing, and nothing overlaps it.
    const EMPTY: Self;
    /// Returns the box around both.
    fn union(&self, other: &Self) -> Self;
    /// Returns true if the contents of both may meet.
    fn overlaps(&self, other: &Self) -> bool;
    /// Returns the centre [m].
    fn middle(&self) -> Vec3;
}

impl Volume for Bounds {
    const EMPTY: Bounds = Bounds::EMPTY;

    #[inline]
    fn union(&self, other: &Bounds) -> Bounds {
        Bounds::union(self, other)
    }

    #[inline]
    fn overlaps(&self, other: &Bounds) -> bool {
        Bounds::overlaps(self, other)
    }

    #[inline]
    fn middle(&self) -> Vec3 {
        Bounds::middle(self)
    }
}

/// A tree of boxes over primitives that are known by their index.
#[derive(Debug, Clone)]
pub struct Tree<B = Bounds> {
    /// Boxes of the nodes; entry 0 is not used.
    nodes: Vec<B>,
    /// Primitives, leaf by leaf.
    order: Vec<u32>,
    /// Their boxes, in that order.
    boxes: Vec<B>,
}

impl<B> Default for Tree<B> {
    fn default() -> Self {
        Tree { nodes: Vec::new(), order: Vec::new(), boxes: Vec::new() }
    }
}

/// Lists of the results of a search's tasks, reused from search to search.
#[derive(Debug, Clone)]
pub struct Lists<T> {
    tasks: Vec<Vec<T>>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Lists { tasks: Vec::new() }
    }
}

impl<T: Copy + Send + Sync> Lists<T> {
    /// Runs tasks in parallel, each with its own list, and joins the lists in the order of the tasks.
    pub fn gather(&mut self, tasks: usize, out: &mut Vec<T>, task: impl Fn(usize, &mut Vec<T>) + Sync) {
        if self.tasks.len() < tasks {
            self.tasks.resize_with(tasks, Vec::new);
        }
        let used = &mut self.tasks[..tasks];
        used.par_iter_mut().with_max_len(1).enumerate().for_each(|(k, list)| {
            list.clear();
            task(k, list);
        });
        out.clear();
        out.reserve(used.iter().map(Vec::len).sum());
        used.iter().for_each(|list| out.extend_from_slice(list));
    }
}

impl<B: Volume> Tree<B> {
    /// Builds the tree over boxes [m].
    pub fn new(boxes: &[B]) -> Self {
        Tree::with_leaves_of(LEAF, boxes)
    }

    /// Builds the tree over boxes [m], with at most `most` primitives per leaf.
    pub fn with_leaves_of(most: usize, boxes: &[B]) -> Self {
        let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
        let leaves = boxes.len().div_ceil(most).max(1).next_power_of_two();
        let middles: Vec<Vec3> = boxes.par_iter().with_min_len(TASK).map(B::middle).collect();
        split(&mut order, &middles, leaves, [0, leaves]);
        let mut tree = Tree { nodes: vec![B::EMPTY; 2 * leaves], order, boxes: vec![B::EMPTY; boxes.len()] };
        tree.refit(boxes);
        tree
    }

    /// Returns the number of primitives.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Returns true if there are none.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }

    /// Returns the box around everything.
    pub fn bounds(&self) -> B {
        self.nodes.get(1).copied().unwrap_or(B::EMPTY)
    }

    /// Takes new boxes of the same primitives; splits stay, so queries get slower as the order changes. Another number
    /// of boxes rebuilds the tree.
    pub fn refit(&mut self, boxes: &[B]) {
        if boxes.len() != self.len() {
            *self = Tree::new(boxes);
            return;
        }
        self.refit_with(|i| boxes[i]);
    }

    /// [`Tree::refit`] with a function that returns the box of each primitive.
    pub fn refit_with(&mut self, bounds: impl Fn(usize) -> B + Sync) {
        if self.nodes.is_empty() {
            return;
        }
        let (n, leaves) = (self.len(), self.leaves());
        let order = &self.order;
        self.boxes.par_iter_mut().with_min_len(TASK).zip(order).for_each(|(b, &i)| *b = bounds(i as usize));
        let boxes = &self.boxes;
        self.nodes[leaves..].par_iter_mut().with_min_len(TASK).enumerate().for_each(|(k, node)| {
            *node = boxes[leaf(n, leaves, k)].iter().fold(B::EMPTY, |a, b| a.union(b));
        });
        let mut level = leaves / 2;
        while level > 0 {
            let (parents, children) = self.nodes[level..4 * level].split_at_mut(level);
            let children = children.as_chunks::<2>().0;
            parents.par_iter_mut().with_min_len(TASK).zip(children).for_each(|(p, [a, b])| *p = a.union(b));
            level /= 2;
        }
    }

    /// Takes new boxes of the primitives of some leaves, and of everything around them.
    pub fn refit_leaves(&mut self, some: &[usize], bounds: impl Fn(usize) -> B + Sync) {
        let leaves = self.leaves();
        for &k in some {
            let range = self.leaf(k);
            let mut around = B::EMPTY;
            for position in range {
                self.boxes[position] = bounds(self.order[position] as usize);
                around = around.union(&self.boxes[position]);
            }
            self.nodes[leaves + k] = around;
        }
        for &k in some {
            let mut node = (leaves + k) / 2;
            while node > 0 {
                self.nodes[node] = self.nodes[2 * node].union(&self.nodes[2 * node + 1]);
                node /= 2;
            }
        }
    }

    /// Lists all pairs of primitives whose boxes overlap, lower index first, in ascending order.
    pub fn self_pairs(&self, lists: &mut Lists<[u32; 2]>, out: &mut Vec<[u32; 2]>) {
        self.visit_self_pairs(lists, out, |i, j, list| list.push([i, j]));
        out.par_sort_unstable();
    }

    /// Lists all pairs of a primitive of this tree and one of another whose boxes overlap, in ascending order.
    pub fn pairs(&self, other: &Tree<B>, lists: &mut Lists<[u32; 2]>, out: &mut Vec<[u32; 2]>) {
        self.visit_pairs(other, lists, out, |i, j, list| list.push([i, j]));
        out.par_sort_unstable();
    }

    /// Calls `visit` with each pair of primitives whose boxes overlap, lower index first, and a list for its results.
    /// The lists are joined in an order that depends on the tree alone.
    pub fn visit_self_pairs<T: Copy + Send + Sync>(
        &self,
        lists: &mut Lists<T>,
        out: &mut Vec<T>,
        visit: impl Fn(u32, u32, &mut Vec<T>) + Sync,
    ) {
        self.visit_self_leaves(lists, out, |[a, b], list| {
            self.between_leaves(a, self, b, &mut |i, j| visit(i.min(j), i.max(j), list));
        });
    }

    /// [`Tree::visit_self_pairs`] for a primitive of this tree and one of another.
    pub fn visit_pairs<T: Copy + Send + Sync>(
        &self,
        other: &Tree<B>,
        lists: &mut Lists<T>,
        out: &mut Vec<T>,
        visit: impl Fn(u32, u32, &mut Vec<T>) + Sync,
    ) {
        self.visit_leaves(other, lists, out, |[a, b], list| {
            self.between_leaves(a, other, b, &mut |i, j| visit(i, j, list));
        });
    }

    /// Calls `visit` with each pair of leaves whose boxes overlap, once, and each leaf with itself.
    pub fn visit_self_leaves<T: Copy + Send + Sync>(
        &self,
        lists: &mut Lists<T>,
        out: &mut Vec<T>,
        visit: impl Fn([usize; 2], &mut Vec<T>) + Sync,
    ) {
        let tasks = if self.is_empty() { 0 } else { self.leaves().min(SUBTREES) };
        lists.gather(tasks, out, |task, list| {
            let root = tasks + task;
            let mut visit = |leaves: [usize; 2]| visit(leaves, list);
            self.within(root, &mut visit);
            // Against everything to its right: the right siblings of its ancestors and itself.
            let mut node = root;
            while node > 1 {
                if node % 2 == 0 {
                    self.between(root, self, node + 1, &mut visit);
                }
                node /= 2;
            }
        });
    }

    /// Calls `visit` with each pair of leaves whose boxes overlap and at least one of which is in `some`, ascending; once, and with
    /// each of these and itself.
    pub fn visit_leaves_of<T: Copy + Send + Sync>(
        &self,
        some: &[usize],
        lists: &mut Lists<T>,
        out: &mut Vec<T>,
        visit: impl Fn([usize; 2], &mut Vec<T>) + Sync,
    ) {
        let leaves = self.leaves();
        let tasks = some.len().min(SUBTREES);
        lists.gather(tasks, out, |task, list| {
            for &k in &some[task * some.len() / tasks..(task + 1) * some.len() / tasks] {
                let mut stack = Stack::new(1);
                while let Some(node) = stack.pop() {
                    if node != leaves + k && !self.nodes[node].overlaps(&self.nodes[leaves + k]) {
                        continue;
                    }
                    if node < leaves {
                        stack.push(2 * node + 1);
                        stack.push(2 * node);
                        continue;
                    }
                    let other = node - leaves;
                    // Two of them find each other twice.
                    if other >= k || some.binary_search(&other).is_err() {
                        visit([k.min(other), k.max(other)], list);
                    }
                }
            }
        });
    }

    /// [`Tree::visit_self_leaves`] for a leaf of this tree and one of another.
    pub fn visit_leaves<T: Copy + Send + Sync>(
        &self,
        other: &Tree<B>,
        lists: &mut Lists<T>,
        out: &mut Vec<T>,
        visit: impl Fn([usize; 2], &mut Vec<T>) + Sync,
    ) {
        let tasks = if self.is_empty() || other.is_empty() { 0 } else { self.leaves().min(SUBTREES) };
        lists.gather(tasks, out, |task, list| self.between(tasks + task, other, 1, &mut |leaves| visit(leaves, list)));
    }

    /// Visits pairs of primitives of two leaves whose boxes overlap, or of one leaf with itself.
    pub fn between_leaves(&self, a: usize, other: &Tree<B>, b: usize, visit: &mut impl FnMut(u32, u32)) {
        let (range, others) = (self.leaf(a), other.leaf(b));
        let is_one = a == b && std::ptr::eq(self, other);
        for i in range {
            if !is_one && !self.boxes[i].overlaps(&other.nodes[other.leaves() + b]) {
                continue;
            }
            for j in if is_one { i + 1..others.end } else { others.clone() } {
                if self.boxes[i].overlaps(&other.boxes[j]) {
                    visit(self.order[i], other.order[j]);
                }
            }
        }
    }

    /// Visits pairs of leaves within a subtree.
    fn within(&self, root: usize, visit: &mut impl FnMut([usize; 2])) {
        let leaves = self.leaves();
        let mut stack = Stack::new(root);
        while let Some(node) = stack.pop() {
            if node < leaves {
                self.between(2 * node, self, 2 * node + 1, visit);
                stack.push(2 * node + 1);
                stack.push(2 * node);
                continue;
            }
            visit([node - leaves; 2]);
        }
    }

    /// Visits pairs of leaves of two subtrees.
    fn between(&self, root: usize, other: &Tree<B>, other_root: usize, visit: &mut impl FnMut([usize; 2])) {
        let [leaves, others] = [self.leaves(), other.leaves()];
        let mut stack = Stack::new((root, other_root));
        while let Some((a, b)) = stack.pop() {
            if !self.nodes[a].overlaps(&other.nodes[b]) {
                continue;
            }
            let (a_ends, b_ends) = (a >= leaves, b >= others);
            if a_ends && b_ends {
                visit([a - leaves, b - others]);
            } else if b_ends || !a_ends && leaves / (1 << a.ilog2()) >= others / (1 << b.ilog2()) {
                // The one with more leaves below is opened.
                stack.push((2 * a + 1, b));
                stack.push((2 * a, b));
            } else {
                stack.push((a, 2 * b + 1));
                stack.push((a, 2 * b));
            }
        }
    }

    /// Returns the number of leaves.
    pub fn leaves(&self) -> usize {
        self.nodes.len() / 2
    }

    /// Returns the positions of a leaf's primitives in [`Tree::order`].
    #[inline]
    pub fn leaf(&self, k: usize) -> std::ops::Range<usize> {
        leaf(self.len(), self.leaves(), k)
    }

    /// Returns the primitives, leaf by leaf.
    pub fn order(&self) -> &[u32] {
        &self.order
    }
}

impl Tree {
    /// Calls `visit` with each primitive whose box overlaps `bounds`.
    #[inline]
    pub fn visit(&self, bounds: &Bounds, mut visit: impl FnMut(u32)) {
        if self.is_empty() {
            return;
        }
        let leaves = self.leaves();
        let mut stack = Stack::new(1);
        while let Some(node) = stack.pop() {
            if !self.nodes[node].overlaps(bounds) {
                continue;
            }
            if node < leaves {
                stack.push(2 * node + 1);
                stack.push(2 * node);
                continue;
            }
            for k in leaf(self.len(), leaves, node - leaves) {
                if self.boxes[k].overlaps(bounds) {
                    visit(self.order[k]);
                }
            }
        }
    }

    /// Lists the primitives whose boxes overlap `bounds`, in ascending order.
    pub fn overlaps(&self, bounds: &Bounds, out: &mut Vec<u32>) {
        out.clear();
        self.visit(bounds, |i| out.push(i));
        out.sort_unstable();
    }

    /// Searches for the nearest primitive: `measure` returns the squared distance [m^2] of one. Primitives whose boxes
    /// are farther from `p` than the nearest so far, or than the square root of `within`, are skipped. Of equally near
    /// ones it returns the lowest; `None` if nothing is nearer than that.
    pub fn nearest(&self, p: Vec3, within: f64, mut measure: impl FnMut(u32) -> f64) -> Option<(u32, f64)> {
        let mut best: Option<(u32, f64)> = None;
        if self.is_empty() {
            return best;
        }
        let leaves = self.leaves();
        let mut bound = within;
        let mut stack = Stack::new(1);
        while let Some(node) = stack.pop() {
            if self.nodes[node].squared_distance(p) > bound {
                continue;
            }
            if node < leaves {
                let [a, b] = [2 * node, 2 * node + 1].map(|k| self.nodes[k].squared_distance(p));
                let nearer = 2 * node + usize::from(b < a);
                stack.push(nearer ^ 1);
                stack.push(nearer);
                continue;
            }
            for k in leaf(self.len(), leaves, node - leaves) {
                if self.boxes[k].squared_distance(p) <= bound {
                    let (i, d) = (self.order[k], measure(self.order[k]));
                    if d < bound || d == bound && best.is_none_or(|(j, _)| i < j) {
                        bound = d;
                        best = Some((i, d));
                    }
                }
            }
        }
        best
    }
}

/// Returns the positions of leaf `k` in the order of the primitives.
fn leaf(n: usize, leaves: usize, k: usize) -> std::ops::Range<usize> {
    k * n / leaves..(k + 1) * n / leaves
}

/// Orders the primitives of the leaves `first..end` of `leaves` in `order`.
fn split(order: &mut [u32], middles: &[Vec3], leaves: usize, [first, end]: [usize; 2]) {
    if end - first <= 1 {
        return;
    }
    let middle = (first + end) / 2;
    let start = |k: usize| leaf(middles.len(), leaves, k).start;
    let at = start(middle) - start(first);
    let around = Bounds::around(order.iter().map(|&i| middles[i as usize]));
    let sides: Vec3 = std::array::from_fn(|k| around.high[k] - around.low[k]);
    let axis = (0..3).fold(0, |axis, k| if sides[k] > sides[axis] { k } else { axis });
    if at < order.len() {
        // Ties are broken by index, so the order is unique.
        let key = |i: u32| middles[i as usize][axis];
        order.select_nth_unstable_by(at, |a, b| key(*a).total_cmp(&key(*b)).then(a.cmp(b)));
    }
    let large = order.len() > TASK;
    let (left, right) = order.split_at_mut(at);
    let mut halves = [(left, [first, middle]), (right, [middle, end])];
    if large {
        halves.par_iter_mut().for_each(|(half, range)| split(half, middles, leaves, *range));
    } else {
        halves.iter_mut().for_each(|(half, range)| split(half, middles, leaves, *range));
    }
}

/// Stack of nodes to visit. A search never stores more than one node per level.
struct Stack<T> {
    entries: [T; DEPTH],
    count: usize,
}

impl<T: Copy> Stack<T> {
    #[inline]
    fn new(first: T) -> Self {
        Stack { entries: [first; DEPTH], count: 1 }
    }

    #[inline]
    fn push(&mut self, entry: T) {
        self.entries[self.count] = entry;
        self.count += 1;
    }

    #[inline]
    fn pop(&mut self) -> Option<T> {
        self.count = self.count.checked_sub(1)?;
        Some(self.entries[self.count])
    }
}
