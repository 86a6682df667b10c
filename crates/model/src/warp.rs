//! Rotation-strain warping: corrects the results of linear elasticity for large rotations.
//!
//! Linear elasticity treats every rotation as a displacement u = w x X, so that bending bodies swell. Its displacement
//! gradient G = grad u still separates both (Huang et al. 2011): the skew part W is a rotation vector, the symmetric
//! part E a strain, and the deformation of a tet should be
//!
//!   F = exp(W) (I + E),
//!
//! a target on which neighbours do not agree. The displayed positions are those that come closest to it,
//!
//!   arg min sum V |grad x - F|^2,   x given where nodes are not free:
//!
//! a Poisson equation. Its matrix, sum V g_a . g_b, has one number per pair of nodes and never changes; it is
//! factorised once. We solve for d = x - (X + u), which vanishes where nodes are not free, from the excess F - (I + G)
//! = exp(W) (I + E) - I - W - E. A body at rest, or only stretched, keeps its positions bit for bit.
//!
//! A connected component that nothing holds is determined up to a translation: it keeps its centre of mass. Tets of
//! other materials have no excess, and components without linear tets do not move.
//!
//! Cost: one pass over the linear tets and one solve with the factor, a ninth of the size of that of an implicit step.
//! Fails for large angles, where W no longer determines the rotation: the displayed body keeps turning.
//!
//! Huang, Tong, Zhou, Bao, Desbrun 2011: Interactive shape interpolation through controllable dynamic deformation.

use crate::energy::ElementKind;
use crate::energy::Group;
use crate::material::solid::{REST, rest_state};
use crate::model::Model;
use numerics::blocks::Pattern;
use numerics::linear::{LinearError, ScalarCholesky};
use numerics::mat3::{Vec3, add, cross, dot, scale, sub};
use numerics::real::Real;
use numerics::vectors::is_finite;
use std::fmt;

/// Marks nodes that are not unknowns: held, or of a component that is not warped.
const NOT_UNKNOWN: u32 = u32::MAX;

/// Positions for display instead of those of linear elasticity. Made once per model.
pub struct Warp {
    rest: Vec<f64>,
    /// Linear tets.
    tets: Group<(), 4, REST, 0>,
    factor: ScalarCholesky,
    /// Node of each unknown.
    unknowns: Vec<u32>,
    components: Vec<FreeComponent>,
    /// Displacements, then sums of excesses at free nodes.
    u: Vec<f64>,
    sums: Vec<f64>,
    d: Vec<Vec3>,
}

/// Connected tets without a held node.
struct FreeComponent {
    /// Nodes with their share of its mass.
    shares: Vec<(u32, f64)>,
}

/// Reason why results cannot be warped.
#[derive(Debug, Clone, PartialEq)]
pub enum WarpError {
    /// No tets have a linear material.
    NothingLinear,
    /// The Poisson equation could not be factorised; rows are nodes of the mesh.
    Factor(LinearError),
}

impl fmt::Display for WarpError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WarpError::NothingLinear => write!(
                f,
                "there are no tets of a linear material to warp, and other materials turn by themselves; use model = \
                 \"linear\", or leave warping off"
            ),
            // A singular matrix of a step has other causes and other remedies.
            WarpError::Factor(LinearError::Singular { row: Some(node) } | LinearError::NonFinite { row: node }) => {
                write!(
                    f,
                    "the shape of the mesh at node {node} cannot be warped in working precision; mend the tets there, which are \
                 nearly flat or of very different sizes, or leave warping off"
                )
            }
            WarpError::Factor(error) => write!(f, "warping: {error}"),
        }
    }
}

impl std::error::Error for WarpError {}

