//! Elements of a group as blocks that are relaxed one after the other: packing, loops and multipliers.
//!
//! A block has multipliers and computes the push on each of its nodes; a node of inverse mass w moves by w times the
//! push. The physics of blocks is in `rows` and `stress`.

use super::colour::Shared;
use super::packing::Packing;
use super::quads::{across, along, sum};
use crate::energy::colour::Chunks;
use numerics::mat3::{Vec3, scale};
use numerics::real::{Lanes, Real};
use std::sync::atomic::{AtomicU32, Ordering};

pub use super::bodies::{Bodies, Quad};

const LANES: usize = Lanes::LANES;

/// Order in which elements are relaxed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// Colour by colour; elements of one colour in parallel.
    #[default]
    Coloured,
    /// By ascending number, one at a time.
    Forward,
    /// By descending number, one at a time.
    Backward,
}

/// Treatment of the multipliers in a pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Multipliers {
    /// Start at zero; not stored.
    Dropped,
    /// Start at zero; stored.
    Begun,
    /// Continue from the stored values.
    Continued,
}

/// One pass over the elements of a group.
pub struct Pass<'a> {
    /// Substep [s].
    pub dt: f64,
    /// Beta of Rayleigh damping [s].
    pub damping: f64,
    /// Treatment of the multipliers.
    pub multipliers: Multipliers,
    /// Sums of corrections, one entry per node; `None` moves the nodes immediately.
    pub sums: Option<&'a mut [Quad]>,
}

/// Group of elements as blocks of constraints, with their multipliers.
///
/// ```
/// use model::energy::contact::{Contact, Obstacle};
/// use model::energy::{Bodies, Multipliers, Order, Pass, Quad, Relaxation, Term};
///
/// // A node of 1 kg is 0.1 m below a floor that pushes back with 100 N/m.
/// let floor = Obstacle::Plane { point: [0.0; 3], normal: [0.0, 0.0, 1.0] };
/// let group = Contact::group(floor, 1, [(0, 100.0)].into_iter());
/// let mut relaxation: Box<dyn Relaxation> = group.relaxation(1, Order::Forward);
/// let mut bodies = Bodies::new(1);
/// bodies.start[0] = Quad([0.0, 0.0, -0.1, 0.0]);
/// bodies.shift[0] = Quad([0.0, 0.0, 0.0, 1.0]);
///
/// // One pass of a substep of 0.1 s solves m z / dt^2 + k z = m z0 / dt^2.
/// let mut pass = Pass { dt: 0.1, damping: 0.0, multipliers: Multipliers::Dropped, sums: None };
/// relaxation.relax(&mut bodies, &mut pass);
/// assert!((bodies.position(0)[2] + 0.05).abs() < 1e-12);
/// ```
pub trait Relaxation: Send + Sync {
    /// Adds one to each node of each block.
    fn count(&self, counts: &mut [f64]);
    /// Relaxes every block once.
    fn relax(&mut self, bodies: &mut Bodies, pass: &mut Pass<'_>);
    /// Returns and clears the first element found where its energy is not defined, by its number in the mesh.
    fn first_undefined(&self) -> Option<usize> {
        None
    }
}

/// Inputs of a block besides the positions of its nodes.
pub struct Surroundings<R, const N: usize> {
    /// Inverse masses [1/kg].
    pub w: [R; N],
    /// Displacements of the nodes in this substep [m]; zero without damping.
    pub moved: [Vec3<R>; N],
    /// dt^2 [s^2].
    pub dt2: f64,
    /// beta / dt.
    pub gamma: f64,
}

/// Constraints of one element with `N` nodes and `D` numbers of rest state, solved together for `L` multipliers.
///
/// ```
/// use model::energy::relaxation::{Block, Surroundings};
/// use numerics::mat3::Vec3;
/// use numerics::real::Real;
///
/// /// Holds a node at height 0: U = k/2 z^2. The rest state is k [N/m].
/// struct Level;
///
/// impl Block<1, 1, 1> for Level {
///     fn relax<R: Real>(
///         &self,
///         k: &[R; 1],
///         x: &[Vec3<R>; 1],
///         surroundings: &Surroundings<R, 1>,
///         lambda: &mut [R; 1],
///     ) -> [Vec3<R>; 1] {
///         // With s = k dt^2: (1 + s w) change = -s z - lambda.
///         let s = k[0] * R::splat(surroundings.dt2);
///         let change = -(s * x[0][2] + lambda[0]) / (R::splat(1.0) + s * surroundings.w[0]);
///         lambda[0] += change;
///         [[R::splat(0.0), R::splat(0.0), change]]
///     }
/// }
///
/// // A node of 1 kg at -0.1 m, and dt = 0.1 s: it moves half the way.
/// let surroundings = Surroundings { w: [1.0], moved: [[0.0; 3]], dt2: 0.01, gamma: 0.0 };
/// let mut lambda = [0.0];
/// let [push] = Level.relax(&[100.0], &[[0.0, 0.0, -0.1]], &surroundings, &mut lambda);
/// assert!((push[2] - 0.05).abs() < 1e-12 && lambda[0] == push[2]);
/// ```
pub trait Block<const N: usize, const D: usize, const L: usize>: Send + Sync + 'static {
    /// The block has two nodes, pushed along the line between them: [`Block::pull`] computes the push with less data to
    /// move.
    const IS_CENTRAL: bool = false;
    /// Returns true if pushes are finite for all node positions.
    fn is_defined_everywhere(&self) -> bool {
        true
    }
    /// Updates the multipliers and returns the resulting push on each node [kg m].
    fn relax<R: Real>(
        &self,
        rest: &[R; D],
        x: &[Vec3<R>; N],
        surroundings: &Surroundings<R, N>,
        lambda: &mut [R; L],
    ) -> [Vec3<R>; N];
    /// Relaxes two nodes without damping. Returns the push on the first node as a multiple of the vector to it from the
    /// second [kg]. `squared` is their squared distance [m^2], `w` the sum of their inverse masses [1/kg].
    #[inline(always)]
    fn pull<R: Real>(&self, _rest: &[R; D], _squared: R, _w: R, _dt2: f64, _lambda: &mut [R; L]) -> R {
        R::splat(0.0)
    }
}

