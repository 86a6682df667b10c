//! An interactive simulation: paused, stepped, given another method, pulled, reset.

use crate::board::Board;
use crate::command::Command;
use crate::frame::{Facts, Frame};
use crate::pull::Pull;
use model::State;
use numerics::mat3::Vec3;
use report::{Drawing, Fields, top};
use scene::output::OutputError;
use scene::{Ending, Energies, Moment, Observer, Problems, Scene, Simulation, run};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, Ordering};

/// Particles that are sent with every frame, at most: ten bytes each.
pub const MOST_PARTICLES: usize = 50_000;

/// An interactive simulation. Without commands it is bit-for-bit identical to [`scene::run`].
pub(crate) struct Live {
    /// The original scene.
    scene: Scene,
    simulation: Simulation,
    first: State,
    pub drawing: Drawing,
    fields: Fields,
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
    pub fn new(scene: Scene, simulation: Simulation) -> Live {
        let mut live = Live {
            first: simulation.state.clone(),
            drawing: Drawing::new(&simulation, MOST_PARTICLES),
            fields: Fields::new(&simulation.mesh, &simulation.model),
            tops: [0.0; 3],
            running: true,
            speed: 1.0,
            pull: None,
            failed: None,
            is_fault: false,
            cost: 0.0,
            scene,
            simulation,
        };
        live.simulation.schedule.is_endless = true;
        live
    }

    /// Time [s].
    pub fn time(&self) -> f64 {
        self.simulation.state.t
    }

    /// Length of a step [s].
    pub fn h(&self) -> f64 {
        self.simulation.schedule.step
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
        let h = self.h();
        let hand = self.pull.as_ref().map(|pull| pull.load(&self.simulation.state, h));
        let simulation = &mut self.simulation;
        let (steps, seconds) =
            simulation.progress.as_ref().map_or((0, 0.0), |progress| (progress.steps, progress.seconds));
        simulation.model.set_hand(hand);
        let stop = AtomicBool::new(false);
        let result = run(simulation, &mut [&mut Once { stop: &stop, steps }], &stop);
        // What is shown is the body's energy, not that of a hand.
        simulation.model.set_hand(None);
        match result {
            Ok(outcome) => {
                self.cost = 1e3 * (outcome.seconds - seconds);
                self.is_fault = outcome.ending.is_failure();
                if let Ending::Diverged(divergence) = outcome.ending {
                    self.failed = Some((divergence.time, divergence.cause.to_string()));
                }
            }
            // No observer that writes takes part.
            Err(error) => self.failed = Some((self.time(), error.to_string())),
        }
    }

    /// Stops after a panic until another method is chosen or the simulation is reset.
    pub fn fail(&mut self, message: &str) {
        self.simulation.model.set_hand(None);
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
                self.simulation.state.clone_from(&self.first);
                self.simulation.progress = None;
                (self.pull, self.failed, self.tops) = (None, None, [0.0; 3]);
                board.clear();
            }
            Command::Method(name) => {
                let scene = self.scene.with_method(&name).map_err(|problems| sentences(&problems))?;
                self.take(&scene)?;
                self.failed = None;
                // A method that takes over a state is not blamed for its energy.
                let energy = Energies::of(&self.simulation.model, &self.simulation.state).internal().abs();
                if let Some(progress) = &mut self.simulation.progress {
                    progress.budget = progress.budget.max(energy);
                }
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
        if integrator.stiffness != self.simulation.model.stiffness_kind() {
            let built = scene.build().map_err(|problems| sentences(&problems))?;
            (self.simulation.model, self.simulation.stepper) = (built.model, built.stepper);
        } else {
            let made = (integrator.method.make)(&self.simulation.model, &integrator.options);
            self.simulation.stepper = made.map_err(|error| error.to_string())?;
        }
        self.simulation.method = integrator.method;
        Ok(())
    }

    fn take_hold(&mut self, point: usize, to: Vec3) -> Result<(), String> {
        let Simulation { model, state, mesh, bodies, .. } = &self.simulation;
        if self.pull.as_ref().is_none_or(|pull| pull.point != point) {
            let node = self
                .drawing
                .node(point)
                .ok_or_else(|| format!("there is no point {point}; use one below {}", self.drawing.rest.len()))?;
            let body = self.simulation.body_of_node(model.origin(node));
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
        let Simulation { model, state, warp, .. } = &self.simulation;
        let mut shown = Vec::new();
        let shown = warp.as_ref().map_or(&state.x, |warp| {
            shown.resize(state.x.len(), 0.0);
            warp.borrow_mut().apply(&state.x, &mut shown);
            &shown
        });
        self.drawing.take(model, shown.as_chunks::<3>().0)
    }

    /// Returns the current frame for the page.
    pub fn frame(&mut self, number: u64) -> Option<Frame> {
        let Simulation { model, state, .. } = &self.simulation;
        let Energies { kinetic, elastic, load } = Energies::of(model, state);
        let energies = Some([kinetic, elastic, load]).filter(|all| all.iter().all(|x| x.is_finite()));
        let values = self.drawing.take(model, &self.fields.at(model, state));
        let fields: [(Vec<f64>, f64); 3] = std::array::from_fn(|k| {
            let values: Vec<f64> = values.iter().map(|value| value[k]).collect();
            self.tops[k] = self.tops[k].max(top(values.iter().map(|&x| x as f32)));
            (values, self.tops[k])
        });
        Frame::new(number, &Facts { time: state.t, energies }, &self.points(), &fields)
    }

    /// Returns the state for the page.
    pub fn state(&self) -> Value {
        let progress = self.simulation.progress.as_ref();
        json!({
            "running": self.goes_on(),
            "method": self.simulation.method.name,
            "step": self.h(),
            "steps": progress.map_or(0, |progress| progress.steps),
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

/// Lets a run do one step.
struct Once<'a> {
    stop: &'a AtomicBool,
    steps: u64,
}

impl Observer for Once<'_> {
    fn observe(&mut self, moment: &Moment) -> Result<(), OutputError> {
        self.stop.store(moment.step > self.steps, Ordering::Relaxed);
        Ok(())
    }
}

/// Joins the messages of problems, without the marked lines for terminals.
fn sentences(problems: &Problems) -> String {
    problems.list.iter().map(|problem| problem.message.as_str()).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
pub(crate) mod tests;
