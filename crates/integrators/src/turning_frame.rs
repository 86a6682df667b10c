//! Frames that turn with bodies over one step.
//!
//! A linearised step moves a turning body along the tangent of its circle and stretches it; the stress of that stretch
//! holds the next step back (`docs/turning.md`). In a frame that takes the rigid motion out nothing of this happens:
//!
//!   x(t) = c(t) + R(t) r(t),   R = exp(t w^),   c = c_0 + t V + t^2/2 A,   w^ r = w x r,   w, V, A constant in the step
//!   r_0 = x - c_0,   r_0' = v - V - w x r_0
//!
//! A body is a connected part of the graph of elements. Each has its own frame:
//!
//! | held nodes (fixed or scripted) | c | w |
//! |---|---|---|
//! | none | centre of mass, A = loads / mass | I^+ L |
//! | at one point | that point | I^+ L about it |
//! | on a line | their mean | that of the line, and along it as the angular momentum says |
//! | others | their mean | that of their rigid motion |
//!
//! I is the inertia, L the angular momentum. w is the estimate for the middle of the step, w + h/2 I^+ (torque - w x L), so
//! that bodies whose spin changes are aligned with their frame at the end of the step too. Any w is allowed: a frame is a change
//! of variables and costs no order.
//!
//! Bodies stay in a frame at rest, c = 0 and R = 1, where no frame serves: held nodes that do not move rigidly, elements that
//! are linear and know no rotation, and angles h |w| below [`LEAST_ANGLE`].

use crate::field::Words;
use crate::options::Setting;
use model::energy::ElementKind;
use model::parameter::{Kind, Parameter, Preset};
use model::{Model, State};
use numerics::mat3::{
    IDENTITY, Mat3, Vec3, add, cross, dot, mat_mul, mat_scale, mat_sub, mat_t_vec, mat_vec, norm, outer, rotation,
    scale, sub, trace,
};
use numerics::spectral3::{compose_symmetric, eigen_symmetric};

/// Frame in which a method linearises the motion of each body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum FrameKind {
    /// Turns with the body over the step.
    #[default]
    Turning,
    /// At rest in space.
    Fixed,
}

impl Words for FrameKind {
    const WORDS: &'static [(&'static str, FrameKind)] = &[("turning", FrameKind::Turning), ("fixed", FrameKind::Fixed)];
}

/// Frame of the linearisation.
pub const FRAME: Setting<FrameKind> = Setting::new(Parameter {
    name: "frame",
    kind: Kind::Word { choices: FrameKind::CHOICES },
    default: Preset::Word("turning"),
    doc: "frame in which the motion of each body is linearised: turning with it over the step, so that stiff bodies can turn, or fixed in space",
    unit: "",
});

/// Angle per step [rad] below which a body counts as not turning. The tangent stretches it by half the square, 5e-13: with
/// h omega up to 1e4 the stress of that turns no mode by more than 1e-2 rad in a step.
const LEAST_ANGLE: f64 = 1e-6;
/// Smallest moment of inertia, relative to the largest, about which a body may turn: thinner bodies are lines.
const LINE: f64 = 1e-4;
/// Squares of lengths of this share of the body's count as zero: held nodes at one point, or on a line.
const POINT: f64 = 1e-12;
/// Squares of velocities of this share are rounding: held nodes move rigidly.
const RIGID: f64 = 1e-16;

/// Nodes of a body.
#[derive(Debug, Default)]
struct Body {
    free: Vec<u32>,
    held: Vec<u32>,
    /// Elements are invariant under rotations and have a shape.
    may_turn: bool,
}

