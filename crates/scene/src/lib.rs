//! Scene files, frames, the run loop: whatever is read from files and checked.
//!
//! parse -> validate (all problems at once) -> build -> run.

pub mod body;
mod build;
mod caught;
pub mod contact;
pub mod expect;
pub mod export;
pub mod files;
pub mod fluid;
mod mark;
pub mod output;
mod parse;
mod problem;
pub mod rigid;
mod run;
mod sample;
pub mod scene;
pub mod solid;
pub mod spec;
mod survey;
mod turn;
mod write;

pub use build::{BodyRange, Simulation, Surface};
pub use caught::caught;
pub use mark::Mark;
pub use parse::Overrides;
pub use problem::{Problem, Problems};
pub use run::{
    Cause, Divergence, Ending, Energies, Moment, Observer, Outcome, Progress, Recovery, Schedule, View, Warping,
    highest_frequency, run, stable_step,
};
pub use sample::sample;
pub use scene::Scene;
pub use survey::{Slowest, Survey, Surveyed, Unknown};
pub use turn::{Turn, unit_motion};
