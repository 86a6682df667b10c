//! Errors of exports, with advice.

use crate::files::MeshFileError;
use crate::output::{FRAMES_FILE, OutputError, SURFACE_FILE};
use std::fmt;
use std::path::PathBuf;

/// Reason why a run was not exported: the run, the request or the output.
#[derive(Debug)]
pub enum ExportError {
    /// The directory holds no list of frames.
    NoRun {
        /// The directory.
        directory: PathBuf,
    },
    /// A list of frames is not of the form that runs write.
    List {
        /// The list.
        path: PathBuf,
        /// Number of the line, from 1.
        line: usize,
        /// The problem with it.
        what: String,
    },
    /// A list of frames is empty.
    NoFrames {
        /// The list.
        path: PathBuf,
    },
    /// A frame is missing or broken.
    Frame(MeshFileError),
    /// A frame shows a different mesh than the first.
    Other {
        /// The frame.
        path: PathBuf,
        /// The part that differs.
        what: &'static str,
    },
    /// Coordinates are larger than single precision holds.
    Huge {
        /// The frame.
        path: PathBuf,
        /// Its time [s].
        time: f64,
        /// The format.
        format: &'static str,
    },
    /// No body has a finer surface.
    NoSurface {
        /// The directory.
        directory: PathBuf,
    },
    /// No frame is within the requested times.
    NoneChosen {
        /// First and last time of the run [s].
        times: [f64; 2],
    },
    /// The run has nothing that the format can show.
    Nothing {
        /// The directory.
        directory: PathBuf,
        /// The format.
        format: &'static str,
    },
    /// The export would have more frames or bytes than programs can open.
    TooLarge {
        /// The format.
        format: &'static str,
        /// Number of frames.
        frames: usize,
        /// Number of bytes.
        bytes: u64,
        /// Limits of frames and bytes.
        most: (usize, u64),
        /// Smallest `every` that would fit, counted in frames of the run.
        every: Option<usize>,
    },
    /// The output has another ending than the format.
    Ending {
        /// The output.
        path: PathBuf,
        /// Expected ending.
        extension: &'static str,
    },
    /// The output would replace files of the run.
    Own {
        /// The output.
        path: PathBuf,
    },
    /// The directory for the output holds something that no export wrote.
    Foreign {
        /// The directory.
        directory: PathBuf,
        /// The file that no export wrote.
        found: PathBuf,
    },
    /// The output could not be written.
    Output(OutputError),
}

impl ExportError {
    /// Returns whether the command line is wrong, not the run.
    pub fn is_usage(&self) -> bool {
        matches!(
            self,
            ExportError::NoSurface { .. }
                | ExportError::NoneChosen { .. }
                | ExportError::Nothing { .. }
                | ExportError::TooLarge { .. }
                | ExportError::Ending { .. }
                | ExportError::Own { .. }
        )
    }
}

impl fmt::Display for ExportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ExportError::NoRun { directory } => write!(
                f,
                "{} holds no run ({FRAMES_FILE} is not there); give the output directory of `pliant run`",
                directory.display()
            ),
            ExportError::List { path, line, what } => {
                write!(f, "{}:{line}: {what}; restore the file, or run the scene again", path.display())
            }
            ExportError::NoFrames { path } => {
                write!(f, "{} lists no frames; run the scene again", path.display())
            }
            ExportError::Frame(MeshFileError::Unreadable { path, error }) => write!(
                f,
                "{}: a frame cannot be read ({error}); restore it, leave it out with --from or --until, or run the scene again",
                path.display()
            ),
            ExportError::Frame(error) => write!(f, "{error}; or run the scene again"),
            ExportError::Other { path, what } => write!(
                f,
                "{}: has other {what} than the first frame, and is of another run; run the scene again",
                path.display()
            ),
            ExportError::Huge { path, time, format } => write!(
                f,
                "{}: has coordinates beyond the single precision of {format}; leave out t = {time} s and what follows with \
                 --until, or choose csv or vtu",
                path.display()
            ),
            ExportError::NoSurface { directory } => write!(
                f,
                "{} holds no finer surface ({SURFACE_FILE} is not there); leave --surface away, or say `surface` for a \
                 body of the scene",
                directory.display()
            ),
            ExportError::NoneChosen { times: [first, last] } => {
                write!(f, "no frame is between these times; the run goes from {first} to {last} s")
            }
            ExportError::Nothing { directory, format } => write!(
                f,
                "{} has nothing that {format} can show; `pliant list exports` says which formats show lines and particles",
                directory.display()
            ),
            ExportError::TooLarge { format, frames, bytes, most, every } => {
                write!(
                    f,
                    "{frames} frames would be {} MB of {format}, but no more than {} frames and {} MB are opened with \
                     pleasure; ",
                    bytes.div_ceil(1_000_000),
                    most.0,
                    most.1 / 1_000_000
                )?;
                match every {
                    Some(every) => write!(f, "say --every {every}, or less time with --from and --until"),
                    None => write!(f, "take less time with --from and --until, or another format"),
                }
            }
            ExportError::Ending { path, extension } => {
                write!(f, "{} must end in .{extension}; correct -o, or choose another format with --to", path.display())
            }
            ExportError::Own { path } => {
                write!(f, "{} would replace files of the run; choose another place with -o", path.display())
            }
            ExportError::Foreign { directory, found } => write!(
                f,
                "{} holds {}, which no export wrote; choose another directory with -o",
                directory.display(),
                found.display()
            ),
            ExportError::Output(error) => f.write_str(&error.to_string()),
        }
    }
}

impl std::error::Error for ExportError {}

impl From<OutputError> for ExportError {
    fn from(error: OutputError) -> Self {
        ExportError::Output(error)
    }
}
