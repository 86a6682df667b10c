//! States, to return to.

use numerics::mat3::Vec3;
use pyo3::prelude::*;
use simulation::{Progress, ResumeError, Simulation};

/// Everything that the steps after it depend on: positions, velocities, memory of the method, progress, external forces.
#[pyclass(frozen, module = "pliant")]
pub struct State {
    state: model::State,
    memory: Vec<f64>,
    /// `None` before the first step.
    progress: Option<Progress>,
    forces: Vec<Vec3>,
    method: &'static str,
}

impl State {
    /// Copies that of a simulation.
    pub fn of(simulation: &Simulation) -> State {
        State {
            state: simulation.state().clone(),
            memory: simulation.stepper().memory(),
            progress: simulation.progress().cloned(),
            forces: simulation.forces().to_vec(),
            method: simulation.method().name,
        }
    }

    /// Gives it to a simulation.
    pub fn give(&self, simulation: &mut Simulation) -> Result<(), ResumeError> {
        let State { state, memory, progress, forces, .. } = self;
        match progress {
            Some(progress) => simulation.resume(state.clone(), memory, progress.clone())?,
            None => simulation.begin_from(state.clone()).map_err(ResumeError::State)?,
        }
        if forces.is_empty() {
            simulation.clear_forces();
        } else {
            simulation.forces_mut().copy_from_slice(forces);
        }
        Ok(())
    }
}

#[pymethods]
impl State {
    /// Time [s].
    #[getter]
    fn time(&self) -> f64 {
        self.state.t
    }

    fn __repr__(&self) -> String {
        format!("State(time={}, method={:?})", self.state.t, self.method)
    }
}
