//! Groups of elements of one kind: packing into lanes, gather, scatter and loops over their physics.

use super::bodies::Quad;
use super::colour::{Chunks, Shared, tree_sum};
use super::packed::{Cut, PackedTerm, packed};
use super::quads::along;
use super::relaxation::{Elements, Order, Relaxation};
use super::{Configuration, ElementKind, Energy, MAX_BLOCKS, Row, Stiffness, Term};
use numerics::blocks::{BlockMatrix, Pattern};
use numerics::linear::Packs;
use numerics::mat3::{Mat3, Vec3, add, mat_t_vec, mat_vec, scale};
use numerics::real::{Lanes, Real};
use std::ops::Range;

const LANES: usize = Lanes::LANES;
/// Slot map entry: this block belongs to no unknown.
const NO_SLOT: u32 = u32::MAX;
/// Slot map entry: the stored block is the transpose of the element's block.
const TRANSPOSED: u32 = 1 << 31;

/// Elements of one kind, with `N` nodes, `D` numbers of rest state and `K` constraints each, packed into lanes.
pub struct Group<E, const N: usize, const D: usize, const K: usize> {
    kind: ElementKind,
    energy: E,
    nodes: Vec<[u32; N]>,
    origin: Vec<u32>,
    /// Rest states, in packs of lanes; the last pack repeats its last element.
    rest: Vec<[Lanes; D]>,
    chunks: Chunks,
    /// Matrix slot of each block of each element.
    slots: Vec<[u32; MAX_BLOCKS]>,
    /// Number of free nodes; these come first and are the unknowns.
    free: usize,
}

impl<E: Sync, const N: usize, const D: usize, const K: usize> Group<E, N, D, K> {
    /// Gathers elements into a group. The first `free` nodes are unknowns; `elements` are nodes, rest state and number
    /// in the mesh.
    pub fn new(kind: ElementKind, energy: E, free: usize, mut elements: Vec<([u32; N], [f64; D], u32)>) -> Self {
        // Neighbours in the mesh become neighbours in memory, and chunks share nodes with few others.
        elements.sort_by_key(|(nodes, _, origin)| (nodes.iter().map(|&i| u64::from(i)).sum::<u64>(), *origin));
        let rest = elements
            .chunks(LANES)
            .map(|pack| std::array::from_fn(|d| Lanes::from_fn(|lane| pack[lane.min(pack.len() - 1)].1[d])))
            .collect::<Vec<_>>();
        let nodes: Vec<[u32; N]> = elements.iter().map(|(nodes, ..)| *nodes).collect();
        let chunks = Chunks::new(rest.len(), free, |pack| {
            nodes[pack * LANES..nodes.len().min((pack + 1) * LANES)].iter().flatten().copied()
        });
        let origin = elements.iter().map(|(.., origin)| *origin).collect();
        Group { kind, energy, nodes, origin, rest, chunks, slots: Vec::new(), free }
    }

    fn elements(&self, pack: usize) -> Range<usize> {
        pack * LANES..self.nodes.len().min((pack + 1) * LANES)
    }

    /// Gathers the positions of the nodes of a pack.
    #[inline(always)]
    fn gather(&self, pack: usize, x: &[f64]) -> [Vec3<Lanes>; N] {
        let nodes = &self.nodes[self.elements(pack)];
        let last = nodes.len() - 1;
        // Loops, because the compiler turns `map` over arrays of lanes into calls and copies.
        let mut points = [[Lanes::splat(0.0); 3]; N];
        for (a, lanes) in points.iter_mut().enumerate() {
            for lane in 0..LANES {
                let i = 3 * nodes[lane.min(last)][a] as usize;
                let point = &x[i..i + 3];
                for c in 0..3 {
                    lanes[c].as_mut_array()[lane] = point[c];
                }
            }
        }
        points
    }

    /// Gathers a number of each node of a pack; infinite without numbers.
    #[inline(always)]
    fn gather_numbers(&self, pack: usize, of_nodes: &[f64]) -> [Lanes; N] {
        let nodes = &self.nodes[self.elements(pack)];
        let last = nodes.len() - 1;
        let mut numbers = [Lanes::splat(f64::INFINITY); N];
        if !of_nodes.is_empty() {
            for (a, lanes) in numbers.iter_mut().enumerate() {
                for lane in 0..LANES {
                    lanes.as_mut_array()[lane] = of_nodes[nodes[lane.min(last)][a] as usize];
                }
            }
        }
        numbers
    }

    /// Returns rest state and positions of one element.
    fn element(&self, e: usize, x: &[f64]) -> ([f64; D], [Vec3; N]) {
        let rest = self.rest[e / LANES].map(|r| r.lane(e % LANES));
        let points = self.nodes[e].map(|i| std::array::from_fn(|c| x[3 * i as usize + c]));
        (rest, points)
    }

