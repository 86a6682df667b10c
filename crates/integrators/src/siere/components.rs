//! SIERE of many small bodies: every connected component of the nodes has its own modes.
//!
//! The slowest modes of many equal bodies are the same one many times, so the slowest few of all bodies together would
//! be those of a few bodies, chosen by rounding. Where the solver knows components (`numerics::linear`), `modes`
//! counts those of each component. They are found side by side (`numerics::linear::ComponentModes`), beginning with
//! those of the last step, and are not rotated with the body: a pass costs less.
//!
//! A component whose stiffness is not positive definite captures nothing in that step: it takes the step of linearly
//! implicit Euler.

use super::Parts;
use super::forces::Forces;
use super::modal::{one_mode, own_damping};
use super::mode_search::SLOW;
use super::parameters::{MODES, MODES_TOLERANCE, Modes, REST, Rest};
use super::pencil::mass_times;
use super::rayleigh::move_centres;
use crate::linear_system::{SOLVER, join, split};
use crate::options::Options;
use model::Model;
use model::mass::Mass;
use numerics::linear::{ComponentModes, SolverKind};

/// Modes of each component where their number is chosen automatically.
const AUTO: usize = 5;

/// Captured modes of every component.
pub(super) struct Captured {
    modes: ComponentModes,
    /// Positions of the free nodes where the last step began; none without such a step.
    pub before: Vec<f64>,
    unknowns: usize,
    tolerance: f64,
    /// Largest h omega of a captured mode.
    fastest: f64,
}

impl Captured {
    /// Returns `None` where the slowest modes of the whole are searched for.
    pub fn new(model: &Model, options: &Options) -> Option<Captured> {
        let (wanted, fastest) = match options.get(&MODES) {
            Modes::Count(count) => (count, f64::INFINITY),
            Modes::Auto => (AUTO, SLOW[1]),
        };
        let knows = matches!(options.get(&SOLVER), SolverKind::Auto | SolverKind::Components);
        let damping = model.damping();
        let is_plain = options.get(&REST) == Rest::Linear
            && matches!(model.mass(), Mass::Lumped(_))
            && (damping.at_rest.is_none() || damping.stiffness == 0.0);
        let modes = (knows && is_plain).then(|| ComponentModes::new(model.pattern(), wanted)).flatten()?;
        let (before, unknowns) = (Vec::new(), model.dofs());
        Some(Captured { modes, before, unknowns, tolerance: options.get(&MODES_TOLERANCE), fastest })
    }

    /// Keeps the positions where the step began.
    pub fn keep(&mut self, x: &[f64]) {
        self.before.clear();
        self.before.extend_from_slice(x);
    }

    /// Finds the modes and computes the change of positions and velocities from the solution of linearly implicit
    /// Euler, whose captured part is replaced by the exact motion.
    pub fn change(&mut self, parts: Parts) {
        let Parts { model, v, h, forces, system, report, .. } = parts;
        let n = model.dofs();
        let searched = self.modes.find(&system.stiffness, &model.node_mass()[..model.free_nodes()], self.tolerance);
        report.mode_passes += searched.passes as u64;
        report.mode_angle = report.mode_angle.max(searched.angle);
        report.modes = report.modes.max(self.modes.wanted() as u64);

        let Forces { products, change, ramp, solution, .. } = forces;
        for i in 0..n {
            change[i] = h * (v[i] + solution[i]);
            change[n + i] = solution[i];
        }
        mass_times(model, solution, &mut products[3 * n..], 1);
        let (mass_v, rest) = products.split_at(n);
        let (force, rest) = rest.split_at(n);
        let (stiff, mass_dv) = rest.split_at(n);
        let beta = model.damping().stiffness;
        let rule = |lam: f64, [w, g, kv, e, ramp]: [f64; 5]| {
            if h * h * lam > self.fastest * self.fastest {
                return [0.0; 2];
            }
            // Coupling of an inexact mode to the rest, which continues as before.
            let coupling = kv - lam * w;
            let (g, rate) = (g - beta * coupling, ramp / h - coupling);
            let [dx, dv] = one_mode(h, lam, own_damping(model, lam), [w, g, rate]);
            [dx - h * (w + e), dv - e]
        };
        let (dx, dv) = change.split_at_mut(n);
        self.modes.add_responses([mass_v, force, stiff, mass_dv, ramp], rule, [dx, dv]);
        move_centres(&system.floating, h, model.damping().mass, [&products[..2 * n], ramp], change);
    }

    pub fn forget(&mut self) {
        self.before.clear();
        self.modes.forget();
    }

    /// Returns the positions where the last step began, and the modes.
    pub fn memory(&self) -> Vec<f64> {
        join(self.before.clone(), self.modes.memory())
    }

    pub fn recall(&mut self, memory: &[f64]) -> bool {
        self.forget();
        let Some((before, modes)) = split(memory) else { return false };
        let fits = before.is_empty() || before.len() == self.unknowns;
        let is_recalled = fits && (modes.is_empty() || self.modes.recall(modes));
        if is_recalled {
            self.before.extend_from_slice(before);
        }
        is_recalled
    }
}
