//! Limits of steps that turn a body (`docs/turning.md`), in numbers of a state.

use crate::lanczos::largest;
use model::energy::{Configuration, Stiffness};
use model::{Model, State};

/// Turns per step below which nothing counts as turning [rad].
const LEAST: f64 = 1e-6;

/// Returns the share of their rotation that bodies lose per radian, after a linear step of `h` [s] that ended in `state`, if the
/// stress of its stretch stays in the stiffness. At 1 or more they are held fast.
///
/// With w the velocities and K' the stiffness of that stress, the next step multiplies the rotation by about
/// 1 / (1 + h^2 w . K' w / w . M w), and 1 / theta steps are a radian.
pub fn lost_per_radian(model: &Model, state: &State, h: f64) -> f64 {
    let way: Vec<f64> = state.v.iter().map(|v| h * v).collect();
    let inertia: Vec<f64> = model.node_mass().iter().map(|m| m / (h * h)).collect();
    let at = Configuration { x: &state.x, way: &way, inertia: &inertia };
    let (turn, inertia) = (model.turn(at), 2.0 * model.kinetic(state));
    if turn.is_nan() || turn < LEAST || inertia <= 0.0 {
        return 0.0;
    }
    let lost = h * h * resistance(model, at, Stiffness::Auto, &state.v) / (inertia * turn);
    if lost.is_finite() { lost.max(0.0) } else { 0.0 }
}

/// Computes w . (K - K') w, with K exact and K' of another kind.
fn resistance(model: &Model, at: Configuration, kind: Stiffness, w: &[f64]) -> f64 {
    let mut force = vec![0.0; model.dofs()];
    add_difference(model, at, kind, w, &mut force);
    force.iter().zip(w).map(|(f, w)| f * w).sum()
}

/// Computes y += (K - K') w, with K exact and K' of another kind.
fn add_difference(model: &Model, at: Configuration, kind: Stiffness, w: &[f64], y: &mut [f64]) {
    for term in model.terms() {
        term.add_stiffness_times(Stiffness::Exact, 1.0, at, w, y);
        term.add_stiffness_times(kind, -1.0, at, w, y);
    }
}

/// Returns the largest angular frequency of the tension that the turned stiffness leaves to the forces [rad/s]: steps have to be
/// below 2 over it. For a string of tension T, with nodes of mass m at distances l, it is sqrt(4 T / (l m)).
pub fn explicit_tension(model: &Model, x: &[f64]) -> f64 {
    /// Relative growth per iteration at which iterations end.
    const ENOUGH: f64 = 1e-3;
    // Without energy there is no stress: the usual start, and many products saved.
    if model.elastic_energy(x) == 0.0 {
        return 0.0;
    }
    let dofs = model.dofs();
    let root: Vec<f64> = (0..dofs).map(|i| model.node_mass()[i / 3].sqrt()).collect();
    let mut w = vec![0.0; 3 * model.nodes()];
    let squared = largest(dofs, ENOUGH, &mut |v, y| {
        (0..dofs).for_each(|i| w[i] = v[i] / root[i]);
        add_difference(model, x.into(), Stiffness::Turned, &w, y);
        y.iter_mut().zip(&root).for_each(|(y, root)| *y /= root);
    });
    squared.sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use model::energy::spring::Law;
    use model::mesh::Mesh;
    use model::{Blueprint, SpringPart};

    #[test]
    fn tension_of_a_string_is_as_fast_as_its_shortest_wave() {
        let (links, length, mass, k) = (10, 0.1, 0.05, 1e3);
        let points = (0..=links).map(|i| [length * i as f64, 0.0, 0.0]).collect();
        let pairs: Vec<[u32; 2]> = (0..links).map(|i| [i, i + 1]).collect();
        let mesh = Mesh { points, edges: pairs.clone(), ..Mesh::default() };
        let blueprint = Blueprint {
            mesh,
            springs: vec![SpringPart { pairs, law: Law::Linear, stiffness: k }],
            node_masses: (0..=links).map(|i| (i, mass)).collect(),
            fixed: vec![0, links],
            ..Blueprint::default()
        };
        let model = blueprint.build().unwrap();
        // A difference of two stiffnesses: nothing but its rounding, whose root this is.
        let at_rest = explicit_tension(&model, model.rest());
        assert!(at_rest < 1e-7 * (k / mass).sqrt(), "{at_rest} rad/s");
        let stretched: Vec<f64> = model.rest().iter().map(|x| 1.2 * x).collect();
        let (tension, length) = (0.2 * k * length, 1.2 * length);
        let shortest = (4.0 * tension / (length * mass)).sqrt() * (0.45 * std::f64::consts::PI).sin();
        let found = explicit_tension(&model, &stretched);
        assert!((found / shortest - 1.0).abs() < 0.01, "{found} rad/s for {shortest} rad/s");
    }
}
