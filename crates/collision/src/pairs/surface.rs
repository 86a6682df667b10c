//! Triangles, edges and points as the primitives of one tree.

use super::bundles::{self, Bundle};
use super::candidates::Candidate;
use super::features::{Features, SEGMENTS, Step, each};
use super::{Kind, Reach, Touch};
use crate::{Lists, Sweep, Tree, Volume};
use numerics::mat3::{Vec3, sub};
use rayon::prelude::*;

/// Mark for no node.
pub(super) const NONE: u32 = u32::MAX;
/// Least nodes per task.
const NODES_A_TASK: usize = 1 << 12;
/// Least leaves per task.
const BUNDLES_PER_TASK: usize = 256;

/// A primitive and the features it owns.
#[derive(Debug, Clone, Copy)]
pub(super) struct Primitive {
    /// Nodes; an edge is a, b, b and a point a, a, a.
    pub nodes: [u32; 3],
    /// For each edge, from corner k to the next, the corner behind it, of the next triangle.
    pub behind: [u32; 3],
    /// Corners it owns, as bits.
    pub vertices: u8,
    /// Edges it owns, as bits.
    pub edges: u8,
    pub is_triangle: bool,
}

impl Primitive {
    /// Returns true if it is an edge of no triangle.
    pub fn is_segment(&self) -> bool {
        !self.is_triangle && self.edges == 1
    }
}

/// Nodes beside each node: those of node i are `beside[starts[i]..starts[i + 1]]`.
#[derive(Debug, Clone, Default)]
pub(super) struct Rings {
    starts: Vec<u32>,
    beside: Vec<u32>,
}

impl Rings {
    pub fn around(&self, i: u32) -> &[u32] {
        let i = i as usize;
        &self.beside[self.starts[i] as usize..self.starts[i + 1] as usize]
    }
}

/// Triangles, and edges and points without a triangle, with the tree over them.
#[derive(Debug, Clone, Default)]
pub struct CollisionSurface {
    primitives: Vec<Primitive>,
    rings: Rings,
    tree: Tree<Sweep>,
    lists: Lists<Touch>,
    /// Upper bound of the node numbers.
    size: usize,
    nodes: Vec<Moving>,
    /// Boxes around the moving nodes, enlarged by half the reach on each side.
    around: Vec<Sweep>,
    /// Body of each node, if only pairs of two bodies count; empty otherwise.
    bodies: Vec<u32>,
    /// Most primitives are segments.
    is_stringy: bool,
    /// Bundles of segments, one per leaf, if most primitives are segments.
    bundles: Vec<Bundle>,
}

/// A moving node.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Moving {
    /// Position [m].
    pub x: Vec3,
    /// Displacement [m].
    pub u: Vec3,
}

impl CollisionSurface {
    /// Makes a surface of triangles, edges and points, by their nodes. Edges and points of triangles are not needed:
    /// features that belong to something else already are left out, and so are triangles and edges that name a node
    /// twice.
    pub fn new(triangles: &[[u32; 3]], edges: &[[u32; 2]], points: &[u32]) -> Self {
        let whole = triangles.iter().filter(|[a, b, c]| a != b && b != c && c != a).copied();
        let mut all: Vec<[u32; 3]> = whole.collect();
        let count = all.len();
        all.extend(edges.iter().filter(|[a, b]| a != b).map(|&[a, b]| [a, b, b]));
        all.extend(points.iter().map(|&a| [a, a, a]));
        let mut primitives: Vec<Primitive> = all
            .iter()
            .enumerate()
            .map(|(i, &nodes)| Primitive { nodes, behind: [NONE; 3], vertices: 0, edges: 0, is_triangle: i < count })
            .collect();
        let size = all.iter().flatten().max().map_or(0, |&i| i as usize + 1);
        own_vertices(&mut primitives, size);
        let rings = own_edges(&mut primitives, size);
        primitives.retain(|p| p.is_triangle || p.vertices != 0 || p.edges != 0);
        let is_stringy = 2 * primitives.iter().filter(|p| p.is_segment()).count() > primitives.len();
        CollisionSurface { primitives, rings, size, is_stringy, ..CollisionSurface::default() }
    }

