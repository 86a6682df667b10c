//! A tree of boxes over primitives, for overlaps and nearest primitives.
//!
//! Primitives are split at the median of their centroids along the longest side, at multiples of `LEAF`: the form of
//! the tree depends on their number alone, so its parts can be filled in parallel and are the same every time. Nodes
//! are stored depth first, the left child after its parent.

use numerics::mat3::{Vec3, add, dot, sub};
use rayon::prelude::*;

/// An axis-aligned box, [min, max] [m].
pub type Bounds = [Vec3; 2];

/// Limit of primitives per leaf.
const LEAF: usize = 4;
/// Leaves above which a subtree is built by two threads.
const PARALLEL: usize = 256;
/// Levels of the deepest tree: 2^32 leaves, and the nodes waiting beside the path to one.
const DEPTH: usize = 40;

/// A tree of boxes over primitives, identified by index.
pub struct Bvh {
    nodes: Vec<Node>,
    /// Primitives, leaf by leaf.
    order: Vec<u32>,
    /// Boxes of the primitives by index.
    boxes: Vec<Bounds>,
}

#[derive(Clone, Copy)]
struct Node {
    bounds: Bounds,
    /// For a leaf the first of its primitives in `order`, else the right child.
    next: u32,
    /// Primitives of a leaf; 0 for others.
    count: u32,
}

/// The empty box.
pub const EMPTY: Bounds = [[f64::INFINITY; 3], [f64::NEG_INFINITY; 3]];

/// Returns the box around two boxes.
pub fn union(a: &Bounds, b: &Bounds) -> Bounds {
    [std::array::from_fn(|k| a[0][k].min(b[0][k])), std::array::from_fn(|k| a[1][k].max(b[1][k]))]
}

/// Returns the box around points.
pub fn around(points: &[Vec3]) -> Bounds {
    points.iter().fold(EMPTY, |bounds, p| union(&bounds, &[*p, *p]))
}

/// Returns true if two boxes have a point in common.
pub fn overlap(a: &Bounds, b: &Bounds) -> bool {
    (0..3).all(|k| a[0][k] <= b[1][k] && b[0][k] <= a[1][k])
}

/// Returns the squared distance of a point from a box [m^2], 0 inside.
pub fn squared_distance(bounds: &Bounds, x: Vec3) -> f64 {
    let d: Vec3 = std::array::from_fn(|k| (bounds[0][k] - x[k]).max(x[k] - bounds[1][k]).max(0.0));
    dot(d, d)
}

impl Bvh {
    /// Builds the tree over primitives with these boxes, which must be finite.
    pub fn new(boxes: Vec<Bounds>) -> Bvh {
        let mut order: Vec<u32> = (0..boxes.len() as u32).collect();
        let leaves = boxes.len().div_ceil(LEAF);
        let mut nodes = vec![Node { bounds: EMPTY, next: 0, count: 0 }; (2 * leaves).saturating_sub(1)];
        if leaves > 0 {
            build(&mut nodes, &mut order, &boxes, 0, 0);
        }
        Bvh { nodes, order, boxes }
    }

    /// Returns the box around everything; [`EMPTY`] without primitives.
    pub fn bounds(&self) -> Bounds {
        self.nodes.first().map_or(EMPTY, |root| root.bounds)
    }

    /// Shows every primitive whose box, and the boxes around it, are wanted.
    pub fn visit(&self, wanted: impl FnMut(&Bounds) -> bool, mut show: impl FnMut(u32)) {
        self.any(wanted, |i| {
            show(i);
            false
        });
    }

    /// Returns true if `is` holds for any primitive whose box, and the boxes around it, are wanted; stops at the first.
    pub fn any(&self, mut wanted: impl FnMut(&Bounds) -> bool, mut is: impl FnMut(u32) -> bool) -> bool {
        let mut waiting = Vec::with_capacity(DEPTH);
        let mut next = if self.nodes.is_empty() { None } else { Some(0) };
        while let Some(at) = next {
            let node = &self.nodes[at];
            next = if !wanted(&node.bounds) {
                waiting.pop()
            } else if node.count > 0 {
                let leaf = &self.order[node.next as usize..(node.next + node.count) as usize];
                if leaf.iter().any(|&i| wanted(&self.boxes[i as usize]) && is(i)) {
                    return true;
                }
                waiting.pop()
            } else {
                waiting.push(node.next as usize);
                Some(at + 1)
            };
        }
        false
    }

    /// Returns the results of `test` for pairs of primitives whose boxes overlap, called with the lower index first; in
    /// the order of that index.
    pub fn pairs<T: Send>(&self, test: impl Fn(u32, u32) -> Option<T> + Sync) -> Vec<T> {
        (0..self.boxes.len() as u32)
            .into_par_iter()
            .flat_map_iter(|i| {
                let (own, mut found) = (&self.boxes[i as usize], Vec::new());
                self.visit(|bounds| overlap(own, bounds), |j| found.extend((i < j).then(|| test(i, j)).flatten()));
                found
            })
            .collect()
    }

