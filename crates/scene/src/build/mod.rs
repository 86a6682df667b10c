//! From a scene to a simulation: makes and places meshes, selects parts, builds the model.
//!
//! Problems that only the meshes show, such as a selector that holds nothing, are reported here, with the line of the
//! key.

mod body;
mod contact;
mod fibres;
mod fluid;
mod grounds;
mod nodes;
mod overlap;
mod regions;
mod rigid;
mod shape;
mod stokes;
mod surface;

pub(crate) use body::by_material;
pub use fibres::FibreLines;
pub use grounds::Grounds;
pub use surface::EmbeddedSurface;

use crate::expect::Expect;
use crate::files::MeshFile;
use crate::problem::{Found, Problems};
use crate::scene::{Integrator, Run, Scene, Selection, Span, Start};
use crate::solid::Made;
use integrators::Proposal;
use model::initial::{Initial, middle};
use model::mesh::Mesh;
use model::{Basis, Blueprint, LoadPart, Model, ModelError, SolidPart, State, Warp};
use nodes::PlacedBodies;
use numerics::mat3::unit;
use shape::ShapeError;
use simulation::{Schedule, Simulation};
use std::ops::{Deref, Range};
use std::sync::Arc;

/// A built scene: its simulation, and facts about its bodies.
pub struct Built {
    /// Title of the scene; may be empty.
    pub title: String,
    /// The bodies, independent of the method.
    pub ground: Arc<Ground>,
    /// The simulation that moves them.
    pub simulation: Simulation,
    /// Expected results of the run.
    pub expect: Option<Expect>,
}

/// The bodies of a scene, independent of the method: methods that need the same model share them.
pub struct Ground {
    /// Model that simulations begin with.
    pub model: Arc<Model>,
    /// State before the first step, numbered as the model, free nodes first.
    pub start: State,
    /// All bodies in one mesh, at rest, in their own numbering: see [`Model::number`].
    pub mesh: Mesh,
    /// Part of the mesh that each body is.
    pub bodies: Vec<BodyRange>,
    /// Tets of each material.
    pub solids: Vec<SolidPart>,
    /// The finer surface that follows the tets of bodies that want one.
    pub surface: Option<Arc<EmbeddedSurface>>,
    /// Centre lines of the fibres.
    pub lines: FibreLines,
    /// Regions with smaller steps, if the scene lets the program choose them.
    pub proposal: Option<Proposal>,
    /// Mesh files that were read, each once, to be kept with the run.
    pub files: Vec<MeshFile>,
}

impl Deref for Built {
    type Target = Ground;

    fn deref(&self) -> &Ground {
        &self.ground
    }
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

/// A scene before its model is built.
pub(crate) struct Laid {
    placed: PlacedBodies,
    /// Everything but the mesh.
    blueprint: Blueprint,
    /// Nodes that each [[initial]] changes.
    changed: Vec<Vec<u32>>,
}

impl Ground {
    /// Returns the message for two nodes whose features begin too near each other for contact by impulses.
    fn too_near(&self, nodes: [usize; 2], distance: f64) -> String {
        let [a, b] = nodes.map(|node| {
            let name = self.bodies.iter().find(|body| body.nodes.contains(&node)).map_or("", |body| &body.name);
            let number = self.model.number(node);
            let [x, y, z] = std::array::from_fn(|c| self.start.x[3 * number + c]);
            format!("node {node} of \"{name}\" at [{x:.4}, {y:.4}, {z:.4}]")
        });
        let thickness = self.model.collisions().map_or(0.0, |collisions| collisions.thickness);
        let how =
            if distance > 0.0 { format!("begins {distance:.1e} m away from") } else { "begins across".to_string() };
        format!(
            "what contains {a} {how} what contains {b}: impulses keep a tenth of the thickness, {:.1e} m, but cannot make it; \
             move them apart, or use a smaller thickness",
            0.1 * thickness
        )
    }
}

impl Scene {
    /// Makes the meshes, selects the parts, builds the model and the stepper.
    pub fn build(&self) -> Result<Built, Problems> {
        self.build_telling(&|_| {})
    }

    /// Builds as [`Scene::build`] does; reports to `progress` the filled share of each body, from 0 to 1.
    pub fn build_telling(&self, progress: &dyn Fn(f64)) -> Result<Built, Problems> {
        self.checked()?.build_checked(progress)
    }

    /// Builds a scene that was checked.
    fn build_checked(&self, progress: &dyn Fn(f64)) -> Result<Built, Problems> {
        // Problems that only the model shows are reported together.
        let mut found = Found::new(self.source());
        let ground = self.ground(progress, &mut found)?;
        let built = self.build_on(&Arc::new(ground), found)?;
        self.not_flooded(&built)?;
        Ok(built)
    }