    /// Adds one vector per node of each element of a pack to `out`.
    ///
    /// # Safety
    /// No other thread may touch the nodes of this pack at the same time.
    #[inline(always)]
    unsafe fn scatter(&self, pack: usize, local: &[Vec3<Lanes>; N], out: &Shared<'_, [f64; 3]>) {
        for (lane, e) in self.elements(pack).enumerate() {
            for a in 0..N {
                let i = self.nodes[e][a] as usize;
                if i < self.free {
                    // SAFETY: the caller's promise.
                    let entry = unsafe { out.at(i) };
                    for c in 0..3 {
                        entry[c] += local[a][c].as_array()[lane];
                    }
                }
            }
        }
    }

    /// Adds to the free nodes of each element the result of a formula of its rest state and node positions `x`.
    pub(crate) fn add_each(
        &self,
        x: &[f64],
        out: &mut [f64],
        formula: impl Fn(&[Lanes; D], &[Vec3<Lanes>; N]) -> [Vec3<Lanes>; N] + Sync,
    ) {
        let out = Shared::new(out.as_chunks_mut::<3>().0);
        self.chunks.for_each(&|packs| {
            for pack in packs {
                let local = formula(&self.rest[pack], &self.gather(pack, x));
                // SAFETY: chunks of one colour share no node.
                unsafe { self.scatter(pack, &local, &out) };
            }
        });
    }

    /// Adds the blocks of each element of a pack to the matrix.
    ///
    /// # Safety
    /// No other thread may touch the nodes of this pack at the same time.
    #[inline(always)]
    unsafe fn scatter_blocks(&self, pack: usize, blocks: &[Mat3<Lanes>; MAX_BLOCKS], out: &Shared<'_, Mat3>) {
        // Numbers of a block come side by side, so that it is added by whole registers.
        let mut rows = [([Quad::default(); LANES], [Quad::default(); LANES], [0.0; LANES]); MAX_BLOCKS];
        for (rows, block) in rows.iter_mut().zip(blocks).take(N * (N + 1) / 2) {
            let [[e0, e1, e2], [e3, e4, e5], [e6, e7, e8]] = *block;
            *rows = (along([e0, e1, e2, e3]), along([e4, e5, e6, e7]), e8.to_array());
        }
        for (lane, slots) in self.slots[self.elements(pack)].iter().enumerate() {
            for (slot, (first, second, ninth)) in slots.iter().zip(&rows).take(N * (N + 1) / 2) {
                if *slot == NO_SLOT {
                    continue;
                }
                // SAFETY: the caller's promise; two elements that share a slot share its nodes.
                let entry = unsafe { out.at((slot & !TRANSPOSED) as usize) }.as_flattened_mut();
                let (p, q) = (&first[lane].0, &second[lane].0);
                let (p, q) = if slot & TRANSPOSED == 0 {
                    (*p, *q)
                } else {
                    ([p[0], p[3], q[2], p[1]], [q[0], q[3], p[2], q[1]])
                };
                (0..4).for_each(|k| entry[k] += p[k]);
                (0..4).for_each(|k| entry[4 + k] += q[k]);
                entry[8] += ninth[lane];
            }
        }
    }
}

impl<E: Energy<N, D, K>, const N: usize, const D: usize, const K: usize> Group<E, N, D, K> {
    /// Computes the Hessians of a pack. Matrix and product call one copy of it: the formulas of a material are most of the
    /// program, and a call costs little beside them.
    #[inline(never)]
    fn hessian(&self, kind: Stiffness, at: Configuration<'_>, pack: usize) -> [Mat3<Lanes>; MAX_BLOCKS] {
        let (rest, x) = (&self.rest[pack], self.gather(pack, at.x));
        match kind {
            Stiffness::Auto if !at.way.is_empty() => {
                let (way, inertia) = (self.gather(pack, at.way), self.gather_numbers(pack, at.inertia));
                self.energy.hessian_after(rest, &x, &way, &inertia)
            }
            Stiffness::Predicted if !at.way.is_empty() => {
                self.energy.hessian_predicted(rest, &x, &self.gather(pack, at.way))
            }
            kind => self.energy.hessian(kind, rest, &x),
        }
    }
}

impl<E: Energy<N, D, K>, const N: usize, const D: usize, const K: usize> Term for Group<E, N, D, K> {
    fn kind(&self) -> ElementKind {
        self.kind
    }

    fn count(&self) -> usize {
        self.nodes.len()
    }

    fn nodes(&self, e: usize) -> &[u32] {
        &self.nodes[e]
    }

    fn origin(&self, e: usize) -> usize {
        self.origin[e] as usize
    }

    fn value(&self, x: &[f64]) -> f64 {
        tree_sum(0..self.rest.len(), &|pack| {
            let value = self.energy.value(&self.rest[pack], &self.gather(pack, x)).to_array();
            value[..self.elements(pack).len()].iter().sum()
        })
    }

    fn share_energy(&self, x: &[f64], shares: &mut [f64]) {
        for (e, nodes) in self.nodes.iter().enumerate() {
            let (rest, points) = self.element(e, x);
            let share = self.energy.value(&rest, &points) / N as f64;
            nodes.iter().for_each(|&i| shares[i as usize] += share);
        }
    }

    fn add_force(&self, x: &[f64], f: &mut [f64]) {
        self.add_each(x, f, |rest, x| {
            let mut force = self.energy.gradient(rest, x);
            force.as_flattened_mut().iter_mut().for_each(|c| *c = -*c);
            force
        });
    }

