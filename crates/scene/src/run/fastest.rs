//! The fastest oscillation of a body, which bounds the step of explicit methods.

use integrators::{EnergyBehaviour, Method};
use model::mass::Mass;
use model::material::MaterialKind;
use model::mesh::Mesh;
use model::{Blueprint, Model, SolidPart};

/// The longest stable step of a method about `x` [s], a few per cent too long; `None` if every step is stable.
///
/// Symplectic Euler gives a mode of frequency w and damping d = alpha + beta w^2 the condition
/// h^2 w^2 + 2 h d < 4; other methods are taken to feel damping alike.
pub fn stable_step(method: &Method, model: &Model, x: &[f64]) -> Option<f64> {
    let EnergyBehaviour::ConditionallyStable { limit } = method.energy else { return None };
    // The light modes of a consistent mass are up to five times lighter than the lumped mass has them.
    let lighter = if matches!(model.mass(), Mass::Consistent(_)) { 5.0 } else { 1.0 };
    let squared = lighter * fastest_frequency(model, x).powi(2);
    let damping = model.damping();
    let d = damping.mass + damping.stiffness * squared;
    // The positive root, written so that nothing cancels.
    Some(limit / 2.0 * 4.0 / (d + (d * d + 4.0 * squared).sqrt()))
}

/// The largest angular frequency of small oscillations of the tets of a mesh, free and linearly elastic [rad/s], a few per
/// cent too low; `None` if they cannot be simulated. Young's modulus [Pa], Poisson's ratio, density [kg/m^3].
pub fn highest_frequency(mesh: Mesh, young: f64, poisson: f64, density: f64) -> Option<f64> {
    let material = MaterialKind::new("linear", young, poisson).ok()?;
    let tets = (0..mesh.tets.len() as u32).collect();
    let solids = vec![SolidPart { tets, material, density }];
    let model = Blueprint { mesh, solids, ..Blueprint::default() }.build().ok()?;
    let rest = model.state_at_rest();
    Some(fastest_frequency(&model, &rest.x)).filter(|w| *w > 0.0)
}

/// The largest angular frequency w of small oscillations about `x` [rad/s], by power iteration on M^-1 K with the mass
/// lumped; a few per cent too low. `x` covers all nodes [m].
fn fastest_frequency(model: &Model, x: &[f64]) -> f64 {
    const ITERATIONS: usize = 50;
    let dofs = model.dofs();
    let mass = |i: usize| model.node_mass()[i / 3];
    // A start that is like no mode of the body: neighbours differ, and it is the same every time.
    let mut w = vec![0.0; 3 * model.nodes()];
    (0..dofs).for_each(|i| w[i] = (1.7 * i as f64 + 0.3 * (i * i) as f64).sin());
    let mut y = vec![0.0; dofs];
    let mut squared = 0.0;
    for _ in 0..ITERATIONS {
        let norm = (0..dofs).map(|i| mass(i) * w[i] * w[i]).sum::<f64>().sqrt();
        if !(norm > 0.0 && norm.is_finite()) {
            return 0.0;
        }
        w.iter_mut().for_each(|w| *w /= norm);
        y.fill(0.0);
        model.add_stiffness_times(1.0, x, &w, &mut y);
        squared = (0..dofs).map(|i| w[i] * y[i]).sum::<f64>().abs();
        (0..dofs).for_each(|i| w[i] = y[i] / mass(i));
    }
    if squared.is_finite() { squared.sqrt() } else { 0.0 }
}
