//! Algorithms for matrices of the user: matrix functions, lowest modes, factors that are kept.

use crate::errors;
use crate::patient::Patient;
use crate::work::interruptible;
use numerics::block_lanczos::lowest_near;
use numerics::blocks::{BlockMatrix, Pattern};
use numerics::functions::{
    Expokit, FunctionError, Kiops, Lanczos, Leja, Motion, Propagator, Rational, Sample, SparseOscillator, Taylor,
};
use numerics::interrupt::{Signal, watch};
use numerics::linear::ordering::Ordering;
use numerics::linear::{LinearError, Stale, Stop};
use numpy::{PyArray1, PyReadonlyArray1, PyReadonlyArray3};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};

/// Numbers of an array.
type Numbers<'py> = PyReadonlyArray1<'py, f64>;
/// Compressed rows: beginnings, columns, values.
type Rows<'py> = (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>, Numbers<'py>);
/// Rows of 3x3 blocks, both halves: beginnings, columns, values.
type BlockRows<'py> = (PyReadonlyArray1<'py, i64>, PyReadonlyArray1<'py, i64>, PyReadonlyArray3<'py, f64>);

/// Most iterations of conjugate gradients with a kept factor.
const MOST_ITERATIONS: usize = 1000;

/// Vectors in the basis of expokit, as in its authors' program.
const EXPOKIT_VECTORS: usize = 30;

/// Copies the numbers of an array; none of one that is not C-contiguous.
fn copied<T: numpy::Element + Copy>(array: &PyReadonlyArray1<T>) -> Vec<T> {
    array.as_slice().unwrap_or_default().to_vec()
}

fn indices(array: &PyReadonlyArray1<i64>) -> Vec<usize> {
    array.as_slice().unwrap_or_default().iter().map(|&i| usize::try_from(i).unwrap_or(usize::MAX)).collect()
}

/// Runs `work` while it can be interrupted.
fn watched<T: Send>(py: Python, work: impl FnOnce() -> T + Send) -> PyResult<T> {
    interruptible(py, f64::INFINITY, |stop: &AtomicBool| watch(&Signal::new(stop), work))?.whole()
}

fn propagator(method: &str, memory: usize) -> PyResult<Box<dyn Propagator>> {
    Ok(match method {
        "lanczos" => Box::new(Lanczos::with_memory(memory)),
        "rational" => Box::new(Rational::new()),
        "kiops" => Box::new(Kiops::new()),
        "expokit" => Box::new(Expokit::new(EXPOKIT_VECTORS)),
        "leja" => Box::new(Leja::new()),
        "taylor" => Box::new(Taylor::new()),
        other => {
            let known = "lanczos, rational, kiops, expokit, leja or taylor";
            return Err(errors::input(format!("there is no method {other:?}; use {known}")));
        }
    })
}

/// Result of a motion: y, y', error, products, solves, length of the basis, pieces.
type Moved<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, f64, u64, u64, usize, usize);

/// Solves M y'' + D y' + K y = load, y(0) = 0, y'(0) = velocity at a time.
#[pyfunction]
#[allow(clippy::too_many_arguments)]
pub fn propagate<'py>(
    py: Python<'py>,
    stiffness: Rows<'py>,
    mass: Numbers<'py>,
    damping: (f64, f64),
    velocity: Numbers<'py>,
    load: Numbers<'py>,
    time: f64,
    tolerance: f64,
    method: &str,
    memory: usize,
) -> PyResult<Moved<'py>> {
    let (starts, columns) = (indices(&stiffness.0), indices(&stiffness.1));
    let system = SparseOscillator::new(starts, columns, copied(&stiffness.2), copied(&mass)).map_err(errors::input)?;
    let mut system = Patient(system.damped(damping.0, damping.1));
    let (velocity, load) = (copied(&velocity), copied(&load));
    let mut propagator = propagator(method, memory)?;
    let (mut y, mut rate) = (vec![0.0; velocity.len()], vec![0.0; velocity.len()]);
    let samples = &mut [Sample { time, y: &mut y, velocity: &mut rate }];
    let report = watched(py, || {
        let motion = Motion { velocity: &velocity, loads: &[&load] };
        propagator.propagate(&mut system, &motion, tolerance, samples)
    })?;
    let report = report.map_err(|error| match error {
        FunctionError::NotConverged { work, error } => errors::numerics(format!(
            "the error is about {error:.1e} after {} products and {} solves; use a shorter time, a larger tolerance or another \
             method",
            work.products, work.solves
        )),
        other => errors::numerics(other),
    })?;
    let work = report.work;
    let (y, rate) = (PyArray1::from_vec(py, y), PyArray1::from_vec(py, rate));
    Ok((y, rate, report.error, work.products, work.solves, report.dimension, report.substeps))
}

