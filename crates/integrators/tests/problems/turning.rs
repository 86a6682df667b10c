//! Bars that turn: hinged along an edge, or spinning freely, with the angle of the rigid body that they nearly are.

use super::*;
use integrators::{Method, Options};
use model::energy::Stiffness;
use model::{Model, State};

/// Bar with its initial state and the axis, parallel to y, about which it turns.
pub struct Turning {
    pub model: Model,
    pub start: State,
    pub pivot: [f64; 2],
    pub duration: f64,
    /// Angle of the rigid body at the end [degrees].
    pub rigid: f64,
}

/// A bar of 1 m hinged along its lower edge at x = 0, released horizontally.
pub fn hinged(young: f64, stiffness: Stiffness) -> Turning {
    let mut blueprint = solid(cuboid([1.0, 0.1, 0.1], [12, 2, 2]), "stable-neo-hookean", young, 0.3, 1000.0);
    let on_hinge = |p: &[f64; 3]| p[0].abs() + p[2].abs() < 1e-9;
    blueprint.fixed = (0..).zip(&blueprint.mesh.points).filter(|(_, p)| on_hinge(p)).map(|(i, _)| i).collect();
    blueprint.loads = vec![gravity(&blueprint.mesh, GRAVITY)];
    blueprint.stiffness = stiffness;
    let model = blueprint.build().unwrap();
    let start = model.state_at_rest();
    let duration = 0.6;
    let rigid = pendulum(&model, duration);
    Turning { model, start, pivot: [0.0; 2], duration, rigid }
}

/// A free bar of .6 m that spins about its middle at 5 rad/s.
pub fn spinning(young: f64, stiffness: Stiffness) -> Turning {
    let mut blueprint = solid(cuboid([0.6, 0.2, 0.2], [6, 2, 2]), "stable-neo-hookean", young, 0.3, 1000.0);
    blueprint.stiffness = stiffness;
    let model = blueprint.build().unwrap();
    let mut start = model.state_at_rest();
    let (pivot, omega) = ([0.3, 0.1], 5.0);
    for (x, v) in start.x.chunks(3).zip(start.v.chunks_mut(3)) {
        v.copy_from_slice(&[-omega * (x[2] - pivot[1]), 0.0, omega * (x[0] - pivot[0])]);
    }
    let duration = 0.5;
    Turning { model, start, pivot, duration, rigid: (omega * duration).to_degrees() }
}

/// Angle [degrees] through which the rigid body of a model's masses falls about the y axis.
fn pendulum(model: &Model, duration: f64) -> f64 {
    let points = || model.rest().chunks(3).zip(model.node_mass());
    let inertia: f64 = points().map(|(x, m)| m * (x[0] * x[0] + x[2] * x[2])).sum();
    let moment = points().fold([0.0; 2], |sum, (x, m)| [sum[0] + m * x[0], sum[1] + m * x[2]]);
    // Downwards is positive: x goes to x cos + z sin, and gravity pulls at it.
    let rate = |angle: f64| -GRAVITY[2] * (moment[0] * angle.cos() + moment[1] * angle.sin()) / inertia;
    let steps = 6000;
    let h = duration / steps as f64;
    let (mut angle, mut speed) = (0.0, 0.0);
    for _ in 0..steps {
        speed += 0.5 * h * rate(angle);
        angle += h * speed;
        speed += 0.5 * h * rate(angle);
    }
    f64::to_degrees(angle)
}

impl Turning {
    /// Angle between the start and a state, about the pivot, of all masses [degrees].
    pub fn angle(&self, state: &State) -> f64 {
        let [mut along, mut across] = [0.0; 2];
        for (i, m) in self.model.node_mass().iter().enumerate() {
            let arm = |x: &[f64]| [x[3 * i] - self.pivot[0], x[3 * i + 2] - self.pivot[1]];
            let (from, to) = (arm(&self.start.x), arm(&state.x));
            along += m * (from[0] * to[0] + from[1] * to[1]);
            across += m * (from[0] * to[1] - from[1] * to[0]);
        }
        across.atan2(along).to_degrees().abs()
    }

    pub fn end(&self, method: &Method, options: &Options, steps: usize) -> Option<State> {
        run(method, options, &self.model, &self.start, self.duration, steps)
            .ok()
            .filter(|s| s.x.iter().all(|x| x.abs() < 1e3))
    }
}
