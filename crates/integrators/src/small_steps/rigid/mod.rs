//! Rigid bodies: their free rotation.
//!
//! The state carried along is the angular momentum L, not the spin: a free body conserves L exactly, and a push p at an
//! arm r adds r x p to it whatever the orientation. Over a substep the orientation follows dR/dt = [I^-1 L]x R by
//! rotations about the three principal axes, 1 2 3 2 1 (Dullweber, Leimkuhler, McLachlan 1997). Each rotation is exact,
//! so L is conserved to rounding, and the energy of a free body oscillates by O(dt^2) without drift. This is exactly
//! the effect of the gyroscopic term of Mueller et al. 2020; their spin from the difference of two orientations would
//! lose L as the body rotates.

mod contact;
mod core;
pub(super) mod grip;
mod held;
mod touch;

pub(super) use contact::Touching;

use model::energy::{Bodies, Rotor};
use model::{Model, State};
use numerics::mat3::{Vec3, scale};
use numerics::quaternion::{normalise, product, rotate_back};

/// Returns the rigid bodies of a model, at rest.
pub(super) fn rotors(model: &Model) -> Vec<Rotor> {
    let rotor = |rigid: &model::Rigid| {
        let is_free = (rigid.node as usize) < model.free_nodes();
        Rotor {
            node: rigid.node,
            start: rigid.orientation,
            orientation: rigid.orientation,
            swing: [0.0; 3],
            inertia: rigid.inertia,
            inverse: rigid.inertia.map(|moment| if is_free { 1.0 / moment } else { 0.0 }),
        }
    };
    model.rigids().iter().map(rotor).collect()
}

/// Takes orientations and spins from the state where a step begins.
pub(super) fn begin(model: &Model, state: &State, dt: f64, bodies: &mut Bodies) {
    for ((rotor, rigid), turn) in bodies.rotors.iter_mut().zip(model.rigids()).zip(&state.turns) {
        rotor.orientation = turn.orientation;
        rotor.swing = scale(dt, rigid.inertia_times(turn.orientation, turn.spin));
    }
}

/// Rotates all bodies as in a substep without constraints; damping leaves the share `kept` of their momentum.
pub(super) fn predict(bodies: &mut Bodies, kept: f64) {
    for rotor in &mut bodies.rotors {
        rotor.start = rotor.orientation;
        rotor.swing = scale(kept, rotor.swing);
        for (axis, part) in [(0, 0.5), (1, 0.5), (2, 1.0), (1, 0.5), (0, 0.5)] {
            let angle = part * rotate_back(rotor.orientation, rotor.swing)[axis] * rotor.inverse[axis];
            let (sine, cosine) = (0.5 * angle).sin_cos();
            let mut turn = [cosine, 0.0, 0.0, 0.0];
            turn[1 + axis] = sine;
            rotor.orientation = product(rotor.orientation, turn);
        }
        rotor.orientation = normalise(rotor.orientation);
    }
}

/// Returns the angular velocity of a body at the end of a substep [rad/s].
pub(super) fn spin(rotor: &Rotor, dt: f64) -> Vec3 {
    scale(1.0 / dt, rotor.inverse_times(rotor.swing))
}

/// Writes orientations and spins to the state, and places carried nodes.
pub(super) fn end(model: &Model, bodies: &Bodies, dt: f64, state: &mut State) {
    for (turn, rotor) in state.turns.iter_mut().zip(&bodies.rotors) {
        turn.orientation = rotor.orientation;
        turn.spin = spin(rotor, dt);
    }
    model.carry(state);
}
