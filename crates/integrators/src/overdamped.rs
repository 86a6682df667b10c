//! Exponential Rosenbrock-Euler in the form of first order, for bodies in Stokes flow, whose inertia is nothing:
//!
//!   D x' = f(x) + D u:    x+ = x + h phi_1(-h D^-1 K) D^-1 (f + D u),   v+ = exp(-h D^-1 K) D^-1 (f + D u)
//!
//! with the background flow u, and D and K at x, constant during the step. K and D are symmetric, so the spectrum of D^-1 K is
//! real: stiff modes decay, and the shifted inverse finds both functions however stiff they are
//! (`numerics::functions::Relaxation`). Velocities are those of the linearised motion at the end of the step; the next step does
//! not read them.
//!
//! Nodes that are not free push through D by their mean velocity over the step, and through K by half their way.
//! Cost per step: one drag, one assembly, one factor of D + h/10 K, some ten to thirty solves and products with D.
//! Properties: first order, since D changes with x; exact where D and K are constant. Fails where bodies turn far within a
//! step: rings widen as with other methods of one linearisation.
//! Citation: Cortez, Cowen, Dillon, Fauci 2004 (the equation); van den Eshof, Hochbruck 2006.

use crate::feature::Feature;
use crate::linear_system::LinearSystem;
use crate::matrix_functions::KRYLOV_TOLERANCE;
use crate::options::Options;
use crate::stepper::{StepError, StepReport, Stepper, check_finite};
use model::{Model, State};
use numerics::functions::{Relaxation, Relaxing};
use numerics::linear::LinearError;

/// Features of ere: it moves nodes by their drag, so all must have some.
pub(crate) const OVERDAMPED: &[Feature] =
    &[Feature::ConsistentMass, Feature::DampingAtRest, Feature::Impulses, Feature::StokesFlow];

/// Relative residual of solves.
const EXACT: f64 = 1e-12;

pub(crate) struct Overdamped {
    system: LinearSystem,
    relaxation: Relaxation,
    tolerance: f64,
    /// f + D u.
    load: Vec<f64>,
    y: Vec<f64>,
    velocity: Vec<f64>,
    /// Mean velocities of nodes that are not free, and half their ways.
    given: Vec<f64>,
    ahead: State,
}

impl Overdamped {
    pub fn new(model: &Model, options: &Options) -> Result<Overdamped, LinearError> {
        let zeros = vec![0.0; model.dofs()];
        Ok(Overdamped {
            system: LinearSystem::new(model, options)?,
            relaxation: Relaxation::default(),
            tolerance: options.get(&KRYLOV_TOLERANCE),
            load: zeros.clone(),
            y: zeros.clone(),
            velocity: zeros,
            given: vec![0.0; 3 * model.nodes()],
            ahead: model.state_at_rest(),
        })
    }
}

/// D and K of a model at a state.
struct Body<'a> {
    model: &'a Model,
    system: &'a mut LinearSystem,
    report: &'a mut StepReport,
}

impl Relaxing for Body<'_> {
    fn damping_times(&mut self, x: &[f64], y: &mut [f64]) {
        self.report.linear.products += 1;
        y.fill(0.0);
        let damping = self.model.damping();
        if let Some(drag) = &mut self.system.drag {
            drag.add_times(1.0, x, y);
        }
        if damping.mass != 0.0 {
            self.model.mass().multiply_add(damping.mass, x, y);
        }
        if damping.stiffness != 0.0 {
            let stiffness = damping.at_rest.as_ref().unwrap_or(&self.system.stiffness);
            stiffness.multiply_add(damping.stiffness, x, y);
        }
    }

    fn prepare_shifted(&mut self, k: f64) -> Result<(), LinearError> {
        self.system.prepare(self.model, [0.0, 1.0, k], None, self.report)
    }

    fn solve_shifted(&mut self, x: &mut [f64]) -> Result<(), LinearError> {
        self.system.solve_to(EXACT, x, self.report)
    }
}

impl Stepper for Overdamped {
    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let mut report = StepReport::default();
        let Overdamped { system, relaxation, tolerance, load, y, velocity, given, ahead } = self;
        let dofs = model.dofs();
        model.static_force(state.t + h, &state.x, load);
        report.forces += 1;
        check_finite(model, &state.x, load)?;
        system.assemble(model, model.stiffness_kind(), &state.x, &mut report);
        system.hold_drag(model, &state.x, &mut report)?;

        ahead.clone_from(state);
        ahead.t = state.t + h;
        model.place(ahead.t, &mut ahead.x, &mut ahead.v);
        given[..dofs].fill(0.0);
        (dofs..given.len()).for_each(|i| given[i] = (ahead.x[i] - state.x[i]) / h);
        if let Some(drag) = &mut system.drag {
            drag.add_push(given, load);
        }
        if model.is_scripted() {
            model.add_damping_force(&state.x, given, None, load);
            given.iter_mut().for_each(|x| *x *= 0.5 * h);
            model.add_stiffness_times(-1.0, &state.x, given, load);
        }

        let mut body = Body { model, system, report: &mut report };
        let vectors = relaxation.relax(&mut body, h, load, *tolerance, [y, velocity]);
        vectors.map_err(|error| StepError::functions(model, error))?;
        check_finite(model, &state.x, y)?;
        check_finite(model, &state.x, velocity)?;
        ahead.x.iter_mut().zip(&*y).for_each(|(x, y)| *x += y);
        ahead.v[..dofs].copy_from_slice(velocity);
        state.clone_from(ahead);
        Ok(report)
    }

    fn memory(&self) -> Vec<f64> {
        self.system.memory()
    }

    fn recall(&mut self, memory: &[f64]) -> bool {
        self.system.recall(memory)
    }
}
