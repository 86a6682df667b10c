//! One simulation, step by step, with arrays that show its state.

use crate::errors;
use crate::matrices::{Blocks, blocks, diagonal};
use crate::mesh::array;
use crate::report::StepReport;
use crate::scene::Scene;
use crate::state::State;
use crate::stress;
use crate::work::{interruptible, short};
use integrators::StepError;
use model::energy::Stiffness;
use model::mass::Mass;
use numerics::blocks::BlockMatrix;
use numerics::mat3::Vec3;
use numerics::modes::lowest;
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use scene::{Built, Cause, Schedule};
use simulation::SimulationError;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

/// A model that moves, one step at a time. Nodes are numbered as in the mesh.
#[pyclass(frozen, subclass, module = "pliant._pliant")]
pub struct Simulation {
    held: Mutex<Held>,
}

/// Array of one row per node, shared with Python.
type Shown = Option<Py<PyArray2<f64>>>;

struct Held {
    built: Built,
    /// Views of the state, once they were asked for.
    positions: Shown,
    velocities: Shown,
    force: Shown,
    /// Seconds that the last step took: long ones have to listen to Ctrl-C.
    seconds: f64,
}

#[pymethods]
impl Simulation {
    /// Builds a scene. With `endless` steps do not end with the duration of the scene.
    #[new]
    #[pyo3(signature = (scene, endless=false))]
    fn new(py: Python, scene: &Scene, endless: bool) -> PyResult<Simulation> {
        let scene = &scene.inner;
        let built = interruptible(py, f64::INFINITY, |_| scene.build())?.whole()?;
        let mut built = built.map_err(|problems| errors::scene(&problems))?;
        if endless {
            let schedule = Schedule { is_endless: true, ..*built.simulation.schedule() };
            built.simulation.set_schedule(schedule);
        }
        let held = Held { built, positions: None, velocities: None, force: None, seconds: f64::INFINITY };
        Ok(Simulation { held: Mutex::new(held) })
    }

    /// Takes one step and returns its work.
    fn step(&self, py: Python) -> PyResult<StepReport> {
        let mut held = self.current(py)?;
        let (clock, expected) = (Instant::now(), held.seconds);
        let simulation = &mut held.built.simulation;
        let ended = interruptible(py, expected, |stop| {
            use numerics::interrupt::{Signal, watch};
            watch(&Signal::new(stop), || simulation.step())
        })?;
        held.seconds = clock.elapsed().as_secs_f64();
        match (ended.result, ended.raised) {
            (Ok(report), raised) => {
                held.show(py)?;
                // The step is taken; an exception that came too late for it is still raised.
                raised.map_or(Ok(StepReport::from(report)), Err)
            }
            (Err(failed), Some(error)) if failed.cause == Cause::Step(StepError::Interrupted) => Err(error),
            (Err(failed), _) => Err(errors::diverged(&failed, &held.built)),
        }
    }

    /// Positions of all nodes [m].
    #[getter]
    fn positions(&self, py: Python) -> PyResult<Py<PyArray2<f64>>> {
        let mut held = self.lock(py);
        let Held { built, positions, .. } = &mut *held;
        view(py, positions, || built.simulation.positions())
    }

    /// Velocities of all nodes [m/s].
    #[getter]
    fn velocities(&self, py: Python) -> PyResult<Py<PyArray2<f64>>> {
        let mut held = self.lock(py);
        let Held { built, velocities, .. } = &mut *held;
        view(py, velocities, || built.simulation.velocities())
    }

    /// External forces on all nodes [N].
    #[getter]
    fn force(&self, py: Python) -> PyResult<Py<PyArray2<f64>>> {
        let mut held = self.lock(py);
        let Held { built, force, .. } = &mut *held;
        view(py, force, || match built.simulation.forces() {
            [] => vec![[0.0; 3]; built.model.nodes()],
            forces => forces.to_vec(),
        })
    }

    /// Time [s].
    #[getter]
    fn time(&self, py: Python) -> f64 {
        self.lock(py).built.simulation.time()
    }

    /// Steps done.
    #[getter]
    fn steps(&self, py: Python) -> u64 {
        self.lock(py).built.simulation.steps()
    }

    /// Length of the next step [s].
    #[getter]
    fn h(&self, py: Python) -> f64 {
        let held = self.lock(py);
        held.built.simulation.schedule().length(held.built.simulation.steps() + 1)
    }

