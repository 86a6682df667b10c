//! Terms of the potential energy, and the loops over their elements.
//!
//! An [`Energy`] is the physics of one element with at most four nodes, generic over lanes. A [`Group`] holds many
//! elements of one kind and does the rest once: gathering, packing into lanes, threads, the element-to-slot map, and
//! scattering in an order that does not depend on threads. The model sees groups as [`Term`]s: one virtual call per
//! group, not per element.

mod bodies;
mod central;
mod colour;
pub mod contact;
pub mod face_shear;
mod group;
pub mod packed;
mod packing;
mod part;
mod quads;
pub mod relaxation;
mod rows;
pub mod spring;

pub use bodies::Rotor;
pub use colour::Shared;
pub use group::Group;
pub(crate) use part::part_of;
pub use part::{EnergyPart, part};
pub use relaxation::{Bodies, Multipliers, Order, Pass, Quad, Relaxation};

use packed::{Cut, PackedTerm};
use relaxation::{Blocks, Elements};
pub(crate) use rows::ByRows;

use numerics::blocks::{BlockMatrix, Pattern};
use numerics::linear::Packs;
use numerics::mat3::{Mat3, Vec3, add, dot, scale};
use numerics::real::Real;

/// Largest number of nodes of an element.
pub const MAX_NODES: usize = 4;
/// Largest number of blocks in the lower triangle of an element's Hessian.
pub const MAX_BLOCKS: usize = MAX_NODES * (MAX_NODES + 1) / 2;

/// Kind of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ElementKind {
    /// A tet of a solid.
    Tet,
    /// A spring between two nodes.
    Spring,
    /// A spring between a node and the centroid of a triangle.
    FaceSpring,
    /// Shear of a four-sided face of a fibre.
    FaceShear,
    /// A penalty on a node that touches an obstacle.
    Contact,
    /// An element of a user-supplied energy, with its name in messages.
    Other(&'static str),
}

impl ElementKind {
    /// Returns its name in messages and counts.
    pub fn name(self) -> &'static str {
        match self {
            ElementKind::Tet => "tet",
            ElementKind::Spring => "spring",
            ElementKind::FaceSpring => "face spring",
            ElementKind::FaceShear => "face shear",
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

/// Kind of Hessian used as stiffness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stiffness {
    /// Exact Hessian without the stress that the turn of the last linear step explains; see [`Configuration::way`].
    /// Without such a step it is the exact one, and in a model with fibres the turned one.
    #[default]
    Auto,
    /// Second derivative of the energy; may be indefinite.
    Exact,
    /// Hessian of each element with its negative eigenvalues set to zero.
    Projected,
    /// Exact Hessian without the part that resists rotation under stress: tets without the three twist eigenvalues of
    /// dP/dF, as far as strains below 5 % cause them; springs along their direction only. Stress then does not keep a body
    /// from turning.
    Turned,
    /// Hessian of each element at rest, rotated with the element: the stiffness of corotational methods.
    Corotated,
    /// [`Stiffness::Turned`] with the resistance to rotation of the tension that the last linear step predicted; see
    /// [`Configuration::way`]. Without such a step it is the turned one.
    Predicted,
}

impl Stiffness {
    /// Names in scenes. [`Stiffness::Corotated`] and [`Stiffness::Predicted`] are chosen by methods only.
    pub const NAMES: [(&'static str, Stiffness); 4] = [
        ("auto", Stiffness::Auto),
        ("exact", Stiffness::Exact),
        ("projected", Stiffness::Projected),
        ("turned", Stiffness::Turned),
    ];

    /// Words of scenes, in the order of [`Stiffness::NAMES`].
    pub const WORDS: [&'static str; 4] =
        [Stiffness::NAMES[0].0, Stiffness::NAMES[1].0, Stiffness::NAMES[2].0, Stiffness::NAMES[3].0];

    /// Returns its name.
    pub fn name(self) -> &'static str {
        let own = if self == Stiffness::Predicted { "predicted" } else { "corotated" };
        Stiffness::NAMES.iter().find(|(_, kind)| *kind == self).map_or(own, |(name, _)| name)
    }
}

/// Positions at which a stiffness is evaluated, and the way to them.
#[derive(Debug, Clone, Copy)]
pub struct Configuration<'a> {
    /// Positions of all nodes [m].
    pub x: &'a [f64],
    /// Displacements of all nodes [m] in the step that ended here, if that step was linear in the displacements: it has
    /// stretched whatever it turned. [`Stiffness::Auto`] leaves out the stress of this stretch. Empty: no such step.
    pub way: &'a [f64],
    /// Masses of all nodes over the square of the length of that step [N/m]: what their inertia bears against a force that acts
    /// explicitly. Springs leave out no more true tension than that. Empty: no bound.
    pub inertia: &'a [f64],
}

impl<'a> From<&'a [f64]> for Configuration<'a> {
    fn from(x: &'a [f64]) -> Configuration<'a> {
        Configuration { x, way: &[], inertia: &[] }
    }
}

impl<'a> From<&'a Vec<f64>> for Configuration<'a> {
    fn from(x: &'a Vec<f64>) -> Configuration<'a> {
        Configuration { x, way: &[], inertia: &[] }
    }
}

/// One term of an element's energy, written as a constraint: U = const + sum 1/2 k C^2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<R = f64, const N: usize = MAX_NODES> {
    /// Constraint C(x).
    pub c: R,
    /// dC/dx for each node of the element; zero beyond its nodes.
    pub gradient: [Vec3<R>; N],
    /// Stiffness k: [J] when C has no unit, [N/m] when C is a length. Zero where the term is inactive, negative only
    /// where the material's lambda is.
    pub k: R,
}

