//! Everything a run leaves in its directory, as one observer.

use super::directory::{Directory, MARK, RUN_FILE, SUMMARY_FILE, write_whole};
use super::{Frames, OutputError, Series};
use crate::run::{Moment, Observer, Outcome};
use crate::{Scene, Simulation};
use serde_json::Value;

/// run.toml at once, then series.csv and frames as the run goes.
pub struct Files {
    directory: Directory,
    series: Series,
    frames: Frames,
}

impl Files {
    /// Begins the files of a run. run.toml is the first, because it marks the directory as a run's.
    pub fn new(directory: &Directory, scene: &Scene, simulation: &Simulation) -> Result<Files, OutputError> {
        let text = format!(
            "{MARK}{}\n# The scene as it was run, every default filled in. Run it again: pliant run {RUN_FILE}\n\n{}",
            env!("CARGO_PKG_VERSION"),
            scene.to_toml()
        );
        write_whole(&directory.join(RUN_FILE), text.as_bytes())?;
        let series = Series::new(directory)?;
        let frames = Frames::new(directory, &simulation.mesh, |node| simulation.body_of_node(node as usize))?;
        Ok(Files { directory: directory.clone(), series, frames })
    }

    /// Where they are.
    pub fn directory(&self) -> &Directory {
        &self.directory
    }

    /// Number of frames written.
    pub fn frames(&self) -> u64 {
        self.frames.written()
    }

    /// Writes summary.json, the last file of a run.
    pub fn write_summary(&self, summary: &Value) -> Result<(), OutputError> {
        write_whole(&self.directory.join(SUMMARY_FILE), format!("{summary:#}\n").as_bytes())
    }
}

impl Observer for Files {
    fn observe(&mut self, moment: &Moment) -> Result<(), OutputError> {
        self.series.observe(moment)?;
        self.frames.observe(moment)
    }

    fn finish(&mut self, moment: &Moment, outcome: &Outcome) -> Result<(), OutputError> {
        self.series.finish(moment, outcome)?;
        self.frames.finish(moment, outcome)
    }
}
