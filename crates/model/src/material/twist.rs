//! Turned tangent: dP/dF without its action on rotations of the body.
//!
//! With the polar rotation R of F, the matrices R W, W skew, are the infinitesimal rotations of the deformed body. For
//! an isotropic material they are three eigendirections of dP/dF, with the eigenvalues tau_c = (p_a + p_b) / (s_a +
//! s_b) in principal stresses p and stretches s (the `twist` of `principal.rs`). These are zero at rest, and they are
//! the whole geometric stiffness: a stressed body resists rotation. A step that is linear in the displacement rotates a
//! body along a tangent, which stretches it. The stress of that false stretch resists the rotation, and a stiff body
//! locks. Without the three eigenvalues it does not lock:
//!
//!   A' = (I - Q Q^T) A (I - Q Q^T),      Q = the three R W of unit length
//!
//! For an anisotropic material the R W are not eigendirections, and A' also omits their coupling with strain.
//!
//! True tension would then act explicitly, and a taut rope of tets diverges. So the turned stiffness leaves out only a share of the
//! resistance, 0.05 / |F - R|. The automatic one knows the last step, and so the false stretch: `linear_turn.rs`.

use numerics::mat3::{Mat3, mat_sub};
use numerics::real::Real;

use super::{Tangent, symmetric_tangent};

/// Strain up to which stress counts as the trace of a linearised turn: that of 0.32 rad per step. With 0.02 a bar of 1e8 Pa
/// that turns by 0.25 rad per step locks; without a bound the uncoiling rope of `scenes` diverges, and siere is 5 to 15
/// times less accurate on soft bodies (`docs/turning.md`).
const TURNED_STRAIN: f64 = 0.05;
/// Removes from the tangent at `f` its action on rotations of a body, whose current rotation is `rotation`: all of it up to
/// strains of 0.05, and less above.
#[inline(always)]
pub fn without_twist<R: Real>(tangent: &Tangent<R>, f: &Mat3<R>, rotation: &Mat3<R>) -> Tangent<R> {
    let limit = R::splat(TURNED_STRAIN);
    without_share(tangent, rotation, limit / strain(f, rotation).max(limit))
}

/// Computes |F - R|.
#[inline(always)]
pub(super) fn strain<R: Real>(f: &Mat3<R>, rotation: &Mat3<R>) -> R {
    let off = mat_sub(f, rotation);
    off.as_flattened().iter().fold(R::splat(0.0), |sum, &off| off.mul_add(off, sum)).sqrt()
}

