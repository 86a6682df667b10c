//! Triangles, edges and points as the primitives of one tree.

use super::approach::{approach, combine};
use super::{Kind, Reach, Touch};
use crate::{Bounds, Lists, Tree};
use numerics::mat3::{Vec3, add, dot, scale, sub};
use rayon::prelude::*;

/// No node.
const NONE: u32 = u32::MAX;
/// Fewer nodes than this are not worth a task.
const NODES_A_TASK: usize = 1 << 12;
/// Cosine between a touch and the triangle behind the edge where it is, above which that triangle is what touches.
const SLANT: f64 = 0.05;

/// What a primitive is and what belongs to it.
#[derive(Debug, Clone, Copy)]
struct Primitive {
    /// Its nodes; an edge is a, b, b and a point a, a, a.
    nodes: [u32; 3],
    /// For each edge, from corner k to the next, the corner behind it, of the next triangle.
    behind: [u32; 3],
    /// Which corners are its own.
    vertices: [bool; 3],
    /// Which edges are its own.
    edges: [bool; 3],
    is_triangle: bool,
}

/// The nodes beside each node: those of node i are `beside[starts[i]..starts[i + 1]]`.
#[derive(Debug, Clone, Default)]
struct Rings {
    starts: Vec<u32>,
    beside: Vec<u32>,
}

impl Rings {
    fn around(&self, i: u32) -> &[u32] {
        let i = i as usize;
        &self.beside[self.starts[i] as usize..self.starts[i + 1] as usize]
    }
}

/// Triangles, and edges and points that are of no triangle, with the tree over them.
#[derive(Debug, Clone, Default)]
pub struct Surface {
    primitives: Vec<Primitive>,
    rings: Rings,
    tree: Tree,
    lists: Lists<Touch>,
    /// Nodes that primitives name are below.
    size: usize,
    nodes: Vec<Moving>,
}

/// A node on its way.
#[derive(Debug, Clone, Copy, Default)]
struct Moving {
    /// Where it is [m].
    x: Vec3,
    /// How far it goes, less what all go in the mean [m].
    u: Vec3,
}

impl Surface {
    /// A surface of triangles, of edges and of points, by their nodes. Edges and points of triangles are not needed: what
    /// belongs to something else already is left out, and so are triangles and edges that name a node twice.
    pub fn new(triangles: &[[u32; 3]], edges: &[[u32; 2]], points: &[u32]) -> Self {
        let whole = triangles.iter().filter(|[a, b, c]| a != b && b != c && c != a).copied();
        let mut all: Vec<[u32; 3]> = whole.collect();
        let count = all.len();
        all.extend(edges.iter().filter(|[a, b]| a != b).map(|&[a, b]| [a, b, b]));
        all.extend(points.iter().map(|&a| [a, a, a]));
        let mut primitives: Vec<Primitive> = all
            .iter()
            .enumerate()
            .map(|(i, &nodes)| Primitive {
                nodes,
                behind: [NONE; 3],
                vertices: [false; 3],
                edges: [false; 3],
                is_triangle: i < count,
            })
            .collect();
        let size = all.iter().flatten().max().map_or(0, |&i| i as usize + 1);
        own_vertices(&mut primitives, size);
        let rings = own_edges(&mut primitives, size);
        primitives.retain(|p| p.is_triangle || p.vertices.contains(&true) || p.edges.contains(&true));
        Surface { primitives, rings, tree: Tree::default(), lists: Lists::default(), size, nodes: Vec::new() }
    }

    /// The box around all of it, with the motion and the reach of the last search [m].
    pub fn bounds(&self) -> Bounds {
        self.tree.bounds()
    }

    /// Forgets the tree, so that the next search builds it from scratch: after large motions of parts past each other
    /// searches are faster then. What they find is the same.
    pub fn rebuild(&mut self) {
        self.tree = Tree::default();
    }

    /// Fills `out` with the pairs of features of this surface that may touch while the nodes move from `now` to `predicted`,
    /// three coordinates a node [m], as far as `keep` wants them; sorted by kind and nodes. Features with a node in common
    /// are no pairs.
    pub fn touches(
        &mut self,
        now: &[f64],
        predicted: &[f64],
        reach: &Reach,
        keep: impl Fn(Kind, [u32; 4]) -> bool + Sync,
        out: &mut Vec<Touch>,
    ) {
        self.foresee(now, predicted, self.size);
        self.fit(None, reach);
        let Surface { primitives, tree, lists, rings, nodes, .. } = self;
        let step = Step { nodes, reach, keep: &keep };
        tree.visit_self_pairs(lists, out, |i, j, list| {
            step.pair([&primitives[i as usize], &primitives[j as usize]], [rings, rings], list);
        });
        sort(out);
    }

