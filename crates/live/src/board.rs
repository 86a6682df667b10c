//! Data that pages see: the newest frames and the state of the simulation. Old frames are dropped when there are too
//! many: a slow page misses some, and nothing waits for it.

use crate::frame::{Frame, answer};
use serde_json::Value;
use std::collections::VecDeque;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// Limit of stored frames.
const MOST_FRAMES: usize = 64;
/// Limit of their size [bytes].
const MOST_BYTES: usize = 32 << 20;
/// Time without a request after which a page counts as gone.
const PATIENCE: Duration = Duration::from_secs(2);

/// Data that pages see.
pub(crate) struct Board {
    shown: Mutex<Shown>,
    version: watch::Sender<u64>,
    readers: Mutex<Readers>,
    /// Set when the server ends: the current step is abandoned.
    pub is_closing: AtomicBool,
}

#[derive(Default)]
struct Shown {
    version: u64,
    epoch: u64,
    state: Value,
    frames: VecDeque<Frame>,
}

#[derive(Default)]
struct Readers {
    now: usize,
    last: Option<Instant>,
}

impl Board {
    /// Makes an empty board.
    pub fn new() -> Arc<Board> {
        let (version, _) = watch::channel(0);
        Arc::new(Board {
            shown: Mutex::default(),
            version,
            readers: Mutex::default(),
            is_closing: AtomicBool::new(false),
        })
    }

    /// Shows a state, and a frame made with its number.
    pub fn show(&self, state: Value, frame: impl FnOnce(u64) -> Option<Frame>) {
        let mut shown = lock(&self.shown);
        shown.version += 1;
        shown.state = state;
        if let Some(frame) = frame(shown.version) {
            shown.frames.push_back(frame);
            while shown.frames.len() > MOST_FRAMES
                || (shown.frames.len() > 1 && shown.frames.iter().map(Frame::len).sum::<usize>() > MOST_BYTES)
            {
                shown.frames.pop_front();
            }
        }
        let version = shown.version;
        drop(shown);
        self.version.send_replace(version);
    }

    /// Announces news stored elsewhere, up to this version.
    pub fn announce(&self, version: u64) {
        self.version.send_replace(version);
    }

    /// Drops all frames: time begins again.
    pub fn clear(&self) {
        let mut shown = lock(&self.shown);
        shown.epoch += 1;
        shown.frames.clear();
    }

    /// Returns the state and the frames after a version.
    pub fn answer(&self, since: u64) -> Vec<u8> {
        let shown = lock(&self.shown);
        answer(shown.version, shown.epoch, &shown.state, shown.frames.iter().filter(|frame| frame.number > since))
    }

    /// Returns the version, to wait for a change.
    pub fn version(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }

    /// Returns true if a page is open.
    pub fn is_watched(&self) -> bool {
        let readers = lock(&self.readers);
        readers.now > 0 || readers.last.is_some_and(|last| last.elapsed() < PATIENCE)
    }

    /// Marks the board as watched while the returned value lives, and a little longer.
    pub fn reader(self: &Arc<Board>) -> Reader {
        lock(&self.readers).now += 1;
        Reader(self.clone())
    }
}

/// A page that is open.
pub(crate) struct Reader(Arc<Board>);

impl Drop for Reader {
    fn drop(&mut self) {
        let mut readers = lock(&self.0.readers);
        readers.now -= 1;
        readers.last = Some(Instant::now());
    }
}

/// A lock is usable after a panic: every change is complete.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Facts;
    use serde_json::json;

    fn frame(number: u64, points: usize) -> Option<Frame> {
        Frame::new(number, &Facts { time: number as f64, energies: None, flow: None }, &vec![[0.5; 3]; points], &[])
    }

    #[test]
    fn memory_has_an_end_whoever_reads_or_not() {
        let board = Board::new();
        for _ in 0..1000 {
            board.show(json!({}), |number| frame(number, 10));
        }
        assert_eq!(lock(&board.shown).frames.len(), MOST_FRAMES);
        for _ in 0..100 {
            board.show(json!({}), |number| frame(number, 1_000_000));
        }
        let shown = lock(&board.shown);
        assert!(shown.frames.iter().map(Frame::len).sum::<usize>() <= MOST_BYTES);
        assert_eq!(shown.frames.back().unwrap().number, 1100);
    }

    #[test]
    fn a_reader_is_seen_while_it_reads_and_shortly_after() {
        let board = Board::new();
        assert!(!board.is_watched());
        let reader = board.reader();
        assert!(board.is_watched());
        drop(reader);
        assert!(board.is_watched());
        lock(&board.readers).last = Some(Instant::now() - 2 * PATIENCE);
        assert!(!board.is_watched());
    }
}
