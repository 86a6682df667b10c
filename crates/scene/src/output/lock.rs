//! One writer for a directory: a file in it that is locked as long as somebody writes there.
//!
//! The system gives the lock back when its process ends, however it ends: a file that a killed run left behind blocks nobody.

use super::OutputError;
use std::fs::{self, File, TryLockError};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The file that is locked. Only there while somebody writes, or after a kill.
pub const LOCK_FILE: &str = "run.lock";

/// The right to write into a directory, until it is dropped.
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    /// Not on file systems without locks.
    file: Option<File>,
}

impl Lock {
    /// Takes the lock of a directory, which must be there; an error if another has it.
    pub fn take(directory: &Path) -> Result<Lock, OutputError> {
        let path = directory.join(LOCK_FILE);
        loop {
            // Not emptied by opening: it may be that of another.
            let open = File::options().create(true).truncate(false).write(true).open(&path);
            let mut file = open.map_err(OutputError::io("write", &path))?;
            match file.try_lock() {
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    let by = fs::read_to_string(&path).ok().and_then(|text| text.trim().parse().ok());
                    return Err(OutputError::InUse { directory: directory.to_path_buf(), by });
                }
                // Some network file systems know no locks: runs there are as they were without.
                Err(TryLockError::Error(error)) if error.kind() == ErrorKind::Unsupported => {
                    return Ok(Lock { path, file: None });
                }
                Err(TryLockError::Error(error)) => return Err(OutputError::io("lock", &path)(error)),
            }
            // The one who had it before may have removed the file since it was opened: then this is the lock of nothing.
            if is_at(&file, &path) {
                // Whose it is helps whoever is refused; the lock holds without it.
                let _ = file.set_len(0).and_then(|()| writeln!(file, "{}", std::process::id()));
                return Ok(Lock { path, file: Some(file) });
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Removed while it is still locked: whoever opens it now finds that it is at no path, and makes another.
        if self.file.is_some() {
            fs::remove_file(&self.path).ok();
        }
    }
}

/// Whether the file that was opened is still the one of this path.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let place = |facts: &fs::Metadata| (facts.dev(), facts.ino());
    matches!((file.metadata(), fs::metadata(path)), (Ok(a), Ok(b)) if place(&a) == place(&b))
}

/// Elsewhere a file that is open cannot be removed.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}
