//! Frames: a VTU file each, and a collection that lists them with their times.

use super::collection::Collection;
use super::directory::{Directory, FRAMES_DIRECTORY, frame_name, sync, sync_directory, write_whole};
use super::mark::Mark;
use super::{OutputError, vtu::Grid};
use crate::run::{Moment, Observer, Outcome};
use model::mesh::Mesh;

/// Writes frames when the schedule asks for one, and the last good state whatever the end.
pub struct Frames {
    directory: Directory,
    grid: Grid,
    collection: Collection,
    written: u64,
    last_step: Option<u64>,
    /// Number of frames that are safe on the disk.
    synced: u64,
}

impl Frames {
    /// Frames of a mesh; `body` is the number of the body that a node belongs to.
    pub fn new(directory: &Directory, mesh: &Mesh, body: impl Fn(u32) -> usize) -> Result<Frames, OutputError> {
        let (grid, collection) = (Grid::new(mesh, body), Collection::new(directory)?);
        Ok(Frames { directory: directory.clone(), grid, collection, written: 0, last_step: None, synced: 0 })
    }

    /// Goes on with frame number `written`, listed behind a mark; frames from there on are removed.
    pub(super) fn resume(
        directory: &Directory,
        mesh: &Mesh,
        body: impl Fn(u32) -> usize,
        mark: Mark,
        written: u64,
    ) -> Result<Frames, OutputError> {
        let (grid, collection) = (Grid::new(mesh, body), Collection::resume(directory, mark)?);
        directory.remove_frames(written)?;
        Ok(Frames { directory: directory.clone(), grid, collection, written, last_step: None, synced: written })
    }

    /// The list of frames, without its end.
    pub(super) fn mark(&self) -> Mark {
        self.collection.mark()
    }

    /// Waits until all is on the disk.
    pub(super) fn sync(&mut self) -> Result<(), OutputError> {
        let frames = self.directory.join(FRAMES_DIRECTORY);
        (self.synced..self.written).try_for_each(|number| sync(&frames.join(frame_name(number))))?;
        sync_directory(&frames);
        self.synced = self.written;
        self.collection.sync()
    }

    /// Number of frames written.
    pub fn written(&self) -> u64 {
        self.written
    }

    fn write(&mut self, moment: &Moment) -> Result<(), OutputError> {
        let name = format!("{FRAMES_DIRECTORY}/{}", frame_name(self.written));
        let text = self.grid.frame(moment.mesh, moment.model, moment.state);
        // Listed only once it is whole.
        write_whole(&self.directory.join(&name), text.as_bytes())?;
        self.collection.add(moment.state.t, &name)?;
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
