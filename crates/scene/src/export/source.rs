//! The frames of a run, read one at a time.

use super::list::{self, Listed};
use super::{Choice, ExportError};
use crate::files::{MeshFileError, read_bytes};
use crate::output::{FRAMES_FILE, SURFACE_FILE};
use formats::vtu::{Frame, read_frame};
use model::mesh::Mesh;
use numerics::mat3::Vec3;
use std::collections::BTreeSet;
use std::path::Path;

/// A run: the chosen frames, and the mesh that they all show. Points of finer surfaces come after the nodes.
pub(super) struct Source {
    /// Chosen frames, at least one.
    pub frames: Vec<Listed>,
    /// Mesh, with the points of the first frame [m].
    pub mesh: Mesh,
    /// Number of the body of each tet, triangle and edge, in this order, then of each particle.
    pub bodies: Vec<u32>,
    /// Points that are particles of fluids.
    pub particles: Vec<u32>,
    /// Thickness of the lines at each point [m], 0 where it is unknown; empty without fibres.
    pub thickness: Vec<f64>,
    /// Files that are read for a frame, as the first frame had them.
    tracks: Vec<Track>,
}

/// One state.
#[derive(Default)]
pub(super) struct Moment {
    /// Positions [m].
    pub points: Vec<Vec3>,
    /// Velocities [m/s]; empty if some file of the frame lacks them.
    pub velocities: Vec<Vec3>,
}

/// Files of one kind: of the simulated mesh, or of finer surfaces.
struct Track {
    files: Vec<Listed>,
    /// First chosen frame.
    first: Frame,
}

impl Source {
    /// Reads the first of the chosen frames. `finer` asks for finer surfaces; with `None` they are shown if there are
    /// any.
    pub fn open(directory: &Path, finer: Option<bool>, choice: &Choice) -> Result<Source, ExportError> {
        let Some(mut frames) = list::read(directory, FRAMES_FILE)? else {
            return Err(ExportError::NoRun { directory: directory.to_path_buf() });
        };
        let mut surfaces = if finer == Some(false) { None } else { list::read(directory, SURFACE_FILE)? };
        if finer == Some(true) && surfaces.is_none() {
            return Err(ExportError::NoSurface { directory: directory.to_path_buf() });
        }
        if let Some(surfaces) = &mut surfaces {
            // A run that was killed may have written a frame, but not its surface.
            let both = frames.len().min(surfaces.len());
            frames.truncate(both);
            surfaces.truncate(both);
            if let Some((_, other)) = frames.iter().zip(&*surfaces).find(|(a, b)| a.time != b.time) {
                return Err(ExportError::Other { path: other.path.clone(), what: "times" });
            }
        }
        let frames = chosen(frames, choice)?;
        let simulated = Track::open(frames.clone())?;
        let Some(surfaces) = surfaces else { return Source::of(frames, vec![simulated]) };
        let surface = Track::open(chosen(surfaces, choice)?)?;
        let shown: BTreeSet<u32> = surface.first.bodies.iter().copied().collect();
        // If all bodies have a finer surface, nothing else needs to be read.
        let all = simulated.first.bodies.iter().all(|body| shown.contains(body));
        let tracks = if all { vec![surface] } else { vec![simulated, surface] };
        Source::of(frames, tracks)
    }

    fn of(frames: Vec<Listed>, tracks: Vec<Track>) -> Result<Source, ExportError> {
        // Bodies that a later track shows are hidden in earlier ones.
        let hidden: BTreeSet<u32> = tracks[1..].iter().flat_map(|track| track.first.bodies.iter().copied()).collect();
        let (mut mesh, mut kinds, mut particles) = (Mesh::default(), [const { Vec::new() }; 4], Vec::new());
        let mut thickness = Vec::new();
        for (t, track) in tracks.iter().enumerate() {
            let Frame { mesh: part, bodies, .. } = &track.first;
            let base = mesh.points.len() as u32;
            mesh.points.extend_from_slice(&part.points);
            if !track.first.thickness.is_empty() {
                thickness.resize(base as usize, 0.0);
                thickness.extend_from_slice(&track.first.thickness);
            }
            let (tets, rest) = bodies.split_at(part.tets.len());
            let (triangles, rest) = rest.split_at(part.triangles.len());
            let (edges, loose) = rest.split_at(part.edges.len());
            let shown = |body: u32| t + 1 == tracks.len() || !hidden.contains(&body);
            add(&mut mesh.tets, &mut kinds[0], &part.tets, tets, base, shown);
            add(&mut mesh.triangles, &mut kinds[1], &part.triangles, triangles, base, shown);
            add(&mut mesh.edges, &mut kinds[2], &part.edges, edges, base, shown);
            if !loose.is_empty() {
                particles.extend(part.loose_points().iter().map(|point| point + base));
                kinds[3].extend_from_slice(loose);
            }
        }
        if !thickness.is_empty() {
            thickness.resize(mesh.points.len(), 0.0);
        }
        Ok(Source { frames, mesh, bodies: kinds.concat(), particles, thickness, tracks })
    }

