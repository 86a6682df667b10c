//! Ctrl-C: once to end after the step under way, with whole files; twice to end at once.

use crate::failure::INTERRUPTED;
use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

/// The flag that Ctrl-C sets.
pub fn on_interrupt() -> &'static AtomicBool {
    // Without a handler Ctrl-C ends the program as it does any other: nothing to report.
    let _ = ctrlc::set_handler(|| {
        if STOP.swap(true, Ordering::Relaxed) {
            std::process::exit(i32::from(INTERRUPTED));
        }
    });
    &STOP
}
