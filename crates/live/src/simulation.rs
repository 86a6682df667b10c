//! An interactive simulation: paused, stepped, given another method, pulled, reset.

use crate::board::Board;
use crate::command::Command;
use crate::frame::{Facts, Frame};
use crate::pull::Pull;
use numerics::mat3::Vec3;
use report::{Drawing, Fields, FlowPlane, top};
use scene::{Built, Energies, Ground, Problems, Scene};
use serde_json::{Value, json};
use simulation::{Cause, Schedule, Simulation};
use std::sync::Arc;
use std::time::Instant;

/// Particles that are sent with every frame, at most: ten bytes each.
pub const MOST_PARTICLES: usize = 50_000;

/// An interactive simulation. Without commands it is bit-for-bit identical to [`scene::run`].
pub(crate) struct Live {
    /// The original scene.
    scene: Scene,
    /// Its bodies before the first step.
    ground: Arc<Ground>,
    simulation: Simulation,
    pub drawing: Drawing,
    fields: Fields,
    pub plane: Option<FlowPlane>,
    /// Tops of the colour scales so far.
    tops: [f64; 3],
    pub running: bool,
    /// Simulated seconds per second.
    pub speed: f64,
    pull: Option<Pull>,
    /// Time at which a step failed [s], and the reason.
    failed: Option<(f64, String)>,
    /// True if that was a fault of the program.
    is_fault: bool,
    /// Computing of the last step [ms].
    cost: f64,
}

impl Live {
    /// Builds a scene; it runs from the beginning.
    pub fn new(scene: Scene, built: Built) -> Live {
        let drawing = Drawing::new(&built, MOST_PARTICLES);
        let Built { ground, mut simulation, .. } = built;
        simulation.set_schedule(Schedule { is_endless: true, ..*simulation.schedule() });
        Live {
            drawing,
            fields: Fields::new(&ground.mesh, &ground.model),
            plane: FlowPlane::new(&ground.model),
            tops: [0.0; 3],
            running: true,
            speed: 1.0,
            pull: None,
            failed: None,
            is_fault: false,
            cost: 0.0,
            scene,
            ground,
            simulation,
        }
    }

    /// Time [s].
    pub fn time(&self) -> f64 {
        self.simulation.time()
    }

    /// Length of a step [s].
    pub fn h(&self) -> f64 {
        self.simulation.schedule().step
    }

    /// Returns true if it continues by itself.
    pub fn goes_on(&self) -> bool {
        self.running && self.failed.is_none()
    }

    /// Takes one step. A step that fails leaves the last good state.
    pub fn step(&mut self) {
        if self.failed.is_some() {
            return;
        }
        if let Some(pull) = &self.pull {
            let forces = pull.forces(self.simulation.state(), self.h());
            let given = self.simulation.forces_mut();
            forces.for_each(|(node, force)| given[node] = force);
        }
        let clock = Instant::now();
        let result = self.simulation.step();
        self.cost = 1e3 * clock.elapsed().as_secs_f64();
        // The energy shown is the body's, not that of a hand.
        self.simulation.clear_forces();
        if let Err(divergence) = result {
            self.is_fault = matches!(divergence.cause, Cause::Failed { .. });
            self.failed = Some((divergence.time, divergence.cause.to_string()));
        }
    }

    /// Stops after a panic until another method is chosen or the simulation is reset.
    pub fn fail(&mut self, message: &str) {
        self.simulation.clear_forces();
        (self.failed, self.is_fault) = (Some((self.time(), format!("the program failed: {message}"))), true);
    }

    /// Executes a command, or returns the reason for a refusal; then nothing has changed.
    pub fn obey(&mut self, command: Command, board: &Board) -> Result<(), String> {
        match command {
            Command::Pause => self.running = false,
            Command::Go => self.running = true,
            Command::Speed(factor) => self.speed = factor,
            Command::Step => {
                if let Some((time, _)) = &self.failed {
                    let word = if self.is_fault { "failed" } else { "diverged" };
                    return Err(format!("it {word} at {time} s; choose another method, or reset"));
                }
                self.running = false;
                self.step();
            }
            Command::Reset => {
                self.take(&self.scene.clone())?;
                self.simulation.begin_from(self.ground.start.clone()).map_err(|error| error.to_string())?;
                (self.pull, self.failed, self.tops) = (None, None, [0.0; 3]);
                board.clear();
            }
            Command::Method(name) => {
                let scene = self.scene.with_method(&name).map_err(|problems| sentences(&problems))?;
                self.take(&scene)?;
                self.failed = None;
            }
            Command::Pull { point, to } => self.take_hold(point, to)?,
            Command::Release => self.pull = None,
        }
        Ok(())
    }

