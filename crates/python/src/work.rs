//! Long work: without the interpreter's lock, stopped by Ctrl-C, and never a panic.

use crate::errors;
use pyo3::prelude::*;
use simulation::caught;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Time between two looks at signals: below it a person does not notice a delay.
const LOOK: Duration = Duration::from_millis(50);
/// Expected seconds of work above which Ctrl-C has to be seen inside of it. A thread for it costs some 30 us.
pub const LONG: f64 = 0.05;
/// Stack of the thread that works, as large as that of a main thread [bytes].
const STACK: usize = 16 << 20;

/// Work that has ended.
pub struct Ended<T> {
    /// Its result; that of interrupted work if there was an exception.
    pub result: T,
    /// Exception that was raised meanwhile, by Ctrl-C or by a function of the user.
    pub raised: Option<PyErr>,
}

impl<T> Ended<T> {
    /// Returns the result, or raises the exception that interrupted the work.
    pub fn whole(self) -> PyResult<T> {
        match self.raised {
            Some(error) => Err(error),
            None => Ok(self.result),
        }
    }
}

/// Does short work on this thread, without the interpreter's lock. A panic becomes an exception.
pub fn short<T: Send>(py: Python, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    py.detach(|| caught(work)).map_err(|message| errors::fault(&message))
}

/// Does work that takes about so many seconds. It has to end soon after the flag is set.
pub fn interruptible<T: Send>(
    py: Python,
    seconds: f64,
    work: impl FnOnce(&AtomicBool) -> T + Send,
) -> PyResult<Ended<T>> {
    if seconds < LONG {
        let never = AtomicBool::new(false);
        return Ok(Ended { result: short(py, || work(&never))?, raised: None });
    }
    told(py, |stop, _: &Sender<()>| work(stop), |_, ()| Ok(()))
}

/// Does long work on another thread, while this one looks for signals and listens to the messages that the work sends.
pub fn told<T: Send, M: Send>(
    py: Python,
    work: impl FnOnce(&AtomicBool, &Sender<M>) -> T + Send,
    mut listen: impl FnMut(Python, M) -> PyResult<()> + Send,
) -> PyResult<Ended<T>> {
    let (stop, (sender, receiver)) = (AtomicBool::new(false), channel::<M>());
    let stop = &stop;
    let mut raised = None;
    let raising = &mut raised;
    let result = py.detach(move || {
        std::thread::scope(|scope| {
            let job = move || caught(|| work(stop, &sender));
            let thread = std::thread::Builder::new().stack_size(STACK).spawn_scoped(scope, job);
            let thread = thread.map_err(|error| format!("no thread could be started ({error})"))?;
            wait(receiver, stop, raising, &mut listen);
            thread.join().unwrap_or_else(|_| Err("the work ended in a panic".to_string()))
        })
    });
    let result = result.map_err(|message| errors::fault(&message))?;
    Ok(Ended { result, raised })
}

/// Waits until nobody can send any more, which is when the work has ended.
fn wait<M>(
    receiver: Receiver<M>,
    stop: &AtomicBool,
    raised: &mut Option<PyErr>,
    listen: &mut impl FnMut(Python, M) -> PyResult<()>,
) {
    loop {
        let looked = match receiver.recv_timeout(LOOK) {
            // After an exception messages are taken, so that nobody waits for an answer, but not told.
            Ok(_) if raised.is_some() => Ok(()),
            Ok(message) => Python::attach(|py| listen(py, message)),
            Err(RecvTimeoutError::Timeout) if raised.is_some() => Ok(()),
            Err(RecvTimeoutError::Timeout) => Python::attach(|py| py.check_signals()),
            Err(RecvTimeoutError::Disconnected) => return,
        };
        if let Err(error) = looked {
            stop.store(true, Ordering::Relaxed);
            raised.get_or_insert(error);
        }
    }
}