/// Elements from which blocks are made.
pub struct Elements<'a, const N: usize, const D: usize> {
    /// Number of nodes of the model.
    pub nodes: usize,
    /// Nodes of each element.
    pub elements: &'a [[u32; N]],
    /// Number of each element in its mesh.
    pub origin: &'a [u32],
    /// Rest state of each element.
    pub rest: &'a dyn Fn(usize) -> [f64; D],
    /// Order in which they are relaxed.
    pub order: Order,
}

/// Eight elements that share no node; incomplete packs repeat their first element.
pub(super) struct Pack<const N: usize, const D: usize> {
    pub nodes: [[u32; LANES]; N],
    pub rest: [Lanes; D],
}

/// Rarely used data of a pack.
pub(super) struct Members {
    pub filled: usize,
    /// Numbers of the elements in their mesh.
    origin: [u32; LANES],
}

/// Blocks of one kind of element.
pub struct Blocks<B, const N: usize, const D: usize, const L: usize> {
    pub(super) block: B,
    pub(super) packs: Vec<Pack<N, D>>,
    pub(super) members: Vec<Members>,
    pub(super) multipliers: Vec<[Lanes; L]>,
    pub(super) chunks: Chunks,
    /// All nodes are below this number.
    pub(super) nodes: usize,
    /// Lowest element whose push was not finite; `u32::MAX` if none.
    undefined: AtomicU32,
}

impl<B: Block<N, D, L>, const N: usize, const D: usize, const L: usize> Blocks<B, N, D, L> {
    /// Packs elements.
    pub fn new(block: B, elements: &Elements<'_, N, D>) -> Self {
        let Elements { nodes, elements, origin, rest, order } = *elements;
        let Packing { packs, chunks } = Packing::new(elements, origin, nodes, order);
        let pack = |members: &Vec<u32>| {
            let of = |lane: usize| *members.get(lane).unwrap_or(&members[0]) as usize;
            Pack {
                nodes: std::array::from_fn(|a| std::array::from_fn(|lane| elements[of(lane)][a])),
                rest: std::array::from_fn(|d| Lanes::from_fn(|lane| rest(of(lane))[d])),
            }
        };
        let numbers = |members: &Vec<u32>| Members {
            filled: members.len(),
            origin: std::array::from_fn(|lane| origin[*members.get(lane).unwrap_or(&members[0]) as usize]),
        };
        let members = packs.iter().map(numbers).collect();
        let packs: Vec<_> = packs.iter().map(pack).collect();
        assert!(elements.as_flattened().iter().all(|&i| (i as usize) < nodes), "elements have nodes of the model");
        let multipliers = vec![[Lanes::splat(0.0); L]; packs.len()];
        Blocks { block, packs, members, multipliers, chunks, nodes, undefined: AtomicU32::new(u32::MAX) }
    }
}

impl<B: Block<N, D, L>, const N: usize, const D: usize, const L: usize> Relaxation for Blocks<B, N, D, L> {
    fn count(&self, counts: &mut [f64]) {
        for (pack, Members { filled, .. }) in self.packs.iter().zip(&self.members) {
            pack.nodes.iter().flat_map(|nodes| &nodes[..*filled]).for_each(|&i| counts[i as usize] += 1.0);
        }
    }

