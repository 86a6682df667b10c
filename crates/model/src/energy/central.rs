//! Faster relaxation of the most frequent constraint: pairs of nodes pushed along the line between them.
//!
//! Only the difference of the two nodes is transposed into lanes, not the nodes themselves. The push is a multiple of
//! it.

use super::bodies::{Bodies, Quad};
use super::colour::Shared;
use super::quads::{across, between, move_by, times};
use super::relaxation::{Block, Blocks, Multipliers, Pass};
use numerics::mat3::dot;
use numerics::real::{Lanes, Real};

const LANES: usize = Lanes::LANES;

impl<B: Block<N, D, L>, const N: usize, const D: usize, const L: usize> Blocks<B, N, D, L> {
    /// Takes one pass over undamped blocks that move their nodes immediately.
    pub(super) fn relax_centrally(&mut self, bodies: &mut Bodies, pass: &Pass<'_>) {
        let Blocks { block, packs, members, multipliers, chunks, nodes, .. } = self;
        let Bodies { start, shift, pushes, is_recorded, .. } = bodies;
        assert!([start.len(), shift.len(), pushes.len()].iter().all(|len| len >= nodes), "bodies of another model");
        assert!(N == 2, "a line between two nodes");
        let (start, shift) = (&start[..], Shared::new(shift));
        let pushes = is_recorded.then(|| Shared::new(pushes));
        let multipliers = Shared::new(multipliers);
        let (memory, dt2) = (pass.multipliers, pass.dt * pass.dt);
        chunks.for_each(&|range| {
            // Copies of the pointers, so that no store makes the compiler load them again.
            let (start, shift, pushes, multipliers) = (start, shift, pushes, multipliers);
            for (pack, (index, members)) in packs[range.clone()].iter().zip(range.clone().zip(&members[range])) {
                let mut ways = [Quad::default(); LANES];
                for lane in 0..LANES {
                    let [a, b] = [pack.nodes[0][lane] as usize, pack.nodes[1][lane] as usize];
                    // SAFETY: nodes are below the lengths asserted, and no other pack of this colour has them.
                    ways[lane] = unsafe {
                        between(
                            [start.get_unchecked(a), start.get_unchecked(b)],
                            [shift.at_known(a), shift.at_known(b)],
                        )
                    };
                }
                let [x, y, z, w] = across(&ways);
                // SAFETY: each pack is in one chunk.
                let kept = unsafe { multipliers.at(index) };
                let mut lambda = if memory == Multipliers::Continued { *kept } else { [Lanes::splat(0.0); L] };
                let mut pull = block.pull(&pack.rest, dot([x, y, z], [x, y, z]), w, dt2, &mut lambda).to_array();
                if memory != Multipliers::Dropped {
                    *kept = lambda;
                }
                if members.filled < LANES {
                    // Lanes that repeat an element must not record its push twice.
                    pull[members.filled..].fill(0.0);
                }
                for lane in 0..LANES {
                    let push = times(pull[lane], &ways[lane]);
                    for (a, sign) in [(pack.nodes[0][lane], 1.0), (pack.nodes[1][lane], -1.0)] {
                        // SAFETY: as above.
                        unsafe { move_by(shift.at_known(a as usize), sign, &push) };
                        if let Some(pushes) = &pushes {
                            // SAFETY: as above.
                            let entry = unsafe { pushes.at(a as usize) };
                            (0..3).for_each(|c| entry.0[c] += sign * push.0[c]);
                        }
                    }
                }
            }
        });
    }
}
