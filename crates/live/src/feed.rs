//! Content of a server: a page, frames, and a receiver of commands.

use crate::board::Board;
use crate::command::Command;
use std::sync::Arc;
use std::sync::mpsc::SyncSender;
use tokio::sync::oneshot;

/// A command, and the channel for its answer.
pub(crate) struct Job {
    pub command: Command,
    /// `Ok`, or the reason for a refusal.
    pub answer: oneshot::Sender<Result<(), String>>,
}

/// Returns the frames after a version, as bytes; may read files.
pub(crate) type Frames = Box<dyn Fn(u64) -> Vec<u8> + Send + Sync>;

/// Content of a server.
pub(crate) struct Feed {
    /// The page.
    pub page: String,
    /// Signals news, and counts open pages.
    pub board: Arc<Board>,
    /// Source of frames.
    pub frames: Frames,
    /// Receiver of commands; `None` where files are shown.
    pub commands: Option<SyncSender<Job>>,
}
