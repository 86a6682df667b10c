//! From a scene to what runs: meshes made and placed, parts selected, the model built.

mod schedule;

pub use schedule::Schedule;
pub(crate) use schedule::{MOST_FRAMES, MOST_STEPS, steps};

use crate::problem::Problems;
use crate::scene::{Expect, Scene};
use integrators::{Method, Stepper};
use model::mesh::Mesh;
use model::{Model, State};
use std::ops::Range;

/// Everything a run needs.
pub struct Simulation {
    /// What the scene shows; may be empty.
    pub title: String,
    /// What is simulated.
    pub model: Model,
    /// Where everything is before the first step. Numbered as in the model, free nodes first.
    pub state: State,
    /// What advances it.
    pub stepper: Box<dyn Stepper>,
    /// The method's facts.
    pub method: &'static Method,
    /// All bodies in one mesh, at rest, in their own numbering: see [`Model::number`].
    pub mesh: Mesh,
    /// Which part of the mesh each body is.
    pub bodies: Vec<BodyRange>,
    /// Steps and frames.
    pub schedule: Schedule,
    /// What the run must give.
    pub expect: Option<Expect>,
}

/// The part of a mesh that is one body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BodyRange {
    /// Its name in the scene.
    pub name: String,
    /// Its points.
    pub nodes: Range<usize>,
    /// Its tets.
    pub tets: Range<usize>,
    /// Its triangles of cloth.
    pub triangles: Range<usize>,
    /// Its structural edges.
    pub edges: Range<usize>,
}

impl Scene {
    /// Makes the meshes, selects the parts, builds the model and the stepper.
    pub fn build(&self) -> Result<Simulation, Problems> {
        let _ = Schedule::of(self);
        Err(Problems::of_file(self.name(), String::new()))
    }
}