    /// Finds the primitive nearest to `x` and its squared distance [m^2], if one is nearer than `bound` [m^2]; of
    /// equals the one of the lowest index. `distance` is the squared distance of a primitive from `x`, never below that
    /// of its box.
    pub fn nearest(&self, x: Vec3, bound: f64, mut distance: impl FnMut(u32) -> f64) -> Option<(u32, f64)> {
        let far = |at: usize| squared_distance(&self.nodes[at].bounds, x);
        let (mut best, mut found) = (bound, None);
        let mut waiting: Vec<(usize, f64)> = Vec::with_capacity(DEPTH);
        waiting.extend((!self.nodes.is_empty()).then(|| (0, far(0))));
        while let Some((at, d)) = waiting.pop() {
            // Equals are tested too, for the lowest index among them.
            if d > best {
                continue;
            }
            let node = &self.nodes[at];
            if node.count == 0 {
                let (left, right) = ((at + 1, far(at + 1)), (node.next as usize, far(node.next as usize)));
                // The nearer child goes on top.
                waiting.extend(if left.1 <= right.1 { [right, left] } else { [left, right] });
                continue;
            }
            for &i in &self.order[node.next as usize..(node.next + node.count) as usize] {
                if squared_distance(&self.boxes[i as usize], x) <= best {
                    let d = distance(i);
                    if d < best || d == best && found.is_some_and(|j| i < j) {
                        (best, found) = (d, Some(i));
                    }
                }
            }
        }
        found.map(|i| (i, best))
    }

    /// Summarises the part below each node: `leaf` for the primitives of a leaf, `join` for two children. By node, for
    /// [`Bvh::descend`].
    pub(crate) fn summaries<T>(&self, leaf: impl Fn(&[u32]) -> T, join: impl Fn(&T, &T) -> T) -> Vec<T> {
        // Children come after their parents, so from the back they are known before they are needed.
        let mut reversed: Vec<T> = Vec::with_capacity(self.nodes.len());
        let last = self.nodes.len().saturating_sub(1);
        for (at, node) in self.nodes.iter().enumerate().rev() {
            let summary = if node.count > 0 {
                leaf(&self.order[node.next as usize..(node.next + node.count) as usize])
            } else {
                join(&reversed[last - (at + 1)], &reversed[last - node.next as usize])
            };
            reversed.push(summary);
        }
        reversed.reverse();
        reversed
    }

    /// Descends below every node that `open` accepts, and shows the primitives of the leaves among them.
    pub(crate) fn descend(&self, mut open: impl FnMut(usize) -> bool, mut show: impl FnMut(u32)) {
        let mut waiting = Vec::with_capacity(DEPTH);
        waiting.extend((!self.nodes.is_empty()).then_some(0));
        while let Some(at) = waiting.pop() {
            let node = &self.nodes[at];
            if !open(at) {
                continue;
            }
            if node.count > 0 {
                self.order[node.next as usize..(node.next + node.count) as usize].iter().for_each(|&i| show(i));
            } else {
                waiting.extend([node.next as usize, at + 1]);
            }
        }
    }
}

/// Fills the nodes of a subtree: `at` is the index of its root, `first` that of its first primitive.
fn build(nodes: &mut [Node], order: &mut [u32], boxes: &[Bounds], at: usize, first: usize) {
    let bounds = order.iter().fold(EMPTY, |bounds, &i| union(&bounds, &boxes[i as usize]));
    let leaves = order.len().div_ceil(LEAF);
    if leaves == 1 {
        order.sort_unstable();
        nodes[0] = Node { bounds, next: first as u32, count: order.len() as u32 };
        return;
    }
    // Twice the centroid: only its order counts.
    let centre = |i: u32| add(boxes[i as usize][0], boxes[i as usize][1]);
    let [low, high] = order.iter().fold(EMPTY, |bounds, &i| union(&bounds, &[centre(i), centre(i)]));
    let side = sub(high, low);
    let axis = (1..3).fold(0, |widest, k| if side[k] > side[widest] { k } else { widest });
    let left = leaves.div_ceil(2);
    let middle = LEAF * left;
    order.select_nth_unstable_by(middle, |&i, &j| centre(i)[axis].total_cmp(&centre(j)[axis]).then(i.cmp(&j)));

    nodes[0] = Node { bounds, next: (at + 2 * left) as u32, count: 0 };
    let (left_nodes, right_nodes) = nodes[1..].split_at_mut(2 * left - 1);
    let (left_order, right_order) = order.split_at_mut(middle);
    let mut on_left = || build(left_nodes, left_order, boxes, at + 1, first);
    let mut on_right = || build(right_nodes, right_order, boxes, at + 2 * left, first + middle);
    if leaves > PARALLEL {
        rayon::join(on_left, on_right);
    } else {
        on_left();
        on_right();
    }
}
