//! Features of two primitives whose boxes overlap, and which of them touch.

use super::approach::{approach, combine};
use super::surface::{Moving, NONE, Primitive, Rings};
use super::{Kind, Reach, Touch};
use crate::{Sweep, Volume};
use numerics::mat3::{Vec3, add, dot, scale, sub};

/// Cosine between a touch and the triangle behind its edge above which that triangle is the one that touches.
const SLANT: f64 = 0.05;

/// The pair of two segments without triangles: the first edge of each.
pub(super) const SEGMENTS: usize = 6;

/// Returns the pairs of features that two primitives p and q own, as bits: corners of p with q itself, corners of q
/// with p itself, and 6 + 3 k + l for edge k of p and edge l of q.
#[inline(always)]
fn own(p: &Primitive, q: &Primitive) -> u32 {
    let corners = |p: &Primitive, face: &Primitive| if face.is_triangle { u32::from(p.vertices) } else { 0 };
    let edges = u32::from(p.edges);
    let spread = edges & 1 | (edges & 2) << 2 | (edges & 4) << 4;
    corners(p, q) | corners(q, p) << 3 | (spread * u32::from(q.edges)) << 6
}

/// Returns the pairs that have a node in common.
#[inline(always)]
fn common(p: &[u32; 3], q: &[u32; 3]) -> u32 {
    let row = |i: u32| u32::from(i == q[0]) | u32::from(i == q[1]) << 1 | u32::from(i == q[2]) << 2;
    let rows = [row(p[0]), row(p[1]), row(p[2])];
    // Edge l has corner l and the next.
    let edges = |row: u32| row | row >> 1 | (row << 2) & 4;
    let mut pairs = (rows[0] | rows[1] | rows[2]) << 3;
    for k in 0..3 {
        pairs |= u32::from(rows[k] != 0) << k;
        pairs |= edges(rows[k] | rows[(k + 1) % 3]) << (6 + 3 * k);
    }
    pairs
}

/// Calls `visit` with each pair of features that two primitives own, that has no node in common, and whose boxes overlap.
#[inline(always)]
pub(super) fn each(around: &[Sweep], [p, q]: [&Primitive; 2], mut visit: impl FnMut(usize)) {
    let mut pairs = own(p, q) & !common(&p.nodes, &q.nodes);
    if pairs != 0 {
        pairs &= near(around, &p.nodes, &q.nodes);
    }
    while pairs != 0 {
        visit(pairs.trailing_zeros() as usize);
        pairs &= pairs - 1;
    }
}

/// Returns the nodes of an edge, the lower first, so that a pair of edges has one name.
#[inline(always)]
fn ends((p, k): (&Primitive, usize)) -> [u32; 2] {
    let [a, b] = [p.nodes[k], p.nodes[(k + 1) % 3]];
    [a.min(b), a.max(b)]
}

/// Features of two primitives, by their pair.
#[derive(Clone, Copy)]
pub(super) enum Features<'a> {
    /// A vertex and a triangle.
    VertexTriangle(u32, &'a Primitive, &'a Rings),
    /// An edge of each of two primitives, the one of lower nodes first.
    EdgeEdge((&'a Primitive, usize), (&'a Primitive, usize)),
}

impl<'a> Features<'a> {
    /// Returns the features of a pair from [`each`].
    #[inline(always)]
    pub fn of(bit: usize, [p, q]: [&'a Primitive; 2], rings: &'a Rings) -> Features<'a> {
        match bit {
            0..3 => Features::VertexTriangle(p.nodes[bit], q, rings),
            3..6 => Features::VertexTriangle(q.nodes[bit - 3], p, rings),
            _ => {
                let (first, second) = ((p, (bit - 6) / 3), (q, (bit - 6) % 3));
                if ends(first) <= ends(second) {
                    Features::EdgeEdge(first, second)
                } else {
                    Features::EdgeEdge(second, first)
                }
            }
        }
    }

    /// Returns the kind and the nodes.
    #[inline(always)]
    pub fn nodes(&self) -> (Kind, [u32; 4]) {
        match *self {
            Features::VertexTriangle(vertex, face, _) => {
                let [b, c, d] = face.nodes;
                (Kind::VertexTriangle, [vertex, b, c, d])
            }
            Features::EdgeEdge(first, second) => {
                let ([a, b], [c, d]) = (ends(first), ends(second));
                (Kind::EdgeEdge, [a, b, c, d])
            }
        }
    }
}