    /// Leaves out pairs within a body; `bodies` has the body of each node.
    pub fn between_bodies(self, bodies: &[u32]) -> Self {
        CollisionSurface { bodies: bodies.to_vec(), ..self }
    }

    /// Fills `out` with the pairs of features of this surface that may touch while the nodes move from `now` to
    /// `predicted`, three coordinates per node [m], if `keep` accepts them; sorted by kind and nodes. Features with a
    /// common node are not pairs.
    pub fn touches(
        &mut self,
        now: &[f64],
        predicted: &[f64],
        reach: &Reach,
        keep: impl Fn(Kind, [u32; 4]) -> bool + Sync,
        out: &mut Vec<Touch>,
    ) {
        self.foresee(now, predicted, self.size, reach.thickness + reach.margin);
        let CollisionSurface { primitives, tree, lists, rings, nodes, around, .. } = self;
        fit(tree, primitives, around);
        let step = Step { nodes, around, reach, keep: &keep };
        tree.visit_self_pairs(lists, out, |i, j, list| {
            step.pair([&primitives[i as usize], &primitives[j as usize]], [rings, rings], list);
        });
        sort(out);
    }

    /// [`CollisionSurface::touches`] for features of this surface and those of another, of the same nodes.
    pub fn touches_with(
        &mut self,
        other: &mut CollisionSurface,
        now: &[f64],
        predicted: &[f64],
        reach: &Reach,
        keep: impl Fn(Kind, [u32; 4]) -> bool + Sync,
        out: &mut Vec<Touch>,
    ) {
        self.foresee(now, predicted, self.size.max(other.size), reach.thickness + reach.margin);
        let CollisionSurface { primitives, tree, lists, rings, nodes, around, .. } = self;
        fit(tree, primitives, around);
        fit(&mut other.tree, &other.primitives, around);
        let step = Step { nodes, around, reach, keep: &keep };
        tree.visit_pairs(&other.tree, lists, out, |i, j, list| {
            step.pair([&primitives[i as usize], &other.primitives[j as usize]], [rings, &other.rings], list);
        });
        sort(out);
    }

