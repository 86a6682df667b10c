//! From a scene to what runs: meshes made and placed, parts selected, the model built.
//!
//! What only the meshes can tell, such as a selector that holds nothing, is reported here, with the line of the key.

mod body;
mod contact;
mod fluid;
mod nodes;
mod overlap;
mod regions;
mod rigid;
mod shape;
mod surface;

pub(crate) use body::by_material;
pub use surface::Surface;

use crate::expect::Expect;
use crate::files::MeshFile;
use crate::problem::{Found, Problems};
use crate::run::{Progress, Schedule};
use crate::scene::{Scene, Start};
use crate::solid::Made;
use integrators::{Method, Proposal, Stepper};
use model::initial::{Initial, middle};
use model::mesh::Mesh;
use model::{Basis, Blueprint, LoadPart, Model, ModelError, State, Warp};
use nodes::Placed;
use shape::ShapeError;
use std::cell::RefCell;
use std::ops::Range;

/// Everything a run needs.
pub struct Simulation {
    /// What the scene shows; may be empty.
    pub title: String,
    /// What is simulated.
    pub model: Model,
    /// Where everything is before the first step. Numbered as in the model, free nodes first.
    pub state: State,
    /// Positions before the first step, numbered as in the model [m].
    pub start: Vec<f64>,
    /// What advances it.
    pub stepper: Box<dyn Stepper>,
    /// The method's facts.
    pub method: &'static Method,
    /// All bodies in one mesh, at rest, in their own numbering: see [`Model::number`].
    pub mesh: Mesh,
    /// Which part of the mesh each body is.
    pub bodies: Vec<BodyRange>,
    /// The finer surface that follows the tets of bodies that want one.
    pub surface: Option<Surface>,
    /// What makes of positions those that are shown, where the scene wants linear results warped.
    pub warp: Option<RefCell<Warp>>,
    /// The parts that were chosen to take steps of their own, where the scene lets the program choose.
    pub proposal: Option<Proposal>,
    /// Steps and frames.
    pub schedule: Schedule,
    /// How far it has run; nothing before the first state was looked at.
    pub progress: Option<Progress>,
    /// What the run must give.
    pub expect: Option<Expect>,
    /// The mesh files that were read, each once, to be kept with the run.
    pub files: Vec<MeshFile>,
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

/// A scene before there is a model.
pub(crate) struct Laid {
    placed: Placed,
    /// All but the mesh.
    blueprint: Blueprint,
    /// The nodes that each [[initial]] changes.
    changed: Vec<Vec<u32>>,
}

impl Scene {
    /// Makes the meshes, selects the parts, builds the model and the stepper.
    pub fn build(&self) -> Result<Simulation, Problems> {
        self.build_telling(&|_| {})
    }

    /// The same, and `progress` hears how much of each body that is filled with tets is done, from 0 to 1.
    pub fn build_telling(&self, progress: &dyn Fn(f64)) -> Result<Simulation, Problems> {
        let mut found = Found::new(&self.source);
        let Laid { placed, mut blueprint, changed } = self.lay_out(false, progress, &mut found);
        found.finish()?;

        blueprint.mesh = placed.all.clone();
        let mut model = blueprint.build().map_err(|error| self.model_problem(&placed, &error))?;
        // What only the model can tell, all of it together.
        let mut found = Found::new(&self.source);
        let proposal = self.integrator.chooses_regions.then(|| self.choose_regions(&mut model, &mut found)).flatten();
        let state = self.first_state(&model, &placed, &changed, &mut found);
        let stepper = (self.integrator.method.make)(&model, &self.integrator.options);
        let stepper = stepper.map_err(|error| found.add(&self.integrator.at, error.to_string()));
        let surface = Surface::new(&placed, &model);
        let surface = surface.map_err(|body| self.add_shape_problem(body, &ShapeError::Surface, &mut found));
        let warp = self.run.warp.then(|| Warp::new(&model)).transpose().map_err(|error| {
            let at = self.table.table("run").map(|run| run.at("warp")).unwrap_or_default();
            found.add(&at, error.to_string());
        });
        let (Ok(stepper), Ok(surface), Ok(warp), true) = (stepper, surface, warp, found.is_empty()) else {
            return Err(found.into_problems());
        };
        let simulation = Simulation {
            title: self.title.clone(),
            model,
            start: state.x.clone(),
            state,
            stepper,
            method: self.integrator.method,
            mesh: placed.all,
            bodies: placed.ranges,
            surface,
            warp: warp.map(RefCell::new),
            proposal,
            schedule: Schedule::of(self),
            progress: None,
            expect: self.expect.clone(),
            files: placed.files,
        };
        self.not_flooded(&simulation)?;
        Ok(simulation)
    }

