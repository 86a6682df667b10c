//! What can go wrong with files, and what to do about it.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Why output was not written.
#[derive(Debug)]
pub enum OutputError {
    /// The system refused.
    Io {
        /// What was tried: "write", "create", "remove", "read".
        doing: &'static str,
        /// With which file or directory.
        path: PathBuf,
        /// What the system said.
        error: io::Error,
    },
    /// The directory holds something that no run wrote.
    Foreign {
        /// The directory.
        directory: PathBuf,
        /// What it holds.
        found: PathBuf,
    },
    /// There is a file where the directory should be.
    NotADirectory {
        /// The file.
        path: PathBuf,
    },
    /// A picture cannot be made.
    Undrawn {
        /// Its file.
        path: PathBuf,
    },
    /// A run had to end that can be resumed.
    Stopped {
        /// Its directory.
        directory: PathBuf,
        /// Why.
        error: Box<OutputError>,
    },
}

impl OutputError {
    /// Makes the error of a system call on a path.
    pub fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> OutputError {
        let path = path.to_path_buf();
        move |error| OutputError::Io { doing, path, error }
    }

    /// The message of a command that has no -o, because its files have their place.
    pub fn in_place(&self) -> String {
        match self {
            OutputError::Io { doing, path, error } => {
                let advice = match error.kind() {
                    kind if is_full(kind) => "make room",
                    io::ErrorKind::NotFound => "make its directory first, or correct the path",
                    _ => "allow writing there, or correct the path",
                };
                format!("cannot {doing} {}: {error}; {advice}", path.display())
            }
            OutputError::Stopped { directory, error } => format!("{}{}", error.in_place(), how_to_go_on(directory)),
            other => other.to_string(),
        }
    }
}

fn is_full(kind: io::ErrorKind) -> bool {
    [io::ErrorKind::StorageFull, io::ErrorKind::FileTooLarge, io::ErrorKind::QuotaExceeded].contains(&kind)
}

fn how_to_go_on(directory: &Path) -> String {
    format!("\n  the run until here is kept; go on with: pliant resume {}", directory.display())
}

impl fmt::Display for OutputError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            OutputError::Io { doing, path, error } => {
                let advice = match error.kind() {
                    kind if is_full(kind) => "make room, lower frame_rate, or choose another directory with -o",
                    io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                        "allow writing there or choose another directory with -o"
                    }
                    _ => "choose another directory with -o",
                };
                write!(f, "cannot {doing} {}: {error}; {advice}", path.display())
            }
            OutputError::Foreign { directory, found } => write!(
                f,
                "{} holds {}, which no run wrote; choose another directory with -o, or say --force to write beside it",
                directory.display(),
                found.display()
            ),
            OutputError::NotADirectory { path } => {
                write!(f, "{} is a file; choose another directory with -o", path.display())
            }
            OutputError::Undrawn { path } => {
                write!(f, "{} cannot be drawn; use the SVG beside it, or a smaller --width", path.display())
            }
            OutputError::Stopped { directory, error } => write!(f, "{error}{}", how_to_go_on(directory)),
        }
    }
}

impl std::error::Error for OutputError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            OutputError::Io { error, .. } => Some(error),
            OutputError::Stopped { error, .. } => Some(error.as_ref()),
            _ => None,
        }
    }
}