/// Motion of a body's frame in a step, and its place at the time set last.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Frame {
    /// False for a frame at rest.
    pub turns: bool,
    /// c_0 [m], V [m/s], A [m/s^2], w [rad/s].
    origin: Vec3,
    velocity: Vec3,
    pub acceleration: Vec3,
    pub spin: Vec3,
    /// Gain of the spin in half the step, contained in w [rad/s].
    gain: Vec3,
    /// Angular momentum about c_0 at the beginning of the step [kg m^2/s].
    momentum: Vec3,
    /// R, c and c' at the time set last.
    turn: Mat3,
    place: Vec3,
    pub speed: Vec3,
}

impl Frame {
    const AT_REST: Frame = Frame {
        turns: false,
        origin: [0.0; 3],
        velocity: [0.0; 3],
        acceleration: [0.0; 3],
        spin: [0.0; 3],
        gain: [0.0; 3],
        momentum: [0.0; 3],
        turn: IDENTITY,
        place: [0.0; 3],
        speed: [0.0; 3],
    };

    /// Returns the velocity of the frame at a point, at the beginning of the step: V + w x r.
    pub fn carries(&self, x: Vec3) -> Vec3 {
        add(self.velocity, cross(self.spin, sub(x, self.origin)))
    }

    /// Returns the velocity of a body that spins as it did at the beginning of the step, against its frame at a point.
    pub fn lag(&self, x: Vec3) -> Vec3 {
        scale(-1.0, cross(self.gain, sub(x, self.origin)))
    }

    /// Returns the centrifugal acceleration w x (w x r) at a point.
    pub fn centripetal(&self, x: Vec3) -> Vec3 {
        cross(self.spin, cross(self.spin, sub(x, self.origin)))
    }

    /// Returns R^T times a vector of space.
    pub fn turn_back(&self, a: Vec3) -> Vec3 {
        mat_t_vec(&self.turn, a)
    }
}

/// Frames of all bodies of a model.
#[derive(Debug)]
pub(crate) struct Frames {
    bodies: Vec<Body>,
    /// Body of each node; held nodes without elements have that of nobody, the last frame.
    body: Vec<u32>,
    /// M 1: what moves with each free node [kg].
    weight: Vec<f64>,
    /// One per body, and one at rest.
    frames: Vec<Frame>,
    /// Forces of loads, and a field of velocities.
    loads: Vec<f64>,
    field: Vec<f64>,
}

/// Returns three numbers of a node.
pub(crate) fn of_node(x: &[f64], i: usize) -> Vec3 {
    [x[3 * i], x[3 * i + 1], x[3 * i + 2]]
}

/// Sets three numbers of a node.
pub(crate) fn set_node(x: &mut [f64], i: usize, value: Vec3) {
    x[3 * i..3 * i + 3].copy_from_slice(&value);
}

/// Adds to three numbers of a node.
pub(crate) fn add_to_node(x: &mut [f64], i: usize, value: Vec3) {
    (0..3).for_each(|c| x[3 * i + c] += value[c]);
}

