//! Stable neo-Hookean rubber: defined, smooth and restoring for every deformation.
//!
//! W = m/2 (I_C - 3) + l/2 (J - alpha)^2 - m/2 ln(I_C + 1) + const (Smith, de Goes and Kim 2018), I_C = tr F^T F,
//! J = det F; P = m (1 - 1/(I_C + 1)) F + l (J - alpha) cof F.
//!
//! Symbols: m = 4/3 mu and l = lambda + 5/6 mu are the paper's re-parameterised mu and lambda, so that the tangent at
//! rest is Hooke's; alpha = 1 + 3/4 m/l makes rest stress-free; the constant makes W zero there. l is positive for
//! every admissible Poisson's ratio. Flat and inverted elements recover.

use numerics::mat3::{self, Mat3};
use numerics::real::Real;
use numerics::spectral3::svd;

use super::majorant::{Majorant, largest_eigenvalue, size};
use super::principal::Principal;
use super::{Defined, Lame, Material, MaterialFacts, Row, Tangent, hooke, law, symmetric_tangent};

/// The facts of stable-neo-hookean.
pub(super) const MATERIAL: MaterialFacts = MaterialFacts {
    name: "stable-neo-hookean",
    aliases: &["snh"],
    description: "rubber that keeps its volume, is defined for every deformation and recovers from inversion",
    citation: "Smith, de Goes and Kim 2018",
    rotation_invariant: true,
    isotropic: true,
    defined: Defined::Everywhere,
    parameters: hooke::MODULI,
    sample: hooke::given,
    make: |parameters| hooke::read(parameters).map(|[young, poisson]| law(StableNeoHookean::new(young, poisson))),
};

/// The stable neo-Hookean material.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct StableNeoHookean {
    m: f64,
    l: f64,
    alpha: f64,
}

impl StableNeoHookean {
    /// Creates the material from Young's modulus [Pa] and Poisson's ratio.
    pub fn new(young: f64, poisson: f64) -> StableNeoHookean {
        let Lame { mu, lambda } = Lame::new(young, poisson);
        let (m, l) = (4.0 / 3.0 * mu, lambda + 5.0 / 6.0 * mu);
        StableNeoHookean { m, l, alpha: 1.0 + 0.75 * m / l }
    }

    /// Computes the factors of F and of cof F in the stress, and the factor of F x F in the tangent, 2 m / (I_C + 1)^2.
    #[inline(always)]
    fn factors<R: Real>(&self, squares: R, j: R) -> (R, R, R) {
        let m = R::splat(self.m);
        let inverse = R::splat(1.0) / (squares + R::splat(1.0));
        (m * (squares * inverse), R::splat(self.l) * (j - R::splat(self.alpha)), (m + m) * (inverse * inverse))
    }

    /// Computes the principal moduli, with W_a = p s_a + q s_b s_c and the factors p and q of the stress.
    #[inline(always)]
    fn principal<R: Real>(&self, s: [R; 3]) -> Principal<R> {
        let cofactor = [s[1] * s[2], s[2] * s[0], s[0] * s[1]];
        let (p, q, r) = self.factors(mat3::dot(s, s), s[0] * cofactor[0]);
        let l = R::splat(self.l);
        Principal {
            scaling: std::array::from_fn(|a| {
                std::array::from_fn(|b| {
                    let outer = (r * s[a]).mul_add(s[b], l * cofactor[a] * cofactor[b]);
                    outer + if a == b { p } else { q * s[3 - a - b] }
                })
            }),
            flip: std::array::from_fn(|c| p - q * s[c]),
            twist: std::array::from_fn(|c| p + q * s[c]),
        }
    }
}

impl Material<2> for StableNeoHookean {
    #[inline(always)]
    fn density<R: Real>(&self, f: &Mat3<R>) -> R {
        // Each difference from its value at rest is formed separately, so that rest is zero to the last bit.
        let (one, three) = (R::splat(1.0), R::splat(3.0));
        let (squares, j) = (mat3::contract(f, f), mat3::determinant(f));
        let shape = (squares - three) - (R::splat(0.25) * (squares + one)).ln();
        let volume = (j - one) * (j + R::splat(1.0 - 2.0 * self.alpha));
        R::splat(0.5 * self.m).mul_add(shape, R::splat(0.5 * self.l) * volume)
    }

