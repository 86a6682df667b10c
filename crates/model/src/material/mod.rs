//! Hyperelastic materials: an energy density of the deformation gradient F and its derivatives.
//!
//! Young's modulus E and Poisson's ratio nu mean the same in every material: at rest the tangent is
//! Hooke's law (for ARAP that of lambda = 0). The contract tests walk [`MATERIALS`].

use numerics::mat3::Mat3;
use numerics::real::Real;

mod arap;
mod corotational;
mod kind;
mod linear;
mod majorant;
mod neo_hookean;
mod neo_hookean_isochoric;
mod principal;
mod stable_neo_hookean;
mod stvk;
mod twist;

pub use arap::Arap;
pub use corotational::Corotational;
pub use kind::{MaterialError, MaterialKind, MaterialVisitor, find};
pub use linear::Linear;
pub use majorant::Majorant;
pub use neo_hookean::NeoHookean;
pub use neo_hookean_isochoric::NeoHookeanIsochoric;
pub use stable_neo_hookean::StableNeoHookean;
pub use stvk::StVenantKirchhoff;
pub use twist::without_twist;

/// dP/dF: entry `[3 i + j][3 k + l]` is dP_ij / dF_kl [Pa]. Symmetric.
pub type Tangent<R = f64> = [[R; 9]; 9];

/// One term of an energy density written as a constraint: W = const + sum 1/2 k C^2.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Row<R = f64> {
    /// The constraint C(F), dimensionless.
    pub c: R,
    /// dC/dF, so that sum k C dC/dF = P.
    pub gradient: Mat3<R>,
    /// Its stiffness k [Pa]; zero or negative only where lambda is.
    pub k: f64,
}

/// A hyperelastic material whose density is a sum of `K` squares. A new one is one file and one row of [`MATERIALS`].
pub trait Material<const K: usize>: Copy + Send + Sync + 'static {
    /// Whether the stress is linear in F.
    const LINEAR: bool = false;
    /// Energy density W(F) [J/m^3], zero at rest.
    fn density<R: Real>(&self, f: &Mat3<R>) -> R;
    /// First Piola-Kirchhoff stress P = dW/dF [Pa].
    fn stress<R: Real>(&self, f: &Mat3<R>) -> Mat3<R>;
    /// dP/dF [Pa].
    fn tangent<R: Real>(&self, f: &Mat3<R>) -> Tangent<R>;
    /// dP/dF with its negative eigenvalues set to zero [Pa].
    fn tangent_psd<R: Real>(&self, f: &Mat3<R>) -> Tangent<R>;
    /// The density as a sum of squares.
    fn rows<R: Real>(&self, f: &Mat3<R>) -> [Row<R>; K];
    /// Stress and a bound of the tangent, for materials whose rows pull against each other at rest: what rows leave out is
    /// then no small part of the tangent, and an element is solved for its stress instead.
    #[inline(always)]
    fn majorant<R: Real>(&self, _f: &Mat3<R>) -> Option<Majorant<R>> {
        None
    }
}

/// The deformations for which a material has an energy, by the volume det F.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Defined {
    /// For all.
    Everywhere,
    /// For det F not zero: inside out as well, but not flat.
    ForNonzeroVolume,
    /// For det F above zero: not inside out.
    ForPositiveVolume,
}

impl Defined {
    /// Whether a tet that is turned inside out has an energy.
    pub fn survives_inversion(self) -> bool {
        self != Defined::ForPositiveVolume
    }

    /// Some words for tables.
    pub fn words(self) -> &'static str {
        match self {
            Defined::Everywhere => "survives inversion",
            Defined::ForNonzeroVolume => "finite when inverted, infinite when flat",
            Defined::ForPositiveVolume => "no energy when inverted",
        }
    }
}

/// What is known of a material without running it: everything that contract tests, listings and the manual need.
#[derive(Debug, Clone, Copy)]
pub struct MaterialFacts {
    /// The word a scene says.
    pub name: &'static str,
    /// Other words for the same.
    pub aliases: &'static [&'static str],
    /// One line.
    pub description: &'static str,
    /// Where the energy comes from.
    pub citation: &'static str,
    /// W(QF) = W(F) for every rotation Q: turning as a whole costs nothing.
    pub rotation_invariant: bool,
    /// For which F the density W, the stress P and dP/dF are finite.
    pub defined: Defined,
    /// Poisson's ratio acts as in Hooke's law; otherwise lambda is taken as zero.
    pub uses_poisson: bool,
    /// From Young's modulus [Pa] and Poisson's ratio, both already checked; use [`MaterialKind::new`] for a name.
    pub new: fn(young: f64, poisson: f64) -> MaterialKind,
}

