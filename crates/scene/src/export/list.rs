//! Reads frames.pvd and similar lists of files and their times.

use super::ExportError;
use crate::disk::read_regular;
use std::path::{Component, Path, PathBuf};

/// A file of a list.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Listed {
    /// Its number in the list, from 0.
    pub number: usize,
    /// Time [s].
    pub time: f64,
    /// Path of the file.
    pub path: PathBuf,
}

/// Returns the files of a list, which must be in its directory; `None` if there is no such list.
pub(super) fn read(directory: &Path, name: &str) -> Result<Option<Vec<Listed>>, ExportError> {
    let path = directory.join(name);
    let wrong = |line: usize, what: String| ExportError::List { path: path.clone(), line, what };
    let text = match read_regular(&path) {
        Ok(bytes) => String::from_utf8(bytes).map_err(|_| wrong(1, "it is no text".to_string()))?,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(wrong(1, format!("it cannot be read ({error})"))),
    };
    let mut files: Vec<Listed> = Vec::new();
    let mut ended = false;
    for (line, text) in text.lines().enumerate().map(|(line, text)| (line + 1, text.trim())) {
        ended |= text == "</VTKFile>";
        if !text.starts_with("<DataSet ") {
            continue;
        }
        let attribute = |key: &str| attribute(text, key).ok_or_else(|| wrong(line, format!("it has no {key}")));
        let (time, file) = (attribute("timestep")?, attribute("file")?);
        let time = time.parse().ok().filter(|time: &f64| time.is_finite());
        let time = time.ok_or_else(|| wrong(line, "its timestep is no number".to_string()))?;
        if files.last().is_some_and(|last| last.time >= time) {
            return Err(wrong(line, format!("its time of {time} s is not later than that of the frame before")));
        }
        // A list must not read files outside its directory.
        let inside = |part| matches!(part, Component::Normal(_));
        if file.is_empty() || file.contains('\\') || !Path::new(file).components().all(inside) {
            return Err(wrong(line, format!("it names {file:?}, which is not in the directory of the run")));
        }
        files.push(Listed { number: files.len(), time, path: directory.join(file) });
    }
    match files.is_empty() {
        _ if !ended => Err(wrong(text.lines().count().max(1), "the list was cut off".to_string())),
        true => Err(ExportError::NoFrames { path }),
        false => Ok(Some(files)),
    }
}

fn attribute<'a>(tag: &'a str, key: &str) -> Option<&'a str> {
    let rest = tag.split_once(&format!(" {key}=\""))?.1;
    Some(rest.split_once('"')?.0)
}
