//! Time integrators behind one trait: [`Stepper`]. One file a method, one row of [`METHODS`] each.
//!
//! A method's memory (history, accelerations, factors) lives in its stepper; the state is time,
//! positions and velocities, nothing else. This crate touches no files.

mod acceleration;
mod alpha_family;
mod asynchronous;
mod backward_euler;
mod bdf2;
mod choice;
mod controller;
pub mod damping;
mod drift;
mod exponential_rosenbrock;
mod feature;
mod gautschi;
mod generalized_alpha;
mod growth;
mod held_damping;
mod implicit_midpoint;
mod linear_system;
mod linearised;
mod linearly_implicit_euler;
mod matrix_functions;
mod method;
mod newmark;
mod options;
mod rk4;
mod siere;
mod small_steps;
mod stage;
mod stepper;
mod symplectic_euler;

pub use asynchronous::propose::{Proposal, Proposed, SAFE_RATIO, gain, propose};
pub use asynchronous::room::numbers as numbers_of_regions;
pub use choice::{Choice, ContactStep, Coupling, Krylov, LinearPart, LineariseAt, Modes, Sweep, Words};
pub use feature::Feature;
pub use growth::{Growth, growth};
pub use method::{EnergyBehaviour, Family, METHODS, Method, find};
pub use options::{OPTIONS, OptionFacts, OptionField, OptionKind, Options};
pub use stepper::{StepError, StepReport, Stepper};