/// Every material.
pub const MATERIALS: &[MaterialFacts] = &[
    MaterialFacts {
        name: "linear",
        aliases: &["small-strain", "hooke"],
        description: "Hooke's law for small strains and small rotations; forces are linear in the displacements",
        citation: "Hooke 1678",
        rotation_invariant: false,
        defined: Defined::Everywhere,
        uses_poisson: true,
        new: |young, poisson| MaterialKind::Linear(Linear::new(young, poisson)),
    },
    MaterialFacts {
        name: "corotational",
        aliases: &["corotated"],
        description: "Hooke's law in the frame of the nearest rotation: large rotations, moderate strains",
        citation: "Mueller and Gross 2004",
        rotation_invariant: true,
        defined: Defined::Everywhere,
        uses_poisson: true,
        new: |young, poisson| MaterialKind::Corotational(Corotational::new(young, poisson)),
    },
    MaterialFacts {
        name: "st-venant-kirchhoff",
        aliases: &["stvk"],
        description: "Hooke's law for the Green strain: large rotations; softens under compression, may invert",
        citation: "Kirchhoff 1852",
        rotation_invariant: true,
        defined: Defined::Everywhere,
        uses_poisson: true,
        new: |young, poisson| MaterialKind::StVenantKirchhoff(StVenantKirchhoff::new(young, poisson)),
    },
    MaterialFacts {
        name: "neo-hookean",
        aliases: &["nh"],
        description: "rubber with a logarithmic barrier: infinite energy at zero volume, undefined beyond",
        citation: "Bonet and Wood 1997",
        rotation_invariant: true,
        defined: Defined::ForPositiveVolume,
        uses_poisson: true,
        new: |young, poisson| MaterialKind::NeoHookean(NeoHookean::new(young, poisson)),
    },
    MaterialFacts {
        name: "neo-hookean-isochoric",
        aliases: &["nh-isochoric"],
        description: "rubber by shape and volume apart, C (J^-2/3 I1 - 3) + D (J - 1)^2: infinite energy at zero volume, finite beyond; D is half the bulk modulus (half of lambda in GAUSS, the program of Chen et al. 2020)",
        citation: "Simo, Taylor and Pister 1985; Chen, Sheen, Ascher and Pai 2020",
        rotation_invariant: true,
        defined: Defined::ForNonzeroVolume,
        uses_poisson: true,
        new: |young, poisson| MaterialKind::NeoHookeanIsochoric(NeoHookeanIsochoric::new(young, poisson)),
    },
    MaterialFacts {
        name: "stable-neo-hookean",
        aliases: &["snh"],
        description: "rubber that keeps its volume, is defined for every deformation and recovers from inversion",
        citation: "Smith, de Goes and Kim 2018",
        rotation_invariant: true,
        defined: Defined::Everywhere,
        uses_poisson: true,
        new: |young, poisson| MaterialKind::StableNeoHookean(StableNeoHookean::new(young, poisson)),
    },
    MaterialFacts {
        name: "arap",
        aliases: &["as-rigid-as-possible"],
        description: "as rigid as possible: the distance to the nearest rotation; Poisson's ratio only scales it",
        citation: "Sorkine and Alexa 2007; Chao et al. 2010",
        rotation_invariant: true,
        defined: Defined::Everywhere,
        uses_poisson: false,
        new: |young, poisson| MaterialKind::Arap(Arap::new(young, poisson)),
    },
];

/// The Lame parameters of Hooke's law.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Lame {
    /// Shear modulus mu = E / (2 (1 + nu)) [Pa].
    pub mu: f64,
    /// lambda = E nu / ((1 + nu) (1 - 2 nu)) [Pa]; negative for negative nu.
    pub lambda: f64,
}

impl Lame {
    /// From Young's modulus E [Pa] and Poisson's ratio nu.
    pub fn new(young: f64, poisson: f64) -> Lame {
        let mu = 0.5 * young / (1.0 + poisson);
        Lame { mu, lambda: 2.0 * mu * poisson / (1.0 - 2.0 * poisson) }
    }
}

/// A tangent from its entries T(i, j, k, l) = dP_ij / dF_kl, each pair computed once.
///
/// The rows are spelled out because the compiler does not unroll a triangular loop, and an index that is not a constant
/// keeps every operand in memory: unrolled it is five times faster.
#[inline(always)]
fn symmetric_tangent<R: Real>(entry: impl Fn(usize, usize, usize, usize) -> R) -> Tangent<R> {
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

/// Row A from the diagonal on, and column A below it.
#[inline(always)]
fn fill_row<R: Real, const A: usize>(tangent: &mut Tangent<R>, entry: &impl Fn(usize, usize, usize, usize) -> R) {
    for b in A..9 {
        tangent[A][b] = entry(A / 3, A % 3, b / 3, b % 3);
        tangent[b][A] = tangent[A][b];
    }
}

/// 1 where i = j, else 0.
#[inline(always)]
fn delta<R: Real>(i: usize, j: usize) -> R {
    R::splat(if i == j { 1.0 } else { 0.0 })
}
