//! Sequences of files that show a run: one VTU file per frame, and a collection that lists them with their times.

use super::OutputError;
use super::collection::Collection;
use super::directory::{Directory, Shown, frame_name};
use super::mark::{Mark, Written};
use crate::disk::{sync, sync_directory, write_whole};

/// Files of one kind: one per frame of the schedule, and one of the last good state at any end.
pub(super) struct Sequence {
    directory: Directory,
    shown: Shown,
    list: Collection,
    written: u64,
    /// Time of the last file [s].
    last: Option<f64>,
    /// Number of files that are safe on the disk.
    synced: u64,
}

impl Sequence {
    /// Begins the list.
    pub fn new(directory: &Directory, shown: Shown) -> Result<Sequence, OutputError> {
        directory.make(shown)?;
        let list = Collection::new(&directory.join(shown.list))?;
        Ok(Sequence { directory: directory.clone(), shown, list, written: 0, last: None, synced: 0 })
    }

    /// Continues with file number `written`, listed after earlier ones; files from there on are removed.
    pub fn resume(directory: &Directory, shown: Shown, listed: Written, written: u64) -> Result<Sequence, OutputError> {
        let list = Collection::resume(&directory.join(shown.list), listed)?;
        directory.remove_frames(shown, written)?;
        Ok(Sequence { directory: directory.clone(), shown, list, written, last: None, synced: written })
    }

    /// Returns the mark of the list, without its end.
    pub fn mark(&self) -> Mark {
        self.list.mark()
    }

    /// Returns the number of files written.
    pub fn written(&self) -> u64 {
        self.written
    }

    /// Waits until all is on the disk.
    pub fn sync(&mut self) -> Result<(), OutputError> {
        let files = self.directory.join(self.shown.directory);
        (self.synced..self.written).try_for_each(|number| sync(&files.join(frame_name(number))))?;
        sync_directory(&files);
        self.synced = self.written;
        self.list.sync()
    }

    /// Returns whether the last file has this time [s].
    pub fn has(&self, time: f64) -> bool {
        self.last == Some(time)
    }

    /// Writes the file of a time [s].
    pub fn write(&mut self, time: f64, text: &str) -> Result<(), OutputError> {
        let name = format!("{}/{}", self.shown.directory, frame_name(self.written));
        // Listed only once it is whole.
        write_whole(&self.directory.join(&name), text.as_bytes())?;
        self.list.add(time, &name, Mark::of(text.as_bytes()))?;
        self.written += 1;
        self.last = Some(time);
        Ok(())
    }
}
