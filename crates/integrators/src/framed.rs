//! Motion of a step as seen from turning frames (`turning_frame.rs`), with its forces (`frame_forces.rs`).

use crate::drift::Slope;
use crate::frame_forces::FrameForces;
use crate::linearised::Linearised;
use crate::options::Options;
use crate::turning_frame::{FRAME, FrameKind, Frames, of_node};
use model::{Model, State};
use numerics::mat3::{add, scale};

/// Frames of bodies, and the motion in them.
pub(crate) struct Framed {
    pub frames: Frames,
    pub forces: FrameForces,
    /// A body turns in this step.
    pub active: bool,
    /// r_0', and the force on r' = 0 without inertia of the rotation.
    pub velocity: Vec<f64>,
    pub reduced: Vec<f64>,
}

impl Framed {
    /// Finds the bodies of a model; `None` where no body may turn, or frames are to be fixed.
    pub fn new(model: &Model, options: &Options) -> Option<Framed> {
        let frames = Frames::new(model).filter(|_| options.get(&FRAME) == FrameKind::Turning)?;
        let empty = || vec![0.0; model.dofs()];
        let forces = FrameForces::new(model);
        Some(Framed { frames, forces, active: false, velocity: empty(), reduced: empty() })
    }

    /// Chooses the frames of a step from the static force; returns false where no body turns.
    pub fn begins(&mut self, frame: FrameKind, model: &Model, state: &State, force: &[f64], h: f64) -> bool {
        self.active = frame == FrameKind::Turning && self.frames.begin(model, state, state.t, force, h);
        self.active
    }

    /// Takes the inertial forces into the matrices: all of them, or those that keep the matrices symmetric.
    pub fn turn(&self, model: &Model, linearised: &mut Linearised, all: bool) {
        linearised.turn(model, Some(&self.frames).filter(|_| all));
        if !all {
            linearised.add_centrifugal(model, &self.frames);
        }
    }

    /// Solves for `time` the part of the motion that the symmetric matrices leave out: r'' = -2 w^ r', and + beta w^2 r' where
    /// the stiffness in D has got w^2 too.
    pub fn deflect(&self, model: &Model, linearised: &Linearised, time: f64, velocity: &mut [f64]) {
        let physical = if linearised.has_general_damping() { 0.0 } else { model.damping().stiffness };
        let beta = physical + linearised.unresolved();
        self.frames.deflect(time, beta, velocity);
    }

    /// Does so for the first half of the step, and adds to the rate what D w^ y, which is not symmetric, becomes along the
    /// motion; returns true if it does.
    pub fn deflect_first(&mut self, model: &Model, linearised: &Linearised, h: f64, rate: &mut [f64]) -> bool {
        self.deflect_start(model, linearised, h);
        let damping = model.damping();
        let is_damped = damping.mass != 0.0 || damping.stiffness != 0.0;
        if is_damped {
            self.frames.spin_times(&self.velocity, &mut self.reduced);
            linearised.add_damping_times(model, -1.0, &self.reduced, rate);
        }
        is_damped
    }

    /// Makes r_0', and turns the whole force into that in the frame, without the Coriolis force: f - M (A + w^2 r_0).
    pub fn see(&mut self, model: &Model, state: &State, load: &mut [f64]) {
        let Framed { frames, forces, velocity, .. } = self;
        frames.relative_velocity(state, velocity);
        forces.watch(model, frames, state);
        forces.see(model, frames, |i| of_node(&state.x, i), load);
    }

    /// Deflects r_0' by the Coriolis force of the first half of the step.
    pub fn deflect_start(&mut self, model: &Model, linearised: &Linearised, h: f64) {
        let mut velocity = std::mem::take(&mut self.velocity);
        self.deflect(model, linearised, 0.5 * h, &mut velocity);
        self.velocity = velocity;
    }

    /// Turns the whole force on y and y' into that in the frame, with the frames at their time: R^T (f - M A) - M w^2 (r_0 + y +
    /// beta y'), since the stiffness in D has got w^2 too.
    pub fn see_end(&mut self, model: &Model, from: &State, y: &[f64], velocity: &[f64], f: &mut [f64]) {
        let Framed { frames, forces, .. } = self;
        let beta = model.damping().stiffness;
        let at = |i: usize| add(of_node(&from.x, i), add(of_node(y, i), scale(beta, of_node(velocity, i))));
        forces.see(model, frames, at, f);
    }

    /// Makes r_0', and turns the static force into r_0, with its rate; returns false where the rate is zero.
    pub fn load_and_rate(
        &mut self,
        model: &Model,
        state: &State,
        h: f64,
        slope: Slope,
        load: &mut [f64],
        rate: &mut [f64],
    ) -> bool {
        let Framed { frames, forces, velocity, reduced, .. } = self;
        frames.relative_velocity(state, velocity);
        forces.watch(model, frames, state);
        reduced.copy_from_slice(load);
        forces.reduce(model, frames, state, reduced);
        forces.load(model, frames, state, reduced, load);
        forces.rate(model, frames, state, velocity, (h, slope), rate)
    }
}

/// Fills `stage` with the state `h` after `from`, when free nodes moved by y and have this velocity, in their frames.
pub(crate) fn place(
    model: &Model,
    framed: &mut Option<Framed>,
    from: &State,
    h: f64,
    [y, velocity]: &[Vec<f64>; 2],
    stage: &mut State,
) {
    stage.clone_from(from);
    stage.t = from.t + h;
    if let Some(Framed { frames, .. }) = framed.as_mut().filter(|framed| framed.active) {
        frames.at(h);
        frames.to_space(from, Some(y), velocity, &mut stage.x, &mut stage.v);
    } else {
        stage.x.iter_mut().zip(y).for_each(|(x, y)| *x += y);
        stage.v[..velocity.len()].copy_from_slice(velocity);
    }
    model.place(stage.t, &mut stage.x, &mut stage.v);
}