impl Warp {
    /// Numbers the unknowns, and orders and factorises the matrix.
    pub fn new(model: &Model) -> Result<Warp, WarpError> {
        let tets: Vec<(&[u32], bool)> = (model.terms().iter())
            .filter(|term| term.kind() == ElementKind::Tet)
            .flat_map(|term| (0..term.count()).map(|e| (term.nodes(e), term.is_linear())))
            .collect();
        let component = components(model.nodes(), tets.iter().map(|tet| tet.0));
        // Per component, indexed by its first node: true if it is warped, and the node that is held.
        let mut warped = vec![false; model.nodes()];
        let mut held: Vec<Option<usize>> = vec![None; model.nodes()];
        for (nodes, _) in tets.iter().filter(|tet| tet.1) {
            warped[component[nodes[0] as usize] as usize] = true;
        }
        let root = |i: usize| component[i] as usize;
        (model.free_nodes()..model.nodes()).for_each(|i| held[root(i)] = Some(i));
        // Without one, the first node is held until the component is moved back to its centre.
        let mut free = Vec::new();
        for i in (0..model.free_nodes()).filter(|&i| warped[root(i)]) {
            if held[root(i)].is_none() {
                held[root(i)] = Some(i);
                free.push(root(i));
            }
        }
        let is_unknown = |&i: &usize| warped[root(i)] && held[root(i)] != Some(i);
        let unknowns: Vec<u32> = (0..model.free_nodes()).filter(is_unknown).map(|i| i as u32).collect();
        let mut number = vec![NOT_UNKNOWN; model.nodes()];
        unknowns.iter().enumerate().for_each(|(k, &i)| number[i as usize] = k as u32);

        let corner = |i: u32| -> Vec3 { std::array::from_fn(|c| model.rest()[3 * i as usize + c]) };
        let tets = tets.iter().filter_map(|&(nodes, is_linear)| {
            let nodes: [u32; 4] = nodes.try_into().ok()?;
            Some((nodes, rest_state(&nodes.map(corner)), is_linear))
        });
        let tets: Vec<([u32; 4], [f64; REST], bool)> = tets.filter(|tet| warped[root(tet.0[0] as usize)]).collect();
        if tets.is_empty() {
            return Err(WarpError::NothingLinear);
        }
        let cliques: Vec<[u32; 4]> = tets.iter().map(|tet| tet.0.map(|i| number[i as usize])).collect();
        let pattern = Pattern::from_cliques(unknowns.len(), cliques.iter().map(|clique| clique.as_slice()));
        let mut laplacian = vec![0.0; pattern.slots()];
        for (nodes, (_, rest, _)) in cliques.iter().zip(&tets) {
            let corners = (0..4).filter(|&a| nodes[a] != NOT_UNKNOWN);
            for (a, b) in corners.clone().flat_map(|a| corners.clone().filter(move |&b| b <= a).map(move |b| (a, b))) {
                if let Some(slot) = pattern.slot(nodes[a] as usize, nodes[b] as usize) {
                    laplacian[slot] += rest[9] * dot(gradient(rest, a), gradient(rest, b));
                }
            }
        }
        let node = |row: usize| unknowns.get(row).map_or(row, |&i| model.origin(i as usize));
        let factor = ScalarCholesky::new(&pattern, &laplacian).map_err(|error| {
            WarpError::Factor(match error {
                LinearError::Singular { row } => LinearError::Singular { row: row.map(node) },
                LinearError::NonFinite { row } => LinearError::NonFinite { row: node(row) },
                other => other,
            })
        })?;

        let free_component = |of: &usize| {
            let nodes = (0..model.free_nodes()).filter(|&i| root(i) == *of);
            let shares: Vec<(u32, f64)> = nodes.map(|i| (i as u32, model.node_mass()[i])).collect();
            let mass: f64 = shares.iter().map(|share| share.1).sum();
            FreeComponent { shares: shares.into_iter().map(|(i, m)| (i, m / mass)).collect() }
        };
        let linear = tets.iter().enumerate().filter(|(_, tet)| tet.2).map(|(e, tet)| (tet.0, tet.1, e as u32));
        Ok(Warp {
            rest: model.rest().to_vec(),
            tets: Group::new(ElementKind::Tet, (), model.free_nodes(), linear.collect()),
            factor,
            components: free.iter().map(free_component).collect(),
            u: vec![0.0; 3 * model.nodes()],
            sums: vec![0.0; model.dofs()],
            d: vec![[0.0; 3]; unknowns.len()],
            unknowns,
        })
    }

