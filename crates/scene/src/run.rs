//! Runs of built scenes.

use crate::build::Built;
use crate::disk::OutputError;
use simulation::{Observer, Outcome, Until};
use std::sync::atomic::AtomicBool;

/// Runs a scene to its duration, to the first step that fails, or until `stop` is set: see
/// [`simulation::Simulation::run`].
///
/// An observer's error ends the run at once; the files it wrote before stay as they are.
pub fn run(built: &mut Built, observers: &mut [&mut dyn Observer], stop: &AtomicBool) -> Result<Outcome, OutputError> {
    Ok(built.simulation.run(observers, Until::END.unless(stop))?)
}
