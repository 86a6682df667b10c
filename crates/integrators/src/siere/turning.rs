//! SIERE in frames that turn with the bodies over the step (`turning_frame.rs`).
//!
//! With y = r - r_0 and r' in place of x and v, a step of siere is taken for
//!
//!   M y'' + D y' + K y = r_0 + q - 2 M w^ r',    y(0) = 0,   y'(0) = r_0',    way of held nodes R^T (x_s - c) - r_s as a ramp
//!
//! r_0 is that of `frame_forces.rs`: the force on a body that merely turns with its frame. q is what the loads of the end of the
//! step become as seen from the middle of the turn. The Coriolis force is split off: half of its rotation of r' before the step,
//! half after it, which conserves the energy. K is that of the body in space, since R(0) = 1, so that modes, matrix and factor are
//! those of a fixed frame; M w^2 y is a ramp, with y along the velocity of deformation.
//!
//! An element turns only against its frame, and the automatic stiffness takes back the false stretch of
//! that alone. For it the positions that nodes would have if they had not moved in their frames are remembered.
//!
//! A change of variables within the step costs no order: 1, as that of siere. Linear momentum is exact; angular momentum of
//! bodies on which no torque acts is restored by a rotation of the size of the local error.
//!
//! A body that touches something stays in a frame at rest, because forces of contacts know directions of space and have to be
//! implicit. So does all with damping by the stiffness at rest. Newton's method needs no frame.

use crate::frame_forces::FrameForces;
use crate::options::Options;
use crate::turning_frame::{FRAME, FrameKind, Frames, add_to_node, of_node, set_node, significant};
use model::{Model, State};
use numerics::mat3::{cross, norm, sub};

/// Bodies in their frames.
pub(crate) struct Turning {
    frames: Frames,
    forces: FrameForces,
    /// A body turns in this step.
    active: bool,
    /// Velocities of all nodes: r_0' of the free ones, and those of held ones against their frame.
    velocity: Vec<f64>,
    /// Positions of the free nodes if they had not moved in their frames in the last step; none if no frame turned.
    carried: Vec<f64>,
    before: Vec<f64>,
    loads: Vec<f64>,
}

impl Turning {
    /// Returns `None` where no body may turn, or frames are to be fixed.
    pub fn new(model: &Model, options: &Options) -> Option<Turning> {
        let damping = model.damping();
        let knows_directions = damping.at_rest.is_some() && damping.stiffness != 0.0;
        let is_wanted = options.get(&FRAME) == FrameKind::Turning && !knows_directions;
        let frames = is_wanted.then(|| Frames::new(model)).flatten()?;
        Some(Turning {
            frames,
            forces: FrameForces::new(model),
            active: false,
            velocity: vec![0.0; 3 * model.nodes()],
            carried: Vec::new(),
            before: vec![0.0; 3 * model.nodes()],
            loads: vec![0.0; model.dofs()],
        })
    }

    /// Chooses the frames of a step to the time of `end`, whose static force is `force`; returns false where no body turns.
    pub fn begin(&mut self, model: &Model, state: &State, force: &[f64], h: f64) -> bool {
        let Turning { frames, forces, velocity, .. } = self;
        self.active = frames.begin(model, state, state.t + h, force, h);
        if self.active {
            self.active = forces.release(model, frames, &state.x);
        }
        if self.active {
            frames.relative_velocity(state, velocity);
            for i in model.free_nodes()..model.nodes() {
                let (frame, v) = (frames.of(i), of_node(&state.v, i));
                let carried = frame.carries(of_node(&state.x, i));
                let slip = if frame.turns { significant(sub(v, carried), norm(v) + norm(carried)) } else { v };
                set_node(velocity, i, slip);
            }
            frames.deflect(0.5 * h, 0.0, velocity);
            forces.watch(model, frames, state);
        }
        self.active
    }

    /// Turns the static force into r_0 + q, and adds the change of the centrifugal force within the step to `ramp`.
    pub fn see(&mut self, model: &Model, state: &State, h: f64, force: &mut [f64], ramp: &mut [f64]) {
        let Turning { frames, forces, velocity, before, loads, .. } = self;
        let reduced = &mut before[..force.len()];
        reduced.copy_from_slice(force);
        frames.at(0.0);
        forces.reduce(model, frames, state, reduced);
        forces.load(model, frames, state, reduced, force);

        model.load_force(state.t + h, loads);
        frames.at(0.5 * h);
        for i in 0..model.free_nodes() {
            let (frame, load) = (frames.of(i), of_node(loads, i));
            // A rigid turn against the frame is back at the end of the step.
            let deforming = sub(of_node(velocity, i), frame.lag(of_node(&state.x, i)));
            set_node(loads, i, cross(frame.spin, cross(frame.spin, deforming)));
            if frame.turns {
                let load = frames.without_weight(i, load);
                add_to_node(force, i, sub(frame.turn_back(load), load));
            }
        }
        model.mass().multiply_add(-h, loads, ramp);
    }

    /// Overwrites positions and velocities of held nodes after a step of h with their changes as seen from their frames.
    pub fn changes_of_held(&mut self, state: &State, h: f64, x: &mut [f64], v: &mut [f64]) {
        self.frames.at(h);
        for i in self.loads.len() / 3..x.len() / 3 {
            let [way, change] = self.frames.change_of_held(i, state, x, v);
            set_node(x, i, way);
            set_node(v, i, change);
        }
    }

    /// Returns true if a body turns in this step.
    pub fn is_active(&self) -> bool {
        self.active
    }

    /// Returns the positions that the free nodes would have if they had not moved in their frames in the last step; `None` if no
    /// frame turned.
    pub fn before(&self) -> Option<&[f64]> {
        (!self.carried.is_empty()).then_some(&self.carried[..])
    }

    /// Sets them; `numbers` are those of `before`, or none. Returns false if their count is impossible.
    pub fn recall(&mut self, numbers: &[f64]) -> bool {
        self.carried.clear();
        let fits = numbers.is_empty() || numbers.len() == self.loads.len();
        if fits {
            self.carried.extend_from_slice(numbers);
        }
        fits
    }

    /// Returns the velocities of nodes against their frames in this step, from those in space.
    pub fn velocities<'a>(&'a self, v: &'a [f64]) -> &'a [f64] {
        if self.active { &self.velocity } else { v }
    }

    /// Moves the free nodes by a change of y and r', side by side, to the end of a step of h; returns false where no body turns.
    pub fn advance(&mut self, model: &Model, state: &mut State, h: f64, change: &[f64]) -> bool {
        self.carried.clear();
        if !self.active {
            return false;
        }
        let Turning { frames, forces, velocity, carried, before, loads, .. } = self;
        let (moved, changed) = change.split_at(model.dofs());
        velocity.iter_mut().zip(changed).for_each(|(v, dv)| *v += dv);
        frames.deflect(0.5 * h, 0.0, velocity);
        frames.at(h);
        let from = state.clone();
        loads.fill(0.0);
        carried.resize(loads.len(), 0.0);
        frames.to_space(&from, None, loads, carried, before);
        frames.to_space(&from, Some(moved), velocity, &mut state.x, &mut state.v);
        state.t += h;
        model.place(state.t, &mut state.x, &mut state.v);
        forces.keep_angular_momentum(model, frames, h, state);
        true
    }
}
