//! The directory of a run: what belongs in it, and what may be replaced.
//!
//! | file | what |
//! |---|---|
//! | run.toml | the scene with every default filled in |
//! | frames.pvd, frames/frame-000000.vtu | positions and velocities |
//! | series.csv | energies, momenta and work, a row a step |
//! | summary.json | how it ended |

use super::OutputError;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// The scene, with every default filled in.
pub const RUN_FILE: &str = "run.toml";
/// The list of frames.
pub const FRAMES_FILE: &str = "frames.pvd";
/// The directory of the frames.
pub const FRAMES_DIRECTORY: &str = "frames";
/// Energies, momenta and work, a row a step.
pub const SERIES_FILE: &str = "series.csv";
/// How it ended.
pub const SUMMARY_FILE: &str = "summary.json";

/// How run.toml begins: the mark of a directory that may be replaced.
pub(super) const MARK: &str = "# pliant ";
/// Ending of a file that is not complete yet.
const PARTIAL: &str = ".partial";

/// A directory ready for a run.
#[derive(Debug, Clone)]
pub struct Directory {
    path: PathBuf,
}

impl Directory {
    /// Makes the directory, or empties it of an earlier run. Anything else in it is refused; with `force` it is left
    /// alone and the run is written beside it.
    pub fn prepare(path: &Path, force: bool) -> Result<Directory, OutputError> {
        if path.exists() && !path.is_dir() {
            return Err(OutputError::NotADirectory { path: path.to_path_buf() });
        }
        if path.is_dir() {
            if !force && let Some(found) = foreign(path)? {
                return Err(OutputError::Foreign { directory: path.to_path_buf(), found });
            }
            // The mark goes last: what is left of an interrupted removal is still known as a run's.
            for name in [SUMMARY_FILE, FRAMES_FILE, SERIES_FILE] {
                remove(&path.join(name))?;
            }
            for frame in entries(&path.join(FRAMES_DIRECTORY))?.iter().filter(|name| is_frame(name)) {
                remove(&path.join(FRAMES_DIRECTORY).join(frame))?;
            }
            for name in entries(path)?.iter().filter(|name| is_own(name) && name.ends_with(PARTIAL)) {
                remove(&path.join(name))?;
            }
            remove(&path.join(RUN_FILE))?;
        }
        let frames = path.join(FRAMES_DIRECTORY);
        fs::create_dir_all(&frames).map_err(OutputError::io("create", &frames))?;
        Ok(Directory { path: path.to_path_buf() })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of a file in it.
    pub fn join(&self, name: &str) -> PathBuf {
        self.path.join(name)
    }
}

/// Writes a whole file under another name, then renames it: there is never half a file of this name.
pub fn write_whole(path: &Path, bytes: &[u8]) -> Result<(), OutputError> {
    let mut partial = path.as_os_str().to_owned();
    partial.push(PARTIAL);
    let partial = PathBuf::from(partial);
    let write = || fs::File::create(&partial)?.write_all(bytes);
    if let Err(error) = write().and_then(|()| fs::rename(&partial, path)) {
        // Half a file helps nobody, and on a full disk its room does.
        fs::remove_file(&partial).ok();
        return Err(OutputError::Io { doing: "write", path: path.to_path_buf(), error });
    }
    Ok(())
}

/// Something in the directory that no run wrote.
fn foreign(path: &Path) -> Result<Option<PathBuf>, OutputError> {
    let names = entries(path)?;
    let marked = fs::read(path.join(RUN_FILE)).is_ok_and(|text| text.starts_with(MARK.as_bytes()));
    if let Some(name) = names.iter().find(|name| !is_own(name) || !(marked || name.as_str() == FRAMES_DIRECTORY)) {
        return Ok(Some(PathBuf::from(name)));
    }
    let frames = entries(&path.join(FRAMES_DIRECTORY))?;
    Ok(frames.iter().find(|name| !marked || !is_frame(name)).map(|name| Path::new(FRAMES_DIRECTORY).join(name)))
}

/// Whether a run writes a file of this name.
fn is_own(name: &str) -> bool {
    let name = name.strip_suffix(PARTIAL).unwrap_or(name);
    [RUN_FILE, FRAMES_FILE, FRAMES_DIRECTORY, SERIES_FILE, SUMMARY_FILE].contains(&name)
}

/// Whether a run writes a frame of this name.
fn is_frame(name: &str) -> bool {
    let name = name.strip_suffix(PARTIAL).unwrap_or(name);
    name.strip_prefix("frame-")
        .and_then(|rest| rest.strip_suffix(".vtu"))
        .is_some_and(|number| number.len() >= 6 && number.bytes().all(|c| c.is_ascii_digit()))
}

/// The name of a frame.
pub(super) fn frame_name(number: u64) -> String {
    format!("frame-{number:06}.vtu")
}

/// The names in a directory, sorted; none when there is no such directory.
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

/// Removes a file if there is one.
fn remove(path: &Path) -> Result<(), OutputError> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(OutputError::io("remove", path)(error)),
        _ => Ok(()),
    }
}