    /// Visits all pairs of features that may come within `reach` [m] while the nodes move from `now` to `predicted`, each
    /// with a list for its results, which are joined in `out` in an order that depends on the tree alone. Features with a
    /// common node are not pairs.
    ///
    /// With `stale`, a mark per node, only pairs with a feature of a marked node are visited. Then the other nodes must move as in the
    /// last call, and the reach must be the same.
    pub fn visit_candidates<T: Copy + Send + Sync>(
        &mut self,
        [now, predicted]: [&[f64]; 2],
        reach: f64,
        stale: Option<&[bool]>,
        lists: &mut Lists<T>,
        out: &mut Vec<T>,
        visit: impl Fn(&Candidate, &mut Vec<T>) + Sync,
    ) {
        let stale = stale.filter(|_| self.tree.len() == self.primitives.len() && self.nodes.len() == self.size);
        let stale_leaves = match stale {
            Some(stale) => self.renew([now, predicted], reach, stale),
            None => {
                self.foresee(now, predicted, self.size, reach);
                self.rebuild();
                Vec::new()
            }
        };
        let CollisionSurface { primitives, tree, rings, nodes, around, bodies, is_stringy, bundles, .. } = self;
        let order = tree.order();
        let is_stale = |p: &Primitive| stale.is_none_or(|stale| p.nodes.iter().any(|&i| stale[i as usize]));
        let features = |[i, j]: [u32; 2], list: &mut Vec<T>| {
            let both = [&primitives[i as usize], &primitives[j as usize]];
            if both.iter().any(|p| is_stale(p)) {
                each(around, both, |bit| visit(&Candidate::new(nodes, Features::of(bit, both, rings)), list));
            }
        };
        let segments = |[i, j]: [u32; 2], list: &mut Vec<T>| {
            let both = [&primitives[i as usize], &primitives[j as usize]];
            let [[a, b, _], [c, d, _]] = both.map(|p| p.nodes);
            let is_one = bodies.get(a as usize).is_some_and(|body| *body == bodies[c as usize]);
            if !is_one && a != c && a != d && b != c && b != d && both.iter().any(|p| is_stale(p)) {
                visit(&Candidate::new(nodes, Features::of(SEGMENTS, both, rings)), list);
            }
        };
        let leaves = |[k, l]: [usize; 2], list: &mut Vec<T>| {
            if !*is_stringy || !bundles[k].is_whole() || !bundles[l].is_whole() {
                tree.between_leaves(k, tree, l, &mut |i, j| features([i.min(j), i.max(j)], list));
                return;
            }
            let (first, second) = (&order[tree.leaf(k)], &order[tree.leaf(l)]);
            match k == l {
                true => bundles[k].each_near_within(reach, |i, j| segments([first[i], first[j]], list)),
                false => bundles[k].each_near(&bundles[l], reach, |i, j| segments([first[i], second[j]], list)),
            }
        };
        match stale {
            Some(_) => tree.visit_leaves_of(&stale_leaves, lists, out, leaves),
            None => tree.visit_self_leaves(lists, out, leaves),
        }
    }

    /// Fits the tree to the boxes of all nodes.
    fn rebuild(&mut self) {
        let CollisionSurface { primitives, tree, nodes, around, is_stringy, bundles, .. } = self;
        if !*is_stringy {
            fit(tree, primitives, around);
            return;
        }
        // Hair that moves loses its order soon: a new tree costs less than boxes that overlap.
        *tree = Tree::with_leaves_of(bundles::MOST, &boxes(primitives, around));
        let order = tree.order();
        let bundle = |k: usize| Bundle::new(&order[tree.leaf(k)], primitives, nodes);
        (0..tree.leaves()).into_par_iter().with_min_len(BUNDLES_PER_TASK).map(bundle).collect_into_vec(bundles);
    }

    /// Takes new motions of the marked nodes; returns the leaves that have them, ascending.
    fn renew(&mut self, [now, predicted]: [&[f64]; 2], reach: f64, stale: &[bool]) -> Vec<usize> {
        let CollisionSurface { primitives, tree, nodes, around, bodies, is_stringy, bundles, .. } = self;
        let (now, predicted) = (now.as_chunks::<3>().0, predicted.as_chunks::<3>().0);
        for i in (0..nodes.len()).filter(|&i| stale[i]) {
            let (x, y) = (now[i], predicted[i]);
            nodes[i] = Moving { x, u: sub(y, x) };
            around[i] = Sweep::of_point([x, y], 0.5 * reach, bodies.get(i).copied());
        }
        let is_stale = |i: &u32| primitives[*i as usize].nodes.iter().any(|&i| stale[i as usize]);
        let some: Vec<usize> = (0..tree.leaves())
            .into_par_iter()
            .with_min_len(BUNDLES_PER_TASK)
            .filter(|&k| tree.order()[tree.leaf(k)].iter().any(is_stale))
            .collect();
        tree.refit_leaves(&some, |i| bounds(&primitives[i], around));
        if *is_stringy {
            some.iter().for_each(|&k| bundles[k] = Bundle::new(&tree.order()[tree.leaf(k)], primitives, nodes));
        }
        some
    }

