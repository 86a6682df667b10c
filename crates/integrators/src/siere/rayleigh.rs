//! SIERE with damping that shares the modes of the stiffness, D = alpha M + beta K, or none.

use super::Parts;
use super::forces::Forces;
use super::modal::{one_mode, own_damping};
use super::pencil::mass_times;
use crate::floating::Floating;
use numerics::linear::LinearError;
use numerics::modes::{add_combinations, inner_products};

/// Computes the change of positions and velocities from the solution of linearly implicit Euler. It is solved again
/// where a captured mode has |1 + h d + h^2 lam| below `nearly_singular`.
pub(super) fn change(parts: Parts, nearly_singular: f64) -> Result<(), LinearError> {
    let Parts { model, v, h, u, values, forces, system, scratch, report } = parts;
    let (n, s) = (model.dofs(), values.len());
    let has_ramp = forces.has_ramp(model);
    let Forces { products, change, force, ramp, solution, .. } = forces;
    let [alpha, beta] = [model.damping().mass, model.damping().stiffness];

    let is_near = |&lam: &f64| (1.0 + h * (alpha + beta * lam) + h * h * lam).abs() < nearly_singular;
    let is_projected = values.iter().any(is_near);
    if is_projected {
        // h (f - M U g - h K (v - U w)): without the captured part the solution has no large component.
        for i in 0..n {
            change[i] = force[i] + ramp[i];
        }
        let g = inner_products(u, &change[..n], n, scratch);
        let w = inner_products(u, &products[..n], n, scratch);
        let captured: Vec<f64> = g.iter().map(|g| -h * g).chain(w.iter().map(|w| h * h * w)).collect();
        change.fill(0.0);
        add_combinations(u, &captured, change, n);
        let (pushed, moving) = change.split_at(n);
        mass_times(model, pushed, solution, 1);
        system.stiffness.multiply_add(1.0, moving, solution);
        for i in 0..n {
            solution[i] += h * (force[i] + ramp[i] - h * products[2 * n + i]);
        }
        system.solve(solution, report)?;
    }

    for i in 0..n {
        change[i] = h * (v[i] + solution[i]);
        change[n + i] = solution[i];
    }
    if s == 0 {
        return Ok(());
    }

    // Its captured part is replaced by the exact motion.
    mass_times(model, solution, &mut products[3 * n..], 1);
    let modal = inner_products(u, products, n, scratch);
    let ramps = if has_ramp { inner_products(u, ramp, n, scratch) } else { vec![0.0; s] };
    let mut corrections = vec![0.0; 2 * s];
    for (k, &lam) in values.iter().enumerate() {
        let [w, g, kv, e] = [0, 1, 2, 3].map(|column| modal[column * s + k]);
        // Coupling of an inexact mode to the rest, which continues as before.
        let coupling = kv - lam * w;
        let (g, rate) = (g - beta * coupling, ramps[k] / h - coupling);
        let [dx, dv] = one_mode(h, lam, own_damping(model, lam), [w, g, rate]);
        corrections[k] = dx - h * (w + e);
        corrections[s + k] = dv - e;
    }
    add_combinations(u, &corrections, change, n);
    move_centres(&system.floating, h, alpha, [&products[..2 * n], ramp], change);
    Ok(())
}

/// Moves the centres of several bodies exactly, where nothing holds any: captured modes contain their translations only to the
/// tolerance of the search. `pushed` are M v and the force, side by side, and the ramp.
pub(super) fn move_centres(floating: &Option<Floating>, h: f64, alpha: f64, pushed: [&[f64]; 2], change: &mut [f64]) {
    let Some(floating) = floating.as_ref().filter(|floating| floating.bodies() > 1) else { return };
    let n = change.len() / 2;
    let [own, ramp] = pushed.map(|columns| floating.sums(columns, columns.len() / n));
    let (momenta, forces) = own.split_at(floating.bodies());
    let mut wanted = vec![[0.0; 3]; own.len()];
    let (moved, changed) = wanted.split_at_mut(forces.len());
    for b in 0..forces.len() {
        for c in 0..3 {
            let loads = [momenta[b][c], forces[b][c], ramp[b][c] / h];
            [moved[b][c], changed[b][c]] = one_mode(h, 0.0, alpha, loads);
        }
    }
    floating.keep_momentum(1.0, &wanted, change);
}