    /// Name of the method.
    #[getter]
    fn method(&self, py: Python) -> &'static str {
        self.lock(py).built.simulation.method().name
    }

    /// Takes steps in a loop of Rust and returns the seconds they took: what steps from Python are compared with.
    fn _native_steps(&self, py: Python, count: usize) -> PyResult<f64> {
        let mut held = self.current(py)?;
        let Held { built, .. } = &mut *held;
        let clock = Instant::now();
        let simulation = &mut built.simulation;
        let done = short(py, || (0..count).try_for_each(|_| simulation.step().map(|_| ())))?;
        let seconds = clock.elapsed().as_secs_f64();
        held.show(py)?;
        done.map_err(|failed| errors::diverged(&failed, &held.built))?;
        Ok(seconds)
    }

    /// Mass of every node [kg].
    fn _node_mass<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<f64>> {
        let model = self.lock(py).built.simulation.model().clone();
        PyArray1::from_iter(py, (0..model.nodes()).map(|node| model.node_mass()[model.number(node)]))
    }

    /// Nodes that move freely, ascending.
    fn _free<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<i64>> {
        let model = self.lock(py).built.simulation.model().clone();
        let mut free: Vec<i64> = (0..model.free_nodes()).map(|i| model.origin(i) as i64).collect();
        free.sort_unstable();
        PyArray1::from_vec(py, free)
    }

    /// Positions at rest [m], corners of tets, triangles and ends of edges.
    #[allow(clippy::type_complexity)]
    fn _mesh<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(
        Bound<'py, PyArray2<f64>>,
        Bound<'py, PyArray2<u32>>,
        Bound<'py, PyArray2<u32>>,
        Bound<'py, PyArray2<u32>>,
    )> {
        let held = self.lock(py);
        let mesh = &held.built.mesh;
        let edges = array(py, &mesh.edges)?;
        Ok((array(py, &mesh.points)?, array(py, &mesh.tets)?, array(py, &mesh.triangles)?, edges))
    }

    /// Nodes of the groups of the meshes.
    fn _groups<'py>(&self, py: Python<'py>) -> Vec<(String, Bound<'py, PyArray1<u32>>)> {
        let held = self.lock(py);
        let groups = held.built.mesh.groups.iter();
        groups.map(|(name, group)| (name.clone(), PyArray1::from_slice(py, &group.nodes))).collect()
    }

    /// Names of the bodies, with the first node and that after the last, and the same for tets.
    fn _bodies(&self, py: Python) -> Vec<(String, [usize; 2], [usize; 2])> {
        let held = self.lock(py);
        let of = |body: &scene::BodyRange| {
            let (nodes, tets) = (&body.nodes, &body.tets);
            (body.name.clone(), [nodes.start, nodes.end], [tets.start, tets.end])
        };
        held.built.bodies.iter().map(of).collect()
    }

    /// Kinetic energy, elastic energy and that of the loads [J].
    fn _energies(&self, py: Python) -> PyResult<(f64, f64, f64)> {
        let held = self.current(py)?;
        let energies = held.built.simulation.energies();
        Ok((energies.kinetic, energies.elastic, energies.load))
    }

    /// Cauchy stress of every tet [Pa]; NaN for tets without material.
    fn _stress<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray3<f64>>> {
        let held = self.current(py)?;
        let built = &held.built;
        let stress = short(py, || stress::cauchy(built))?;
        let flat = PyArray1::from_slice(py, stress.as_flattened().as_flattened());
        flat.reshape([stress.len(), 3, 3])
    }

    /// Stiffness of the free nodes in 3x3 blocks [N/m]: values, columns and beginnings of rows.
    fn _stiffness<'py>(&self, py: Python<'py>, kind: &str) -> PyResult<Blocks<'py>> {
        let kind = match kind {
            "exact" => Stiffness::Exact,
            "projected" => Stiffness::Projected,
            other => {
                return Err(errors::input(format!("there is no stiffness {other:?}; use \"exact\" or \"projected\"")));
            }
        };
        let held = self.current(py)?;
        let simulation = &held.built.simulation;
        let (model, state) = (simulation.model(), simulation.state());
        let k = short(py, || {
            let mut k = BlockMatrix::zeros(model.pattern().clone());
            model.stiffness(kind, &state.x, &mut k);
            k
        })?;
        blocks(py, &k, model)
    }

    /// Mass of the free nodes in 3x3 blocks [kg].
    fn _mass<'py>(&self, py: Python<'py>) -> PyResult<Blocks<'py>> {
        let model = self.lock(py).built.simulation.model().clone();
        match model.mass() {
            Mass::Lumped(_) => diagonal(py, &model),
            Mass::Consistent(matrix) => blocks(py, matrix, &model),
        }
    }

    /// Lowest eigenvalues [1/s^2] of the stiffness at the present positions, and their shapes.
    #[allow(clippy::type_complexity)]
    fn _modes<'py>(
        &self,
        py: Python<'py>,
        count: usize,
        tolerance: f64,
    ) -> PyResult<(Bound<'py, PyArray1<f64>>, Bound<'py, PyArray3<f64>>)> {
        let held = self.current(py)?;
        let simulation = &held.built.simulation;
        let (model, state) = (simulation.model(), simulation.state());
        let Mass::Lumped(mass) = model.mass() else {
            return Err(errors::input("modes need a lumped mass; leave out consistent_mass"));
        };
        let found = interruptible(py, f64::INFINITY, |stop| {
            use numerics::interrupt::{Signal, watch};
            let mut k = BlockMatrix::zeros(model.pattern().clone());
            model.stiffness(Stiffness::Exact, &state.x, &mut k);
            watch(&Signal::new(stop), || lowest(&k, &mass[..model.free_nodes()], count, tolerance))
        })?;
        let pairs = found.whole()?.map_err(errors::numerics)?;
        let (count, dofs, nodes) = (pairs.values.len(), model.dofs(), model.nodes());
        let mut shapes = vec![0.0; 3 * nodes * count];
        for (shape, vector) in shapes.chunks_mut(3 * nodes).zip(pairs.vectors.chunks(dofs)) {
            for (i, u) in vector.as_chunks::<3>().0.iter().enumerate() {
                shape[3 * model.origin(i)..][..3].copy_from_slice(u);
            }
        }
        Ok((PyArray1::from_vec(py, pairs.values), PyArray1::from_vec(py, shapes).reshape([count, nodes, 3])?))
    }

    /// Returns everything that later steps depend on.
    fn state(&self, py: Python) -> PyResult<State> {
        let held = self.current(py)?;
        Ok(State::of(&held.built.simulation))
    }

    /// Continues from a state of this simulation, or of another of the same scene, bit-for-bit identical.
    fn set_state(&self, py: Python, state: &State) -> PyResult<()> {
        let mut held = self.lock(py);
        state.give(&mut held.built.simulation).map_err(errors::input)?;
        held.show(py)?;
        let Held { built, force: Some(force), .. } = &*held else { return Ok(()) };
        match built.simulation.forces() {
            [] => unsafe { force.bind(py).as_slice_mut() }?.fill(0.0),
            forces => unsafe { force.bind(py).as_slice_mut() }?.copy_from_slice(forces.as_flattened()),
        }
        Ok(())
    }
}

