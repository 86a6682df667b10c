//! Corotational elasticity: Hooke's law in the frame of the nearest rotation.
//!
//! W = mu |F - R|^2 + lambda/2 tr(R^T F - I)^2 = mu sum (s_a - 1)^2 + lambda/2 (sum s_a - 3)^2, F = R S;
//! P = 2 mu (F - R) + lambda (tr S - 3) R.
//!
//! Its forces are those of corotated linear elements (Mueller and Gross 2004), written as an energy of F, with the
//! trace of the strain for the change of volume. The fixed corotated material of Stomakhin et al. 2012 differs: it has
//! lambda/2 (J - 1)^2 instead of the trace.
//!
//! R is never a reflection: the smallest stretch is negative when det F is, and an inverted element recovers. The
//! tangent is exact, with the derivative of R. It has no limit where two stretches add to zero (R jumps there); their
//! sum is kept above [`SMALLEST_SUM`], so that everything stays finite. Costs one 3x3 singular value decomposition.

use numerics::mat3::{self, Mat3};
use numerics::real::Real;
use numerics::spectral3::{Svd, svd};

use super::principal::Principal;
use super::{Defined, Lame, Majorant, Material, MaterialFacts, Row, Tangent, hooke, law};

/// Lower bound of s_a + s_b in the tangent. Stretches are of the order of one.
const SMALLEST_SUM: f64 = 1e-8;

/// The facts of corotational.
pub(super) const MATERIAL: MaterialFacts = MaterialFacts {
    name: "corotational",
    aliases: &["corotated"],
    description: "Hooke's law in the frame of the nearest rotation: large rotations, moderate strains",
    citation: "Mueller and Gross 2004",
    rotation_invariant: true,
    isotropic: true,
    defined: Defined::Everywhere,
    parameters: hooke::MODULI,
    sample: hooke::given,
    make: |parameters| hooke::read(parameters).map(|[young, poisson]| law(Corotational::new(young, poisson))),
};

/// The corotational material.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Corotational {
    pub(super) lame: Lame,
}

impl Corotational {
    /// Creates the material from Young's modulus [Pa] and Poisson's ratio.
    pub fn new(young: f64, poisson: f64) -> Corotational {
        Corotational { lame: Lame::new(young, poisson) }
    }

    /// Computes the principal moduli, with W_a = 2 mu (s_a - 1) + lambda (sum s - 3).
    #[inline(always)]
    fn principal<R: Real>(&self, s: [R; 3]) -> Principal<R> {
        let Lame { mu, lambda } = self.lame;
        let two_mu = R::splat(2.0 * mu);
        let twice = R::splat(2.0 * lambda).mul_add(s[0] + s[1] + s[2] - R::splat(3.0), R::splat(-4.0 * mu));
        let diagonal = |a, b| R::splat(if a == b { 2.0 * mu + lambda } else { lambda });
        Principal {
            scaling: std::array::from_fn(|a| std::array::from_fn(|b| diagonal(a, b))),
            flip: [two_mu; 3],
            twist: std::array::from_fn(|c| {
                let (sum, least) = (s[(c + 1) % 3] + s[(c + 2) % 3], R::splat(SMALLEST_SUM));
                two_mu + twice / least.select_gt(sum, least, sum)
            }),
        }
    }
}

impl Material<4> for Corotational {
    #[inline(always)]
    fn density<R: Real>(&self, f: &Mat3<R>) -> R {
        let stretch = svd(f).sigma.map(|s| s - R::splat(1.0));
        let trace = stretch[0] + stretch[1] + stretch[2];
        R::splat(self.lame.mu).mul_add(mat3::dot(stretch, stretch), R::splat(0.5 * self.lame.lambda) * trace * trace)
    }

    #[inline(always)]
    fn stress<R: Real>(&self, f: &Mat3<R>) -> Mat3<R> {
        let Svd { u, sigma, v } = svd(f);
        let (r, trace) = (mat3::mat_mul_t(&u, &v), sigma[0] + sigma[1] + sigma[2]);
        let two_mu = R::splat(2.0 * self.lame.mu);
        let along_r = R::splat(self.lame.lambda).mul_add(trace - R::splat(3.0), -two_mu);
        std::array::from_fn(|i| std::array::from_fn(|j| two_mu.mul_add(f[i][j], along_r * r[i][j])))
    }

    #[inline(always)]
    fn tangent<R: Real>(&self, f: &Mat3<R>) -> Tangent<R> {
        let svd = svd(f);
        self.principal(svd.sigma).tangent(&svd)
    }

    #[inline(always)]
    fn tangent_psd<R: Real>(&self, f: &Mat3<R>) -> Tangent<R> {
        let svd = svd(f);
        self.principal(svd.sigma).clamped().tangent(&svd)
    }

    #[inline(always)]
    fn rows<R: Real>(&self, f: &Mat3<R>) -> [Row<R>; 4] {
        let Svd { u, sigma, v } = svd(f);
        let stretch = |a: usize| {
            let gradient = std::array::from_fn(|i| std::array::from_fn(|j| u[i][a] * v[j][a]));
            Row { c: sigma[a] - R::splat(1.0), gradient, k: 2.0 * self.lame.mu }
        };
        let trace = sigma[0] + sigma[1] + sigma[2] - R::splat(3.0);
        let volume = Row { c: trace, gradient: mat3::mat_mul_t(&u, &v), k: self.lame.lambda };
        [stretch(0), stretch(1), stretch(2), volume]
    }

    /// Returns `None`: small steps solve its rows.
    #[inline(always)]
    fn majorant<R: Real>(&self, _: &Mat3<R>) -> Option<Majorant<R>> {
        None
    }
}
