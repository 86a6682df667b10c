//! Neo-Hookean rubber with separate terms for shape and volume, finite beyond inversion.
//!
//! W = C (J^-2/3 I1 - 3) + D (J - 1)^2, I1 = tr F^T F, J = det F, with the real cube root, so that J^-2/3 is positive for
//! negative J too; P = a (F - I1/3 G) + 2 D (J - 1) cof F with a = 2 C J^-2/3 and G = F^-T.
//!
//! C = mu/2 and D = kappa/2 with the shear modulus mu and the bulk modulus kappa = lambda + 2/3 mu of Young's modulus
//! and Poisson's ratio: at rest it is Hooke's law, like every material. The programs of Chen et al. 2020 (GAUSS) use
//! this law with D = lambda/2, whose bulk modulus is lambda. A body that they call (E, nu) is here
//!
//!   young = 9 lambda mu / (3 lambda + mu),   poisson = (3 lambda - 2 mu) / (6 lambda + 2 mu),
//!
//! for 1e5 Pa and .45: 99,753.69 Pa and 25/56 = .4464286.
//!
//! Energy and stress grow without bound as J approaches zero from either side, unless the element shrinks equally in
//! all directions. An inverted element therefore does not end a run, and can recover only by shrinking to a point.
//! Singular at J = 0 only.

use numerics::mat3::{self, Mat3};
use numerics::real::Real;
use numerics::spectral3::svd;

use super::majorant::{Majorant, largest_eigenvalue, size};
use super::principal::Principal;
use super::{Defined, Lame, Material, MaterialFacts, Row, Tangent, hooke, law, symmetric_tangent};

/// The facts of neo-hookean-isochoric.
pub(super) const MATERIAL: MaterialFacts = MaterialFacts {
    name: "neo-hookean-isochoric",
    aliases: &["nh-isochoric"],
    description: "rubber by shape and volume apart, C (J^-2/3 I1 - 3) + D (J - 1)^2: infinite energy at zero volume, finite beyond; D is half the bulk modulus (half of lambda in GAUSS, the program of Chen et al. 2020)",
    citation: "Simo, Taylor and Pister 1985; Chen, Sheen, Ascher and Pai 2020",
    rotation_invariant: true,
    isotropic: true,
    defined: Defined::ForNonzeroVolume,
    parameters: hooke::MODULI,
    sample: hooke::given,
    make: |parameters| hooke::read(parameters).map(|[young, poisson]| law(NeoHookeanIsochoric::new(young, poisson))),
};

/// The neo-Hookean material of isochoric shape changes.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NeoHookeanIsochoric {
    mu: f64,
    /// Bulk modulus [Pa].
    kappa: f64,
}

/// Factors of the stress and the tangent, P = a F - b G.
struct Factors<R> {
    /// mu J^-2/3.
    a: R,
    /// a I1/3 - kappa J (J - 1).
    b: R,
    /// Factor of G x G in the tangent, 2/9 a I1 + kappa J (2 J - 1).
    c: R,
}

impl NeoHookeanIsochoric {
    /// Creates the material from Young's modulus [Pa] and Poisson's ratio.
    pub fn new(young: f64, poisson: f64) -> NeoHookeanIsochoric {
        let Lame { mu, lambda } = Lame::new(young, poisson);
        NeoHookeanIsochoric { mu, kappa: lambda + 2.0 / 3.0 * mu }
    }

    #[inline(always)]
    fn factors<R: Real>(&self, squares: R, j: R) -> Factors<R> {
        let (one, two) = (R::splat(1.0), R::splat(2.0));
        let a = R::splat(self.mu) * shrink(j);
        let (third, volume) = (a * squares * R::splat(1.0 / 3.0), R::splat(self.kappa) * j);
        Factors {
            a,
            b: third - volume * (j - one),
            c: R::splat(2.0 / 3.0).mul_add(third, volume * two.mul_add(j, -one)),
        }
    }

    /// Computes the principal moduli, with W_a = a s_a - b / s_a.
    #[inline(always)]
    fn principal<R: Real>(&self, s: [R; 3]) -> Principal<R> {
        let Factors { a, b, c } = self.factors(mat3::dot(s, s), s[0] * s[1] * s[2]);
        let g = s.map(|s| R::splat(1.0) / s);
        let mixed = R::splat(-2.0 / 3.0) * a;
        let term = |c: usize| b * (g[(c + 1) % 3] * g[(c + 2) % 3]);
        Principal {
            scaling: std::array::from_fn(|m| {
                std::array::from_fn(|n| {
                    let outer = mixed.mul_add(s[m].mul_add(g[n], g[m] * s[n]), c * g[m] * g[n]);
                    if m == n { outer + b.mul_add(g[m] * g[m], a) } else { outer }
                })
            }),
            flip: std::array::from_fn(|c| a + term(c)),
            twist: std::array::from_fn(|c| a - term(c)),
        }
    }
}

