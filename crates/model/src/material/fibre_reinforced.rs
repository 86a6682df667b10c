//! Rubber with fibres in one direction: transversely isotropic.
//!
//! W = W_matrix(F) + k/2 e^2, with e = (|F d|^2 - 1)/2 the Green strain along fibres of direction d: the standard
//! reinforcing model (Qiu and Pence 1997) with the matrix material [`StableNeoHookean`]. The stress of the fibres is k
//! e (F d) d^T.
//!
//! At rest it is Hooke's law of the matrix, plus k along d. F uses axes whose x is d: the rest shape of each tet is
//! rotated, so that every tet may have its own direction at no cost. Fibres resist compression as well as tension;
//! compressed below 0.58 of their length they soften. Defined for every deformation.

use super::hooke;
use super::stable_neo_hookean::StableNeoHookean;
use super::{Defined, Material, MaterialFacts, Tangent, law};
use crate::parameter::{Kind, Parameter, Preset};
use numerics::mat3::{Mat3, Vec3, dot};
use numerics::real::Real;

/// The facts of fibre-reinforced.
pub(super) const MATERIAL: MaterialFacts = MaterialFacts {
    name: "fibre-reinforced",
    aliases: &["transversely-isotropic"],
    description: "stable neo-Hookean rubber with fibres in one direction, fibre/8 (|F d|^2 - 1)^2: muscle, tendon, reinforced rubber",
    citation: "Qiu and Pence 1997; Smith, de Goes and Kim 2018",
    rotation_invariant: true,
    isotropic: false,
    defined: Defined::Everywhere,
    parameters: &[
        Parameter { doc: "Young's modulus without fibres", ..hooke::YOUNG },
        Parameter { doc: "Poisson's ratio without fibres", ..hooke::POISSON },
        Parameter::required(
            "fibre",
            Kind::NOT_NEGATIVE,
            "Pa",
            "modulus of the fibres: what they add along their direction",
        ),
        Parameter {
            name: "direction",
            kind: Kind::Direction,
            default: Preset::Numbers(&[1.0, 0.0, 0.0]),
            doc: "direction of the fibres in the shape, which turns with the rotation of its body",
            unit: "",
        },
    ],
    sample: |young, poisson| {
        let fibres = [("fibre", (2.0 * young).into()), ("direction", [2.0, -1.0, 2.0].into())];
        hooke::given(young, poisson).into_iter().chain(fibres).collect()
    },
    make: |parameters| {
        let [young, poisson] = hooke::read(parameters)?;
        let matrix = StableNeoHookean::new(young, poisson);
        let (fibre, direction) = (parameters.number("fibre")?, parameters.direction("direction")?);
        Ok(law(FibreReinforced { matrix, fibre, direction }))
    },
};

/// Rubber with fibres.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FibreReinforced {
    /// Rubber between the fibres.
    pub matrix: StableNeoHookean,
    /// Modulus of the fibres k [Pa].
    pub fibre: f64,
    /// Unit direction of the fibres in the mesh, for tets without their own direction.
    pub direction: Vec3,
}

impl FibreReinforced {
    /// Returns F d, the first column of F, and k e.
    #[inline(always)]
    fn stretched<R: Real>(&self, f: &Mat3<R>) -> (Vec3<R>, R) {
        let along = [f[0][0], f[1][0], f[2][0]];
        (along, R::splat(0.5 * self.fibre) * (dot(along, along) - R::splat(1.0)))
    }
}

impl Material for FibreReinforced {
    #[inline(always)]
    fn density<R: Real>(&self, f: &Mat3<R>) -> R {
        let (along, _) = self.stretched(f);
        let excess = dot(along, along) - R::splat(1.0);
        (R::splat(0.125 * self.fibre) * excess).mul_add(excess, self.matrix.density(f))
    }

    #[inline(always)]
    fn stress<R: Real>(&self, f: &Mat3<R>) -> Mat3<R> {
        let (along, tension) = self.stretched(f);
        let mut stress = self.matrix.stress(f);
        (0..3).for_each(|i| stress[i][0] = tension.mul_add(along[i], stress[i][0]));
        stress
    }

    #[inline(always)]
    fn tangent<R: Real>(&self, f: &Mat3<R>) -> Tangent<R> {
        let (along, tension) = self.stretched(f);
        let mut tangent = self.matrix.tangent(f);
        for (i, k) in (0..9).map(|n| (n / 3, n % 3)) {
            let own = if i == k { tension } else { R::splat(0.0) };
            tangent[3 * i][3 * k] += R::splat(self.fibre) * (along[i] * along[k]) + own;
        }
        tangent
    }

    fn axis(&self) -> Option<Vec3> {
        Some(self.direction)
    }
}