/// Physics of one element with `N` nodes and `D` numbers of rest state, whose energy is a sum of `K` squares.
///
/// A Hessian is stored by the blocks of its lower triangle: (a, b) with a >= b at `a (a + 1) / 2 + b`.
///
/// ```
/// use model::energy::{Energy, MAX_BLOCKS, Row, Stiffness};
/// use numerics::mat3::{Mat3, Vec3};
/// use numerics::real::Real;
///
/// /// Holds a node at height 0: U = k/2 z^2. The rest state is k [N/m].
/// #[derive(Clone)]
/// struct Level;
///
/// impl Energy<1, 1, 1> for Level {
///     fn value<R: Real>(&self, k: &[R; 1], x: &[Vec3<R>; 1]) -> R {
///         R::splat(0.5) * k[0] * x[0][2] * x[0][2]
///     }
///     fn gradient<R: Real>(&self, k: &[R; 1], x: &[Vec3<R>; 1]) -> [Vec3<R>; 1] {
///         [[R::splat(0.0), R::splat(0.0), k[0] * x[0][2]]]
///     }
///     fn hessian<R: Real>(&self, _: Stiffness, k: &[R; 1], _: &[Vec3<R>; 1]) -> [Mat3<R>; MAX_BLOCKS] {
///         let mut blocks = [[[R::splat(0.0); 3]; 3]; MAX_BLOCKS];
///         blocks[0][2][2] = k[0];
///         blocks
///     }
///     fn rows<R: Real>(&self, k: &[R; 1], x: &[Vec3<R>; 1]) -> [Row<R, 1>; 1] {
///         [Row { c: x[0][2], gradient: [[0.0, 0.0, 1.0].map(R::splat)], k: k[0] }]
///     }
/// }
///
/// // The gradient is the derivative of the value.
/// let energy = |z: f64| Level.value(&[8.0], &[[0.0, 0.0, z]]);
/// assert_eq!(Level.gradient(&[8.0], &[[0.0, 0.0, 1.0]])[0][2], energy(1.5) - energy(0.5));
/// ```
pub trait Energy<const N: usize, const D: usize, const K: usize>: Clone + Send + Sync + 'static {
    /// Computes U(x) [J].
    fn value<R: Real>(&self, rest: &[R; D], x: &[Vec3<R>; N]) -> R;
    /// Computes dU/dx [N].
    fn gradient<R: Real>(&self, rest: &[R; D], x: &[Vec3<R>; N]) -> [Vec3<R>; N];
    /// Computes d2U/dx2 [N/m].
    fn hessian<R: Real>(&self, kind: Stiffness, rest: &[R; D], x: &[Vec3<R>; N]) -> [Mat3<R>; MAX_BLOCKS];
    /// Computes the Hessian without the stress that a linear step, which ended at x, has caused by turning the element:
    /// `way` are the displacements of its nodes [m], `inertia` what they bear ([`Configuration::inertia`]), infinite without a
    /// bound. By default the exact Hessian.
    #[inline(always)]
    fn hessian_after<R: Real>(
        &self,
        rest: &[R; D],
        x: &[Vec3<R>; N],
        _way: &[Vec3<R>; N],
        _inertia: &[R; N],
    ) -> [Mat3<R>; MAX_BLOCKS] {
        self.hessian(Stiffness::Exact, rest, x)
    }
    /// Computes the turned Hessian and the resistance to rotation of the tension that a linear step along `way` [m], which
    /// ended at x, predicted: that where it began, and the tangent there times `way`. By default the turned Hessian.
    #[inline(always)]
    fn hessian_predicted<R: Real>(
        &self,
        rest: &[R; D],
        x: &[Vec3<R>; N],
        _way: &[Vec3<R>; N],
    ) -> [Mat3<R>; MAX_BLOCKS] {
        self.hessian(Stiffness::Turned, rest, x)
    }
    /// Computes the square of the angle by which a step along `way` [m], which ended at x, turned the element [rad^2]. By
    /// default zero: the element has no direction.
    #[inline(always)]
    fn turn<R: Real>(&self, _rest: &[R; D], _x: &[Vec3<R>; N], _way: &[Vec3<R>; N]) -> R {
        R::splat(0.0)
    }
    /// Writes the energy as constraints.
    fn rows<R: Real>(&self, rest: &[R; D], x: &[Vec3<R>; N]) -> [Row<R, N>; K];
    /// Computes the stiffness that small steps use within a block, times w: sum k grad C (grad C . w), or a bound of
    /// the exact product.
    #[inline(always)]
    fn block_stiffness_times<R: Real>(&self, rest: &[R; D], x: &[Vec3<R>; N], w: &[Vec3<R>; N]) -> [Vec3<R>; N] {
        rows_times(&self.rows(rest, x), w)
    }
    /// Makes blocks of constraints of elements of this energy.
    fn relaxation(&self, elements: &Elements<'_, N, D>) -> Box<dyn Relaxation> {
        Box::new(Blocks::new(ByRows(self.clone()), elements))
    }
    /// Returns true if the gradient is linear in x.
    fn is_linear(&self) -> bool {
        false
    }
    /// Returns true if forces of neighbours balance each other far above all loads, as in a bent fibre. Their geometric
    /// stiffness is the small difference of large numbers, and [`Stiffness::Auto`] is the turned one throughout the model.
    fn is_self_stressed(&self) -> bool {
        false
    }
    /// Returns true if the energy is defined at x; false for an inverted tet of a material with ln J.
    fn is_admissible(&self, _rest: &[f64; D], _x: &[Vec3; N]) -> bool {
        true
    }
}

