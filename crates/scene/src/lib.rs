//! Scene files, mesh files, frames: everything that is read from files and checked, or written.
//!
//! parse -> validate (all problems at once) -> build -> run.

mod advice;
pub mod body;
mod build;
pub mod contact;
mod disk;
pub mod expect;
pub mod export;
pub mod fibres;
pub mod files;
pub mod fluid;
mod mark;
pub mod output;
mod parse;
mod problem;
mod reached;
pub mod rigid;
mod run;
mod sample;
pub mod scene;
mod selection;
pub mod solid;
pub mod spec;
pub mod stokes;
mod survey;
mod tree;
mod turn;
mod write;

pub use advice::advice;
pub use build::{BodyRange, Built, EmbeddedSurface, FibreLines, Ground, Grounds};
pub use mark::Mark;
pub use parse::Overrides;
pub use problem::{Problem, Problems};
pub use run::run;
pub use sample::sample;
pub use scene::Scene;
pub use survey::{Slowest, Survey, Surveyed, Unknown};
pub use turn::{Turn, unit_motion};
// Types in the interface of this crate.
pub use simulation::{
    Cause, Divergence, Ending, Energies, Moment, Observer, ObserverError, Outcome, Progress, Recovery, Schedule,
    Simulation, View, Warping, caught, explicit_tension, highest_frequency, lost_per_radian, stable_step,
};
