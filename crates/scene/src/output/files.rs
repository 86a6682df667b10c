//! Everything a run leaves in its directory, as one observer.

use super::checkpoint::{self, Marks};
use super::directory::{CHECKPOINT_FILE, Directory, MARK, SUMMARY_FILE};
use super::mark::{Mark, Written};
use super::{Frames, OutputError, Series, Surfaces, meshes};
use crate::disk::{RUN_FILE, replace, write_whole};
use crate::{Built, Scene};
use serde_json::Value;
use simulation::{Moment, Observer, ObserverError, Outcome, View, Warping};
use std::time::{Duration, Instant};

/// Frames that come faster than this share a checkpoint. Nothing is lost but time: whoever goes on computes the same
/// again. It is also the age at which a run is worth waiting for the disk, so that a checkpoint outlives a power cut.
const REST: Duration = Duration::from_secs(1);

/// The growing files of a run as far as its checkpoint counts on them.
pub(super) struct Grown {
    pub series: Written,
    pub list: Written,
    /// Of surface.pvd; empty where there is none.
    pub surface: Written,
    /// Frames written.
    pub frames: u64,
}

/// run.toml at once, then series.csv, frames and finer surfaces as the run goes, and a checkpoint of what is written.
pub struct Files {
    directory: Directory,
    series: Series,
    frames: Frames,
    surfaces: Option<Surfaces>,
    fingerprint: u128,
    /// Where the files ended before the moment that was written last.
    marks: Marks,
    /// What warping had cost by then: whoever goes on warps that moment again.
    warping: Warping,
    begun: Instant,
    kept: Instant,
}

impl Files {
    /// Begins the files of a run. run.toml is the first, because it marks the directory as a run's.
    pub fn new(directory: &Directory, scene: &Scene, built: &Built) -> Result<Files, OutputError> {
        write_run(directory, scene, built)?;
        meshes::keep(directory, &built.files)?;
        let series = Series::new(directory)?;
        let frames = Frames::new(directory, &built.mesh, |node| built.body_of_node(node as usize))?;
        let surface = built.surface.as_ref();
        let surfaces = surface.map(|surface| Surfaces::new(directory, surface)).transpose()?;
        Ok(Files::with(directory, scene, built, (series, frames, surfaces)))
    }

    /// Cuts the files of a run back to what was written until its checkpoint. The summary is the first to go: it is no longer true.
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
        let body = |node| built.body_of_node(node as usize);
        let frames = Frames::resume(directory, &built.mesh, body, grown.list.clone(), grown.frames)?;
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

    /// Where they are.
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// Number of frames written.
    pub fn frames(&self) -> u64 {
        self.frames.written()
    }

    /// The error of a run that ended with these files, which says how to go on if that is possible.
    pub fn stopped(&self, error: OutputError) -> OutputError {
        let directory = self.directory.path().to_path_buf();
        let kept = self.directory.join(CHECKPOINT_FILE).exists();
        if kept { OutputError::Stopped { directory, error: Box::new(error) } } else { error }
    }

    /// Writes summary.json, the last file of a run.
    pub fn write_summary(&self, summary: &Value) -> Result<(), OutputError> {
        write_whole(&self.directory.join(SUMMARY_FILE), format!("{summary:#}\n").as_bytes())
    }

    /// Writes the checkpoint; of a run of some age only when what it counts on is safe on the disk.
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
        // A step that a longer run makes otherwise is not kept, so that a finished run can be made longer; the one
        // before it is.
        let lasting = |step| moment.schedule.is_lasting(step);
        let due = moment.passes_frame && self.kept.elapsed() >= REST || moment.step == 0 || !lasting(moment.step + 1);
        if due && lasting(moment.step) {
            self.keep(moment)?;
        }
        Ok(())
    }

    /// Frames between two steps come before the marks of the later one: whoever goes on from it shows it again, but not what
    /// was before.
    fn between(&mut self, view: &View) -> Result<(), ObserverError> {
        self.frames.between(view)?;
        self.surfaces.as_mut().map_or(Ok(()), |surfaces| surfaces.between(view))
    }

    fn finish(&mut self, moment: &Moment, outcome: &Outcome) -> Result<(), ObserverError> {
        self.series.finish(moment, outcome)?;
        self.frames.finish(moment, outcome)?;
        self.surfaces.as_mut().map_or(Ok(()), |surfaces| surfaces.finish(moment, outcome))?;
        // What a method that panicked remembers is not to be trusted: the checkpoint before stays.
        let keep = moment.schedule.is_lasting(moment.step) && !outcome.ending.is_failure();
        if keep {
            self.keep(moment)?;
        }
        Ok(())
    }
}

/// Where the files end now.
fn marks(series: &Series, frames: &Frames, surfaces: &Option<Surfaces>) -> Marks {
    Marks {
        series: series.mark(),
        list: frames.mark(),
        surface: surfaces.as_ref().map_or_else(|| Mark::of(b""), Surfaces::mark),
        frames: frames.written(),
    }
}

/// run.toml: the scene as it is run, every default filled in.
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
