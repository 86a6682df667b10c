//! A model that moves: [`Simulation`] takes one step, or runs while an [`Observer`] looks on. No files.
//!
//! A bar that is fixed at one end swings under its weight, ten steps of it:
//!
//! ```
//! use integrators::Options;
//! use model::material;
//! use model::mesh::generate::generate;
//! use simulation::{Builder, Simulation};
//!
//! let mesh = generate("bar", [])?;
//! let tip = mesh.groups["x+"].nodes[0] as usize;
//! let mut world = Builder::new([0.0, 0.0, -9.81]);
//! let rubber = material::named("stable-neo-hookean", [("young", 1e6), ("poisson", 0.45)])?;
//! let bar = world.solid(&mesh, rubber, 1000.0);
//! world.fix(&bar, |x| x[0] < 1e-9);
//! let model = world.build()?;
//!
//! let method = integrators::named("backward-euler")?;
//! let mut simulation = Simulation::new(model, method, &Options::default(), 0.01)?;
//! let height = simulation.positions()[tip][2];
//! for _ in 0..10 {
//!     let report = simulation.step()?; // an error leaves the last good state
//!     println!("{:.2} s: {:.3e} J, {} Newton iterations", simulation.time(), simulation.energies().total(), report.newton);
//! }
//! assert!(simulation.positions()[tip][2] < height);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Each step is checked before it is shown: all energies and momenta are finite, and the energy is possible
//! ([`Cause::EnergyJump`]). After a failure, including a panic of the method, the last good state stays. A failed step
//! may be tried again in halves ([`OnDivergence`]).
//!
//! Nodes are numbered as in the mesh ([`Simulation::positions`], [`Simulation::forces_mut`]); [`Simulation::state`] has
//! the numbering of the model, free nodes first ([`model::Model::number`] and [`model::Model::origin`] convert between
//! them).

mod budget;
mod builder;
mod caught;
mod check;
mod energies;
mod error;
mod fastest;
mod impulses;
mod lanczos;
mod observer;
mod outcome;
mod progress;
mod schedule;
mod simulation;
mod together;
mod turning;
mod until;

pub use builder::{AddedBody, Builder};
pub use caught::caught;
pub use energies::Energies;
pub use error::{ResumeError, SimulationError};
pub use fastest::{fastest_frequency, highest_frequency, least_ratios, stable_step};
pub use lanczos::largest;
pub use observer::{Moment, Observer, ObserverError, View};
pub use outcome::{Cause, Divergence, Ending, Outcome};
pub use progress::{Progress, Recovery, Warping};
pub use schedule::{FrameTimes, MOST_FRAMES, MOST_STEPS, OnDivergence, Schedule, steps};
pub use simulation::Simulation;
pub use turning::{explicit_tension, lost_per_radian};
pub use until::Until;
