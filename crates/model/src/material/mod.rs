//! Hyperelastic materials: an energy density of the deformation gradient F and its derivatives.
//!
//! Young's modulus E and Poisson's ratio nu mean the same in every material that has them: at rest the tangent is
//! Hooke's law (for ARAP with lambda = 0). The contract tests check every row of [`MATERIALS`].
//!
//! Anisotropic materials write their formulas for fibres along x. Each tet has its own axes: its rest shape is rotated
//! such that its fibres lie along x (`solid`). This costs nothing, and isotropic materials are not affected.

use numerics::mat3::{IDENTITY, Mat3, Vec3};
use numerics::real::Real;

mod arap;
mod corotational;
pub mod defaults;
mod fibre_reinforced;
mod hooke;
mod invariants;
mod law;
mod linear;
mod linear_turn;
mod majorant;
mod mooney_rivlin;
mod neo_hookean;
mod neo_hookean_isochoric;
mod ogden;
mod principal;
pub(crate) mod solid;
mod stable_neo_hookean;
mod stress;
mod stvk;
mod table;
mod twist;

pub use arap::Arap;
pub use corotational::Corotational;
pub use fibre_reinforced::FibreReinforced;
pub use hooke::Lame;
pub use law::{Law, Response, law};
pub use linear::Linear;
pub use majorant::Majorant;
pub use mooney_rivlin::MooneyRivlin;
pub use neo_hookean::NeoHookean;
pub use neo_hookean_isochoric::NeoHookeanIsochoric;
pub use ogden::Ogden;
pub use solid::Tets;
pub use stable_neo_hookean::StableNeoHookean;
pub use stvk::StVenantKirchhoff;
pub use table::{DENSITY, Defined, MATERIALS, MaterialError, MaterialFacts, find, named, sample};
pub use twist::without_twist;

/// dP/dF: entry `[3 i + j][3 k + l]` is dP_ij / dF_kl [Pa]. Symmetric.
pub type Tangent<R = f64> = [[R; 9]; 9];

/// One term of an energy density written as a constraint: W = const + sum 1/2 k C^2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<R = f64> {
    /// Constraint C(F), dimensionless.
    pub c: R,
    /// dC/dF, so that sum k C dC/dF = P.
    pub gradient: Mat3<R>,
    /// Stiffness k [Pa]; zero or negative only where lambda is.
    pub k: f64,
}

