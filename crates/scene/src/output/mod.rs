//! Files: frames, series, the scene of the run, its summary. All of it goes into one [`Directory`].

mod collection;
mod directory;
mod error;
mod files;
mod frames;
mod series;
mod summary;
mod vtu;

pub use directory::{Directory, FRAMES_DIRECTORY, FRAMES_FILE, RUN_FILE, SERIES_FILE, SUMMARY_FILE, write_whole};
pub use error::OutputError;
pub use files::Files;
pub use frames::Frames;
pub use series::{COLUMNS, Series};
pub use summary::summary;
