//! A run in the formats of other programs: `pliant export`.
//!
//! A format is a file and a row of [`EXPORTS`]. Frames are read one at a time; what is written takes its name only when
//! it is whole.

mod body;
mod csv;
mod draft;
mod error;
mod gltf;
mod list;
mod obstacles;
mod pc2;
mod replay;
mod sequence;
mod shown;
mod skin;
mod source;
mod spool;
mod texture;
mod usda;
mod vtu;

#[cfg(test)]
mod tests;

pub use error::ExportError;
pub use replay::{Refreshed, Replay, Replayed};

use crate::output::RUN_FILE;
use crate::scene::Scene;
use draft::guard;
use list::Listed;
use obstacles::Prop;
use shown::Shown;
use source::{Moment, Source};
use std::path::{Path, PathBuf};

/// A format that runs are exported to.
#[derive(Debug)]
pub struct Export {
    /// Its name: `gltf`.
    pub name: &'static str,
    /// How its files end, without the dot.
    pub extension: &'static str,
    /// What it is, in a sentence.
    pub description: &'static str,
    /// Whether there is a file a frame, in a directory.
    pub file_a_frame: bool,
    /// Whether it shows what is simulated, tets and all, unless it is asked for the surface.
    pub whole: bool,
    /// Whether it can say lines: ropes.
    pub lines: bool,
    /// Whether it can say points without triangles and lines: particles of fluids.
    pub particles: bool,
    /// Whether coordinates are kept to the bit, not to single precision.
    pub exact: bool,
    /// Whether it can show obstacles as things of their own.
    pub obstacles: bool,
    write: fn(&mut Task) -> Result<(), ExportError>,
}

/// Every format.
pub const EXPORTS: &[Export] =
    &[vtu::EXPORT, sequence::OBJ, sequence::PLY, sequence::STL, gltf::EXPORT, usda::EXPORT, pc2::EXPORT, csv::EXPORT];

impl Export {
    /// The format of this name.
    pub fn find(name: &str) -> Option<&'static Export> {
        EXPORTS.iter().find(|export| export.name == name)
    }

    /// Where a run goes unless it is said: beside its directory, for what is put into that keeps it from being replaced.
    pub fn default_output(&self, directory: &Path) -> PathBuf {
        // A directory such as `.` has its name elsewhere.
        let named = match directory.file_name() {
            Some(_) => directory.to_path_buf(),
            None => directory.canonicalize().unwrap_or_else(|_| directory.to_path_buf()),
        };
        let mut name = named.file_name().unwrap_or("run".as_ref()).to_os_string();
        name.push(if self.file_a_frame { format!("-{}", self.extension) } else { format!(".{}", self.extension) });
        named.with_file_name(name)
    }
}

/// Which of two things a body that has a finer surface shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Show {
    /// The finer surface; other bodies show that of their tets.
    Surface,
    /// What is simulated.
    Tets,
}

/// Which frames, and what of them.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// What is shown; as the format has it if nothing is said.
    pub show: Option<Show>,
    /// Every how many frames, at least 1; all if nothing is said.
    pub every: Option<usize>,
    /// The first time [s].
    pub from: Option<f64>,
    /// The last time [s].
    pub until: Option<f64>,
    /// Whether to leave out what bodies meet.
    pub without_obstacles: bool,
}

/// What was written.
#[derive(Debug, Clone, PartialEq)]
pub struct Exported {
    /// The directory or the files.
    pub outputs: Vec<PathBuf>,
    /// How many frames.
    pub frames: usize,
    /// Nodes of a frame.
    pub nodes: usize,
    /// Tets, triangles and lines of a frame.
    pub elements: [usize; 3],
    /// How many of the nodes are particles.
    pub particles: usize,
    /// What is not as one might expect.
    pub notes: Vec<String>,
}

/// An export under way.
struct Task<'a> {
    export: &'static Export,
    source: &'a Source,
    shown: Shown,
    output: &'a Path,
    /// Every how many frames of the run.
    every: usize,
    /// How far apart particles are at rest [m], if the run still says so.
    spacing: Option<f64>,
    /// Frames a simulated second [1/s], if the run still says so.
    rate: Option<f64>,
    outputs: Vec<PathBuf>,
    notes: Vec<String>,
}

/// Of the usual time between frames: how much that between others may differ before it is said.
const UNEVEN: f64 = 1e-3;