    /// [`Surface::touches`] of features of this surface with those of another, of the same nodes.
    pub fn touches_with(
        &mut self,
        other: &mut Surface,
        now: &[f64],
        predicted: &[f64],
        reach: &Reach,
        keep: impl Fn(Kind, [u32; 4]) -> bool + Sync,
        out: &mut Vec<Touch>,
    ) {
        self.foresee(now, predicted, self.size.max(other.size));
        self.fit(None, reach);
        other.fit(Some(&self.nodes), reach);
        let Surface { primitives, tree, lists, rings, nodes, .. } = self;
        let step = Step { nodes, reach, keep: &keep };
        tree.visit_pairs(&other.tree, lists, out, |i, j, list| {
            step.pair([&primitives[i as usize], &other.primitives[j as usize]], [rings, &other.rings], list);
        });
        sort(out);
    }

    /// Where the first `size` nodes are and how they move relative to the mean of them: what falls as a whole touches
    /// nothing of itself by falling.
    fn foresee(&mut self, now: &[f64], predicted: &[f64], size: usize) {
        let (now, predicted) = (&now.as_chunks::<3>().0[..size], &predicted.as_chunks::<3>().0[..size]);
        let sum = now.iter().zip(predicted).fold([0.0; 3], |sum, (x, y)| add(sum, sub(*y, *x)));
        let mean = scale(1.0 / size.max(1) as f64, sum);
        let mean = if mean.iter().all(|c| c.is_finite()) { mean } else { [0.0; 3] };
        self.nodes.resize(size, Moving::default());
        let nodes = self.nodes.par_iter_mut().with_min_len(NODES_A_TASK);
        nodes.zip(now.par_iter().zip(predicted)).for_each(|(node, (x, y))| {
            *node = Moving { x: *x, u: sub(sub(*y, *x), mean) };
        });
    }

    /// Boxes around the motion of these nodes, or its own; half the reach on each side.
    fn fit(&mut self, nodes: Option<&[Moving]>, reach: &Reach) {
        let fat = 0.5 * (reach.thickness + reach.margin);
        let Surface { primitives, tree, .. } = self;
        let nodes = nodes.unwrap_or(&self.nodes);
        let bounds = |i: usize| {
            let mut around = Bounds::EMPTY;
            for k in 0..3 {
                let Moving { x, u } = &nodes[primitives[i].nodes[k] as usize];
                for c in 0..3 {
                    let (now, then) = (x[c], x[c] + u[c]);
                    around.low[c] = around.low[c].min(now).min(then);
                    around.high[c] = around.high[c].max(now).max(then);
                }
            }
            around.fattened(fat)
        };
        if tree.len() == primitives.len() {
            tree.refit_with(bounds);
        } else {
            *tree = Tree::new(&(0..primitives.len()).into_par_iter().map(bounds).collect::<Vec<_>>());
        }
    }
}

/// The order does not depend on the tree, and so not on when it was built.
fn sort(out: &mut [Touch]) {
    out.par_sort_unstable_by_key(|touch| (touch.kind, touch.nodes));
}

/// Each node belongs to the first primitive that has it.
fn own_vertices(primitives: &mut [Primitive], size: usize) {
    let mut owned = vec![false; size];
    for p in primitives {
        for k in 0..3 {
            p.vertices[k] = !std::mem::replace(&mut owned[p.nodes[k] as usize], true);
        }
    }
}

/// Each edge belongs to the first primitive that has it; also finds what is behind it, and the nodes beside each node.
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
        primitives[edge[0].1 as usize].edges[edge[0].2 as usize] = true;
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

/// A search under way.
struct Step<'a, K> {
    nodes: &'a [Moving],
    reach: &'a Reach,
    keep: &'a K,
}

