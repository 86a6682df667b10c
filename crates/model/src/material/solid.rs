//! Linear tetrahedron of a hyperelastic material.
//!
//! F = Ds Dm^-1 with Ds = [x1 - x0, x2 - x0, x3 - x0] and U = V W(F). With g_a the gradient of the
//! shape function of node a (rows of Dm^-1; g_0 = -g_1 - g_2 - g_3), force and stiffness are
//! dU/dx_a = V P g_a and K_ab = V g_a . (dP/dF) . g_b. F does not depend on the order of the nodes,
//! so elements may list them in any order.

use super::linear_turn::LinearTurn;
use super::stress::{ByStress, bound_times};
use super::{Material, Tangent, without_twist};
use crate::energy::relaxation::{Blocks, Elements, Relaxation};
use crate::energy::{ByRows, ElementKind, Energy, Group, MAX_BLOCKS, Row, Stiffness, rows_times};
use crate::mesh::Mesh;
use numerics::mat3::{
    IDENTITY, Mat3, Vec3, add, cofactor, determinant, mat_mul, mat_scale, mat_vec, scale, sub, transpose,
};
use numerics::real::Real;
use numerics::spectral3::polar;

/// Tets of one material. The rest state is Dm^-1 row by row [1/m] and the volume [m^3].
#[derive(Clone)]
pub struct Solid<M> {
    material: M,
}

/// Numbers of rest state per tet.
pub const REST: usize = 10;

/// Tets of a mesh that become a group of elements.
pub struct Tets<'a> {
    /// The mesh.
    pub mesh: &'a Mesh,
    /// Numbers of the tets in the mesh.
    pub tets: &'a [u32],
    /// Unit directions of their fibres: one for all, one per tet, or none for the axis of the material.
    pub fibres: &'a [Vec3],
    /// Number of nodes of the model that are unknowns; they come first.
    pub free: usize,
    /// Maps a node of the mesh to its number in the model.
    pub number: &'a dyn Fn(u32) -> u32,
}

impl<M> Solid<M> {
    /// Builds a group of tets of one material.
    pub fn group<const K: usize>(material: M, tets: &Tets<'_>) -> Group<Solid<M>, 4, REST, K>
    where
        M: Material<K>,
    {
        let Tets { mesh, tets, fibres, free, number } = *tets;
        let element = |(k, &e): (usize, &u32)| {
            let nodes = mesh.tets[e as usize];
            let rest = rest_state(&nodes.map(|i| mesh.points[i as usize]));
            let fibre = fibres.get(k).or(fibres.first()).copied();
            let rest = match material.axis() {
                Some(axis) => along_x(&rest, fibre.unwrap_or(axis)),
                None => rest,
            };
            (nodes.map(number), rest, e)
        };
        let elements = tets.iter().enumerate().map(element).collect();
        Group::new(ElementKind::Tet, Solid { material }, free, elements)
    }
}

/// Computes the rest state of a tet in axes whose x lies along a direction: Dm^-1 Q, with Q the shortest rotation from
/// x to it. F then becomes F Q, and forces and stiffness need no change.
fn along_x(rest: &[f64; REST], direction: Vec3) -> [f64; REST] {
    // Fibres have no sign: of the two directions, use the one nearer to x.
    let [c, y, z] = if direction[0] < 0.0 { direction.map(|x| -x) } else { direction };
    let k = 1.0 / (1.0 + c);
    let q = [[c, -y, -z], [y, 1.0 - k * y * y, -k * y * z], [z, -k * y * z, 1.0 - k * z * z]];
    let mut turned = *rest;
    turned[..9].copy_from_slice(mat_mul(&inverse_of(rest), &q).as_flattened());
    turned
}

/// Computes Dm^-1 row by row [1/m] and the volume [m^3] of a tet with these corners at rest [m].
pub(crate) fn rest_state(corners: &[Vec3; 4]) -> [f64; REST] {
    let dm = edges(corners);
    let det = determinant(&dm);
    let inverse = mat_scale(1.0 / det, &transpose(&cofactor(&dm)));
    let mut rest = [det / 6.0; REST];
    rest[..9].copy_from_slice(inverse.as_flattened());
    rest
}

/// Returns the matrix whose columns are the edges from node 0.
#[inline(always)]
fn edges<R: Real>(x: &[Vec3<R>; 4]) -> Mat3<R> {
    transpose(&[sub(x[1], x[0]), sub(x[2], x[0]), sub(x[3], x[0])])
}

#[inline(always)]
pub(super) fn inverse_of<R: Real>(rest: &[R; REST]) -> Mat3<R> {
    std::array::from_fn(|i| std::array::from_fn(|j| rest[3 * i + j]))
}

/// Computes F = dx/dX.
#[inline(always)]
pub(super) fn deformation<R: Real>(rest: &[R; REST], x: &[Vec3<R>; 4]) -> Mat3<R> {
    mat_mul(&edges(x), &inverse_of(rest))
}

/// Computes a vector per node from a stress-like matrix: A g_a.
#[inline(always)]
pub(super) fn spread<R: Real>(a: &Mat3<R>, rest: &[R; REST]) -> [Vec3<R>; 4] {
    let g = inverse_of(rest);
    let [y1, y2, y3] = [mat_vec(a, g[0]), mat_vec(a, g[1]), mat_vec(a, g[2])];
    [scale(R::splat(-1.0), add(y1, add(y2, y3))), y1, y2, y3]
}

/// Computes K_ab = V g_a . A . g_b. The blocks of node 0 follow from the others, since a translation costs no energy.
#[inline(always)]
fn contract_tangent<R: Real>(tangent: &Tangent<R>, rest: &[R; REST]) -> [Mat3<R>; MAX_BLOCKS] {
    let g = inverse_of(rest);
    let zero = [[R::splat(0.0); 3]; 3];
    let mut blocks = [zero; MAX_BLOCKS];
    let mut column_sums = [zero; 3];
    for b in 0..3 {
        // Right half of the contraction: T[i j][k] = V sum_l A[i j][k l] g_b[l].
        let gb = scale(rest[9], g[b]);
        let mut half = [[R::splat(0.0); 3]; 9];
        for ij in 0..9 {
            for k in 0..3 {
                let a = &tangent[ij];
                half[ij][k] = a[3 * k].mul_add(gb[0], a[3 * k + 1].mul_add(gb[1], a[3 * k + 2] * gb[2]));
            }
        }
        for a in b..3 {
            let mut block = zero;
            for i in 0..3 {
                for k in 0..3 {
                    block[i][k] = half[3 * i][k]
                        .mul_add(g[a][0], half[3 * i + 1][k].mul_add(g[a][1], half[3 * i + 2][k] * g[a][2]));
                }
            }
            blocks[index(a + 1, b + 1)] = block;
            for i in 0..3 {
                for k in 0..3 {
                    column_sums[b][i][k] += block[i][k];
                    if a > b {
                        column_sums[a][k][i] += block[i][k];
                    }
                }
            }
        }
    }
    // K_a0 = -sum_b K_ab and K_00 = -sum_a K_a0; column_sums[a] holds sum_b K_ba = (sum_b K_ab)^T.
    for a in 0..3 {
        for i in 0..3 {
            for k in 0..3 {
                blocks[index(a + 1, 0)][i][k] = -column_sums[a][k][i];
                blocks[0][i][k] += column_sums[a][i][k];
            }
        }
    }
    blocks
}

const fn index(a: usize, b: usize) -> usize {
    a * (a + 1) / 2 + b
}

impl<M: Material<K>, const K: usize> Energy<4, REST, K> for Solid<M> {
    #[inline(always)]
    fn value<R: Real>(&self, rest: &[R; REST], x: &[Vec3<R>; 4]) -> R {
        rest[9] * self.material.density(&deformation(rest, x))
    }

