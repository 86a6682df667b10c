//! Several observers as one, called in order; the first error is that of all.

use crate::observer::{Moment, Observer, ObserverError, View};
use crate::outcome::Outcome;

/// Observes nothing.
impl Observer for () {
    fn observe(&mut self, _: &Moment) -> Result<(), ObserverError> {
        Ok(())
    }
}

impl<O: Observer + ?Sized> Observer for &mut O {
    fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError> {
        (**self).observe(moment)
    }

    fn between(&mut self, view: &View) -> Result<(), ObserverError> {
        (**self).between(view)
    }

    fn finish(&mut self, moment: &Moment, outcome: &Outcome) -> Result<(), ObserverError> {
        (**self).finish(moment, outcome)
    }
}

impl<O: Observer> Observer for [O] {
    fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError> {
        self.iter_mut().try_for_each(|observer| observer.observe(moment))
    }

    fn between(&mut self, view: &View) -> Result<(), ObserverError> {
        self.iter_mut().try_for_each(|observer| observer.between(view))
    }

    fn finish(&mut self, moment: &Moment, outcome: &Outcome) -> Result<(), ObserverError> {
        self.iter_mut().try_for_each(|observer| observer.finish(moment, outcome))
    }
}

impl<O: Observer> Observer for Vec<O> {
    fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError> {
        self.as_mut_slice().observe(moment)
    }

    fn between(&mut self, view: &View) -> Result<(), ObserverError> {
        self.as_mut_slice().between(view)
    }

    fn finish(&mut self, moment: &Moment, outcome: &Outcome) -> Result<(), ObserverError> {
        self.as_mut_slice().finish(moment, outcome)
    }
}

impl<A: Observer, B: Observer> Observer for (A, B) {
    fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError> {
        self.0.observe(moment)?;
        self.1.observe(moment)
    }

    fn between(&mut self, view: &View) -> Result<(), ObserverError> {
        self.0.between(view)?;
        self.1.between(view)
    }

    fn finish(&mut self, moment: &Moment, outcome: &Outcome) -> Result<(), ObserverError> {
        self.0.finish(moment, outcome)?;
        self.1.finish(moment, outcome)
    }
}

impl<A: Observer, B: Observer, C: Observer> Observer for (A, B, C) {
    fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError> {
        self.0.observe(moment)?;
        (&mut self.1, &mut self.2).observe(moment)
    }

    fn between(&mut self, view: &View) -> Result<(), ObserverError> {
        self.0.between(view)?;
        (&mut self.1, &mut self.2).between(view)
    }

    fn finish(&mut self, moment: &Moment, outcome: &Outcome) -> Result<(), ObserverError> {
        self.0.finish(moment, outcome)?;
        (&mut self.1, &mut self.2).finish(moment, outcome)
    }
}