/// Computes the share of a strain of this size that a linear step has caused by turning an element; `most` is the largest
/// strain that it may have caused.
#[inline(always)]
pub(crate) fn false_share<R: Real>(most: R, strain: R) -> R {
    most / strain.max(most).at_least(R::splat(f64::MIN_POSITIVE))
}

/// Computes sum k grad C (grad C . w).
#[inline(always)]
pub(crate) fn rows_times<R: Real, const N: usize>(rows: &[Row<R, N>], w: &[Vec3<R>; N]) -> [Vec3<R>; N] {
    let mut product = [[R::splat(0.0); 3]; N];
    for row in rows {
        let along = (0..N).fold(R::splat(0.0), |sum, a| sum + dot(row.gradient[a], w[a]));
        (0..N).for_each(|a| product[a] = add(product[a], scale(row.k * along, row.gradient[a])));
    }
    product
}

/// Group of elements of one kind, as the model sees it. Positions and results are flat, three numbers per node; results
/// cover the free nodes only, which come first.
///
/// ```
/// use model::energy::Term;
/// use model::energy::contact::{Contact, Obstacle};
///
/// // One node and a floor that pushes back with 100 N/m.
/// let floor = Obstacle::Plane { point: [0.0; 3], normal: [0.0, 0.0, 1.0] };
/// let term: Box<dyn Term> = Box::new(Contact::group(floor, 1, [(0, 100.0)].into_iter()));
/// assert_eq!((term.count(), term.nodes(0)), (1, &[0][..]));
///
/// // The node is 0.5 m deep: 12.5 J and 50 N upwards, added to the forces that are there.
/// let (x, mut f) = ([0.0, 0.0, -0.5], [1.0; 3]);
/// assert_eq!(term.value(&x), 12.5);
/// term.add_force(&x, &mut f);
/// assert_eq!(f, [1.0, 1.0, 51.0]);
/// ```
pub trait Term: Send + Sync {
    /// Returns the kind of its elements.
    fn kind(&self) -> ElementKind;
    /// Returns the number of elements.
    fn count(&self) -> usize;
    /// Returns the nodes of element `e`.
    fn nodes(&self, e: usize) -> &[u32];
    /// Returns the original number of element `e`: of a tet its number in the mesh, of a spring its index in its part,
    /// of a contact its node.
    fn origin(&self, e: usize) -> usize;
    /// Computes U(x) [J].
    fn value(&self, x: &[f64]) -> f64;
    /// Adds the energy of each element [J] to its nodes, in equal shares.
    fn share_energy(&self, x: &[f64], shares: &mut [f64]);
    /// Computes f -= dU/dx.
    fn add_force(&self, x: &[f64], f: &mut [f64]);
    /// Computes K += d2U/dx2.
    fn add_stiffness(&self, kind: Stiffness, at: Configuration<'_>, k: &mut BlockMatrix);
    /// Computes y += c d2U/dx2 w, without a matrix; w covers all nodes.
    fn add_stiffness_times(&self, kind: Stiffness, c: f64, at: Configuration<'_>, w: &[f64], y: &mut [f64]);
    /// Sums the squares of the angles by which the last step turned the elements [rad^2].
    fn turns(&self, at: Configuration<'_>) -> f64;
    /// Appends the constraints of element `e` at x to `rows`.
    fn rows(&self, e: usize, x: &[f64], rows: &mut Vec<Row>);
    /// Computes y += c times the stiffness that small steps use within their blocks, times w; w covers all nodes.
    fn add_block_stiffness_times(&self, c: f64, x: &[f64], w: &[f64], y: &mut [f64]);
    /// Makes blocks of constraints of the elements, to be relaxed in this order.
    fn relaxation(&self, nodes: usize, order: Order) -> Box<dyn Relaxation>;
    /// Returns true if the force is linear in the positions.
    fn is_linear(&self) -> bool;
    /// Returns true if forces of neighbours balance each other far above all loads.
    fn is_self_stressed(&self) -> bool;
    /// Returns the first element whose energy is not defined at x.
    fn first_inadmissible(&self, x: &[f64]) -> Option<usize>;
    /// Packs those of its elements that belong to components of one shape, eight components side by side.
    fn packed(&self, cut: &Cut, packs: &Packs) -> Box<dyn PackedTerm>;
    /// Returns a group of the elements that `keep` accepts by their nodes.
    fn part(&self, keep: &dyn Fn(&[u32]) -> bool) -> Box<dyn Term>;
    /// Looks up, once, the slot of each block of each element in a matrix of this pattern.
    fn freeze(&mut self, pattern: &Pattern);
}
