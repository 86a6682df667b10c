//! A single step with all checks; halved if it fails and the schedule allows.

use super::Simulation;
use crate::budget::Budget;
use crate::caught::caught;
use crate::check::{check, check_forces, check_measures};
use crate::energies::Energies;
use crate::impulses::{Impulses, Met, Unresolved};
use crate::outcome::{Cause, Divergence};
use crate::progress::{Progress, Recovery};
use crate::schedule::OnDivergence;
use integrators::{StepError, StepReport, Stepper};
use model::{Model, State};
use numerics::interrupt::{Signal, watch};
use std::time::Instant;

/// Scratch and sums that are carried from step to step, besides the state.
pub(super) struct Walk {
    budget: Budget,
    /// Current energies [J].
    energies: Energies,
    /// State before the step, to return to.
    pub good: State,
    /// Memory of the stepper before the step.
    memory: Vec<f64>,
    /// State before a piece of a halved step.
    before: State,
}

/// A step that failed: its cause and its cost.
pub(super) struct Failed {
    pub divergence: Divergence,
    pub work: StepReport,
    pub seconds: f64,
}

/// Number of times a step was halved, and the cause.
type Halved = (u32, Cause);

impl Simulation {
    /// Takes one step and returns its work, attempts that failed included.
    ///
    /// An error leaves the simulation unchanged: the last good state, and the stepper's memory of it, so that the same
    /// step would fail again.
    pub fn step(&mut self) -> Result<StepReport, Divergence> {
        self.begin()?;
        self.advance(None).map_err(|failed| failed.divergence)
    }

    /// Checks the first state, or one that was set: an error if it is not possible.
    pub(super) fn begin(&mut self) -> Result<(), Divergence> {
        let too_near = if self.walk.is_none() { self.too_near() } else { None };
        let Simulation { model, state, progress, walk, .. } = self;
        let progress = progress.get_or_insert_with(|| Progress::new(Energies::of(model, state)));
        if walk.is_none() {
            check(model, state, &progress.last).map_err(|cause| {
                let (step, time) = (progress.steps, state.t);
                Divergence { step, time, h: 0.0, halvings: 0, cause }
            })?;
            if let Some((nodes, distance)) = too_near {
                let (step, time, cause) = (progress.steps, state.t, Cause::TooNear { nodes, distance });
                return Err(Divergence { step, time, h: 0.0, halvings: 0, cause });
            }
            *walk = Some(Walk {
                budget: Budget::new(model, progress.budget, state),
                energies: progress.last,
                good: state.clone(),
                memory: Vec::new(),
                before: state.clone(),
            });
        }
        Ok(())
    }

    /// Takes the next step of the schedule; ends early if the signal asks for it.
    pub(super) fn advance(&mut self, signal: Option<&Signal>) -> Result<StepReport, Box<Failed>> {
        let (mut work, clock) = (StepReport::default(), Instant::now());
        let (step, time) = (self.steps() + 1, self.state.t);
        let (h, end) = (self.schedule.length(step), self.schedule.time(step));
        let result = self.give_forces().and_then(|()| self.halved(h, end, signal, &mut work));
        let seconds = clock.elapsed().as_secs_f64();
        let recovered = result.map_err(|(halvings, cause)| {
            let divergence = Divergence { step, time, h, halvings, cause };
            Box::new(Failed { divergence, work, seconds })
        })?;
        if let (Some(progress), Some(walk)) = (&mut self.progress, &self.walk) {
            let recovery =
                |(halvings, cause): Halved| Recovery { step, time, halvings, cause: cause.word().to_string() };
            progress.recoveries.extend(recovered.map(recovery));
            (progress.steps, progress.last, progress.budget) = (step, walk.energies, walk.budget.energy);
            progress.step_work = work;
            progress.work.add(&work);
            progress.seconds += seconds;
        }
        Ok(work)
    }

