//! Errors of files, with advice.

use super::RUN_FILE;
use simulation::ObserverError;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

/// Reason why output was not written.
#[derive(Debug)]
pub enum OutputError {
    /// The system refused an operation.
    Io {
        /// The operation: "write", "create", "remove", "read", "lock".
        doing: &'static str,
        /// File or directory.
        path: PathBuf,
        /// Error of the system.
        error: io::Error,
    },
    /// The directory holds something that no run wrote.
    Foreign {
        /// The directory.
        directory: PathBuf,
        /// The file that no run wrote.
        found: PathBuf,
    },
    /// The directory holds a run of another scene or with other parameters.
    Another {
        /// The directory.
        directory: PathBuf,
    },
    /// Another process writes into the directory.
    InUse {
        /// The directory.
        directory: PathBuf,
        /// Id of the process, if known.
        by: Option<u32>,
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
    /// An observer that writes no files ended the run.
    Observer(ObserverError),
    /// The run ended with an error and can be resumed.
    Stopped {
        /// Its directory.
        directory: PathBuf,
        /// The error.
        error: Box<OutputError>,
    },
}

impl OutputError {
    /// Makes the error of a system call on a path.
    pub fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> OutputError {
        let path = path.to_path_buf();
        move |error| OutputError::Io { doing, path, error }
    }

    /// Returns the message for a command without -o, whose files have a fixed place.
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
            OutputError::InUse { directory, by } => {
                format!("another run{} writes into {}; wait for its end", process(*by), directory.display())
            }
            OutputError::Stopped { directory, error } => format!("{}{}", error.in_place(), how_to_go_on(directory)),
            other => other.to_string(),
        }
    }
}

/// Names a process.
fn process(id: Option<u32>) -> String {
    id.map(|id| format!(" (process {id})")).unwrap_or_default()
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
            OutputError::Another { directory } => write!(
                f,
                "{} holds another run: its {RUN_FILE} says something else; choose another directory with -o, or say --force \
                 to replace it",
                directory.display()
            ),
            OutputError::InUse { directory, by } => {
                let (by, directory) = (process(*by), directory.display());
                write!(
                    f,
                    "another run{by} writes into {directory}; wait for its end, or choose another directory with --out"
                )
            }
            OutputError::NotADirectory { path } => {
                write!(f, "{} is a file; choose another directory with -o", path.display())
            }
            OutputError::Undrawn { path } => {
                write!(f, "{} cannot be drawn; use the SVG beside it, or a smaller --width", path.display())
            }
            OutputError::Observer(error) => error.fmt(f),
            OutputError::Stopped { directory, error } => write!(f, "{error}{}", how_to_go_on(directory)),
        }
    }
}

/// Errors of observers that write files are errors of files.
impl From<ObserverError> for OutputError {
    fn from(error: ObserverError) -> OutputError {
        error.downcast().map_or_else(OutputError::Observer, |error| *error)
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