    /// Makes the meshes and selects their parts: all that can be told before there is a model. `is_partial` if mistakes in the
    /// file keep some of its bodies from being there.
    pub(crate) fn lay_out(&self, is_partial: bool, progress: &dyn Fn(f64), found: &mut Found) -> Laid {
        let mut placed = Placed { is_partial, ..self.place_bodies(progress, found) };
        let mut blueprint = Blueprint {
            damping: [self.damping.mass, self.damping.stiffness],
            damp_at_rest: self.damping.at_rest,
            consistent_mass: self.world.consistent_mass,
            stiffness: self.integrator.stiffness,
            ..Blueprint::default()
        };
        for (k, body) in self.bodies.iter().enumerate().filter(|(k, _)| !placed.missing[*k]) {
            body::fill(body, &placed.meshes[k], &placed.ranges[k], &mut blueprint, found);
        }
        for (fluid, range) in self.fluids.iter().zip(&placed.ranges[self.bodies.len()..]) {
            blueprint.fluids.push(fluid.part(range.nodes.clone()));
        }
        placed.add_rigids(self, &mut blueprint, found);
        if self.world.gravity != [0.0; 3] {
            let nodes = (0..placed.all.points.len() as u32).collect();
            let (direction, profile) = (self.world.gravity, model::load::Profile::Constant);
            blueprint.loads.push(LoadPart { nodes, basis: Basis::Mass, direction, profile });
        }
        let changed = placed.attach(self, &mut blueprint, found);
        blueprint.collisions = contact::collisions(self, &mut placed, &mut blueprint.fluids, found);
        for position in self.expect.iter().flat_map(|expect| &expect.positions) {
            placed.nodes(&position.on, found);
        }
        Laid { placed, blueprint, changed }
    }

    /// The mesh of one body where it belongs, and its finer surface: the one of this name, or the first.
    pub fn mesh_of(&self, name: Option<&str>, progress: &dyn Fn(f64)) -> Result<Made, Problems> {
        let known = || self.bodies.iter().map(|body| body.name.as_str());
        let body = match name {
            None => 0,
            Some(name) => known().position(|body| body == name).ok_or_else(|| {
                let names = known().collect::<Vec<_>>().join(", ");
                Problems::of_file(self.name(), format!("there is no body \"{name}\"; use one of {names}"))
            })?,
        };
        let mut found = Found::new(&self.source);
        let mut placed = self.place_bodies(progress, &mut found);
        found.finish()?;
        let (mesh, surface) = (placed.meshes.swap_remove(body), placed.surfaces.swap_remove(body));
        Ok(Made { mesh, spacing: None, surface })
    }

    /// Makes every body's mesh and puts it where it belongs; one that cannot be made is reported and missing.
    fn place_bodies(&self, progress: &dyn Fn(f64), found: &mut Found) -> Placed {
        let mut placed = Placed::default();
        for (i, body) in self.bodies.iter().enumerate() {
            match shape::made(body, &mut placed.files, progress) {
                Ok(made) => placed.push(&body.name, made),
                Err(error) => {
                    self.add_shape_problem(i, &error, found);
                    placed.push_missing(&body.name);
                }
            }
        }
        // Rigid bodies come last: see `Placed::first_rigid`.
        for fluid in &self.fluids {
            placed.push(&fluid.name, Made { mesh: fluid.mesh(), spacing: None, surface: None });
        }
        for rigid in &self.rigids {
            match rigid::made(rigid, &mut placed.files) {
                Ok((made, mesh)) => {
                    placed.push(&rigid.name, Made { mesh, spacing: None, surface: None });
                    placed.rigids.push(Some(made));
                }
                Err(error) => {
                    found.add(&rigid.shape_at, format!("rigid body \"{}\": {error}", rigid.name));
                    placed.push_missing(&rigid.name);
                    placed.rigids.push(None);
                }
            }
        }
        placed
    }

