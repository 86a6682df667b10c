//! The frames of a run for drawing, even while it is being written.

use super::shown::Shown;
use super::source::Source;
use super::{Choice, ExportError, names, scene_of};
use crate::output::FRAMES_FILE;
use model::mesh::Mesh;
use numerics::mat3::{Vec3, norm};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

/// A run that is read while it is written: its surface, the finer one where there is one.
pub struct Replay {
    directory: PathBuf,
    source: Source,
    shown: Shown,
    /// Length and modification time of the list of frames when it was read.
    seen: Option<(u64, SystemTime)>,
    /// Time at which the first frame was written: a resumed run leaves it alone, a new run writes it again.
    begun: Option<SystemTime>,
}

/// Change of the run in a directory since the last look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refreshed {
    /// The same run, possibly with more frames.
    Same,
    /// Another run with the same mesh has begun.
    Another,
    /// Another run with a different mesh has begun: its frames cannot be read here.
    Foreign,
}

/// A frame that was read back.
pub struct Replayed {
    /// Time [s].
    pub time: f64,
    /// Positions [m].
    pub points: Vec<Vec3>,
    /// Speeds [m/s]; `None` if the file does not have them.
    pub speeds: Option<Vec<f64>>,
}

impl Replay {
    /// Reads the first frame. At most `most_particles` particles are shown.
    pub fn open(directory: &Path, most_particles: usize) -> Result<Replay, ExportError> {
        // Marked before reading: later changes are found by the next look.
        let seen = mark(directory);
        let source = Source::open(directory, None, &Choice::default())?;
        let begun = begun(&source);
        let shown = Shown::surface(&source, &names(scene_of(directory).as_ref()), true, most_particles);
        if shown.mesh.points.is_empty() {
            return Err(ExportError::Nothing { directory: directory.to_path_buf(), format: "a page" });
        }
        Ok(Replay { directory: directory.to_path_buf(), source, shown, seen, begun })
    }

    /// Returns the drawn mesh: triangles, edges that are lines, and the points of the first frame.
    pub fn mesh(&self) -> &Mesh {
        &self.shown.mesh
    }

    /// Returns the number of points at the end that are particles, and the number of particles that each represents.
    pub fn particles(&self) -> (usize, usize) {
        (self.shown.particles.len(), self.shown.every)
    }

    /// Returns the mean thickness of the lines [m], 0 if some are not fibres.
    pub fn thickness(&self) -> f64 {
        let lines = self.shown.mesh.edges.as_flattened();
        let of = |&node: &u32| self.shown.thickness.get(node as usize).copied().filter(|thickness| *thickness > 0.0);
        let known: Option<Vec<f64>> = lines.iter().map(of).collect();
        known.filter(|known| !known.is_empty()).map_or(0.0, |known| known.iter().sum::<f64>() / known.len() as f64)
    }

    /// Returns the number of frames.
    pub fn len(&self) -> usize {
        self.source.frames.len()
    }

    /// Returns false: a run without frames is an error.
    pub fn is_empty(&self) -> bool {
        self.source.frames.is_empty()
    }

    /// Looks for new frames, and checks that they belong to the same run.
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
