//! A model of many small bodies of few shapes, such as hairs: bodies of one shape side by side, eight to a pack.
//!
//! The shapes are those of the pattern (`numerics::linear::Packs`). Bodies of one shape are packed if they have the same
//! elements between the same rows, too. Then a method takes eight bodies at a time, from their positions to the solution of
//! their systems, in the cache.

use crate::energy::packed::{Cut, PackPositions, PackSums, PackedTerm};
use crate::energy::{MAX_NODES, Stiffness, Term};
use crate::mass::Mass;
use crate::model::Model;
use numerics::linear::Packs;
use numerics::real::{Lanes, Real};

const LANES: usize = Lanes::LANES;
/// Mark of a node that is not there, because its element has fewer nodes.
const NONE: u32 = u32::MAX;

/// Bodies of one shape.
pub struct Alike {
    /// Their rows: free nodes.
    pub packs: Packs,
    /// Nodes that are not free and belong to elements of the bodies: node after node, pack after pack.
    outside: Vec<[u32; LANES]>,
    terms: Vec<Box<dyn PackedTerm>>,
}

impl Alike {
    /// Number of nodes outside of each body.
    pub fn outside(&self) -> usize {
        self.outside.len() / self.packs.count()
    }

    /// Returns the nodes of a pack outside of its bodies: elements hold on to them, and they are not free.
    pub fn nodes_outside(&self, pack: usize) -> &[[u32; LANES]] {
        &self.outside[pack * self.outside()..(pack + 1) * self.outside()]
    }

    /// Adds forces and stiffness of all elements of a pack.
    pub fn add(&self, pack: usize, kind: Stiffness, at: PackPositions<'_>, sums: &mut PackSums<'_>) {
        self.terms.iter().for_each(|term| term.add(pack, kind, at, sums));
    }
}

impl Model {
    /// Returns its bodies by shape. `None` where some body is large, or like no others, or where nodes are coupled by
    /// more than elastic elements and a lumped mass.
    pub fn alike(&self) -> Option<Vec<Alike>> {
        let is_plain = matches!(self.mass, Mass::Lumped(_))
            && (self.damping.at_rest.is_none() || self.damping.stiffness == 0.0)
            && self.stokes.is_none()
            && self.motors.is_empty()
            && self.rigids.is_empty()
            && self.fluids.is_empty();
        let shapes = is_plain.then(|| Packs::of_all(&self.pattern)).flatten()?;
        let mut members = Members::new(self.free, &shapes);
        // By shape, for each term.
        let cuts: Option<Vec<Vec<Cut>>> = self.terms.iter().map(|term| members.cut(&**term, &shapes)).collect();
        let cuts = cuts?;
        let outside = members.outside_of(&shapes)?;
        let alike = |(shape, (packs, outside)): (usize, (Packs, Vec<[u32; LANES]>))| {
            let terms = self.terms.iter().zip(&cuts).filter(|(_, cuts)| !cuts[shape].nodes.is_empty());
            let terms = terms.map(|(term, cuts)| term.packed(&cuts[shape], &packs)).collect();
            Alike { packs, outside, terms }
        };
        Some(shapes.into_iter().zip(outside).enumerate().map(alike).collect())
    }
}

/// Bodies of all shapes.
struct Members {
    /// Body and row of each free node.
    place: Vec<[u32; 2]>,
    /// First body of each shape, and of none.
    first: Vec<usize>,
    /// Nodes outside of each body, in the order in which its elements have them.
    outside: Vec<Vec<u32>>,
}

impl Members {
    fn new(free: usize, shapes: &[Packs]) -> Members {
        let (mut place, mut first) = (vec![[0; 2]; free], vec![0]);
        for packs in shapes {
            let before = first[first.len() - 1];
            for pack in 0..packs.count() {
                for (row, nodes) in packs.rows(pack).iter().enumerate() {
                    for (lane, &node) in nodes.iter().enumerate().take(packs.lanes(pack)) {
                        place[node as usize] = [(before + LANES * pack + lane) as u32, row as u32];
                    }
                }
            }
            first.push(before + packs.members());
        }
        let bodies = first[first.len() - 1];
        Members { place, first, outside: vec![Vec::new(); bodies] }
    }

