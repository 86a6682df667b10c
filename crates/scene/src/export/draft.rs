//! Unfinished files: they have a temporary name until they are whole, and are removed if they never are.

use super::{Export, ExportError};
use crate::output::{OutputError, is_own};
use std::fs::{self, File};
use std::io::{BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A file or a directory that is being written.
pub(super) struct Draft {
    path: PathBuf,
    partial: PathBuf,
    /// Ending of the files in a directory; `None` for a file.
    frames: Option<&'static str>,
}

impl Draft {
    /// Begins a file.
    pub fn file(path: &Path) -> Result<Draft, OutputError> {
        make_parent(path)?;
        Ok(Draft { path: path.to_path_buf(), partial: partial(path), frames: None })
    }

    /// Begins a directory of frames. One that holds anything else is refused.
    pub fn directory(path: &Path, extension: &'static str) -> Result<Draft, ExportError> {
        make_parent(path)?;
        let partial = partial(path);
        for path in [path, &partial] {
            if let Some(found) = foreign(path, extension)? {
                return Err(ExportError::Foreign { directory: path.to_path_buf(), found });
            }
        }
        let draft = Draft { path: path.to_path_buf(), partial, frames: Some(extension) };
        draft.remove(&draft.partial)?;
        fs::create_dir(&draft.partial).map_err(OutputError::io("create", &draft.partial))?;
        Ok(draft)
    }

    /// Writes a frame, by its number.
    pub fn write_frame(&self, number: usize, bytes: &[u8]) -> Result<(), OutputError> {
        let name = format!("frame-{number:06}.{}", self.frames.unwrap_or_default());
        fs::write(self.partial.join(&name), bytes).map_err(OutputError::io("write", &self.path.join(name)))
    }

    /// Begins the file.
    pub fn begin(&self) -> Result<Sink, OutputError> {
        let open = || File::options().read(true).write(true).create(true).truncate(true).open(&self.partial);
        let file = open().map_err(OutputError::io("create", &self.partial))?;
        Ok(Sink { path: self.partial.clone(), file: BufWriter::with_capacity(1 << 18, file) })
    }

    /// Renames the finished output to its final name.
    pub fn finish(self) -> Result<PathBuf, OutputError> {
        if self.frames.is_some() {
            self.remove(&self.path)?;
        }
        fs::rename(&self.partial, &self.path).map_err(OutputError::io("write", &self.path))?;
        Ok(self.path.clone())
    }

    /// Removes the file, or the directory, which holds frames only (checked by [`foreign`]).
    fn remove(&self, path: &Path) -> Result<(), OutputError> {
        let removed = if self.frames.is_some() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        match removed {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(OutputError::io("remove", path)(error)),
            _ => Ok(()),
        }
    }
}

impl Drop for Draft {
    /// Removes unfinished output; finished output no longer has this name.
    fn drop(&mut self) {
        self.remove(&self.partial).ok();
    }
}

/// A file that is written from the start, and whose beginning may be written last.
pub(super) struct Sink {
    path: PathBuf,
    file: BufWriter<File>,
}

impl Sink {
    /// Adds bytes.
    pub fn put(&mut self, bytes: &[u8]) -> Result<(), OutputError> {
        self.file.write_all(bytes).map_err(OutputError::io("write", &self.path))
    }

    /// Adds numbers in single precision, the low byte first.
    pub fn floats(&mut self, numbers: impl Iterator<Item = f32>) -> Result<(), OutputError> {
        for number in numbers {
            self.put(&number.to_le_bytes())?;
        }
        Ok(())
    }

    /// Adds a whole number of 32 bits, the low byte first; callers have checked that it fits.
    pub fn whole(&mut self, number: usize) -> Result<(), OutputError> {
        self.put(&(number as u32).to_le_bytes())
    }

    /// Adds the last bytes.
    pub fn put_all(mut self, bytes: &[u8]) -> Result<(), OutputError> {
        self.put(bytes)?;
        self.end().map(|_| ())
    }

    /// Moves to a byte, to continue writing there.
    pub fn seek(&mut self, to: u64) -> Result<(), OutputError> {
        self.file.seek(SeekFrom::Start(to)).map(|_| ()).map_err(OutputError::io("write", &self.path))
    }

    /// Flushes everything to the system; returns the file, to be read.
    pub fn end(self) -> Result<File, OutputError> {
        let Sink { path, file } = self;
        file.into_inner().map_err(|error| OutputError::io("write", &path)(error.into_error()))
    }
}

/// Refuses output that would overwrite the run, and files of another ending.
pub(super) fn guard(directory: &Path, export: &Export, output: &Path) -> Result<(), ExportError> {
    let own = || Err(ExportError::Own { path: output.to_path_buf() });
    let run = directory.canonicalize().unwrap_or_else(|_| directory.to_path_buf());
    // Output that does not exist yet is located by its parent.
    let absolute = output.canonicalize().ok().or_else(|| {
        let parent = output.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(parent.canonicalize().ok()?.join(output.file_name()?))
    });
    if let Some(absolute) = absolute {
        let inside = absolute.strip_prefix(&run).ok().and_then(|inside| inside.components().next());
        if run.starts_with(&absolute) || inside.is_some_and(|first| is_own(&first.as_os_str().to_string_lossy())) {
            return own();
        }
    }
    let ends = output.extension().is_some_and(|ending| ending.eq_ignore_ascii_case(export.extension));
    if !export.file_per_frame && !ends {
        return Err(ExportError::Ending { path: output.to_path_buf(), extension: export.extension });
    }
    Ok(())
}

fn partial(path: &Path) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(".partial");
    path.with_file_name(name)
}

fn make_parent(path: &Path) -> Result<(), OutputError> {
    match path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        Some(parent) => fs::create_dir_all(parent).map_err(OutputError::io("create", parent)),
        None => Ok(()),
    }
}

/// Returns something in a directory, or in its place, that no export wrote.
fn foreign(path: &Path, extension: &str) -> Result<Option<PathBuf>, OutputError> {
    if !path.is_dir() {
        return if path.exists() { Err(OutputError::NotADirectory { path: path.to_path_buf() }) } else { Ok(None) };
    }
    for entry in fs::read_dir(path).map_err(OutputError::io("read", path))? {
        let name = entry.map_err(OutputError::io("read", path))?.file_name();
        let text = name.to_string_lossy();
        let number = text.strip_prefix("frame-").and_then(|rest| rest.strip_suffix(extension)?.strip_suffix('.'));
        if !number.is_some_and(|n| n.len() >= 6 && n.bytes().all(|c| c.is_ascii_digit())) {
            return Ok(Some(PathBuf::from(name)));
        }
    }
    Ok(None)
}
