//! Exceptions of `pliant.errors`, made from the errors of the crates.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};
use scene::{Built, Divergence, Problems};

/// Makes an exception of a class of `pliant.errors`, with keyword arguments for its fields.
fn made(py: Python, class: &str, message: &str, fields: &Bound<PyDict>) -> PyErr {
    let make = || py.import("pliant.errors")?.getattr(class)?.call((message,), Some(fields));
    make().map_or_else(|error| error, PyErr::from_value)
}

fn plain(class: &str, message: &str) -> PyErr {
    Python::attach(|py| made(py, class, message, &PyDict::new(py)))
}

/// Returns the exception for input that cannot be used.
pub fn input(error: impl ToString) -> PyErr {
    plain("InputError", &error.to_string())
}

/// Returns the exception for files that cannot be written or read.
pub fn output(error: impl ToString) -> PyErr {
    plain("OutputError", &error.to_string())
}

/// Returns the exception for an algorithm that found no answer.
pub fn numerics(error: impl ToString) -> PyErr {
    plain("NumericsError", &error.to_string())
}

/// Returns the exception for a fault of the program itself, such as a panic.
pub fn fault(message: &str) -> PyErr {
    plain("ProgramFault", &format!("the program failed: {message}; report this with the scene"))
}

/// Returns the exception for a scene with problems.
pub fn scene(problems: &Problems) -> PyErr {
    Python::attach(|py| {
        let fields = || {
            let list = PyList::empty(py);
            for problem in &problems.list {
                let one = PyDict::new(py);
                one.set_item("message", &problem.message)?;
                one.set_item("suggestion", &problem.suggestion)?;
                one.set_item("file", &problem.file)?;
                one.set_item("line", problem.key.is_none().then_some(problem.line))?;
                one.set_item("column", problem.key.is_none().then_some(problem.column))?;
                one.set_item("key", &problem.key)?;
                one.set_item("shown", problem.to_string())?;
                list.append(one)?;
            }
            let fields = PyDict::new(py);
            fields.set_item("problems", list)?;
            fields.set_item("more", problems.more)?;
            Ok(fields)
        };
        match fields() {
            Ok(fields) => made(py, "SceneError", &problems.to_string(), &fields),
            Err(error) => error,
        }
    })
}

/// Returns the exception for a step that failed.
pub fn diverged(divergence: &Divergence, built: &Built) -> PyErr {
    let advice = scene::advice(divergence, &built.simulation);
    Python::attach(|py| {
        let Divergence { step, time, h, cause, .. } = divergence;
        let fields = || {
            let fields = PyDict::new(py);
            fields.set_item("step", step)?;
            fields.set_item("time", time)?;
            fields.set_item("h", h)?;
            fields.set_item("cause", cause.word())?;
            fields.set_item("node", cause.node())?;
            fields.set_item("element", cause.element().map(|(kind, number)| (kind.name(), number)))?;
            fields.set_item("body", built.body_of_cause(cause))?;
            fields.set_item("advice", &advice)?;
            Ok(fields)
        };
        match fields() {
            Ok(fields) => made(py, "Diverged", &divergence.to_string(), &fields),
            Err(error) => error,
        }
    })
}