/// Makes a matrix of rows of blocks that Python has checked: sorted, symmetric, with both halves.
fn matrix((starts, columns, values): &BlockRows) -> PyResult<BlockMatrix> {
    let (starts, columns) = (indices(starts), indices(columns));
    let rows = starts.len().saturating_sub(1);
    let blocks = values.as_slice().unwrap_or_default().as_chunks::<3>().0.as_chunks::<3>().0;
    let entries = |i: usize| starts[i]..starts[i + 1];
    let is_whole = (0..rows).all(|i| starts[i] <= starts[i + 1] && starts[i + 1] <= columns.len());
    if !is_whole || columns.len() != blocks.len() || columns.iter().any(|&j| j >= rows) {
        return Err(errors::input("the arrays of the matrix do not fit together"));
    }
    let pairs: Vec<[u32; 2]> = (0..rows)
        .flat_map(|i| columns[entries(i)].iter().filter(move |&&j| j < i).map(move |&j| [j as u32, i as u32]))
        .collect();
    let pattern = Arc::new(Pattern::from_cliques(rows, pairs.iter().map(|pair| &pair[..])));
    let mut matrix = BlockMatrix::zeros(pattern.clone());
    for i in 0..rows {
        for k in entries(i).filter(|&k| columns[k] <= i) {
            if let Some(slot) = pattern.slot(i, columns[k]) {
                matrix.values[slot] = blocks[k];
            }
        }
    }
    Ok(matrix)
}

/// Eigenvalues, vectors one after the other, and the estimated angle of each [rad].
type Found<'py> = (Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>, Bound<'py, PyArray1<f64>>);

/// Finds the lowest eigenpairs of a matrix, from vectors near them if there are any.
#[pyfunction]
pub fn lowest_pairs<'py>(
    py: Python<'py>,
    rows: BlockRows<'py>,
    count: usize,
    tolerance: f64,
    guess: Numbers<'py>,
) -> PyResult<Found<'py>> {
    let (k, guess) = (matrix(&rows)?, copied(&guess));
    let (pairs, _) = watched(py, || lowest_near(&k, count, tolerance, &guess))?.map_err(errors::numerics)?;
    let [values, vectors, angles] = [pairs.values, pairs.vectors, pairs.angles].map(|v| PyArray1::from_vec(py, v));
    Ok((values, vectors, angles))
}

/// A factor that is kept while its matrix changes.
#[pyclass(frozen, subclass, module = "pliant._pliant")]
pub struct KeptFactor {
    held: Mutex<Kept>,
}

struct Kept {
    matrix: BlockMatrix,
    solver: Stale,
}

impl KeptFactor {
    fn made(matrix: BlockMatrix, positions: &[f64]) -> Result<Kept, LinearError> {
        let pattern = matrix.pattern();
        let stop = Stop::at(1e-10, MOST_ITERATIONS);
        let mut solver = Stale::new(pattern, Ordering::best(pattern), stop);
        solver.prepare(&matrix, [0.0; 4], positions)?;
        Ok(Kept { matrix, solver })
    }
}

#[pymethods]
impl KeptFactor {
    /// Factorises a matrix of nodes at these positions.
    #[new]
    fn new(py: Python, rows: BlockRows, positions: Numbers) -> PyResult<KeptFactor> {
        let (matrix, positions) = (matrix(&rows)?, copied(&positions));
        let kept = watched(py, || KeptFactor::made(matrix, &positions))?.map_err(errors::numerics)?;
        Ok(KeptFactor { held: Mutex::new(kept) })
    }

    /// Takes another matrix; its factor is made when the old one has become slow, or its pattern is another.
    fn _update(&self, py: Python, rows: BlockRows, positions: Numbers) -> PyResult<()> {
        let (matrix, positions) = (matrix(&rows)?, copied(&positions));
        let mut held = self.held.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let kept = &mut *held;
        let done = watched(py, || {
            if matrix.pattern() != kept.matrix.pattern() {
                *kept = KeptFactor::made(matrix, &positions)?;
                return Ok(());
            }
            kept.matrix = matrix;
            kept.solver.prepare(&kept.matrix, [0.0; 4], &positions)
        });
        done?.map_err(errors::numerics)
    }

    /// Solves for columns one after the other, to a relative residual.
    fn _solve<'py>(
        &self,
        py: Python<'py>,
        columns: Numbers<'py>,
        tolerance: f64,
    ) -> PyResult<Bound<'py, PyArray1<f64>>> {
        let mut x = copied(&columns);
        let mut held = self.held.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let Kept { matrix, solver } = &mut *held;
        let count = x.len() / matrix.dim().max(1);
        if x.len() != count * matrix.dim() {
            return Err(errors::input(format!("{} numbers are no columns of {}", x.len(), matrix.dim())));
        }
        watched(py, || solver.solve(matrix, &mut x, count, tolerance, None))?.map_err(errors::numerics)?;
        Ok(PyArray1::from_vec(py, x))
    }

    /// Work so far: factorisations, right-hand sides, iterations.
    #[getter]
    fn work(&self, py: Python) -> (u64, u64, u64) {
        let held = self.held.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner);
        let work = held.solver.work();
        (work.factorisations, work.solves, work.iterations)
    }

    /// Decision about the factor for the present matrix, a word.
    #[getter]
    fn decision(&self, py: Python) -> &'static str {
        self.held.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner).solver.decision().word()
    }
}
