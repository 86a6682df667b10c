//! Reasons why a run cannot be resumed from its directory, with advice.

use super::Program;
use super::RUN_FILE;
use super::checkpoint::VERSION;
use super::directory::CHECKPOINT_FILE;
use crate::Problems;
use std::fmt;
use std::path::Path;

/// Problem with a directory that should hold a run.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Fault {
    /// There is no run.toml.
    NoRun,
    /// There is no checkpoint.
    NoCheckpoint,
    /// The system refuses to read it.
    Unreadable {
        /// Error of the system.
        error: String,
    },
    /// The file does not begin as checkpoints do.
    NoMagic,
    /// Its version is unknown.
    Version {
        /// Version in the file.
        version: u64,
    },
    /// Its length has changed.
    Length {
        /// Length stated in the file [bytes].
        length: u64,
        /// Size of the file [bytes].
        size: u64,
    },
    /// Its checksum does not match its bytes.
    Corrupted,
    /// It has a different number of nodes than run.toml.
    Nodes {
        /// Nodes in the checkpoint.
        found: usize,
        /// Nodes in run.toml.
        expected: usize,
    },
    /// Its memory does not fit the method of run.toml.
    Method {
        /// Method of run.toml.
        method: &'static str,
    },
    /// It belongs to another scene.
    Scene,
    /// Another version of the program wrote it.
    Program {
        /// The program that wrote it.
        wrote: Program,
    },
    /// It is at a later step than the run has, or at a step that the run takes differently.
    Beyond {
        /// Time of the checkpoint [s].
        time: f64,
        /// Duration of the run [s].
        duration: f64,
    },
    /// A file differs from what the run had written.
    Changed {
        /// Name of the file.
        file: String,
        /// Its damage.
        harm: Harm,
    },
}

/// Damage of a file that a run had written.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Harm {
    /// It is missing.
    Missing,
    /// The system refuses to read it.
    Unreadable {
        /// Error of the system.
        error: String,
    },
    /// It is shorter than before.
    Cut {
        /// Length now [bytes].
        length: u64,
        /// Length before [bytes].
        of: u64,
    },
    /// It has the same length, but other bytes.
    Altered,
}

impl Fault {
    /// Returns the file it is about.
    fn file(&self) -> &str {
        match self {
            Fault::NoRun => RUN_FILE,
            Fault::Changed { file, .. } => file,
            _ => CHECKPOINT_FILE,
        }
    }

    /// Returns it as a problem with a file of this directory.
    pub(super) fn in_directory(&self, directory: &Path) -> Problems {
        let anew = || {
            let (run, directory) = (directory.join(RUN_FILE), directory.display());
            format!("begin again: pliant run {} -o {directory}", run.display())
        };
        let advice = match self {
            Fault::NoRun => "name the directory that `pliant run` said it wrote".to_string(),
            Fault::Unreadable { .. } => "correct its permissions".to_string(),
            Fault::Version { .. } | Fault::Program { .. } => {
                format!("resume with the version that wrote it, or {}", anew())
            }
            Fault::Nodes { .. } | Fault::Method { .. } | Fault::Scene => {
                format!("put back the {RUN_FILE} that was run, or {}", anew())
            }
            Fault::Beyond { time, .. } => format!("ask for a duration beyond {time} s: --duration SECONDS"),
            Fault::Changed { .. } => format!("put it back as it was, or {}", anew()),
            _ => anew(),
        };
        Problems::of_file(&directory.join(self.file()).display().to_string(), format!("{self}; {advice}"))
    }
}

/// Describes the problem, without advice.
impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Fault::NoRun => write!(f, "the directory holds no run"),
            Fault::NoCheckpoint => write!(f, "the run has no checkpoint to go on from"),
            Fault::Unreadable { error } => write!(f, "the checkpoint cannot be read ({error})"),
            Fault::NoMagic => write!(f, "the file is not a checkpoint, or only the beginning of one"),
            Fault::Version { version } if *version < VERSION => write!(
                f,
                "the checkpoint has format {version} of an earlier pliant, without checksums of frames; this one reads format \
                 {VERSION}"
            ),
            Fault::Version { version } => write!(f, "the checkpoint is of format {version}, which is not known here"),
            Fault::Program { wrote } => {
                write!(
                    f,
                    "{wrote} wrote the checkpoint, and only the same version promises the same bits; this is {}",
                    Program::this()
                )
            }
            Fault::Length { length, size } => {
                write!(f, "the checkpoint is of {size} bytes where it says {length}: it has been cut or added to")
            }
            Fault::Corrupted => write!(f, "the checkpoint is damaged: its checksum is not that of its bytes"),
            Fault::Nodes { found, expected } => {
                write!(f, "the checkpoint is of {found} nodes, {RUN_FILE} of {expected}")
            }
            Fault::Method { method } => {
                write!(f, "the checkpoint was not written by {method}, which is the method of {RUN_FILE}")
            }
            Fault::Scene => {
                write!(f, "{RUN_FILE} has been changed since the checkpoint")
            }
            Fault::Beyond { time, duration } => {
                write!(f, "the run has come to t = {time} s, which a duration of {duration} s does not reach")
            }
            Fault::Changed { harm: Harm::Missing, .. } => write!(f, "the run had written this file, and it is gone"),
            Fault::Changed { harm: Harm::Unreadable { error }, .. } => {
                write!(f, "the run had written this file, and it cannot be read ({error})")
            }
            Fault::Changed { harm: Harm::Cut { length, of }, .. } => {
                write!(f, "the file is not what the run had written: it is cut to {length} of {of} bytes")
            }
            Fault::Changed { harm: Harm::Altered, .. } => {
                write!(f, "the file is not what the run had written: its checksum is another")
            }
        }
    }
}