impl Task<'_> {
    /// Says that frames are not evenly spaced, for formats without times.
    fn note_uneven(&mut self) {
        let times: Vec<f64> = self.source.times().collect();
        let steps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let Some(&usual) = steps.first() else { return };
        if steps.iter().any(|step| (step - usual).abs() > UNEVEN * usual) {
            let what = "frames are not evenly spaced, but this format has no times: it plays as if they were";
            self.notes.push(format!("{what}; [run] frames = \"interpolated\" spaces them evenly, but for the last"));
        }
    }

    /// Reads a frame and puts what is shown where it is.
    fn place(&mut self, frame: usize) -> Result<Moment, ExportError> {
        let moment = self.source.read(frame)?;
        self.shown.place(&moment, self.source.frames[frame].time);
        // Beyond it numbers, or their differences, are infinite: a body that has blown up may come to that.
        let huge = |x: &f64| x.abs() > f64::from(f32::MAX) / 2.0;
        if !self.export.exact && self.shown.mesh.points.as_flattened().iter().any(huge) {
            let Listed { path, time, .. } = self.source.frames[frame].clone();
            return Err(ExportError::Huge { path, time, format: self.export.name });
        }
        Ok(moment)
    }
}

/// Exports the run of a directory. On an error nothing is left of it.
pub fn export(
    directory: &Path,
    export: &'static Export,
    choice: &Choice,
    output: &Path,
) -> Result<Exported, ExportError> {
    guard(directory, export, output)?;
    let finer = match choice.show {
        Some(Show::Tets) => Some(false),
        Some(Show::Surface) => Some(true),
        None if export.whole => Some(false),
        None => None,
    };
    let source = Source::open(directory, finer, choice)?;
    let scene = scene_of(directory);
    let whole = export.whole && choice.show != Some(Show::Surface);
    let mut shown = if whole {
        Shown::whole(&source)
    } else {
        let most = if export.particles { usize::MAX } else { 0 };
        Shown::surface(&source, &names(scene.as_ref()), export.lines, most)
    };
    if shown.mesh.points.is_empty() {
        return Err(ExportError::Nothing { directory: directory.to_path_buf(), format: export.name });
    }
    let mut notes = Vec::new();
    if !source.particles.is_empty() && !export.particles {
        notes.push(format!("{} cannot hold points: the particles of fluids are left out", export.name));
    }
    if let Some(scene) = &scene {
        furnish(scene, &mut shown, export, (choice, whole), &mut notes);
    }
    let every = choice.every.unwrap_or(1).max(1);
    let spacing = scene.as_ref().and_then(|scene| Some(scene.fluids.first()?.liquid.spacing));
    let rate = scene.as_ref().map(|scene| scene.run.frame_rate);
    let mut task = Task { export, source: &source, shown, output, every, spacing, rate, outputs: Vec::new(), notes };
    (export.write)(&mut task)?;
    let Task { shown: Shown { mesh, particles, .. }, outputs, notes, .. } = task;
    let elements = [mesh.tets.len(), mesh.triangles.len(), mesh.edges.len()];
    let (frames, nodes, particles) = (source.frames.len(), mesh.points.len(), particles.len());
    Ok(Exported { outputs, frames, nodes, elements, particles, notes })
}

/// Lays pictures on bodies that have places for one, and adds the obstacles.
fn furnish(
    scene: &Scene,
    shown: &mut Shown,
    export: &Export,
    (choice, whole): (&Choice, bool),
    notes: &mut Vec<String>,
) {
    for b in 0..shown.bodies.len() {
        let found = scene.bodies.iter().find(|body| body.name == shown.bodies[b].name);
        let triangles: Vec<[u32; 3]> = shown.triangles_of(&shown.bodies[b]).map(|t| t.map(|i| i as u32)).collect();
        if let Some(texture) = found.and_then(|body| texture::of_body(body, &scene.directory, &triangles)) {
            shown.lay(b, texture);
        }
    }
    if choice.without_obstacles || scene.contacts.is_empty() {
        return;
    }
    if !export.obstacles {
        notes.push(format!("{} cannot keep things apart: obstacles are left out", export.name));
        return;
    }
    let (props, lost) = Prop::all(scene, shown.mesh.bounds().unwrap_or_default());
    if lost > 0 {
        notes.push(format!("{lost} obstacles are left out: their files cannot be read"));
    }
    let first = scene.bodies.len() + scene.rigids.len() + scene.fluids.len();
    shown.add(props, first as u32, whole);
}

/// What was run, if the run still says it.
fn scene_of(directory: &Path) -> Option<Scene> {
    Scene::load(&directory.join(RUN_FILE)).ok()
}

/// The names of the bodies, then of the rigid ones, then of the fluids, if they are known.
fn names(scene: Option<&Scene>) -> Vec<String> {
    let bodies = scene.into_iter().flat_map(|scene| scene.bodies.iter().map(|body| &body.name));
    let rigids = scene.into_iter().flat_map(|scene| scene.rigids.iter().map(|rigid| &rigid.name));
    let fluids = scene.into_iter().flat_map(|scene| scene.fluids.iter().map(|fluid| &fluid.name));
    bodies.chain(rigids).chain(fluids).cloned().collect()
}
