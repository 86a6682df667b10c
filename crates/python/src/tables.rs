//! Tables of the program, and its settings.

use crate::errors;
use model::material::MATERIALS;
use model::parameter::Preset;
use pyo3::prelude::*;

/// Name, unit and line of a parameter; true if it has to be given.
type Row = (&'static str, &'static str, &'static str, bool);

/// Returns name, description and parameters of all materials.
#[pyfunction]
pub fn materials() -> Vec<(&'static str, &'static str, Vec<Row>)> {
    let density = &model::material::DENSITY;
    MATERIALS
        .iter()
        .map(|facts| {
            let parameters = facts.parameters.iter().chain([density]);
            let rows = parameters.map(|p| (p.name, p.unit, p.doc, p.default == Preset::Required));
            (facts.name, facts.description, rows.collect())
        })
        .collect()
}

/// Returns the names of all methods.
#[pyfunction]
pub fn methods() -> Vec<&'static str> {
    integrators::METHODS.iter().map(|method| method.name).collect()
}

/// Returns the instructions that this build was made for.
#[pyfunction]
pub fn instructions() -> String {
    processor::built()
}

/// Sets the number of threads; results have the same bits for any number.
#[pyfunction]
pub fn set_threads(count: usize) -> PyResult<()> {
    if !(1..=1024).contains(&count) {
        return Err(errors::input(format!("{count} threads cannot compute; use 1 to 1024")));
    }
    rayon::ThreadPoolBuilder::new().num_threads(count).build_global().map_err(|_| {
        errors::input("threads are at work already; call set_threads right after the import, or set RAYON_NUM_THREADS")
    })
}
