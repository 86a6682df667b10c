//! The run loop: steps of the schedule, shown to an observer.

use super::Simulation;
use crate::observer::{Moment, Observer, ObserverError, View};
use crate::outcome::{Cause, Ending, Outcome};
use crate::progress::{Progress, Warping};
use crate::until::Until;
use integrators::{StepError, StepReport};
use model::State;
use numerics::interrupt::Signal;
use std::cell::{Cell, OnceCell};
use std::sync::atomic::Ordering;

impl Simulation {
    /// Runs to a time [s] or another end given by `until`, or to the first step that fails. Afterwards the simulation
    /// holds the last good state, the stepper's memory and the progress: another run continues from there.
    ///
    /// An observer's error ends the run at once, after a good step. An interrupted step is not taken.
    pub fn run<'u, O: Observer + ?Sized>(
        &mut self,
        observer: &mut O,
        until: impl Into<Until<'u>>,
    ) -> Result<Outcome, ObserverError> {
        let mut observer = observer;
        self.run_watched(&mut observer, until.into())
    }

    fn run_watched(&mut self, observer: &mut dyn Observer, until: Until) -> Result<Outcome, ObserverError> {
        // A first state that is not good is not shown.
        if let Err(divergence) = self.begin() {
            return Ok(self.outcome(Ending::Diverged(divergence)));
        }
        let signal = until.stop().map(Signal::new);
        let last = until.last(&self.schedule);
        self.show(|moment| observer.observe(moment))?;

        // Interpolated state between two steps.
        let mut between = self.state.clone();
        let mut ending = Ending::Done;
        // Cost of a step that failed for good: it is reported, but not part of the progress.
        let (mut lost_work, mut lost_seconds) = (StepReport::default(), 0.0);
        while self.steps() < last {
            if until.stop().is_some_and(|stop| stop.load(Ordering::Relaxed)) {
                ending = Ending::Interrupted;
                break;
            }
            if let Err(failed) = self.advance(signal.as_ref()) {
                ending = match failed.divergence.cause {
                    Cause::Step(StepError::Interrupted) => Ending::Interrupted,
                    _ => Ending::Diverged(failed.divergence),
                };
                (lost_work, lost_seconds) = (failed.work, failed.seconds);
                break;
            }
            self.show_between(&mut between, observer)?;
            self.show(|moment| observer.observe(moment))?;
        }
        let mut outcome = self.outcome(ending);
        outcome.work.add(&lost_work);
        outcome.seconds += lost_seconds;
        self.show(|moment| observer.finish(moment, &outcome))?;
        outcome.warping = self.progress.as_ref().map_or(Warping::default(), |progress| progress.warping);
        Ok(outcome)
    }

    fn outcome(&self, ending: Ending) -> Outcome {
        match &self.progress {
            Some(progress) => Outcome::new(ending, self.state.t, progress),
            None => Outcome::new(ending, self.state.t, &Progress::default()),
        }
    }

    /// Shows the state to an observer, and counts the cost of warping.
    fn show(&mut self, look: impl FnOnce(&Moment) -> Result<(), ObserverError>) -> Result<(), ObserverError> {
        let Some(progress) = &self.progress else { return Ok(()) };
        let warping = Cell::new(progress.warping);
        let Simulation { model, state, schedule, stepper, .. } = &*self;
        let step = progress.steps;
        let shown = look(&Moment {
            view: self.view(state, &warping, false),
            step,
            h: if step == 0 { 0.0 } else { schedule.length(step) },
            is_frame: schedule.is_frame(step),
            passes_frame: schedule.passes_frame(step),
            schedule,
            stepper: stepper.as_ref(),
            progress,
            energies: progress.last,
            momentum: model.momentum(&state.v),
            angular_momentum: model.angular_momentum(state),
            work: progress.step_work,
        });
        self.set_warping(warping.get());
        shown
    }

    /// Shows the frames that lie within the last step.
    fn show_between(&mut self, between: &mut State, observer: &mut dyn Observer) -> Result<(), ObserverError> {
        for time in self.schedule.frames_within(self.steps()) {
            let (Some(progress), Some(walk)) = (&self.progress, &self.walk) else { return Ok(()) };
            let warping = Cell::new(progress.warping);
            self.model.between(&walk.good, &self.state, time, between);
            let shown = observer.between(&self.view(between, &warping, true));
            self.set_warping(warping.get());
            shown?;
        }
        Ok(())
    }

    fn view<'a>(&'a self, state: &'a State, warping: &'a Cell<Warping>, is_interpolated: bool) -> View<'a> {
        View {
            model: &self.model,
            state,
            is_interpolated,
            constraint_forces: self.stepper.constraint_forces(),
            warping,
            warp: self.warp.as_ref(),
            warped: OnceCell::new(),
        }
    }

    fn set_warping(&mut self, warping: Warping) {
        if let Some(progress) = &mut self.progress {
            progress.warping = warping;
        }
    }
}
