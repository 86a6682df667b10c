//! Live view of a run directory: frames are read on request, as far as they are written, and none is stored.

use crate::board::Board;
use crate::facts;
use crate::feed::Feed;
use crate::frame::{Facts, Frame, answer};
use crate::server::{LiveError, Server};
use report::series::Series;
use report::top;
use scene::Scene;
use scene::export::{Refreshed, Replay};
use scene::files::read_regular;
use scene::output::{RUN_FILE, SERIES_FILE, SUMMARY_FILE};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

/// Interval between checks of the list of frames.
const LOOK: Duration = Duration::from_millis(250);
/// Limit of an answer [bytes], beyond its first frame.
const MOST_BYTES: usize = 2 << 20;

impl Server {
    /// Shows the run of a directory, including frames added while it is running.
    pub fn of_run(replay: Replay, directory: &Path, command: &str, port: u16) -> Result<Server, LiveError> {
        let scene = read_scene(directory);
        let name = directory.file_name().unwrap_or_default().to_string_lossy();
        let page = facts::of_run(&name, scene.as_ref(), &replay, command);
        let board = Board::new();
        let reel = Reel::new(replay, directory, scene.as_ref());
        board.announce(reel.version());
        let reel = Arc::new(Mutex::new(reel));
        let (looked_at, watched) = (reel.clone(), Arc::downgrade(&board));
        let work = move || look(&looked_at, &watched);
        let worker = std::thread::Builder::new().name("files".to_string()).spawn(work).map_err(LiveError::Thread)?;
        let frames = move |since| lock(&reel).answer(since);
        Server::start(Feed { page, board, frames: Box::new(frames), commands: None }, port, worker)
    }
}

/// Checks for new frames as long as the server exists.
fn look(reel: &Mutex<Reel>, board: &Weak<Board>) {
    while let Some(board) = board.upgrade() {
        if board.is_watched() {
            let version = lock(reel).refresh();
            board.announce(version);
        }
        drop(board);
        std::thread::sleep(LOOK);
    }
}

fn lock(reel: &Mutex<Reel>) -> std::sync::MutexGuard<'_, Reel> {
    reel.lock().unwrap_or_else(PoisonError::into_inner)
}

fn read_scene(directory: &Path) -> Option<Scene> {
    Scene::load(&directory.join(RUN_FILE)).ok()
}

/// Name of the method, and length of a step [s].
fn integrator(scene: &Scene) -> (&'static str, f64) {
    (scene.integrator.method.name, scene.integrator.step)
}

/// Versions count frames, including those of earlier runs in the directory, so they never decrease.
struct Reel {
    replay: Replay,
    directory: PathBuf,
    /// Number of earlier runs in the directory.
    epoch: u64,
    /// Version at the beginning of this run.
    base: u64,
    /// Highest version so far.
    highest: u64,
    /// Name of the method, and length of a step [s].
    integrator: Option<(&'static str, f64)>,
    /// Top of the colour scale so far [m/s].
    top: f64,
    /// Length of the series when read, and its content.
    series: Option<(u64, Series)>,
    /// Reason why no more frames come.
    trouble: Option<String>,
}

impl Reel {
    fn new(replay: Replay, directory: &Path, scene: Option<&Scene>) -> Reel {
        let mut reel = Reel {
            replay,
            directory: directory.to_path_buf(),
            epoch: 0,
            base: 0,
            highest: 0,
            integrator: scene.map(integrator),
            top: 0.0,
            series: None,
            trouble: None,
        };
        reel.highest = reel.version();
        reel
    }

    fn version(&self) -> u64 {
        self.base + self.replay.len() as u64
    }

    /// Checks the files, and returns the current version.
    fn refresh(&mut self) -> u64 {
        self.trouble = match self.replay.refresh() {
            Ok(Refreshed::Same) => None,
            Ok(Refreshed::Another) => {
                (self.epoch, self.base) = (self.epoch + 1, self.highest);
                self.integrator = read_scene(&self.directory).as_ref().map(integrator);
                (self.top, self.series) = (0.0, None);
                None
            }
            Ok(Refreshed::Foreign) => {
                Some("another run has begun, which shows something else; start pliant view again".to_string())
            }
            Err(error) => Some(error.to_string()),
        };
        self.highest = self.highest.max(self.version());
        self.version()
    }

    /// Returns the frames after a version, as many as fit an answer.
    fn answer(&mut self, since: u64) -> Vec<u8> {
        // A run replaced since the last check is not confused with the one before.
        self.refresh();
        // After a read error clients should not repeat the request at once; a replacement is shown from its beginning.
        let since = if self.trouble.is_some() { u64::MAX } else { since.saturating_sub(self.base) };
        let first = usize::try_from(since).unwrap_or(usize::MAX).min(self.replay.len());
        let (mut frames, mut size, mut next) = (Vec::new(), 0, first);
        while next < self.replay.len() && size < MOST_BYTES {
            next += 1;
            match self.frame(next - 1) {
                Ok(Some(frame)) => {
                    size += frame.len();
                    frames.push(frame);
                }
                // Frames with numbers that are not finite are not shown.
                Ok(None) => {}
                Err(words) => {
                    self.trouble = Some(words);
                    break;
                }
            }
        }
        answer(self.base + next as u64, self.epoch, &self.state(), frames.iter())
    }

    fn frame(&mut self, number: usize) -> Result<Option<Frame>, String> {
        let read = self.replay.read(number).map_err(|error| error.to_string())?;
        let facts = Facts { time: read.time, energies: self.energies(read.time), flow: None };
        let fields: Vec<(Vec<f64>, f64)> = (read.speeds.into_iter())
            .map(|speeds| {
                self.top = self.top.max(top(speeds.iter().map(|&x| x as f32)));
                (speeds, self.top)
            })
            .collect();
        Ok(Frame::new(self.base + number as u64 + 1, &facts, &read.points, &fields))
    }

    /// Returns the energies at a time [s] from the series, as far as it is written [J].
    fn energies(&mut self, time: f64) -> Option<[f64; 3]> {
        let path = self.directory.join(SERIES_FILE);
        let length = std::fs::metadata(&path).ok()?.len();
        if self.series.as_ref().is_none_or(|(read, _)| *read != length) {
            let text = String::from_utf8(read_regular(&path).ok()?).ok()?;
            // The last line may be incomplete.
            let whole = &text[..text.rfind('\n')? + 1];
            self.series = Some((length, Series::parse(whole).ok()?));
        }
        self.series.as_ref()?.1.energies(time)
    }

    fn state(&self) -> Value {
        let summary = read_regular(&self.directory.join(SUMMARY_FILE)).unwrap_or_default();
        let summary: Value = serde_json::from_slice(&summary).unwrap_or_default();
        let outcome = summary["outcome"].as_str();
        let divergence = &summary["divergence"];
        let diverged = (outcome == Some("diverged"))
            .then(|| json!({ "time": divergence["time"].as_f64(), "cause": divergence["message"].as_str() }));
        let words = self.trouble.as_deref().or(match outcome {
            Some("diverged") => None,
            Some(word) => Some(word),
            None => Some("is being written"),
        });
        json!({
            "running": outcome.is_none() && self.trouble.is_none(),
            "method": self.integrator.map_or("", |(name, _)| name),
            "step": self.integrator.map_or(0.0, |(_, step)| step),
            "words": words,
            "diverged": diverged,
        })
    }
}
