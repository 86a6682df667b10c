//! All files of a run in its directory, as one observer.

use super::checkpoint::{self, Marks};
use super::directory::{CHECKPOINT_FILE, Directory, MARK, SUMMARY_FILE};
use super::mark::{Mark, Written};
use super::{Frames, OutputError, Series, Surfaces, meshes};
use crate::disk::{RUN_FILE, replace, write_whole};
use crate::{Built, Scene};
use serde_json::Value;
use simulation::{Moment, Observer, ObserverError, Outcome, View, Warping};
use std::time::{Duration, Instant};

/// Shortest time between checkpoints: frames that come faster share one. Only time is lost, since a resumed run
/// computes the same steps again. It is also the age at which a run begins to wait for the disk, so that a checkpoint
/// survives a power cut.
const REST: Duration = Duration::from_secs(1);

/// Growing files of a run, up to its checkpoint.
pub(super) struct Grown {
    pub series: Written,
    pub list: Written,
    /// surface.pvd; empty if there is none.
    pub surface: Written,
    /// Frames written.
    pub frames: u64,
}

/// Writes run.toml at once, then series.csv, frames and finer surfaces during the run, and checkpoints.
pub struct Files {
    directory: Directory,
    series: Series,
    frames: Frames,
    surfaces: Option<Surfaces>,
    fingerprint: u128,
    /// Ends of the files before the last moment was written.
    marks: Marks,
    /// Cost of warping before the last moment: a resumed run warps that moment again.
    warping: Warping,
    begun: Instant,
    kept: Instant,
}

impl Files {
    /// Begins the files of a run. run.toml is the first, because it marks the directory.
    pub fn new(directory: &Directory, scene: &Scene, built: &Built) -> Result<Files, OutputError> {
        write_run(directory, scene, built)?;
        meshes::keep(directory, &built.files)?;
        let series = Series::new(directory)?;
        let frames = Frames::new(directory, &built.ground)?;
        let surface = built.surface.as_ref();
        let surfaces = surface.map(|surface| Surfaces::new(directory, surface)).transpose()?;
        Ok(Files::with(directory, scene, built, (series, frames, surfaces)))
    }

    /// Cuts the files of a run back to its checkpoint. The summary is removed first: it is no longer true.
    pub(super) fn resume(
        directory: &Directory,
        scene: &Scene,
        built: &Built,
        grown: &Grown,
    ) -> Result<Files, OutputError> {
        directory.remove(SUMMARY_FILE)?;
        directory.remove_partial()?;
        write_run(directory, scene, built)?;
        let series = Series::resume(directory, grown.series.clone())?;
        let frames = Frames::resume(directory, &built.ground, grown.list.clone(), grown.frames)?;
        let surface = built.surface.as_ref();
        let surfaces = surface
            .map(|surface| Surfaces::resume(directory, surface, grown.surface.clone(), grown.frames))
            .transpose()?;
        Ok(Files::with(directory, scene, built, (series, frames, surfaces)))
    }

    fn with(
        directory: &Directory,
        scene: &Scene,
        built: &Built,
        (series, frames, surfaces): (Series, Frames, Option<Surfaces>),
    ) -> Files {
        let marks = marks(&series, &frames, &surfaces);
        let (directory, now) = (directory.clone(), Instant::now());
        let fingerprint = checkpoint::fingerprint(scene, built);
        let warping = Warping::default();
        Files { directory, series, frames, surfaces, fingerprint, marks, warping, begun: now, kept: now }
    }

    /// Returns the directory of the files.
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// Returns the number of frames written.
    pub fn frames(&self) -> u64 {
        self.frames.written()
    }

    /// Returns the error of a run that ended with these files; it says how to resume if that is possible.
    pub fn stopped(&self, error: OutputError) -> OutputError {
        let directory = self.directory.path().to_path_buf();
        let kept = self.directory.join(CHECKPOINT_FILE).exists();
        if kept { OutputError::Stopped { directory, error: Box::new(error) } } else { error }
    }

    /// Writes summary.json, the last file of a run.
    pub fn write_summary(&self, summary: &Value) -> Result<(), OutputError> {
        write_whole(&self.directory.join(SUMMARY_FILE), format!("{summary:#}\n").as_bytes())
    }

    /// Writes the checkpoint; for a run of some age only after the files it depends on are on the disk.
    fn keep(&mut self, moment: &Moment) -> Result<(), OutputError> {
        let sync = self.begun.elapsed() >= REST;
        if sync {
            self.series.sync()?;
            self.frames.sync()?;
            self.surfaces.as_mut().map_or(Ok(()), Surfaces::sync)?;
        }
        let bytes = checkpoint::encode(self.fingerprint, moment, &self.marks, self.warping);
        replace(&self.directory.join(CHECKPOINT_FILE), &bytes, sync)?;
        self.kept = Instant::now();
        Ok(())
    }
}

impl Observer for Files {
    fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError> {
        self.marks = marks(&self.series, &self.frames, &self.surfaces);
        self.warping = moment.warping();
        self.series.observe(moment)?;
        self.frames.observe(moment)?;
        self.surfaces.as_mut().map_or(Ok(()), |surfaces| surfaces.observe(moment))?;
        // A step that a longer run takes differently is not kept, so that a finished run can be made longer; the one
        // before it is kept.
        let lasting = |step| moment.schedule.is_lasting(step);
        let due = moment.passes_frame && self.kept.elapsed() >= REST || moment.step == 0 || !lasting(moment.step + 1);
        if due && lasting(moment.step) {
            self.keep(moment)?;
        }
        Ok(())
    }

    /// Writes frames between two steps before the marks of the later step: a run resumed there shows that step again,
    /// but not these frames.
    fn between(&mut self, view: &View) -> Result<(), ObserverError> {
        self.frames.between(view)?;
        self.surfaces.as_mut().map_or(Ok(()), |surfaces| surfaces.between(view))
    }

    fn finish(&mut self, moment: &Moment, outcome: &Outcome) -> Result<(), ObserverError> {
        self.series.finish(moment, outcome)?;
        self.frames.finish(moment, outcome)?;
        self.surfaces.as_mut().map_or(Ok(()), |surfaces| surfaces.finish(moment, outcome))?;
        // The memory of a method that panicked cannot be trusted: the previous checkpoint stays.
        let keep = moment.schedule.is_lasting(moment.step) && !outcome.ending.is_failure();
        if keep {
            self.keep(moment)?;
        }
        Ok(())
    }
}

/// Returns the current ends of the files.
fn marks(series: &Series, frames: &Frames, surfaces: &Option<Surfaces>) -> Marks {
    Marks {
        series: series.mark(),
        list: frames.mark(),
        surface: surfaces.as_ref().map_or_else(|| Mark::of(b""), Surfaces::mark),
        frames: frames.written(),
    }
}

/// Returns run.toml: the scene of the run, every default filled in.
pub fn run_text(scene: &Scene, built: &Built) -> String {
    format!(
        "{MARK}{}\n# The scene as it was run, every default filled in. Run it again from here:\n# pliant run {RUN_FILE} -o ../again\n\n{}",
        env!("CARGO_PKG_VERSION"),
        meshes::run_toml(scene, &built.files)
    )
}

fn write_run(directory: &Directory, scene: &Scene, built: &Built) -> Result<(), OutputError> {
    write_whole(&directory.join(RUN_FILE), run_text(scene, built).as_bytes())
}
