//! The elements of a group as blocks of constraints, relaxed one after the other.
//!
//! An element's energy is const + sum 1/2 k C^2. Its rows are solved together, as one small block, for the change of their
//! multipliers, and its nodes are moved by w g dlambda (Macklin, Storey, Lu, Terdiman, Mueller 2019, eq. 4, 5, 8):
//!
//!   ((1 + gamma) G W G^T + a) dlambda = -C - a lambda - gamma G u,   a = 1 / (k dt^2),   gamma = beta / dt
//!
//! with u what the nodes have moved in this substep. gamma is a b / dt with b = dt^2 beta k: the damping beta K of the rows.
//! Multiplied by s = 1/a = k dt^2 there is nothing to divide by, and the pivots are never below one:
//!
//!   (I + (1 + gamma) s G W G^T) dlambda = -s C - lambda - gamma s G u.
//!
//! A row with k <= 0 (no stiffness, or that of a negative lambda) takes part by its force where it is, lambda = -s C,
//! without the matrix. A row without gradient, or whose nodes are all given, moves nothing.

use super::colour::Shared;
use super::packing::Packing;
use super::quads::{across, along, sum};
use super::{Energy, Row};
use crate::energy::colour::Chunks;
use numerics::mat3::{Vec3, add, dot, scale};
use numerics::real::{Lanes, Real};

pub use super::bodies::{Bodies, Quad};

const LANES: usize = Lanes::LANES;

/// The order in which elements are relaxed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Colour after colour, the elements of one at the same time.
    #[default]
    Coloured,
    /// As they are numbered, one at a time.
    Forward,
    /// Against their numbers, one at a time.
    Backward,
}

/// What becomes of the multipliers in a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Multipliers {
    /// They begin at zero and nobody asks for them afterwards.
    Dropped,
    /// They begin at zero and are kept.
    Begun,
    /// They go on from where they were.
    Continued,
}

/// One pass over the elements of a group.
pub struct Pass<'a> {
    /// The substep [s].
    pub dt: f64,
    /// Beta of Rayleigh damping [s].
    pub damping: f64,
    /// What becomes of the multipliers.
    pub multipliers: Multipliers,
    /// Where corrections are summed, a place a node; without it each moves its nodes at once.
    pub sums: Option<&'a mut [Quad]>,
}

/// A group of elements as blocks of constraints, with their multipliers.
pub trait Relaxation: Send {
    /// Adds one to each node of each block.
    fn count(&self, counts: &mut [f64]);
    /// Relaxes every block once.
    fn relax(&mut self, bodies: &mut Bodies, pass: &mut Pass<'_>);
}

/// Eight elements that share no node; short packs repeat their first element.
struct Pack<const N: usize, const D: usize> {
    nodes: [[u32; LANES]; N],
    rest: [Lanes; D],
    filled: usize,
}

/// The blocks of one kind of element.
pub struct Blocks<E, const N: usize, const D: usize, const K: usize> {
    energy: E,
    packs: Vec<Pack<N, D>>,
    multipliers: Vec<[Lanes; K]>,
    chunks: Chunks,
    /// All nodes are below this.
    nodes: usize,
}

impl<E: Energy<N, D, K>, const N: usize, const D: usize, const K: usize> Blocks<E, N, D, K> {
    /// Packs elements of `nodes` nodes in all; `rest` tells an element's rest state.
    pub fn new(
        energy: E,
        nodes: usize,
        elements: &[[u32; N]],
        origin: &[u32],
        rest: impl Fn(usize) -> [f64; D],
        order: Order,
    ) -> Self {
        let Packing { packs, chunks } = Packing::new(elements, origin, nodes, order);
        let pack = |members: &Vec<u32>| {
            let of = |lane: usize| *members.get(lane).unwrap_or(&members[0]) as usize;
            Pack {
                nodes: std::array::from_fn(|a| std::array::from_fn(|lane| elements[of(lane)][a])),
                rest: std::array::from_fn(|d| Lanes::from_fn(|lane| rest(of(lane))[d])),
                filled: members.len(),
            }
        };
        let packs: Vec<_> = packs.iter().map(pack).collect();
        assert!(elements.as_flattened().iter().all(|&i| (i as usize) < nodes), "elements have nodes of the model");
        let multipliers = vec![[Lanes::splat(0.0); K]; packs.len()];
        Blocks { energy, packs, multipliers, chunks, nodes }
    }
}

/// The change of the multipliers of a block.
#[inline(always)]
fn solve<R: Real, const N: usize, const K: usize>(
    rows: &[Row<R, N>; K],
    w: &[R; N],
    shift: &[Vec3<R>; N],
    lambda: &[R; K],
    [dt2, gamma]: [f64; 2],
) -> [R; K] {
    let (zero, one) = (R::splat(0.0), R::splat(1.0));
    let mut matrix = [[zero; K]; K];
    let mut delta = [zero; K];
    for r in 0..K {
        let s = rows[r].k * R::splat(dt2);
        let within = s.max(zero);
        delta[r] = -(s.mul_add(rows[r].c, lambda[r]));
        if gamma != 0.0 {
            let moved = (0..N).fold(zero, |sum, a| sum + dot(rows[r].gradient[a], shift[a]));
            delta[r] -= R::splat(gamma) * within * moved;
        }
        for a in 0..N {
            let wg = scale(w[a], rows[r].gradient[a]);
            for q in 0..K {
                matrix[r][q] += dot(wg, rows[q].gradient[a]);
            }
        }
        let factor = R::splat(1.0 + gamma) * within;
        for q in 0..K {
            matrix[r][q] = factor.mul_add(matrix[r][q], if q == r { one } else { zero });
        }
    }
    // Elimination without pivoting: the matrix is similar to one plus a positive semidefinite matrix.
    for p in 0..K {
        let inverse = one / matrix[p][p];
        for r in p + 1..K {
            let factor = matrix[r][p] * inverse;
            for q in p + 1..K {
                matrix[r][q] -= factor * matrix[p][q];
            }
            let change = factor * delta[p];
            delta[r] -= change;
        }
        matrix[p][p] = inverse;
    }
    for p in (0..K).rev() {
        for q in p + 1..K {
            let change = matrix[p][q] * delta[q];
            delta[p] -= change;
        }
        delta[p] *= matrix[p][p];
    }
    delta
}

/// sum_r g_r lambda_r at each node.
#[inline(always)]
fn push<R: Real, const N: usize, const K: usize>(rows: &[Row<R, N>; K], lambda: &[R; K]) -> [Vec3<R>; N] {
    std::array::from_fn(|a| {
        (1..K).fold(scale(lambda[0], rows[0].gradient[a]), |sum, r| add(sum, scale(lambda[r], rows[r].gradient[a])))
    })
}

impl<E: Energy<N, D, K>, const N: usize, const D: usize, const K: usize> Relaxation for Blocks<E, N, D, K> {
    fn count(&self, counts: &mut [f64]) {
        for pack in &self.packs {
            pack.nodes.iter().flat_map(|nodes| &nodes[..pack.filled]).for_each(|&i| counts[i as usize] += 1.0);
        }
    }

