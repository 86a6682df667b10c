//! Meshes of bodies: made or read, and placed.

use crate::body::{Body, Fill, Shape};
use crate::files::{MeshFile, MeshFileError, fill_file};
use crate::scene::Span;
use crate::solid::{Made, SolidError};
use crate::turn::Turn;
use crate::write::given_path;
use geometry::cloth_springs;
use geometry::doctor::{renumber, triangles_of_tets};
use model::mesh::{Mesh, MeshError, ParameterError};
use numerics::mat3::rotation;
use std::fmt;
use std::path::Path;

/// Reason why a body has no mesh.
pub(super) enum ShapeError {
    /// The mesh cannot be made or simulated.
    Mesh(MeshError),
    /// The file cannot be used.
    File(MeshFileError),
    /// The parts form no body.
    Solid(SolidError),
    /// The file has another checksum than the scene gives.
    Checksum { path: String, expected: String, found: String },
    /// The fine surface cannot be tied to the tets.
    Surface,
}

impl fmt::Display for ShapeError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            ShapeError::Mesh(error) => error.fmt(f),
            ShapeError::File(error) => error.fmt(f),
            ShapeError::Solid(error) => error.fmt(f),
            ShapeError::Checksum { path, expected, found } if expected.len() != found.len() => write!(
                f,
                "{path}: its checksum is {found}; {expected} has another length and may be of an earlier pliant, which summed \
                 otherwise: if the file is the right one, put in the new checksum or remove it"
            ),
            ShapeError::Checksum { path, expected, found } => write!(
                f,
                "{path}: is not the file that the scene means: its checksum is {found}, not {expected}; put the file \
                 back, or remove `checksum`"
            ),
            ShapeError::Surface => {
                f.write_str("its finer surface cannot follow its tets; use a smaller `scale`, or remove `surface`")
            }
        }
    }
}

impl ShapeError {
    /// Returns the span in the scene of the part that the error is about.
    pub fn span(&self) -> Option<Span> {
        match self {
            ShapeError::Solid(error @ SolidError::Part { .. }) => Some(Span::clone(&error.at())),
            _ => None,
        }
    }

    /// Returns the parameter of the shape that the error is about.
    pub fn culprit(&self) -> Option<&'static str> {
        match self {
            ShapeError::Mesh(MeshError::Parameter(ParameterError::Value { parameter, .. })) => Some(parameter),
            ShapeError::Mesh(_) => None,
            ShapeError::File(MeshFileError::SurfaceUnfilled { .. } | MeshFileError::NoSurfaceGiven { .. }) => {
                Some("surface")
            }
            ShapeError::File(_) => Some("path"),
            ShapeError::Surface => Some("surface"),
            ShapeError::Solid(_) => None,
            ShapeError::Checksum { .. } => Some("checksum"),
        }
    }
}

/// Makes the placed mesh of a body and its finer surface. A file that was read is added to `files`, if it is not there.
pub(super) fn made(
    body: &Body,
    directory: &Path,
    files: &mut Vec<MeshFile>,
    progress: &dyn Fn(f64),
) -> Result<Made, ShapeError> {
    let mut made = match &body.shape {
        Shape::Generated { generator, parameters } => {
            let mesh = generator.mesh(parameters).map_err(ShapeError::Mesh)?;
            Made { mesh, spacing: None, surface: None }
        }
        Shape::File { path, checksum, fill } => {
            from_file(&directory.join(path), checksum.as_deref(), fill, files, progress)?
        }
        Shape::Given(mesh) => of_given(mesh, &directory.join(given_path(&body.name)), files)?,
        Shape::Parts(solid) => solid.make(&beside_a_scene, progress).map_err(ShapeError::Solid)?,
    };
    let (axis, angle) = Turn::radians(body.rotation);
    let placed = [Some(&mut made.mesh), made.surface.as_mut()];
    for mesh in placed.into_iter().flatten() {
        mesh.transform(&rotation(axis, angle), body.position, body.scale);
    }
    made.spacing = made.spacing.map(|spacing| spacing * body.scale);
    made.mesh.validate().map_err(ShapeError::Mesh)?;
    Ok(made)
}

