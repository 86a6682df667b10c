//! Equations of motion in turning frames (`turning_frame.rs`).
//!
//! With f the whole force and D its damping, r obeys (M has blocks m_ij 1, lumped or consistent, and commutes with rotations)
//!
//!   M r'' = R^T f(t, c + R r, c' + R (r' + w^ r)) - M (R^T A + w^2 r + 2 w^ r')
//!
//! and linearised at the beginning of the step, with y = r - r_0 and K and D those of the body at rest in space,
//!
//!   M y'' + (D + 2 M w^) y' + (K + D w^ + M w^2) y = r_0 + t g
//!   r_0 = f_static - D (V + w^ r_0) - M (A + w^2 r_0)
//!   g   = d/dt of R^T f at fixed r and r', - d/dt of M R^T A
//!
//! The matrices are those of `linearised.rs`. Internal forces turn with the body, f(R x) = R f(x), so that nothing of them is
//! left in g but that of held nodes, which move as seen from the frame:
//!
//!   g = - K_fs r_s' - beta (K_fs q_s' + dK/dx[r_s'] v) + d/dt R^T (p - M A - alpha M c' + others),   q_s = R^T (v_s - c')
//!
//! p are the loads; weight cancels with M A of bodies that fall freely. Others are forces that know directions of space:
//! contacts, energies from outside of these crates, and damping by the stiffness at rest. They are differenced along the motion of
//! the frame.

use crate::drift::{Slope, spans};
use crate::linearised::{Linearised, PROBE};
use crate::turning_frame::{Frames, add_to_node, of_node, set_node, significant};
use model::energy::{Configuration, ElementKind, Term};
use model::{Model, State};
use numerics::mat3::{Vec3, add, norm, scale, sub};

/// Forces in frames, with their memory.
pub(crate) struct FrameForces {
    /// Positions and velocities of all nodes.
    x: Vec<f64>,
    v: Vec<f64>,
    /// r_s' and q_s' of held nodes; for the change of damping also r' of free ones.
    way: Vec<f64>,
    pull: Vec<f64>,
    /// Forces that turn in the frame, at two times.
    start: Vec<f64>,
    later: Vec<f64>,
    /// A force from outside acts on the free node.
    acts: Vec<bool>,
}

/// Returns true if the energy of an element does not change when its nodes are rotated.
fn is_invariant(term: &dyn Term) -> bool {
    use ElementKind::{FaceShear, FaceSpring, Spring, Tet};
    matches!(term.kind(), Tet | Spring | FaceSpring | FaceShear)
}

impl FrameForces {
    pub fn new(model: &Model) -> FrameForces {
        let all = || vec![0.0; 3 * model.nodes()];
        let free = || vec![0.0; model.dofs()];
        let acts = vec![false; model.free_nodes()];
        FrameForces { x: all(), v: all(), way: all(), pull: all(), start: free(), later: free(), acts }
    }

    /// Turns the static force of a state into the whole force in the frame on r' = 0, without inertia of the rotation:
    /// f - M A - alpha M V - beta K (V + w^ r_0).
    pub fn reduce(&mut self, model: &Model, frames: &Frames, state: &State, f: &mut [f64]) {
        let damping = model.damping();
        if damping.stiffness != 0.0 {
            let x = if damping.at_rest.is_some() { model.rest() } else { &state.x };
            self.way.copy_from_slice(&state.v);
            for i in 0..model.free_nodes() {
                set_node(&mut self.way, i, frames.of(i).carries(of_node(&state.x, i)));
            }
            model.add_stiffness_times(-damping.stiffness, x, &self.way, f);
        }
        subtract_frame(model, frames, f);
    }

    /// Computes r_0 from the reduced force: f - M (alpha w^ r_0 + w^2 r_0).
    pub fn load(&mut self, model: &Model, frames: &Frames, state: &State, reduced: &[f64], load: &mut [f64]) {
        let alpha = model.damping().mass;
        for i in 0..model.free_nodes() {
            let (frame, x) = (frames.of(i), of_node(&state.x, i));
            let dragged = scale(alpha, sub(frame.carries(x), frame.speed));
            set_node(&mut self.later, i, add(dragged, frame.centripetal(x)));
        }
        load.copy_from_slice(reduced);
        model.mass().multiply_add(-1.0, &self.later, load);
    }

