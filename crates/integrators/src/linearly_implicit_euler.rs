//! Linearly implicit Euler: backward Euler with the force linearised at the start of the step.
//!
//!   (M + h D + h^2 K) dv = h (f - h K v),   v+ = v + dv,   x+ = x + h v+
//!
//! Loads and scripted nodes are those of the end of the step. In the literature also "SI" or
//! "semi-implicit Euler", which elsewhere means symplectic Euler; hence the long name.
//!
//! Cost a step: one force, one assembly, one factorisation, one solve.
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
    system: LinearSystem,
    dv: Vec<f64>,
    /// Positions and velocities with the scripted nodes at the end of the step.
    x: Vec<f64>,
    v: Vec<f64>,
}

impl LinearlyImplicitEuler {
    pub fn new(model: &Model, options: &Options) -> Result<LinearlyImplicitEuler, LinearError> {
        let all = vec![0.0; 3 * model.nodes()];
        let system = LinearSystem::new(model, options)?;
        Ok(LinearlyImplicitEuler { system, dv: vec![0.0; model.dofs()], x: all.clone(), v: all })
    }
}

impl Stepper for LinearlyImplicitEuler {
    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let mut report = StepReport::default();
        let LinearlyImplicitEuler { system, dv, x, v } = self;
        let dofs = model.dofs();
        let t = state.t + h;
        x.copy_from_slice(&state.x);
        v.copy_from_slice(&state.v);
        model.place(t, x, v);

        // The matrix.
        model.stiffness(model.stiffness_kind(), x, &mut system.stiffness);
        report.assemblies += 1;

        // The right-hand side, h (f - D v - h K v).
        model.static_force(t, x, dv);
        report.forces += 1;
        check_finite(model, x, dv)?;
        model.add_damping_force(x, v, Some(&system.stiffness), dv);
        system.stiffness.multiply_add(-h, &v[..dofs], dv);
        dv.iter_mut().for_each(|dv| *dv *= h);

        system.prepare(model, [1.0, h, h * h], None, &mut report)?;
        system.solve(dv, &mut report)?;
        check_finite(model, x, dv)?;

        for i in 0..dofs {
            state.v[i] += dv[i];
            state.x[i] += h * state.v[i];
        }
        state.t = t;
        model.place(t, &mut state.x, &mut state.v);
        Ok(report)
    }
}
