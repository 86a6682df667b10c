//! Live view of a scene: the thread that computes it, in real time.

use crate::board::Board;
use crate::facts;
use crate::feed::{Feed, Job};
use crate::server::{LiveError, Server};
use crate::simulation::Live;
use numerics::interrupt::{Signal, watch};
use scene::{Built, Scene, caught};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// Limit of waiting commands.
const MOST_COMMANDS: usize = 16;
/// Least interval between frames: more would not be visible.
const FRAME: Duration = Duration::from_millis(15);
/// Delay of a step after which the clock is reset.
const LATE: Duration = Duration::from_millis(100);
/// Interval at which a paused simulation checks for commands.
const REST: Duration = Duration::from_millis(50);

impl Server {
    /// Runs a scene as pages watch: it stands still until somebody looks, and when nobody does.
    pub fn of_scene(scene: Scene, built: Built, command: &str, port: u16) -> Result<Server, LiveError> {
        let board = Board::new();
        let mut live = Live::new(scene.clone(), built);
        board.show(live.state(), |number| live.frame(number));
        let page = facts::of_scene(&scene, &live, command);
        let (commands, jobs) = sync_channel(MOST_COMMANDS);
        let shown = board.clone();
        let work = move || work(live, &jobs, &board);
        let worker =
            std::thread::Builder::new().name("simulation".to_string()).spawn(work).map_err(LiveError::Thread)?;
        let frames = {
            let board = shown.clone();
            Box::new(move |since| board.answer(since))
        };
        Server::start(Feed { page, board: shown, frames, commands: Some(commands) }, port, worker)
    }
}

/// Computes and obeys commands until the channel is closed.
fn work(live: Live, jobs: &Receiver<Job>, board: &Arc<Board>) {
    watch(&Signal::new(&board.is_closing), || compute(live, jobs, board));
}

fn compute(mut live: Live, jobs: &Receiver<Job>, board: &Arc<Board>) {
    let (mut due, mut shown) = (Instant::now(), Instant::now());
    loop {
        let is_watched = board.is_watched();
        // A page that was closed can no longer release the point.
        if !is_watched && live.let_go() {
            show(&mut live, board);
        }
        let goes_on = live.goes_on() && is_watched;
        let wait = if goes_on { due.saturating_duration_since(Instant::now()) } else { REST };
        match jobs.recv_timeout(wait.min(REST)) {
            Ok(Job { command, answer }) => {
                // If a method cannot be made, the current one stays.
                let done = caught(|| live.obey(command, board));
                let done = done.unwrap_or_else(|message| Err(format!("the program failed: {message}")));
                show(&mut live, board);
                // The client may have gone.
                let _ = answer.send(done);
                continue;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => return,
        }
        let now = Instant::now();
        if !goes_on || now < due {
            continue;
        }
        if let Err(message) = caught(|| live.step()) {
            live.fail(&message);
        }
        // After a slow step the next ones do not try to catch up.
        let length = Duration::try_from_secs_f64(live.h() / live.speed).unwrap_or(REST);
        due = (due + length).max(now.checked_sub(LATE).unwrap_or(now));
        if now.duration_since(shown) >= FRAME || !live.goes_on() {
            shown = now;
            show(&mut live, board);
        }
    }
}

/// Shows the current state; a frame that cannot be drawn is left out.
fn show(live: &mut Live, board: &Board) {
    board.show(live.state(), |number| caught(|| live.frame(number)).ok().flatten());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::command::Command;
    use serde_json::Value;
    use tokio::sync::oneshot;

    fn state(board: &Board) -> Value {
        let bytes = board.answer(u64::MAX);
        serde_json::from_slice::<Value>(&bytes[4..]).unwrap()["state"].clone()
    }

    #[test]
    fn a_page_that_goes_away_lets_go() {
        let mut live = crate::simulation::tests::live("backward-euler");
        let board = Board::new();
        board.show(live.state(), |number| live.frame(number));
        let point = live.drawing.rest.iter().position(|point| point[0] > 0.9).unwrap();
        let (commands, jobs) = sync_channel(1);
        let worker = std::thread::spawn({
            let board = board.clone();
            move || work(live, &jobs, &board)
        });
        let page = board.reader();
        let (answer, done) = oneshot::channel();
        commands.send(Job { command: Command::Pull { point, to: [1.0, 1.0, 1.0] }, answer }).unwrap();
        done.blocking_recv().unwrap().unwrap();
        assert_eq!(state(&board)["pulled"], point);
        drop(page);
        let begin = Instant::now();
        while !state(&board)["pulled"].is_null() {
            assert!(begin.elapsed() < Duration::from_secs(30), "the hand of a page that is gone pulls on");
            std::thread::sleep(Duration::from_millis(20));
        }
        drop(commands);
        worker.join().unwrap();
    }

    /// The first step of this body takes minutes, and the server ends in the middle of it.
    #[test]
    fn a_step_under_way_is_given_up_when_the_server_ends() {
        let live = crate::simulation::tests::endless();
        let board = Board::new();
        let (commands, jobs) = sync_channel(1);
        let (entered, enters) = sync_channel(1);
        let worker = std::thread::spawn({
            let board = board.clone();
            move || {
                entered.send(()).unwrap();
                work(live, &jobs, &board);
            }
        });
        let _page = board.reader();
        enters.recv().unwrap();
        std::thread::sleep(Duration::from_millis(200));
        board.is_closing.store(true, std::sync::atomic::Ordering::Relaxed);
        drop(commands);
        let begin = Instant::now();
        worker.join().unwrap();
        assert!(begin.elapsed() < Duration::from_secs(30), "the step goes on: {:?}", begin.elapsed());
    }
}
