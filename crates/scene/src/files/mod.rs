//! Mesh files: read with the files beside them; written whole or not at all.

mod error;
mod loss;

pub use crate::disk::read_regular;
pub use error::MeshFileError;
pub use loss::{Loss, reduce};

use crate::body::{Detail, Fill};
use crate::disk::{Checksum, open_regular, write_whole};
use crate::problem::{Found, Problems, Source};
use crate::solid::{GRADING, Made, Solid, fill_surface};
use formats::{Doubt, Encoding, Format, FormatError, Input, Writer};
use model::mesh::Mesh;
use std::cell::RefCell;
use std::io::{self, ErrorKind, Read};
use std::path::{Component, Path, PathBuf};

/// Largest mesh file [bytes]; it is read into memory.
const MOST_BYTES: u64 = 8 << 30;

/// A mesh file as it was read.
#[derive(Debug, Clone)]
pub struct MeshFile {
    /// Path of the file.
    pub path: PathBuf,
    /// The file and those beside it that its reader asked for, by name, the file itself first.
    pub parts: Vec<(String, Vec<u8>)>,
}

impl MeshFile {
    /// Returns the file of a mesh, in the format of the ending of its name.
    pub(crate) fn of_mesh(path: &Path, mesh: &Mesh) -> Result<MeshFile, MeshFileError> {
        let (format, files) = writers(path)?;
        let mesh = reduce(mesh, format).0;
        let part = |(path, write): &(PathBuf, Writer)| (file_name(path), write(mesh.as_ref(), Encoding::Binary));
        Ok(MeshFile { path: path.to_path_buf(), parts: files.iter().map(part).collect() })
    }

    /// Returns a checksum of everything that was read, in the form that scenes use.
    pub fn checksum(&self) -> String {
        let sum = self.parts.iter().fold(Checksum::new(), |sum, (name, bytes)| {
            sum.with(name.as_bytes()).with(&(bytes.len() as u64).to_le_bytes()).with(bytes)
        });
        format!("{:032x}", sum.sum())
    }
}

/// Reads a mesh file; the ending of its name determines the format.
pub fn read_mesh(path: &Path) -> Result<Mesh, MeshFileError> {
    read_file(path).map(|(mesh, _)| mesh)
}

/// Reads a mesh file for a doctor: problems are tolerated where possible, see [`formats::read_leniently`].
pub fn read_sick_mesh(path: &Path) -> Result<(Mesh, Vec<Doubt>), MeshFileError> {
    read_with(path, formats::read_leniently).map(|(read, _)| read)
}

/// Reads a mesh file and keeps its bytes.
pub fn read_file(path: &Path) -> Result<(Mesh, MeshFile), MeshFileError> {
    read_with(path, formats::read).map_err(|error| match error {
        MeshFileError::Format { path, error, .. } => {
            let is_mendable = read_sick_mesh(&path).is_ok();
            MeshFileError::Format { path, error, is_mendable }
        }
        other => other,
    })
}

fn read_with<T>(path: &Path, read: impl Fn(&Input) -> Result<T, FormatError>) -> Result<(T, MeshFile), MeshFileError> {
    let name = file_name(path);
    let of_format =
        |error| MeshFileError::Format { path: path.to_path_buf(), error: Box::new(error), is_mendable: false };
    Format::of(&name).map_err(of_format)?;
    let bytes = read_bytes(path)?;
    let fetched = RefCell::new(Vec::new());
    let beside = |name: &str| {
        let bytes = fetch(path, name)?;
        fetched.borrow_mut().push((name.to_string(), bytes.clone()));
        Ok(bytes)
    };
    let mesh = read(&Input { name: &name, bytes: &bytes, beside: &beside }).map_err(of_format)?;
    let mut parts = vec![(name, bytes)];
    parts.extend(fetched.into_inner());
    Ok((mesh, MeshFile { path: path.to_path_buf(), parts }))
}

/// Contents of a shape file.
pub struct ShapeFile {
    /// The body.
    pub solid: Solid,
    path: PathBuf,
    text: String,
}

/// Reads a shape file.
pub fn read_shape(path: &Path) -> Result<ShapeFile, MeshFileError> {
    let text = read_text(path)?;
    let solid = Solid::parse(&path.display().to_string(), &text).map_err(MeshFileError::Shape)?;
    Ok(ShapeFile { solid, path: path.to_path_buf(), text })
}

impl ShapeFile {
    /// Makes the body; returns also the files it was made from.
    pub fn make(&self, progress: &dyn Fn(f64)) -> Result<(Made, MeshFile), MeshFileError> {
        let fetched = RefCell::new(Vec::new());
        let surface = |name: &str| -> Result<Mesh, String> {
            let bytes = fetch(&self.path, name).map_err(|reason| {
                format!("the file '{name}' cannot be read ({reason}); put it beside this one and give its bare name")
            })?;
            let alone = |_: &str| Err("a surface must be a single file".to_string());
            let mesh = formats::read(&Input { name, bytes: &bytes, beside: &alone });
            fetched.borrow_mut().push((name.to_string(), bytes));
            mesh.map_err(|error| format!("{name}: {error}"))
        };
        let made = self.solid.make(&surface, progress).map_err(|error| {
            let source = Source::new(&self.path.display().to_string(), &self.text);
            let mut found = Found::new(&source);
            found.add(&error.at(), error.to_string());
            MeshFileError::Shape(found.into_problems())
        })?;
        let mut parts = vec![(file_name(&self.path), self.text.clone().into_bytes())];
        parts.extend(fetched.into_inner());
        Ok((made, MeshFile { path: self.path.clone(), parts }))
    }
}

