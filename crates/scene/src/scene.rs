//! A scene: plain data, what the file says, every default filled in.
//!
//! Numbers keep the units of the file, but directions are of unit length and angles in radians.

use crate::body::Body;
use crate::contact::{Collisions, Contact};
use crate::expect::Expect;
use crate::fluid::Fluid;
use crate::parse::Overrides;
use crate::parse::tree::Table;
use crate::problem::Source;
use crate::rigid::{Joint, Rigid};
use integrators::{Method, Options};
use model::Basis;
use model::energy::Stiffness;
use model::load::Profile;
use model::mesh::Selector;
use model::script::Motion;
use numerics::mat3::Vec3;
pub use simulation::{FrameTimes, OnDivergence};
use std::ops::Range;

/// What a scene file says. Made by [`Scene::load`] or [`Scene::parse`] only, so that it is known to be sound.
#[derive(Clone)]
pub struct Scene {
    /// What it shows; may be empty.
    pub title: String,
    /// How long, how often frames, what if it diverges.
    pub run: Run,
    /// Gravity and mass.
    pub world: World,
    /// How time advances.
    pub integrator: Integrator,
    /// Rayleigh damping.
    pub damping: Rayleigh,
    /// The bodies.
    pub bodies: Vec<Body>,
    /// The fluids.
    pub fluids: Vec<Fluid>,
    /// The rigid bodies; there is a body of some kind.
    pub rigids: Vec<Rigid>,
    /// The joints.
    pub joints: Vec<Joint>,
    /// Nodes that never move.
    pub fixes: Vec<Selection>,
    /// Nodes that follow a motion.
    pub scripts: Vec<(Selection, Motion)>,
    /// Forces from outside, without gravity.
    pub loads: Vec<Load>,
    /// What is done before the first step, in this order.
    pub initials: Vec<(Selection, Start)>,
    /// Obstacles.
    pub contacts: Vec<Contact>,
    /// Bodies that meet, and the laws of contact as a constraint.
    pub collisions: Option<Collisions>,
    /// What a run must give.
    pub expect: Option<Expect>,
    /// The checked document, from which run.toml is written.
    pub(crate) table: Table,
    pub(crate) source: Source,
    pub(crate) overrides: Overrides,
}

impl Scene {
    /// What the scene is called in messages: the name of its file.
    pub fn name(&self) -> &str {
        &self.source.name
    }
}

/// Two scenes are equal when they say the same, wherever they say it.
impl PartialEq for Scene {
    fn eq(&self, other: &Scene) -> bool {
        self.table == other.table
    }
}

impl std::fmt::Debug for Scene {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Scene").field("name", &self.source.name).field("table", &self.table).finish()
    }
}

/// Where in its file something is said [bytes].
pub(crate) type Place = Range<usize>;

/// How long a run is.
#[derive(Debug, Clone, PartialEq)]
pub struct Run {
    /// Simulated time [s].
    pub duration: f64,
    /// Frames a simulated second [1/s].
    pub frame_rate: f64,
    /// When they are.
    pub frames: FrameTimes,
    /// What to do when a step fails.
    pub on_divergence: OnDivergence,
    /// Whether what linear materials give is shown warped.
    pub warp: bool,
}

/// What holds for all bodies.
#[derive(Debug, Clone, PartialEq)]
pub struct World {
    /// Acceleration of everything [m/s^2].
    pub gravity: Vec3,
    /// Whether the mass of tets is consistent, not lumped.
    pub consistent_mass: bool,
}

/// How time advances.
#[derive(Clone)]
pub struct Integrator {
    /// The method.
    pub method: &'static Method,
    /// Length of a step [s].
    pub step: f64,
    /// Which stiffness the method uses.
    pub stiffness: Stiffness,
    /// The method's own choices.
    pub options: Options,
    /// Whether the parts that take more steps than the rest are chosen when the model is known.
    pub chooses_regions: bool,
    /// Parts that take more steps than the rest, of a method that knows such.
    pub regions: Vec<StepRegion>,
    pub(crate) at: Place,
}

/// A part that takes more steps than the rest.
#[derive(Debug, Clone, PartialEq)]
pub struct StepRegion {
    /// Which nodes.
    pub on: Selection,
    /// Steps it takes while the rest takes one.
    pub ratio: usize,
    pub(crate) at: Place,
}

/// Rayleigh damping D = alpha M + beta K.
#[derive(Debug, Clone, PartialEq)]
pub struct Rayleigh {
    /// Alpha [1/s].
    pub mass: f64,
    /// Beta [s].
    pub stiffness: f64,
    /// Whether K is the stiffness at rest, not the current one.
    pub at_rest: bool,
}

/// Nodes of one body or of all.
#[derive(Debug, Clone, PartialEq)]
pub struct Selection {
    /// Which body, by its place in [`Scene::bodies`], [`Scene::fluids`] and [`Scene::rigids`], in a row; `None` for all.
    pub body: Option<usize>,
    /// Which of its nodes.
    pub part: Selector,
    /// Where the file says so.
    pub(crate) at: Place,
}

/// A force from outside.
#[derive(Debug, Clone, PartialEq)]
pub struct Load {
    /// On which nodes.
    pub on: Selection,
    /// Whether the value is an acceleration [m/s^2], a pressure [Pa] or a force [N].
    pub basis: Basis,
    /// Its value.
    pub value: Vec3,
    /// How it changes with time.
    pub profile: Profile,
    pub(crate) at: Place,
}

/// What is done to a body before the first step; a centre that is not given is the mean of its points.
#[derive(Debug, Clone, PartialEq)]
pub enum Start {
    /// Turn each node about an axis by an angle that grows along it.
    Twist {
        /// Where the angle is zero [m].
        center: Option<Vec3>,
        /// Unit vector.
        axis: Vec3,
        /// Angle for each metre [rad/m].
        rate: f64,
    },
    /// Stretch along the coordinate axes.
    Stretch {
        /// The point that stays [m].
        center: Option<Vec3>,
        /// Factors.
        factors: Vec3,
    },
    /// Translate.
    Shift {
        /// By how much [m].
        offset: Vec3,
    },
    /// Set velocities.
    Velocity {
        /// Velocity of the centre [m/s].
        linear: Vec3,
        /// A point of the axis of rotation [m].
        center: Option<Vec3>,
        /// Angular velocity [rad/s].
        angular: Vec3,
    },
}
