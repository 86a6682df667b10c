//! Linearly implicit Euler: backward Euler with the force linearised at the start of the step.
//!
//!   (M + h D + h^2 K) dv = h (f - h K v),   v+ = v + dv,   x+ = x + h v+
//!
//! Loads are those of the end of the step. Force and stiffness are those of its start; a scripted
//! node acts through K on the way that its script takes it, where a free one has h v. In the literature also "SI" or
//! "semi-implicit Euler", which elsewhere means symplectic Euler; hence the long name.
//!
//! `solver_iterations` caps the iterations of conjugate gradients: a step then moves by their last iterate, which no longer
//! balances forces to `solver_tolerance`. Far fewer than needed leave a stiff body too soft, as few passes leave small steps.
//!
//! Cost a step: one force, one assembly, one solve with a factor that is kept (`numerics::linear::stale`).
//! Properties: first order; damps like backward Euler. Fails when the matrix is indefinite or one
//! linearisation overshoots a large rotation: elements invert. Use the projected stiffness, a
//! smaller step, or backward Euler.
//! Citation: Baraff, Witkin 1998.

use crate::linear_system::LinearSystem;
use crate::options::Options;
use crate::stepper::{StepError, StepReport, Stepper, check_finite};
use model::{Model, State};
use numerics::linear::LinearError;

pub(crate) struct LinearlyImplicitEuler {
    pub system: LinearSystem,
    dv: Vec<f64>,
    /// The way of each node if nothing accelerates it [m].
    way: Vec<f64>,
    /// Velocities, those of scripted nodes at the end of the step.
    v: Vec<f64>,
}

impl LinearlyImplicitEuler {
    pub fn new(model: &Model, options: &Options) -> Result<LinearlyImplicitEuler, LinearError> {
        let all = vec![0.0; 3 * model.nodes()];
        let system = LinearSystem::new(model, options)?;
        Ok(LinearlyImplicitEuler { system, dv: vec![0.0; model.dofs()], way: all.clone(), v: all })
    }
}

impl Stepper for LinearlyImplicitEuler {
    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let mut report = StepReport::default();
        let LinearlyImplicitEuler { system, dv, way, v } = self;
        let dofs = model.dofs();
        let t = state.t + h;
        let x = &state.x;
        v.copy_from_slice(&state.v);

        // The matrix.
        system.assemble(model, model.stiffness_kind(), x, &mut report);

        // The right-hand side, h (f - D v - h K v).
        model.static_force(t, x, dv);
        report.forces += 1;
        check_finite(model, x, dv)?;
        if model.is_scripted() {
            way.copy_from_slice(x);
            model.place(t, way, v);
            for i in 0..way.len() {
                way[i] = if i < dofs { h * v[i] } else { way[i] - x[i] };
            }
            model.add_stiffness_times(-1.0, x, way, dv);
        } else {
            system.stiffness.multiply_add(-h, &v[..dofs], dv);
        }
        model.add_damping_force(x, v, Some(&system.stiffness), dv);
        dv.iter_mut().for_each(|dv| *dv *= h);

        let solved = system.prepare(model, [1.0, h, h * h], None, &mut report);
        let solved = solved.and_then(|()| {
            system.begin(dv, &mut report);
            system.finish(0.0, dv, None, &mut report)
        });
        solved.map_err(|error| StepError::linear(model, error))?;
        check_finite(model, x, dv)?;

        for i in 0..dofs {
            state.v[i] += dv[i];
            state.x[i] += h * state.v[i];
        }
        state.t = t;
        model.place(t, &mut state.x, &mut state.v);
        Ok(report)
    }

    fn memory(&self) -> Vec<f64> {
        self.system.memory()
    }

    fn recall(&mut self, memory: &[f64]) -> bool {
        self.system.recall(memory)
    }
}
