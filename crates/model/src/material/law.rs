//! Material behind a trait object: makes the group of its tets, with one virtual call.

use super::solid::{Solid, Tets};
use super::{Lame, Majorant, Material, Row, Tangent};
use crate::energy::Term;
use numerics::mat3::{IDENTITY, Mat3, Vec3};
use numerics::real::{Lanes, Real};
use std::sync::Arc;

/// Material with its parameters. [`law`] makes one from any [`Material`].
///
/// ```
/// use model::material::{self, NeoHookean, law};
/// use numerics::mat3::IDENTITY;
///
/// // Made by name, as in scenes, or from a type.
/// let named = material::named("neo-hookean", [("young", 1e5), ("poisson", 0.4)])?;
/// let own = law(NeoHookean::new(1e5, 0.4));
/// for material in [named, own] {
///     assert!((material.moduli().young() - 1e5).abs() < 1e-6);
///     assert_eq!(material.response(&IDENTITY).density, 0.0);
///     // Twice as long along x: it pulls back.
///     let mut stretched = IDENTITY;
///     stretched[0][0] = 2.0;
///     assert!(material.response(&stretched).stress[0][0] > 0.0);
/// }
/// # Ok::<(), material::MaterialError>(())
/// ```
pub trait Law: Send + Sync {
    /// Makes the group of some tets. Its loops are compiled for this material alone.
    fn group(&self, tets: &Tets<'_>) -> Box<dyn Term>;
    /// Computes everything about one deformation: for inspection, not for loops.
    fn response(&self, f: &Mat3) -> Response<f64>;
    /// Computes the same for several deformations in lanes.
    fn responses(&self, f: &Mat3<Lanes>) -> Response<Lanes>;
    /// Returns the direction that its formulas call x; `None` for an isotropic material.
    fn axis(&self) -> Option<Vec3>;
    /// Returns the moduli of Hooke's law at rest.
    fn moduli(&self) -> Lame {
        Lame::of_tangent(&self.response(&IDENTITY).tangent)
    }
}

/// Response of a material to a deformation gradient F.
#[derive(Debug, Clone)]
pub struct Response<R> {
    /// Energy density W [J/m^3].
    pub density: R,
    /// First Piola-Kirchhoff stress P = dW/dF [Pa].
    pub stress: Mat3<R>,
    /// dP/dF [Pa].
    pub tangent: Tangent<R>,
    /// dP/dF with its negative eigenvalues set to zero [Pa].
    pub tangent_psd: Tangent<R>,
    /// Density as a sum of squares.
    pub rows: Vec<Row<R>>,
    /// Stress and a bound of the tangent, if small steps solve tets for their stress.
    pub majorant: Option<Majorant<R>>,
}

/// Material with the number of its rows.
struct Known<M, const K: usize>(M);

/// Erases the type of a material.
pub fn law<M: Material<K>, const K: usize>(material: M) -> Arc<dyn Law> {
    Arc::new(Known::<M, K>(material))
}

fn response<M: Material<K>, const K: usize, R: Real>(material: &M, f: &Mat3<R>) -> Response<R> {
    Response {
        density: material.density(f),
        stress: material.stress(f),
        tangent: material.tangent(f),
        tangent_psd: material.tangent_psd(f),
        rows: material.rows(f).to_vec(),
        majorant: material.majorant(f),
    }
}

impl<M: Material<K>, const K: usize> Law for Known<M, K> {
    fn group(&self, tets: &Tets<'_>) -> Box<dyn Term> {
        Box::new(Solid::group::<K>(self.0, tets))
    }

    fn response(&self, f: &Mat3) -> Response<f64> {
        response(&self.0, f)
    }

    fn responses(&self, f: &Mat3<Lanes>) -> Response<Lanes> {
        response(&self.0, f)
    }

    fn axis(&self) -> Option<Vec3> {
        self.0.axis()
    }
}