    /// Builds the model and everything that does not depend on the method, except through the model.
    fn ground(&self, progress: &dyn Fn(f64), found: &mut Found) -> Result<Ground, Problems> {
        let mut wrong = Found::new(self.source());
        let Laid { placed, mut blueprint, changed } = self.lay_out(false, progress, &mut wrong);
        wrong.finish()?;

        blueprint.mesh = placed.all.clone();
        let solids = blueprint.solids.clone();
        let mut model = blueprint.build().map_err(|error| self.model_problem(&placed, &error))?;
        let proposal = self.integrator.chooses_regions.then(|| self.choose_regions(&mut model, found)).flatten();
        let start = self.first_state(&model, &placed, &changed, found);
        let surface = EmbeddedSurface::new(&placed, &model).unwrap_or_else(|body| {
            self.add_shape_problem(body, &ShapeError::Surface, found);
            None
        });
        let surface = surface.map(Arc::new);
        let PlacedBodies { all: mesh, ranges: bodies, lines, files, .. } = placed;
        Ok(Ground { model: Arc::new(model), start, mesh, bodies, solids, surface, lines, proposal, files })
    }

    /// Adds the method to a ground; `found` collects the problems with that.
    fn build_on(&self, ground: &Arc<Ground>, mut found: Found) -> Result<Built, Problems> {
        let Integrator { method, ref options, step, ref at, .. } = self.integrator;
        let simulation = Simulation::new(ground.model.clone(), method, options, step);
        let simulation = simulation.map_err(|error| found.add(at, error.to_string()));
        let warp = self.run.warp.then(|| Warp::new(&ground.model)).transpose().map_err(|error| {
            found.add(&self.span("run.warp"), error.to_string());
        });
        let (Ok(mut simulation), Ok(warp), true) = (simulation, warp, found.is_empty()) else {
            return Err(found.into_problems());
        };
        simulation.set_schedule(self.schedule());
        simulation.set_warp(warp);
        if let Err(error) = simulation.begin_from(ground.start.clone()) {
            return Err(self.one_problem(Span::clone(at), error.to_string()));
        }
        if let Some((nodes, distance)) = simulation.too_near() {
            return Err(self.one_problem(self.span("collisions"), ground.too_near(nodes, distance)));
        }
        Ok(Built { title: self.title.clone(), ground: ground.clone(), simulation, expect: self.expect.clone() })
    }

    /// Returns the number of ranges of nodes before those of fluids: bodies and fibres.
    fn before_fluids(&self) -> usize {
        self.bodies.len() + self.fibres.len()
    }

    /// Returns the steps and frames that the scene asks for.
    fn schedule(&self) -> Schedule {
        let Run { duration, frame_rate, frames, on_divergence, .. } = self.run;
        Schedule { step: self.integrator.step, duration, frame_rate, frames, on_divergence, is_endless: false }
    }

    /// Makes the meshes and selects their parts: everything that can be checked before the model is built. `is_partial`
    /// if mistakes in the file left out some of its bodies.
    pub(crate) fn lay_out(&self, is_partial: bool, progress: &dyn Fn(f64), found: &mut Found) -> Laid {
        let mut placed = PlacedBodies { is_partial, ..self.place_bodies(progress, found) };
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
        placed.wet(self, &mut blueprint, found);
        placed.add_motors(self, &mut blueprint, found);
        placed.add_fibres(&mut blueprint);
        for (fluid, range) in self.fluids.iter().zip(&placed.ranges[self.before_fluids()..]) {
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
            let (body, part, at) = (Some(position.body.clone()), position.part.clone(), position.at.clone());
            placed.nodes(&Selection { body, part, at }, found);
        }
        Laid { placed, blueprint, changed }
    }

    /// Returns the placed mesh of one body and its finer surface: the body of this name, or the first.
    pub fn mesh_of(&self, name: Option<&str>, progress: &dyn Fn(f64)) -> Result<Made, Problems> {
        let known = || self.bodies.iter().map(|body| body.name.as_str());
        let body = match name {
            None => 0,
            Some(name) => known().position(|body| body == name).ok_or_else(|| {
                let names = known().collect::<Vec<_>>().join(", ");
                Problems::of_file(self.name(), format!("there is no body \"{name}\"; use one of {names}"))
            })?,
        };
        let mut found = Found::new(self.source());
        let mut placed = self.place_bodies(progress, &mut found);
        found.finish()?;
        let (mesh, surface) = (placed.meshes.swap_remove(body), placed.surfaces.swap_remove(body));
        Ok(Made { mesh, spacing: None, surface })
    }

