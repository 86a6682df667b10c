//! Jacobi passes over the densities of the predicted particles.

use super::density::Sorted;
use super::neighbours::CHUNK;
use super::solids::{self, Reaction};
use super::{Fluids, vector};
use model::energy::{Bodies, Quad};
use numerics::mat3::{add, scale};
use rayon::prelude::*;

impl Fluids {
    /// Returns the data read by passes and by viscosity.
    pub(super) fn sorted(&self) -> Sorted<'_> {
        Sorted {
            kernel: &self.kernel,
            rows: &self.rows,
            kinds: &self.kinds,
            alike: self.alike,
            fluid: &self.fluid,
            boundaries: &self.boundaries,
            solids: &self.solids,
            compliance: &self.compliance,
        }
    }

    /// Computes changes of multipliers and C of every particle.
    pub(super) fn measure(&mut self, bodies: &Bodies) {
        let mut change = std::mem::take(&mut self.change);
        if self.alike {
            self.sorted().multipliers::<true>(bodies, &self.neighbours.chunks, &self.total, &mut change);
        } else {
            self.sorted().multipliers::<false>(bodies, &self.neighbours.chunks, &self.total, &mut change);
        }
        self.change = change;
    }

    /// Runs one pass: multipliers, then corrections.
    pub(super) fn pass<const ALIKE: bool>(&mut self, bodies: &mut Bodies) {
        self.measure(bodies);
        let n = self.total.len();
        let changes = self.rows[..n].par_iter_mut().zip(&mut self.total).zip(&self.change).with_min_len(CHUNK);
        changes.for_each(|((row, total), change)| {
            row.0[3] = change[0];
            *total += change[0];
        });
        let (mut next, mut reactions) = (std::mem::take(&mut self.next), std::mem::take(&mut self.reactions));
        let (rigids, chunks) = (self.solids.rigids, &self.neighbours.chunks);
        reactions.clear();
        reactions.resize(chunks.len() * rigids.max(1), Reaction::default());
        let sorted = self.sorted();
        let order = self.neighbours.order();
        let parts =
            next[..n].par_chunks_mut(CHUNK).zip(reactions.par_chunks_mut(rigids.max(1))).zip(chunks).enumerate();
        let moving = &*bodies;
        parts.for_each(|(c, ((next, reactions), lists))| {
            for (k, next) in next.iter_mut().enumerate() {
                let i = c * CHUNK + k;
                let (at, w) = (vector(&self.rows[i]), sorted.kind::<ALIKE>(i).0[1]);
                let moved = add(at, scale(w, sorted.push::<ALIKE>(i, lists.of(k), moving, reactions)));
                let start = vector(&moving.start[self.nodes[order[i] as usize] as usize]);
                let [x, y, z] = self.allowed(self.fluid[i], moved, start, |x, boundary| {
                    boundary.part(x, start, w, &self.solids, moving, reactions)
                });
                *next = Quad([x, y, z, 0.0]);
            }
        });
        // Forces on nodes that cannot move are recorded too.
        if bodies.is_recorded {
            for &p in &self.held {
                let (i, node) = (self.neighbours.slot[p as usize] as usize, self.nodes[p as usize] as usize);
                let push = sorted.push::<ALIKE>(i, self.neighbours.chunks[i / CHUNK].of(i % CHUNK), bodies, &mut []);
                (0..3).for_each(|c| bodies.pushes[node].0[c] += push[c]);
            }
        }
        solids::push(bodies, rigids, &reactions);
        self.reactions = reactions;
        self.next = std::mem::replace(&mut self.rows, next);
    }
}
