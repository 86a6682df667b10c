//! Requests to stop, seen inside long computations.
//!
//! Work that may be interrupted runs inside [`watch`]; long computations call [`check`] now and then, and end with the
//! error it returns. No function in between has to pass anything on. A watch belongs to its thread: work that continues
//! in another one takes it along with [`carry`].

use std::cell::RefCell;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// A stop was requested.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interrupted;

/// A source of stop requests.
#[derive(Debug)]
pub struct Signal<'a> {
    stop: &'a AtomicBool,
    /// Checks so far.
    checks: AtomicU64,
    /// Number of the check that requests a stop whatever the flag says.
    last: u64,
}

impl<'a> Signal<'a> {
    /// Requests a stop once the flag is set.
    pub fn new(stop: &'a AtomicBool) -> Signal<'a> {
        Signal { stop, checks: AtomicU64::new(0), last: u64::MAX }
    }

    /// The same, and requests a stop at the check of this number at the latest, counted from 1: for tests, which count
    /// and never time.
    pub fn at_check(stop: &'a AtomicBool, number: u64) -> Signal<'a> {
        Signal { last: number, ..Signal::new(stop) }
    }

    /// Returns the checks so far.
    pub fn checks(&self) -> u64 {
        self.checks.load(Ordering::Relaxed)
    }

    fn asks(&self) -> bool {
        let number = self.checks.fetch_add(1, Ordering::Relaxed) + 1;
        number >= self.last || self.stop.load(Ordering::Relaxed)
    }
}

thread_local! {
    /// Signals of this thread's watches, the innermost last.
    static WATCHES: RefCell<Vec<*const Signal<'static>>> = const { RefCell::new(Vec::new()) };
}

/// Ends a watch, also if the work panics.
struct Watch;

impl Drop for Watch {
    fn drop(&mut self) {
        WATCHES.with_borrow_mut(|watches| watches.pop());
    }
}

/// Runs `work` while the signal is watched.
pub fn watch<R>(signal: &Signal, work: impl FnOnce() -> R) -> R {
    let signal: *const Signal = signal;
    WATCHES.with_borrow_mut(|watches| watches.push(signal.cast()));
    let _watch = Watch;
    work()
}

/// Returns an error once a watched signal requests a stop.
pub fn check() -> Result<(), Interrupted> {
    WATCHES.with_borrow(|watches| ask(watches))
}

fn ask(watches: &[*const Signal<'static>]) -> Result<(), Interrupted> {
    // All are queried, because each counts its checks.
    // SAFETY: a pointer is held only while `watch` borrows what it points to.
    let asking = watches.iter().filter(|signal| unsafe { &***signal }.asks()).count();
    if asking > 0 { Err(Interrupted) } else { Ok(()) }
}

/// Lets `hand` pass work to another thread; the work runs inside `during(&|| ...)`, which watches the same signals
/// there.
pub fn carry<R>(hand: impl FnOnce(&Carried) -> R) -> R {
    hand(&Carried(WATCHES.with_borrow(|watches| watches.clone())))
}

/// Watches of another thread, which waits.
#[derive(Debug)]
pub struct Carried(Vec<*const Signal<'static>>);

// SAFETY: signals are made of atomics, and `carry` lends them only as long as the thread that watches them waits.
unsafe impl Sync for Carried {}

impl Carried {
    /// The same as [`check`], from any thread.
    pub fn check(&self) -> Result<(), Interrupted> {
        ask(&self.0)
    }

    /// Runs `work` while the carried signals are watched.
    pub fn during<R>(&self, work: impl FnOnce() -> R) -> R {
        let _restored = Restored(WATCHES.replace(self.0.clone()));
        work()
    }
}

/// Restores the watches of a thread, also if the work panics.
struct Restored(Vec<*const Signal<'static>>);

impl Drop for Restored {
    fn drop(&mut self) {
        WATCHES.set(std::mem::take(&mut self.0));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_is_seen_inside_its_watch_only() {
        let (outer, inner) = (AtomicBool::new(false), AtomicBool::new(false));
        assert_eq!(check(), Ok(()));
        watch(&Signal::new(&outer), || {
            let counted = Signal::at_check(&inner, 3);
            let found: Vec<_> = watch(&counted, || (0..4).map(|_| check().is_err()).collect());
            assert_eq!(found, [false, false, true, true]);
            assert_eq!(counted.checks(), 4);
            assert_eq!(check(), Ok(()));
            outer.store(true, Ordering::Relaxed);
            assert_eq!(watch(&Signal::new(&inner), check), Err(Interrupted));
            let elsewhere = carry(|carried| std::thread::scope(|s| s.spawn(|| carried.during(check)).join().unwrap()));
            assert_eq!(elsewhere, Err(Interrupted));
        });
        assert_eq!(check(), Ok(()));
    }
}
