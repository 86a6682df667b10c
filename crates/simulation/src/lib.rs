//! A model that moves: [`Simulation`] takes one step, or runs while an [`Observer`] looks on. No files.
//!
//! A bar that is fixed at one end swings under its weight, ten steps of it:
//!
//! ```
//! use integrators::{Options, find};
//! use model::load::Profile;
//! use model::material::MaterialKind;
//! use model::mesh::generate::generate;
//! use model::{Basis, Blueprint, LoadPart, SolidPart};
//! use simulation::Simulation;
//! use std::sync::Arc;
//!
//! let mesh = generate("bar", [])?;
//! let (all, fixed) = ((0..mesh.points.len() as u32).collect(), mesh.groups["x-"].nodes.clone());
//! let tip = mesh.groups["x+"].nodes[0] as usize;
//! let (tets, material) = ((0..mesh.tets.len() as u32).collect(), MaterialKind::new("stable-neo-hookean", 1e6, 0.45)?);
//! let solids = vec![SolidPart { tets, material, density: 1000.0 }];
//! let gravity = LoadPart { nodes: all, basis: Basis::Mass, direction: [0.0, 0.0, -9.81], profile: Profile::Constant };
//! let model = Arc::new(Blueprint { mesh, solids, fixed, loads: vec![gravity], ..Blueprint::default() }.build()?);
//!
//! let method = find("backward-euler").ok_or("no such method")?;
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
//! Each step is checked before anybody sees it: all energies and momenta are finite, and the energy is possible
//! ([`Cause::EnergyJump`]). On a failure, also a panic of the method, the last good state stays. A failed step may be tried again in
//! halves ([`OnDivergence`]).
//!
//! Nodes are numbered as in the mesh ([`Simulation::positions`], [`Simulation::forces_mut`]); [`Simulation::state`] has the
//! numbering of the model, free nodes first ([`model::Model::number`] and [`model::Model::origin`] lead from one to the other).

mod budget;
mod caught;
mod check;
mod energies;
mod error;
mod fastest;
mod lanczos;
mod observer;
mod outcome;
mod progress;
mod schedule;
mod simulation;
mod together;
mod until;

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
pub use until::Until;
