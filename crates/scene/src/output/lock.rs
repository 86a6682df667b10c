//! One writer per directory: a file in it is locked while a process writes there.
//!
//! The system releases the lock when its process ends, for any reason: a file left by a killed run blocks nothing.

use super::OutputError;
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Locked file. It exists only while a process writes, or after a kill.
pub const LOCK_FILE: &str = "run.lock";

/// The right to write into a directory, until it is dropped.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    /// Locked file; `None` on file systems without locks.
    file: Option<File>,
}

impl Lock {
    /// Takes the lock of a directory, which must exist; an error if another process has it.
    pub fn take(directory: &Path) -> Result<Lock, OutputError> {
        let path = directory.join(LOCK_FILE);
        loop {
            // Not truncated on opening: another process may own it.
            let open = File::options().create(true).truncate(false).write(true).open(&path);
            let mut file = open.map_err(OutputError::io("write", &path))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let by = fs::read_to_string(&path).ok().and_then(|text| text.trim().parse().ok());
                    return Err(OutputError::InUse { directory: directory.to_path_buf(), by });
                }
                // Some network file systems have no locks: runs there go without.
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {
                    return Ok(Lock { path, file: None });
                }
                Err(TryLockError::Error(error)) => return Err(OutputError::io("lock", &path)(error)),
            }
            // The previous owner may have removed the file since it was opened: then this lock protects nothing.
            if is_at(&file, &path) {
                // The process id helps a refused user; the lock holds without it.
                let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
                return Ok(Lock { path, file: Some(file) });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Removed while still locked: a process that opens it now sees that it has no path, and creates another.
        if self.file.is_some() {
            fs::remove_file(&self.path).ok();
        }
    }
}

/// Returns whether the opened file is still the one at this path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |facts: &fs::Metadata| (facts.dev(), facts.ino());
    matches!((file.metadata(), fs::metadata(path)), (Ok(a), Ok(b)) if identity(&a) == identity(&b))
}

/// Returns true: elsewhere an open file cannot be removed.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}
