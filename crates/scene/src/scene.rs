//! A scene: plain data, what the file says, every default filled in.
//!
//! Numbers keep the units of the file, but directions are of unit length and angles in radians.

use crate::parse::Overrides;
use crate::parse::tree::Table;
use crate::problem::Source;
use crate::rigid::{Joint, Rigid};
use crate::solid::Solid;
use integrators::{Method, Options};
use model::energy::Stiffness;
use model::energy::spring::Law;
use model::load::Profile;
use model::mesh::Selector;
use model::mesh::generate::{Generator, Value};
use model::script::Motion;
use model::{Basis, Liquid};
use numerics::mat3::Vec3;
use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

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
    /// What to do when a step fails.
    pub on_divergence: OnDivergence,
    /// Whether what linear materials give is shown warped.
    pub warp: bool,
}

/// What to do when a step fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnDivergence {
    /// Stop and keep what is good.
    Stop,
    /// Try again with half the step, [`OnDivergence::MOST_HALVINGS`] times at most; recorded.
    Halve,
}

impl OnDivergence {
    /// How often a step is halved before the run stops all the same.
    pub const MOST_HALVINGS: u32 = 10;
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

/// A body: a shape, where it is, and what it is made of.
#[derive(Clone)]
pub struct Body {
    /// Its name, unlike all others.
    pub name: String,
    /// Where its mesh comes from.
    pub shape: Shape,
    /// Added to all points, last [m].
    pub position: Vec3,
    /// Unit axis and angle [rad] of a rotation about the origin of the shape.
    pub rotation: (Vec3, f64),
    /// Factor of the shape's size.
    pub scale: f64,
    /// What its tets are made of.
    pub material: Option<Material>,
    /// Its springs.
    pub springs: Option<Springs>,
    /// Where the mass of a body without material comes from.
    pub mass: Option<BodyMass>,
    /// Parts that differ; later ones win.
    pub regions: Vec<Region>,
    pub(crate) at: Place,
    pub(crate) shape_at: Place,
    pub(crate) material_at: Place,
    pub(crate) mass_at: Place,
}

/// A fluid: a box of particles.
#[derive(Debug, Clone, PartialEq)]
pub struct Fluid {
    /// Its name, unlike all others.
    pub name: String,
    /// What is filled with particles, lowest and highest corner [m].
    pub filled: [Vec3; 2],
    /// What it is made of.
    pub liquid: Liquid,
    /// Velocity at the beginning [m/s].
    pub velocity: Vec3,
    /// The box particles stay in, lowest and highest corner [m].
    pub walls: Option<[Vec3; 2]>,
    /// Coulomb's coefficient at the walls.
    pub friction: f64,
    pub(crate) at: Place,
}

/// Where a mesh comes from.
#[derive(Clone)]
pub enum Shape {
    /// A generator makes it.
    Generated {
        /// Which.
        generator: &'static Generator,
        /// The parameters given to it.
        parameters: BTreeMap<String, Value>,
    },
    /// A file holds it.
    File {
        /// Where it is; a relative path of the scene is that from the directory of the scene.
        path: PathBuf,
        /// The checksum it must have, if the scene says one.
        checksum: Option<String>,
        /// How the inside of a surface or shape is filled.
        fill: Fill,
    },
    /// It is put together from shapes.
    Parts(Solid),
}

/// How a body is filled with tets, where a scene says so.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Fill {
    /// About how many vertices; a surface for which none are said is cloth.
    pub vertices: Option<usize>,
    /// How often tets may double in size from the surface to the middle.
    pub grading: Option<u32>,
    /// A finer surface that follows the tets, if there is one.
    pub surface: Option<Detail>,
}

/// How fine the surface is that follows the tets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    /// About so many vertices.
    Vertices(usize),
    /// The triangles of the file that is filled.
    Given,
}

impl Shape {
    /// What it is in messages: "a bar".
    pub(crate) fn noun(&self) -> String {
        match self {
            Shape::Generated { generator, .. } => format!("a {}", generator.name),
            Shape::File { path, .. } => format!("the mesh of {}", path.display()),
            Shape::Parts(_) => "a body of parts".to_string(),
        }
    }
}

/// What tets are made of.
#[derive(Debug, Clone, PartialEq)]
pub struct Material {
    /// A name of [`model::material::MATERIALS`].
    pub model: &'static str,
    /// Young's modulus [Pa].
    pub young: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Density [kg/m^3].
    pub density: f64,
}

/// The springs of a body, stiffnesses in N/m; zero for none of that kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Springs {
    /// How the pull grows.
    pub law: Law,
    /// Along structural edges, or along the edges of tets.
    pub stiffness: f64,
    /// Along the diagonals of cloth.
    pub shear: f64,
    /// Between second neighbours.
    pub bending: f64,
    /// From each vertex of a tet to the centroid of the opposite face.
    pub faces: f64,
    /// Where these four are said.
    pub(crate) at: [Place; 4],
}

/// Where the mass of a body without material comes from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum BodyMass {
    /// Along structural edges [kg/m].
    Line(f64),
    /// Over triangles [kg/m^2].
    Area(f64),
    /// At each node [kg].
    Node(f64),
    /// In tets [kg/m^3].
    Volume(f64),
}

