//! Displacements of the last step, for methods that linearise once per step.
//!
//! Such a step moves along a line. Where it turns an element it stretches it, and the automatic stiffness leaves out the
//! stress of that stretch (`docs/turning.md`). The displacements are h v: exactly so for linearly implicit Euler, since
//! x+ = x + h v+, so that nothing has to be remembered. siere, whose modes move along curves, remembers where its last step began.

use model::Model;
use model::energy::{Configuration, Stiffness};

/// Displacements of all nodes in the last step, their masses, and these over the square of its length; all empty where the
/// stiffness does not depend on them.
pub(crate) struct LastStep {
    way: Vec<f64>,
    mass: Vec<f64>,
    inertia: Vec<f64>,
}

impl LastStep {
    pub fn new(model: &Model) -> LastStep {
        let matters = model.stiffness_kind() == Stiffness::Auto && !model.is_linear();
        let mass = if matters { model.node_mass() } else { &[] };
        LastStep { way: vec![0.0; 3 * mass.len()], mass: mass.to_vec(), inertia: vec![0.0; mass.len()] }
    }

    /// Takes the displacements from the velocities at the end of a step of h.
    pub fn take(&mut self, h: f64, v: &[f64]) {
        self.way.iter_mut().zip(v).for_each(|(way, v)| *way = h * v);
        // Without a step nothing is left out.
        let bears = |mass: f64| if h > 0.0 { mass / (h * h) } else { 0.0 };
        self.inertia.iter_mut().zip(&self.mass).for_each(|(inertia, mass)| *inertia = bears(*mass));
    }

    /// Takes the displacements of free nodes from where the last step began, and of held ones from their velocities; none where
    /// there was no step.
    pub fn take_from(&mut self, before: &[f64], h: f64, x: &[f64], v: &[f64]) {
        self.take(if before.is_empty() { 0.0 } else { h }, v);
        for (way, (x, before)) in self.way.iter_mut().zip(x.iter().zip(before)) {
            *way = x - before;
        }
    }

    /// Returns the angle by which it turned the elements, the root of its mean square [rad]; zero where it does not matter.
    pub fn turn(&self, model: &Model, x: &[f64]) -> f64 {
        if self.way.is_empty() { 0.0 } else { model.turn(self.to(x)) }
    }

    /// Returns positions with the way to them.
    pub fn to<'a>(&'a self, x: &'a [f64]) -> Configuration<'a> {
        Configuration { x, way: &self.way, inertia: &self.inertia }
    }
}
