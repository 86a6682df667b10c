//! Reasons why studies cannot be read or run.

use report::CompareError;
use scene::Problems;
use scene::output::OutputError;
use std::fmt;
use std::path::PathBuf;

/// Reason why a study cannot be read or run.
#[derive(Debug)]
pub enum StudyError {
    /// A file of a study is missing or wrong.
    File {
        /// The file.
        path: PathBuf,
        /// The mistake, and what to do.
        message: String,
    },
    /// There are no studies.
    NoStudies {
        /// The folder that was searched.
        root: PathBuf,
    },
    /// A method is not written as METHOD or METHOD@STEP.
    Contender {
        /// Text found.
        text: String,
    },
    /// A scene is wrong.
    Scene(Problems),
    /// Runs cannot be compared.
    Compare(CompareError),
    /// Something cannot be written.
    Output(OutputError),
}

impl fmt::Display for StudyError {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            StudyError::File { path, message } => write!(f, "{}: {message}", path.display()),
            StudyError::NoStudies { root } => write!(
                f,
                "there are no studies in {}; run this in a checkout of pliant, or name the folder with --studies",
                root.display()
            ),
            StudyError::Contender { text } => {
                write!(
                    f,
                    "'{text}' is no METHOD or METHOD@STEP; write for instance siere or siere@0.01, and see `pliant list methods`"
                )
            }
            StudyError::Scene(problems) => problems.fmt(f),
            StudyError::Compare(error) => error.fmt(f),
            StudyError::Output(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for StudyError {}

impl From<Problems> for StudyError {
    fn from(problems: Problems) -> StudyError {
        StudyError::Scene(problems)
    }
}

impl From<CompareError> for StudyError {
    fn from(error: CompareError) -> StudyError {
        StudyError::Compare(error)
    }
}

impl From<OutputError> for StudyError {
    fn from(error: OutputError) -> StudyError {
        StudyError::Output(error)
    }
}
