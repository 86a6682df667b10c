//! Ctrl-C and signals to end: once to end after the step under way, with whole files; twice to end at once.

use crate::failure::INTERRUPTED;
use std::sync::atomic::{AtomicBool, Ordering};

static STOP: AtomicBool = AtomicBool::new(false);

/// The flag that Ctrl-C, SIGTERM and SIGHUP set.
pub fn on_interrupt() -> &'static AtomicBool {
    // Without a handler signals do what they do with any other program: nothing to report.
    if !is_to_outlive_its_terminal() {
        let _ = ctrlc::set_handler(|| {
            if STOP.swap(true, Ordering::Relaxed) {
                std::process::exit(i32::from(INTERRUPTED));
            }
        });
    }
    &STOP
}

/// Whether hanging up is ignored, as `nohup` asks; a handler would undo that. Known where there is /proc only.
fn is_to_outlive_its_terminal() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // Bit n - 1 is signal n, and hanging up is signal 1.
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}
