//! A run that can be resumed from its directory.

use super::checkpoint::{self, Checkpoint, Marks, fingerprint};
use super::directory::{CHECKPOINT_FILE, Directory, FRAMES, SERIES_FILE, SUMMARY_FILE, SURFACES};
use super::fault::Fault;
use super::files::Grown;
use super::mark::Written;
use super::{Files, OutputError, Program, intact};
use crate::disk::{RUN_FILE, read_regular};
use crate::{Built, Overrides, Problems, Scene};
use serde_json::Value;
use simulation::{ResumeError, SimulationError};
use std::fmt;
use std::path::Path;

/// A run that was interrupted, or has ended. Opening it changes nothing, and keeps others from changing it.
pub struct Paused {
    /// Scene of the run: run.toml.
    pub scene: Scene,
    /// The built scene, at the checkpoint.
    pub built: Built,
    /// Summary of a finished run; `None` if it has not reached its duration.
    pub done: Option<Value>,
    /// Differences between this program and the one that wrote the checkpoint: bits may differ.
    pub differences: Vec<String>,
    directory: Directory,
    grown: Grown,
}

impl Paused {
    /// Reads run.toml and checkpoint.bin, and checks that they and the growing files belong together. A `duration` [s]
    /// replaces that of run.toml; the run is then the same as one that had it from the beginning.
    pub fn open(path: &Path, duration: Option<f64>) -> Result<Paused, PausedError> {
        let refuse = |fault: Fault| PausedError::Refused(fault.in_directory(path));
        if !path.join(RUN_FILE).exists() {
            return Err(refuse(Fault::NoRun));
        }
        let directory = Directory::of_run(path)?;
        let scene = Scene::load_with(&directory.join(RUN_FILE), &Overrides::new().duration(duration))?;
        let checkpoint = checkpoint::read(&directory.join(CHECKPOINT_FILE)).map_err(refuse)?;
        let mut built = scene.build()?;
        let (marks, differences) = (checkpoint.marks, Program::this().differences(&checkpoint.program));
        let fingerprint = fingerprint(&scene, &built);
        restore(&mut built, checkpoint, fingerprint).map_err(refuse)?;
        let grown = intact(&directory, &marks).map_err(refuse)?;
        let said = read_regular(&directory.join(SUMMARY_FILE)).ok();
        let said: Option<Value> = said.and_then(|text| serde_json::from_slice(&text).ok());
        let done = said.filter(|said| {
            said["outcome"] == "done" && said["duration"].as_f64() == Some(built.simulation.schedule().duration)
        });
        Ok(Paused { scene, built, done, differences, directory, grown })
    }

    /// Cuts the files back to the checkpoint, ready to continue.
    pub fn files(&self) -> Result<Files, OutputError> {
        Files::resume(&self.directory, &self.scene, &self.built, &self.grown)
    }
}

/// Returns the files that a checkpoint depends on, if they are intact.
fn intact(directory: &Directory, marks: &Marks) -> Result<Grown, Fault> {
    let series = intact::beginning(directory, SERIES_FILE, marks.series)?;
    let list = intact::beginning(directory, FRAMES.list, marks.list)?;
    intact::listed(directory, FRAMES, marks.list, marks.frames)?;
    let mut surface = Written::default();
    if marks.surface != surface.mark() {
        surface = intact::beginning(directory, SURFACES.list, marks.surface)?;
        intact::listed(directory, SURFACES, marks.surface, marks.frames)?;
    }
    Ok(Grown { series, list, surface, frames: marks.frames })
}

/// Reason why a run is not resumed.
#[derive(Debug)]
pub enum PausedError {
    /// Its files are missing, wrong or belong to different runs.
    Refused(Problems),
    /// Another process writes there.
    InUse(OutputError),
}

impl fmt::Display for PausedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PausedError::Refused(problems) => problems.fmt(f),
            PausedError::InUse(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for PausedError {}

impl From<Problems> for PausedError {
    fn from(problems: Problems) -> Self {
        PausedError::Refused(problems)
    }
}

impl From<OutputError> for PausedError {
    fn from(error: OutputError) -> Self {
        PausedError::InUse(error)
    }
}

/// Restores a simulation from a checkpoint, if it belongs to the same run.
fn restore(built: &mut Built, checkpoint: Checkpoint, fingerprint: u128) -> Result<(), Fault> {
    let Checkpoint { state, memory, progress, program, .. } = checkpoint;
    if program.version != Program::this().version {
        return Err(Fault::Program { wrote: program });
    }
    let (time, steps, found) = (state.t, progress.steps, state.x.len() / 3);
    let simulation = &mut built.simulation;
    simulation.resume(state, &memory, progress).map_err(|error| match error {
        ResumeError::State(SimulationError::Count { found, expected }) => Fault::Nodes { found, expected },
        ResumeError::State(_) => Fault::Nodes { found, expected: simulation.model().nodes() },
        ResumeError::Memory { method } => Fault::Method { method },
    })?;
    if checkpoint.fingerprint != fingerprint {
        return Err(Fault::Scene);
    }
    let schedule = simulation.schedule();
    if steps > schedule.steps() || time != schedule.time(steps) {
        return Err(Fault::Beyond { time, duration: schedule.duration });
    }
    Ok(())
}