impl Simulation {
    /// Locks it; meanwhile other threads of Python go on.
    fn lock(&self, py: Python) -> MutexGuard<'_, Held> {
        self.held.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    /// Locks it, and takes over what was written into its arrays.
    fn current(&self, py: Python) -> PyResult<MutexGuard<'_, Held>> {
        let mut held = self.lock(py);
        held.adopt(py)?;
        Ok(held)
    }
}

impl Held {
    /// Takes over positions, velocities and forces that were written into the arrays. After an error the arrays are as before.
    fn adopt(&mut self, py: Python) -> PyResult<()> {
        let Held { built, positions, velocities, force, .. } = self;
        let simulation = &mut built.simulation;
        if let Some(force) = force {
            // SAFETY: no other thread of Python runs, and nothing here calls back into it.
            let given = unsafe { force.bind(py).as_slice() }?.as_chunks::<3>().0;
            let same = match simulation.forces() {
                [] => given.as_flattened().iter().all(|f| *f == 0.0),
                forces => forces == given,
            };
            if !same {
                simulation.forces_mut().copy_from_slice(given);
            }
        }
        let moved = [(positions, true), (velocities, false)];
        for (shown, is_position) in moved {
            let Some(shown) = shown else { continue };
            // SAFETY: as above.
            let values = unsafe { shown.bind(py).as_slice_mut() }?;
            let given = values.as_chunks::<3>().0;
            let (model, state) = (simulation.model(), simulation.state());
            let now = if is_position { &state.x } else { &state.v }.as_chunks::<3>().0;
            if now.iter().enumerate().all(|(i, now)| *now == given[model.origin(i)]) {
                continue;
            }
            let set = if is_position { simulation.set_positions(given) } else { simulation.set_velocities(given) };
            if let Err(error) = set {
                let kept = if is_position { simulation.positions() } else { simulation.velocities() };
                values.copy_from_slice(kept.as_flattened());
                let what = if is_position { "positions" } else { "velocities" };
                return Err(of_nodes(what, &error));
            }
        }
        Ok(())
    }

    /// Writes the state into the arrays.
    fn show(&mut self, py: Python) -> PyResult<()> {
        let Held { built, positions, velocities, .. } = self;
        let (model, state) = (built.simulation.model(), built.simulation.state());
        for (shown, values) in [(positions, &state.x), (velocities, &state.v)] {
            let Some(shown) = shown else { continue };
            // SAFETY: no other thread of Python runs, and nothing here calls back into it.
            let shown = unsafe { shown.bind(py).as_slice_mut() }?.as_chunks_mut::<3>().0;
            for (i, value) in values.as_chunks::<3>().0.iter().enumerate() {
                shown[model.origin(i)] = *value;
            }
        }
        Ok(())
    }
}

fn of_nodes(what: &str, error: &SimulationError) -> PyErr {
    errors::input(format!("{what}: {error}"))
}

/// Returns a view, made when it is first asked for.
fn view(py: Python, shown: &mut Shown, values: impl FnOnce() -> Vec<Vec3>) -> PyResult<Py<PyArray2<f64>>> {
    if shown.is_none() {
        *shown = Some(array(py, &values())?.unbind());
    }
    match shown {
        Some(shown) => Ok(shown.clone_ref(py)),
        None => Err(errors::fault("a view is missing")),
    }
}
