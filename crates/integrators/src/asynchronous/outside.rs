//! Changes from outside within a large step: loads, and nodes moved by scripts.

use model::Model;
use model::energy::{Configuration, Term};

/// Scratch for forces from outside.
pub(super) struct Outside {
    /// Displacements and velocities of the nodes that are not free; zeros for the others.
    way: Vec<f64>,
    v: Vec<f64>,
    push: Vec<f64>,
}

impl Outside {
    /// Returns `None` where nothing depends on time.
    pub fn new(model: &Model) -> Option<Outside> {
        let all = if model.is_scripted() { 3 * model.nodes() } else { 0 };
        let needed = model.depends_on_time();
        needed.then(|| Outside { way: vec![0.0; all], v: vec![0.0; all], push: vec![0.0; model.dofs()] })
    }

    /// Force at time `t` minus that of the loads at `end`: the change of loads, and the effect of scripted nodes
    /// through K and D, by their displacement since the state and their velocity [N].
    pub fn at(&mut self, model: &Model, at: Configuration<'_>, end: f64, t: f64) -> &[f64] {
        self.push.fill(0.0);
        model.add_load_change(1.0, end, t, &mut self.push);
        if model.is_scripted() {
            let mut push = std::mem::take(&mut self.push);
            self.add_through(model, model.terms(), at, t, 1.0, &mut push);
            self.push = push;
        }
        &self.push
    }

    /// push += c times the force of scripted nodes at time `t` through these elements [N].
    pub fn add_through(
        &mut self,
        model: &Model,
        terms: &[Box<dyn Term>],
        at: Configuration<'_>,
        t: f64,
        c: f64,
        push: &mut [f64],
    ) {
        self.way.copy_from_slice(at.x);
        model.place(t, &mut self.way, &mut self.v);
        self.way.iter_mut().zip(at.x).for_each(|(way, x)| *way -= x);
        let (damping, kind) = (model.damping(), model.stiffness_kind());
        let mut add = |c: f64, at: Configuration<'_>, w: &[f64]| {
            terms.iter().for_each(|term| term.add_stiffness_times(kind, c, at, w, push));
        };
        if damping.at_rest.is_some() && damping.stiffness != 0.0 {
            add(-c * damping.stiffness, model.rest().into(), &self.v);
        } else {
            self.way.iter_mut().zip(&self.v).for_each(|(way, v)| *way += damping.stiffness * v);
        }
        add(-c, at, &self.way);
    }
}
