//! The directory of a run: its files, and the rules for replacing them.
//!
//! | file | content |
//! |---|---|
//! | run.toml | the scene with every default filled in |
//! | meshes/1/body.msh | the mesh files that the scene names, as they were read |
//! | frames.pvd, frames/frame-000000.vtu | positions and velocities |
//! | surface.pvd, surface/frame-000000.vtu | the finer surfaces of bodies that have one, in the same frames |
//! | series.csv | energies, momenta and work, one row per step |
//! | checkpoint.bin | everything needed to continue |
//! | summary.json | the outcome |
//! | run.lock | shows that a process writes here; removed at the end |

use super::lock::{LOCK_FILE, Lock};
use crate::disk::{OutputError, PARTIAL, RUN_FILE, read_regular};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Directory of the mesh files that were read, one numbered directory each.
pub const MESHES_DIRECTORY: &str = "meshes";
/// List of frames.
pub const FRAMES_FILE: &str = "frames.pvd";
/// Directory of the frames.
pub const FRAMES_DIRECTORY: &str = "frames";
/// List of finer surfaces, one file per frame.
pub const SURFACE_FILE: &str = "surface.pvd";
/// Directory of the finer surfaces.
pub const SURFACE_DIRECTORY: &str = "surface";
/// Energies, momenta and work, one row per step.
pub const SERIES_FILE: &str = "series.csv";
/// Checkpoint: everything needed to continue.
pub const CHECKPOINT_FILE: &str = "checkpoint.bin";
/// Summary of the outcome.
pub const SUMMARY_FILE: &str = "summary.json";

/// Beginning of run.toml: marks a directory that may be replaced.
pub(super) const MARK: &str = "# pliant ";

/// List of files that show frames, and their directory.
#[derive(Clone, Copy)]
pub(super) struct Shown {
    pub list: &'static str,
    pub directory: &'static str,
}

pub(super) const FRAMES: Shown = Shown { list: FRAMES_FILE, directory: FRAMES_DIRECTORY };
pub(super) const SURFACES: Shown = Shown { list: SURFACE_FILE, directory: SURFACE_DIRECTORY };

/// A directory ready for a run. No other process writes there while it, or a clone of it, lives.
#[derive(Debug, Clone)]
pub struct Directory {
    path: PathBuf,
    /// Lock; `None` if files are only read.
    _lock: Option<Arc<Lock>>,
}

/// Previous contents of a directory that is claimed for a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Claimed {
    /// No run.
    Empty,
    /// A run of the same scene with the same parameters, which is replaced.
    Same,
    /// Another run, which is replaced because `force` was given.
    Another,
}

impl Directory {
    /// Creates the directory, or removes an earlier run from it. Anything else in it is refused; with `force` it is
    /// left alone and the run is written beside it.
    pub fn prepare(path: &Path, force: bool) -> Result<Directory, OutputError> {
        let directory = Directory::take(path, force)?;
        directory.empty()?;
        Ok(directory)
    }

    /// Prepares the directory for a run with this run.toml ([`super::run_text`]). A run of another scene or with other
    /// parameters is refused as [`OutputError::Another`], unless `force` is set.
    pub fn claim(path: &Path, run: &str, force: bool) -> Result<(Directory, Claimed), OutputError> {
        let directory = Directory::take(path, force)?;
        let claimed = match Directory::holds(path, run) {
            None => Claimed::Empty,
            Some(true) => Claimed::Same,
            Some(false) if force => Claimed::Another,
            Some(false) => return Err(OutputError::Another { directory: path.to_path_buf() }),
        };
        directory.empty()?;
        Ok((directory, claimed))
    }

    /// Returns whether the run in a directory has this run.toml; `None` if there is no run.
    pub fn holds(path: &Path, run: &str) -> Option<bool> {
        let text = read_regular(&path.join(RUN_FILE)).ok().filter(|text| text.starts_with(MARK.as_bytes()))?;
        Some(contents(&String::from_utf8_lossy(&text)) == contents(run))
    }

    /// Creates the directory if needed, and takes its lock.
    fn take(path: &Path, force: bool) -> Result<Directory, OutputError> {
        if path.exists() && !path.is_dir() {
            return Err(OutputError::NotADirectory { path: path.to_path_buf() });
        }
        // Not even a lock is written into a directory that holds other files.
        if !force && let Some(found) = foreign(path)? {
            return Err(OutputError::Foreign { directory: path.to_path_buf(), found });
        }
        fs::create_dir_all(path).map_err(OutputError::io("create", path))?;
        Ok(Directory { path: path.to_path_buf(), _lock: Some(Arc::new(Lock::take(path)?)) })
    }

    /// Removes the files of an earlier run. The mark goes last: the rest of an interrupted removal is still recognised
    /// as a run.
    fn empty(&self) -> Result<(), OutputError> {
        for name in [SUMMARY_FILE, CHECKPOINT_FILE, FRAMES_FILE, SURFACE_FILE, SERIES_FILE] {
            self.remove(name)?;
        }
        self.remove_frames(FRAMES, 0)?;
        self.remove_frames(SURFACES, 0)?;
        self.remove_if_empty(SURFACE_DIRECTORY)?;
        self.remove_meshes()?;
        self.remove_partial()?;
        self.remove(RUN_FILE)?;
        self.make(FRAMES)
    }

    /// Creates the directory of files that show frames, if needed.
    pub(super) fn make(&self, shown: Shown) -> Result<(), OutputError> {
        let path = self.join(shown.directory);
        fs::create_dir_all(&path).map_err(OutputError::io("create", &path))
    }

