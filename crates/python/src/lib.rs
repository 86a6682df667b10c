//! The native part of `import pliant`: scenes, simulations, runs, comparisons and matrices, as `python/pliant` uses them.
//!
//! Long work releases the interpreter's lock and listens to Ctrl-C (`work`). Errors become the exceptions of
//! `pliant.errors`; no panic crosses. Arrays are checked by Python before they come here.

mod compare;
mod errors;
mod matrices;
mod mesh;
mod numerics;
mod page;
mod patient;
mod record;
mod report;
mod run;
mod scene;
mod simulation;
mod state;
mod stress;
mod tables;
mod view;
mod work;

use pyo3::prelude::*;

/// The native part of `pliant`.
#[pymodule]
mod _pliant {
    #[pymodule_export]
    use super::compare::{Compared, compare};
    #[pymodule_export]
    use super::numerics::{KeptFactor, lowest_pairs, propagate};
    #[pymodule_export]
    use super::report::StepReport;
    #[pymodule_export]
    use super::run::{Record, run};
    #[pymodule_export]
    use super::scene::Scene;
    #[pymodule_export]
    use super::simulation::Simulation;
    #[pymodule_export]
    use super::state::State;
    #[pymodule_export]
    use super::tables::{instructions, materials, methods, set_threads};
    #[pymodule_export]
    use super::view::View;

    /// Version of the package.
    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
