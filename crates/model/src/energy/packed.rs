//! Elements of components of one shape, lane by lane: each lane of a pack is another component.
//!
//! Components of one shape have the same elements between the same of their rows. So the elements of eight components are
//! computed side by side from positions that are in lanes already, and forces and blocks are added in lanes: nothing is
//! transposed, and nothing leaves the cache.

use super::{Energy, MAX_BLOCKS, MAX_NODES, Stiffness};
use numerics::linear::{PackMatrix, Packs, Place};
use numerics::mat3::{Mat3, Vec3, add, mat_t_vec, mat_vec, sub};
use numerics::real::{Lanes, Real};

const LANES: usize = Lanes::LANES;

/// Positions of the nodes of a pack: first the rows of its components, then nodes that are not free.
#[derive(Debug, Clone, Copy)]
pub struct PackPositions<'a> {
    /// Positions [m].
    pub x: &'a [Vec3<Lanes>],
    /// Displacements in the last step [m]: see [`super::Configuration::way`]; empty if there was none.
    pub way: &'a [Vec3<Lanes>],
    /// Bound by the inertia of these nodes [N/m], where there was one: see [`super::Configuration::inertia`].
    pub inertia: &'a [Lanes],
    /// Two vectors at the nodes that are not free, whose products with the stiffness are wanted; empty if none are.
    pub outside: &'a [[Vec3<Lanes>; OUTSIDE]],
}

/// Number of vectors at nodes that are not free.
pub const OUTSIDE: usize = 2;

/// Sums over the elements of a pack.
pub struct PackSums<'a> {
    /// Forces on all nodes [N].
    pub force: &'a mut [Vec3<Lanes>],
    /// Products of the stiffness with the vectors outside.
    pub products: &'a mut [[Vec3<Lanes>; OUTSIDE]],
    /// Stiffness of the rows [N/m].
    pub stiffness: &'a mut PackMatrix,
}

/// Elements of one group in components of one shape.
///
/// ```
/// use model::energy::Stiffness;
/// use model::energy::packed::{PackPositions, PackSums};
/// use model::energy::spring::Law;
/// use model::{Blueprint, SpringPart};
/// use numerics::real::Lanes;
///
/// // Eight masses, each on a spring of 1 m and 8 N/m that is held at its other end.
/// let pairs = (0..8).map(|k| [2 * k, 2 * k + 1]).collect();
/// let mut blueprint = Blueprint::default();
/// blueprint.mesh.points = (0..16).map(|i| [f64::from(i % 2), f64::from(i / 2), 0.0]).collect();
/// blueprint.node_masses = (0..16).map(|i| (i, 1.0)).collect();
/// blueprint.fixed = (0..16).step_by(2).collect();
/// blueprint.springs = vec![SpringPart { pairs, law: Law::Linear, stiffness: 8.0 }];
/// let model = blueprint.build().unwrap();
///
/// // They are one shape of one row, and its only pack pulls with 4 N in every lane.
/// let alike = &model.alike().unwrap()[0];
/// let zero = Lanes::splat(0.0);
/// let x = [[Lanes::splat(1.5), zero, zero], [zero; 3]];
/// let (mut force, mut products, mut stiffness) = ([[zero; 3]; 2], [[[zero; 3]; 2]], alike.packs.matrix());
/// let mut sums = PackSums { force: &mut force, products: &mut products, stiffness: &mut stiffness };
/// alike.add(0, Stiffness::Exact, PackPositions { x: &x, way: &[], inertia: &[], outside: &[] }, &mut sums);
/// assert_eq!(force[0][0].to_array(), [-4.0; 8]);
/// ```
pub trait PackedTerm: Send + Sync {
    /// Adds forces, products and stiffness of the elements of a pack.
    fn add(&self, pack: usize, kind: Stiffness, at: PackPositions<'_>, sums: &mut PackSums<'_>);
}

/// Elements of one group that belong to components of one shape.
#[derive(Debug, Default)]
pub struct Cut {
    /// Nodes of each element within a component: rows, then nodes that are not free.
    pub nodes: Vec<[u32; MAX_NODES]>,
    /// These elements of the components: element after element, pack after pack.
    pub elements: Vec<[u32; LANES]>,
}