    #[inline(always)]
    fn gradient<R: Real>(&self, rest: &[R; REST], x: &[Vec3<R>; 4]) -> [Vec3<R>; 4] {
        let stress = self.material.stress(&deformation(rest, x));
        spread(&mat_scale(rest[9], &stress), rest)
    }

    #[inline(always)]
    fn hessian<R: Real>(&self, kind: Stiffness, rest: &[R; REST], x: &[Vec3<R>; 4]) -> [Mat3<R>; MAX_BLOCKS] {
        let f = deformation(rest, x);
        match kind {
            Stiffness::Exact | Stiffness::Auto => contract_tangent(&self.material.tangent(&f), rest),
            Stiffness::Projected => contract_tangent(&self.material.tangent_psd(&f), rest),
            // A linear law has no rotation, and so no twist: use its tangent.
            Stiffness::Turned | Stiffness::Predicted if M::LINEAR => contract_tangent(&self.material.tangent(&f), rest),
            Stiffness::Turned | Stiffness::Predicted => {
                contract_tangent(&without_twist(&self.material.tangent(&f), &f, &polar(&f).0), rest)
            }
            Stiffness::Corotated => contract_tangent(&self.material.tangent(&polar(&f).0), rest),
        }
    }

    #[inline(always)]
    fn hessian_after<R: Real>(
        &self,
        rest: &[R; REST],
        x: &[Vec3<R>; 4],
        way: &[Vec3<R>; 4],
        _inertia: &[R; 4],
    ) -> [Mat3<R>; MAX_BLOCKS] {
        let f = deformation(rest, x);
        let turn = LinearTurn::new(&f, &deformation(rest, way));
        if M::LINEAR || turn.is_none() {
            return contract_tangent(&self.material.tangent(&f), rest);
        }
        let f = turn.straighten(&self.material, &f);
        contract_tangent(&turn.release(&self.material.tangent(&f), &f), rest)
    }

    #[inline(always)]
    fn turn<R: Real>(&self, rest: &[R; REST], x: &[Vec3<R>; 4], way: &[Vec3<R>; 4]) -> R {
        if M::LINEAR {
            return R::splat(0.0);
        }
        LinearTurn::new(&deformation(rest, x), &deformation(rest, way)).square
    }

    #[inline(always)]
    fn rows<R: Real>(&self, rest: &[R; REST], x: &[Vec3<R>; 4]) -> [Row<R, 4>; K] {
        let of_density = self.material.rows(&deformation(rest, x));
        of_density.map(|row| Row { c: row.c, gradient: spread(&row.gradient, rest), k: rest[9] * R::splat(row.k) })
    }

    #[inline(always)]
    fn block_stiffness_times<R: Real>(&self, rest: &[R; REST], x: &[Vec3<R>; 4], w: &[Vec3<R>; 4]) -> [Vec3<R>; 4] {
        match self.material.majorant(&deformation(rest, x)) {
            Some(bound) => spread(&mat_scale(rest[9], &bound_times(&bound, &deformation(rest, w))), rest),
            None => rows_times(&self.rows(rest, x), w),
        }
    }

    fn relaxation(&self, elements: &Elements<'_, 4, REST>) -> Box<dyn Relaxation> {
        match self.material.majorant(&IDENTITY) {
            Some(_) => Box::new(Blocks::new(ByStress::<M, K>(self.material), elements)),
            None => Box::new(Blocks::new(ByRows(self.clone()), elements)),
        }
    }

    fn is_linear(&self) -> bool {
        M::LINEAR
    }

    fn is_admissible(&self, rest: &[f64; REST], x: &[Vec3; 4]) -> bool {
        self.material.density(&deformation(rest, x)).is_finite()
    }
}
