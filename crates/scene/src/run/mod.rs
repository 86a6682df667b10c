//! The run loop: fixed steps, checks after each, everything shown to observers.
//!
//! A state is good when all its energies and momenta are finite, with what its method tells of constraints, and its energy is
//! possible (`budget`). Observers see good states only, so that no file ever holds a NaN, and what is written before a failed
//! step stays valid. A method that panics has failed in that step, no more.

mod budget;
mod fastest;
mod lanczos;
mod observer;
mod outcome;
mod place;
mod progress;
mod schedule;

pub(crate) use fastest::{fastest_frequency, least_ratios};
pub use fastest::{highest_frequency, stable_step};
pub(crate) use lanczos::largest;
pub use observer::{Energies, Moment, Observer, View};
pub use outcome::{Cause, Divergence, Ending, Outcome, Recovery};
pub use progress::{Progress, Warping};
pub use schedule::Schedule;
pub(crate) use schedule::{MOST_FRAMES, MOST_STEPS, steps};

use crate::caught;
use crate::output::OutputError;
use crate::scene::OnDivergence;
use crate::{Simulation, Surface};
use budget::Budget;
use integrators::{StepError, StepReport, Stepper};
use model::mesh::Mesh;
use model::{Model, State, Warp};
use numerics::vectors::is_finite;
use std::cell::{OnceCell, RefCell};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Runs a simulation to its duration, to the first step that fails, or until `stop` is set, which is looked at
/// between steps. Afterwards the simulation holds the last good state, its stepper the memory that led there, and
/// its progress how far it came: run again, it goes on from there.
///
/// An observer's error ends the run at once; the files it wrote before stay as they are.
pub fn run(
    simulation: &mut Simulation,
    observers: &mut [&mut dyn Observer],
    stop: &AtomicBool,
) -> Result<Outcome, OutputError> {
    let Simulation { mesh, surface, warp, model, state, stepper, schedule, progress, .. } = simulation;
    let progress = progress.get_or_insert_with(|| Progress::new(Energies::of(model, state)));
    // A first state that is not good is shown to nobody.
    if let Err(cause) = check(model, state, &progress.last) {
        let divergence = Divergence { step: progress.steps, time: state.t, h: 0.0, halvings: 0, cause };
        return Ok(Outcome::new(Ending::Diverged(divergence), state.t, progress));
    }

    let still = Still { mesh, surface: surface.as_ref(), warp: warp.as_ref(), model, schedule };
    // Only methods with multipliers leave constraints unmet.
    let with_elastic = stepper.constraint_forces().is_none();
    let budget = Budget::new(model, progress.budget, state, mesh.diagonal(), schedule.duration, with_elastic);
    let (stepper, energies) = (stepper.as_mut(), progress.last);
    let (good, before) = (state.clone(), state.clone());
    let mut walk = Walk { model, stepper, budget, energies, good, memory: Vec::new(), before };
    let show = still.moment(state, walk.stepper, progress);
    observers.iter_mut().try_for_each(|observer| observer.observe(&show))?;

    // What lies between two states.
    let mut between = state.clone();
    let mut ending = Ending::Done;
    // Of a step that failed for good: it is told, and not carried on.
    let (mut lost_work, mut lost_seconds) = (StepReport::default(), 0.0);
    while progress.steps < schedule.steps() {
        if stop.load(Ordering::Relaxed) {
            ending = Ending::Interrupted;
            break;
        }
        let (step, time) = (progress.steps + 1, state.t);
        let h = schedule.length(step);
        let clock = Instant::now();
        let mut work = StepReport::default();
        let result = walk.step(state, h, schedule.time(step), schedule.on_divergence, &mut work);
        let seconds = clock.elapsed().as_secs_f64();
        match result {
            Ok(None) => {}
            Ok(Some((halvings, cause))) => {
                progress.recoveries.push(Recovery { step, time, halvings, cause: cause.word().to_string() });
            }
            Err((halvings, cause)) => {
                ending = Ending::Diverged(Divergence { step, time, h, halvings, cause });
                (lost_work, lost_seconds) = (work, seconds);
                break;
            }
        }
        (progress.steps, progress.last, progress.budget) = (step, walk.energies, walk.budget.energy);
        progress.step_work = work;
        progress.work.add(&work);
        progress.seconds += seconds;
        for time in schedule.frames_within(step) {
            model.between(&walk.good, state, time, &mut between);
            let view = still.view(&between, walk.stepper, progress, true);
            observers.iter_mut().try_for_each(|observer| observer.between(&view))?;
        }
        let show = still.moment(state, walk.stepper, progress);
        observers.iter_mut().try_for_each(|observer| observer.observe(&show))?;
    }
    let mut outcome = Outcome::new(ending, state.t, progress);
    outcome.work.add(&lost_work);
    outcome.seconds += lost_seconds;
    let show = still.moment(state, walk.stepper, progress);
    observers.iter_mut().try_for_each(|observer| observer.finish(&show, &outcome))?;
    outcome.warping = progress.warping.get();
    Ok(outcome)
}