    /// Reports why a body has no mesh, or no surface, with the line of the key that the error is about.
    fn add_shape_problem(&self, body: usize, error: &ShapeError, found: &mut Found) {
        let shape = self.table.tables("body").ok().and_then(|bodies| bodies.get(body)?.table("shape").ok());
        let at = shape.zip(error.culprit()).map(|(shape, parameter)| shape.at(parameter));
        let body = &self.bodies[body];
        let at = error.place().or(at).unwrap_or_else(|| body.shape_at.clone());
        found.add(&at, format!("body \"{}\": {error}", body.name));
    }

    /// The state at rest, changed as the scene says.
    fn first_state(&self, model: &Model, placed: &Placed, changed: &[Vec<u32>], found: &mut Found) -> State {
        let mut state = model.state_at_rest();
        for (fluid, part) in self.fluids.iter().zip(model.fluids()) {
            for &node in &part.nodes {
                state.v[3 * node as usize..3 * node as usize + 3].copy_from_slice(&fluid.velocity);
            }
        }
        rigid::begin(self, model, &mut state);
        for ((on, start), nodes) in self.initials.iter().zip(changed) {
            let center = |given: &Option<[f64; 3]>| given.unwrap_or_else(|| middle(placed.mesh(on.body)));
            let initial = match start {
                Start::Twist { center: c, axis, rate } => {
                    Initial::Twist { center: center(c), axis: *axis, rate: *rate }
                }
                Start::Stretch { center: c, factors } => Initial::Stretch { center: center(c), factors: *factors },
                Start::Shift { offset } => Initial::Shift { offset: *offset },
                Start::Velocity { linear, center: c, angular } => {
                    Initial::Velocity { linear: *linear, center: center(c), angular: *angular }
                }
            };
            initial.apply(model, nodes, &mut state);
            if !state.x.iter().chain(&state.v).all(|x| x.is_finite()) {
                found.add(&on.at, "it moves nodes to infinity; use smaller numbers");
                break;
            }
            if let Some(bad) = model.first_inadmissible(&state.x) {
                let message = format!(
                    "it turns {} {} inside out, where its material has no energy; change less, or use \
                     stable-neo-hookean",
                    bad.element, bad.number
                );
                found.add(&on.at, message);
                break;
            }
        }
        state
    }

    /// An error where a fluid begins inside of a body that bends.
    fn not_flooded(&self, simulation: &Simulation) -> Result<(), Problems> {
        let mut found = Found::new(&self.source);
        for (fluid, body, count) in simulation.floods() {
            let at = self.fluids.iter().find(|known| known.name == fluid).map(|fluid| fluid.at.clone());
            let message = format!(
                "{count} particles of it begin inside of body \"{body}\", from where they could only burst; move the body, or the \
                 `box` of the fluid"
            );
            found.add(&at.unwrap_or_default(), message);
        }
        found.finish()
    }

    fn one_problem(&self, at: Range<usize>, message: String) -> Problems {
        Problems { list: vec![self.source.problem(at, message, None)], more: 0 }
    }

    /// What the checks before cannot see, said of the body it happens in.
    fn model_problem(&self, placed: &Placed, error: &ModelError) -> Problems {
        if let ModelError::Region(error) = error {
            let region = self.integrator.regions.get(error.region());
            return self.one_problem(region.map(|region| region.at.clone()).unwrap_or_default(), error.to_string());
        }
        let node = match error {
            ModelError::NoMass { node } | ModelError::TwoMotions { node } => *node,
            ModelError::NoLength { nodes } => nodes[0] as usize,
            ModelError::Element { node, .. } => *node as usize,
            ModelError::Mesh(_)
            | ModelError::Fibres { .. }
            | ModelError::NothingFree
            | ModelError::ConsistentMassWithScripts
            | ModelError::Fluid(_)
            | ModelError::Rigid(_)
            | ModelError::Region(_) => 0,
        };
        let body = match error {
            ModelError::Fluid(_) => self.bodies.len(),
            ModelError::Rigid(_) => self.bodies.len() + self.fluids.len(),
            _ => placed.body_of(node),
        };
        let bodies = self.bodies.iter().map(|body| &body.at);
        let mut places =
            bodies.chain(self.fluids.iter().map(|fluid| &fluid.at)).chain(self.rigids.iter().map(|rigid| &rigid.at));
        let at = places.nth(body).cloned().unwrap_or_default();
        let name = placed.ranges.get(body).map_or("", |range| &range.name);
        self.one_problem(at, format!("body \"{name}\": {error}"))
    }
}