    /// Reads a frame, by its index among the chosen ones; it must show the same mesh as the first.
    pub fn read(&self, frame: usize) -> Result<Moment, ExportError> {
        let mut moment = Moment::default();
        let mut nodes = 0;
        for track in &self.tracks {
            let path = &track.files[frame].path;
            let Frame { mesh, bodies, velocities, thickness: _ } = read(path)?;
            let first = &track.first;
            let what = match () {
                () if mesh.points.len() != first.mesh.points.len() => Some("points"),
                () if mesh.tets != first.mesh.tets => Some("tets"),
                () if mesh.triangles != first.mesh.triangles => Some("triangles"),
                () if mesh.edges != first.mesh.edges => Some("edges"),
                () if bodies != first.bodies => Some("bodies"),
                () => None,
            };
            if let Some(what) = what {
                return Err(ExportError::Other { path: path.clone(), what });
            }
            nodes += mesh.points.len();
            moment.points.extend(mesh.points);
            moment.velocities.extend(velocities);
        }
        if moment.velocities.len() != nodes {
            moment.velocities.clear();
        }
        Ok(moment)
    }

    /// Returns the times of the frames [s].
    pub fn times(&self) -> impl Iterator<Item = f64> {
        self.frames.iter().map(|frame| frame.time)
    }
}

impl Track {
    fn open(files: Vec<Listed>) -> Result<Track, ExportError> {
        let first = read(&files[0].path)?;
        Ok(Track { files, first })
    }
}

/// Adds the elements of shown bodies, after the points that are there.
fn add<const N: usize>(
    to: &mut Vec<[u32; N]>,
    to_bodies: &mut Vec<u32>,
    elements: &[[u32; N]],
    bodies: &[u32],
    base: u32,
    shown: impl Fn(u32) -> bool,
) {
    for (element, &body) in elements.iter().zip(bodies).filter(|(_, body)| shown(**body)) {
        to.push(element.map(|node| node + base));
        to_bodies.push(body);
    }
}

/// Reads a frame; one without bodies of its cells shows a single body.
fn read(path: &Path) -> Result<Frame, ExportError> {
    let bytes = read_bytes(path).map_err(ExportError::Frame)?;
    let mut frame = read_frame(&bytes).map_err(|error| {
        ExportError::Frame(MeshFileError::Format { path: path.to_path_buf(), error: error.into(), is_mendable: false })
    })?;
    let cells = frame.mesh.tets.len() + frame.mesh.triangles.len() + frame.mesh.edges.len();
    if frame.bodies.is_empty() {
        frame.bodies = vec![0; cells];
    }
    // Particles come after all other cells.
    if frame.bodies.len() != cells && frame.bodies.len() != cells + frame.mesh.loose_points().len() {
        return Err(ExportError::Other { path: path.to_path_buf(), what: "kinds of cells" });
    }
    Ok(frame)
}

/// Returns the requested frames.
fn chosen(mut frames: Vec<Listed>, choice: &Choice) -> Result<Vec<Listed>, ExportError> {
    let times = [frames[0].time, frames[frames.len() - 1].time];
    frames.retain(|frame| {
        choice.from.is_none_or(|from| frame.time >= from) && choice.until.is_none_or(|until| frame.time <= until)
    });
    let frames: Vec<Listed> = frames.into_iter().step_by(choice.every.unwrap_or(1).max(1)).collect();
    if frames.is_empty() { Err(ExportError::NoneChosen { times }) } else { Ok(frames) }
}