    fn relax(&mut self, bodies: &mut Bodies, pass: &mut Pass<'_>) {
        if B::IS_CENTRAL && pass.damping == 0.0 && pass.sums.is_none() {
            return self.relax_centrally(bodies, pass);
        }
        let Blocks { block, packs, members, multipliers, chunks, nodes, undefined } = self;
        let Pass { dt, damping, multipliers: memory, sums } = pass;
        let Bodies { start, shift, pushes, is_recorded, .. } = bodies;
        assert!([start.len(), shift.len(), pushes.len()].iter().all(|len| len >= nodes), "bodies of another model");
        let (start, shift) = (&start[..], Shared::new(shift));
        let pushes = is_recorded.then(|| Shared::new(pushes));
        let sums = sums.as_deref_mut().map(Shared::new);
        let multipliers = Shared::new(multipliers);
        let looks = !block.is_defined_everywhere();
        let (memory, dt2, gamma) = (*memory, *dt * *dt, *damping / *dt);
        chunks.for_each(&|range| {
            // Copies of the pointers, so that no store makes the compiler load them again.
            let (start, shift, sums, pushes, multipliers) = (start, shift, sums, pushes, multipliers);
            for index in range {
                let pack = &packs[index];
                // SAFETY: nodes are below the lengths asserted, and no other pack of this colour has them.
                let at = |a: usize, lane: usize| unsafe { shift.at_known(pack.nodes[a][lane] as usize) };
                let mut shifts = [[Quad::default(); LANES]; N];
                let mut x = [[Lanes::splat(0.0); 3]; N];
                let mut shared = [Lanes::splat(0.0); N];
                // Plain loops: the compiler does not always optimise closures over arrays.
                for a in 0..N {
                    let mut positions = [Quad::default(); LANES];
                    for lane in 0..LANES {
                        shifts[a][lane] = *at(a, lane);
                        // SAFETY: as above; starts are not written.
                        let start = unsafe { start.get_unchecked(pack.nodes[a][lane] as usize) };
                        positions[lane] = sum(start, &shifts[a][lane]);
                    }
                    let [px, py, pz, inverse] = across(&positions);
                    (x[a], shared[a]) = ([px, py, pz], inverse);
                }
                let mut moved = [[Lanes::splat(0.0); 3]; N];
                if gamma != 0.0 {
                    for a in 0..N {
                        let [x, y, z, _] = across(&shifts[a]);
                        moved[a] = [x, y, z];
                    }
                }
                // SAFETY: each pack is in one chunk.
                let kept = unsafe { multipliers.at(index) };
                let mut lambda = if memory == Multipliers::Continued { *kept } else { [Lanes::splat(0.0); L] };
                let surroundings = Surroundings { w: shared, moved, dt2, gamma };
                let push = block.relax(&pack.rest, &x, &surroundings, &mut lambda);
                if memory != Multipliers::Dropped {
                    *kept = lambda;
                }
                if looks {
                    note_undefined(undefined, &members[index], &x, &push);
                }
                if let Some(pushes) = &pushes {
                    // SAFETY: as for shifts.
                    unsafe { add_lanes(pushes, pack, members[index].filled, &push) };
                }
                if let Some(sums) = &sums {
                    let steps = std::array::from_fn(|a| scale(across(&shifts[a])[3], push[a]));
                    // SAFETY: as for shifts.
                    unsafe { add_lanes(sums, pack, members[index].filled, &steps) };
                    continue;
                }
                for a in 0..N {
                    let [x, y, z] = scale(shared[a], push[a]);
                    let steps = along([x, y, z, Lanes::splat(0.0)]);
                    for lane in 0..LANES {
                        let moved = sum(&shifts[a][lane], &steps[lane]);
                        // Lanes that repeat an element write the same value again.
                        *at(a, lane) = moved;
                    }
                }
            }
        });
    }

    fn first_undefined(&self) -> Option<usize> {
        let first = self.undefined.swap(u32::MAX, Ordering::Relaxed);
        (first != u32::MAX).then_some(first as usize)
    }
}

/// Records the lowest element whose push is not finite though its nodes are at finite positions.
#[inline(always)]
fn note_undefined<const N: usize>(
    undefined: &AtomicU32,
    members: &Members,
    x: &[Vec3<Lanes>; N],
    push: &[Vec3<Lanes>; N],
) {
    // Zero times a finite number is zero, else NaN.
    let zero = |vectors: &[Vec3<Lanes>; N]| {
        let sum = vectors.as_flattened().iter().fold(Lanes::splat(0.0), |sum, &value| sum + value);
        (sum * Lanes::splat(0.0)).to_array()
    };
    let (of_push, of_x) = (zero(push), zero(x));
    for lane in 0..LANES {
        if of_push[lane] != 0.0 && of_x[lane] == 0.0 {
            undefined.fetch_min(members.origin[lane], Ordering::Relaxed);
        }
    }
}

/// Adds one vector per node of each element.
///
/// # Safety
/// No other thread may touch the nodes of this pack at the same time.
#[inline(always)]
unsafe fn add_lanes<const N: usize, const D: usize>(
    out: &Shared<'_, Quad>,
    pack: &Pack<N, D>,
    filled: usize,
    vectors: &[Vec3<Lanes>; N],
) {
    for a in 0..N {
        let [x, y, z] = vectors[a];
        let quads = along([x, y, z, Lanes::splat(0.0)]);
        for lane in 0..filled {
            // SAFETY: the caller's promise.
            let entry = unsafe { out.at(pack.nodes[a][lane] as usize) };
            (0..3).for_each(|c| entry.0[c] += quads[lane].0[c]);
        }
    }
}