    /// Opens the directory of a run, unchanged; locked if it is writable.
    pub(super) fn of_run(path: &Path) -> Result<Directory, OutputError> {
        let lock = match Lock::take(path) {
            Err(error @ OutputError::InUse { .. }) => return Err(error),
            // A read-only directory can still be read; writing fails later.
            lock => lock.ok().map(Arc::new),
        };
        Ok(Directory { path: path.to_path_buf(), _lock: lock })
    }

    /// Removes a file if there is one.
    pub(super) fn remove(&self, name: &str) -> Result<(), OutputError> {
        let path = self.join(name);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(OutputError::io("remove", &path)(error)),
            _ => Ok(()),
        }
    }

    /// Removes the frames from a number on, and incomplete ones.
    pub(super) fn remove_frames(&self, shown: Shown, from: u64) -> Result<(), OutputError> {
        let names = entries(&self.join(shown.directory))?;
        let gone = |name: &&String| frame_number(name).is_some_and(|number| number >= from || name.ends_with(PARTIAL));
        names.iter().filter(gone).try_for_each(|name| self.remove(&format!("{}/{name}", shown.directory)))
    }

    /// Removes a directory in it if it is empty. Files of others stay, and the directory with them.
    fn remove_if_empty(&self, name: &str) -> Result<(), OutputError> {
        let path = self.join(name);
        if path.is_dir() && entries(&path)?.is_empty() {
            fs::remove_dir(&path).map_err(OutputError::io("remove", &path))?;
        }
        Ok(())
    }

    /// Removes the mesh files that a run kept, and their directories.
    fn remove_meshes(&self) -> Result<(), OutputError> {
        let meshes = self.join(MESHES_DIRECTORY);
        for number in entries(&meshes)?.iter().filter(|name| is_number(name)) {
            let kept = meshes.join(number);
            for name in entries(&kept)? {
                self.remove(&format!("{MESHES_DIRECTORY}/{number}/{name}"))?;
            }
            fs::remove_dir(&kept).map_err(OutputError::io("remove", &kept))?;
        }
        self.remove_if_empty(MESHES_DIRECTORY)
    }

    /// Removes incomplete files.
    pub(super) fn remove_partial(&self) -> Result<(), OutputError> {
        let names = entries(&self.path)?;
        let partial = |name: &&String| is_own(name) && name.ends_with(PARTIAL);
        names.iter().filter(partial).try_for_each(|name| self.remove(name))
    }

    /// Returns its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the path of a file in it.
    pub fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

/// Returns the lines of run.toml without the comments at its head, which name the version that wrote it.
fn contents(run: &str) -> Vec<&str> {
    run.lines().skip_while(|line| line.is_empty() || line.starts_with('#')).collect()
}

/// Returns something in the directory that no run wrote.
fn foreign(path: &Path) -> Result<Option<PathBuf>, OutputError> {
    let names = entries(path)?;
    let marked = read_regular(&path.join(RUN_FILE)).is_ok_and(|text| text.starts_with(MARK.as_bytes()));
    // A run that was killed before its mark was renamed leaves a lock, no frames, and the beginning of the mark.
    let begun = |name: &str| match name {
        FRAMES_DIRECTORY | LOCK_FILE => true,
        name if name.strip_suffix(PARTIAL) == Some(RUN_FILE) => read_regular(&path.join(name))
            .is_ok_and(|text| text.starts_with(MARK.as_bytes()) || MARK.as_bytes().starts_with(&text)),
        _ => false,
    };
    if let Some(name) = names.iter().find(|name| !is_own(name) || !(marked || begun(name))) {
        return Ok(Some(PathBuf::from(name)));
    }
    if let Some(name) = entries(&path.join(MESHES_DIRECTORY))?.iter().find(|name| !is_number(name)) {
        return Ok(Some(Path::new(MESHES_DIRECTORY).join(name)));
    }
    for Shown { directory, .. } in [FRAMES, SURFACES] {
        let frames = entries(&path.join(directory))?;
        if let Some(name) = frames.iter().find(|name| !marked || frame_number(name).is_none()) {
            return Ok(Some(Path::new(directory).join(name)));
        }
    }
    Ok(None)
}

/// Returns whether a run writes a file of this name.
pub(crate) fn is_own(name: &str) -> bool {
    let name = name.strip_suffix(PARTIAL).unwrap_or(name);
    let files = [RUN_FILE, FRAMES_FILE, SURFACE_FILE, SERIES_FILE, CHECKPOINT_FILE, SUMMARY_FILE, LOCK_FILE];
    let directories = [FRAMES_DIRECTORY, SURFACE_DIRECTORY, MESHES_DIRECTORY];
    files.contains(&name) || directories.contains(&name)
}

/// Returns whether a run keeps a mesh file in a directory of this name.
fn is_number(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|c| c.is_ascii_digit())
}

/// Returns the number of the frame that a run writes under this name.
fn frame_number(name: &str) -> Option<u64> {
    let name = name.strip_suffix(PARTIAL).unwrap_or(name);
    let number = name.strip_prefix("frame-")?.strip_suffix(".vtu")?;
    let digits = number.len() >= 6 && number.bytes().all(|c| c.is_ascii_digit());
    if digits { number.parse().ok() } else { None }
}

/// Returns the name of a frame.
pub(super) fn frame_name(number: u64) -> String {
    format!("frame-{number:06}.vtu")
}

/// Returns the names in a directory, sorted; none if there is no such directory.
fn entries(path: &Path) -> Result<Vec<String>, OutputError> {
    if !path.is_dir() {
        return Ok(Vec::new());
    }
    let mut names = Vec::new();
    for entry in fs::read_dir(path).map_err(OutputError::io("read", path))? {
        names.push(entry.map_err(OutputError::io("read", path))?.file_name().to_string_lossy().into_owned());
    }
    names.sort_unstable();
    Ok(names)
}
