//! Compressible neo-Hookean rubber with a logarithmic barrier.
//!
//! W = mu/2 (tr F^T F - 3) - mu ln J + lambda/2 (ln J)^2 (Bonet and Wood 1997), J = det F;
//! P = mu F + (lambda ln J - mu) F^-T.
//!
//! Energy and stress grow without bound as J falls to zero; for J <= 0 they are infinite or NaN, which a method detects
//! and answers with a shorter step. Fails when a step inverts an element and cannot be shortened. For a negative
//! Poisson's ratio lambda is negative and the barrier is lost: the energy is unbounded below under strong compression
//! or expansion.

use numerics::mat3::{self, Mat3};
use numerics::real::Real;
use numerics::spectral3::svd;

use super::majorant::{Majorant, largest_eigenvalue, size};
use super::principal::Principal;
use super::{Defined, Lame, Material, MaterialFacts, Row, Tangent, hooke, law, symmetric_tangent};

/// The facts of neo-hookean.
pub(super) const MATERIAL: MaterialFacts = MaterialFacts {
    name: "neo-hookean",
    aliases: &["nh"],
    description: "rubber with a logarithmic barrier: infinite energy at zero volume, undefined beyond",
    citation: "Bonet and Wood 1997",
    rotation_invariant: true,
    isotropic: true,
    defined: Defined::ForPositiveVolume,
    parameters: hooke::MODULI,
    sample: hooke::given,
    make: |parameters| hooke::read(parameters).map(|[young, poisson]| law(NeoHookean::new(young, poisson))),
};

/// The neo-Hookean material.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NeoHookean {
    lame: Lame,
}

impl NeoHookean {
    /// Creates the material from Young's modulus [Pa] and Poisson's ratio.
    pub fn new(young: f64, poisson: f64) -> NeoHookean {
        NeoHookean { lame: Lame::new(young, poisson) }
    }

    /// Computes lambda ln J - mu, the factor of F^-T in the stress.
    #[inline(always)]
    fn pressure<R: Real>(&self, j: R) -> R {
        R::splat(self.lame.lambda).mul_add(j.ln(), R::splat(-self.lame.mu))
    }

    /// Computes the principal moduli, with W_a = mu s_a + (lambda ln J - mu) / s_a.
    #[inline(always)]
    fn principal<R: Real>(&self, s: [R; 3]) -> Principal<R> {
        let (mu, lambda) = (R::splat(self.lame.mu), R::splat(self.lame.lambda));
        let pressure = self.pressure(s[0] * s[1] * s[2]);
        let inverse = s.map(|s| R::splat(1.0) / s);
        let term = |c: usize| pressure * (inverse[(c + 1) % 3] * inverse[(c + 2) % 3]);
        Principal {
            scaling: std::array::from_fn(|a| {
                std::array::from_fn(|b| {
                    let product = inverse[a] * inverse[b];
                    if a == b { (lambda - pressure).mul_add(product, mu) } else { lambda * product }
                })
            }),
            flip: std::array::from_fn(|c| mu - term(c)),
            twist: std::array::from_fn(|c| mu + term(c)),
        }
    }
}

/// Computes cof F and J = det F.
#[inline(always)]
fn cofactor_and_determinant<R: Real>(f: &Mat3<R>) -> (Mat3<R>, R) {
    let cofactor = mat3::cofactor(f);
    (cofactor, mat3::dot(f[0], cofactor[0]))
}

impl Material<2> for NeoHookean {
    #[inline(always)]
    fn density<R: Real>(&self, f: &Mat3<R>) -> R {
        let (half_mu, half_lambda) = (R::splat(0.5 * self.lame.mu), R::splat(0.5 * self.lame.lambda));
        let ln_j = mat3::determinant(f).ln();
        let volume = half_lambda.mul_add(ln_j, R::splat(-self.lame.mu)) * ln_j;
        half_mu.mul_add(mat3::contract(f, f) - R::splat(3.0), volume)
    }

    #[inline(always)]
    fn stress<R: Real>(&self, f: &Mat3<R>) -> Mat3<R> {
        let (cofactor, j) = cofactor_and_determinant(f);
        let (mu, factor) = (R::splat(self.lame.mu), self.pressure(j) / j);
        std::array::from_fn(|i| std::array::from_fn(|k| mu.mul_add(f[i][k], factor * cofactor[i][k])))
    }

    /// Computes dP = mu dF + lambda (G : dF) G - (lambda ln J - mu) G dF^T G with G = F^-T.
    #[inline(always)]
    fn tangent<R: Real>(&self, f: &Mat3<R>) -> Tangent<R> {
        let (cofactor, j) = cofactor_and_determinant(f);
        let g = mat3::mat_scale(R::splat(1.0) / j, &cofactor);
        let outer = mat3::mat_scale(R::splat(self.lame.lambda), &g);
        let swapped = mat3::mat_scale(-self.pressure(j), &g);
        let mu = R::splat(self.lame.mu);
        symmetric_tangent(|i, j, k, l| {
            let t = outer[i][j].mul_add(g[k][l], swapped[i][l] * g[k][j]);
            if i == k && j == l { t + mu } else { t }
        })
    }

    #[inline(always)]
    fn tangent_psd<R: Real>(&self, f: &Mat3<R>) -> Tangent<R> {
        let svd = svd(f);
        self.principal(svd.sigma).clamped().tangent(&svd)
    }

    /// Writes W = const + mu/2 |F|^2 + lambda/2 (ln J - mu/lambda)^2.
    #[inline(always)]
    fn rows<R: Real>(&self, f: &Mat3<R>) -> [Row<R>; 2] {
        let Lame { mu, lambda } = self.lame;
        // A Poisson's ratio of zero leaves -mu ln J alone, which is no square for any finite k; a tiny lambda comes
        // close.
        let lambda = if lambda.abs() < 1e-9 * mu { 1e-9 * mu } else { lambda };
        let (cofactor, j) = cofactor_and_determinant(f);
        let size = mat3::contract(f, f).sqrt();
        let one = R::splat(1.0);
        let volume = j.ln() - R::splat(mu / lambda);
        [
            Row { c: size, gradient: mat3::mat_scale(one / size, f), k: mu },
            Row { c: volume, gradient: mat3::mat_scale(one / j, &cofactor), k: lambda },
        ]
    }

    /// Bounds the tangent: the term with G dF^T G, G = F^-T, is at most |lambda ln J - mu| / s^2 with the smallest
    /// stretch s.
    #[inline(always)]
    fn majorant<R: Real>(&self, f: &Mat3<R>) -> Option<Majorant<R>> {
        let (cofactor, j) = cofactor_and_determinant(f);
        let (mu, pressure, inverse) = (R::splat(self.lame.mu), self.pressure(j), R::splat(1.0) / j);
        let factor = pressure * inverse;
        let stress = std::array::from_fn(|i| std::array::from_fn(|k| mu.mul_add(f[i][k], factor * cofactor[i][k])));
        let turning = largest_eigenvalue(&mat3::mat_t_mul(&cofactor, &cofactor)) * inverse * inverse;
        let volume = R::splat(self.lame.lambda.max(0.0)) * inverse * inverse;
        Some(Majorant { stress, cofactor, shape: size(pressure).mul_add(turning, mu), volume })
    }
}
