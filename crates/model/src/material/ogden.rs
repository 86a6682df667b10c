//! Ogden's rubber: a sum of up to three powers of the stretches.
//!
//! W = sum_p mu_p/alpha_p (b_0^alpha_p + b_1^alpha_p + b_2^alpha_p - 3) + kappa/2 (J - 1)^2, b_a = J^-1/3 s_a (Ogden 1972). At rest it is
//! Hooke's law with the shear modulus sum mu_p alpha_p / 2 and the bulk modulus kappa. Principal stresses are W_a = k_a / s_a with
//! k_a = sum_p mu_p (b_a^alpha_p - mean over a) + kappa J (J - 1). One term with alpha = 2 is [`super::NeoHookeanIsochoric`].
//! Not defined for J <= 0. Costs a singular value decomposition and three exponentials per term.

use super::hooke::{self, Lame};
use super::principal::{Principal, power_quotient};
use super::{Defined, Material, MaterialFacts, Tangent, law};
use crate::parameter::{Kind, Parameter};
use numerics::mat3::{self, Mat3, Vec3};
use numerics::real::Real;
use numerics::spectral3::svd;

/// The facts of ogden.
pub(super) const MATERIAL: MaterialFacts = MaterialFacts {
    name: "ogden",
    aliases: &[],
    description: "rubber of up to three powers of the stretches, sum of mu/alpha (b1^alpha + b2^alpha + b3^alpha - 3), and bulk/2 (J - 1)^2; \
                  fits rubber to several times its length; the shear modulus at rest is half the sum of mu alpha",
    citation: "Ogden 1972",
    rotation_invariant: true,
    isotropic: true,
    defined: Defined::ForPositiveVolume,
    parameters: &[
        Parameter::required("mu", Kind::NUMBERS, "Pa", "factor of each term, of the sign of its alpha"),
        Parameter::required("alpha", Kind::NUMBERS, "", "exponent of each term"),
        hooke::BULK,
    ],
    sample: |young, poisson| {
        let (lame, alpha) = (Lame::new(young, poisson), [1.3, 5.0, -2.0]);
        let mu: Vec3 = std::array::from_fn(|p| 2.0 * lame.mu * [0.7, 0.1, 0.2][p] / alpha[p]);
        vec![("mu", mu.into()), ("alpha", alpha.into()), ("bulk", lame.bulk().into())]
    },
    make: |parameters| {
        let (mu, alpha, mut terms) = (parameters.list("mu")?, parameters.list("alpha")?, [[0.0; 2]; 3]);
        if mu.len() > 3 || mu.len() != alpha.len() {
            return Err(parameters.refuse("alpha", "as many numbers as mu has, at most 3".to_string()));
        }
        (0..mu.len()).for_each(|p| terms[p] = [mu[p], alpha[p]]);
        if terms[..mu.len()].iter().any(|[mu, alpha]| mu * alpha <= 0.0) {
            return Err(parameters.refuse("mu", "numbers of the sign of their alpha, none of them 0".to_string()));
        }
        Ok(law(Ogden { terms, count: mu.len(), bulk: parameters.number("bulk")? }))
    },
};

/// Ogden's material.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ogden {
    terms: [[f64; 2]; 3], // mu_p [Pa] and alpha_p
    count: usize,
    bulk: f64, // [Pa]
}

impl Ogden {
    /// Computes principal stresses W_a and moduli. W_a sums powers of s_a and the common part of all k_a over s_a.
    #[inline(always)]
    fn principal<R: Real>(&self, s: [R; 3]) -> ([R; 3], Principal<R>) {
        let (zero, one, j) = (R::splat(0.0), R::splat(1.0), s[0] * s[1] * s[2]);
        let (logs, volume) = (s.map(R::ln), R::splat(self.bulk) * j);
        let (ln_j, pair) = (logs[0] + logs[1] + logs[2], |c: usize| ((c + 1) % 3, (c + 2) % 3));
        let (mut powers, mut common, mut flip) = ([zero; 3], volume * (j - one), [zero; 3]);
        let mut slopes = [[volume * (j + j - one); 3]; 3]; // dk_a / d ln s_b
        for &[mu, alpha] in &self.terms[..self.count] {
            let b = shapes(logs, alpha).map(|b| R::splat(mu) * b);
            let mean = R::splat(1.0 / 3.0) * (b[0] + b[1] + b[2]);
            let factor = R::splat(mu) * (R::splat(-alpha / 3.0) * ln_j).exp();
            common -= mean;
            for m in 0..3 {
                powers[m] += b[m];
                flip[m] += factor * power_quotient(logs[pair(m).0], logs[pair(m).1], alpha - 1.0);
                (0..3).for_each(|n| slopes[m][n] -= R::splat(alpha / 3.0) * (b[m] + b[n] - mean));
                slopes[m][m] += R::splat(alpha) * b[m];
            }
        }
        let stress: [R; 3] = std::array::from_fn(|a| (powers[a] + common) / s[a]);
        let flip = std::array::from_fn(|c| flip[c] - common / (s[pair(c).0] * s[pair(c).1]));
        (stress, Principal::of_stresses(s, stress, &slopes, flip))
    }
}

/// Computes b_a^alpha from the logarithms of the stretches.
#[inline(always)]
fn shapes<R: Real>(logs: [R; 3], alpha: f64) -> [R; 3] {
    let third = R::splat(1.0 / 3.0) * (logs[0] + logs[1] + logs[2]);
    logs.map(|log| (R::splat(alpha) * (log - third)).exp())
}

impl Material for Ogden {
    #[inline(always)]
    fn density<R: Real>(&self, f: &Mat3<R>) -> R {
        let s = svd(f).sigma;
        let (logs, volume) = (s.map(R::ln), s[0] * s[1] * s[2] - R::splat(1.0));
        self.terms[..self.count].iter().fold(R::splat(0.5 * self.bulk) * volume * volume, |sum, &[mu, alpha]| {
            let b = shapes(logs, alpha);
            R::splat(mu / alpha).mul_add(b[0] + b[1] + b[2] - R::splat(3.0), sum)
        })
    }

    #[inline(always)]
    fn stress<R: Real>(&self, f: &Mat3<R>) -> Mat3<R> {
        let svd = svd(f);
        let (stress, _) = self.principal(svd.sigma);
        mat3::mat_mul_t(&svd.u.map(|row| std::array::from_fn(|a| row[a] * stress[a])), &svd.v)
    }

    #[inline(always)]
    fn tangent<R: Real>(&self, f: &Mat3<R>) -> Tangent<R> {
        let svd = svd(f);
        self.principal(svd.sigma).1.tangent(&svd)
    }

    #[inline(always)]
    fn tangent_psd<R: Real>(&self, f: &Mat3<R>) -> Tangent<R> {
        let svd = svd(f);
        self.principal(svd.sigma).1.clamped().tangent(&svd)
    }
}