    fn add_stiffness(&self, kind: Stiffness, at: Configuration<'_>, k: &mut BlockMatrix) {
        let out = Shared::new(&mut k.values);
        self.chunks.for_each(&|packs| {
            for pack in packs {
                let blocks = self.hessian(kind, at, pack);
                // SAFETY: chunks of one colour share no node.
                unsafe { self.scatter_blocks(pack, &blocks, &out) };
            }
        });
    }

    fn add_stiffness_times(&self, kind: Stiffness, c: f64, at: Configuration<'_>, w: &[f64], y: &mut [f64]) {
        let out = Shared::new(y.as_chunks_mut::<3>().0);
        self.chunks.for_each(&|packs| {
            for pack in packs {
                let blocks = self.hessian(kind, at, pack);
                let w = self.gather(pack, w).map(|w| scale(Lanes::splat(c), w));
                let mut product = [[Lanes::splat(0.0); 3]; N];
                for a in 0..N {
                    for b in 0..=a {
                        let block = &blocks[a * (a + 1) / 2 + b];
                        product[a] = add(product[a], mat_vec(block, w[b]));
                        if b < a {
                            product[b] = add(product[b], mat_t_vec(block, w[a]));
                        }
                    }
                }
                // SAFETY: chunks of one colour share no node.
                unsafe { self.scatter(pack, &product, &out) };
            }
        });
    }

    fn turns(&self, at: Configuration<'_>) -> f64 {
        tree_sum(0..self.rest.len(), &|pack| {
            let (x, way) = (self.gather(pack, at.x), self.gather(pack, at.way));
            let turns = self.energy.turn(&self.rest[pack], &x, &way).to_array();
            turns[..self.elements(pack).len()].iter().sum()
        })
    }

    fn rows(&self, e: usize, x: &[f64], rows: &mut Vec<Row>) {
        let (rest, x) = self.element(e, x);
        rows.extend(self.energy.rows(&rest, &x).map(|row| {
            let gradient = std::array::from_fn(|a| row.gradient.get(a).copied().unwrap_or_default());
            Row { c: row.c, gradient, k: row.k }
        }));
    }

    fn add_block_stiffness_times(&self, c: f64, x: &[f64], w: &[f64], y: &mut [f64]) {
        let out = Shared::new(y.as_chunks_mut::<3>().0);
        self.chunks.for_each(&|packs| {
            for pack in packs {
                let w = self.gather(pack, w).map(|w| scale(Lanes::splat(c), w));
                let product = self.energy.block_stiffness_times(&self.rest[pack], &self.gather(pack, x), &w);
                // SAFETY: chunks of one colour share no node.
                unsafe { self.scatter(pack, &product, &out) };
            }
        });
    }

    fn relaxation(&self, nodes: usize, order: Order) -> Box<dyn Relaxation> {
        let rest = |e: usize| self.rest[e / LANES].map(|r| r.lane(e % LANES));
        let elements = Elements { nodes, elements: &self.nodes, origin: &self.origin, rest: &rest, order };
        self.energy.relaxation(&elements)
    }

    fn is_linear(&self) -> bool {
        self.energy.is_linear()
    }

    fn is_self_stressed(&self) -> bool {
        self.energy.is_self_stressed()
    }

    fn first_inadmissible(&self, x: &[f64]) -> Option<usize> {
        (0..self.nodes.len()).find(|&e| {
            let (rest, x) = self.element(e, x);
            !self.energy.is_admissible(&rest, &x)
        })
    }

    fn packed(&self, cut: &Cut, packs: &Packs) -> Box<dyn PackedTerm> {
        packed(self.energy.clone(), cut, packs, |e| self.rest[e / LANES].map(|r| r.lane(e % LANES)))
    }

    fn part(&self, keep: &dyn Fn(&[u32]) -> bool) -> Box<dyn Term> {
        let kept = (0..self.nodes.len()).filter(|&e| keep(&self.nodes[e]));
        let rest = |e: usize| self.rest[e / LANES].map(|r| r.lane(e % LANES));
        let elements = kept.map(|e| (self.nodes[e], rest(e), self.origin[e])).collect();
        Box::new(Group::new(self.kind, self.energy.clone(), self.free, elements))
    }

    fn freeze(&mut self, pattern: &Pattern) {
        let slot = |i: u32, j: u32| match pattern.slot(i as usize, j as usize) {
            Some(slot) if i >= j => slot as u32,
            Some(slot) => slot as u32 | TRANSPOSED,
            None => NO_SLOT,
        };
        let free = self.free;
        self.slots = (self.nodes.iter())
            .map(|nodes| {
                let mut slots = [NO_SLOT; MAX_BLOCKS];
                for a in 0..N {
                    for b in 0..=a {
                        if (nodes[a] as usize) < free && (nodes[b] as usize) < free {
                            slots[a * (a + 1) / 2 + b] = slot(nodes[a], nodes[b]);
                        }
                    }
                }
                slots
            })
            .collect();
    }
}
