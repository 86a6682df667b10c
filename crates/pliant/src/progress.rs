//! The progress bar: steps, rate and energy while a run goes on. Only on a terminal.

use crate::print::short;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use scene::output::OutputError;
use scene::{Moment, Observer, Outcome};

/// Draws a bar on stderr.
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar of this many steps; hidden when asked, and when stderr is no terminal.
    pub fn new(steps: u64, label: &str, hidden: bool) -> Progress {
        let target = if hidden { ProgressDrawTarget::hidden() } else { ProgressDrawTarget::stderr_with_hz(10) };
        let bar = ProgressBar::with_draw_target(Some(steps), target).with_prefix(label.to_string());
        if let Ok(style) =
            ProgressStyle::with_template("{prefix} {bar:24} {pos}/{len} steps  {per_sec}  {msg}  {eta} left")
        {
            bar.set_style(style);
        }
        Progress { bar }
    }
}

impl Observer for Progress {
    fn observe(&mut self, moment: &Moment) -> Result<(), OutputError> {
        if !self.bar.is_hidden() {
            let (t, energy) = (moment.state.t, moment.energies.total());
            self.bar.set_message(format!("t = {t:.3} s  energy {} J", short(energy)));
            self.bar.set_position(moment.step);
        }
        Ok(())
    }

    fn finish(&mut self, _: &Moment, _: &Outcome) -> Result<(), OutputError> {
        self.bar.finish_and_clear();
        Ok(())
    }
}

impl Drop for Progress {
    /// A run that ends with an error leaves no bar behind the message.
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
