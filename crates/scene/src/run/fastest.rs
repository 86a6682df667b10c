//! The fastest oscillation of a body, which bounds the step of explicit methods: stable while h w < 2.

use model::Model;

/// The largest angular frequency w of small oscillations about `x` [rad/s], by power iteration on M^-1 K with the mass
/// lumped; a few per cent too low. `x` covers all nodes [m].
pub fn fastest_frequency(model: &Model, x: &[f64]) -> f64 {
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
