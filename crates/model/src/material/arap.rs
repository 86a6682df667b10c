//! As rigid as possible: the distance to the nearest rotation.
//!
//! W = mu |F - R|^2 = mu sum (s_a - 1)^2; P = 2 mu (F - R).
//!
//! This is the [`Corotational`] material with lambda = 0, and is computed as such. At rest it is Hooke's law with mu =
//! E / (2 (1 + nu)) and lambda = 0, so nothing resists a change of volume beyond the stretches themselves.

use crate::parameter::{Parameter, Preset};
use numerics::mat3::Mat3;
use numerics::real::Real;

use super::{Corotational, Defined, Lame, Majorant, Material, MaterialFacts, Row, Tangent, hooke, law};

/// Parameters. Poisson's ratio affects the shear modulus only and may be omitted.
const PARAMETERS: &[Parameter] = &[hooke::YOUNG, Parameter { default: Preset::Numbers(&[0.0]), ..hooke::POISSON }];

/// The facts of arap.
pub(super) const MATERIAL: MaterialFacts = MaterialFacts {
    name: "arap",
    aliases: &["as-rigid-as-possible"],
    description: "as rigid as possible: the distance to the nearest rotation; Poisson's ratio only scales it",
    citation: "Sorkine and Alexa 2007; Chao et al. 2010",
    rotation_invariant: true,
    isotropic: true,
    defined: Defined::Everywhere,
    parameters: PARAMETERS,
    sample: hooke::given,
    make: |parameters| hooke::read(parameters).map(|[young, poisson]| law(Arap::new(young, poisson))),
};

/// The as-rigid-as-possible material.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Arap {
    corotational: Corotational,
}

impl Arap {
    /// Creates the material from Young's modulus [Pa] and Poisson's ratio; lambda is ignored.
    pub fn new(young: f64, poisson: f64) -> Arap {
        Arap { corotational: Corotational { lame: Lame { lambda: 0.0, ..Lame::new(young, poisson) } } }
    }
}

impl Material<3> for Arap {
    #[inline(always)]
    fn density<R: Real>(&self, f: &Mat3<R>) -> R {
        self.corotational.density(f)
    }

    #[inline(always)]
    fn stress<R: Real>(&self, f: &Mat3<R>) -> Mat3<R> {
        self.corotational.stress(f)
    }

    #[inline(always)]
    fn tangent<R: Real>(&self, f: &Mat3<R>) -> Tangent<R> {
        self.corotational.tangent(f)
    }

    #[inline(always)]
    fn tangent_psd<R: Real>(&self, f: &Mat3<R>) -> Tangent<R> {
        self.corotational.tangent_psd(f)
    }

    #[inline(always)]
    fn rows<R: Real>(&self, f: &Mat3<R>) -> [Row<R>; 3] {
        let [a, b, c, _] = self.corotational.rows(f);
        [a, b, c]
    }

    /// Returns `None`: small steps solve its rows.
    #[inline(always)]
    fn majorant<R: Real>(&self, _: &Mat3<R>) -> Option<Majorant<R>> {
        None
    }
}
