//! A run that stands still in its directory, to be taken up.

use super::checkpoint::{self, Checkpoint, Marks, fingerprint};
use super::directory::{CHECKPOINT_FILE, Directory, FRAMES_FILE, RUN_FILE, SERIES_FILE, SUMMARY_FILE, SURFACE_FILE};
use super::fault::Fault;
use super::mark::Mark;
use super::{Files, OutputError};
use crate::{Overrides, Problems, Scene, Simulation};
use serde_json::Value;
use std::path::Path;

/// A run that was interrupted, or has ended. Looking at it changes nothing.
pub struct Paused {
    /// What is run: run.toml.
    pub scene: Scene,
    /// Where it stands.
    pub simulation: Simulation,
    /// What it said when it was done; nothing if it has not come to the end of its duration.
    pub done: Option<Value>,
    directory: Directory,
    marks: Marks,
}

impl Paused {
    /// Reads run.toml and checkpoint.bin, and checks that they and the files that go on belong together. Another
    /// `duration` [s] than that of run.toml may be asked for; the run is then the one that had it from the beginning.
    pub fn open(path: &Path, duration: Option<f64>) -> Result<Paused, Problems> {
        let directory = Directory::of_run(path);
        let refuse = |fault: Fault| fault.in_directory(path);
        if !directory.join(RUN_FILE).exists() {
            return Err(refuse(Fault::NoRun));
        }
        let scene = Scene::load_with(&directory.join(RUN_FILE), &Overrides { duration, ..Overrides::default() })?;
        let checkpoint = checkpoint::read(&directory.join(CHECKPOINT_FILE)).map_err(refuse)?;
        let mut simulation = scene.build()?;
        let marks = checkpoint.marks;
        let fingerprint = fingerprint(&scene, &simulation);
        place(&mut simulation, checkpoint, fingerprint).map_err(refuse)?;
        for (mark, file) in [(marks.series, SERIES_FILE), (marks.list, FRAMES_FILE), (marks.surface, SURFACE_FILE)] {
            // A file that cannot be read is not what was written either.
            if mark != Mark::EMPTY && !mark.holds(&directory.join(file)).unwrap_or(false) {
                return Err(refuse(Fault::Changed { file }));
            }
        }
        let said = std::fs::read(directory.join(SUMMARY_FILE)).ok();
        let said: Option<Value> = said.and_then(|text| serde_json::from_slice(&text).ok());
        let done = said.filter(|said| {
            said["outcome"] == "done" && said["duration"].as_f64() == Some(simulation.schedule.duration)
        });
        Ok(Paused { scene, simulation, done, directory, marks })
    }

    /// Cuts the files back to the checkpoint, ready to go on.
    pub fn files(&self) -> Result<Files, OutputError> {
        Files::resume(&self.directory, &self.scene, &self.simulation, &self.marks)
    }
}

/// Puts a simulation where a checkpoint says, if it is of the same run.
fn place(simulation: &mut Simulation, checkpoint: Checkpoint, fingerprint: u64) -> Result<(), Fault> {
    let Checkpoint { state, memory, progress, .. } = checkpoint;
    let (found, expected) = (state.x.len(), simulation.state.x.len());
    if found != expected || state.v.len() != found || state.turns.len() != simulation.state.turns.len() {
        return Err(Fault::Nodes { found: found / 3, expected: expected / 3 });
    }
    if !memory.iter().all(|number| number.is_finite()) || !simulation.stepper.recall(&memory) {
        return Err(Fault::Method { method: simulation.method.name });
    }
    if checkpoint.fingerprint != fingerprint {
        return Err(Fault::Scene);
    }
    let schedule = &simulation.schedule;
    if progress.steps > schedule.steps() || state.t != schedule.time(progress.steps) {
        return Err(Fault::Beyond { time: state.t, duration: schedule.duration });
    }
    (simulation.state, simulation.progress) = (state, Some(progress));
    Ok(())
}
