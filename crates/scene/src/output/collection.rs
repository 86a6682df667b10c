//! frames.pvd and similar: the list of frames with their times, a complete XML file at any moment.

use super::OutputError;
use super::mark::{Mark, Written};
use crate::disk::cut;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

const HEAD: &str = "<?xml version=\"1.0\"?>\n\
    <VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n";
const TAIL: &str = "</Collection>\n</VTKFile>\n";

/// A list that grows. A new entry and the end of the file overwrite the old end in one write. So a long run does not
/// rewrite the list for each frame, and an abort leaves it closed.
pub(super) struct Collection {
    path: PathBuf,
    file: File,
    /// Contents before the end of the file.
    written: Written,
}

impl Collection {
    /// Begins an empty list.
    pub fn new(path: &Path) -> Result<Collection, OutputError> {
        let file = File::create(path).map_err(OutputError::io("create", path))?;
        let mut collection = Collection { path: path.to_path_buf(), file, written: Written::default() };
        collection.push(HEAD)?;
        Ok(collection)
    }

    /// Continues a list after `written`; the rest is cut off.
    pub fn resume(path: &Path, written: Written) -> Result<Collection, OutputError> {
        let file = cut(path, written.length())?;
        let mut collection = Collection { path: path.to_path_buf(), file, written };
        collection.push("")?;
        Ok(collection)
    }

    /// Returns the mark of the contents before the end of the file.
    pub fn mark(&self) -> Mark {
        self.written.mark()
    }

    /// Waits until all is on the disk.
    pub fn sync(&self) -> Result<(), OutputError> {
        self.file.sync_data().map_err(OutputError::io("write", &self.path))
    }

    /// Lists a file of this name as the state at time `t` [s]. Its length and checksum are a comment, which other
    /// programs ignore.
    pub fn add(&mut self, t: f64, name: &str, whole: Mark) -> Result<(), OutputError> {
        self.push(&format!("<DataSet timestep=\"{t}\" part=\"0\" file=\"{name}\"/><!-- {whole} -->\n"))
    }

    fn push(&mut self, entry: &str) -> Result<(), OutputError> {
        let mut write = |text: String| {
            self.file.seek(SeekFrom::Start(self.written.length()))?;
            self.file.write_all(text.as_bytes())
        };
        if let Err(error) = write(format!("{entry}{TAIL}")) {
            // Close the list again: the old end took the same space.
            let _ = write(TAIL.to_string()).and_then(|()| self.file.set_len(self.written.length() + TAIL.len() as u64));
            return Err(OutputError::io("write", &self.path)(error));
        }
        self.written.advance(entry.as_bytes());
        Ok(())
    }
}