/// Returns the mesh of a file as it is, or, for a shape or surface to be filled, the mesh that fills it.
pub fn fill_file(path: &Path, fill: &Fill, progress: &dyn Fn(f64)) -> Result<(Made, MeshFile), MeshFileError> {
    if path.extension().is_some_and(|ending| ending == "toml") {
        let mut shape = read_shape(path)?;
        let solid = &mut shape.solid;
        solid.vertices = fill.vertices.unwrap_or(solid.vertices);
        solid.grading = fill.grading.unwrap_or(solid.grading);
        solid.surface = match fill.surface {
            Some(Detail::Given) => return Err(MeshFileError::NoSurfaceGiven { path: path.to_path_buf() }),
            Some(Detail::Vertices(vertices)) => Some(vertices),
            None => solid.surface,
        };
        return shape.make(progress);
    }
    let (mesh, file) = read_file(path)?;
    let Some(vertices) = fill.vertices else {
        return match fill.surface {
            Some(_) => {
                Err(MeshFileError::SurfaceUnfilled { path: path.to_path_buf(), has_tets: !mesh.tets.is_empty() })
            }
            None => Ok((Made { mesh, spacing: None, surface: None }, file)),
        };
    };
    if !mesh.tets.is_empty() {
        return Err(MeshFileError::FilledAlready { path: path.to_path_buf() });
    }
    let grading = fill.grading.unwrap_or(GRADING);
    let made = fill_surface(mesh, vertices, grading, fill.surface, progress);
    made.map(|made| (made, file)).map_err(|error| MeshFileError::Fill { path: path.to_path_buf(), error })
}

/// Reads the text of a file; fails if it is no text.
fn read_text(path: &Path) -> Result<String, MeshFileError> {
    let bytes = read_bytes(path)?;
    String::from_utf8(bytes).map_err(|error| {
        let byte = error.utf8_error().valid_up_to();
        let message = format!("byte {byte} of the file is not UTF-8; save it as UTF-8 text");
        MeshFileError::Shape(Problems::of_file(&path.display().to_string(), message))
    })
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

/// Reads a file of the same directory, by its bare name: a mesh file must not read files elsewhere.
fn fetch(path: &Path, name: &str) -> Result<Vec<u8>, String> {
    let mut components = Path::new(name).components();
    let bare = matches!(components.next(), Some(Component::Normal(first)) if first == name);
    if !bare || components.next().is_some() {
        return Err("it is not the name of a file of the same directory".to_string());
    }
    read_bytes(&path.with_file_name(name)).map_err(|error| match error {
        MeshFileError::Unreadable { error, .. } => error.to_string(),
        other => other.to_string(),
    })
}

/// Reads the bytes of a mesh file.
pub(crate) fn read_bytes(path: &Path) -> Result<Vec<u8>, MeshFileError> {
    let refused = |error: io::Error| match error.kind() {
        ErrorKind::InvalidInput => MeshFileError::NotAFile { path: path.to_path_buf() },
        _ => MeshFileError::Unreadable { path: path.to_path_buf(), error },
    };
    let file = open_regular(path).map_err(refused)?;
    let facts = file.metadata().map_err(refused)?;
    if facts.len() > MOST_BYTES {
        return Err(MeshFileError::TooLarge { path: path.to_path_buf(), bytes: facts.len(), most: MOST_BYTES });
    }
    let mut bytes = Vec::with_capacity(facts.len() as usize + 1);
    file.take(MOST_BYTES).read_to_end(&mut bytes).map_err(refused)?;
    Ok(bytes)
}

/// Returns the format that a file of this name is written in.
pub fn format_to_write(path: &Path) -> Result<&'static Format, MeshFileError> {
    writers(path).map(|(format, _)| format)
}

/// Files to write, each with its writer.
type Files = Vec<(PathBuf, Writer)>;

/// Returns the format of a file of this name, and the files to write: two for formats that use a pair.
fn writers(path: &Path) -> Result<(&'static Format, Files), MeshFileError> {
    let of_format =
        |error| MeshFileError::Format { path: path.to_path_buf(), error: Box::new(error), is_mendable: false };
    let format = Format::of(&path.file_name().unwrap_or_default().to_string_lossy()).map_err(of_format)?;
    let read_only = || MeshFileError::ReadOnly { path: path.to_path_buf(), format: format.name };
    let own = |write: Writer| vec![(path.to_path_buf(), write)];
    let both = |pair: [(&str, Writer); 2]| pair.map(|(ending, write)| (path.with_extension(ending), write)).to_vec();
    let files = format.write.map(own).or_else(|| format.pair.map(both));
    files.map(|files| (format, files)).ok_or_else(read_only)
}

/// Writes a mesh, in the format of the ending of its name. Parts that the format cannot hold are left out, see
/// [`reduce`]. No partial file ever has this name.
pub fn write_mesh(path: &Path, mesh: &Mesh, encoding: Encoding) -> Result<(), MeshFileError> {
    let (format, files) = writers(path)?;
    let mesh = reduce(mesh, format).0;
    files
        .iter()
        .try_for_each(|(path, write)| write_whole(path, &write(mesh.as_ref(), encoding)).map_err(MeshFileError::Output))
}
