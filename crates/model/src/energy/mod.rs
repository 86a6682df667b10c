//! Terms of the potential energy, and the loops over their elements.
//!
//! People write an [`Energy`]: the physics of one element, at most four nodes, generic over lanes.
//! A [`Group`] holds many like elements and does everything else once: gathering, packing lanes,
//! threads, the element-to-slot map, scattering in an order that never depends on the threads.
//! The model sees groups as [`Term`]s: one virtual call a group, not an element.

mod bodies;
mod central;
mod colour;
pub mod contact;
mod group;
mod packing;
mod part;
mod quads;
pub mod relaxation;
mod rows;
pub mod spring;

pub use bodies::Rotor;
pub use colour::Shared;
pub use group::Group;
pub use part::{Part, part};
pub use relaxation::{Bodies, Multipliers, Order, Pass, Quad, Relaxation};

use relaxation::{Blocks, Elements};
pub(crate) use rows::ByRows;

use numerics::blocks::{BlockMatrix, Pattern};
use numerics::mat3::{Mat3, Vec3, add, dot, scale};
use numerics::real::Real;

/// Most nodes an element has.
pub const MAX_NODES: usize = 4;
/// Blocks of the lower triangle of an element's Hessian.
pub const MAX_BLOCKS: usize = MAX_NODES * (MAX_NODES + 1) / 2;

/// The kind of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ElementKind {
    /// A tet of a solid.
    Tet,
    /// A spring between two nodes.
    Spring,
    /// A spring between a node and the middle of a triangle.
    FaceSpring,
    /// A penalty of a node that touches an obstacle.
    Contact,
    /// An element of another energy, by the name it has in messages.
    Other(&'static str),
}

impl ElementKind {
    /// The word for it in messages and counts.
    pub fn name(self) -> &'static str {
        match self {
            ElementKind::Tet => "tet",
            ElementKind::Spring => "spring",
            ElementKind::FaceSpring => "face spring",
            ElementKind::Contact => "contact",
            ElementKind::Other(name) => name,
        }
    }
}

impl std::fmt::Display for ElementKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Which Hessian is meant by "stiffness".
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stiffness {
    /// The second derivative of the energy; it may be indefinite.
    #[default]
    Exact,
    /// Each element's Hessian with its negative eigenvalues set to zero.
    Projected,
    /// The exact Hessian without the part that resists turning under stress: tets without the three twist eigenvalues
    /// of dP/dF, springs along their direction only. Stress then does not hold a turning body fast.
    Turned,
    /// Each element's Hessian at rest, rotated with the element: the stiffness of corotational methods.
    Corotated,
}

impl Stiffness {
    /// The words of scenes, and what they mean. [`Stiffness::Corotated`] is chosen by methods alone.
    pub const NAMES: [(&'static str, Stiffness); 3] =
        [("exact", Stiffness::Exact), ("projected", Stiffness::Projected), ("turned", Stiffness::Turned)];

    /// The word for it.
    pub fn name(self) -> &'static str {
        Stiffness::NAMES.iter().find(|(_, kind)| *kind == self).map_or("corotated", |(name, _)| name)
    }
}

/// One term of an element's energy as a constraint: U = const + sum 1/2 k C^2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<R = f64, const N: usize = MAX_NODES> {
    /// The constraint C(x).
    pub c: R,
    /// dC/dx of each node of the element; zero beyond its nodes.
    pub gradient: [Vec3<R>; N],
    /// Stiffness k; [J] when C has no unit, [N/m] when C is a length. Zero where the term is not at work, negative only
    /// where the material's lambda is.
    pub k: R,
}