struct Packed<E, const N: usize, const D: usize, const K: usize> {
    energy: E,
    nodes: Vec<[u32; N]>,
    /// Places of the blocks in the matrix; `None` where a node is not free.
    places: Vec<[Option<Place>; MAX_BLOCKS]>,
    /// Rest states: element after element, pack after pack.
    rest: Vec<[Lanes; D]>,
    /// Number of rows: later nodes are not free.
    rows: u32,
}

/// Packs elements of an energy: `rest` returns the rest state of an element of the group.
pub(super) fn packed<E: Energy<N, D, K>, const N: usize, const D: usize, const K: usize>(
    energy: E,
    cut: &Cut,
    packs: &Packs,
    rest: impl Fn(usize) -> [f64; D],
) -> Box<dyn PackedTerm> {
    let rows = packs.height();
    let nodes: Vec<[u32; N]> = cut.nodes.iter().map(|nodes| std::array::from_fn(|a| nodes[a])).collect();
    let of_element = |nodes: &[u32; N]| {
        let mut places = [None; MAX_BLOCKS];
        for a in 0..N {
            for b in 0..=a {
                let [i, j] = [nodes[a] as usize, nodes[b] as usize];
                if i < rows && j < rows {
                    places[a * (a + 1) / 2 + b] = packs.place(i, j);
                }
            }
        }
        places
    };
    let places = nodes.iter().map(of_element).collect();
    let of_lanes = |elements: &[u32; LANES]| {
        let rest = elements.map(|e| rest(e as usize));
        std::array::from_fn(|d| Lanes::from_fn(|lane| rest[lane][d]))
    };
    let rest = cut.elements.iter().map(of_lanes).collect();
    Box::new(Packed { energy, nodes, places, rest, rows: rows as u32 })
}

impl<E: Energy<N, D, K>, const N: usize, const D: usize, const K: usize> PackedTerm for Packed<E, N, D, K> {
    fn add(&self, pack: usize, kind: Stiffness, at: PackPositions<'_>, sums: &mut PackSums<'_>) {
        let count = self.nodes.len();
        let PackSums { force, products, stiffness } = sums;
        let rest = &self.rest[pack * count..(pack + 1) * count];
        for ((nodes, places), rest) in self.nodes.iter().zip(&self.places).zip(rest) {
            let x = gather(at.x, nodes);
            let gradient = self.energy.gradient(rest, &x);
            for a in 0..N {
                let to = &mut force[nodes[a] as usize];
                *to = sub(*to, gradient[a]);
            }
            let blocks = match kind {
                Stiffness::Auto if !at.way.is_empty() => {
                    let inertia = nodes.map(|node| at.inertia[node as usize]);
                    self.energy.hessian_after(rest, &x, &gather(at.way, nodes), &inertia)
                }
                kind => self.energy.hessian(kind, rest, &x),
            };
            for k in 0..N * (N + 1) / 2 {
                if let Some(place) = places[k] {
                    stiffness.add(place, &blocks[k]);
                }
            }
            if !at.outside.is_empty() && nodes.iter().any(|&i| i >= self.rows) {
                self.add_products(nodes, &blocks, at.outside, products);
            }
        }
    }
}

impl<E, const N: usize, const D: usize, const K: usize> Packed<E, N, D, K> {
    /// Adds to the free nodes of an element the products with the vectors at the others.
    fn add_products(
        &self,
        nodes: &[u32; N],
        blocks: &[Mat3<Lanes>; MAX_BLOCKS],
        outside: &[[Vec3<Lanes>; OUTSIDE]],
        products: &mut [[Vec3<Lanes>; OUTSIDE]],
    ) {
        for a in (0..N).filter(|&a| nodes[a] < self.rows) {
            for b in (0..N).filter(|&b| nodes[b] >= self.rows) {
                let vectors = &outside[(nodes[b] - self.rows) as usize];
                for (to, vector) in products[nodes[a] as usize].iter_mut().zip(vectors) {
                    let product = if a > b {
                        mat_vec(&blocks[a * (a + 1) / 2 + b], *vector)
                    } else {
                        mat_t_vec(&blocks[b * (b + 1) / 2 + a], *vector)
                    };
                    *to = add(*to, product);
                }
            }
        }
    }
}

/// Takes the entries of the nodes of an element.
#[inline(always)]
fn gather<const N: usize>(from: &[Vec3<Lanes>], nodes: &[u32; N]) -> [Vec3<Lanes>; N] {
    let mut taken = [[Lanes::splat(0.0); 3]; N];
    for a in 0..N {
        taken[a] = from[nodes[a] as usize];
    }
    taken
}
