//! Elements of a user-supplied energy, in the numbering of the mesh, for a [`crate::Blueprint`].

use super::{ElementKind, Energy, Group, Term};

/// Elements of one energy, a part of a [`crate::Blueprint`]: they become a group of the model.
///
/// ```
/// use model::energy::contact::{Contact, Obstacle};
/// use model::energy::{ElementKind, EnergyPart, Term};
///
/// /// Nodes of the mesh above a floor that pushes back with 100 N/m.
/// struct Floor(Vec<[u32; 1]>);
///
/// impl EnergyPart for Floor {
///     fn kind(&self) -> ElementKind {
///         ElementKind::Other("floor")
///     }
///     fn count(&self) -> usize {
///         self.0.len()
///     }
///     fn nodes(&self, element: usize) -> &[u32] {
///         &self.0[element]
///     }
///     fn group(&self, free: usize, number: &dyn Fn(u32) -> u32) -> Box<dyn Term> {
///         let plane = Obstacle::Plane { point: [0.0; 3], normal: [0.0, 0.0, 1.0] };
///         Box::new(Contact::group(plane, free, self.0.iter().map(|&[node]| (number(node), 100.0))))
///     }
/// }
///
/// let mut blueprint = model::Blueprint::default();
/// blueprint.mesh.points = vec![[0.0, 0.0, -0.5], [0.0, 0.0, 2.0]];
/// blueprint.node_masses = vec![(0, 1.0), (1, 1.0)];
/// blueprint.energies = vec![Box::new(Floor(vec![[0], [1]]))];
/// let model = blueprint.build().unwrap();
/// assert_eq!(model.elastic_energy(model.rest()), 12.5);
/// ```
pub trait EnergyPart: Send + Sync {
    /// Returns the kind of its elements, with their name in messages.
    fn kind(&self) -> ElementKind;
    /// Returns the number of elements.
    fn count(&self) -> usize;
    /// Returns the nodes of an element, in the mesh.
    fn nodes(&self, element: usize) -> &[u32];
    /// Makes the group. The first `free` nodes of the model are unknowns; `number` maps a node of the mesh to its
    /// number in the model.
    fn group(&self, free: usize, number: &dyn Fn(u32) -> u32) -> Box<dyn Term>;
}

/// Wraps elements of one energy: nodes in the mesh and rest state of each. Messages call an element `name`.
///
/// ```
/// # use model::energy::{self, Energy, Stiffness, Row, MAX_BLOCKS};
/// # use numerics::{mat3::{Mat3, Vec3, identity, mat_scale, sub, scale, dot, norm}, real::Real};
/// /// Pulls a node to the origin: U = k/2 |x|^2, its rest state k [N/m].
/// #[derive(Clone)]
/// struct Tether;
///
/// impl Energy<1, 1, 1> for Tether {
///     fn value<R: Real>(&self, k: &[R; 1], x: &[Vec3<R>; 1]) -> R {
///         R::splat(0.5) * k[0] * dot(x[0], x[0])
///     }
///     fn gradient<R: Real>(&self, k: &[R; 1], x: &[Vec3<R>; 1]) -> [Vec3<R>; 1] {
///         [scale(k[0], x[0])]
///     }
///     fn hessian<R: Real>(&self, _: Stiffness, k: &[R; 1], _: &[Vec3<R>; 1]) -> [Mat3<R>; MAX_BLOCKS] {
///         let mut blocks = [[[R::splat(0.0); 3]; 3]; MAX_BLOCKS];
///         blocks[0] = mat_scale(k[0], &identity());
///         blocks
///     }
///     fn rows<R: Real>(&self, k: &[R; 1], x: &[Vec3<R>; 1]) -> [Row<R, 1>; 1] {
///         let c = norm(x[0]).at_least(R::splat(1e-150));
///         [Row { c, gradient: [scale(R::splat(1.0) / c, x[0])], k: k[0] }]
///     }
/// }
///
/// let mut blueprint = model::Blueprint::default();
/// blueprint.mesh.points = vec![[1.0, 0.0, 0.0]];
/// blueprint.node_masses = vec![(0, 1.0)];
/// blueprint.energies = vec![energy::part("tether", Tether, vec![([0], [8.0])])];
/// let model = blueprint.build().unwrap();
/// assert_eq!(model.elastic_energy(model.rest()), 4.0);
/// ```
pub fn part<E: Energy<N, D, K>, const N: usize, const D: usize, const K: usize>(
    name: &'static str,
    energy: E,
    elements: Vec<([u32; N], [f64; D])>,
) -> Box<dyn EnergyPart> {
    part_of(ElementKind::Other(name), energy, elements)
}

/// Wraps elements of one energy and kind: nodes in the mesh and rest state of each.
pub(crate) fn part_of<E: Energy<N, D, K>, const N: usize, const D: usize, const K: usize>(
    kind: ElementKind,
    energy: E,
    elements: Vec<([u32; N], [f64; D])>,
) -> Box<dyn EnergyPart> {
    Box::new(Elements::<E, N, D, K> { kind, energy, elements })
}

struct Elements<E, const N: usize, const D: usize, const K: usize> {
    kind: ElementKind,
    energy: E,
    elements: Vec<([u32; N], [f64; D])>,
}

impl<E: Energy<N, D, K>, const N: usize, const D: usize, const K: usize> EnergyPart for Elements<E, N, D, K> {
    fn kind(&self) -> ElementKind {
        self.kind
    }

    fn count(&self) -> usize {
        self.elements.len()
    }

    fn nodes(&self, element: usize) -> &[u32] {
        &self.elements[element].0
    }

    fn group(&self, free: usize, number: &dyn Fn(u32) -> u32) -> Box<dyn Term> {
        let numbered = self.elements.iter().enumerate().map(|(e, (nodes, rest))| (nodes.map(number), *rest, e as u32));
        let group: Group<E, N, D, K> = Group::new(self.kind, self.energy.clone(), free, numbered.collect());
        Box::new(group)
    }
}
