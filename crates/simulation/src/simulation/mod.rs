//! A model that moves: state, stepper and progress together.

mod nodes;
mod run;
mod step;

use crate::energies::Energies;
use crate::error::{ResumeError, SimulationError};
use crate::impulses::Impulses;
use crate::progress::Progress;
use crate::schedule::Schedule;
use integrators::{Feature, Method, Options, StepReport, Stepper};
use model::mass::Mass;
use model::{Model, State, Warp};
use numerics::mat3::Vec3;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};
use step::Walk;

/// A model that moves: one step at a time, or a run with observers.
///
/// Several simulations may share one model. [`Simulation::state`] is numbered as the model, free nodes first;
/// [`Simulation::positions`] and other functions that say so are numbered as the mesh that the model was built from.
pub struct Simulation {
    model: Arc<Model>,
    state: State,
    method: &'static Method,
    stepper: Box<dyn Stepper>,
    /// Contact by impulses after each step, if the model has it.
    impulses: Option<Impulses>,
    schedule: Schedule,
    /// Progress since the beginning; `None` before the first state was checked.
    progress: Option<Progress>,
    /// Computes the shown positions.
    warp: Option<Mutex<Warp>>,
    /// External forces, numbered as the mesh [N]; empty if there are none.
    forces: Vec<Vec3>,
    /// True if the model does not have these forces yet.
    has_new_forces: bool,
    /// `None` before the first step, and after the state was changed from outside.
    walk: Option<Walk>,
}

impl Simulation {
    /// Returns a model at rest, to be advanced by a method in steps of `step` [s].
    pub fn new(
        model: Arc<Model>,
        method: &'static Method,
        options: &Options,
        step: f64,
    ) -> Result<Simulation, SimulationError> {
        if !(step > 0.0 && step.is_finite()) {
            return Err(SimulationError::Step { step });
        }
        let stepper = make(&model, method, options)?;
        Ok(Simulation {
            state: model.state_at_rest(),
            method,
            stepper,
            impulses: Impulses::new(&model),
            schedule: Schedule::endless(step),
            progress: None,
            warp: None,
            forces: Vec::new(),
            has_new_forces: false,
            walk: None,
            model,
        })
    }

    /// Returns the model, which may be shared.
    pub fn model(&self) -> &Arc<Model> {
        &self.model
    }

    /// Returns the current state, the last good one, numbered as the model.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// Returns the current time [s].
    pub fn time(&self) -> f64 {
        self.state.t
    }

    /// Returns the current energies [J].
    pub fn energies(&self) -> Energies {
        Energies::of(&self.model, &self.state)
    }

    /// Returns the number of steps done.
    pub fn steps(&self) -> u64 {
        self.progress.as_ref().map_or(0, |progress| progress.steps)
    }

    /// Returns the work of all steps so far, attempts that failed included.
    pub fn report(&self) -> StepReport {
        self.progress.as_ref().map(|progress| progress.work).unwrap_or_default()
    }

    /// Returns work and energies of the steps so far; `None` before the first state was checked.
    pub fn progress(&self) -> Option<&Progress> {
        self.progress.as_ref()
    }