impl Frames {
    /// Finds the bodies of a model; `None` where no body may turn.
    pub fn new(model: &Model) -> Option<Frames> {
        let nodes = model.nodes();
        let mut parent: Vec<u32> = (0..nodes as u32).collect();
        let terms = || model.terms().iter().filter(|term| term.kind() != ElementKind::Contact);
        for term in terms() {
            for pair in (0..term.count()).flat_map(|e| term.nodes(e).windows(2)) {
                let [a, b] = [root(&mut parent, pair[0]), root(&mut parent, pair[1])];
                parent[a.max(b) as usize] = a.min(b);
            }
        }

        let (mut bodies, mut number) = (Vec::new(), vec![u32::MAX; nodes]);
        let mut body = vec![0; nodes];
        for i in 0..model.free_nodes() {
            let first = root(&mut parent, i as u32) as usize;
            if number[first] == u32::MAX {
                number[first] = bodies.len() as u32;
                bodies.push(Body::default());
            }
            body[i] = number[first];
            bodies[body[i] as usize].free.push(i as u32);
        }
        for i in model.free_nodes()..nodes {
            body[i] = number[root(&mut parent, i as u32) as usize].min(bodies.len() as u32);
            if let Some(body) = bodies.get_mut(body[i] as usize) {
                body.held.push(i as u32);
            }
        }

        // A body may turn if some element has a shape, and none is linear.
        let at_rest = |i: u32| of_node(model.rest(), i as usize);
        for element in terms().flat_map(|term| (0..term.count()).map(|e| term.nodes(e))) {
            if let Some(body) = bodies.get_mut(body[element[0] as usize] as usize) {
                body.may_turn |= element.iter().any(|&i| at_rest(i) != at_rest(element[0]));
            }
        }
        for term in terms().filter(|term| term.is_linear()) {
            for e in 0..term.count() {
                if let Some(body) = bodies.get_mut(body[term.nodes(e)[0] as usize] as usize) {
                    body.may_turn = false;
                }
            }
        }
        if !bodies.iter().any(|body| body.may_turn) {
            return None;
        }

        let dofs = model.dofs();
        let (ones, mut mass) = (vec![1.0; dofs], vec![0.0; dofs]);
        model.mass().multiply_add(1.0, &ones, &mut mass);
        Some(Frames {
            frames: vec![Frame::AT_REST; bodies.len() + 1],
            bodies,
            body,
            weight: mass.iter().step_by(3).copied().collect(),
            loads: vec![0.0; dofs],
            field: vec![0.0; dofs],
        })
    }

    /// Returns true if some body is not held in place: by no node, at a point or on a line, or by nodes that move.
    pub fn any_is_loose(&self, model: &Model) -> bool {
        let at = |i: u32| of_node(model.rest(), i as usize);
        self.bodies.iter().filter(|body| body.may_turn).any(|body| {
            let arm = |i: u32| sub(at(i), at(body.held[0]));
            let arms = || body.held.iter().map(|&i| arm(i));
            let longest = arms().fold([0.0; 3], |most, arm| if norm(arm) > norm(most) { arm } else { most });
            let is_on_line = |arm: Vec3| norm(cross(arm, longest)) <= POINT.sqrt() * dot(longest, longest);
            model.is_scripted() || arms().all(is_on_line)
        })
    }

    /// Returns the frame of a node.
    pub fn of(&self, node: usize) -> &Frame {
        &self.frames[self.body[node] as usize]
    }

    /// Returns block `i` of M 1 [kg].
    pub fn weight(&self, i: usize) -> f64 {
        self.weight[i]
    }

    /// Chooses the frames of a step of `h` [s]; `force` is that on the free nodes, with the loads of time `t`. Returns false where
    /// none turns.
    pub fn begin(&mut self, model: &Model, state: &State, t: f64, force: &[f64], h: f64) -> bool {
        model.load_force(t, &mut self.loads);
        let mut any = false;
        for b in 0..self.bodies.len() {
            let chosen = self.choose(model, b, state, force, h);
            let turns = |frame: &Frame| h * norm(frame.spin) > LEAST_ANGLE && norm(frame.spin).is_finite();
            self.frames[b] = chosen.filter(turns).unwrap_or(Frame::AT_REST);
            any |= self.frames[b].turns;
        }
        self.at(0.0);
        any
    }

    /// Leaves bodies in frames at rest on whose free nodes a force acts; returns true if another one turns.
    pub fn release(&mut self, force: &[f64]) -> bool {
        for (body, frame) in self.bodies.iter().zip(&mut self.frames) {
            if frame.turns && body.free.iter().any(|&i| of_node(force, i as usize) != [0.0; 3]) {
                *frame = Frame::AT_REST;
            }
        }
        self.frames.iter().any(|frame| frame.turns)
    }

    /// Returns a force on a free node without that which accelerates its frame; what is left of the weight of a body that falls is
    /// rounding.
    pub fn without_weight(&self, i: usize, force: Vec3) -> Vec3 {
        let weight = scale(self.weight[i], self.of(i).acceleration);
        significant(sub(force, weight), norm(force) + norm(weight))
    }

