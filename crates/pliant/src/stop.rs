//! Ctrl-C and termination signals: the first one ends the run before the current step, which is abandoned, with
//! complete files; the second one ends at once.

use crate::failure::INTERRUPTED;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};

static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| {
    let stop = Arc::new(AtomicBool::new(false));
    let signals = [SIGINT, SIGTERM, SIGHUP];
    for signal in signals.into_iter().filter(|signal| *signal != SIGHUP || !is_to_outlive_its_terminal()) {
        // Where a handler cannot be set, signals have their default effect: nothing to report.
        // The shutdown handler checks the flag before the second one sets it: only a second signal ends at once.
        let _ = flag::register_conditional_shutdown(signal, i32::from(INTERRUPTED), stop.clone());
        let _ = flag::register(signal, stop.clone());
    }
    stop
});

/// Returns the flag that Ctrl-C, SIGTERM and SIGHUP set.
pub fn on_interrupt() -> &'static AtomicBool {
    &STOP
}

/// Returns true if SIGHUP is ignored, as `nohup` requests; a handler would undo that. Known only where there is /proc.
fn is_to_outlive_its_terminal() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // Bit n - 1 is signal n, and SIGHUP is signal 1.
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}