/// Refuses surface files of parts in a scene: only shape files have them, since a run keeps those with the files beside
/// them.
fn beside_a_scene(name: &str) -> Result<Mesh, String> {
    Err(format!("the surface {name} can be a part of a shape file only; put the parts into one, and name it as `path`"))
}

fn from_file(
    path: &Path,
    checksum: Option<&str>,
    fill: &Fill,
    files: &mut Vec<MeshFile>,
    progress: &dyn Fn(f64),
) -> Result<Made, ShapeError> {
    let (mut made, file) = fill_file(path, fill, progress).map_err(ShapeError::File)?;
    expect_checksum(path, checksum, &file)?;
    made.mesh = simulated(made.mesh);
    let at = || path.to_path_buf();
    made.mesh.validate().map_err(|error| {
        let fix = match &error {
            MeshError::RepeatedNode { .. } => "degenerate",
            MeshError::TetVolume { volume, .. } if *volume < 0.0 => "orientation",
            MeshError::TetVolume { .. } | MeshError::FlatTriangle { .. } => "flat",
            _ => "all",
        };
        ShapeError::File(MeshFileError::Unusable { path: at(), error: Box::new(error), fix })
    })?;
    used_up(&made.mesh, path)?;
    if !files.iter().any(|known| known.path == path) {
        files.push(file);
    }
    Ok(made)
}

/// Refuses a mesh without elements, or with nodes that no element has.
fn used_up(mesh: &Mesh, path: &Path) -> Result<(), ShapeError> {
    let (used, path) = (renumber::used_nodes(mesh), path.to_path_buf());
    if !used.contains(&true) {
        return Err(ShapeError::File(MeshFileError::NoElements { path }));
    }
    match used.iter().position(|used| !used) {
        Some(node) => {
            let count = used.iter().filter(|used| !**used).count();
            Err(ShapeError::File(MeshFileError::UnusedNodes { path, node, count }))
        }
        None => Ok(()),
    }
}

/// Returns a mesh in memory as if read from the file that a run keeps it in.
fn of_given(mesh: &Mesh, path: &Path, files: &mut Vec<MeshFile>) -> Result<Made, ShapeError> {
    // Validated as given: indices out of range could not be written.
    mesh.validate().map_err(ShapeError::Mesh)?;
    let file = MeshFile::of_mesh(path, mesh).map_err(ShapeError::File)?;
    let mesh = simulated(mesh.clone());
    mesh.validate().map_err(ShapeError::Mesh)?;
    used_up(&mesh, path)?;
    if !files.iter().any(|known| known.path == path) {
        files.push(file);
    }
    Ok(Made { mesh, spacing: None, surface: None })
}

/// Refuses a file whose checksum is not the expected one.
pub(super) fn expect_checksum(path: &Path, expected: Option<&str>, file: &MeshFile) -> Result<(), ShapeError> {
    let found = file.checksum();
    match expected.filter(|expected| **expected != found) {
        Some(expected) => {
            Err(ShapeError::Checksum { path: path.display().to_string(), expected: expected.to_string(), found })
        }
        None => Ok(()),
    }
}

/// Returns the part of a file's mesh that is simulated. Tets come first: their faces and edges, which files name to
/// mark boundaries, are neither cloth nor springs, and groups of them become groups of nodes. Triangles alone are
/// cloth, edges alone a net of springs.
fn simulated(mut mesh: Mesh) -> Mesh {
    renumber::name_corners(&mut mesh);
    if !mesh.tets.is_empty() {
        let is_face = triangles_of_tets(&mesh);
        renumber::retain_triangles(&mut mesh, |e, _| !is_face[e]);
        mesh.edges.clear();
    } else if !mesh.triangles.is_empty() {
        let (edges, bends) = cloth_springs(&mesh.triangles);
        mesh.edges.extend(edges);
        mesh.edges.iter_mut().for_each(|pair| pair.sort_unstable());
        mesh.edges.sort_unstable();
        mesh.edges.dedup();
        mesh.bends = bends;
    }
    mesh
}