    /// Computes the rigid motion of a body; `None` where held nodes do not move rigidly.
    fn choose(&mut self, model: &Model, b: usize, state: &State, force: &[f64], h: f64) -> Option<Frame> {
        if !self.bodies[b].may_turn {
            return None;
        }
        let mut frame = Frame { turns: true, ..Frame::AT_REST };
        let Body { free, held, .. } = &self.bodies[b];
        let mass: f64 = free.iter().map(|&i| self.weight[i as usize]).sum();
        let of_held = |x: &[f64]| {
            let sum = held.iter().fold([0.0; 3], |sum, &i| add(sum, of_node(x, i as usize)));
            sum.map(|sum| sum / held.len() as f64)
        };
        if held.is_empty() {
            (frame.origin, frame.velocity) = self.centre(b, state);
            let load = free.iter().fold([0.0; 3], |sum, &i| add(sum, of_node(&self.loads, i as usize)));
            frame.acceleration = scale(1.0 / mass, load);
        } else {
            (frame.origin, frame.velocity) = (of_held(&state.x), of_held(&state.v));
        }

        let inertia = self.inertia(model, b, frame.origin, &state.x);
        frame.momentum = self.angular_momentum(model, b, frame.origin, frame.velocity, state);
        let Body { free, held, .. } = &self.bodies[b];
        let torque = free.iter().fold([0.0; 3], |sum, &i| {
            add(sum, cross(sub(of_node(&state.x, i as usize), frame.origin), of_node(force, i as usize)))
        });

        // Spin of the held nodes, and the directions that they leave free.
        let (mut moments, mut moment) = ([[0.0; 3]; 3], [0.0; 3]);
        let arm = |i: u32| sub(of_node(&state.x, i as usize), frame.origin);
        let slip = |i: u32, spin: Vec3| sub(sub(of_node(&state.v, i as usize), frame.velocity), cross(spin, arm(i)));
        for &i in held {
            let r = arm(i);
            moments = mat_sub(&moments, &mat_sub(&outer(r, r), &mat_scale(dot(r, r), &IDENTITY)));
            moment = add(moment, cross(r, slip(i, [0.0; 3])));
        }
        let size = trace(&inertia) / (2.0 * mass);
        let given = pseudo_inverse(&moments, POINT * size * held.len() as f64, POINT);
        let held_spin = mat_vec(&given, moment);
        let squares = |spin: Vec3| held.iter().map(|&i| slip(i, spin)).map(|v| dot(v, v)).sum::<f64>();
        let speeds: f64 = held.iter().map(|&i| of_node(&state.v, i as usize)).map(|v| dot(v, v)).sum();
        if squares(held_spin) > RIGID * speeds {
            return None;
        }
        let open = mat_sub(&IDENTITY, &mat_mul(&given, &moments));
        let restricted = mat_mul(&mat_mul(&open, &inertia), &open);
        let inverse = pseudo_inverse(&restricted, POINT * trace(&inertia), LINE);

        let along = |a: Vec3| mat_vec(&inverse, mat_vec(&open, a));
        let spin = add(held_spin, along(sub(frame.momentum, mat_vec(&inertia, held_spin))));
        let change = along(sub(torque, cross(spin, frame.momentum)));
        frame.gain = scale(0.5 * h, change);
        frame.spin = add(spin, frame.gain);
        Some(frame)
    }

    /// Returns the centre of mass of a body's free nodes and its velocity.
    fn centre(&self, b: usize, state: &State) -> (Vec3, Vec3) {
        let Body { free, .. } = &self.bodies[b];
        let mass: f64 = free.iter().map(|&i| self.weight[i as usize]).sum();
        let mean = |x: &[f64]| {
            let weighed = |sum, &i: &u32| add(sum, scale(self.weight[i as usize], of_node(x, i as usize)));
            free.iter().fold([0.0; 3], weighed).map(|sum| sum / mass)
        };
        (mean(&state.x), mean(&state.v))
    }

