//! Frames: a VTU file each, and a collection that lists them with their times.

use super::directory::{Directory, FRAMES_DIRECTORY, FRAMES_FILE, frame_name, write_whole};
use super::{OutputError, vtu::Grid};
use crate::run::{Moment, Observer, Outcome};
use model::mesh::Mesh;
use std::fmt::Write;

/// Writes frames when the schedule asks for one, and the last good state whatever the end.
pub struct Frames {
    directory: Directory,
    grid: Grid,
    /// The <DataSet> lines of the frames written.
    listed: String,
    written: u64,
    last_step: Option<u64>,
}

impl Frames {
    /// Frames of a mesh; `body` is the number of the body that a node belongs to.
    pub fn new(directory: &Directory, mesh: &Mesh, body: impl Fn(u32) -> usize) -> Frames {
        let grid = Grid::new(mesh, body);
        Frames { directory: directory.clone(), grid, listed: String::new(), written: 0, last_step: None }
    }

    /// Number of frames written.
    pub fn written(&self) -> u64 {
        self.written
    }

    fn write(&mut self, moment: &Moment) -> Result<(), OutputError> {
        let name = format!("{FRAMES_DIRECTORY}/{}", frame_name(self.written));
        let text = self.grid.frame(moment.mesh, moment.model, moment.state);
        write_whole(&self.directory.join(&name), text.as_bytes())?;
        // Writing to a string cannot fail.
        let _ = writeln!(self.listed, "<DataSet timestep=\"{}\" part=\"0\" file=\"{name}\"/>", moment.state.t);
        // The collection is replaced only once its newest frame is whole: it is valid at any time.
        let collection = format!(
            "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n\
             <Collection>\n{}</Collection>\n</VTKFile>\n",
            self.listed
        );
        write_whole(&self.directory.join(FRAMES_FILE), collection.as_bytes())?;
        self.written += 1;
        self.last_step = Some(moment.step);
        Ok(())
    }
}

impl Observer for Frames {
    fn observe(&mut self, moment: &Moment) -> Result<(), OutputError> {
        if moment.is_frame { self.write(moment) } else { Ok(()) }
    }

    fn finish(&mut self, moment: &Moment, _: &Outcome) -> Result<(), OutputError> {
        if self.last_step == Some(moment.step) { Ok(()) } else { self.write(moment) }
    }
}