/// Removes a share of the action of a tangent on rotations.
#[inline(always)]
pub(super) fn without_share<R: Real>(tangent: &Tangent<R>, rotation: &Mat3<R>, share: R) -> Tangent<R> {
    let (zero, half) = (R::splat(0.0), R::splat(0.5));
    let root = R::splat(std::f64::consts::FRAC_1_SQRT_2);
    // Column b of R W_c is column a of R, and column a is minus column b; a, b, c cyclic.
    let turns: [[R; 9]; 3] = std::array::from_fn(|c| {
        let (a, b) = ((c + 1) % 3, (c + 2) % 3);
        let mut turn = [zero; 9];
        for i in 0..3 {
            turn[3 * i + b] = root * rotation[i][a];
            turn[3 * i + a] = -(root * rotation[i][b]);
        }
        turn
    });
    let dot = |x: &[R; 9], y: &[R; 9]| (1..9).fold(x[0] * y[0], |sum, m| x[m].mul_add(y[m], sum));
    let images: [[R; 9]; 3] = std::array::from_fn(|c| std::array::from_fn(|m| dot(&tangent[m], &turns[c])));
    // Z = A Q - Q (Q^T A Q) / 2, so that A' = A - Q Z^T - Z Q^T.
    let halves: [[R; 9]; 3] = std::array::from_fn(|c| {
        let among: [R; 3] = std::array::from_fn(|d| half * dot(&turns[d], &images[c]));
        std::array::from_fn(|m| (0..3).fold(images[c][m], |sum, d| sum - among[d] * turns[d][m]))
    });
    symmetric_tangent(|i, j, k, l| {
        let (m, n) = (3 * i + j, 3 * k + l);
        let twist = |c: usize| turns[c][m].mul_add(halves[c][n], halves[c][m] * turns[c][n]);
        (0..3).fold(tangent[m][n], |sum, c| sum - share * twist(c))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::material::{MATERIALS, sample};
    use numerics::mat3::{IDENTITY, mat_add, mat_mul, mat_scale, rotation};
    use numerics::spectral3::polar;

    fn apply(tangent: &Tangent, direction: &Mat3) -> Mat3 {
        let d = direction.as_flattened();
        let row = |m: usize| (0..9).map(|n| tangent[m][n] * d[n]).sum();
        std::array::from_fn(|i| std::array::from_fn(|j| row(3 * i + j)))
    }

    fn largest(a: &Mat3) -> f64 {
        a.as_flattened().iter().fold(0.0, |most, x| most.max(x.abs()))
    }

    #[test]
    fn turns_cost_nothing_and_strains_what_they_did() {
        // Strains of .018 and .37: below the limit, and seven times above.
        for (size, left) in [(0.05, 0.0), (1.0, 1.0 - TURNED_STRAIN / 0.135_f64.sqrt())] {
            check_at(size, left);
        }
    }

    /// Checks that of the resistance to turns the share `left` is left, and all of that to strain.
    fn check_at(size: f64, left: f64) {
        let strain = [[0.3, 0.1, 0.0], [0.1, -0.1, -0.05], [0.0, -0.05, 0.1]];
        let stretch = mat_add(&IDENTITY, &mat_scale(size, &strain));
        let r = rotation([0.6, 0.0, 0.8], 0.7);
        let f = mat_mul(&r, &stretch);
        for facts in MATERIALS.iter().filter(|facts| facts.rotation_invariant) {
            let law = sample(facts.name, 1e5, 0.3).unwrap();
            let exact = law.response(&f).tangent;
            let turned = without_twist(&exact, &f, &polar(&f).0);
            let size = exact.as_flattened().iter().fold(0.0, |most: f64, x| most.max(x.abs()));
            let mut resists = 0.0_f64;
            for c in 0..3 {
                let mut skew = [[0.0; 3]; 3];
                (skew[(c + 1) % 3][(c + 2) % 3], skew[(c + 2) % 3][(c + 1) % 3]) = (1.0, -1.0);
                let turn = mat_mul(&r, &skew);
                let resistance = apply(&exact, &turn);
                resists = resists.max(largest(&resistance));
                let off = mat_sub(&apply(&turned, &turn), &mat_scale(left, &resistance));
                assert!(largest(&off) < 1e-12 * size, "{}: {off:?}", facts.name);
            }
            // The stretched body did resist: there is something to leave out.
            assert!(resists > 1e-3 * size, "{}: {resists}", facts.name);
            // Directions R S, S symmetric, are across all turns; of isotropic materials nothing else changes there.
            for (i, j) in [(0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2)] {
                let mut symmetric = [[0.0; 3]; 3];
                (symmetric[i][j], symmetric[j][i]) = (1.0, 1.0);
                let strain = mat_mul(&r, &symmetric);
                let off = mat_sub(&apply(&turned, &strain), &apply(&exact, &strain));
                assert!(!facts.isotropic || largest(&off) < 1e-12 * size, "{}: {off:?}", facts.name);
            }
            // At rest there is no stress, and nothing to leave out.
            let exact = law.response(&IDENTITY).tangent;
            let turned = without_twist(&exact, &IDENTITY, &IDENTITY);
            let off = (0..9).flat_map(|m| (0..9).map(move |n| (m, n))).map(|(m, n)| (turned[m][n] - exact[m][n]).abs());
            assert!(off.fold(0.0, f64::max) < 1e-12 * size, "{}", facts.name);
            assert!((0..9).all(|m| (0..9).all(|n| turned[m][n] == turned[n][m])));
        }
    }
}
