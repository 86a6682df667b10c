//! Compressible Mooney-Rivlin rubber, with separate terms for shape and volume.
//!
//! W = c10 (J^-2/3 I1 - 3) + c01 (J^-4/3 I2 - 3) + kappa/2 (J - 1)^2, with I1 = tr C, I2 = (I1^2 - tr C^2)/2, J = det F and the real
//! cube root, so that it is finite for negative J too (Mooney 1940; Rivlin 1948).
//!
//! At rest it is Hooke's law with the shear modulus mu = 2 (c10 + c01) and the bulk modulus kappa. c01 = 0 is
//! [`super::NeoHookeanIsochoric`]. Neither constant may be negative, so that every stretch costs energy. It is singular
//! at J = 0.

use super::hooke::{self, Lame};
use super::invariants::Invariants;
use super::principal::Principal;
use super::{Defined, Material, MaterialFacts, Tangent, law};
use crate::parameter::{Kind, Parameter};
use numerics::mat3::Mat3;
use numerics::real::Real;
use numerics::spectral3::svd;

/// The facts of mooney-rivlin.
pub(super) const MATERIAL: MaterialFacts = MaterialFacts {
    name: "mooney-rivlin",
    aliases: &["mr"],
    description: "rubber of two constants, c10 (J^-2/3 I1 - 3) + c01 (J^-4/3 I2 - 3) + bulk/2 (J - 1)^2: closer to measured rubber than \
                  neo-Hookean; the shear modulus at rest is 2 (c10 + c01)",
    citation: "Mooney 1940; Rivlin 1948",
    rotation_invariant: true,
    isotropic: true,
    defined: Defined::ForNonzeroVolume,
    parameters: &[
        Parameter::required("c10", Kind::NOT_NEGATIVE, "Pa", "constant of the first invariant"),
        Parameter::required("c01", Kind::NOT_NEGATIVE, "Pa", "constant of the second invariant"),
        hooke::BULK,
    ],
    sample: |young, poisson| {
        let lame = Lame::new(young, poisson);
        vec![("c10", (0.35 * lame.mu).into()), ("c01", (0.15 * lame.mu).into()), ("bulk", lame.bulk().into())]
    },
    make: |parameters| {
        let [c10, c01, bulk] = [parameters.number("c10")?, parameters.number("c01")?, parameters.number("bulk")?];
        if c10 + c01 == 0.0 {
            return Err(
                parameters.refuse("c10", "c10 or c01 above 0: half their shear modulus is c10 + c01".to_string())
            );
        }
        Ok(law(MooneyRivlin { c10, c01, bulk }))
    },
};

/// The Mooney-Rivlin material.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct MooneyRivlin {
    /// Constant of I1 [Pa].
    pub c10: f64,
    /// Constant of I2 [Pa].
    pub c01: f64,
    /// Bulk modulus [Pa].
    pub bulk: f64,
}

impl MooneyRivlin {
    /// Computes c10 J^-2/3 and c01 J^-4/3, the derivatives of W with respect to I1 and I2.
    #[inline(always)]
    fn factors<R: Real>(&self, j: R) -> [R; 2] {
        let shrink = shrink(j);
        [R::splat(self.c10) * shrink, R::splat(self.c01) * shrink * shrink]
    }

    /// Computes the derivatives of W with respect to I1, I2 and J.
    #[inline(always)]
    fn first<R: Real>(&self, of: &Invariants<R>) -> [R; 3] {
        let [a, b] = self.factors(of.j);
        let shape = R::splat(-2.0 / 3.0) * a * of.i1 + R::splat(-4.0 / 3.0) * b * of.i2;
        [a, b, R::splat(self.bulk).mul_add(of.j - R::splat(1.0), shape / of.j)]
    }
}

/// Computes J^-2/3, with the real cube root.
#[inline(always)]
fn shrink<R: Real>(j: R) -> R {
    let root = j.cbrt();
    R::splat(1.0) / (root * root)
}

impl Material for MooneyRivlin {
    #[inline(always)]
    fn density<R: Real>(&self, f: &Mat3<R>) -> R {
        let of = Invariants::new(f);
        let (shrink, volume, three) = (shrink(of.j), of.j - R::splat(1.0), R::splat(3.0));
        // Each difference from its value at rest is formed separately, so that rest is zero to the last bit.
        let [first, second] = [shrink * of.i1 - three, shrink * shrink * of.i2 - three];
        R::splat(self.c10) * first + R::splat(self.c01) * second + R::splat(0.5 * self.bulk) * volume * volume
    }

    #[inline(always)]
    fn stress<R: Real>(&self, f: &Mat3<R>) -> Mat3<R> {
        let of = Invariants::new(f);
        of.stress(self.first(&of))
    }

    #[inline(always)]
    fn tangent<R: Real>(&self, f: &Mat3<R>) -> Tangent<R> {
        let of = Invariants::new(f);
        let ([a, b], inverse, zero) = (self.factors(of.j), R::splat(1.0) / of.j, R::splat(0.0));
        let shape = R::splat(10.0 / 9.0) * a * of.i1 + R::splat(28.0 / 9.0) * b * of.i2;
        let [aj, bj] = [R::splat(-2.0 / 3.0) * a * inverse, R::splat(-4.0 / 3.0) * b * inverse];
        let jj = (shape * inverse).mul_add(inverse, R::splat(self.bulk));
        of.tangent(self.first(&of), [[zero, zero, aj], [zero, zero, bj], [aj, bj, jj]])
    }

    #[inline(always)]
    fn tangent_psd<R: Real>(&self, f: &Mat3<R>) -> Tangent<R> {
        let svd = svd(f);
        Principal::of_tangent(&self.tangent(f), &svd).clamped().tangent(&svd)
    }
}