/// Computes J^-2/3, with the real cube root.
#[inline(always)]
fn shrink<R: Real>(j: R) -> R {
    let root = j.cbrt();
    R::splat(1.0) / (root * root)
}

/// Computes cof F and J = det F.
#[inline(always)]
fn cofactor_and_determinant<R: Real>(f: &Mat3<R>) -> (Mat3<R>, R) {
    let cofactor = mat3::cofactor(f);
    (cofactor, mat3::dot(f[0], cofactor[0]))
}

impl Material<2> for NeoHookeanIsochoric {
    #[inline(always)]
    fn density<R: Real>(&self, f: &Mat3<R>) -> R {
        let j = mat3::determinant(f);
        let (shape, volume) = (mat3::contract(f, f) * shrink(j) - R::splat(3.0), j - R::splat(1.0));
        R::splat(0.5 * self.mu).mul_add(shape, R::splat(0.5 * self.kappa) * volume * volume)
    }

    #[inline(always)]
    fn stress<R: Real>(&self, f: &Mat3<R>) -> Mat3<R> {
        let (cofactor, j) = cofactor_and_determinant(f);
        let Factors { a, b, .. } = self.factors(mat3::contract(f, f), j);
        let b = b / j;
        std::array::from_fn(|i| std::array::from_fn(|k| a.mul_add(f[i][k], -b * cofactor[i][k])))
    }

    /// Computes dP = a dF - 2/3 a ((F : dF) G + (G : dF) F) + c (G : dF) G + b G dF^T G.
    #[inline(always)]
    fn tangent<R: Real>(&self, f: &Mat3<R>) -> Tangent<R> {
        let (cofactor, j) = cofactor_and_determinant(f);
        let Factors { a, b, c } = self.factors(mat3::contract(f, f), j);
        let g = mat3::mat_scale(R::splat(1.0) / j, &cofactor);
        let mixed = mat3::mat_scale(R::splat(-2.0 / 3.0) * a, f);
        let (outer, swapped) = (mat3::mat_scale(c, &g), mat3::mat_scale(b, &g));
        symmetric_tangent(|i, j, k, l| {
            let t = outer[i][j].mul_add(g[k][l], swapped[i][l] * g[k][j]);
            let t = t + mixed[i][j].mul_add(g[k][l], mixed[k][l] * g[i][j]);
            if i == k && j == l { t + a } else { t }
        })
    }

    #[inline(always)]
    fn tangent_psd<R: Real>(&self, f: &Mat3<R>) -> Tangent<R> {
        let svd = svd(f);
        self.principal(svd.sigma).clamped().tangent(&svd)
    }

    /// Writes W = const + mu/2 (J^-1/3 |F|)^2 + kappa/2 (J - 1)^2. The first gradient is zero at rest: this row does
    /// not resist shear.
    #[inline(always)]
    fn rows<R: Real>(&self, f: &Mat3<R>) -> [Row<R>; 2] {
        let (cofactor, j) = cofactor_and_determinant(f);
        let (norm, shrink) = (mat3::contract(f, f).sqrt(), shrink(j).sqrt());
        let (along_f, along_c) = (shrink / norm, R::splat(-1.0 / 3.0) * shrink * norm / j);
        let gradient =
            std::array::from_fn(|i| std::array::from_fn(|k| along_f.mul_add(f[i][k], along_c * cofactor[i][k])));
        [
            Row { c: shrink * norm, gradient, k: self.mu },
            Row { c: j - R::splat(1.0), gradient: cofactor, k: self.kappa },
        ]
    }

    /// Bounds the tangent. F = 3 G/|G|^2 + F' with F' orthogonal to G: the mixed terms of F and G are -4 a/|G|^2 along
    /// G and at most 2/3 a |F'| |G| elsewhere. The term with G dF^T G is at most |b| / s^2 with the smallest stretch s.
    #[inline(always)]
    fn majorant<R: Real>(&self, f: &Mat3<R>) -> Option<Majorant<R>> {
        let zero = R::splat(0.0);
        let (cofactor, j) = cofactor_and_determinant(f);
        let squares = mat3::contract(f, f);
        let Factors { a, b, c } = self.factors(squares, j);
        let inverse = R::splat(1.0) / j;
        let factor = b * inverse;
        let stress = std::array::from_fn(|i| std::array::from_fn(|k| a.mul_add(f[i][k], -factor * cofactor[i][k])));
        let cofactors = mat3::contract(&cofactor, &cofactor);
        let across = (squares * cofactors).mul_add(inverse * inverse, R::splat(-9.0)).at_least(zero).sqrt();
        let turning = largest_eigenvalue(&mat3::mat_t_mul(&cofactor, &cofactor)) * inverse * inverse;
        let shape = size(b).mul_add(turning, (R::splat(2.0 / 3.0) * a).mul_add(across, a));
        let volume = (c * inverse).mul_add(inverse, R::splat(-4.0) * a / cofactors).at_least(zero);
        Some(Majorant { stress, cofactor, shape, volume })
    }
}
