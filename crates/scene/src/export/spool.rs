//! Positions in single precision, written frame by frame and read back body by body.

use super::draft::{Draft, Sink};
use super::{ExportError, Task};
use crate::output::OutputError;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::{Path, PathBuf};

/// Bytes of a position.
const POINT: usize = 12;

/// All frames in a temporary file.
pub(super) struct Spool {
    path: PathBuf,
    file: File,
    nodes: usize,
    /// Removes the file when dropped.
    _draft: Draft,
}

impl Spool {
    /// Stores every frame.
    pub fn of(task: &mut Task) -> Result<Spool, ExportError> {
        let path = beside(task.output);
        let draft = Draft::file(&path)?;
        let mut sink: Sink = draft.begin()?;
        for frame in 0..task.source.frames.len() {
            task.place(frame)?;
            sink.floats(task.shown.mesh.points.as_flattened().iter().map(|&x| x as f32))?;
        }
        Ok(Spool { path, file: sink.end()?, nodes: task.shown.mesh.points.len(), _draft: draft })
    }

    /// Reads the positions [m] of some nodes in a frame.
    pub fn read(&mut self, frame: usize, nodes: Range<usize>) -> Result<Vec<[f32; 3]>, OutputError> {
        let mut bytes = vec![0; POINT * nodes.len()];
        let at = (POINT * (frame * self.nodes + nodes.start)) as u64;
        let mut fetch = || {
            self.file.seek(SeekFrom::Start(at))?;
            self.file.read_exact(&mut bytes)
        };
        fetch().map_err(OutputError::io("read", &self.path))?;
        let number = |bytes: &[u8; 4]| f32::from_le_bytes(*bytes);
        let point = |bytes: &[u8; POINT]| {
            let (numbers, _) = bytes.as_chunks::<4>();
            std::array::from_fn(|k| number(&numbers[k]))
        };
        Ok(bytes.as_chunks::<POINT>().0.iter().map(point).collect())
    }
}

fn beside(output: &Path) -> PathBuf {
    let mut name = output.file_name().unwrap_or_default().to_os_string();
    name.push(".points");
    output.with_file_name(name)
}