    /// Returns the facts of its method.
    pub fn method(&self) -> &'static Method {
        self.method
    }

    /// Returns the method with its memory.
    pub fn stepper(&self) -> &dyn Stepper {
        self.stepper.as_ref()
    }

    /// Sets a custom stepper, made for the same model.
    pub fn set_stepper(&mut self, stepper: Box<dyn Stepper>) {
        self.stepper = stepper;
    }

    /// Returns the steps and frames.
    pub fn schedule(&self) -> &Schedule {
        &self.schedule
    }

    /// Sets other steps and frames, from the next step on.
    pub fn set_schedule(&mut self, schedule: Schedule) {
        self.schedule = schedule;
    }

    /// Shows positions through a warp of its model, or as they are.
    pub fn set_warp(&mut self, warp: Option<Warp>) {
        self.warp = warp.map(Mutex::new);
    }

    /// Returns the shown positions, numbered as the model [m]: those of the state, or warped ones.
    pub fn shown(&self) -> Cow<'_, [f64]> {
        let Some(warp) = &self.warp else { return Cow::Borrowed(&self.state.x) };
        let mut shown = vec![0.0; self.state.x.len()];
        warp.lock().unwrap_or_else(PoisonError::into_inner).apply(&self.state.x, &mut shown);
        Cow::Owned(shown)
    }

    /// Begins anew from a state numbered as the model: earlier steps are forgotten.
    pub fn begin_from(&mut self, state: State) -> Result<(), SimulationError> {
        self.check_size(&state)?;
        self.state = state;
        (self.progress, self.walk) = (None, None);
        self.stepper.forget();
        Ok(())
    }

    /// Continues from the state of a simulation of the same model and method, bit for bit. After an error nothing is
    /// remembered.
    pub fn resume(&mut self, state: State, memory: &[f64], progress: Progress) -> Result<(), ResumeError> {
        self.check_size(&state).map_err(ResumeError::State)?;
        if !memory.iter().all(|number| number.is_finite()) || !self.stepper.recall(memory) {
            return Err(ResumeError::Memory { method: self.method.name });
        }
        (self.state, self.progress, self.walk) = (state, Some(progress), None);
        Ok(())
    }

    /// Continues from the same state with another method, or another model of the same nodes.
    pub fn change_method(
        &mut self,
        model: Arc<Model>,
        method: &'static Method,
        options: &Options,
    ) -> Result<(), SimulationError> {
        if [model.nodes(), model.free_nodes()] != [self.model.nodes(), self.model.free_nodes()] {
            return Err(SimulationError::Count { found: model.nodes(), expected: self.model.nodes() });
        }
        self.stepper = make(&model, method, options)?;
        self.impulses = Impulses::new(&model);
        (self.model, self.method) = (model, method);
        self.has_new_forces = !self.forces.is_empty();
        self.changed();
        Ok(())
    }

    /// Records that the state or model was changed from outside: its energy now is not counted as a jump.
    fn changed(&mut self) {
        self.walk = None;
        let energies = self.energies();
        if let Some(progress) = &mut self.progress {
            progress.last = energies;
            progress.budget = progress.budget.max(energies.internal().abs());
        }
    }

    fn check_size(&self, state: &State) -> Result<(), SimulationError> {
        let (found, expected) = (state.x.len() / 3, self.model.nodes());
        let is_whole = state.x.len() == self.state.x.len() && state.v.len() == state.x.len();
        if is_whole && state.turns.len() == self.state.turns.len() {
            return Ok(());
        }
        Err(SimulationError::Count { found, expected })
    }
}

/// Makes the stepper of a model, if the method supports everything that it needs.
fn make(model: &Model, method: &'static Method, options: &Options) -> Result<Box<dyn Stepper>, SimulationError> {
    let asked = [
        (Feature::ConsistentMass, matches!(model.mass(), Mass::Consistent(_))),
        (Feature::DampingAtRest, model.damping().at_rest.is_some()),
        (Feature::Fluids, !model.fluids().is_empty()),
        (Feature::Contact, model.collisions().is_some_and(|collisions| collisions.impulses.is_none())),
        (Feature::Impulses, model.collisions().is_some_and(|collisions| collisions.impulses.is_some())),
        (Feature::Response, model.collisions().and_then(|c| c.impulses.as_ref()).is_some_and(|i| i.moves_bodies)),
        (Feature::RigidBodies, !model.rigids().is_empty()),
        (Feature::Regions, !model.regions().is_empty()),
        (Feature::StokesFlow, model.stokes().is_some()),
        (Feature::DryNodes, model.has_dry_nodes()),
    ];
    if let Some((feature, _)) = asked.iter().find(|(feature, is_asked)| *is_asked && !method.serves.contains(feature)) {
        return Err(SimulationError::Lacking { method: method.name, feature: *feature });
    }
    (method.make)(model, options).map_err(SimulationError::Linear)
}
