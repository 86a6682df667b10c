//! Whole runs, and what is left of them.

use crate::errors;
use crate::page::html;
use crate::record::{Recorder, in_mesh};
use crate::scene::Scene;
use crate::work::{short, told};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use report::Comparison;
use scene::output::{Directory, Files, OutputError, run_text, summary};
use scene::{Built, Ending, Moment, Observer, ObserverError, Outcome, Problems};
use simulation::Until;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Sender, SyncSender, sync_channel};
use std::time::{Duration, Instant};

/// Time between two messages about the progress.
const OFTEN: Duration = Duration::from_millis(100);

/// A run that has ended.
#[pyclass(frozen, module = "pliant._pliant")]
pub struct Record {
    /// Everything but the page: series, times, positions, summary, mesh.
    facts: Py<PyDict>,
    /// Contents of its page; `None` for a run that is too large for one.
    comparison: Option<Comparison>,
}

#[pymethods]
impl Record {
    /// Facts of the run by name.
    #[getter]
    fn facts(&self, py: Python) -> Py<PyDict> {
        self.facts.clone_ref(py)
    }

    /// Returns the page of the run; `None` if it is too large for one.
    fn html(&self, py: Python, command: &str) -> PyResult<Option<String>> {
        self.comparison.as_ref().map(|comparison| html(py, comparison, command)).transpose()
    }
}

/// Messages of a run.
enum Message {
    Progress { steps: u64, all: u64 },
    Moment(Box<Seen>),
}

/// State that an observer of the user looks at.
struct Seen {
    step: u64,
    time: f64,
    energies: [f64; 3],
    positions: Vec<f64>,
    velocities: Vec<f64>,
    /// Told when it has been looked at.
    done: SyncSender<()>,
}

/// Tells Python of the steps.
struct Teller<'a> {
    sender: &'a Sender<Message>,
    is_watched: bool,
    last: Option<Instant>,
}

impl Observer for Teller<'_> {
    fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError> {
        let all = moment.schedule.steps();
        if self.last.is_none_or(|last| last.elapsed() >= OFTEN) || moment.step == all {
            self.last = Some(Instant::now());
            let _ = self.sender.send(Message::Progress { steps: moment.step, all });
        }
        if !self.is_watched {
            return Ok(());
        }
        let (mut positions, mut velocities) = (Vec::new(), Vec::new());
        in_mesh(moment.model, moment.positions(), &mut positions);
        in_mesh(moment.model, &moment.state.v, &mut velocities);
        let energies = [moment.energies.kinetic, moment.energies.elastic, moment.energies.load];
        let (done, wait) = sync_channel(1);
        let seen = Seen { step: moment.step, time: moment.state.t, energies, positions, velocities, done };
        let _ = self.sender.send(Message::Moment(Box::new(seen)));
        // The run goes on when the observer has returned; if nobody listens any more, at once.
        let _ = wait.recv();
        Ok(())
    }
}

/// Places of a run.
struct Places {
    /// Directory of the files that the command would write.
    out: Option<PathBuf>,
    /// Replaces another run there.
    force: bool,
    /// File for positions that need more than `most` bytes.
    scratch: PathBuf,
    most: u64,
}

/// Failure of a run before it began, or of its files.
enum Failure {
    Scene(Problems),
    Output(OutputError),
    Observer(ObserverError),
}

/// A run as it comes from its thread.
struct Done {
    built: Built,
    recorder: Recorder,
    comparison: Option<Comparison>,
    outcome: Outcome,
    summary: String,
    is_filed: bool,
}

/// Runs a scene to its end.
///
/// `progress` is called with the steps done and all, `observer` after every step with step, time, energies, positions and
/// velocities. Positions of more than `most` bytes are written to `scratch`. An exception of an observer ends the run.
#[pyfunction]
#[pyo3(signature = (scene, *, out, force, scratch, most, progress, observer))]
#[allow(clippy::too_many_arguments)]
pub fn run(
    py: Python,
    scene: &Scene,
    out: Option<PathBuf>,
    force: bool,
    scratch: PathBuf,
    most: u64,
    progress: Option<Py<PyAny>>,
    observer: Option<Py<PyAny>>,
) -> PyResult<(Record, bool)> {
    let places = Places { out, force, scratch, most };
    let (scene, is_watched) = (&scene.inner, observer.is_some());
    let mut is_interrupt = false;
    let listen = |py: Python, message: Message| match message {
        Message::Progress { steps, all } => match &progress {
            Some(progress) => progress.call1(py, (steps, all)).map(|_| ()),
            None => Ok(()),
        },
        Message::Moment(seen) => {
            let Seen { step, time, energies, positions, velocities, done } = *seen;
            let arrays = (PyArray1::from_vec(py, positions), PyArray1::from_vec(py, velocities));
            let told = observer.as_ref().map(|observer| observer.call1(py, (step, time, energies, arrays.0, arrays.1)));
            let _ = done.send(());
            told.transpose().map(|_| ())
        }
    };
    let ended = told(py, |stop, sender| compute(scene, &places, is_watched, stop, sender), listen)?;
    if let Some(error) = ended.raised {
        if !error.is_instance_of::<pyo3::exceptions::PyKeyboardInterrupt>(py) {
            return Err(error);
        }
        is_interrupt = true;
    }
    let done = ended.result.map_err(|failure| match failure {
        Failure::Scene(problems) => errors::scene(&problems),
        Failure::Output(error) => errors::output(error),
        Failure::Observer(error) => errors::output(error),
    })?;
    Ok((record(py, done)?, is_interrupt))
}

