//! Progress bar: steps, time, energy and remaining time. Only on a terminal.

use crate::print::short;
use indicatif::{HumanDuration, MultiProgress, ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use scene::{Moment, Observer, ObserverError, Outcome};
use std::fmt::Write;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Fits 80 columns with the longest method name: the bar takes the remaining width.
const TEMPLATE: &str = "{prefix} {wide_bar} {pos}/{len}  {now}";

/// Draws a bar on stderr.
pub struct Progress {
    bar: ProgressBar,
    now: Arc<Mutex<Now>>,
    /// First step of this run and its start time.
    begun: Option<(u64, Instant)>,
}

/// Text beside the bar. The bar queries it when it draws, because a message would cause another draw.
#[derive(Default)]
struct Now {
    /// Simulated time [s].
    time: f64,
    /// Total energy [J].
    energy: f64,
    /// Remaining time; unknown before the first step.
    left: Option<Duration>,
}

impl Now {
    fn text(&self) -> String {
        let left = self.left.map(|left| format!("  {:#} left", HumanDuration(left))).unwrap_or_default();
        // Three digits of a changing number are enough.
        format!("{:.3} s  {} J{left}", self.time, short(format!("{:.2e}", self.energy).parse().unwrap_or(self.energy)))
    }
}

impl Progress {
    /// Makes a bar of this many steps; hidden on request, and if stderr is not a terminal.
    pub fn new(steps: u64, label: &str, hidden: bool) -> Progress {
        let target = if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(10) };
        Progress::with(ProgressBar::with_draw_target(Some(steps), target), label)
    }

    fn with(bar: ProgressBar, label: &str) -> Progress {
        let bar = bar.with_prefix(label.to_string());
        let now = Arc::new(Mutex::new(Now::default()));
        let shown = now.clone();
        let write = move |_: &ProgressState, out: &mut dyn Write| {
            // A bar without text is better than a run that ends because of it.
            let _ = shown.lock().map(|now: std::sync::MutexGuard<Now>| out.write_str(&now.text()));
        };
        if let Ok(style) = ProgressStyle::with_template(TEMPLATE) {
            bar.set_style(style.with_key("now", write));
        }
        Progress { bar, now, begun: None }
    }
}

/// Bars of parallel runs, one below the other.
pub struct Bars(MultiProgress);

impl Bars {
    /// Makes an empty set; hidden as above.
    pub fn new(hidden: bool) -> Bars {
        let target = if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(10) };
        Bars(MultiProgress::with_draw_target(target))
    }

    /// Adds a bar below the others.
    pub fn add(&self, steps: u64, label: &str) -> Progress {
        // Hidden until it has its position: otherwise it would draw once before.
        let bar = ProgressBar::with_draw_target(Some(steps), ProgressDrawTarget::hidden());
        Progress::with(self.0.add(bar), label)
    }
}

/// Makes a bar for filling bodies with tets; its argument is the finished share, from 0 to 1; hidden as above.
pub fn filling(hidden: bool) -> impl Fn(f64) {
    let target = if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(10) };
    let bar = ProgressBar::with_draw_target(Some(100), target).with_prefix("filling with tets");
    if let Ok(style) = ProgressStyle::with_template("{prefix} {wide_bar} {pos} %") {
        bar.set_style(style);
    }
    move |done| {
        bar.set_position((100.0 * done) as u64);
        if done >= 1.0 {
            bar.finish_and_clear();
        }
    }
}

/// Estimates the remaining time if `left` steps take as long each as the `done` before.
fn time_left(done: u64, left: u64, elapsed: Duration) -> Option<Duration> {
    let seconds = elapsed.as_secs_f64() / done as f64 * left as f64;
    if done == 0 { None } else { Duration::try_from_secs_f64(seconds).ok() }
}

impl Observer for Progress {
    fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError> {
        if !self.bar.is_hidden() {
            let (first, since) = *self.begun.get_or_insert_with(|| (moment.step, Instant::now()));
            let left = moment.schedule.steps().saturating_sub(moment.step);
            if let Ok(mut now) = self.now.lock() {
                now.left = time_left(moment.step.saturating_sub(first), left, since.elapsed());
                (now.time, now.energy) = (moment.state.t, moment.energies.total());
            }
            self.bar.set_position(moment.step);
        }
        Ok(())
    }

    fn finish(&mut self, _: &Moment, _: &Outcome) -> Result<(), ObserverError> {
        self.bar.finish_and_clear();
        Ok(())
    }
}

impl Drop for Progress {
    /// Removes the bar when a run ends with an error.
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_said_of_the_time_left_before_the_first_step() {
        assert_eq!(time_left(0, 100, Duration::from_secs(1)), None);
        assert_eq!(time_left(20, 30, Duration::from_secs(2)), Some(Duration::from_secs(3)));
        assert_eq!(Now::default().text(), "0.000 s  0 J");
    }

    #[test]
    fn a_line_fits_into_80_columns() {
        let left = Some(Duration::from_secs(59));
        let now = Now { time: 9999.999, energy: -1.23456789e-12, left };
        let names = integrators::METHODS.iter().map(|method| method.name.len()).max().unwrap();
        let line = names + " ".len() + " 1000000/1000000  ".len() + now.text().len();
        assert!(line <= 79, "{line} columns: {}", now.text());
    }
}
