//! Forces and the linearisation at the start of a step.

use super::pencil::mass_times;
use super::turning::Turning;
use crate::last_step::LastStep;
use crate::linear_system::LinearSystem;
use crate::stepper::{StepError, StepReport, check_finite};
use model::{Model, State};

/// Vectors of a step, by name.
pub(crate) struct Forces {
    /// M v, the force without damping, K v, and M dv, side by side.
    pub products: Vec<f64>,
    /// dx and dv, side by side.
    pub change: Vec<f64>,
    /// Whole force with damping.
    pub force: Vec<f64>,
    /// Force by the displacement of scripted nodes, and change of inertial forces in a frame, within the step.
    pub ramp: Vec<f64>,
    /// h (f - h K v), and the solution.
    pub solution: Vec<f64>,
    /// Right-hand side after one sweep over the factor.
    pub near: Vec<f64>,
    /// Displacements and velocities of scripted nodes, over all nodes.
    way: Vec<f64>,
    v: Vec<f64>,
    pub last_step: LastStep,
    /// The rest iterates, so that it needs no stiffness of its own.
    is_newton: bool,
}

/// Memory of the last step, and the frames that all is seen from.
#[derive(Default)]
pub(crate) struct Seen<'a> {
    /// Positions where the last step began; it moved along the velocities if they are not known.
    pub before: Option<&'a [f64]>,
    /// `None` in frames that are fixed in space.
    pub turning: Option<&'a mut Turning>,
}

impl Forces {
    /// Makes the vectors; none where there is never a mode to find.
    pub fn new(model: &Model, is_idle: bool, is_newton: bool) -> Forces {
        let (n, all) = (model.dofs(), 3 * model.nodes());
        let zeros = |size: usize| vec![0.0; if is_idle { 0 } else { size }];
        Forces {
            products: zeros(4 * n),
            change: zeros(2 * n),
            force: zeros(n),
            ramp: zeros(n),
            solution: zeros(n),
            near: zeros(n),
            way: zeros(all),
            v: zeros(all),
            last_step: LastStep::new(model),
            is_newton,
        }
    }

    /// Returns true if forces on the modes change within a step.
    pub fn has_ramp(&self, model: &Model) -> bool {
        model.is_scripted() || self.ramp.iter().any(|&r| r != 0.0)
    }

    /// Computes stiffness, forces and the right-hand side of linearly implicit Euler for a step of h. Loads are those of
    /// its end; scripted nodes act by their displacement.
    pub fn linearise(
        &mut self,
        system: &mut LinearSystem,
        model: &Model,
        state: &State,
        h: f64,
        Seen { before, mut turning }: Seen,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let (n, t, x) = (model.dofs(), state.t + h, &state.x);
        let Forces { products, force, ramp, solution, way, v, last_step, is_newton, .. } = self;
        let (mass_v, rest) = products.split_at_mut(n);
        let (undamped, rest) = rest.split_at_mut(n);
        let stiff = &mut rest[..n];

        model.static_force(t, x, undamped);
        report.forces += 1;
        check_finite(model, x, undamped)?;
        ramp.fill(0.0);
        if let Some(turning) = &mut turning
            && turning.begin(model, state, undamped, h)
        {
            turning.see(model, state, h, undamped, ramp);
        }
        let velocity = turning.as_ref().map_or(&state.v[..], |turning| turning.velocities(&state.v));
        match turning.as_ref().and_then(|turning| turning.before()).or(before) {
            Some(before) => last_step.take_from(before, h, x, velocity),
            None => last_step.take(h, velocity),
        }
        let at = if *is_newton { x.into() } else { last_step.to(x) };
        system.assemble(model, model.stiffness_kind(), at, report);
        system.stiffness.multiply(&velocity[..n], stiff);
        mass_times(model, &velocity[..n], mass_v, 1);

        let damping = model.damping();
        if model.is_scripted() {
            way.copy_from_slice(x);
            v.fill(0.0);
            model.place(t, way, v);
            match turning.as_mut().filter(|turning| turning.is_active()) {
                Some(turning) => turning.changes_of_held(state, h, way, v),
                None => way[n..].iter_mut().zip(&x[n..]).for_each(|(way, x)| *way -= x),
            }
            way[..n].fill(0.0);
            model.add_stiffness_times(-1.0, at, way, ramp);
            if damping.stiffness != 0.0 {
                let at = if damping.at_rest.is_some() { model.rest().into() } else { at };
                model.add_stiffness_times(-damping.stiffness, at, v, undamped);
            }
        }
        force.copy_from_slice(undamped);
        force.iter_mut().zip(&*mass_v).for_each(|(f, mv)| *f -= damping.mass * mv);
        match &damping.at_rest {
            _ if damping.stiffness == 0.0 => {}
            Some(at_rest) => at_rest.multiply_add(-damping.stiffness, &state.v[..n], force),
            None => force.iter_mut().zip(&*stiff).for_each(|(f, kv)| *f -= damping.stiffness * kv),
        }
        for i in 0..n {
            solution[i] = h * (force[i] + ramp[i] - h * stiff[i]);
        }
        Ok(())
    }
}
