//! When steps and frames are: the run loop's own, see [`crate::run`].

pub use crate::run::Schedule;
pub(crate) use crate::run::{MOST_FRAMES, MOST_STEPS, steps};
