//! A hand that pulls at a body: given forces, so that every method knows what to do with it.
//!
//! A hand does not hold a single node, whose mass goes to zero as the mesh is refined, but several: the nodes nearest
//! to it at rest that together have a twelfth of the body's mass, with weights w_i = m_i (1 - (d_i / r)^2). With c
//! their mean position and u their mean velocity, both weighted, the force on node i is
//!
//!   f_i = w_i a,   a = omega^2 (target - c) - 2 omega u
//!
//! which brings free nodes to the target with hardly an overshoot. The weights sum to about half the mass of these
//! nodes: a whole body is held against gravity g at about 24 g / omega^2 below the target. a is evaluated at the
//! beginning of a step and constant during it, like any constant load, so a stored factor stays valid.
//! Evaluated this way it is stable for every method if omega h is well below one, whatever the body; hence omega =
//! min(60 / s, 1 / (4 h)). The distance to the target is limited to the size of the scene.

use model::{Model, State};
use numerics::mat3::{Vec3, add, norm, scale, sub};
use std::ops::Range;

/// Share of a body's mass held by a hand.
const HANDFUL: f64 = 1.0 / 12.0;
/// Largest omega of a hand [1/s].
const FASTEST: f64 = 60.0;

/// A hand that holds a body.
pub(crate) struct Pull {
    /// Drawn point that was grabbed.
    pub point: usize,
    /// Free nodes and weights [kg].
    weights: Vec<(u32, f64)>,
    /// The same nodes, numbered as the mesh.
    nodes: Vec<u32>,
    /// From the drawn point to the mean of the handful [m].
    offset: Vec3,
    /// Target of the drawn point [m].
    to: Vec3,
    /// Size of the scene [m].
    reach: f64,
}

impl Pull {
    /// Grabs a drawn point at `at` [m] with node `node`, in a body with these nodes of the mesh; `None` if the node
    /// cannot move freely. `reach` is the size of the scene [m].
    pub fn new(
        model: &Model,
        state: &State,
        (point, at): (usize, Vec3),
        node: usize,
        body: Range<usize>,
        reach: f64,
    ) -> Option<Pull> {
        if node >= model.free_nodes() {
            return None;
        }
        let rest = |i: usize| vector(model.rest(), i);
        let mass = model.node_mass();
        let free = body.map(|i| model.number(i)).filter(|&i| i < model.free_nodes());
        let mut near: Vec<(f64, usize)> = free.map(|i| (norm(sub(rest(i), rest(node))), i)).collect();
        near.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let whole: f64 = near.iter().map(|&(_, i)| mass[i]).sum();
        let mut held = 0.0;
        let enough = near.iter().position(|&(_, i)| {
            held += mass[i];
            held >= HANDFUL * whole
        });
        near.truncate(enough.map_or(near.len(), |last| last + 1));
        // The farthest node keeps a small weight.
        let radius = 1.1 * near.last().map_or(0.0, |&(d, _)| d);
        let share = |d: f64| if radius > 0.0 { 1.0 - (d / radius).powi(2) } else { 1.0 };
        let weights = near.iter().map(|&(d, i)| (i as u32, mass[i] * share(d))).collect();
        let nodes = near.iter().map(|&(_, i)| model.origin(i) as u32).collect();
        let mut pull = Pull { point, weights, nodes, offset: [0.0; 3], to: at, reach };
        pull.offset = sub(pull.mean(&state.x), at);
        Some(pull)
    }

    /// Moves the hand [m].
    pub fn move_to(&mut self, to: Vec3) {
        self.to = to;
    }

    /// Nodes of the mesh and the forces on them in a step of `h` [s] that begins at a state [N].
    pub fn forces(&self, state: &State, h: f64) -> impl Iterator<Item = (usize, Vec3)> + use<> {
        let omega = FASTEST.min(0.25 / h);
        let way = sub(add(self.to, self.offset), self.mean(&state.x));
        let length = norm(way);
        let way = if length > self.reach { scale(self.reach / length, way) } else { way };
        let acceleration = sub(scale(omega * omega, way), scale(2.0 * omega, self.mean(&state.v)));
        let nodes = self.nodes.clone().into_iter().zip(self.weights.clone());
        nodes.map(move |(node, (_, weight))| (node as usize, scale(weight, acceleration)))
    }

    fn mean(&self, values: &[f64]) -> Vec3 {
        let all: f64 = self.weights.iter().map(|&(_, w)| w).sum();
        let sum = self.weights.iter().fold([0.0; 3], |sum, &(i, w)| add(sum, scale(w, vector(values, i as usize))));
        scale(1.0 / all, sum)
    }
}

fn vector(values: &[f64], i: usize) -> Vec3 {
    [values[3 * i], values[3 * i + 1], values[3 * i + 2]]
}
