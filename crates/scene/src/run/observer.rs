//! What a run shows of itself, and who looks: all output goes through [`Observer`].

use crate::Surface;
use crate::output::OutputError;
use crate::run::Warping;
use crate::run::{Outcome, Progress, Schedule};
use integrators::{StepReport, Stepper};
use model::mesh::Mesh;
use model::{Model, State, Warp};
use numerics::mat3::Vec3;
use std::cell::{Cell, OnceCell, RefCell};
use std::ops::Deref;
use std::time::Instant;

/// The energies of a state [J].
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Energies {
    /// Of motion.
    pub kinetic: f64,
    /// Of deformation and penalty contact.
    pub elastic: f64,
    /// -f . x of the loads, gravity among them.
    pub load: f64,
}

impl Energies {
    /// The energies of a state.
    pub fn of(model: &Model, state: &State) -> Energies {
        Energies {
            kinetic: model.kinetic(state),
            elastic: model.elastic_energy(&state.x),
            load: model.load_potential(state.t, &state.x),
        }
    }

    /// Kinetic and elastic [J].
    pub fn internal(&self) -> f64 {
        self.kinetic + self.elastic
    }

    /// All of it [J].
    pub fn total(&self) -> f64 {
        self.kinetic + self.elastic + self.load
    }
}

/// What is seen of a run at some time.
pub struct View<'a> {
    /// All bodies, at rest.
    pub mesh: &'a Mesh,
    /// The finer surface that follows the bodies, if one does.
    pub surface: Option<&'a Surface>,
    /// What is simulated.
    pub model: &'a Model,
    /// Where everything is now.
    pub state: &'a State,
    /// Whether the state lies between two that were computed.
    pub is_interpolated: bool,
    /// Forces of the constraints during the step that led here, numbered as the state [N], where the method knows them.
    pub constraint_forces: Option<&'a [f64]>,
    pub(super) warping: &'a Cell<Warping>,
    pub(super) warp: Option<&'a RefCell<Warp>>,
    /// What it made, once somebody has asked.
    pub(super) warped: OnceCell<Vec<f64>>,
}

/// A good state of a run: every number in it is finite.
pub struct Moment<'a> {
    /// What is seen of it.
    pub view: View<'a>,
    /// Steps done; 0 at the beginning.
    pub step: u64,
    /// Length of the step that led here [s]; 0 at the beginning.
    pub h: f64,
    /// Whether the schedule asks for a frame here.
    pub is_frame: bool,
    /// Whether it asks for one here or since the step before.
    pub passes_frame: bool,
    /// Steps and frames of the whole run.
    pub schedule: &'a Schedule,
    /// What led here, with its memory.
    pub stepper: &'a dyn Stepper,
    /// How far the run has come.
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
    /// Where nodes are shown, numbered as the state [m]: where they are, or warped if the scene wants that.
    pub fn positions(&self) -> &[f64] {
        let Some(warp) = self.warp else { return &self.state.x };
        self.warped.get_or_init(|| {
            let clock = Instant::now();
            let mut shown = vec![0.0; self.state.x.len()];
            warp.borrow_mut().apply(&self.state.x, &mut shown);
            let Warping { frames, seconds } = self.warping.get();
            let seconds = seconds + clock.elapsed().as_secs_f64();
            self.warping.set(Warping { frames: frames + 1, seconds });
            shown
        })
    }
}

/// Looks at a run: frames, series, progress, checkpoints.
pub trait Observer {
    /// Called where the run begins or is taken up, and after every step. An error ends the run.
    fn observe(&mut self, moment: &Moment) -> Result<(), OutputError>;

    /// Called for each frame between two steps, before the later one is observed.
    fn between(&mut self, _view: &View) -> Result<(), OutputError> {
        Ok(())
    }

    /// Called once when the run has ended, whatever the reason, with the last good state.
    fn finish(&mut self, _moment: &Moment, _outcome: &Outcome) -> Result<(), OutputError> {
        Ok(())
    }
}
