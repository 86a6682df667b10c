//! Pages of runs and comparisons.

use crate::work::short;
use pyo3::prelude::*;
use report::{Comparison, page};

/// Returns the page of a comparison; `command` says how it was made.
pub fn html(py: Python, comparison: &Comparison, command: &str) -> PyResult<String> {
    short(py, || page::html(comparison, command))
}