/// A part of a body that differs from the rest of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Region {
    /// Which part.
    pub part: Selector,
    /// Another material model.
    pub model: Option<&'static str>,
    /// Another Young's modulus [Pa].
    pub young: Option<f64>,
    /// Another Poisson's ratio.
    pub poisson: Option<f64>,
    /// Another density [kg/m^3].
    pub density: Option<f64>,
    /// Another stiffness of the structural springs [N/m].
    pub stiffness: Option<f64>,
    /// Another stiffness of the diagonal springs of cloth [N/m].
    pub shear: Option<f64>,
    /// Another stiffness of the bending springs [N/m].
    pub bending: Option<f64>,
    pub(crate) at: Place,
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

/// An obstacle and how it acts.
#[derive(Debug, Clone, PartialEq)]
pub struct Contact {
    /// Which nodes meet it.
    pub on: Selection,
    /// What they meet.
    pub obstacle: Obstacle,
    /// How it acts.
    pub act: Act,
    pub(crate) at: Place,
}

/// What nodes meet. Only constraints know others than planes and balls.
#[derive(Debug, Clone, PartialEq)]
pub enum Obstacle {
    /// The half space behind a point, below a unit normal.
    Plane {
        /// A point of the surface [m].
        point: Vec3,
        /// The unit normal that points to where nodes may be.
        normal: Vec3,
    },
    /// A ball.
    Ball {
        /// Its centre [m].
        center: Vec3,
        /// Its radius [m].
        radius: f64,
    },
    /// A box.
    Box {
        /// Its centre [m].
        center: Vec3,
        /// Its sides [m].
        size: Vec3,
        /// Unit axis and angle [rad] of a rotation about its centre.
        rotation: (Vec3, f64),
    },
    /// All that is nearer than a radius to a segment.
    Capsule {
        /// One end of the segment [m].
        from: Vec3,
        /// The other [m].
        to: Vec3,
        /// The radius [m].
        radius: f64,
    },
    /// The surface of a mesh.
    Mesh(ObstacleMesh),
}

/// A mesh in the way.
#[derive(Debug, Clone, PartialEq)]
pub struct ObstacleMesh {
    /// Where its file is.
    pub path: PathBuf,
    /// The checksum the file must have, if the scene says one.
    pub checksum: Option<String>,
    /// About how many vertices a shape file is filled with.
    pub vertices: Option<usize>,
    /// Added to all points, last [m].
    pub position: Vec3,
    /// Unit axis and angle [rad] of a rotation about its origin.
    pub rotation: (Vec3, f64),
    /// Factor of its size.
    pub scale: f64,
}

/// How an obstacle acts.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// A spring pushes nodes out.
    Penalty {
        /// Its stiffness a node [N/m].
        stiffness: f64,
    },
    /// Nodes inside are put back on the surface after each step.
    Projection,
    /// Nodes are kept outside within the step.
    Constraint {
        /// Coulomb's coefficient.
        friction: f64,
        /// How the obstacle moves, if it does.
        motion: Option<Motion>,
    },
}

/// Bodies that meet, and the laws of contact as a constraint. What is not said follows from the meshes and the step.
#[derive(Debug, Clone, PartialEq)]
pub struct Collisions {
    /// Layers keep this apart, and half of it from obstacles [m].
    pub thickness: Option<f64>,
    /// How much nearer than foreseen things may come within a step [m].
    pub margin: Option<f64>,
    /// Coulomb's coefficient between bodies.
    pub friction: f64,
    /// How fast overlaps are undone [m/s].
    pub max_separation_speed: Option<f64>,
    /// Whether bodies meet themselves.
    pub within: bool,
    /// Whether bodies meet each other.
    pub between: bool,
}

/// What a run of this scene must give.
#[derive(Debug, Clone, PartialEq)]
pub struct Expect {
    /// How it ends.
    pub outcome: Outcome,
    /// Bounds of the total energy at the end [J].
    pub energy: Option<[f64; 2]>,
    /// Bounds of how much longer springs are at the end than at rest, in the mean.
    pub stretch: Option<[f64; 2]>,
    /// Bounds of the most that fluids are ever compressed, in the mean over their particles.
    pub compression: Option<[f64; 2]>,
    /// Bounds of the most that joints are ever apart at the end of a step [m].
    pub joint_gap: Option<[f64; 2]>,
    /// Where bodies are at the end.
    pub positions: Vec<Position>,
}

/// Where the centre of mass of a part of a body is at the end of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Position {
    /// The name of the body.
    pub body: String,
    /// Which part.
    pub on: Selection,
    /// The lowest it may be along x, y and z [m].
    pub low: Vec3,
    /// The highest [m].
    pub high: Vec3,
}

/// How a run is to end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// At its duration.
    Done,
    /// With a step that failed.
    Diverged,
}

impl Outcome {
    /// The word of the scene file.
    pub fn word(self) -> &'static str {
        match self {
            Outcome::Done => "done",
            Outcome::Diverged => "diverged",
        }
    }
}

impl Scene {
    /// What the scene is called in messages: the name of its file.
    pub fn name(&self) -> &str {
        &self.source.name
    }
}