    #[inline(always)]
    fn stress<R: Real>(&self, f: &Mat3<R>) -> Mat3<R> {
        let cofactor = mat3::cofactor(f);
        let (p, q, _) = self.factors(mat3::contract(f, f), mat3::dot(f[0], cofactor[0]));
        std::array::from_fn(|i| std::array::from_fn(|j| p.mul_add(f[i][j], q * cofactor[i][j])))
    }

    /// Computes dP = p dF + r (F : dF) F + l (cof F : dF) cof F + q d(cof F).
    #[inline(always)]
    fn tangent<R: Real>(&self, f: &Mat3<R>) -> Tangent<R> {
        let cofactor = mat3::cofactor(f);
        let (p, q, r) = self.factors(mat3::contract(f, f), mat3::dot(f[0], cofactor[0]));
        let (r_f, l_c) = (mat3::mat_scale(r, f), mat3::mat_scale(R::splat(self.l), &cofactor));
        let q_f = mat3::mat_scale(q, f);
        symmetric_tangent(|i, j, k, l| {
            let t = r_f[i][j].mul_add(f[k][l], l_c[i][j] * cofactor[k][l]);
            if i == k && j == l {
                t + p
            } else if i == k || j == l {
                t
            } else {
                // d cof_ij / dF_kl is the entry in the third row and column, positive for equal cyclic steps.
                let third = q_f[3 - i - k][3 - j - l];
                if (k + 3 - i) % 3 == (l + 3 - j) % 3 { t + third } else { t - third }
            }
        })
    }

    #[inline(always)]
    fn tangent_psd<R: Real>(&self, f: &Mat3<R>) -> Tangent<R> {
        let svd = svd(f);
        self.principal(svd.sigma).clamped().tangent(&svd)
    }

    /// Writes W = const + m/2 (I_C - ln(I_C + 1)) + l/2 (J - alpha)^2.
    #[inline(always)]
    fn rows<R: Real>(&self, f: &Mat3<R>) -> [Row<R>; 2] {
        let one = R::splat(1.0);
        let squares = mat3::contract(f, f);
        let cofactor = mat3::cofactor(f);
        let j = mat3::dot(f[0], cofactor[0]);
        // Near F = 0 the difference loses all digits, and C is I_C (1/2 - I_C/3)^1/2.
        let near = squares * squares * (R::splat(0.5) - squares * R::splat(1.0 / 3.0));
        let square = squares.select_gt(R::splat(1e-5), squares - (squares + one).ln(), near);
        // dC/dF = I_C / (I_C + 1) F / C, which is finite where I_C and C vanish together.
        let c = square.sqrt().at_least(R::splat(f64::MIN_POSITIVE));
        let slope = squares / ((squares + one) * c);
        [
            Row { c, gradient: mat3::mat_scale(slope, f), k: self.m },
            Row { c: j - R::splat(self.alpha), gradient: cofactor, k: self.l },
        ]
    }

    /// Bounds the tangent: q d(cof F) is at most |q| s with the largest stretch s while 0 < J < alpha, and |q| (4/3
    /// I_C)^1/2 always.
    #[inline(always)]
    fn majorant<R: Real>(&self, f: &Mat3<R>) -> Option<Majorant<R>> {
        let (zero, cofactor, squares) = (R::splat(0.0), mat3::cofactor(f), mat3::mat_t_mul(f, f));
        let (sum, j) = (mat3::trace(&squares), mat3::dot(f[0], cofactor[0]));
        let (p, q, _) = self.factors(sum, j);
        let stress = std::array::from_fn(|i| std::array::from_fn(|j| p.mul_add(f[i][j], q * cofactor[i][j])));
        let turning = zero.select_gt(q * j, largest_eigenvalue(&squares), R::splat(4.0 / 3.0) * sum);
        Some(Majorant { stress, cofactor, shape: size(q).mul_add(turning.sqrt(), p), volume: R::splat(self.l) })
    }
}
