//! Failures of commands, and the exit codes.

use live::LiveError;
use scene::Problems;
use scene::export::ExportError;
use scene::files::MeshFileError;
use scene::output::{OutputError, PausedError};
use serde_json::{Value, json};
use std::fmt;

/// Success.
pub const DONE: u8 = 0;
/// Output could not be written, stdout included, or a bench could not run.
pub const NO_FILES: u8 = 1;
/// Wrong command line. The argument parser uses it too.
pub const USAGE: u8 = 2;
/// A step failed.
pub const DIVERGED: u8 = 3;
/// The scene, a mesh or a checkpoint is missing or wrong.
pub const BAD_INPUT: u8 = 4;
/// The run is done, but not as the scene's `[expect]` says.
pub const UNEXPECTED: u8 = 5;
/// Another run writes into the directory.
pub const IN_USE: u8 = 6;
/// The program itself failed: a method panicked or could not be built. Results of others are kept.
pub const FAILED: u8 = 7;
/// Stopped by Ctrl-C or a termination signal.
pub const INTERRUPTED: u8 = 130;

/// Reason why a command ended early.
#[derive(Debug)]
pub enum Failure {
    /// The scene is wrong.
    Scene(Problems),
    /// A mesh file is wrong, or could not be written.
    Mesh(MeshFileError),
    /// A run could not be exported.
    Export(ExportError),
    /// Files could not be written.
    Output(OutputError),
    /// Files could not be written, by a command that cannot write elsewhere.
    InPlace(OutputError),
    /// No server could be started.
    Live(LiveError),
    /// Wrong command line.
    Usage(String),
    /// The program itself failed.
    Fault(String),
    /// A bench could not run.
    Bench(String),
}

impl Failure {
    /// Makes the failure of a bench from its reason.
    pub fn bench(reason: impl fmt::Display) -> Failure {
        Failure::Bench(reason.to_string())
    }

    /// Returns the exit code.
    pub fn code(&self) -> u8 {
        match self {
            Failure::Output(OutputError::InUse { .. }) | Failure::InPlace(OutputError::InUse { .. }) => IN_USE,
            Failure::Mesh(MeshFileError::Output(_)) => NO_FILES,
            Failure::Export(ExportError::Output(_) | ExportError::Foreign { .. }) => NO_FILES,
            Failure::Export(error) if error.is_usage() => USAGE,
            Failure::Scene(_) | Failure::Mesh(_) | Failure::Export(_) => BAD_INPUT,
            Failure::Output(_) | Failure::InPlace(_) | Failure::Bench(_) | Failure::Live(_) => NO_FILES,
            Failure::Fault(_) => FAILED,
            Failure::Usage(_) => USAGE,
        }
    }

    /// Returns the JSON form.
    pub fn to_json(&self) -> Value {
        match self {
            Failure::Scene(problems) => {
                let mut value = problems.to_json();
                value["outcome"] = json!("bad input");
                value
            }
            Failure::Mesh(error) if self.code() == BAD_INPUT => {
                json!({ "outcome": "bad input", "message": error.to_string() })
            }
            Failure::Export(error) if self.code() == BAD_INPUT => {
                json!({ "outcome": "bad input", "message": error.to_string() })
            }
            other => json!({ "outcome": "error", "message": other.to_string() }),
        }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Failure::Scene(problems) => problems.fmt(f),
            Failure::Mesh(error) => write!(f, "error: {error}"),
            Failure::Export(error) => write!(f, "error: {error}"),
            Failure::Output(error) => write!(f, "error: {error}"),
            Failure::InPlace(error) => write!(f, "error: {}", error.in_place()),
            Failure::Live(error) => write!(f, "error: {error}"),
            Failure::Usage(message) | Failure::Bench(message) | Failure::Fault(message) => {
                write!(f, "error: {message}")
            }
        }
    }
}

impl From<Problems> for Failure {
    fn from(problems: Problems) -> Self {
        Failure::Scene(problems)
    }
}

impl From<MeshFileError> for Failure {
    fn from(error: MeshFileError) -> Self {
        match error {
            MeshFileError::Shape(problems) => Failure::Scene(problems),
            error => Failure::Mesh(error),
        }
    }
}

impl From<PausedError> for Failure {
    fn from(error: PausedError) -> Self {
        match error {
            PausedError::Refused(problems) => Failure::Scene(problems),
            PausedError::InUse(error) => Failure::InPlace(error),
        }
    }
}

impl From<ExportError> for Failure {
    fn from(error: ExportError) -> Self {
        Failure::Export(error)
    }
}

impl From<LiveError> for Failure {
    fn from(error: LiveError) -> Self {
        Failure::Live(error)
    }
}

impl From<OutputError> for Failure {
    fn from(error: OutputError) -> Self {
        Failure::Output(error)
    }
}