    /// Makes and places the mesh of every body; one that cannot be made is reported and marked as missing.
    fn place_bodies(&self, progress: &dyn Fn(f64), found: &mut Found) -> PlacedBodies {
        let mut placed = PlacedBodies::default();
        for (i, body) in self.bodies.iter().enumerate() {
            match shape::made(body, &self.directory, &mut placed.files, progress) {
                Ok(made) => placed.push(&body.name, made),
                Err(error) => {
                    self.add_shape_problem(i, &error, found);
                    placed.push_missing(&body.name);
                }
            }
        }
        for fibres in &self.fibres {
            match fibres::made(fibres, &self.directory, &mut placed) {
                Ok(Some(made)) => placed.push_fibres(&fibres.name, made),
                Ok(None) => placed.push_missing(&fibres.name),
                Err(error) => {
                    found.add(&fibres.roots_at, format!("fibres \"{}\": {error}", fibres.name));
                    placed.push_missing(&fibres.name);
                }
            }
        }
        // Rigid bodies come last: see `PlacedBodies::first_rigid`.
        for fluid in &self.fluids {
            placed.push(&fluid.name, Made { mesh: fluid.mesh(), spacing: None, surface: None });
        }
        for rigid in &self.rigids {
            match rigid::made(rigid, &self.directory, &mut placed.files) {
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

    /// Reports the reason why a body has no mesh or no surface, at the line of the key that the error is about.
    fn add_shape_problem(&self, body: usize, error: &ShapeError, found: &mut Found) {
        let at = error.culprit().map(|parameter| self.span(&format!("body.{}.shape.{parameter}", body + 1)));
        let body = &self.bodies[body];
        let at = error.span().or(at).unwrap_or_else(|| Span::clone(&body.marks.shape));
        found.add(&at, format!("body \"{}\": {error}", body.name));
    }

    /// Returns the state at rest, with the changes of the scene.
    fn first_state(&self, model: &Model, placed: &PlacedBodies, changed: &[Vec<u32>], found: &mut Found) -> State {
        let mut state = model.state_at_rest();
        for (fluid, part) in self.fluids.iter().zip(model.fluids()) {
            for &node in &part.nodes {
                state.v[3 * node as usize..3 * node as usize + 3].copy_from_slice(&fluid.velocity);
            }
        }
        rigid::begin(self, model, &mut state);
        for ((on, start), nodes) in self.initials.iter().zip(changed) {
            let center = |given: &Option<[f64; 3]>| {
                given.unwrap_or_else(|| middle(placed.mesh(placed.number(on.body.as_deref()))))
            };
            let initial = match start {
                Start::Twist { center: c, axis, degrees_per_metre } => {
                    Initial::Twist { center: center(c), axis: unit(*axis), rate: degrees_per_metre.to_radians() }
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

    /// Fails if a fluid begins inside a deformable body.
    fn not_flooded(&self, ground: &Ground) -> Result<(), Problems> {
        let mut found = Found::new(self.source());
        for (fluid, body, count) in ground.floods() {
            let at = self.fluids.iter().find(|known| known.name == fluid).map(|fluid| Span::clone(&fluid.at));
            let message = format!(
                "{count} particles of it begin inside of body \"{body}\", from where they could only burst; move the body, or the \
                 `box` of the fluid"
            );
            found.add(&at.unwrap_or_default(), message);
        }
        found.finish()
    }

    fn one_problem(&self, at: Range<usize>, message: String) -> Problems {
        Problems { list: vec![self.source().problem(at, message, None)], more: 0 }
    }

    /// Reports an error of the model, which earlier checks cannot see, for the body it happens in.
    fn model_problem(&self, placed: &PlacedBodies, error: &ModelError) -> Problems {
        if let ModelError::Region(error) = error {
            let region = self.integrator.regions.get(error.region());
            return self
                .one_problem(region.map(|region| Span::clone(&region.at)).unwrap_or_default(), error.to_string());
        }
        if let ModelError::Stokes(error) = error {
            let motor = error.motor().and_then(|k| Some(&self.motors.get(k)?.at));
            let at = motor.or(self.stokes.as_ref().map(|flow| &flow.at)).map(|mark| Span::clone(mark));
            return self.one_problem(at.unwrap_or_default(), error.to_string());
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
            | ModelError::Stokes(_)
            | ModelError::Region(_) => 0,
        };
        let body = match error {
            ModelError::Fluid(_) => self.before_fluids(),
            ModelError::Rigid(_) => self.before_fluids() + self.fluids.len(),
            _ => placed.body_of(node),
        };
        let bodies = self.bodies.iter().map(|body| &body.marks.body);
        let bodies = bodies.chain(self.fibres.iter().map(|fibres| &fibres.at));
        let mut marks =
            bodies.chain(self.fluids.iter().map(|fluid| &fluid.at)).chain(self.rigids.iter().map(|rigid| &rigid.at));
        let at = marks.nth(body).map(|mark| Span::clone(mark)).unwrap_or_default();
        let name = placed.ranges.get(body).map_or("", |range| &range.name);
        self.one_problem(at, format!("body \"{name}\": {error}"))
    }
}
