//! Density constraints of particles: C_i = sum_j V_j W_ij + walls - 1 <= 0, one multiplier per particle (Macklin,
//! Mueller 2013; as compliant constraints, Macklin, Mueller, Chentanez 2016).
//!
//! Each pass is a Jacobi pass: first the multipliers of all particles, then all corrections,
//!
//! ```text
//! d lambda_i = w (-C_i - a lambda_i) / (sum_k w_k |grad_k C_i|^2 + a),    a = 1 / (kappa V dt^2)
//! dx_k = w_k sum_j (d lambda_k V_j + d lambda_j V_k) grad_k W_kj + w_k d lambda_k grad(walls)
//! ```
//!
//! kappa is the bulk modulus [Pa]: the energy of a particle is 1/2 kappa V C^2, and its pressure -lambda / (V dt^2) [Pa].
//! Multipliers are never positive: a fluid pushes and does not pull. The relaxation is w = 1/3: the largest eigenvalue
//! of Jacobi's matrix is 2.7 on a lattice and 3.5 on a perturbed one, and one pass per substep is stable up to w times
//! it = 4/3.
//!
//! Nodes of other bodies take part with a volume and without a multiplier: the same formula pushes them. Each particle
//! sums over its own neighbours in their order, so results do not depend on threads, and the momenta that two particles
//! exchange are equal and opposite.

use super::boundary::Boundary;
use super::kernel::Kernel;
use super::lanes::gather;
use super::neighbours::{CHUNK, Chunk, GROUP};
use super::solids::{Reaction, Solids};
use super::vector;
use model::energy::{Bodies, Quad};
use numerics::mat3::{add, dot, scale};
use rayon::prelude::*;
use wide::f64x8;

/// Share of Jacobi's correction that is applied.
pub(super) const RELAXATION: f64 = 1.0 / 3.0;

/// Least sum of squared gradients, as a share of that at rest: coincident particles have none.
const LEAST_GRADIENTS: f64 = 0.1;

/// Data of a particle: volume [m^3], inverse mass [1/kg], volume^2 times inverse mass, viscosity [Pa s].
pub(super) type Kind = Quad;

/// Position without neighbours, which fills up lists.
pub(super) const NOWHERE: Quad = Quad([1e30, 1e30, 1e30, 0.0]);

/// Particles in sorted order with the data of a pass; lists end with NOWHERE.
pub(super) struct Sorted<'a> {
    pub kernel: &'a Kernel,
    /// Positions [m] and changes of multipliers.
    pub rows: &'a [Quad],
    /// A single one where all particles are alike.
    pub kinds: &'a [Kind],
    pub alike: bool,
    /// Fluid of each particle; nodes of other bodies have the number after the last.
    pub fluid: &'a [u8],
    pub boundaries: &'a [Boundary],
    pub solids: &'a Solids,
    /// 1 / (kappa V dt^2) of each fluid [1/J].
    pub compliance: &'a [f64],
}