/// The physics of one element with `N` nodes that remembers `D` numbers of its rest state, its energy a sum of `K` squares.
///
/// Blocks of a Hessian are those of its lower triangle: (a, b) with a >= b at `a (a + 1) / 2 + b`.
pub trait Energy<const N: usize, const D: usize, const K: usize>: Clone + Send + Sync + 'static {
    /// U(x) [J].
    fn value<R: Real>(&self, rest: &[R; D], x: &[Vec3<R>; N]) -> R;
    /// dU/dx [N].
    fn gradient<R: Real>(&self, rest: &[R; D], x: &[Vec3<R>; N]) -> [Vec3<R>; N];
    /// d2U/dx2 [N/m].
    fn hessian<R: Real>(&self, kind: Stiffness, rest: &[R; D], x: &[Vec3<R>; N]) -> [Mat3<R>; MAX_BLOCKS];
    /// The energy as constraints.
    fn rows<R: Real>(&self, rest: &[R; D], x: &[Vec3<R>; N]) -> [Row<R, N>; K];
    /// The stiffness that small steps reckon with in a block, times w: sum k grad C (grad C . w), or a bound of the exact one.
    #[inline(always)]
    fn block_stiffness_times<R: Real>(&self, rest: &[R; D], x: &[Vec3<R>; N], w: &[Vec3<R>; N]) -> [Vec3<R>; N] {
        rows_times(&self.rows(rest, x), w)
    }
    /// Like elements as blocks of constraints.
    fn relaxation(&self, elements: &Elements<'_, N, D>) -> Box<dyn Relaxation> {
        Box::new(Blocks::new(ByRows(self.clone()), elements))
    }
    /// Whether the gradient is linear in x.
    fn is_linear(&self) -> bool {
        false
    }
    /// Whether the energy is defined at x; false for an inverted tet of a material with ln J.
    fn is_admissible(&self, _rest: &[f64; D], _x: &[Vec3; N]) -> bool {
        true
    }
}

/// sum k grad C (grad C . w).
#[inline(always)]
pub(crate) fn rows_times<R: Real, const N: usize>(rows: &[Row<R, N>], w: &[Vec3<R>; N]) -> [Vec3<R>; N] {
    let mut product = [[R::splat(0.0); 3]; N];
    for row in rows {
        let along = (0..N).fold(R::splat(0.0), |sum, a| sum + dot(row.gradient[a], w[a]));
        (0..N).for_each(|a| product[a] = add(product[a], scale(row.k * along, row.gradient[a])));
    }
    product
}

/// A group of like elements, as the model sees it. Positions and results are flat, three numbers a
/// node; results cover the free nodes only, which come first.
pub trait Term: Send + Sync {
    /// The kind of its elements.
    fn kind(&self) -> ElementKind;
    /// Number of elements.
    fn count(&self) -> usize;
    /// The nodes of element `e`.
    fn nodes(&self, e: usize) -> &[u32];
    /// The number the element had where it came from: a tet in its mesh, a spring in the list of its part,
    /// a contact the node.
    fn origin(&self, e: usize) -> usize;
    /// U(x) [J].
    fn value(&self, x: &[f64]) -> f64;
    /// Adds to each node its share of U(x) [J]: every element is shared by its nodes equally.
    fn share_energy(&self, x: &[f64], shares: &mut [f64]);
    /// f -= dU/dx.
    fn add_force(&self, x: &[f64], f: &mut [f64]);
    /// K += d2U/dx2.
    fn add_stiffness(&self, kind: Stiffness, x: &[f64], k: &mut BlockMatrix);
    /// y += c d2U/dx2 w, without a matrix; w covers all nodes.
    fn add_stiffness_times(&self, kind: Stiffness, c: f64, x: &[f64], w: &[f64], y: &mut [f64]);
    /// The constraints of element `e` at x, appended to `rows`.
    fn rows(&self, e: usize, x: &[f64], rows: &mut Vec<Row>);
    /// y += c times the stiffness that small steps reckon with in their blocks; w covers all nodes.
    fn add_block_stiffness_times(&self, c: f64, x: &[f64], w: &[f64], y: &mut [f64]);
    /// The elements as blocks of constraints, to be relaxed one after the other in this order.
    fn relaxation(&self, nodes: usize, order: Order) -> Box<dyn Relaxation>;
    /// Whether the force is linear in the positions.
    fn is_linear(&self) -> bool;
    /// The first element whose energy is not defined at x.
    fn first_inadmissible(&self, x: &[f64]) -> Option<usize>;
    /// Those of its elements that `keep` tells, by their nodes, as a group of their own.
    fn part(&self, keep: &dyn Fn(&[u32]) -> bool) -> Box<dyn Term>;
    /// Looks up, once, where each block of each element goes in a matrix of this pattern.
    fn freeze(&mut self, pattern: &Pattern);
}
