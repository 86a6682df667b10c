//! Output of runs: frames, series, the scene, checkpoints, the summary. All files go into one [`Directory`].

mod bytes;
mod checkpoint;
mod collection;
mod directory;
mod fault;
mod files;
mod frame_points;
mod frames;
mod intact;
mod lock;
mod mark;
mod meshes;
mod paused;
mod program;
mod sequence;
mod series;
mod summary;
mod surfaces;
mod vtu;
mod work;

pub use crate::disk::{OutputError, RUN_FILE, write_whole};
pub(crate) use directory::is_own;
pub use directory::{
    CHECKPOINT_FILE, Claimed, Directory, FRAMES_DIRECTORY, FRAMES_FILE, MESHES_DIRECTORY, SERIES_FILE, SUMMARY_FILE,
    SURFACE_DIRECTORY, SURFACE_FILE,
};
pub use files::{Files, run_text};
pub use frames::Frames;
pub use lock::{LOCK_FILE, Lock};
pub use paused::{Paused, PausedError};
pub use program::{Program, set_commit};
pub use series::{COLUMNS, Cell, Series, WORD_COLUMNS, row};
pub use summary::summary;
pub use surfaces::Surfaces;
