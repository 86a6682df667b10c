//! Errors of reading and writing mesh files.

use crate::disk::OutputError;
use crate::problem::Problems;
use crate::solid::SolidError;
use formats::{FormatError, Position};
use model::mesh::MeshError;
use std::fmt;
use std::io;
use std::path::PathBuf;

/// Problem with a mesh file.
#[derive(Debug)]
pub enum MeshFileError {
    /// The system refused to read it.
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        error: io::Error,
    },
    /// It is a directory, a pipe or a device.
    NotAFile {
        /// The path.
        path: PathBuf,
    },
    /// It is too large for a mesh.
    TooLarge {
        /// The file.
        path: PathBuf,
        /// Its size [bytes].
        bytes: u64,
        /// Largest size that is read [bytes].
        most: u64,
    },
    /// It is no mesh, or its format is unknown.
    Format {
        /// The file.
        path: PathBuf,
        /// The problem and its position.
        error: Box<FormatError>,
        /// True if `pliant doctor` can read it nevertheless.
        is_mendable: bool,
    },
    /// It is no shape file, or its parts form no body.
    Shape(Problems),
    /// It has tets already, so it cannot be filled with them.
    FilledAlready {
        /// The file.
        path: PathBuf,
    },
    /// The inside of its surface cannot be filled with tets.
    Fill {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: SolidError,
    },
    /// A finer surface is requested, but nothing is filled that could have one.
    SurfaceUnfilled {
        /// The file.
        path: PathBuf,
        /// True if it has tets of its own.
        has_tets: bool,
    },
    /// The given surface is requested, but a shape file has none.
    NoSurfaceGiven {
        /// The file.
        path: PathBuf,
    },
    /// It is a mesh, but cannot be used as it is.
    Unusable {
        /// The file.
        path: PathBuf,
        /// The problem with the mesh.
        error: Box<MeshError>,
        /// Fix of `pliant doctor` that repairs it.
        fix: &'static str,
    },
    /// Some nodes belong to no element and have no mass.
    UnusedNodes {
        /// The file.
        path: PathBuf,
        /// First of them, from 0.
        node: usize,
        /// Number of them.
        count: usize,
    },
    /// It holds nothing that could move.
    NoElements {
        /// The file.
        path: PathBuf,
    },
    /// The format has no writer.
    ReadOnly {
        /// The file.
        path: PathBuf,
        /// The format.
        format: &'static str,
    },
    /// The file could not be written.
    Output(OutputError),
}

impl fmt::Display for MeshFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MeshFileError::Unreadable { path, error } => {
                write!(f, "{}: cannot be read ({error}); correct the path or its permissions", path.display())
            }
            MeshFileError::NotAFile { path } => {
                write!(f, "{}: is a directory, a pipe or a device; give the path of a file", path.display())
            }
            MeshFileError::TooLarge { path, bytes, most } => write!(
                f,
                "{}: has {} MiB, more than the {} MiB that are read; export a coarser mesh",
                path.display(),
                bytes >> 20,
                most >> 20
            ),
            MeshFileError::Format { path, error, is_mendable } => {
                let path = path.display();
                match error.position {
                    Position::Line(line) => write!(f, "{path}:{line}: {}", error.fault)?,
                    Position::Byte(byte) => write!(f, "{path}: byte {byte}: {}", error.fault)?,
                    Position::File => write!(f, "{path}: {}", error.fault)?,
                }
                if !error.format.is_empty() {
                    write!(f, " (read as {})", error.format)?;
                }
                if *is_mendable { write!(f, "; or mend it: pliant doctor {path} --fix all -o OUT") } else { Ok(()) }
            }
            MeshFileError::Shape(problems) => {
                let more = problems.list.len().saturating_sub(1) + problems.more;
                if let Some(first) = problems.list.first() {
                    write!(f, "{}:{}:{}: {}", first.file, first.line, first.column, first.message)?;
                }
                if more > 0 { write!(f, "; and {more} more") } else { Ok(()) }
            }
            MeshFileError::FilledAlready { path } => {
                write!(f, "{}: has tets already; ask for no vertices, or name a surface to be filled", path.display())
            }
            MeshFileError::Fill { path, error } => write!(f, "{}: {error}", path.display()),
            MeshFileError::SurfaceUnfilled { path, has_tets: true } => write!(
                f,
                "{}: has tets of its own, and no finer surface is known; remove `surface`, or name a closed surface or \
                 a shape file to be filled",
                path.display()
            ),
            MeshFileError::SurfaceUnfilled { path, has_tets: false } => write!(
                f,
                "{}: is not filled with tets that a finer surface could follow; say how many `vertices` fill it, or \
                 remove `surface`",
                path.display()
            ),
            MeshFileError::NoSurfaceGiven { path } => {
                write!(f, "{}: is a shape, not a surface; say how many vertices its surface is to have", path.display())
            }
            MeshFileError::Unusable { path, error, fix } => {
                let path = path.display();
                write!(f, "{path}: {error}: pliant doctor {path} --fix {fix} -o OUT")
            }
            MeshFileError::UnusedNodes { path, node, count } => {
                let path = path.display();
                write!(
                    f,
                    "{path}: {count} nodes belong to no element, node {node} is the first; take them out: pliant doctor \
                     {path} --fix unused -o OUT"
                )
            }
            MeshFileError::NoElements { path } => {
                write!(f, "{}: holds no tets, triangles or edges; export the elements too", path.display())
            }
            MeshFileError::ReadOnly { path, format } => write!(
                f,
                "{}: {format} can be read but not written; choose an ending of `pliant list formats` that can",
                path.display()
            ),
            MeshFileError::Output(error) => f.write_str(&error.in_place()),
        }
    }
}

impl std::error::Error for MeshFileError {}
