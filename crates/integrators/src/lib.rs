//! Time integrators behind one trait: [`Stepper`]. One file and one row of [`METHODS`] per method.
//!
//! A method's memory (history, accelerations, factors) lives in its stepper; the state is time,
//! positions and velocities, nothing else. This crate touches no files.

mod acceleration;
mod alpha_family;
mod asynchronous;
mod backward_euler;
mod bdf2;
mod captured;
mod controller;
pub mod damping;
mod drift;
mod exponential_rosenbrock;
mod feature;
mod field;
mod floating;
mod frame_forces;
mod framed;
mod gautschi;
mod generalized_alpha;
mod growth;
mod halving;
mod held_damping;
mod implicit_midpoint;
mod last_step;
mod linear_system;
mod linearised;
mod linearly_implicit_euler;
mod matrix_functions;
mod method;
mod newmark;
mod one_mode;
mod options;
mod overdamped;
pub mod parameters;
mod rk4;
mod side_by_side;
mod siere;
mod siere2;
mod small_steps;
mod stage;
mod stepper;
mod symplectic_euler;
mod table;
mod tr_bdf2;
mod turning_frame;
mod unresolved;

pub use asynchronous::propose::{Proposal, Proposed, gain, propose};
pub use asynchronous::storage::numbers as numbers_of_regions;
pub use asynchronous::{ContactStep, Coupling};
pub use feature::Feature;
pub use field::{Field, Form, Words};
pub use gautschi::LinearPart;
pub use growth::{Growth, growth};
pub use linearly_implicit_euler::LineariseAt;
pub use matrix_functions::Krylov;
pub use method::{EnergyBehaviour, Family, Method};
pub use one_mode::OneMode;
pub use options::{Options, Setting};
pub use siere::{Modes, Rest, RestRule};
pub use small_steps::Sweep;
pub use stepper::{Response, SAFE_RATIO, StepError, StepReport, Stepper};
pub use table::{METHODS, UnknownMethod, find, named, settings};
pub use turning_frame::FrameKind;
pub use unresolved::Unresolved;
