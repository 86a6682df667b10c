//! Scenes: plain data with everything that a scene file says, every default filled in.
//!
//! Numbers have the units of scene files: directions are of any length, angles in degrees. The data is the only truth:
//! a scene is written from it, and reading that gives the same data. Marks of lines are kept beside it, for messages.

use crate::body::Body;
use crate::contact::{Act, Collisions, Contact};
use crate::expect::Expect;
use crate::fibres::Fibres;
use crate::fluid::Fluid;
use crate::mark::Mark;
use crate::problem::Said;
use crate::rigid::{Joint, Rigid};
pub use crate::selection::Selection;
use crate::stokes::{Motor, StokesFlow};
use integrators::{Method, Options};
use model::Basis;
use model::energy::Stiffness;
use model::load::Profile;
use model::script::Motion;
use numerics::mat3::Vec3;
pub use simulation::{FrameTimes, OnDivergence};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;

/// A scene: everything that a scene file says. Read from a file with [`Scene::load`], from a text with
/// [`Scene::parse`], or put together from [`Scene::new`]. Any field may be changed; [`Scene::build`] checks a changed
/// scene by the rules for files.
#[derive(Clone)]
pub struct Scene {
    /// Title; may be empty.
    pub title: String,
    /// Duration, frames, and the response to divergence.
    pub run: Run,
    /// Gravity and mass.
    pub world: World,
    /// Method and step.
    pub integrator: Integrator,
    /// Rayleigh damping.
    pub damping: Rayleigh,
    /// The bodies.
    pub bodies: Vec<Body>,
    /// The fibres.
    pub fibres: Vec<Fibres>,
    /// A fluid without inertia around bodies.
    pub stokes: Option<StokesFlow>,
    /// Motors between bodies and fibres.
    pub motors: Vec<Motor>,
    /// The fluids.
    pub fluids: Vec<Fluid>,
    /// The rigid bodies. A scene has a body, fibres, a fluid or a rigid body.
    pub rigids: Vec<Rigid>,
    /// The joints.
    pub joints: Vec<Joint>,
    /// Nodes that never move.
    pub fixes: Vec<Selection>,
    /// Nodes that follow a motion.
    pub scripts: Vec<(Selection, Motion)>,
    /// External forces, without gravity.
    pub loads: Vec<Load>,
    /// Changes before the first step, in this order.
    pub initials: Vec<(Selection, Start)>,
    /// Obstacles.
    pub contacts: Vec<Contact>,
    /// Contact between bodies, and the laws of contact as a constraint.
    pub collisions: Option<Collisions>,
    /// Expected results of a run.
    pub expect: Option<Expect>,
    /// Directory that relative paths of mesh files start from; not compared.
    pub directory: PathBuf,
    /// Name in messages; not compared.
    pub(crate) name: String,
    /// Text it was read from, if it was: for messages.
    pub(crate) said: Option<Arc<Said>>,
}

impl Scene {
    /// Returns a scene without bodies, with defaults everywhere: backward Euler with steps of 0.01 s for 1 s.
    pub fn new() -> Scene {
        Scene::default()
    }

    /// Returns the name of the scene in messages: that of its file.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl Default for Scene {
    fn default() -> Scene {
        Scene {
            title: String::new(),
            run: Run::default(),
            world: World::default(),
            integrator: Integrator::default(),
            damping: Rayleigh::default(),
            bodies: Vec::new(),
            fibres: Vec::new(),
            stokes: None,
            motors: Vec::new(),
            fluids: Vec::new(),
            rigids: Vec::new(),
            joints: Vec::new(),
            fixes: Vec::new(),
            scripts: Vec::new(),
            loads: Vec::new(),
            initials: Vec::new(),
            contacts: Vec::new(),
            collisions: None,
            expect: None,
            directory: PathBuf::new(),
            name: "scene".to_string(),
            said: None,
        }
    }
}

impl Scene {
    /// Returns true if bodies or obstacles meet by impulses.
    pub fn meets_by_impulses(&self) -> bool {
        let obstacles = self.contacts.iter().any(|contact| matches!(contact.act, Act::Impulses { .. }));
        obstacles || self.collisions.as_ref().is_some_and(|collisions| collisions.by_impulses)
    }
}

/// Two scenes are equal when their values are, wherever these stand in their files.
impl PartialEq for Scene {
    fn eq(&self, other: &Scene) -> bool {
        // Named one by one, so that a new field is not forgotten.
        let Scene { title, run, world, integrator, damping, bodies, fibres, fluids, rigids, joints, .. } = self;
        let Scene { fixes, scripts, loads, initials, contacts, collisions, expect, .. } = self;
        let Scene { stokes, motors, .. } = self;
        let Scene { directory: _, name: _, said: _, .. } = self;
        (title, run, world, integrator, damping)
            == (&other.title, &other.run, &other.world, &other.integrator, &other.damping)
            && (bodies, fibres, fluids) == (&other.bodies, &other.fibres, &other.fluids)
            && (rigids, joints) == (&other.rigids, &other.joints)
            && (fixes, scripts, loads, initials) == (&other.fixes, &other.scripts, &other.loads, &other.initials)
            && (stokes, motors) == (&other.stokes, &other.motors)
            && (contacts, collisions, expect) == (&other.contacts, &other.collisions, &other.expect)
    }
}