    fn relax(&mut self, bodies: &mut Bodies, pass: &mut Pass<'_>) {
        let Blocks { energy, packs, multipliers, chunks, nodes } = self;
        let Pass { dt, damping, multipliers: memory, sums } = pass;
        let Bodies { start, shift, pushes, is_recorded, .. } = bodies;
        assert!([start.len(), shift.len(), pushes.len()].iter().all(|len| len >= nodes), "bodies of another model");
        let (start, shift) = (&start[..], Shared::new(shift));
        let pushes = is_recorded.then(|| Shared::new(pushes));
        let sums = sums.as_deref_mut().map(Shared::new);
        let multipliers = Shared::new(multipliers);
        let (memory, constants) = (*memory, [*dt * *dt, *damping / *dt]);
        chunks.for_each(|range| {
            // Copies of the pointers, so that no store makes the compiler load them again.
            let (start, shift, sums, pushes, multipliers) = (start, shift, sums, pushes, multipliers);
            for index in range {
                let pack = &packs[index];
                // SAFETY: nodes are below the lengths asserted, and no other pack of this colour has them.
                let shifts = pack.nodes.map(|nodes| nodes.map(|i| unsafe { *shift.at_known(i as usize) }));
                let mut x = [[Lanes::splat(0.0); 3]; N];
                let mut shared = [Lanes::splat(0.0); N];
                for a in 0..N {
                    let places: [Quad; LANES] = std::array::from_fn(|lane| {
                        // SAFETY: as above; starts are not written.
                        let start = unsafe { start.get_unchecked(pack.nodes[a][lane] as usize) };
                        sum(start, &shifts[a][lane])
                    });
                    let [px, py, pz, inverse] = across(&places);
                    (x[a], shared[a]) = ([px, py, pz], inverse);
                }
                let moved: [Vec3<Lanes>; N] = if constants[1] == 0.0 {
                    [[Lanes::splat(0.0); 3]; N]
                } else {
                    shifts.map(|quads| across(&quads).first_chunk().copied().unwrap_or_default())
                };
                let rows = energy.rows(&pack.rest, &x);
                // SAFETY: each pack is in one chunk.
                let kept = unsafe { multipliers.at(index) };
                let lambda = if memory == Multipliers::Continued { *kept } else { [Lanes::splat(0.0); K] };
                let delta = solve(&rows, &shared, &moved, &lambda, constants);
                if memory != Multipliers::Dropped {
                    *kept = std::array::from_fn(|r| lambda[r] + delta[r]);
                }
                let push = push(&rows, &delta);
                if let Some(pushes) = &pushes {
                    // SAFETY: as for shifts.
                    unsafe { add_lanes(pushes, pack, &push) };
                }
                if let Some(sums) = &sums {
                    let steps = std::array::from_fn(|a| scale(across(&shifts[a])[3], push[a]));
                    // SAFETY: as for shifts.
                    unsafe { add_lanes(sums, pack, &steps) };
                    continue;
                }
                for a in 0..N {
                    let [x, y, z] = scale(shared[a], push[a]);
                    let steps = along([x, y, z, Lanes::splat(0.0)]);
                    for lane in 0..LANES {
                        let place = sum(&shifts[a][lane], &steps[lane]);
                        // SAFETY: as above. Lanes that repeat an element write the same once more.
                        unsafe { *shift.at_known(pack.nodes[a][lane] as usize) = place };
                    }
                }
            }
        });
    }
}

/// Adds a vector a node of each element.
///
/// # Safety
/// No other thread may touch the nodes of this pack at the same time.
#[inline(always)]
unsafe fn add_lanes<const N: usize, const D: usize>(
    out: &Shared<'_, Quad>,
    pack: &Pack<N, D>,
    vectors: &[Vec3<Lanes>; N],
) {
    for a in 0..N {
        let [x, y, z] = vectors[a];
        let quads = along([x, y, z, Lanes::splat(0.0)]);
        for lane in 0..pack.filled {
            // SAFETY: the caller's promise.
            let place = unsafe { out.at(pack.nodes[a][lane] as usize) };
            (0..3).for_each(|c| place.0[c] += quads[lane].0[c]);
        }
    }
}
