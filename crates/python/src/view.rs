//! Live pages: a scene that is computed while it is watched.

use crate::errors;
use crate::scene::Scene;
use crate::work::{interruptible, short};
use live::Server;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use std::sync::{Mutex, PoisonError};

/// A scene that runs behind a page of a local server, until it is closed or forgotten.
#[pyclass(frozen, subclass, module = "pliant._pliant")]
pub struct View {
    /// `None` once it is closed.
    server: Mutex<Option<Server>>,
    address: String,
}

#[pymethods]
impl View {
    /// Builds the scene and serves its page at a port of this machine, 0 for any that is free.
    #[new]
    #[pyo3(signature = (scene, command, port=0))]
    fn new(py: Python, scene: &Scene, command: &str, port: u16) -> PyResult<View> {
        let scene = &scene.inner;
        let built = interruptible(py, f64::INFINITY, |_| scene.build())?.whole()?;
        let built = built.map_err(|problems| errors::scene(&problems))?;
        let server = short(py, || Server::of_scene(scene.clone(), built, command, port))?.map_err(errors::output)?;
        Ok(View { address: server.address().to_string(), server: Mutex::new(Some(server)) })
    }

    /// Address of the page, with the word that lets nobody else in.
    #[getter]
    fn address(&self) -> &str {
        &self.address
    }

    /// True until it is closed.
    #[getter]
    fn is_open(&self, py: Python) -> bool {
        self.server.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner).is_some()
    }

    /// Ends the server and the computation.
    fn close(&self, py: Python) -> PyResult<()> {
        let server = self.server.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner).take();
        short(py, || drop(server))
    }
}
