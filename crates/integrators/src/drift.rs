//! Change of the force with time that a linearisation does not contain.
//!
//! With free nodes at x_n + y and velocities y', the force is r_0 + t g - K y - D y' + O(t^2), where g collects
//! loads that change, scripted nodes, and damping by a stiffness that changes along the motion:
//!
//!   g = dp/dt - K_fs x_s' - beta (K_fs x_s'' + dK/dx[w] v),    w = (v or 0, x_s')
//!
//! Free nodes are part of w only where the Jacobian omits the change of K (`linearised.rs`); with damping at rest the
//! last term is K_fs x_s'' alone. Products go through the elements, because matrices do not contain nodes that are not
//! unknowns.

use crate::linearised::PROBE;
use crate::turning_frame::set_node;
use model::{Model, State};
use numerics::mat3::Vec3;

/// Kind of time derivative.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Slope {
    /// Over the whole step, so that loads and scripted nodes end at their exact values: second order.
    Chord,
    /// At the beginning of the step, for methods of higher order: their remainders contain later changes.
    Tangent,
}

/// Lists time spans [s] and weights [1/s]: d/dt is the sum of weight (value at t + span - value at t).
pub(crate) fn spans(slope: Slope, h: f64) -> impl Iterator<Item = (f64, f64)> {
    let probe = PROBE * h;
    let (spans, count) = match slope {
        Slope::Chord => ([(h, 1.0 / h); 2], 1),
        Slope::Tangent => ([(probe, 2.0 / probe), (2.0 * probe, -0.5 / probe)], 2),
    };
    spans.into_iter().take(count)
}

/// Scratch for the motion of all nodes.
pub(crate) struct Drift {
    /// Positions and velocities at a probe.
    x: Vec<f64>,
    v: Vec<f64>,
    /// w.
    way: Vec<f64>,
    /// x_s'', zero for free nodes.
    pull: Vec<f64>,
}

impl Drift {
    pub fn new(model: &Model) -> Drift {
        let all = || vec![0.0; 3 * model.nodes()];
        Drift { x: all(), v: all(), way: all(), pull: all() }
    }

    /// f = r_0: the whole force except that of D on the velocities of free nodes.
    pub fn load(&mut self, model: &Model, state: &State, f: &mut [f64]) {
        model.static_force(state.t, &state.x, f);
        self.add_scripted(model, state, f);
    }

    /// f -= the part of D on the velocities of scripted nodes.
    pub fn add_scripted(&mut self, model: &Model, state: &State, f: &mut [f64]) {
        let damping = model.damping();
        if damping.stiffness != 0.0 && model.is_scripted() {
            let free = model.dofs();
            self.way[..free].fill(0.0);
            self.way[free..].copy_from_slice(&state.v[free..]);
            let x = if damping.at_rest.is_some() { model.rest() } else { &state.x };
            model.add_stiffness_times(-damping.stiffness, x, &self.way, f);
        }
    }

    /// f -= c K w, with w the velocities of held nodes, as `seen` from the frames of free ones: numerical damping acts on
    /// velocities relative to these.
    pub fn add_held(&mut self, model: &Model, state: &State, seen: impl Fn(usize) -> Vec3, c: f64, f: &mut [f64]) {
        let (free, nodes) = (model.free_nodes(), model.nodes());
        self.way[..3 * free].fill(0.0);
        (free..nodes).for_each(|i| set_node(&mut self.way, i, seen(i)));
        if self.way[3 * free..].iter().any(|&w| w != 0.0) {
            model.add_stiffness_times(-c, &state.x, &self.way, f);
        }
    }

    /// Computes g; returns false where it is zero. `exact`: the Jacobian contains the change of damping with positions.
    pub fn rate(&mut self, model: &Model, state: &State, h: f64, slope: Slope, exact: bool, g: &mut [f64]) -> bool {
        let damping = model.damping();
        let current = damping.stiffness != 0.0 && damping.at_rest.is_none();
        let along = current && !exact;
        if !along && !model.depends_on_time() {
            return false;
        }
        let Drift { x, v, way, pull } = self;
        let free = model.dofs();
        g.fill(0.0);
        way.fill(0.0);
        pull.fill(0.0);

        for (span, weight) in spans(slope, h) {
            model.add_load_change(weight, state.t, state.t + span, g);
            if model.is_scripted() {
                x[free..].copy_from_slice(&state.x[free..]);
                v[free..].copy_from_slice(&state.v[free..]);
                model.place(state.t + span, x, v);
                for i in free..x.len() {
                    way[i] += weight * (x[i] - state.x[i]);
                    pull[i] += weight * (v[i] - state.v[i]);
                }
            }
        }
        if model.is_scripted() {
            model.add_stiffness_times(-1.0, &state.x, way, g);
            if damping.stiffness != 0.0 {
                let x = if current { &state.x } else { model.rest() };
                model.add_stiffness_times(-damping.stiffness, x, pull, g);
            }
        }

        // dK/dx[w] v, a central difference.
        let probe = PROBE * h;
        if along {
            way[..free].copy_from_slice(&state.v[..free]);
        }
        if current && (along || model.is_scripted()) {
            for side in [1.0, -1.0] {
                for i in 0..x.len() {
                    x[i] = state.x[i] + side * probe * way[i];
                }
                model.add_stiffness_times(-side * damping.stiffness / (2.0 * probe), &*x, &state.v, g);
            }
        }
        true
    }
}