impl Sorted<'_> {
    /// Returns the data of particle `i`.
    #[inline(always)]
    pub fn kind<const ALIKE: bool>(&self, i: usize) -> &Kind {
        &self.kinds[if ALIKE { 0 } else { i }]
    }

    /// Computes the change of every multiplier, and C; `total` has the multipliers so far.
    pub fn multipliers<const ALIKE: bool>(
        &self,
        bodies: &Bodies,
        chunks: &[Chunk],
        total: &[f64],
        out: &mut [[f64; 2]],
    ) {
        out.par_chunks_mut(CHUNK).zip(chunks).enumerate().for_each(|(c, (out, lists))| {
            for (k, out) in out.iter_mut().enumerate() {
                let i = c * CHUNK + k;
                let Some(boundary) = self.boundaries.get(usize::from(self.fluid[i])) else {
                    *out = [0.0, 0.0];
                    continue;
                };
                let alpha = self.compliance[usize::from(self.fluid[i])];
                let [volume, inverse_mass, push, _] = self.kind::<ALIKE>(i).0;
                let (sum, slope, squares) = self.sums::<ALIKE>(i, lists.of(k));
                let at = vector(&self.rows[i]);
                let (hidden, wall_slope) = boundary.density(at, self.solids);
                let density = self.kernel.scale * if ALIKE { volume * (sum + 1.0) } else { sum + volume };
                let error = density + hidden - 1.0;
                let factor = self.kernel.slope * if ALIKE { volume } else { 1.0 };
                let own = add(scale(factor, slope), wall_slope);
                let others = self.kernel.slope * self.kernel.slope * if ALIKE { push } else { 1.0 } * squares;
                let mine = inverse_mass * dot(own, own);
                let mut theirs = 0.0;
                boundary.gradients(at, self.solids, hidden, |solid, point, gradient| {
                    theirs += solid.mobility(bodies, point, gradient);
                });
                let diagonal =
                    (mine + others + theirs).max(LEAST_GRADIENTS * push * self.kernel.rest_gradients) + alpha;
                let wanted = total[i] + RELAXATION * (-error - alpha * total[i]) / diagonal;
                *out = [wanted.min(0.0) - total[i], error];
            }
        });
    }

    /// Sums W / sigma, t^3 (x_i - x_j) and w_j t^6 r^2 over the neighbours of particle `i`, times their volumes unless
    /// all are alike.
    #[inline(always)]
    fn sums<const ALIKE: bool>(&self, i: usize, list: &[[u32; GROUP]]) -> (f64, [f64; 3], f64) {
        // Written out here and below: mapping arrays of lanes goes through memory.
        let Quad([x, y, z, _]) = self.rows[i];
        let at = [f64x8::splat(x), f64x8::splat(y), f64x8::splat(z)];
        let (mut sum, mut squares, mut slope) = (f64x8::ZERO, f64x8::ZERO, [f64x8::ZERO; 3]);
        for eight in list {
            let [x, y, z, _] = gather(self.rows, eight);
            let d = [at[0] - x, at[1] - y, at[2] - z];
            let r2 = d[0].mul_add(d[0], d[1].mul_add(d[1], d[2] * d[2]));
            let (value, cube) = self.kernel.shapes(r2);
            if ALIKE {
                sum += value;
                squares = (cube * cube).mul_add(r2, squares);
                slope[0] = cube.mul_add(d[0], slope[0]);
                slope[1] = cube.mul_add(d[1], slope[1]);
                slope[2] = cube.mul_add(d[2], slope[2]);
            } else {
                let [volume, _, push, _] = gather(self.kinds, eight);
                sum = volume.mul_add(value, sum);
                squares = (cube * cube * push).mul_add(r2, squares);
                let weight = volume * cube;
                slope[0] = weight.mul_add(d[0], slope[0]);
                slope[1] = weight.mul_add(d[1], slope[1]);
                slope[2] = weight.mul_add(d[2], slope[2]);
            }
        }
        (sum.reduce_add(), [slope[0].reduce_add(), slope[1].reduce_add(), slope[2].reduce_add()], squares.reduce_add())
    }

    /// Computes the force of the multipliers in the rows on particle `i` [J/m times the unit of the multipliers]; the
    /// reactions on rigid bodies are added to `reactions`.
    #[inline(always)]
    pub fn push<const ALIKE: bool>(
        &self,
        i: usize,
        list: &[[u32; GROUP]],
        bodies: &Bodies,
        reactions: &mut [Reaction],
    ) -> [f64; 3] {
        let Quad([x, y, z, lambda]) = self.rows[i];
        let at = [f64x8::splat(x), f64x8::splat(y), f64x8::splat(z)];
        let mine = f64x8::splat(lambda);
        let volume = self.kind::<ALIKE>(i).0[0];
        let mut sum = [f64x8::ZERO; 3];
        for eight in list {
            let [x, y, z, theirs] = gather(self.rows, eight);
            let d = [at[0] - x, at[1] - y, at[2] - z];
            let r2 = d[0].mul_add(d[0], d[1].mul_add(d[1], d[2] * d[2]));
            let (_, cube) = self.kernel.shapes(r2);
            let weight = if ALIKE {
                mine + theirs
            } else {
                let [other, ..] = gather(self.kinds, eight);
                mine.mul_add(other, theirs * f64x8::splat(volume))
            };
            let weight = weight * cube;
            sum[0] = weight.mul_add(d[0], sum[0]);
            sum[1] = weight.mul_add(d[1], sum[1]);
            sum[2] = weight.mul_add(d[2], sum[2]);
        }
        let factor = self.kernel.slope * if ALIKE { volume } else { 1.0 };
        let wall = match self.boundaries.get(usize::from(self.fluid[i])) {
            Some(boundary) if lambda != 0.0 => {
                let (hidden, slope) = boundary.density([x, y, z], self.solids);
                boundary.gradients([x, y, z], self.solids, hidden, |solid, point, gradient| {
                    solid.react(bodies, point, scale(-lambda, gradient), reactions);
                });
                slope
            }
            _ => [0.0; 3],
        };
        let sum = [sum[0].reduce_add(), sum[1].reduce_add(), sum[2].reduce_add()];
        [factor * sum[0] + lambda * wall[0], factor * sum[1] + lambda * wall[1], factor * sum[2] + lambda * wall[2]]
    }
}
