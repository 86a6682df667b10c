//! The view of a run from outside: all output goes through [`Observer`].

use crate::energies::Energies;
use crate::outcome::Outcome;
use crate::progress::{Progress, Warping};
use crate::schedule::Schedule;
use integrators::{StepReport, Stepper};
use model::{Model, State, Warp};
use numerics::mat3::Vec3;
use std::cell::{Cell, OnceCell};
use std::ops::Deref;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Error with which an observer ends a run: any error of its own.
pub type ObserverError = Box<dyn std::error::Error + Send + Sync>;

/// A run at some time, as it is shown.
pub struct View<'a> {
    /// The simulated model.
    pub model: &'a Model,
    /// The state now, numbered as the model.
    pub state: &'a State,
    /// True if the state lies between two computed ones.
    pub is_interpolated: bool,
    /// Forces of the constraints during the last step, numbered as the state [N], if the method computes them.
    pub constraint_forces: Option<&'a [f64]>,
    pub(crate) warping: &'a Cell<Warping>,
    pub(crate) warp: Option<&'a Mutex<Warp>>,
    /// Warped positions, computed on demand.
    pub(crate) warped: OnceCell<Vec<f64>>,
}

/// A good state of a run: every number in it is finite.
pub struct Moment<'a> {
    /// State as it is shown.
    pub view: View<'a>,
    /// Steps done; 0 at the beginning.
    pub step: u64,
    /// Length of the step that led here [s]; 0 at the beginning.
    pub h: f64,
    /// True if the schedule asks for a frame here.
    pub is_frame: bool,
    /// True if it asks for one here or since the step before.
    pub passes_frame: bool,
    /// Steps and frames of the whole run.
    pub schedule: &'a Schedule,
    /// The stepper that led here, with its memory.
    pub stepper: &'a dyn Stepper,
    /// Progress of the run.
    pub progress: &'a Progress,
    /// Energies now [J].
    pub energies: Energies,
    /// Linear momentum of the free nodes [kg m/s].
    pub momentum: Vec3,
    /// Angular momentum of the free nodes about the origin [kg m^2/s].
    pub angular_momentum: Vec3,
    /// Work of the step that led here, attempts that failed included.
    pub work: StepReport,
}

impl<'a> Deref for Moment<'a> {
    type Target = View<'a>;

    fn deref(&self) -> &View<'a> {
        &self.view
    }
}

impl View<'_> {
    /// Returns the shown positions of all nodes, numbered as the state [m]: those of the state, or warped ones if the
    /// simulation has a [`Warp`].
    pub fn positions(&self) -> &[f64] {
        let Some(warp) = self.warp else { return &self.state.x };
        self.warped.get_or_init(|| {
            let clock = Instant::now();
            let mut shown = vec![0.0; self.state.x.len()];
            warp.lock().unwrap_or_else(PoisonError::into_inner).apply(&self.state.x, &mut shown);
            let Warping { frames, seconds } = self.warping.get();
            let seconds = seconds + clock.elapsed().as_secs_f64();
            self.warping.set(Warping { frames: frames + 1, seconds });
            shown
        })
    }

    /// Returns the shown position of a node of the mesh [m].
    pub fn position(&self, mesh_node: usize) -> Vec3 {
        let i = 3 * self.model.number(mesh_node);
        std::array::from_fn(|c| self.positions()[i + c])
    }

    /// Returns the velocity of a node of the mesh [m/s].
    pub fn velocity(&self, mesh_node: usize) -> Vec3 {
        let i = 3 * self.model.number(mesh_node);
        std::array::from_fn(|c| self.state.v[i + c])
    }

    /// Returns the cost of warping so far.
    pub fn warping(&self) -> Warping {
        self.warping.get()
    }
}

/// Looks at a run: frames, series, progress, checkpoints.
///
/// Observers compose: pairs, triples, slices and vectors of observers are observers, asked in order, and `()` looks at nothing.
///
/// ```
/// use simulation::{Moment, Observer, ObserverError};
///
/// /// The highest kinetic energy of a run [J].
/// struct Highest(f64);
///
/// impl Observer for Highest {
///     fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError> {
///         self.0 = self.0.max(moment.energies.kinetic);
///         // Any error ends the run, which returns it.
///         if self.0 > 1e3 { Err("more than 1000 J".into()) } else { Ok(()) }
///     }
/// }
/// # let rubber = model::material::named("neo-hookean", [("young", 1e5), ("poisson", 0.4)])?;
/// # let mut world = simulation::Builder::new([0.0; 3]);
/// # world.solid(&model::mesh::generate::generate("bar", [])?, rubber, 1000.0);
/// # let model = world.build()?;
/// # let method = integrators::find("backward-euler").unwrap();
/// # let mut simulation = simulation::Simulation::new(model, method, &Default::default(), 0.01).unwrap();
/// # simulation.set_velocities(&vec![[1.0, 0.0, 0.0]; simulation.model().nodes()]).unwrap();
///
/// let (mut highest, mut other) = (Highest(0.0), Highest(0.0));
/// simulation.run(&mut (&mut highest, &mut other), 0.05)?;
/// assert!(highest.0 > 0.0 && highest.0 == other.0);
/// # Ok::<(), ObserverError>(())
/// ```
pub trait Observer {
    /// Called when the run begins or is resumed, and after every step. An error ends the run.
    fn observe(&mut self, moment: &Moment) -> Result<(), ObserverError>;

    /// Called for each frame between two steps, before the later one is observed.
    fn between(&mut self, _view: &View) -> Result<(), ObserverError> {
        Ok(())
    }

    /// Called once when the run has ended, for any reason, with the last good state.
    fn finish(&mut self, _moment: &Moment, _outcome: &Outcome) -> Result<(), ObserverError> {
        Ok(())
    }
}