    /// Takes one step to time `end`, halved if it fails and the schedule allows. After an error the state and the
    /// memory of the stepper are unchanged.
    fn halved(
        &mut self,
        h: f64,
        end: f64,
        signal: Option<&Signal>,
        work: &mut StepReport,
    ) -> Result<Option<Halved>, Halved> {
        let Simulation { model, state, stepper, schedule, walk, impulses, .. } = self;
        // Always there: stepping begins with `begin`.
        let Some(walk) = walk.as_mut() else { return Err((0, Cause::Step(StepError::NonFinite { node: 0 }))) };
        walk.good.clone_from(state);
        walk.memory = stepper.memory();
        let (energies, budget) = (walk.energies, walk.budget.energy);
        let halves = schedule.on_divergence == OnDivergence::Halve;
        let mut most = if halves { OnDivergence::MOST_HALVINGS } else { 0 };
        let (mut first, mut tried) = (None, 0);
        for halvings in 0..=OnDivergence::MOST_HALVINGS {
            if halvings > most {
                break;
            }
            tried = halvings;
            let pieces = 1u64 << halvings;
            work.halvings += u64::from(halvings > 0);
            let done = (1..=pieces).try_for_each(|piece| {
                let t = if piece == pieces { end } else { walk.good.t + piece as f64 / pieces as f64 * h };
                let (duration, impulses) = (schedule.duration, impulses.as_mut());
                let mut one = Attempt { model, stepper: stepper.as_mut(), walk, duration, signal, impulses };
                let done = caught(|| one.take(state, h / pieces as f64, t, work));
                done.unwrap_or_else(|message| Err(Cause::Failed { message }))
            });
            match done {
                Ok(()) => return Ok(first.map(|cause| (halvings, cause))),
                Err(cause) => {
                    state.clone_from(&walk.good);
                    (walk.energies, walk.budget.energy) = (energies, budget);
                    // A program error and a request to stop are reported in place of earlier causes, and not tried
                    // again.
                    if matches!(cause, Cause::Failed { .. } | Cause::Step(StepError::Interrupted)) {
                        first = Some(cause);
                        break;
                    }
                    // Things that move against each other meet more gently in shorter steps.
                    if matches!(cause, Cause::Caught { .. }) {
                        most = OnDivergence::MOST_HALVINGS;
                    }
                    first.get_or_insert(cause);
                    stepper.forget();
                }
            }
        }
        // A stepper that has panicked may be unable to restore its memory.
        let _ = caught(|| stepper.recall(&walk.memory));
        // Always there: every attempt failed. The first cause is that of the scheduled step.
        let cause = first.unwrap_or(Cause::Step(StepError::NonFinite { node: 0 }));
        Err((tried, cause))
    }
}

/// An attempt at a step, or at one piece of a step that is cut into pieces.
struct Attempt<'a> {
    model: &'a Model,
    stepper: &'a mut dyn Stepper,
    walk: &'a mut Walk,
    /// Duration of the run [s].
    duration: f64,
    signal: Option<&'a Signal<'a>>,
    impulses: Option<&'a mut Impulses>,
}

impl Attempt<'_> {
    /// Takes it, with the checks after it.
    fn take(&mut self, state: &mut State, h: f64, end: f64, work: &mut StepReport) -> Result<(), Cause> {
        let Attempt { model, stepper, walk, duration, signal, impulses } = self;
        walk.before.clone_from(state);
        let mut step = || stepper.step(model, state, h);
        let result = match signal {
            Some(signal) => watch(signal, step),
            None => step(),
        };
        let mut report = result.map_err(Cause::Step)?;
        let measured = check_measures(&mut report);
        work.add(&report);
        state.t = end;
        let mut energies = Energies::of(model, state);
        check(model, state, &energies)?;
        measured?;
        check_forces(model, *stepper)?;
        // Only methods with multipliers leave constraints unmet.
        let with_elastic = stepper.constraint_forces().is_none();
        let (before, after) = ((&walk.before, &walk.energies), (&*state, &energies));
        walk.budget.step(model, (*duration, with_elastic), before, after)?;
        if model.project(state) {
            stepper.forget();
            let free = std::mem::replace(&mut energies, Energies::of(model, state));
            check(model, state, &energies)?;
            walk.budget.projected(&free, &energies);
        }
        if let Some(impulses) = impulses {
            let mut report = StepReport::default();
            let mut apply = || impulses.apply((model, &mut **stepper), &walk.before, state, h, &mut report);
            let met = match signal {
                Some(signal) => watch(signal, apply),
                None => apply(),
            };
            let met = met.map_err(|unresolved| match unresolved {
                Unresolved::Interrupted => Cause::Step(StepError::Interrupted),
                Unresolved::Step(error) => Cause::Step(error),
                Unresolved::Caught { node } => Cause::Caught { node: model.origin(node) },
            })?;
            work.add(&report);
            work.add(&report_of(&met));
            if met.is_changed {
                stepper.disturb();
                if let Some(bad) = model.first_inadmissible(&state.x) {
                    return Err(Cause::Step(StepError::Inverted { element: bad.element, number: bad.number }));
                }
                let free = std::mem::replace(&mut energies, Energies::of(model, state));
                check(model, state, &energies)?;
                walk.budget.projected(&free, &energies);
            }
        }
        walk.energies = energies;
        Ok(())
    }
}

/// Returns the report of the contacts of a step.
fn report_of(met: &Met) -> StepReport {
    StepReport {
        contacts: met.contacts,
        contact_rounds: met.rounds,
        contact_zones: met.zones,
        contact_work: met.work,
        contact_impulse: met.impulse,
        ..StepReport::default()
    }
}