/// Hyperelastic material: density, stress and tangent. All else has a default, to be overridden where a faster form
/// exists.
///
/// `K` is the number of squares that [`Material::rows`] writes the density as: one, unless `rows` is overridden. A new
/// built-in material is one file and one row of [`MATERIALS`]; a user's own material enters a model through [`law`].
///
/// ```
/// use model::material::{Material, Tangent, law, symmetric_tangent};
/// use numerics::mat3::{Mat3, contract, identity, mat_add, mat_scale, mat_sub, transpose};
/// use numerics::real::Real;
///
/// /// Cork for small strains e = (F + F^T) / 2 - I: W = mu |e|^2. Poisson's ratio is 0.
/// #[derive(Clone, Copy)]
/// struct Cork {
///     mu: f64,
/// }
///
/// fn strain<R: Real>(f: &Mat3<R>) -> Mat3<R> {
///     mat_sub(&mat_scale(R::splat(0.5), &mat_add(f, &transpose(f))), &identity())
/// }
///
/// impl Material for Cork {
///     const LINEAR: bool = true;
///     fn density<R: Real>(&self, f: &Mat3<R>) -> R {
///         R::splat(self.mu) * contract(&strain(f), &strain(f))
///     }
///     fn stress<R: Real>(&self, f: &Mat3<R>) -> Mat3<R> {
///         mat_scale(R::splat(2.0 * self.mu), &strain(f))
///     }
///     fn tangent<R: Real>(&self, _: &Mat3<R>) -> Tangent<R> {
///         let same = |a: usize, b: usize| f64::from(u8::from(a == b));
///         symmetric_tangent(|i, j, k, l| R::splat(self.mu * (same(i, k) * same(j, l) + same(i, l) * same(j, k))))
///     }
/// }
///
/// let moduli = law(Cork { mu: 1e6 }).moduli();
/// assert!((moduli.mu - 1e6).abs() < 1e-6 && moduli.lambda.abs() < 1e-6);
/// ```
pub trait Material<const K: usize = 1>: Copy + Send + Sync + 'static {
    /// The stress is linear in F.
    const LINEAR: bool = false;
    /// Computes the energy density W(F) [J/m^3], zero at rest.
    fn density<R: Real>(&self, f: &Mat3<R>) -> R;
    /// Computes the first Piola-Kirchhoff stress P = dW/dF [Pa].
    fn stress<R: Real>(&self, f: &Mat3<R>) -> Mat3<R>;
    /// Computes dP/dF [Pa], symmetric to the last bit.
    fn tangent<R: Real>(&self, f: &Mat3<R>) -> Tangent<R>;
    /// Computes dP/dF with its negative eigenvalues set to zero [Pa].
    #[inline(always)]
    fn tangent_psd<R: Real>(&self, f: &Mat3<R>) -> Tangent<R> {
        defaults::projected(&self.tangent(f))
    }
    /// Writes the density as a sum of squares.
    #[inline(always)]
    fn rows<R: Real>(&self, f: &Mat3<R>) -> [Row<R>; K] {
        defaults::rows(self.density(f), &self.stress(f), self.tangent(&IDENTITY)[0][0])
    }
    /// Computes stress and a bound of the tangent, with which small steps solve a tet for its stress; `None` if they
    /// solve its rows instead. Rows suffice if they do not pull against each other at rest: the part of the tangent
    /// that they omit is then small.
    #[inline(always)]
    fn majorant<R: Real>(&self, f: &Mat3<R>) -> Option<Majorant<R>> {
        Some(defaults::majorant(f, &self.stress(f), &self.tangent(f)))
    }
    /// Returns the direction in the mesh that F uses as x. `None`: the material is isotropic and F has the axes of the
    /// mesh.
    fn axis(&self) -> Option<Vec3> {
        None
    }
}

/// Builds a tangent from its entries T(i, j, k, l) = dP_ij / dF_kl, each pair computed once.
///
/// The rows are written out because the compiler does not unroll a triangular loop, and a non-constant index keeps
/// every operand in memory: unrolled it is five times faster.
#[inline(always)]
pub fn symmetric_tangent<R: Real>(entry: impl Fn(usize, usize, usize, usize) -> R) -> Tangent<R> {
    let mut tangent = [[R::splat(0.0); 9]; 9];
    fill_row::<R, 0>(&mut tangent, &entry);
    fill_row::<R, 1>(&mut tangent, &entry);
    fill_row::<R, 2>(&mut tangent, &entry);
    fill_row::<R, 3>(&mut tangent, &entry);
    fill_row::<R, 4>(&mut tangent, &entry);
    fill_row::<R, 5>(&mut tangent, &entry);
    fill_row::<R, 6>(&mut tangent, &entry);
    fill_row::<R, 7>(&mut tangent, &entry);
    fill_row::<R, 8>(&mut tangent, &entry);
    tangent
}

/// Fills row A from the diagonal on, and column A below it.
#[inline(always)]
fn fill_row<R: Real, const A: usize>(tangent: &mut Tangent<R>, entry: &impl Fn(usize, usize, usize, usize) -> R) {
    for b in A..9 {
        tangent[A][b] = entry(A / 3, A % 3, b / 3, b % 3);
        tangent[b][A] = tangent[A][b];
    }
}

/// Returns 1 where i = j, else 0.
#[inline(always)]
fn delta<R: Real>(i: usize, j: usize) -> R {
    R::splat(if i == j { 1.0 } else { 0.0 })
}