    /// Cuts a group by shape; `None` if bodies of one shape have different elements.
    fn cut(&mut self, term: &dyn Term, shapes: &[Packs]) -> Option<Vec<Cut>> {
        // Elements by body; those without a free node do nothing.
        let free = self.place.len();
        let body = |e: usize| term.nodes(e).iter().find(|&&i| (i as usize) < free).map(|&i| self.place[i as usize][0]);
        let mut elements: Vec<(u32, u32)> = (0..term.count()).filter_map(|e| Some((body(e)?, e as u32))).collect();
        elements.sort_unstable();
        let mut of_body = |shape: usize, member: usize, height: usize| {
            let body = (self.first[shape] + member) as u32;
            let [begin, end] = [body, body + 1].map(|body| elements.partition_point(|(other, _)| *other < body));
            self.in_body(term, body, height, &elements[begin..end])
        };
        let of_shape = |(shape, packs): (usize, &Packs)| {
            let mut cut = Cut::default();
            for pack in 0..packs.count() {
                let mut beside: Vec<[u32; LANES]> = Vec::new();
                for lane in 0..packs.lanes(pack) {
                    let own = of_body(shape, LANES * pack + lane, packs.height());
                    if pack == 0 && lane == 0 {
                        cut.nodes = own.iter().map(|(nodes, _)| *nodes).collect();
                    }
                    if !own.iter().map(|(nodes, _)| nodes).eq(&cut.nodes) {
                        return None;
                    }
                    beside.resize(own.len(), [0; LANES]);
                    // Lanes without a body repeat the last one.
                    beside.iter_mut().zip(&own).for_each(|(to, (_, e))| to[lane..].fill(*e));
                }
                cut.elements.extend(beside);
            }
            Some(cut)
        };
        shapes.iter().enumerate().map(of_shape).collect()
    }

    /// Returns the elements of a body with their nodes in it, in an order that bodies of equal elements share.
    fn in_body(
        &mut self,
        term: &dyn Term,
        body: u32,
        height: usize,
        elements: &[(u32, u32)],
    ) -> Vec<([u32; MAX_NODES], u32)> {
        let free = self.place.len();
        let row = |i: u32| if (i as usize) < free { self.place[i as usize][1] } else { height as u32 };
        let mut own: Vec<([u32; MAX_NODES], u32)> = (elements.iter())
            .map(|&(_, e)| {
                let mut nodes = [NONE; MAX_NODES];
                nodes.iter_mut().zip(term.nodes(e as usize)).for_each(|(to, &i)| *to = row(i));
                (nodes, e)
            })
            .collect();
        // Neighbours follow each other. Elements that differ outside only keep the order of their numbers.
        own.sort_by_key(|(nodes, e)| {
            (nodes.iter().filter(|&&i| i != NONE).max().copied(), *nodes, term.origin(*e as usize))
        });
        let outside = &mut self.outside[body as usize];
        for (nodes, e) in &mut own {
            for (to, &i) in nodes.iter_mut().zip(term.nodes(*e as usize)).filter(|(_, i)| **i as usize >= free) {
                let known = outside.iter().position(|&other| other == i);
                let at = known.unwrap_or_else(|| {
                    outside.push(i);
                    outside.len() - 1
                });
                *to = (height + at) as u32;
            }
        }
        own
    }

    /// Packs the nodes outside, by shape; `None` if bodies of one shape have not equally many.
    fn outside_of(&self, shapes: &[Packs]) -> Option<Vec<Vec<[u32; LANES]>>> {
        let of_shape = |(shape, packs): (usize, &Packs)| {
            let of_body = |member: usize| &self.outside[self.first[shape] + member.min(packs.members() - 1)];
            let count = of_body(0).len();
            let is_same = (0..packs.members()).all(|member| of_body(member).len() == count);
            let beside = |pack: usize, k: usize| std::array::from_fn(|lane| of_body(LANES * pack + lane)[k]);
            is_same.then(|| {
                (0..packs.count())
                    .flat_map(|pack| (0..count).map(move |k| (pack, k)))
                    .map(|(pack, k)| beside(pack, k))
                    .collect()
            })
        };
        shapes.iter().enumerate().map(of_shape).collect()
    }
}