/// Returns the pairs of features whose boxes overlap.
#[inline(always)]
fn near(around: &[Sweep], p: &[u32; 3], q: &[u32; 3]) -> u32 {
    let at = |i: u32| around[i as usize];
    let ([a, b, c], [d, e, f]) = ([at(p[0]), at(p[1]), at(p[2])], [at(q[0]), at(q[1]), at(q[2])]);
    let (ours, theirs) = ([a.union(&b), b.union(&c), c.union(&a)], [d.union(&e), e.union(&f), f.union(&d)]);
    let (us, them) = (ours[0].union(&c), theirs[0].union(&f));
    let bit = |meets: bool, k: usize| u32::from(meets) << k;
    let mut near = bit(a.meets(&them), 0) | bit(b.meets(&them), 1) | bit(c.meets(&them), 2);
    near |= bit(d.meets(&us), 3) | bit(e.meets(&us), 4) | bit(f.meets(&us), 5);
    for k in 0..3 {
        for l in 0..3 {
            near |= bit(ours[k].meets(&theirs[l]), 6 + 3 * k + l);
        }
    }
    near
}

/// A search in progress.
pub(super) struct Step<'a, K> {
    pub nodes: &'a [Moving],
    pub around: &'a [Sweep],
    pub reach: &'a Reach,
    pub keep: &'a K,
}

impl<K: Fn(Kind, [u32; 4]) -> bool> Step<'_, K> {
    /// Tests the features of two primitives whose boxes overlap.
    pub fn pair(&self, [p, q]: [&Primitive; 2], rings: [&Rings; 2], list: &mut Vec<Touch>) {
        each(self.around, [p, q], |bit| {
            list.extend(match bit {
                0..3 => self.vertex_triangle(p.nodes[bit], q, rings[1]),
                3..6 => self.vertex_triangle(q.nodes[bit - 3], p, rings[0]),
                _ => self.edge_edge((p, (bit - 6) / 3), (q, (bit - 6) % 3)),
            });
        });
    }

    /// Returns positions and displacements, unless a plane perpendicular to the line between the middle of one feature,
    /// of `n` nodes, and that of the other separates them by more than they move. That is cheaper than their distance,
    /// and holds for most neighbours.
    #[inline(always)]
    fn motion(&self, nodes: [u32; 4], n: usize) -> Option<([Vec3; 4], [Vec3; 4])> {
        // Loops: closures over arrays are not inlined here, and calls would cost more than their work.
        let mut x = [[0.0; 3]; 4];
        let mut u = [[0.0; 3]; 4];
        for k in 0..4 {
            let Moving { x: position, u: way } = &self.nodes[nodes[k] as usize];
            (x[k], u[k]) = (*position, *way);
        }
        let third = 1.0 / 3.0;
        let weights = if n == 1 { [1.0, -third, -third, -third] } else { [0.5, 0.5, -0.5, -0.5] };
        let mut d = [0.0; 3];
        for k in 0..4 {
            for c in 0..3 {
                d[c] += weights[k] * x[k][c];
            }
        }
        let fat = self.reach.thickness + self.reach.margin;
        let parts = |d: Vec3| parts(n, &x, &u, d, fat);
        // Edges side by side are separated by a plane along one of them.
        let along = |e: Vec3| sub(d, scale(dot(d, e) / dot(e, e), e));
        let edges = || parts(along(sub(x[1], x[0]))) || parts(along(sub(x[3], x[2])));
        if parts(d) || n == 2 && edges() { None } else { Some((x, u)) }
    }

    fn vertex_triangle(&self, vertex: u32, face: &Primitive, rings: &Rings) -> Option<Touch> {
        let features = Features::VertexTriangle(vertex, face, rings);
        let (kind, nodes) = features.nodes();
        let (x, u) = self.motion(nodes, 1)?;
        let (touch, when) = approach(kind, nodes, x, u, self.reach)?;
        (fits(self.nodes, &features, touch.weights, when) && (self.keep)(kind, nodes)).then_some(touch)
    }

    fn edge_edge(&self, p: (&Primitive, usize), q: (&Primitive, usize)) -> Option<Touch> {
        let (first, second) = if ends(p) <= ends(q) { (p, q) } else { (q, p) };
        let features = Features::EdgeEdge(first, second);
        let (kind, nodes) = features.nodes();
        let (x, u) = self.motion(nodes, 2)?;
        let (touch, when) = approach(kind, nodes, x, u, self.reach)?;
        (fits(self.nodes, &features, touch.weights, when) && (self.keep)(kind, nodes)).then_some(touch)
    }
}

