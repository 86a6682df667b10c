//! Hooke's law for small strains.
//!
//! W = mu eps : eps + lambda/2 tr(eps)^2, eps = (F + F^T)/2 - I; P = 2 mu eps + lambda tr(eps) I.
//!
//! The tangent is constant and positive semidefinite, so every implicit method solves in one iteration. Fails for large
//! rotations: a rotated body is strained and swells.

use numerics::mat3::{self, Mat3};
use numerics::real::Real;

use super::{Defined, Lame, Majorant, Material, MaterialFacts, Row, Tangent, delta, hooke, law, symmetric_tangent};

/// The facts of linear.
pub(super) const MATERIAL: MaterialFacts = MaterialFacts {
    name: "linear",
    aliases: &["small-strain", "hooke"],
    description: "Hooke's law for small strains and small rotations; forces are linear in the displacements",
    citation: "Hooke 1678",
    rotation_invariant: false,
    isotropic: true,
    defined: Defined::Everywhere,
    parameters: hooke::MODULI,
    sample: hooke::given,
    make: |parameters| hooke::read(parameters).map(|[young, poisson]| law(Linear::new(young, poisson))),
};

/// Linear elasticity.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Linear {
    lame: Lame,
}

impl Linear {
    /// Creates the material from Young's modulus [Pa] and Poisson's ratio.
    pub fn new(young: f64, poisson: f64) -> Linear {
        Linear { lame: Lame::new(young, poisson) }
    }
}

/// Computes (F + F^T)/2 - I.
#[inline(always)]
fn strain<R: Real>(f: &Mat3<R>) -> Mat3<R> {
    let half = R::splat(0.5);
    std::array::from_fn(|i| std::array::from_fn(|j| half.mul_add(f[i][j] + f[j][i], -delta::<R>(i, j))))
}

impl Material<7> for Linear {
    const LINEAR: bool = true;

    #[inline(always)]
    fn density<R: Real>(&self, f: &Mat3<R>) -> R {
        let (strain, half_lambda) = (strain(f), R::splat(0.5 * self.lame.lambda));
        let trace = mat3::trace(&strain);
        R::splat(self.lame.mu).mul_add(mat3::contract(&strain, &strain), half_lambda * trace * trace)
    }

    #[inline(always)]
    fn stress<R: Real>(&self, f: &Mat3<R>) -> Mat3<R> {
        let mut p = strain(f);
        let pressure = R::splat(self.lame.lambda) * mat3::trace(&p);
        p = mat3::mat_scale(R::splat(2.0 * self.lame.mu), &p);
        (0..3).for_each(|i| p[i][i] += pressure);
        p
    }

    #[inline(always)]
    fn tangent<R: Real>(&self, _: &Mat3<R>) -> Tangent<R> {
        let Lame { mu, lambda } = self.lame;
        symmetric_tangent(|i, j, k, l| {
            R::splat(mu * (delta::<f64>(i, k) * delta::<f64>(j, l) + delta::<f64>(i, l) * delta::<f64>(j, k)))
                + R::splat(lambda * delta::<f64>(i, j) * delta::<f64>(k, l))
        })
    }

    #[inline(always)]
    fn tangent_psd<R: Real>(&self, f: &Mat3<R>) -> Tangent<R> {
        self.tangent(f) // 2 mu and 3 lambda + 2 mu are positive for every admissible Poisson's ratio
    }

    #[inline(always)]
    fn rows<R: Real>(&self, f: &Mat3<R>) -> [Row<R>; 7] {
        let Lame { mu, lambda } = self.lame;
        let (strain, half) = (strain(f), R::splat(0.5));
        let entry = |i: usize, j: usize| {
            let mut gradient = [[R::splat(0.0); 3]; 3];
            gradient[i][j] += half;
            gradient[j][i] += half;
            // An entry off the diagonal appears twice in eps : eps.
            Row { c: strain[i][j], gradient, k: if i == j { 2.0 * mu } else { 4.0 * mu } }
        };
        let trace = Row { c: mat3::trace(&strain), gradient: mat3::identity(), k: lambda };
        [entry(0, 0), entry(1, 1), entry(2, 2), entry(1, 2), entry(0, 2), entry(0, 1), trace]
    }

    /// Returns `None`: small steps solve its rows.
    #[inline(always)]
    fn majorant<R: Real>(&self, _: &Mat3<R>) -> Option<Majorant<R>> {
        None
    }
}
