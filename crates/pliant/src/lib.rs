//! pliant, as a library: simulates elastic things that move, with a choice of time integrators.
//!
//! The crates that the command is made of, under one name, and what most programs need in [`prelude`].
//!
//! ```
//! use pliant::prelude::*;
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let scene = Scene::parse("bar.toml", r#"
//!     run = { duration = 0.1 }
//!     integrator = { method = "implicit-midpoint", step = 0.01 }
//!     fix = [{ where = { group = "x-" } }]
//!     [[body]]
//!     name = "bar"
//!     shape = { generator = "bar", length = 1.0, thickness = 0.2, cells-along = 5, cells-across = 1 }
//!     material = { model = "stable-neo-hookean", young = 1e5, poisson = 0.4, density = 1000.0 }
//! "#)?;
//! let mut bar = scene.build()?;
//! let before = Energies::of(&bar.model, &bar.state);
//! let report = bar.stepper.step(&bar.model, &mut bar.state, 0.01)?;
//! let after = Energies::of(&bar.model, &bar.state);
//! assert!(report.newton > 0 && after.kinetic > 0.1);
//! assert!((after.total() - before.total()).abs() < 1e-3 * after.kinetic);
//! # Ok(())
//! # }
//! ```
//!
//! Features: `command` (default) is the program, `pages` what it shows in pages and plots. A library alone needs neither:
//! `pliant = { version = "0.1", default-features = false }`.

pub use {collision, formats, geometry, integrators, model, numerics, scene};
#[cfg(feature = "pages")]
pub use {live, report};

/// Scenes, models, states, methods, and what observes a run.
pub mod prelude {
    pub use integrators::{METHODS, Method, Options, StepError, StepReport, Stepper, find};
    pub use model::mesh::Mesh;
    pub use model::{Blueprint, Model, State};
    pub use scene::{Energies, Moment, Observer, Outcome, Overrides, Problems, Scene, Simulation, run};
}