    /// Computes g; returns false where it is zero. `velocity` is r_0'.
    pub fn rate(
        &mut self,
        model: &Model,
        frames: &mut Frames,
        state: &State,
        velocity: &[f64],
        (h, slope): (f64, Slope),
        g: &mut [f64],
    ) -> bool {
        let damping = model.damping();
        let current = damping.stiffness != 0.0 && damping.at_rest.is_none();
        let (free, nodes) = (model.free_nodes(), model.nodes());
        g.fill(0.0);
        self.way.fill(0.0);
        self.pull.fill(0.0);

        frames.at(0.0);
        self.x.copy_from_slice(&state.x);
        self.v.copy_from_slice(&state.v);
        let mut start = std::mem::take(&mut self.start);
        self.turning_force(model, frames, state.t, &mut start);
        let mut later = std::mem::take(&mut self.later);
        for (span, weight) in spans(slope, h) {
            frames.at(span);
            model.place(state.t + span, &mut self.x, &mut self.v);
            frames.to_space(state, None, velocity, &mut self.x, &mut self.v);
            for i in free..nodes {
                let [shift, change] = frames.change_of_held(i, state, &self.x, &self.v);
                add_to_node(&mut self.way, i, scale(weight, shift));
                add_to_node(&mut self.pull, i, scale(weight, change));
            }
            self.turning_force(model, frames, state.t + span, &mut later);
            for i in 0..free {
                let [before, now] = [&start, &later].map(|f| of_node(f, i));
                let change = significant(sub(now, before), norm(now) + norm(before));
                add_to_node(g, i, scale(weight, change));
            }
        }
        (self.start, self.later) = (start, later);
        frames.at(0.0);

        let FrameForces { x, way, pull, .. } = self;
        let held_move = way[3 * free..].iter().chain(&pull[3 * free..]).any(|&w| w != 0.0);
        let (kind, at) = (model.stiffness_kind(), Configuration::from(&state.x));
        let invariant = || model.terms().iter().filter(|term| is_invariant(&***term));
        if held_move {
            invariant().for_each(|term| term.add_stiffness_times(kind, -1.0, at, way, g));
        }
        if held_move && current {
            invariant().for_each(|term| term.add_stiffness_times(kind, -damping.stiffness, at, pull, g));
        }

        // dK/dx[w] v, a central difference; of the others along free nodes only.
        let along = current && slope == Slope::Chord;
        if along {
            way[..3 * free].copy_from_slice(velocity);
        }
        if along || (current && held_move) {
            let probe = PROBE * h;
            for (invariant, moving) in [(true, nodes), (false, free)] {
                for side in [1.0, -1.0] {
                    x.copy_from_slice(&state.x);
                    x.iter_mut().zip(&way[..3 * moving]).for_each(|(x, w)| *x += side * probe * w);
                    let c = -side * damping.stiffness / (2.0 * probe);
                    for term in model.terms().iter().filter(|term| is_invariant(&***term) == invariant) {
                        term.add_stiffness_times(kind, c, (&*x).into(), &state.v, g);
                    }
                }
            }
        }
        g.iter().any(|&g| g != 0.0)
    }

    /// Computes R^T (p - M A - alpha M c' + others) at time `t`, from the positions and velocities in memory.
    fn turning_force(&self, model: &Model, frames: &Frames, t: f64, f: &mut [f64]) {
        model.load_force(t, f);
        subtract_frame(model, frames, f);
        let FrameForces { x, v, .. } = self;
        let damping = model.damping();
        for term in model.terms().iter().filter(|term| !is_invariant(&***term)) {
            term.add_force(x, f);
            if damping.stiffness != 0.0 && damping.at_rest.is_none() {
                term.add_stiffness_times(model.stiffness_kind(), -damping.stiffness, x.into(), v, f);
            }
        }
        if damping.stiffness != 0.0 && damping.at_rest.is_some() {
            model.add_stiffness_times(-damping.stiffness, model.rest(), v, f);
        }
        frames.turn_back(f);
    }

