//! Ctrl-C and signals to end: once to end before the step under way, which is given up, with whole files; twice to end at once.

use crate::failure::INTERRUPTED;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::flag;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, LazyLock};

static STOP: LazyLock<Arc<AtomicBool>> = LazyLock::new(|| {
    let stop = Arc::new(AtomicBool::new(false));
    let signals = [SIGINT, SIGTERM, SIGHUP];
    for signal in signals.into_iter().filter(|signal| *signal != SIGHUP || !is_to_outlive_its_terminal()) {
        // Where a handler cannot be set, signals do what they do with any other program: nothing to report.
        // The first one looks at the flag before the second sets it: only a second signal ends at once.
        let _ = flag::register_conditional_shutdown(signal, i32::from(INTERRUPTED), stop.clone());
        let _ = flag::register(signal, stop.clone());
    }
    stop
});

/// The flag that Ctrl-C, SIGTERM and SIGHUP set.
pub fn on_interrupt() -> &'static AtomicBool {
    &STOP
}

/// Whether hanging up is ignored, as `nohup` asks; a handler would undo that. Known where there is /proc only.
fn is_to_outlive_its_terminal() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    // Bit n - 1 is signal n, and hanging up is signal 1.
    ignored.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask & 1 == 1)
}
