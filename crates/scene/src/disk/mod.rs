//! Whole files: reading, writing, truncating, syncing.

mod checksum;
mod error;

pub(crate) use checksum::Checksum;
pub use error::OutputError;

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// Scene of a run, with every default filled in.
pub const RUN_FILE: &str = "run.toml";
/// Ending of a file that is not complete yet.
pub(crate) const PARTIAL: &str = ".partial";

/// Opens a regular file. A pipe or a device could block its reader forever, so it is refused before it is opened.
pub(crate) fn open_regular(path: &Path) -> io::Result<File> {
    let facts = std::fs::metadata(path)?;
    if !facts.is_file() {
        let what = if facts.is_dir() { "a directory" } else { "a pipe or a device" };
        return Err(io::Error::new(ErrorKind::InvalidInput, format!("it is {what}, not a file")));
    }
    File::open(path)
}

/// Reads a whole regular file; anything else is refused.
pub fn read_regular(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path)?.read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes a whole file under a temporary name, then renames it: no partial file ever has this name.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
    replace(path, bytes, false)
}

/// Writes a whole file as [`write_whole`] does; with `sync` it is on the disk before it is renamed.
pub(crate) fn replace(path: &Path, bytes: &[u8], sync: bool) -> Result<(), OutputError> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(PARTIAL);
    let partial = PathBuf::from(partial);
    let write = || {
        let mut file = File::create(&partial)?;
        file.write_all(bytes)?;
        if sync { file.sync_all() } else { Ok(()) }
    };
    if let Err(error) = write().and_then(|()| fs::rename(&partial, path)) {
        // A partial file is useless, and on a full disk its space is needed.
        fs::remove_file(&partial).ok();
        return Err(OutputError::Io { doing: "write", path: path.to_path_buf(), error });
    }
    if let (true, Some(directory)) = (sync, path.parent()) {
        sync_directory(directory);
    }
    Ok(())
}

/// Opens a file to continue at `length` [bytes]; the rest is cut off.
pub(crate) fn cut(path: &Path, length: u64) -> Result<File, OutputError> {
    let open = || {
        let mut file = File::options().write(true).open(path)?;
        file.set_len(length)?;
        file.seek(SeekFrom::End(0))?;
        Ok(file)
    };
    open().map_err(OutputError::io("write", path))
}

/// Waits until a file is on the disk.
pub(crate) fn sync(path: &Path) -> Result<(), OutputError> {
    File::open(path).and_then(|file| file.sync_all()).map_err(OutputError::io("write", path))
}

/// Waits until the names in a directory are on the disk, on systems that support it.
pub(crate) fn sync_directory(path: &Path) {
    let path = if path.as_os_str().is_empty() { Path::new(".") } else { path };
    File::open(path).and_then(|directory| directory.sync_all()).ok();
}