    /// Computes M times the remainder of a stage, without t g: what the force in the frame is beyond its linearisation.
    /// `y` and `velocity` are those of the stage in the frame, and the frames are at its time.
    pub fn remainder(
        &mut self,
        model: &Model,
        (frames, linearised): (&Frames, &Linearised),
        (stage, y, velocity): (&State, &[f64], &[f64]),
        reduced: &[f64],
        f: &mut [f64],
    ) {
        let damping = model.damping();
        model.static_force(stage.t, &stage.x, f);
        if damping.stiffness != 0.0 {
            let x = if damping.at_rest.is_some() { model.rest() } else { &stage.x };
            model.add_stiffness_times(-damping.stiffness, x, &stage.v, f);
        }
        subtract_frame(model, frames, f);
        frames.turn_back(f);
        if damping.stiffness != 0.0 {
            frames.spin_times(y, &mut self.later);
            self.later.iter_mut().zip(velocity).for_each(|(later, v)| *later += v);
            linearised.add_damping_times(model, 1.0, &self.later, f);
            model.mass().multiply_add(-damping.mass, &self.later, f);
        }
        linearised.stiffness.multiply_add(1.0, y, f);
        f.iter_mut().zip(reduced).for_each(|(f, reduced)| *f -= reduced);
    }

    /// f = R^T (f - M A) - M w^2 r, with the frames at their time, and r that of a point for each node.
    pub fn see(&mut self, model: &Model, frames: &Frames, at: impl Fn(usize) -> Vec3, f: &mut [f64]) {
        subtract_weight(frames, f);
        frames.turn_back(f);
        for i in 0..model.free_nodes() {
            set_node(&mut self.later, i, frames.of(i).centripetal(at(i)));
        }
        model.mass().multiply_add(-1.0, &self.later, f);
    }

    /// Leaves bodies in frames at rest on which forces act that know directions of space, such as contacts; returns true if
    /// another one turns.
    pub fn release(&mut self, model: &Model, frames: &mut Frames, x: &[f64]) -> bool {
        self.later.fill(0.0);
        for term in model.terms().iter().filter(|term| !is_invariant(&***term)) {
            term.add_force(x, &mut self.later);
        }
        frames.release(&self.later)
    }

    /// Begins to note on which free nodes forces act from outside in a step.
    pub fn watch(&mut self, model: &Model, frames: &Frames, state: &State) {
        self.acts.fill(false);
        self.note(model, frames, state);
    }

    fn note(&mut self, model: &Model, frames: &Frames, state: &State) {
        let f = &mut self.later;
        model.load_force(state.t, f);
        subtract_frame(model, frames, f);
        let (alpha, drag) = (model.damping().mass, |i: usize| frames.weight(i));
        for i in 0..self.acts.len() {
            // Damping by mass is no torque from outside: it lowers the angular momentum at a known rate.
            let load = add(of_node(f, i), scale(alpha * drag(i), frames.of(i).speed));
            set_node(f, i, significant(load, alpha * drag(i) * norm(frames.of(i).speed)));
        }
        for term in model.terms().iter().filter(|term| !is_invariant(&***term)) {
            term.add_force(&state.x, f);
        }
        for (i, acts) in self.acts.iter_mut().enumerate() {
            *acts |= of_node(f, i) != [0.0; 3];
        }
    }

    /// Restores the angular momentum of bodies on which nothing acts from outside, after a step of `h`.
    pub fn keep_angular_momentum(&mut self, model: &Model, frames: &mut Frames, h: f64, end: &mut State) {
        // The force of damping by the stiffness of a stressed body has a moment.
        if model.damping().stiffness == 0.0 {
            self.note(model, frames, end);
            let factor = (-model.damping().mass * h).exp();
            frames.keep_angular_momentum(model, |i| self.acts[i], factor, end);
        }
    }
}

/// f -= M A + alpha M c'.
fn subtract_frame(model: &Model, frames: &Frames, f: &mut [f64]) {
    subtract_weight(frames, f);
    let alpha = model.damping().mass;
    for i in 0..model.free_nodes() {
        if frames.of(i).turns {
            add_to_node(f, i, scale(-alpha * frames.weight(i), frames.of(i).speed));
        }
    }
}

/// f -= M A, where what is left of the weight of a falling body is rounding.
fn subtract_weight(frames: &Frames, f: &mut [f64]) {
    for i in 0..f.len() / 3 {
        if frames.of(i).turns {
            set_node(f, i, frames.without_weight(i, of_node(f, i)));
        }
    }
}