/// Builds the scene, runs it and writes its files.
fn compute(
    scene: &scene::Scene,
    places: &Places,
    is_watched: bool,
    stop: &AtomicBool,
    sender: &Sender<Message>,
) -> Result<Done, Failure> {
    let mut built = scene.build().map_err(Failure::Scene)?;
    let mut files = match &places.out {
        Some(out) => Some(files(scene, &built, out, places.force).map_err(Failure::Output)?),
        None => None,
    };
    let is_large = Recorder::bytes(&built) > places.most;
    let recorder = Recorder::new(is_large.then_some(places.scratch.as_path()));
    let mut recorder = recorder.map_err(|error| Failure::Output(OutputError::io("create", &places.scratch)(error)))?;
    let mut page = (!is_large).then(|| report::Drawing::new(&built, 100_000));
    let mut drawn = page.as_ref().map(|drawing| report::Recorder::new(drawing, &built));
    let mut teller = Teller { sender, is_watched, last: None };
    let mut observers: Vec<&mut dyn Observer> = vec![&mut recorder, &mut teller];
    observers.extend(drawn.as_mut().map(|drawn| drawn as &mut dyn Observer));
    observers.extend(files.as_mut().map(|files| files as &mut dyn Observer));
    let outcome = built.simulation.run(&mut observers[..], Until::END.unless(stop)).map_err(Failure::Observer)?;
    let report = summary(scene, &built, &outcome);
    if let Some(files) = &files {
        files.write_summary(&report).map_err(Failure::Output)?;
    }
    let recording = drawn.map(|drawn| drawn.recording);
    let comparison = page
        .take()
        .zip(recording)
        .map(|(page, recording)| Comparison::of_run(scene, &built, page, recording, &outcome));
    Ok(Done { built, recorder, comparison, outcome, summary: report.to_string(), is_filed: is_large })
}

fn files(scene: &scene::Scene, built: &Built, out: &Path, force: bool) -> Result<Files, OutputError> {
    let (directory, _) = Directory::claim(out, &run_text(scene, built), force)?;
    Files::new(&directory, scene, built)
}

fn record(py: Python, done: Done) -> PyResult<Record> {
    let Done { built, recorder, comparison, outcome, summary, is_filed } = done;
    let facts = PyDict::new(py);
    let (series, times, positions) = recorder.into_arrays(py)?;
    let mesh = &built.mesh;
    facts.set_item("series", series)?;
    facts.set_item("times", times)?;
    facts.set_item("positions", positions)?;
    facts.set_item("is_filed", is_filed)?;
    facts.set_item("summary", summary)?;
    facts.set_item("status", outcome.ending.word())?;
    facts.set_item("rest", crate::mesh::array(py, &mesh.points)?)?;
    facts.set_item("tets", crate::mesh::array(py, &mesh.tets)?)?;
    facts.set_item("triangles", crate::mesh::array(py, &mesh.triangles)?)?;
    facts.set_item("edges", crate::mesh::array(py, &mesh.edges)?)?;
    facts.set_item("surface", crate::mesh::array(py, &mesh.boundary_triangles())?)?;
    let bodies = PyDict::new(py);
    for body in &built.bodies {
        bodies.set_item(&body.name, PyTuple::new(py, [body.nodes.start, body.nodes.end])?)?;
    }
    facts.set_item("bodies", bodies)?;
    let failure = match &outcome.ending {
        Ending::Diverged(divergence) => Some(errors::diverged(divergence, &built)),
        _ => None,
    };
    facts.set_item("failure", failure.map(|error| error.into_value(py)))?;
    // A large model takes a while to free, and nobody needs the lock for that.
    short(py, move || drop(built))?;
    Ok(Record { facts: facts.unbind(), comparison })
}