    /// Releases the pulled point; returns true if there was one.
    pub fn let_go(&mut self) -> bool {
        self.pull.take().is_some()
    }

    /// Takes the method of a scene that differs in nothing else. The model is built anew only where the method wants
    /// another stiffness.
    fn take(&mut self, scene: &Scene) -> Result<(), String> {
        let integrator = &scene.integrator;
        let mut model = self.simulation.model().clone();
        if integrator.stiffness != model.stiffness_kind() {
            model = scene.build().map_err(|problems| sentences(&problems))?.model.clone();
        }
        let changed = self.simulation.change_method(model, integrator.method, &integrator.options);
        changed.map_err(|error| error.to_string())
    }

    fn take_hold(&mut self, point: usize, to: Vec3) -> Result<(), String> {
        let Ground { mesh, bodies, .. } = &*self.ground;
        let (model, state) = (self.simulation.model(), self.simulation.state());
        if self.pull.as_ref().is_none_or(|pull| pull.point != point) {
            let node = self
                .drawing
                .node(point)
                .ok_or_else(|| format!("there is no point {point}; use one below {}", self.drawing.rest.len()))?;
            let body = self.ground.body_of_node(model.origin(node));
            let nodes = bodies.get(body).map(|body| body.nodes.clone()).unwrap_or_default();
            let at = self.points()[point];
            let pull = Pull::new(model, state, (point, at), node, nodes, mesh.diagonal());
            self.pull = Some(pull.ok_or("the scene says where this point goes; pull at another")?);
        }
        if let Some(pull) = &mut self.pull {
            pull.move_to(to);
        }
        Ok(())
    }

    fn points(&self) -> Vec<Vec3> {
        self.drawing.take(self.simulation.model(), self.simulation.shown().as_chunks::<3>().0)
    }

    /// Returns the current frame for the page.
    pub fn frame(&mut self, number: u64) -> Option<Frame> {
        let (model, state) = (self.simulation.model(), self.simulation.state());
        let Energies { kinetic, elastic, load } = self.simulation.energies();
        let energies = Some([kinetic, elastic, load]).filter(|all| all.iter().all(|x| x.is_finite()));
        let values = self.drawing.take(model, &self.fields.at(model, state));
        let fields: [(Vec<f64>, f64); 3] = std::array::from_fn(|k| {
            let values: Vec<f64> = values.iter().map(|value| value[k]).collect();
            self.tops[k] = self.tops[k].max(top(values.iter().map(|&x| x as f32)));
            (values, self.tops[k])
        });
        let flow = self.plane.as_mut().map(|plane| plane.at(state));
        Frame::new(number, &Facts { time: state.t, energies, flow }, &self.points(), &fields)
    }

    /// Returns the state for the page.
    pub fn state(&self) -> Value {
        json!({
            "running": self.goes_on(),
            "method": self.simulation.method().name,
            "step": self.h(),
            "steps": self.simulation.steps(),
            "time": self.time(),
            "ms_per_step": self.cost,
            "speed": self.speed,
            "pulled": self.pull.as_ref().map(|pull| pull.point),
            "diverged": self.failed.as_ref().map(|(time, cause)| {
                json!({ "time": time, "cause": cause, "failed": self.is_fault })
            }),
        })
    }

    #[cfg(test)]
    pub fn simulation(&self) -> &Simulation {
        &self.simulation
    }
}

/// Joins the messages of problems, without the marked lines for terminals.
fn sentences(problems: &Problems) -> String {
    problems.list.iter().map(|problem| problem.message.as_str()).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
pub(crate) mod tests;
