//! Interaction of velocities: viscosity, and vorticity confinement (both after Macklin, Mueller 2013).
//!
//! Viscosity is XSPH with a coefficient that follows from the dynamic viscosity mu, so that it does not depend on the
//! number of substeps: m_i dv_i = 30 dt / H^2 sum_j mu_ij V_i V_j W_ij (v_j - v_i), which is mu V laplacian v dt to
//! second order. Pairs are symmetric, so momentum is conserved. It is explicit: a velocity is at most moved to the mean
//! of its neighbours. So a viscosity above 1/30 rho H^2 / dt acts like that one, and momentum is conserved only below
//! it.
//!
//! Vorticity omega_i = sum_j V_j (v_j - v_i) x grad_i W_ij is maintained by the acceleration c N x omega with N along
//! the gradient of |omega|. It adds energy and does not conserve momentum; it is off by default.

use super::density::Sorted;
use super::lanes::gather;
use super::neighbours::{CHUNK, Chunk, GROUP};
use super::vector;
use model::Liquid;
use model::energy::Quad;
use numerics::mat3::{Vec3, add, cross, dot, norm, scale, sub};
use rayon::prelude::*;
use wide::f64x8;

impl Sorted<'_> {
    /// Computes the velocities of all particles after `dt` of viscosity.
    pub fn diffuse<const ALIKE: bool>(&self, chunks: &[Chunk], velocity: &[Quad], dt: f64, out: &mut [Quad]) {
        let rate = self.kernel.diffusion() * dt * self.kernel.scale;
        out.par_chunks_mut(CHUNK).zip(chunks).enumerate().for_each(|(c, (out, lists))| {
            for (k, out) in out.iter_mut().enumerate() {
                let i = c * CHUNK + k;
                let (at, mine) = (splat(&self.rows[i]), splat(&velocity[i]));
                let [volume, inverse_mass, _, viscosity] = self.kind::<ALIKE>(i).0;
                let (mut sum, mut weights) = ([f64x8::ZERO; 3], f64x8::ZERO);
                for eight in lists.of(k) {
                    let [x, y, z, _] = gather(self.rows, eight);
                    let d = [at[0] - x, at[1] - y, at[2] - z];
                    let (value, _) = self.kernel.shapes(d[0].mul_add(d[0], d[1].mul_add(d[1], d[2] * d[2])));
                    let [u, v, w, _] = gather(velocity, eight);
                    let weight = if ALIKE {
                        f64x8::splat(viscosity * volume) * value
                    } else {
                        let [other, _, _, theirs] = gather(self.kinds, eight);
                        f64x8::splat(0.5) * (f64x8::splat(viscosity) + theirs) * other * value
                    };
                    weights += weight;
                    sum[0] = weight.mul_add(u - mine[0], sum[0]);
                    sum[1] = weight.mul_add(v - mine[1], sum[1]);
                    sum[2] = weight.mul_add(w - mine[2], sum[2]);
                }
                let factor = rate * inverse_mass * volume;
                let factor = factor / (factor * weights.reduce_add()).max(1.0);
                let [x, y, z] = [0, 1, 2].map(|c| velocity[i].0[c] + factor * sum[c].reduce_add());
                *out = Quad([x, y, z, 0.0]);
            }
        });
    }

    /// Computes the vorticity of every particle [1/s], and its magnitude.
    pub fn vorticity(&self, chunks: &[Chunk], velocity: &[Quad], out: &mut [Quad]) {
        out.par_chunks_mut(CHUNK).zip(chunks).enumerate().for_each(|(c, (out, lists))| {
            for (k, out) in out.iter_mut().enumerate() {
                let i = c * CHUNK + k;
                let mut sum = [0.0; 3];
                self.each(i, lists.of(k), |j, slope| {
                    let change = std::array::from_fn(|c| velocity[j].0[c] - velocity[i].0[c]);
                    sum = add(sum, cross(change, slope));
                });
                *out = Quad([sum[0], sum[1], sum[2], norm(sum)]);
            }
        });
    }

    /// Adds `dt` of confinement to the velocities.
    pub fn confine(&self, chunks: &[Chunk], vorticity: &[Quad], liquids: &[Liquid], dt: f64, velocity: &mut [Quad]) {
        velocity.par_chunks_mut(CHUNK).zip(chunks).enumerate().for_each(|(c, (velocity, lists))| {
            for (k, velocity) in velocity.iter_mut().enumerate() {
                let i = c * CHUNK + k;
                let Some(liquid) = liquids.get(usize::from(self.fluid[i])) else { continue };
                let mut rise = [0.0; 3];
                self.each(i, lists.of(k), |j, slope| {
                    rise = add(rise, scale(vorticity[j].0[3] - vorticity[i].0[3], slope))
                });
                let steepness = norm(rise);
                if steepness > 0.0 {
                    let push = cross(scale(dt * liquid.vorticity / steepness, rise), vector(&vorticity[i]));
                    (0..3).for_each(|c| velocity.0[c] += push[c]);
                }
            }
        });
    }

    /// Calls `visit` with every neighbour and V_j grad_i W_ij [1/m].
    #[inline(always)]
    fn each(&self, i: usize, list: &[[u32; GROUP]], mut visit: impl FnMut(usize, Vec3)) {
        let at = vector(&self.rows[i]);
        for eight in list {
            // One by one: this takes little time, and the order of lanes is unspecified.
            for &j in eight {
                let d = sub(at, vector(&self.rows[j as usize]));
                let (_, cube) = self.kernel.shape(dot(d, d));
                let volume = self.kinds[if self.alike { 0 } else { j as usize }].0[0];
                visit(j as usize, scale(self.kernel.slope * volume * cube, d));
            }
        }
    }
}

#[inline(always)]
fn splat(row: &Quad) -> [f64x8; 3] {
    [f64x8::splat(row.0[0]), f64x8::splat(row.0[1]), f64x8::splat(row.0[2])]
}