    /// Computes display positions of nodes at `x`, both numbered as in the model [m]. Where the result is not finite,
    /// they equal `x`. Bit-for-bit the same for any number of threads; allocates nothing that grows with the mesh.
    pub fn apply(&mut self, x: &[f64], out: &mut [f64]) {
        let Warp { rest, tets, factor, unknowns, components, u, sums, d } = self;
        u.iter_mut().zip(x.iter().zip(&*rest)).for_each(|(u, (x, rest))| *u = x - rest);
        sums.fill(0.0);
        tets.add_each(u, sums, excess);
        let sums = sums.as_chunks_mut::<3>().0;
        d.iter_mut().zip(&*unknowns).for_each(|(d, &i)| *d = sums[i as usize]);
        factor.solve(d);

        out.copy_from_slice(x);
        if !is_finite(d.as_flattened()) {
            return;
        }
        let out = out.as_chunks_mut::<3>().0;
        sums.fill([0.0; 3]);
        d.iter().zip(&*unknowns).for_each(|(d, &i)| sums[i as usize] = *d);
        for FreeComponent { shares } in components {
            let mean = shares.iter().fold([0.0; 3], |mean, &(i, share)| add(mean, scale(share, sums[i as usize])));
            shares.iter().for_each(|&(i, _)| sums[i as usize] = add(sums[i as usize], scale(-1.0, mean)));
        }
        out.iter_mut().zip(sums).for_each(|(out, d)| *out = add(*out, *d));
    }

    /// Returns the number of entries in the factor of the Poisson equation.
    pub fn entries(&self) -> usize {
        self.factor.entries()
    }
}

/// Computes the contribution of a tet to its nodes: V times its excess times the gradients of their shape functions.
/// The excess is exp(W) (I + E) - I - G for G = W + E, W skew and E symmetric. `u` are displacements [m].
///
/// With W = [w]x and c a column of I + E, the column of exp(W) (I + E) is c + a w x c + b w x (w x c), where a = sin w
/// / w and b = (1 - cos w) / w^2 = q^2 / 2 with q = sin(w/2) / (w/2). Loops over columns, because the compiler turns
/// closures over matrices of lanes into calls.
#[inline(always)]
fn excess<R: Real>(rest: &[R; REST], u: &[Vec3<R>; 4]) -> [Vec3<R>; 4] {
    let (zero, half, one) = (R::splat(0.0), R::splat(0.5), R::splat(1.0));
    // The columns of G = sum (u_k - u_0) g_k^T.
    let mut g = [[zero; 3]; 3];
    for k in 0..3 {
        let edge = sub(u[k + 1], u[0]);
        for j in 0..3 {
            g[j] = add(g[j], scale(rest[3 * k + j], edge));
        }
    }
    let w = [half * (g[1][2] - g[2][1]), half * (g[2][0] - g[0][2]), half * (g[0][1] - g[1][0])];
    // Without rotation w is zero, but the divisor must not be.
    let angle = (half * dot(w, w).sqrt()).max(R::splat(1e-150));
    let (sin, cos) = angle.sin_cos();
    let q = sin / angle;
    let (a, b) = (q * cos, half * q * q);
    let mut columns = [[zero; 3]; 3];
    for j in 0..3 {
        let mut unit = [zero; 3];
        unit[j] = one;
        let mut column = unit;
        for i in 0..3 {
            column[i] += half * (g[j][i] + g[i][j]);
        }
        let turned = cross(w, column);
        columns[j] = sub(add(scale(a, turned), scale(b, cross(w, turned))), cross(w, unit));
    }
    let mut out = [[zero; 3]; 4];
    for k in 0..3 {
        for j in 0..3 {
            out[k + 1] = add(out[k + 1], scale(rest[9] * rest[3 * k + j], columns[j]));
        }
        out[0] = sub(out[0], out[k + 1]);
    }
    out
}

/// Returns the gradient of the shape function of node `a` [1/m].
fn gradient(rest: &[f64; REST], a: usize) -> Vec3 {
    let row = |a: usize| [rest[3 * a], rest[3 * a + 1], rest[3 * a + 2]];
    if a > 0 { row(a - 1) } else { scale(-1.0, add(row(0), add(row(1), row(2)))) }
}

/// Returns the first node of the connected component of each node.
fn components<'a>(nodes: usize, elements: impl Iterator<Item = &'a [u32]>) -> Vec<u32> {
    let mut component: Vec<u32> = (0..nodes as u32).collect();
    let first = |component: &mut [u32], mut i: u32| {
        while component[i as usize] != i {
            component[i as usize] = component[component[i as usize] as usize];
            i = component[i as usize];
        }
        i
    };
    for element in elements {
        for pair in element.windows(2) {
            let [a, b] = [first(&mut component, pair[0]), first(&mut component, pair[1])];
            component[a.max(b) as usize] = a.min(b);
        }
    }
    (0..nodes as u32).for_each(|i| component[i as usize] = first(&mut component, i));
    component
}
