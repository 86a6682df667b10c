//! Interpolated states between two computed states.
//!
//! A node follows the cubic with its positions and velocities at both ends (Hermite). A rigid body turns by
//!
//!   q(s) = exp(b3 a3) exp(b2 a2) exp(b1 a1) q0,   b1 = 1 - (1 - s)^3,  b2 = 3 s^2 - 2 s^3,  b3 = s^3,
//!
//! the analogue for rotations (Kim, Kim and Shin 1995). a1 = h w0 / 3 and a3 = h w1 / 3 give it the spins of both ends;
//! a2 is the rest of the rotation to the final orientation. A body with constant spin keeps that spin. Scripted and
//! carried nodes are placed by their script or their body.
//!
//! The interpolation is as accurate as the velocities of the method. Where a step is much longer than the period of a
//! vibration, the velocities at its ends say little about the motion between them, and the cubic may overshoot both
//! ends.

use crate::model::Model;
use crate::rigid::Turn;
use crate::state::State;
use numerics::mat3::{Vec3, add, dot, norm, scale};
use numerics::quaternion::{Quaternion, conjugate, from_rotation_vector, normalise, product, rotate, rotation_vector};
use std::f64::consts::TAU;

impl Model {
    /// Interpolates between two states at time `t` [s], into `state`. At the times of the two states the result equals
    /// them bit for bit.
    pub fn between(&self, before: &State, after: &State, t: f64, state: &mut State) {
        let h = after.t - before.t;
        let s = ((t - before.t) / h).clamp(0.0, 1.0);
        // At the ends, copy: no rounding by the cubic.
        if h <= 0.0 || s >= 1.0 || s <= 0.0 {
            state.clone_from(if s > 0.0 { after } else { before });
            return;
        }
        state.t = t;
        let r = 1.0 - s;
        // Weights of x0, v0, x1, v1 for positions, and for velocities, their derivatives.
        let weights = [r * r * (1.0 + 2.0 * s), h * s * r * r, s * s * (1.0 + 2.0 * r), -h * s * s * r];
        let speed = [-6.0 * s * r / h, r * (r - 2.0 * s), 6.0 * s * r / h, s * (s - 2.0 * r)];
        state.x.resize(after.x.len(), 0.0);
        state.v.resize(after.v.len(), 0.0);
        for i in 0..after.x.len() {
            // Counted from the nearer end, so that a node at rest keeps its position bit for bit.
            let [v0, v1, way] = [before.v[i], after.v[i], after.x[i] - before.x[i]];
            state.x[i] = match s < 0.5 {
                true => before.x[i] + (weights[2] * way + weights[1] * v0 + weights[3] * v1),
                false => after.x[i] + (-weights[0] * way + weights[1] * v0 + weights[3] * v1),
            };
            state.v[i] = speed[2] * way + speed[1] * v0 + speed[3] * v1;
        }
        state.turns.clear();
        state.turns.extend(before.turns.iter().zip(&after.turns).map(|(from, to)| turn_between(from, to, h, s)));
        self.place(t, &mut state.x, &mut state.v);
        self.carry(state);
    }
}

/// Returns orientation and spin at the fraction `s` of a step of length `h` [s].
fn turn_between(from: &Turn, to: &Turn, h: f64, s: f64) -> Turn {
    let exp = from_rotation_vector;
    let [first, last] = [from.spin, to.spin].map(|spin| scale(h / 3.0, spin));
    let whole = product(to.orientation, conjugate(from.orientation));
    let rest = product(product(exp(scale(-1.0, last)), whole), exp(scale(-1.0, first)));
    let middle = nearest(rest, scale(0.5, add(first, last)));

    let r = 1.0 - s;
    let turned = |share: f64, by: Vec3| -> Quaternion { exp(scale(share, by)) };
    let [one, two, three] =
        [turned(1.0 - r * r * r, first), turned(s * s * (3.0 - 2.0 * s), middle), turned(s * s * s, last)];
    let orientation = normalise(product(product(three, product(two, one)), from.orientation));
    // The derivative: each factor turns at the rate of its weight, rotated by the factors applied after it.
    let [of_one, of_two, of_three] = [3.0 * r * r / h, 6.0 * s * r / h, 3.0 * s * s / h];
    let inner = add(scale(of_two, middle), rotate(two, scale(of_one, first)));
    let spin = add(scale(of_three, last), rotate(three, inner));
    Turn { orientation, spin }
}

/// Returns the rotation vector of q that is nearest to a guess. Vectors of q differ by whole turns.
fn nearest(q: Quaternion, guess: Vec3) -> Vec3 {
    let short = rotation_vector(q);
    let angle = norm(short);
    if angle == 0.0 {
        // No axis of its own: whole turns about the axis of the guess.
        let turns = (norm(guess) / TAU).round();
        return if turns > 0.0 { scale(turns * TAU / norm(guess), guess) } else { short };
    }
    let turns = ((dot(guess, short) / angle - angle) / TAU).round();
    scale((angle + turns * TAU) / angle, short)
}

#[cfg(test)]
mod tests {
    use super::*;
    use numerics::mat3::sub;
    use numerics::quaternion::{NONE, integrate};

    fn near(a: &[f64], b: &[f64], tolerance: f64) {
        assert!(a.iter().zip(b).all(|(a, b)| (a - b).abs() < tolerance), "{a:?} is not {b:?}");
    }

    #[test]
    fn even_turns_stay_even_however_fast() {
        for spin in [[0.0; 3], [0.3, -1.0, 2.0], [0.0, 0.0, 100.0], [80.0, 60.0, -50.0]] {
            let from = Turn { orientation: integrate(NONE, [1.0, 2.0, 3.0], 0.4), spin };
            let h = 0.1;
            let to = Turn { orientation: integrate(from.orientation, spin, h), spin };
            for s in [0.1, 0.5, 0.77] {
                let found = turn_between(&from, &to, h, s);
                let expected = integrate(from.orientation, spin, s * h);
                let sign = if found.orientation[0] * expected[0] < 0.0 { -1.0 } else { 1.0 };
                near(&found.orientation.map(|c| sign * c), &expected, 1e-12);
                near(&found.spin, &spin, 1e-10 * (1.0 + norm(spin)));
            }
        }
    }

    #[test]
    fn turns_begin_and_end_with_their_spins_and_spin_is_the_rate() {
        let from = Turn { orientation: integrate(NONE, [1.0, 2.0, 3.0], 0.4), spin: [3.0, -1.0, 2.0] };
        let to = Turn { orientation: integrate(NONE, [1.2, 2.0, 2.5], 0.5), spin: [2.0, 1.0, -4.0] };
        let (h, tiny) = (0.1, 1e-6);
        near(&turn_between(&from, &to, h, 0.0).spin, &from.spin, 1e-12);
        near(&turn_between(&from, &to, h, 1.0).spin, &to.spin, 1e-12);
        for s in [0.2, 0.5, 0.9] {
            let [a, b] = [s - tiny, s + tiny].map(|s| turn_between(&from, &to, h, s).orientation);
            let rate = scale(0.5 / (tiny * h), rotation_vector(product(b, conjugate(a))));
            let spin = turn_between(&from, &to, h, s).spin;
            assert!(norm(sub(rate, spin)) < 1e-7 * norm(spin), "{rate:?} is not {spin:?}");
        }
    }
}
