//! Panics as values: a program error in one run does not end the others.

use std::any::Any;
use std::panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind, set_hook, take_hook};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, Once, PoisonError};

/// Number of callers that currently catch panics.
static CATCHING: AtomicUsize = AtomicUsize::new(0);
/// Messages and source lines of panics that were not fetched yet. A panic may begin on another thread than the one that
/// catches it, so they are matched by message.
static SOURCE_LINES: Mutex<Vec<(String, String)>> = Mutex::new(Vec::new());
/// Largest number of stored panics: more at a time tell nothing new.
const MOST_SOURCE_LINES: usize = 64;

/// Runs `work`. A panic inside it, on this thread or in the pool, becomes an error with its message and source line.
/// The default report on stderr is suppressed, unless RUST_BACKTRACE asks for it.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let default = take_hook();
        set_hook(Box::new(move |info| {
            if CATCHING.load(Ordering::SeqCst) == 0 || std::env::var_os("RUST_BACKTRACE").is_some() {
                default(info);
            }
            note(info);
        }));
    });
    CATCHING.fetch_add(1, Ordering::SeqCst);
    // The caller must discard half-finished work.
    let result = catch_unwind(AssertUnwindSafe(work));
    CATCHING.fetch_sub(1, Ordering::SeqCst);
    result.map_err(|payload| {
        let message = said(payload.as_ref());
        let mut lines = SOURCE_LINES.lock().unwrap_or_else(PoisonError::into_inner);
        match lines.iter().position(|(noted, _)| *noted == message) {
            Some(found) => format!("{message} ({})", lines.swap_remove(found).1),
            None => message,
        }
    })
}

/// Stores the source line of a panic.
fn note(info: &PanicHookInfo) {
    let Some(location) = info.location() else { return };
    let mut lines = SOURCE_LINES.lock().unwrap_or_else(PoisonError::into_inner);
    if lines.len() < MOST_SOURCE_LINES {
        lines.push((said(info.payload()), format!("{}:{}", location.file(), location.line())));
    }
}

/// Returns the message of a panic.
fn said(payload: &(dyn Any + Send)) -> String {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("it panicked without a word").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_told_with_its_line() {
        assert_eq!(caught(|| 7), Ok(7));
        let told = caught(|| -> u8 { panic!("all {} gone", "wheels") }).unwrap_err();
        assert!(told.starts_with("all wheels gone (") && told.contains("caught.rs:"), "{told}");
        let index = [1, 2, 3].len();
        let told = caught(|| [1, 2, 3][std::hint::black_box(index)]).unwrap_err();
        assert!(told.contains("out of bounds"), "{told}");
    }
}