    /// Computes the positions of the first `size` nodes, their motion, and the boxes around them, for pairs that come
    /// within `reach` [m].
    fn foresee(&mut self, now: &[f64], predicted: &[f64], size: usize, reach: f64) {
        let (now, predicted) = (&now.as_chunks::<3>().0[..size], &predicted.as_chunks::<3>().0[..size]);
        let fat = 0.5 * reach;
        let CollisionSurface { nodes, around, bodies, .. } = self;
        nodes.resize(size, Moving::default());
        around.resize(size, Sweep::EMPTY);
        let nodes = nodes.par_iter_mut().zip(around).with_min_len(NODES_A_TASK).enumerate();
        nodes.zip(now.par_iter().zip(predicted)).for_each(|((i, (node, around)), (x, y))| {
            *node = Moving { x: *x, u: sub(*y, *x) };
            *around = Sweep::of_point([*x, *y], fat, bodies.get(i).copied());
        });
    }
}

/// Computes boxes around the motion of primitives, from those of nodes.
fn fit(tree: &mut Tree<Sweep>, primitives: &[Primitive], around: &[Sweep]) {
    if tree.len() == primitives.len() {
        tree.refit_with(|i| bounds(&primitives[i], around));
    } else {
        *tree = Tree::new(&boxes(primitives, around));
    }
}

fn boxes(primitives: &[Primitive], around: &[Sweep]) -> Vec<Sweep> {
    primitives.par_iter().map(|p| bounds(p, around)).collect()
}

fn bounds(primitive: &Primitive, around: &[Sweep]) -> Sweep {
    let [a, b, c] = primitive.nodes;
    around[a as usize].union(&around[b as usize]).union(&around[c as usize])
}

/// Sorts touches: the order does not depend on the tree, and so not on when it was built.
fn sort(out: &mut [Touch]) {
    out.par_sort_unstable_by_key(|touch| (touch.kind, touch.nodes));
}

/// Assigns each node to the first primitive that has it.
fn own_vertices(primitives: &mut [Primitive], size: usize) {
    let mut owned = vec![false; size];
    for p in primitives {
        for k in 0..3 {
            p.vertices |= u8::from(!std::mem::replace(&mut owned[p.nodes[k] as usize], true)) << k;
        }
    }
}

/// Assigns each edge to the first primitive that has it; also finds the corner behind it, and the nodes beside each
/// node.
fn own_edges(primitives: &mut [Primitive], size: usize) -> Rings {
    let mut sides: Vec<([u32; 2], u32, u8)> = Vec::with_capacity(3 * primitives.len());
    for (i, p) in primitives.iter().enumerate() {
        for k in 0..if p.is_triangle { 3 } else { 1 } {
            let [a, b] = [p.nodes[k], p.nodes[(k + 1) % 3]];
            if a != b {
                sides.push(([a.min(b), a.max(b)], i as u32, k as u8));
            }
        }
    }
    sides.sort_unstable();
    let mut starts = vec![0u32; size + 1];
    for edge in sides.chunk_by(|a, b| a.0 == b.0) {
        edge[0].0.iter().for_each(|&i| starts[i as usize + 1] += 1);
        primitives[edge[0].1 as usize].edges |= 1 << edge[0].2;
        let third = |(_, i, k): &([u32; 2], u32, u8)| {
            let p = &primitives[*i as usize];
            if p.is_triangle { p.nodes[(*k as usize + 2) % 3] } else { NONE }
        };
        if let [a, b] = edge {
            let (of_a, of_b) = (third(a), third(b));
            primitives[a.1 as usize].behind[a.2 as usize] = of_b;
            primitives[b.1 as usize].behind[b.2 as usize] = of_a;
        }
    }
    for i in 0..size {
        starts[i + 1] += starts[i];
    }
    let mut beside = vec![0; starts[size] as usize];
    let mut next = starts.clone();
    for edge in sides.chunk_by(|a, b| a.0 == b.0) {
        let [a, b] = edge[0].0;
        for (from, to) in [(a, b), (b, a)] {
            beside[next[from as usize] as usize] = to;
            next[from as usize] += 1;
        }
    }
    Rings { starts, beside }
}
