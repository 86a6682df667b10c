//! St. Venant-Kirchhoff: Hooke's law for the Green strain.
//!
//! W = mu E : E + lambda/2 tr(E)^2, E = (F^T F - I)/2; P = F S with S = 2 mu E + lambda tr(E) I.
//!
//! A polynomial in F: cheap and smooth. Fails under strong compression: below a stretch of about 0.58 it softens, a
//! flat element no longer resists, and the mirror image of an element is stress-free.

use numerics::mat3::{self, Mat3};
use numerics::real::Real;
use numerics::spectral3::svd;

use super::principal::Principal;
use super::{Defined, Lame, Majorant, Material, MaterialFacts, Row, Tangent, delta, hooke, law, symmetric_tangent};

/// The facts of st-venant-kirchhoff.
pub(super) const MATERIAL: MaterialFacts = MaterialFacts {
    name: "st-venant-kirchhoff",
    aliases: &["stvk"],
    description: "Hooke's law for the Green strain: large rotations; softens under compression, may invert",
    citation: "Kirchhoff 1852",
    rotation_invariant: true,
    isotropic: true,
    defined: Defined::Everywhere,
    parameters: hooke::MODULI,
    sample: hooke::given,
    make: |parameters| hooke::read(parameters).map(|[young, poisson]| law(StVenantKirchhoff::new(young, poisson))),
};

/// The St. Venant-Kirchhoff material.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StVenantKirchhoff {
    lame: Lame,
}

/// Computes (F^T F - I)/2.
#[inline(always)]
fn green_strain<R: Real>(f: &Mat3<R>) -> Mat3<R> {
    let (half, c) = (R::splat(0.5), mat3::mat_t_mul(f, f));
    std::array::from_fn(|i| std::array::from_fn(|j| half * (c[i][j] - delta::<R>(i, j))))
}

impl StVenantKirchhoff {
    /// Creates the material from Young's modulus [Pa] and Poisson's ratio.
    pub fn new(young: f64, poisson: f64) -> StVenantKirchhoff {
        StVenantKirchhoff { lame: Lame::new(young, poisson) }
    }

    /// Computes S = 2 mu E + lambda tr(E) I, the second Piola-Kirchhoff stress.
    #[inline(always)]
    fn second_stress<R: Real>(&self, f: &Mat3<R>) -> Mat3<R> {
        let strain = green_strain(f);
        let pressure = R::splat(self.lame.lambda) * mat3::trace(&strain);
        let mut s = mat3::mat_scale(R::splat(2.0 * self.lame.mu), &strain);
        (0..3).for_each(|i| s[i][i] += pressure);
        s
    }

    /// Computes the principal moduli, with W_a = s_a (mu (s_a^2 - 1) + lambda tr E), tr E = (|s|^2 - 3)/2.
    #[inline(always)]
    fn principal<R: Real>(&self, s: [R; 3]) -> Principal<R> {
        let (mu, lambda) = (R::splat(self.lame.mu), R::splat(self.lame.lambda));
        let base = lambda.mul_add(R::splat(0.5) * (mat3::dot(s, s) - R::splat(3.0)), -mu);
        let pair = |c: usize| (s[(c + 1) % 3], s[(c + 2) % 3]);
        let squares = |(a, b): (R, R)| a.mul_add(a, b * b);
        Principal {
            scaling: std::array::from_fn(|a| {
                std::array::from_fn(|b| {
                    let off = lambda * s[a] * s[b];
                    if a == b { off + (R::splat(3.0) * mu * s[a]).mul_add(s[a], base) } else { off }
                })
            }),
            flip: std::array::from_fn(|c| mu.mul_add(squares(pair(c)) + pair(c).0 * pair(c).1, base)),
            twist: std::array::from_fn(|c| mu.mul_add(squares(pair(c)) - pair(c).0 * pair(c).1, base)),
        }
    }
}

impl Material<7> for StVenantKirchhoff {
    #[inline(always)]
    fn density<R: Real>(&self, f: &Mat3<R>) -> R {
        let (strain, half_lambda) = (green_strain(f), R::splat(0.5 * self.lame.lambda));
        let trace = mat3::trace(&strain);
        R::splat(self.lame.mu).mul_add(mat3::contract(&strain, &strain), half_lambda * trace * trace)
    }

    #[inline(always)]
    fn stress<R: Real>(&self, f: &Mat3<R>) -> Mat3<R> {
        mat3::mat_mul(f, &self.second_stress(f))
    }

    /// Computes dP = dF S + mu (F dF^T F + F F^T dF) + lambda (F : dF) F.
    #[inline(always)]
    fn tangent<R: Real>(&self, f: &Mat3<R>) -> Tangent<R> {
        let s = self.second_stress(f);
        let mu_f = mat3::mat_scale(R::splat(self.lame.mu), f);
        let lambda_f = mat3::mat_scale(R::splat(self.lame.lambda), f);
        let mu_b = mat3::mat_mul_t(&mu_f, f);
        symmetric_tangent(|i, j, k, l| {
            let mut t = lambda_f[i][j].mul_add(f[k][l], mu_f[i][l] * f[k][j]);
            if i == k {
                t += s[j][l];
            }
            if j == l {
                t += mu_b[i][k];
            }
            t
        })
    }

    #[inline(always)]
    fn tangent_psd<R: Real>(&self, f: &Mat3<R>) -> Tangent<R> {
        let svd = svd(f);
        self.principal(svd.sigma).clamped().tangent(&svd)
    }

    #[inline(always)]
    fn rows<R: Real>(&self, f: &Mat3<R>) -> [Row<R>; 7] {
        let Lame { mu, lambda } = self.lame;
        let (strain, half) = (green_strain(f), R::splat(0.5));
        let entry = |i: usize, j: usize| {
            // E_ij = (f_i . f_j - delta_ij)/2 with the columns f_i of F.
            let mut gradient = [[R::splat(0.0); 3]; 3];
            for k in 0..3 {
                gradient[k][i] += half * f[k][j];
                gradient[k][j] += half * f[k][i];
            }
            // An entry off the diagonal appears twice in E : E.
            Row { c: strain[i][j], gradient, k: if i == j { 2.0 * mu } else { 4.0 * mu } }
        };
        let trace = Row { c: mat3::trace(&strain), gradient: *f, k: lambda };
        [entry(0, 0), entry(1, 1), entry(2, 2), entry(1, 2), entry(0, 2), entry(0, 1), trace]
    }

    /// Returns `None`: small steps solve its rows.
    #[inline(always)]
    fn majorant<R: Real>(&self, _: &Mat3<R>) -> Option<Majorant<R>> {
        None
    }
}