    /// Computes the angular momentum of a body about a point that moves.
    fn angular_momentum(&self, model: &Model, b: usize, point: Vec3, velocity: Vec3, state: &State) -> Vec3 {
        self.bodies[b].free.iter().fold([0.0; 3], |sum, &i| {
            let i = i as usize;
            let momentum = sub(model.mass().row_times(i, &state.v), scale(self.weight[i], velocity));
            add(sum, cross(sub(of_node(&state.x, i), point), momentum))
        })
    }

    /// Computes the inertia of a body about a point: column k is the angular momentum of a spin along axis k.
    fn inertia(&mut self, model: &Model, b: usize, point: Vec3, x: &[f64]) -> Mat3 {
        let Frames { bodies, field, .. } = self;
        let free = &bodies[b].free;
        let mut inertia = [[0.0; 3]; 3];
        for k in 0..3 {
            for &i in free {
                set_node(field, i as usize, cross(IDENTITY[k], sub(of_node(x, i as usize), point)));
            }
            let column = free.iter().fold([0.0; 3], |sum, &i| {
                add(sum, cross(sub(of_node(x, i as usize), point), model.mass().row_times(i as usize, field)))
            });
            (0..3).for_each(|r| inertia[r][k] = column[r]);
        }
        // Symmetric to the last bit.
        std::array::from_fn(|r| std::array::from_fn(|c| 0.5 * (inertia[r][c] + inertia[c][r])))
    }

    /// Places the frames `time` [s] after the beginning of the step.
    pub fn at(&mut self, time: f64) {
        for frame in self.frames.iter_mut().filter(|frame| frame.turns) {
            let Frame { origin, velocity, acceleration, spin, .. } = *frame;
            let rate = norm(spin);
            frame.turn = rotation(scale(1.0 / rate, spin), rate * time);
            frame.speed = add(velocity, scale(time, acceleration));
            frame.place = add(origin, add(scale(time, velocity), scale(0.5 * time * time, acceleration)));
        }
    }

    /// Computes r_0' of all free nodes.
    pub fn relative_velocity(&self, state: &State, out: &mut [f64]) {
        for i in 0..self.weight.len() {
            let (frame, v) = (self.of(i), of_node(&state.v, i));
            set_node(out, i, if frame.turns { sub(v, frame.carries(of_node(&state.x, i))) } else { v });
        }
    }

    /// Solves r'' = -2 w x r' + beta w x (w x r') for `time` [s]: r' turns the other way twice as fast, and shrinks across w.
    pub fn deflect(&self, time: f64, beta: f64, velocity: &mut [f64]) {
        for i in 0..self.weight.len() {
            let Frame { turns, spin, .. } = *self.of(i);
            if turns {
                let (rate, v) = (norm(spin), of_node(velocity, i));
                let axis = scale(1.0 / rate, spin);
                let along = scale(dot(axis, v), axis);
                let across = mat_vec(&rotation(axis, -2.0 * rate * time), sub(v, along));
                set_node(velocity, i, add(along, scale((-beta * rate * rate * time).exp(), across)));
            }
        }
    }

    /// out = w x y, node by node.
    pub fn spin_times(&self, y: &[f64], out: &mut [f64]) {
        (0..self.weight.len()).for_each(|i| set_node(out, i, cross(self.of(i).spin, of_node(y, i))));
    }

