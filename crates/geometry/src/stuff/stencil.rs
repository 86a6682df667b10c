//! Rest of a finest BCC tet inside the surface.
//!
//! After warping each vertex is inside, on the surface or outside, and each edge from inside to outside has a cut point.
//! With one vertex inside, a tet is left; with more and some outside, a pyramid or a prism whose quadrilaterals lie on
//! faces of the lattice. Such a quadrilateral, inner vertices u and v, outer w, is divided by a rule that depends on the
//! face alone, so that neighbours agree (Labelle & Shewchuk 2007):
//! - where one of the cut edges u w, v w is long, by the diagonal that ends at the cut of the long edge;
//! - where both are short, by the parity rule: from u if an even number of its coordinates are above those of w.
//!
//! The first keeps prisms with three such faces from being divided in a cycle.

use super::{background::Background, cut::Cuts, morton::decode};

/// A corner of the result: a vertex of the lattice below their number, then the cut points.
type Corner = u32;

/// Makes the tets inside, for a lattice with its cuts.
pub(super) struct Stencils<'a> {
    pub(super) background: &'a Background,
    pub(super) cuts: &'a Cuts,
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Inside,
    On,
    Outside,
}

impl Stencils<'_> {
    fn side(&self, node: u32) -> Side {
        let value = self.background.values[node as usize];
        match self.cuts.moved[node as usize] {
            None if value < 0.0 => Side::Inside,
            None if value > 0.0 => Side::Outside,
            _ => Side::On,
        }
    }

    /// Returns true if a vertex is inside and not moved.
    pub(super) fn is_firm(&self, node: u32) -> bool {
        self.side(node) == Side::Inside
    }

    /// Returns the cut point between an inner and an outer vertex: every such edge has one.
    fn cut(&self, inner: u32, outer: u32) -> Corner {
        let cut = self.cuts.find([inner, outer]).unwrap_or(0);
        self.background.codes.len() as u32 + cut
    }

    /// Returns true if the quadrilateral on the face u v w, w outside, is divided from u.
    fn begins_at_first(&self, is_long: &dyn Fn(u32, u32) -> bool, u: u32, v: u32, w: u32) -> bool {
        if is_long(u, v) {
            let [u, w] = [u, w].map(|node| decode(self.background.codes[node as usize]));
            (0..3).filter(|&k| u[k] > w[k]).count() % 2 == 0
        } else {
            is_long(v, w)
        }
    }

    /// Calls `put` with the tets inside one tet of the lattice, of either orientation.
    pub(super) fn fill(&self, tet: [u32; 4], put: &mut dyn FnMut([Corner; 4])) {
        let pick = |side| {
            let mut nodes = [0; 4];
            let mut count = 0;
            for node in tet.into_iter().filter(|&node| self.side(node) == side) {
                nodes[count] = node;
                count += 1;
            }
            (nodes, count)
        };
        let (inner, n_inner) = pick(Side::Inside);
        let (outer, n_outer) = pick(Side::Outside);
        let (on, _) = pick(Side::On);
        let half = |node| node == tet[0] || node == tet[1];
        let is_long = |a, b| half(a) == half(b);
        let [a, b, c, _] = inner;
        let [w, x, ..] = outer;

        match (n_inner, n_outer) {
            (0, _) => {}
            (_, 0) => put(tet),
            (1, _) => put(tet.map(|node| if self.side(node) == Side::Outside { self.cut(a, node) } else { node })),
            (2, 1) => {
                let (from, to) = if self.begins_at_first(&is_long, a, b, w) { (a, b) } else { (b, a) };
                put([from, to, self.cut(to, w), on[0]]);
                put([from, self.cut(to, w), self.cut(from, w), on[0]]);
            }
            (2, _) => {
                let top = [a, self.cut(a, w), self.cut(a, x)];
                let bottom = [b, self.cut(b, w), self.cut(b, x)];
                let first = self.begins_at_first(&is_long, a, b, w);
                let second = self.begins_at_first(&is_long, a, b, x);
                // The third quadrilateral is on the surface: without a neighbour, so the diagonal that closes no cycle.
                prism(top, bottom, [first, second, second], put);
            }
            _ => {
                let bottom = [a, b, c].map(|node| self.cut(node, w));
                let diagonals = [[a, b], [a, c], [b, c]].map(|[u, v]| self.begins_at_first(&is_long, u, v, w));
                prism([a, b, c], bottom, diagonals, put);
            }
        }
    }
}

/// Divides a prism in three. The flags tell if the sides 0-1, 0-2, 1-2 have their diagonals from the top at the first;
/// they form no cycle.
fn prism(top: [Corner; 3], bottom: [Corner; 3], [d01, d02, d12]: [bool; 3], put: &mut dyn FnMut([Corner; 4])) {
    // The number of diagonals that begin at the top of each vertical edge orders them.
    let begins = [d01 as usize + d02 as usize, !d01 as usize + d12 as usize, !d02 as usize + !d12 as usize];
    let mut order = [0; 3];
    for k in 0..3 {
        order[2 - begins[k]] = k;
    }
    let [t0, t1, t2] = order.map(|k| top[k]);
    let [b0, b1, b2] = order.map(|k| bottom[k]);
    put([t0, b0, b1, b2]);
    put([t0, t1, b1, b2]);
    put([t0, t1, t2, b2]);
}