impl std::fmt::Debug for Scene {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Scene \"{}\":\n{}", self.name, self.to_toml())
    }
}

/// Part of a text [bytes].
pub(crate) type Span = Range<usize>;

/// Duration and frames of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Simulated time [s].
    pub duration: f64,
    /// Frames per simulated second [1/s].
    pub frame_rate: f64,
    /// Times of the frames.
    pub frames: FrameTimes,
    /// Response to a step that fails.
    pub on_divergence: OnDivergence,
    /// True if results of linear materials are shown warped.
    pub warp: bool,
}

impl Default for Run {
    fn default() -> Run {
        let (frames, on_divergence) = (FrameTimes::Steps, OnDivergence::Stop);
        Run { duration: 1.0, frame_rate: 60.0, frames, on_divergence, warp: false }
    }
}

/// Properties of all bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct World {
    /// Acceleration of everything [m/s^2].
    pub gravity: Vec3,
    /// True if the mass of tets is consistent, not lumped.
    pub consistent_mass: bool,
}

impl Default for World {
    fn default() -> World {
        World { gravity: [0.0, 0.0, -9.81], consistent_mass: false }
    }
}

/// Time integrator: method, step and options.
#[derive(Clone)]
pub struct Integrator {
    /// The method.
    pub method: &'static Method,
    /// Length of a step [s].
    pub step: f64,
    /// Kind of stiffness that the method uses.
    pub stiffness: Stiffness,
    /// Options of the method.
    pub options: Options,
    /// True if the program chooses the regions with smaller steps, once the model is known.
    pub chooses_regions: bool,
    /// Regions with smaller steps, for methods that support them.
    pub regions: Vec<StepRegion>,
    /// Mark of the method.
    pub at: Mark,
}

impl Default for Integrator {
    fn default() -> Integrator {
        Integrator {
            method: integrators::find("backward-euler").unwrap_or(&integrators::METHODS[0]),
            step: 0.01,
            stiffness: Stiffness::Auto,
            options: Options::default(),
            chooses_regions: false,
            regions: Vec::new(),
            at: Mark::default(),
        }
    }
}

/// Equal if the methods and the parameters that they read are equal; other parameters do not count.
impl PartialEq for Integrator {
    fn eq(&self, other: &Integrator) -> bool {
        let Integrator { method, step, stiffness, options, chooses_regions, regions, at: _ } = self;
        method.name == other.method.name
            && (step, stiffness, chooses_regions, regions)
                == (&other.step, &other.stiffness, &other.chooses_regions, &other.regions)
            && method.parameters.iter().all(|parameter| options.value(parameter) == other.options.value(parameter))
    }
}

/// A region that takes several small steps per step.
#[derive(Debug, Clone, PartialEq)]
pub struct StepRegion {
    /// Nodes of the region.
    pub on: Selection,
    /// Small steps per step of the rest.
    pub ratio: usize,
    /// Mark of the region.
    pub at: Mark,
}

/// Rayleigh damping D = alpha M + beta K.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Rayleigh {
    /// Alpha [1/s].
    pub mass: f64,
    /// Beta [s].
    pub stiffness: f64,
    /// True if K is the stiffness at rest, not the current one.
    pub at_rest: bool,
}

/// An external force.
#[derive(Debug, Clone, PartialEq)]
pub struct Load {
    /// Nodes it acts on.
    pub on: Selection,
    /// Kind of the value: an acceleration [m/s^2], a pressure [Pa] or a force [N].
    pub basis: Basis,
    /// Its value.
    pub value: Vec3,
    /// Dependence on time.
    pub profile: Profile,
    /// Mark of the kind of load.
    pub at: Mark,
}

/// Change of a body before the first step; a centre that is not given is the mean of its points.
#[derive(Debug, Clone, PartialEq)]
pub enum Start {
    /// Turns each node about an axis by an angle that grows along it.
    Twist {
        /// Point where the angle is zero [m].
        center: Option<Vec3>,
        /// Axis, of any length but 0.
        axis: Vec3,
        /// Angle per metre [degrees/m].
        degrees_per_metre: f64,
    },
    /// Stretches along the coordinate axes.
    Stretch {
        /// Point that stays fixed [m].
        center: Option<Vec3>,
        /// Factors.
        factors: Vec3,
    },
    /// Translates.
    Shift {
        /// Displacement [m].
        offset: Vec3,
    },
    /// Sets velocities.
    Velocity {
        /// Velocity of the centre [m/s].
        linear: Vec3,
        /// Point of the axis of rotation [m].
        center: Option<Vec3>,
        /// Angular velocity [rad/s].
        angular: Vec3,
    },
}