/// What stays as it is during a run.
struct Still<'a> {
    mesh: &'a Mesh,
    surface: Option<&'a Surface>,
    warp: Option<&'a RefCell<Warp>>,
    model: &'a Model,
    schedule: &'a Schedule,
}

impl Still<'_> {
    fn moment<'m>(&'m self, state: &'m State, stepper: &'m dyn Stepper, progress: &'m Progress) -> Moment<'m> {
        let Still { model, schedule, .. } = *self;
        let step = progress.steps;
        Moment {
            view: self.view(state, stepper, progress, false),
            step,
            h: if step == 0 { 0.0 } else { schedule.length(step) },
            is_frame: schedule.is_frame(step),
            passes_frame: schedule.passes_frame(step),
            schedule,
            stepper,
            progress,
            energies: progress.last,
            momentum: model.momentum(&state.v),
            angular_momentum: model.angular_momentum(state),
            work: progress.step_work,
        }
    }

    fn view<'m>(
        &'m self,
        state: &'m State,
        stepper: &'m dyn Stepper,
        progress: &'m Progress,
        is_interpolated: bool,
    ) -> View<'m> {
        let Still { mesh, surface, warp, model, .. } = *self;
        let constraint_forces = stepper.constraint_forces();
        let warped = OnceCell::new();
        View {
            mesh,
            surface,
            model,
            state,
            is_interpolated,
            constraint_forces,
            warping: &progress.warping,
            warp,
            warped,
        }
    }
}

/// What goes from step to step.
struct Walk<'a> {
    model: &'a Model,
    stepper: &'a mut dyn Stepper,
    budget: Budget,
    /// Energies of the state now [J].
    energies: Energies,
    /// The state before the step, to come back to.
    good: State,
    /// What the stepper remembered before the step.
    memory: Vec<f64>,
    /// The state before the part of a halved step.
    before: State,
}

/// How often a step was halved, and why.
type Halved = (u32, Cause);

