//! Scenes: from files, or from tables of Python with meshes in memory.

use crate::errors;
use crate::mesh::{GivenMesh, mesh};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use scene::Overrides;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

/// A scene that was checked.
#[pyclass(frozen, subclass, module = "pliant._pliant")]
pub struct Scene {
    /// Its data.
    pub inner: scene::Scene,
}

/// Paths of keys, and their values.
type Values<'py> = Vec<(String, Bound<'py, PyAny>)>;

#[pymethods]
impl Scene {
    /// Reads a scene file, with other values of some keys.
    #[staticmethod]
    fn load(path: PathBuf, values: Values) -> PyResult<Scene> {
        let inner = scene::Scene::load_with(&path, &overrides(values)?);
        Ok(Scene { inner: inner.map_err(|problems| errors::scene(&problems))? })
    }

    /// Checks a table; shapes that name a file of `meshes` have that mesh.
    #[staticmethod]
    fn from_table(
        name: &str,
        table: &Bound<PyDict>,
        directory: PathBuf,
        meshes: Vec<(PathBuf, GivenMesh)>,
    ) -> PyResult<Scene> {
        let given: BTreeMap<_, _> = meshes.into_iter().map(|(path, given)| (path, Arc::new(mesh(given)))).collect();
        let inner = scene::Scene::from_table(name, &of_dict(table)?, directory, &given);
        Ok(Scene { inner: inner.map_err(|problems| errors::scene(&problems))? })
    }

    /// Returns the scene with other values of some keys.
    fn with_values(&self, values: Values) -> PyResult<Scene> {
        let inner = self.inner.with(&overrides(values)?);
        Ok(Scene { inner: inner.map_err(|problems| errors::scene(&problems))? })
    }

    /// Returns the scene as the text of a file, every default filled in.
    fn to_toml(&self) -> String {
        self.inner.to_toml()
    }

    /// Name in messages: that of its file.
    #[getter]
    fn name(&self) -> &str {
        self.inner.name()
    }

    /// Title; may be empty.
    #[getter]
    fn title(&self) -> &str {
        &self.inner.title
    }

    /// Name of the method.
    #[getter]
    fn method(&self) -> &'static str {
        self.inner.integrator.method.name
    }

    /// Length of a step [s].
    #[getter]
    fn step(&self) -> f64 {
        self.inner.integrator.step
    }

    /// Simulated time [s].
    #[getter]
    fn duration(&self) -> f64 {
        self.inner.run.duration
    }

    /// Names of the bodies.
    #[getter]
    fn bodies(&self) -> Vec<&str> {
        self.inner.bodies.iter().map(|body| body.name.as_str()).collect()
    }
}

fn overrides(values: Values) -> PyResult<Overrides> {
    values.into_iter().try_fold(Overrides::new(), |all, (path, value)| Ok(all.set(&path, of_python(&value)?)))
}

fn of_dict(dict: &Bound<PyDict>) -> PyResult<toml::Table> {
    dict.iter().map(|(key, value)| Ok((key.extract::<String>()?, of_python(&value)?))).collect()
}

/// Converts numbers, words, lists and dictionaries.
fn of_python(value: &Bound<PyAny>) -> PyResult<toml::Value> {
    if value.is_instance_of::<PyBool>() {
        Ok(toml::Value::Boolean(value.extract()?))
    } else if value.is_instance_of::<PyInt>() {
        Ok(toml::Value::Integer(value.extract()?))
    } else if value.is_instance_of::<PyFloat>() {
        Ok(toml::Value::Float(value.extract()?))
    } else if let Ok(text) = value.cast::<PyString>() {
        Ok(toml::Value::String(text.extract()?))
    } else if let Ok(dict) = value.cast::<PyDict>() {
        of_dict(dict).map(toml::Value::Table)
    } else if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let values = value.try_iter()?.map(|value| of_python(&value?)).collect::<PyResult<_>>()?;
        Ok(toml::Value::Array(values))
    } else {
        let name = value.get_type().name()?;
        Err(PyTypeError::new_err(format!("a scene holds numbers, words, lists and dictionaries, not {name}")))
    }
}
