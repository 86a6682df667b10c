//! The fastest oscillation of a body, which bounds the step of explicit methods.

use crate::lanczos::largest;
use integrators::{EnergyBehaviour, Method};
use model::energy::Term;
use model::mass::Mass;
use model::material::sample;
use model::mesh::Mesh;
use model::{Blueprint, Model, Region, SolidPart};

/// Returns the longest stable step of a method about `x` [s], about one per cent too long; `None` if every step is
/// stable.
///
/// Symplectic Euler gives a mode of frequency w and damping d = alpha + beta w^2 the condition h^2 w^2 + 2 h d < 4;
/// damping is assumed to affect other methods alike. It does not affect regions of schroeder: their limit is that of m
/// small steps without damping.
pub fn stable_step(method: &Method, model: &Model, x: &[f64]) -> Option<f64> {
    if method.has_explicit_regions {
        return stable_large_step(model, x);
    }
    let EnergyBehaviour::ConditionallyStable { limit } = method.energy else { return None };
    // Light modes of a consistent mass are up to five times lighter than with the lumped mass.
    let lighter = if matches!(model.mass(), Mass::Consistent(_)) { 5.0 } else { 1.0 };
    let squared = lighter * fastest_frequency(model, model.terms(), x).powi(2);
    let damping = model.damping();
    let d = damping.mass + damping.stiffness * squared;
    // The positive root, written without cancellation.
    Some(limit / 2.0 * 4.0 / (d + (d * d + 4.0 * squared).sqrt()))
}

/// Returns the longest large step of the scheme of 2011: each region by itself is explicit, except for damping.
fn stable_large_step(model: &Model, x: &[f64]) -> Option<f64> {
    let limit =
        |(r, region): (usize, &Region)| 2.0 * region.ratio as f64 / fastest_frequency(model, &model.terms_within(r), x);
    model.regions().iter().enumerate().map(limit).min_by(f64::total_cmp)
}

/// Returns the least number of steps of each region per large step h [s] of the scheme of 2011, by its frequency at
/// rest.
pub fn least_ratios(model: &Model, h: f64) -> Vec<f64> {
    // Below the limit, because the border matters as well and frequencies are a little too low.
    const LIMIT: f64 = 1.8;
    let frequency = |r: usize| fastest_frequency(model, &model.terms_within(r), model.rest());
    (0..model.regions().len()).map(|r| (h * frequency(r) / LIMIT).ceil()).collect()
}

/// Returns the largest angular frequency of small oscillations of the tets of a mesh, free and linearly elastic
/// [rad/s], about one per cent too low; `None` if they cannot be simulated. Young's modulus [Pa], Poisson's ratio,
/// density [kg/m^3].
pub fn highest_frequency(mesh: Mesh, young: f64, poisson: f64, density: f64) -> Option<f64> {
    let material = sample("linear", young, poisson).ok()?;
    let tets = (0..mesh.tets.len() as u32).collect();
    let solids = vec![SolidPart::new(tets, material, density)];
    let model = Blueprint { mesh, solids, ..Blueprint::default() }.build().ok()?;
    let rest = model.state_at_rest();
    Some(fastest_frequency(&model, model.terms(), &rest.x)).filter(|w| *w > 0.0)
}

/// Returns the largest angular frequency w of small oscillations about `x` of these elements [rad/s], by Lanczos
/// iterations with M^-1/2 K M^-1/2, the mass lumped; about one per cent too low. `x` covers all nodes [m].
pub fn fastest_frequency(model: &Model, terms: &[Box<dyn Term>], x: &[f64]) -> f64 {
    /// Relative growth per iteration at which iterations end.
    const ENOUGH: f64 = 1e-4;
    let dofs = model.dofs();
    let root: Vec<f64> = (0..dofs).map(|i| model.node_mass()[i / 3].sqrt()).collect();
    let mut w = vec![0.0; 3 * model.nodes()];
    let squared = largest(dofs, ENOUGH, &mut |v, y| {
        (0..dofs).for_each(|i| w[i] = v[i] / root[i]);
        terms.iter().for_each(|term| term.add_stiffness_times(model.stiffness_kind(), 1.0, x.into(), &w, y));
        y.iter_mut().zip(&root).for_each(|(y, root)| *y /= root);
    });
    squared.sqrt()
}