impl<K: Fn(Kind, [u32; 4]) -> bool> Step<'_, K> {
    /// The features of two primitives whose boxes overlap.
    fn pair(&self, [p, q]: [&Primitive; 2], rings: [&Rings; 2], list: &mut Vec<Touch>) {
        for (vertices, face, rings) in [(p, q, rings[1]), (q, p, rings[0])] {
            if !face.is_triangle {
                continue;
            }
            for k in (0..3).filter(|&k| vertices.vertices[k]) {
                let vertex = vertices.nodes[k];
                if !face.nodes.contains(&vertex) {
                    list.extend(self.vertex_triangle(vertex, face, rings));
                }
            }
        }
        for k in 0..3 {
            if !p.edges[k] {
                continue;
            }
            let [a, b] = [p.nodes[k], p.nodes[(k + 1) % 3]];
            for l in 0..3 {
                let [c, d] = [q.nodes[l], q.nodes[(l + 1) % 3]];
                if q.edges[l] && a != c && a != d && b != c && b != d {
                    list.extend(self.edge_edge((p, k), (q, l)));
                }
            }
        }
    }

    /// Positions and displacements, unless a plane across the way from the middle of one feature, of `n` nodes, to that of
    /// the other parts them by more than they move. That is cheaper than their distance, and true of most neighbours.
    #[inline(always)]
    fn motion(&self, nodes: [u32; 4], n: usize) -> Option<([Vec3; 4], [Vec3; 4])> {
        // Loops: closures over arrays are calls here, which cost more than what they do.
        let mut x = [[0.0; 3]; 4];
        let mut u = [[0.0; 3]; 4];
        for k in 0..4 {
            let Moving { x: place, u: way } = &self.nodes[nodes[k] as usize];
            (x[k], u[k]) = (*place, *way);
        }
        let third = 1.0 / 3.0;
        let weights = if n == 1 { [1.0, -third, -third, -third] } else { [0.5, 0.5, -0.5, -0.5] };
        let mut d = [0.0; 3];
        for k in 0..4 {
            for c in 0..3 {
                d[c] += weights[k] * x[k][c];
            }
        }
        // Along d, times its length: the first feature at its lowest, the second at its highest, and how far they come nearer.
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        let (mut first, mut second) = (f64::INFINITY, f64::NEG_INFINITY);
        for k in 0..4 {
            let (place, way) = (dot(x[k], d), dot(u[k], d));
            if k < n {
                (low, first) = (low.min(place), first.min(way));
            } else {
                (high, second) = (high.max(place), second.max(way));
            }
        }
        let gap = low - high - (second - first).max(0.0);
        let fat = self.reach.thickness + self.reach.margin;
        let parted = gap > 0.0 && gap * gap > fat * fat * dot(d, d);
        if parted { None } else { Some((x, u)) }
    }

    /// Where a node is at a share of the step, relative to the mean of all [m].
    fn place(&self, i: u32, when: f64) -> Vec3 {
        let Moving { x, u } = self.nodes[i as usize];
        add(x, scale(when, u))
    }

    /// Whether going from a point towards a node leads nearer to another point, by more than a little.
    fn slants(&self, [from, to]: [Vec3; 2], node: u32, when: f64) -> bool {
        let (e, d) = (sub(self.place(node, when), from), sub(to, from));
        let along = dot(e, d);
        along > 0.0 && along * along > SLANT * SLANT * dot(e, e) * dot(d, d)
    }

    fn vertex_triangle(&self, vertex: u32, face: &Primitive, rings: &Rings) -> Option<Touch> {
        let [b, c, d] = face.nodes;
        let nodes = [vertex, b, c, d];
        let (x, u) = self.motion(nodes, 1)?;
        let (touch, when) = approach(Kind::VertexTriangle, nodes, x, u, self.reach)?;
        let touching = |k: usize| touch.weights[k + 1] != 0.0;
        let fits = match (0..3).filter(|&k| touching(k)).count() {
            3 => true,
            2 => {
                // The edge across from corner k goes from the next one to the one after.
                let edge = (0..3).find(|&k| !touching(k)).map_or(0, |k| (k + 1) % 3);
                let [_, s, t, r] = touch.weights;
                let points = nodes.map(|i| self.place(i, when));
                let way = [combine([0.0, -s, -t, -r], points), points[0]];
                let behind = face.behind[edge];
                face.edges[edge] && (behind == NONE || !self.slants(way, behind, when))
            }
            _ => {
                let corner = (0..3).find(|&k| touching(k)).unwrap_or(0);
                let node = face.nodes[corner];
                let way = [self.place(node, when), self.place(vertex, when)];
                face.vertices[corner] && !rings.around(node).iter().any(|&i| self.slants(way, i, when))
            }
        };
        (fits && (self.keep)(touch.kind, nodes)).then_some(touch)
    }

    fn edge_edge(&self, p: (&Primitive, usize), q: (&Primitive, usize)) -> Option<Touch> {
        let ends = |(p, k): (&Primitive, usize)| {
            let [a, b] = [p.nodes[k], p.nodes[(k + 1) % 3]];
            [a.min(b), a.max(b)]
        };
        let (first, second) = if ends(p) <= ends(q) { (p, q) } else { (q, p) };
        let ([a, b], [c, d]) = (ends(first), ends(second));
        let nodes = [a, b, c, d];
        let (x, u) = self.motion(nodes, 2)?;
        let (touch, when) = approach(Kind::EdgeEdge, nodes, x, u, self.reach)?;
        let w = touch.weights;
        // The end of an edge that touches a triangle's edge is a vertex that touches the triangle.
        let ends_at = |k: usize| w[k] == 0.0 || w[k + 1] == 0.0;
        if ends_at(0) && second.0.is_triangle || ends_at(2) && first.0.is_triangle {
            return None;
        }
        let points = nodes.map(|i| self.place(i, when));
        let one = combine([w[0], w[1], 0.0, 0.0], points);
        let two = combine([0.0, 0.0, -w[2], -w[3]], points);
        let slants = |(p, k): (&Primitive, usize), way: [Vec3; 2]| {
            let third = if p.is_triangle { p.nodes[(k + 2) % 3] } else { NONE };
            [third, p.behind[k]].into_iter().any(|i| i != NONE && self.slants(way, i, when))
        };
        let slanted = slants(first, [one, two]) || slants(second, [two, one]);
        (!slanted && (self.keep)(touch.kind, nodes)).then_some(touch)
    }
}
