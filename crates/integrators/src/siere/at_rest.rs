//! SIERE with damping by the stiffness at rest, D = alpha M + beta K_0.
//!
//! K_0 does not share the modes of K, so the captured modes are damped among each other, D_r = U^T D U, and the two
//! parts act on each other through D. Eliminating positions from (I - h J_H) du = r, J_H = J - J_G, leaves a symmetric
//! system with a correction of rank s:
//!
//!   (e_x, e_v) = h phi_1(h J_r) (w, g) + h phi_2(h J_r) (0, ramp),      J_r = [[0, I], [-Lam, -D_r]]
//!   (A - M U C U^T M) dv = h (f - M U g - h K (v - U w)) + M U e_v,     C = h D_r + h^2 Lam
//!   dx = h (v - U w) + U e_x + h (dv - U U^T M dv)
//!
//! solved with the factor of A and W = A^-1 M U (Sherman, Morrison, Woodbury):
//! dv = y + W (I - C U^T M W)^-1 C U^T M y, y = A^-1 (right-hand side). Dropping the coupling instead would change a
//! step of a twisted body as much as another method would.
//!
//! Cost: s + 1 solves more than without, and s products with K_0.

use super::Parts;
use super::forces::Forces;
use super::modal::damped_motion;
use super::pencil::mass_times;
use faer::Mat;
use model::Model;
use numerics::linear::LinearError;
use numerics::modes::{add_combinations, inner_products};

/// Scratch memory.
#[derive(Default)]
pub(crate) struct DampedAtRest {
    /// K_0 U, then M U and the right-hand side, then their solutions.
    w: Vec<f64>,
    /// M U.
    mass_u: Vec<f64>,
}

impl DampedAtRest {
    /// Returns `None` where damping shares the modes of the stiffness.
    pub fn new(model: &Model) -> Option<DampedAtRest> {
        let damping = model.damping();
        (damping.at_rest.is_some() && damping.stiffness != 0.0).then(DampedAtRest::default)
    }

    /// Returns D_r = U^T D U.
    pub fn among(&mut self, model: &Model, u: &[f64], scratch: &mut Vec<f64>) -> Mat<f64> {
        let n = model.dofs();
        let s = u.len() / n.max(1);
        if s == 0 {
            return Mat::zeros(0, 0);
        }
        let damping = model.damping();
        if self.w.len() < s * n {
            self.w.resize(s * n, 0.0);
        }
        if let Some(at_rest) = &damping.at_rest {
            at_rest.multiply_columns(u, &mut self.w[..s * n], s);
        }
        let k0 = inner_products(u, &self.w[..s * n], n, scratch);
        Mat::from_fn(s, s, |i, j| {
            0.5 * damping.stiffness * (k0[i + s * j] + k0[j + s * i]) + if i == j { damping.mass } else { 0.0 }
        })
    }

    /// Computes the change of positions and velocities.
    pub(super) fn change(&mut self, parts: Parts) -> Result<(), LinearError> {
        let Parts { model, v, h, u, values, forces, system, scratch, report } = parts;
        let (n, s) = (model.dofs(), values.len());
        let Forces { products, change, force, ramp, solution, .. } = forces;
        let stiff = &products[2 * n..3 * n];
        if s == 0 {
            for i in 0..n {
                solution[i] = h * (force[i] + ramp[i] - h * stiff[i]);
            }
            system.solve(solution, report)?;
            for i in 0..n {
                change[i] = h * (v[i] + solution[i]);
                change[n + i] = solution[i];
            }
            return Ok(());
        }
        self.w.resize((s + 1) * n, 0.0);
        self.mass_u.resize(s * n, 0.0);
        let w = inner_products(u, &products[..n], n, scratch);
        let g = inner_products(u, force, n, scratch);
        let push = inner_products(u, ramp, n, scratch);
        let kv = inner_products(u, stiff, n, scratch);

        // The captured modes alone.
        let d_r = self.among(model, u, scratch);
        // The ramp includes the coupling of inexact modes to the rest.
        let rate: Vec<f64> = (0..s).map(|k| push[k] / h - (kv[k] - values[k] * w[k])).collect();
        let e = damped_motion(h, values, &d_r, [&w, &g, &rate]);

        // Right-hand side and M U, solved with the factor.
        mass_times(model, u, &mut self.mass_u, s);
        self.w[..s * n].copy_from_slice(&self.mass_u);
        let moving = &mut change[..n];
        moving.fill(0.0);
        add_combinations(u, &w, moving, n);
        let y = &mut self.w[s * n..];
        for i in 0..n {
            y[i] = h * (force[i] + ramp[i] - h * stiff[i]);
        }
        system.stiffness.multiply_add(h * h, moving, y);
        let inside: Vec<f64> = (0..s).map(|k| e[s + k] - h * (g[k] + push[k])).collect();
        add_combinations(&self.mass_u, &inside, y, n);
        system.solve_columns(&mut self.w, s + 1, report)?;

        // Correction of rank s.
        let (w_columns, y) = self.w.split_at(s * n);
        let c = |i: usize, j: usize| h * d_r[(i, j)] + if i == j { h * h * values[i] } else { 0.0 };
        let uw = inner_products(&self.mass_u, w_columns, n, scratch);
        let uy = inner_products(&self.mass_u, y, n, scratch);
        // (I - C U^T M W | C U^T M y), row by row.
        let mut rows: Vec<Vec<f64>> = (0..s)
            .map(|i| {
                let product = |column: &[f64]| (0..s).map(|k| c(i, k) * column[k]).sum::<f64>();
                let left = (0..s).map(|j| f64::from(u8::from(i == j)) - product(&uw[s * j..s * (j + 1)]));
                left.chain([product(&uy)]).collect()
            })
            .collect();
        let z = eliminate(&mut rows);
        solution.copy_from_slice(y);
        add_combinations(w_columns, &z, solution, n);

        let e_after = inner_products(&self.mass_u, solution, n, scratch);
        let corrections: Vec<f64> = (0..s).map(|k| e[k] - h * (w[k] + e_after[k])).collect();
        for i in 0..n {
            change[i] = h * (v[i] + solution[i]);
            change[n + i] = solution[i];
        }
        add_combinations(u, &corrections, &mut change[..n], n);
        Ok(())
    }
}

/// Solves a small system whose rows end with the right-hand side (Gauss, with the largest pivot of each column).
fn eliminate(rows: &mut [Vec<f64>]) -> Vec<f64> {
    let s = rows.len();
    for k in 0..s {
        let pivot = (k..s).fold(k, |p, i| if rows[i][k].abs() > rows[p][k].abs() { i } else { p });
        rows.swap(k, pivot);
        let (above, below) = rows.split_at_mut(k + 1);
        for row in below {
            let factor = row[k] / above[k][k];
            (k..=s).for_each(|j| row[j] -= factor * above[k][j]);
        }
    }
    let mut x = vec![0.0; s];
    for k in (0..s).rev() {
        let known: f64 = (k + 1..s).map(|j| rows[k][j] * x[j]).sum();
        x[k] = (rows[k][s] - known) / rows[k][k];
    }
    x
}
