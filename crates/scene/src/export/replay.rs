//! The frames of a run as they are drawn, also while more are written.

use super::shown::Shown;
use super::source::Source;
use super::{Choice, ExportError, names, scene_of};
use crate::output::FRAMES_FILE;
use model::mesh::Mesh;
use numerics::mat3::{Vec3, norm};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A run that is read as it is written: the surface of what it shows, finer where it has one.
pub struct Replay {
    directory: PathBuf,
    source: Source,
    shown: Shown,
    /// Length and time of the list of frames as it was read.
    seen: Option<(u64, SystemTime)>,
    /// When the first frame was written: a run that is resumed leaves it alone, another writes it anew.
    begun: Option<SystemTime>,
}

/// What became of the run in a directory since it was last looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refreshed {
    /// It is the same run; there may be more frames.
    Same,
    /// Another run has begun, which shows the same mesh.
    Another,
    /// Another run has begun, which shows something else: nothing of it can be read here.
    Foreign,
}

/// A frame that was read back.
pub struct Replayed {
    /// Time [s].
    pub time: f64,
    /// Positions [m].
    pub points: Vec<Vec3>,
    /// Speeds [m/s]; `None` if the file does not say them.
    pub speeds: Option<Vec<f64>>,
}

impl Replay {
    /// Looks at the first frame. Of particles at most so many are shown.
    pub fn open(directory: &Path, most_particles: usize) -> Result<Replay, ExportError> {
        // Looked at before it is read: what is written in between is seen the next time.
        let seen = mark(directory);
        let source = Source::open(directory, None, &Choice::default())?;
        let begun = begun(&source);
        let shown = Shown::surface(&source, &names(scene_of(directory).as_ref()), true, most_particles);
        if shown.mesh.points.is_empty() {
            return Err(ExportError::Nothing { directory: directory.to_path_buf(), format: "a page" });
        }
        Ok(Replay { directory: directory.to_path_buf(), source, shown, seen, begun })
    }

    /// What is drawn: triangles, edges that are lines, and the points of the first frame.
    pub fn mesh(&self) -> &Mesh {
        &self.shown.mesh
    }

    /// How many of the points, the last ones, are particles, and for how many each stands.
    pub fn particles(&self) -> (usize, usize) {
        (self.shown.particles.len(), self.shown.every)
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        self.source.frames.len()
    }

    /// Never: a run without frames is an error.
    pub fn is_empty(&self) -> bool {
        self.source.frames.is_empty()
    }

    /// Looks for new frames, and whether they are still of the same run.
    pub fn refresh(&mut self) -> Result<Refreshed, ExportError> {
        let seen = mark(&self.directory);
        if seen == self.seen && begun(&self.source) == self.begun {
            return Ok(Refreshed::Same);
        }
        let source = Source::open(&self.directory, None, &Choice::default())?;
        let (old, new) = (&self.source.mesh, &source.mesh);
        let same = old.points == new.points
            && old.tets == new.tets
            && old.triangles == new.triangles
            && old.edges == new.edges;
        if !same {
            return Ok(Refreshed::Foreign);
        }
        let begun = begun(&source);
        let refreshed = if begun == self.begun { Refreshed::Same } else { Refreshed::Another };
        (self.source, self.seen, self.begun) = (source, seen, begun);
        Ok(refreshed)
    }

    /// Reads a frame.
    pub fn read(&mut self, frame: usize) -> Result<Replayed, ExportError> {
        let moment = self.source.read(frame)?;
        let time = self.source.frames[frame].time;
        self.shown.place(&moment, time);
        let speeds = self.shown.velocities(&moment, time).map(|all| all.map(norm).collect());
        Ok(Replayed { time, points: self.shown.mesh.points.clone(), speeds })
    }
}

fn begun(source: &Source) -> Option<SystemTime> {
    std::fs::metadata(&source.frames.first()?.path).ok()?.modified().ok()
}

fn mark(directory: &Path) -> Option<(u64, SystemTime)> {
    let facts = std::fs::metadata(directory.join(FRAMES_FILE)).ok()?;
    Some((facts.len(), facts.modified().ok()?))
}