    /// Sets positions and velocities of free nodes from r = r_0 + y and r', with the frames at their time; `from` is the state
    /// at the beginning of the step.
    pub fn to_space(&self, from: &State, y: Option<&[f64]>, velocity: &[f64], x: &mut [f64], v: &mut [f64]) {
        for i in 0..self.weight.len() {
            let (frame, shift) = (self.of(i), y.map_or([0.0; 3], |y| of_node(y, i)));
            let (start, speed) = (of_node(&from.x, i), of_node(velocity, i));
            if frame.turns {
                let r = add(sub(start, frame.origin), shift);
                set_node(x, i, add(frame.place, mat_vec(&frame.turn, r)));
                let turned = mat_vec(&frame.turn, add(speed, cross(frame.spin, r)));
                set_node(v, i, add(frame.speed, turned));
            } else {
                set_node(x, i, add(start, shift));
                set_node(v, i, speed);
            }
        }
    }

    /// Returns the change of a held node seen from its frame, since the beginning of the step: of r, and of R^T (v - c').
    pub fn change_of_held(&self, i: usize, from: &State, x: &[f64], v: &[f64]) -> [Vec3; 2] {
        let frame = self.of(i);
        let [x0, v0, x1, v1] = [&from.x, &from.v, x, v].map(|x| of_node(x, i));
        if !frame.turns {
            return [sub(x1, x0), sub(v1, v0)];
        }
        let changes = [
            (frame.turn_back(sub(x1, frame.place)), sub(x0, frame.origin)),
            (frame.turn_back(sub(v1, frame.speed)), sub(v0, frame.velocity)),
        ];
        changes.map(|(now, before)| significant(sub(now, before), norm(now) + norm(before)))
    }

    /// y = R^T y, node by node.
    pub fn turn_back(&self, y: &mut [f64]) {
        for i in 0..self.weight.len() {
            let frame = self.of(i);
            if frame.turns {
                set_node(y, i, frame.turn_back(of_node(y, i)));
            }
        }
    }

    /// Gives bodies without held nodes, on which no torque acts, the angular momentum of the beginning of the step back, times
    /// `factor`: a change of the velocities by the size of the local error. `acts` says on which nodes a force acts from outside.
    pub fn keep_angular_momentum(
        &mut self,
        model: &Model,
        acts: impl Fn(usize) -> bool,
        factor: f64,
        state: &mut State,
    ) {
        for b in 0..self.bodies.len() {
            let Body { free, held, .. } = &self.bodies[b];
            if !self.frames[b].turns || !held.is_empty() || free.iter().any(|&i| acts(i as usize)) {
                continue;
            }
            let (centre, velocity) = self.centre(b, state);
            let inertia = self.inertia(model, b, centre, &state.x);
            let now = self.angular_momentum(model, b, centre, velocity, state);
            let missing = sub(scale(factor, self.frames[b].momentum), now);
            let spin = mat_vec(&pseudo_inverse(&inertia, 0.0, LINE), missing);
            for &i in &self.bodies[b].free {
                let i = i as usize;
                add_to_node(&mut state.v, i, cross(spin, sub(of_node(&state.x, i), centre)));
            }
        }
    }
}

/// Returns a difference, or zeros where it is rounding of numbers of this size.
pub(crate) fn significant(difference: Vec3, size: f64) -> Vec3 {
    if norm(difference) <= 16.0 * f64::EPSILON * size { [0.0; 3] } else { difference }
}

/// Computes the inverse of a symmetric matrix on the space of its eigenvalues above `least` and above a share of the largest.
fn pseudo_inverse(a: &Mat3, least: f64, share: f64) -> Mat3 {
    let (values, vectors) = eigen_symmetric(a);
    let limit = least.max(share * values[0].abs()).max(f64::MIN_POSITIVE);
    compose_symmetric(values.map(|value| if value > limit { 1.0 / value } else { 0.0 }), &vectors)
}

/// Finds the first node of the set of a node, and shortens the way to it.
pub(crate) fn root(parent: &mut [u32], mut node: u32) -> u32 {
    while parent[node as usize] != node {
        let above = parent[parent[node as usize] as usize];
        parent[node as usize] = above;
        node = above;
    }
    node
}