impl Walk<'_> {
    /// One step to time `end`, in parts where it fails and the scene allows. On an error the state is what it was, and so
    /// is the memory of the stepper: the same step would fail again.
    fn step(
        &mut self,
        state: &mut State,
        h: f64,
        end: f64,
        on_divergence: OnDivergence,
        work: &mut StepReport,
    ) -> Result<Option<Halved>, Halved> {
        self.good.clone_from(state);
        self.memory = self.stepper.memory();
        let (energies, budget) = (self.energies, self.budget.energy);
        let most = if on_divergence == OnDivergence::Halve { OnDivergence::MOST_HALVINGS } else { 0 };
        let (mut first, mut tried) = (None, 0);
        for halvings in 0..=most {
            tried = halvings;
            let parts = 1u64 << halvings;
            work.halvings += u64::from(halvings > 0);
            let done = (1..=parts).try_for_each(|part| {
                let t = if part == parts { end } else { self.good.t + part as f64 / parts as f64 * h };
                let done = caught(|| self.part(state, h / parts as f64, t, work));
                done.unwrap_or_else(|message| Err(Cause::Failed { message }))
            });
            match done {
                Ok(()) => return Ok(first.map(|cause| (halvings, cause))),
                Err(cause) => {
                    state.clone_from(&self.good);
                    (self.energies, self.budget.energy) = (energies, budget);
                    // A fault of the program is told, whatever came before, and not tried again.
                    if matches!(cause, Cause::Failed { .. }) {
                        first = Some(cause);
                        break;
                    }
                    first.get_or_insert(cause);
                    self.stepper.forget();
                }
            }
        }
        // A stepper that has panicked may be in no state to remember.
        let _ = caught(|| self.stepper.recall(&self.memory));
        // Always there: every attempt failed. The first cause is that of the step the scene asked for.
        let cause = first.unwrap_or(Cause::Step(StepError::NonFinite { node: 0 }));
        Err((tried, cause))
    }

    /// A step or a part of one, with the checks after it.
    fn part(&mut self, state: &mut State, h: f64, end: f64, work: &mut StepReport) -> Result<(), Cause> {
        self.before.clone_from(state);
        let mut report = self.stepper.step(self.model, state, h).map_err(Cause::Step)?;
        let measured = check_measures(&mut report);
        work.add(&report);
        state.t = end;
        let mut energies = Energies::of(self.model, state);
        check(self.model, state, &energies)?;
        measured?;
        check_forces(self.model, self.stepper)?;
        self.budget.step(self.model, (&self.before, &self.energies), (state, &energies))?;
        if self.model.project(state) {
            self.stepper.forget();
            let free = std::mem::replace(&mut energies, Energies::of(self.model, state));
            check(self.model, state, &energies)?;
            self.budget.projected(&free, &energies);
        }
        self.energies = energies;
        Ok(())
    }
}

/// Checks that what constraints say of themselves is finite; what is not is taken out, so that sums stay finite.
fn check_measures(report: &mut StepReport) -> Result<(), Cause> {
    let measures = [
        (&mut report.compression, "the compression of fluids"),
        (&mut report.joint_gap, "the gap of a joint"),
        (&mut report.joint_force, "the force of a joint"),
        (&mut report.asymmetry, "what symmetric = true leaves out"),
    ];
    let mut result = Ok(());
    for (value, what) in measures {
        if !value.is_finite() {
            *value = 0.0;
            result = Err(Cause::NonFinite { what });
        }
    }
    result
}

/// Checks that the forces of constraints are finite, where the method knows them: frames show them.
fn check_forces(model: &Model, stepper: &dyn Stepper) -> Result<(), Cause> {
    let forces = stepper.constraint_forces().unwrap_or_default();
    match forces.iter().position(|force| !force.is_finite()) {
        Some(at) => Err(Cause::Step(StepError::NonFinite { node: model.origin(at / 3) })),
        None => Ok(()),
    }
}

/// Whether all energies and momenta are finite, and with them every position and velocity.
fn check(model: &Model, state: &State, energies: &Energies) -> Result<(), Cause> {
    let momenta = [model.momentum(&state.v), model.angular_momentum(state)];
    let turns = || state.turns.iter().all(|turn| is_finite(&turn.orientation) && is_finite(&turn.spin));
    let mut vectors = [&state.x[..], &state.v].into_iter().chain(momenta.iter().map(|m| &m[..]));
    if energies.total().is_finite() && vectors.all(is_finite) && turns() {
        return Ok(());
    }
    if let Some(found) = model.first_inadmissible(&state.x) {
        return Err(Cause::Step(StepError::Inverted { element: found.element, number: found.number }));
    }
    let finite = |i: &usize| is_finite(&state.x[3 * i..3 * i + 3]) && is_finite(&state.v[3 * i..3 * i + 3]);
    // Without a node that is not finite a square has overflowed: the farthest node is the one to look at.
    let reach = |i: &usize| state.x[3 * i..3 * i + 3].iter().fold(0.0, |far: f64, c| far.max(c.abs()));
    let node = (0..model.nodes())
        .find(|i| !finite(i))
        .or_else(|| (0..model.nodes()).max_by(|a, b| reach(a).total_cmp(&reach(b))))
        .unwrap_or(0);
    Err(Cause::Step(StepError::NonFinite { node: model.origin(node) }))
}
