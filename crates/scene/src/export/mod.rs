//! Export of runs to the formats of other programs: `pliant export`.
//!
//! A format is a file and a row of [`EXPORTS`]. Frames are read one at a time; output gets its final name only when it
//! is whole.

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
    /// Ending of its files, without the dot.
    pub extension: &'static str,
    /// Description in a sentence.
    pub description: &'static str,
    /// True if it writes one file per frame, in a directory.
    pub file_per_frame: bool,
    /// True if it shows the simulated mesh with its tets, unless the surface is requested.
    pub whole: bool,
    /// True if it supports lines: ropes.
    pub lines: bool,
    /// True if it supports points without triangles and lines: particles of fluids.
    pub particles: bool,
    /// True if coordinates are kept bit for bit, not in single precision.
    pub exact: bool,
    /// True if it can show obstacles as separate objects.
    pub obstacles: bool,
    write: fn(&mut Task) -> Result<(), ExportError>,
}

/// All formats.
pub const EXPORTS: &[Export] =
    &[vtu::EXPORT, sequence::OBJ, sequence::PLY, sequence::STL, gltf::EXPORT, usda::EXPORT, pc2::EXPORT, csv::EXPORT];

impl Export {
    /// Returns the format of this name.
    pub fn find(name: &str) -> Option<&'static Export> {
        EXPORTS.iter().find(|export| export.name == name)
    }

    /// Returns the default output of a run: beside its directory, since a directory with other files in it cannot be
    /// replaced by a new run.
    pub fn default_output(&self, directory: &Path) -> PathBuf {
        // A directory such as `.` has its name elsewhere.
        let named = match directory.file_name() {
            Some(_) => directory.to_path_buf(),
            None => directory.canonicalize().unwrap_or_else(|_| directory.to_path_buf()),
        };
        let mut name = named.file_name().unwrap_or("run".as_ref()).to_os_string();
        name.push(if self.file_per_frame { format!("-{}", self.extension) } else { format!(".{}", self.extension) });
        named.with_file_name(name)
    }
}

/// The representation of a body that has a finer surface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Show {
    /// The finer surface; other bodies show that of their tets.
    Surface,
    /// The simulated mesh.
    Tets,
}

/// Selection of frames, and of what they show.
#[derive(Debug, Clone, Default)]
pub struct Choice {
    /// Shown representation; `None` for the default of the format.
    pub show: Option<Show>,
    /// Interval of exported frames, at least 1; all if `None`.
    pub every: Option<usize>,
    /// First time [s].
    pub from: Option<f64>,
    /// Last time [s].
    pub until: Option<f64>,
    /// True to leave out obstacles.
    pub without_obstacles: bool,
}

/// Result of an export.
#[derive(Debug, Clone, PartialEq)]
pub struct Exported {
    /// Directory or files.
    pub outputs: Vec<PathBuf>,
    /// Number of frames.
    pub frames: usize,
    /// Nodes per frame.
    pub nodes: usize,
    /// Tets, triangles and lines per frame.
    pub elements: [usize; 3],
    /// Number of nodes that are particles.
    pub particles: usize,
    /// Notes about unexpected properties.
    pub notes: Vec<String>,
}

/// An export in progress.
struct Task<'a> {
    export: &'static Export,
    source: &'a Source,
    shown: Shown,
    output: &'a Path,
    /// Interval of exported frames, in frames of the run.
    every: usize,
    /// Distance between particles at rest [m], if the run still states it.
    spacing: Option<f64>,
    /// Frames per simulated second [1/s], if the run still states it.
    rate: Option<f64>,
    outputs: Vec<PathBuf>,
    notes: Vec<String>,
}

/// Largest relative deviation of a time between frames from the usual one that is not noted.
const UNEVEN: f64 = 1e-3;

impl Task<'_> {
    /// Notes that frames are not evenly spaced, for formats without times.
    fn note_uneven(&mut self) {
        let times: Vec<f64> = self.source.times().collect();
        let steps: Vec<f64> = times.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let Some(&usual) = steps.first() else { return };
        if steps.iter().any(|step| (step - usual).abs() > UNEVEN * usual) {
            let what = "frames are not evenly spaced, but this format has no times: it plays as if they were";
            self.notes.push(format!("{what}; [run] frames = \"interpolated\" spaces them evenly, but for the last"));
        }
    }

    /// Reads a frame and moves the shown nodes to its positions.
    fn place(&mut self, frame: usize) -> Result<Moment, ExportError> {
        let moment = self.source.read(frame)?;
        self.shown.place(&moment, self.source.frames[frame].time);
        // Beyond it numbers, or their differences, are infinite: a body that has blown up may get there.
        let huge = |x: &f64| x.abs() > f64::from(f32::MAX) / 2.0;
        if !self.export.exact && self.shown.mesh.points.as_flattened().iter().any(huge) {
            let Listed { path, time, .. } = self.source.frames[frame].clone();
            return Err(ExportError::Huge { path, time, format: self.export.name });
        }
        Ok(moment)
    }
}

/// Exports the run of a directory. On an error no output is left.
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

/// Adds texture coordinates to bodies that have them, and adds the obstacles.
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
    let first = scene.bodies.len() + scene.fibres.len() + scene.fluids.len() + scene.rigids.len();
    shown.add(props, first as u32, whole);
}

/// Returns the scene of a run, if the run still has it.
fn scene_of(directory: &Path) -> Option<Scene> {
    Scene::load(&directory.join(RUN_FILE)).ok()
}

/// Returns the names of the bodies, fibres, fluids and rigid bodies, in the order of their numbers, if they are known.
fn names(scene: Option<&Scene>) -> Vec<String> {
    let bodies = scene.into_iter().flat_map(|scene| scene.bodies.iter().map(|body| &body.name));
    let rigids = scene.into_iter().flat_map(|scene| scene.rigids.iter().map(|rigid| &rigid.name));
    let fluids = scene.into_iter().flat_map(|scene| scene.fluids.iter().map(|fluid| &fluid.name));
    let fibres = scene.into_iter().flat_map(|scene| scene.fibres.iter().map(|fibres| &fibres.name));
    bodies.chain(fibres).chain(fluids).chain(rigids).cloned().collect()
}
