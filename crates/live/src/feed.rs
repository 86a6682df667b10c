//! What a server has to show: a page, frames, and somebody who takes commands.

use crate::board::Board;
use crate::command::Command;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use tokio::sync::oneshot;

/// A command, and where its answer goes.
pub(crate) struct Job {
    pub command: Command,
    /// Done, or why not.
    pub answer: oneshot::Sender<Result<(), String>>,
}

/// Frames after a version, as bytes; may read files.
pub(crate) type Frames = Box<dyn Fn(u64) -> Vec<u8> + Send + Sync>;

/// What a server has to show.
pub(crate) struct Feed {
    /// The page.
    pub page: String,
    /// Whether there is something new, and who looks.
    pub board: Arc<Board>,
    /// What is new.
    pub frames: Frames,
    /// Who takes commands; nobody where files are shown.
    pub commands: Option<SyncSender<Job>>,
}
