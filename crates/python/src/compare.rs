//! Comparisons of methods and steps on one scene.

use crate::errors;
use crate::page::html;
use crate::scene::Scene;
use crate::work::told;
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use report::{CompareError, Comparison, Contender, Plan, figures};
use scene::{Built, Ending, Moment, Observer, ObserverError};
use std::sync::mpsc::Sender;

/// A comparison that has ended.
#[pyclass(frozen, module = "pliant._pliant")]
pub struct Compared {
    inner: Comparison,
}

#[pymethods]
impl Compared {
    /// One dictionary per run.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        self.inner.runs.iter().map(|run| row(py, run)).collect()
    }

    /// Times [s] and energies [J] of a run.
    fn energies<'py>(&self, py: Python<'py>, run: usize) -> PyResult<Bound<'py, PyDict>> {
        let energies = PyDict::new(py);
        let samples = self.inner.runs.get(run).map(|run| &run.recording.samples[..]).unwrap_or_default();
        let column = |of: fn(&report::Sample) -> f64| PyArray1::from_iter(py, samples.iter().map(of));
        energies.set_item("time", column(|sample| sample.time))?;
        energies.set_item("kinetic", column(|sample| sample.kinetic))?;
        energies.set_item("elastic", column(|sample| sample.elastic))?;
        energies.set_item("load", column(|sample| sample.load))?;
        energies.set_item("total", column(|sample| sample.total()))?;
        Ok(energies)
    }

    /// Label of the reference.
    #[getter]
    fn reference(&self) -> Option<&str> {
        self.inner.reference.as_deref()
    }

    /// True if it was stopped before all had run.
    #[getter]
    fn interrupted(&self) -> bool {
        self.inner.interrupted
    }

    /// Returns the page.
    fn html(&self, py: Python, command: &str) -> PyResult<String> {
        html(py, &self.inner, command)
    }

    /// Returns the plot of the energies as SVG.
    fn svg(&self) -> String {
        figures::energy(&self.inner)
    }
}

fn row<'py>(py: Python<'py>, run: &report::ComparedRun) -> PyResult<Bound<'py, PyDict>> {
    let (row, work) = (PyDict::new(py), &run.outcome.work);
    row.set_item("run", &run.label)?;
    row.set_item("method", run.method)?;
    row.set_item("step", run.step)?;
    row.set_item("outcome", run.outcome.ending.word())?;
    row.set_item("steps", run.outcome.steps)?;
    row.set_item("time", run.outcome.time)?;
    row.set_item("ms_per_step", run.ms_per_step)?;
    row.set_item("newton", work.newton)?;
    row.set_item("factorisations", work.linear.factorisations)?;
    row.set_item("solves", work.linear.solves)?;
    row.set_item("iterations", work.linear.iterations)?;
    row.set_item("products", work.linear.products)?;
    row.set_item("energy_kept", run.energy_kept)?;
    row.set_item("error", run.error)?;
    let cause = match &run.outcome.ending {
        Ending::Diverged(divergence) => Some(divergence.to_string()),
        _ => None,
    };
    row.set_item("cause", cause)?;
    Ok(row)
}

/// Tells how far a run is.
struct Teller(Sender<(String, u64, u64)>, String);

impl Observer for Teller {
    fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError> {
        let _ = self.0.send((self.1.clone(), moment.step, moment.schedule.steps()));
        Ok(())
    }
}

/// Runs a scene with several methods and steps, pairs of both; `progress` is called with the label of a run, the steps done
/// and all.
#[pyfunction]
#[pyo3(signature = (scene, contenders, reference, equal_cost, progress))]
pub fn compare(
    py: Python,
    scene: &Scene,
    contenders: Vec<(Option<String>, Option<f64>)>,
    reference: Option<(Option<String>, Option<f64>)>,
    equal_cost: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Compared> {
    let contender = |(method, step)| Contender { method, step };
    let plan = Plan {
        scene: scene.inner.clone(),
        contenders: contenders.into_iter().map(contender).collect(),
        reference: reference.map(contender),
        equal_cost,
        side_by_side: true,
    };
    let is_told = progress.is_some();
    let listen = |py: Python, message: (String, u64, u64)| match &progress {
        Some(progress) => progress.call1(py, message).map(|_| ()),
        None => Ok(()),
    };
    let compute = |stop: &_, sender: &Sender<_>| {
        let sender = std::sync::Mutex::new(sender.clone());
        let watch = |_: &Built, label: &str| -> Box<dyn Observer> {
            match sender.lock() {
                Ok(sender) if is_told => Box::new(Teller(sender.clone(), label.to_string())),
                _ => Box::new(()),
            }
        };
        report::compare(&plan, &watch, stop)
    };
    let ended = told(py, compute, listen)?;
    if let Some(error) = ended.raised
        && !error.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py)
    {
        return Err(error);
    }
    let inner = ended.result.map_err(|error| match &error {
        CompareError::Scene(problems) => errors::scene(problems),
        CompareError::Output(error) => errors::output(error),
        CompareError::Failed { .. } => errors::fault(&error.to_string()),
        CompareError::Reference { .. } => errors::input(&error),
    })?;
    Ok(Compared { inner })
}