/// Returns true if a plane across d separates the first `n` points from the others by more than `fat` [m], from the positions
/// `x` to the end of the displacements `u`.
#[inline(always)]
pub(super) fn parts(n: usize, x: &[Vec3; 4], u: &[Vec3; 4], d: Vec3, fat: f64) -> bool {
    // Along d, times its length: the first feature at its lowest, the second at its highest, and their approach.
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    let (mut first, mut second) = (f64::INFINITY, f64::NEG_INFINITY);
    for k in 0..4 {
        let (along, way) = (dot(x[k], d), dot(u[k], d));
        if k < n {
            (low, first) = (low.min(along), first.min(way));
        } else {
            (high, second) = (high.max(along), second.max(way));
        }
    }
    let gap = low - high - (second - first).max(0.0);
    gap > 0.0 && gap * gap > fat * fat * dot(d, d)
}

/// Returns the position of a node at a share of the step [m].
fn position(nodes: &[Moving], i: u32, when: f64) -> Vec3 {
    let Moving { x, u } = nodes[i as usize];
    add(x, scale(when, u))
}

fn positions(nodes: &[Moving], [a, b, c, d]: [u32; 4], when: f64) -> [Vec3; 4] {
    [position(nodes, a, when), position(nodes, b, when), position(nodes, c, when), position(nodes, d, when)]
}

/// Returns true if moving from a point towards a node leads nearer to another point, by more than a little.
fn slants(nodes: &[Moving], [from, to]: [Vec3; 2], node: u32, when: f64) -> bool {
    let (e, d) = (sub(position(nodes, node, when), from), sub(to, from));
    let along = dot(e, d);
    along > 0.0 && along * along > SLANT * SLANT * dot(e, e) * dot(d, d)
}

/// Returns true if the touch of two features, of these weights at a share of the step, belongs to them: no other pair has
/// it, and the triangles behind their edges do not come nearer.
pub(super) fn fits(moving: &[Moving], features: &Features, w: [f64; 4], when: f64) -> bool {
    let (_, nodes) = features.nodes();
    match *features {
        Features::VertexTriangle(vertex, face, rings) => {
            let touching = |k: usize| w[k + 1] != 0.0;
            match (0..3).filter(|&k| touching(k)).count() {
                3 => true,
                2 => {
                    // The edge across from corner k goes from the next one to the one after.
                    let edge = (0..3).find(|&k| !touching(k)).map_or(0, |k| (k + 1) % 3);
                    let [_, s, t, r] = w;
                    let points = positions(moving, nodes, when);
                    let way = [combine([0.0, -s, -t, -r], points), points[0]];
                    let behind = face.behind[edge];
                    face.edges >> edge & 1 == 1 && (behind == NONE || !slants(moving, way, behind, when))
                }
                _ => {
                    let corner = (0..3).find(|&k| touching(k)).unwrap_or(0);
                    let node = face.nodes[corner];
                    let way = [position(moving, node, when), position(moving, vertex, when)];
                    let mut around = rings.around(node).iter();
                    face.vertices >> corner & 1 == 1 && !around.any(|&i| slants(moving, way, i, when))
                }
            }
        }
        Features::EdgeEdge(first, second) => {
            // The end of an edge that touches a triangle's edge is a vertex that touches the triangle.
            let ends_at = |k: usize| w[k] == 0.0 || w[k + 1] == 0.0;
            if ends_at(0) && second.0.is_triangle || ends_at(2) && first.0.is_triangle {
                return false;
            }
            let points = positions(moving, nodes, when);
            let one = combine([w[0], w[1], 0.0, 0.0], points);
            let two = combine([0.0, 0.0, -w[2], -w[3]], points);
            let slanted = |(p, k): (&Primitive, usize), way: [Vec3; 2]| {
                let third = if p.is_triangle { p.nodes[(k + 2) % 3] } else { NONE };
                [third, p.behind[k]].into_iter().any(|i| i != NONE && slants(moving, way, i, when))
            };
            !slanted(first, [one, two]) && !slanted(second, [two, one])
        }
    }
}
