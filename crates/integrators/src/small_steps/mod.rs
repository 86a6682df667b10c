//! Small steps: extended position-based dynamics with many substeps and few passes.
//!
//! A step of length h has `substeps` substeps of dt = h / n (Macklin et al. 2019, algorithm 1):
//!
//!   x~ = x + dt v + dt^2 w f(t)     predicted by loads alone (eq. 3), w the inverse mass
//!   `passes` times: each constraint in turn moves its nodes so that it is met (eq. 4 to 8)
//!   v  = (x+ - x) / dt
//!
//! Symbols: n_steps -> substeps; w, C, lambda, gamma as in `model::energy::relaxation`, which makes constraints of the
//! same energies that all methods use. alpha of Rayleigh damping slows the prediction. beta acts implicitly through eq.
//! 8 on the part of K from the rows of constraints, and by its force on the rest of K, the rotation of their gradients.
//!
//! Cost: a pass costs about as much as a force. Properties: first order; damps fast motion about as backward Euler does
//! at dt; stable for stiff bodies while elements do not invert. Bodies reach their stiffness by smaller dt^2, not by
//! more passes. Momentum is conserved to rounding. So is angular momentum by springs and by materials solved by rows;
//! by the neo-Hookean ones, which are solved for their stress, to first order.
//! Fails where the mass is consistent (each node must have its own mass), and for damping by K at rest.
//! Citation: Macklin, Storey, Lu, Terdiman, Mueller 2019.

mod constraints;
mod contact;
mod elastic;
mod fluid;
mod joints;
mod parameters;
mod rigid;

use crate::feature::Feature;
use crate::method::{EnergyBehaviour, Family, Method};
use crate::one_mode::{self, OneMode};
use crate::options::Options;
use crate::stepper::{StepError, StepReport, Stepper, check_finite};
use constraints::{Ahead, Constraints, Substep};
use contact::Contacts;
use elastic::Elastic;
use fluid::Fluids;
use joints::Joints;
use model::energy::{Bodies, Quad};
use model::{Model, State};
use numerics::interrupt;
use numerics::vectors::is_finite;
pub use parameters::{ORDER, PASSES, RELAXATION, SUBSTEPS, Sweep, WEIGHT};
use rayon::prelude::*;
use rigid::Touching;

/// The facts of small-steps.
pub(crate) const METHOD: Method = Method {
    name: "small-steps",
    aliases: &["xpbd"],
    description: "many substeps, in each of which every constraint moves its nodes once; for any stiffness, without linear systems",
    citation: "Macklin, Storey, Lu, Terdiman, Mueller 2019",
    order: 1,
    exact_on_linear: false,
    energy: EnergyBehaviour::Damps,
    family: Family::PositionBased,
    parameters: &[SUBSTEPS.parameter, PASSES.parameter, RELAXATION.parameter, WEIGHT.parameter, ORDER.parameter],
    // Backward Euler at the substep where the one constraint is met exactly. With a share w of the mass each pass
    // leaves q = 1 - (1 + s) / (1 + s / w) of it, s = (z / n)^2; x+ = c (2 x - x_before) has roots of modulus sqrt c.
    one_mode: OneMode {
        roots: one_mode::TWO,
        radius: |options, z| {
            let (n, passes) = (options.get(&SUBSTEPS) as f64, options.get(&PASSES) as f64);
            let w = if options.get(&RELAXATION) == Sweep::Jacobi { options.get(&WEIGHT) } else { 1.0 };
            let s = (z / n).powi(2);
            let left = (1.0 - (1.0 + s) / (1.0 + s / w)).powf(passes);
            let c = (1.0 + s * left) / (1.0 + s);
            c.powf(0.5 * n)
        },
    },
    keeps_factor: false,
    linearises_once: false,
    has_explicit_regions: false,
    conserves_momentum: |_| true,
    serves: &[Feature::Contact, Feature::Fluids, Feature::RigidBodies],
    make: |model, options| Ok(Box::new(SmallSteps::new(model, options))),
};

/// Least nodes per task: fewer are not worth a second thread.
const NODES_A_TASK: usize = 1 << 12;
/// Models of fewer nodes hardly use a second thread, so they run on one.
const NODES_OF_ONE_THREAD: usize = 1 << 8;

pub(crate) struct SmallSteps {
    substeps: usize,
    passes: usize,
    bodies: Bodies,
    constraints: Vec<Box<dyn Constraints>>,
    /// Loads, and the part of damping known before a substep; three numbers per free node [N].
    f: Vec<f64>,
    /// Positions and velocities in the layout of the model.
    x: Vec<f64>,
    v: Vec<f64>,
    /// Forces of constraints in the last substep [N].
    constraint_forces: Vec<f64>,
    /// True after the first step.
    has_stepped: bool,
}

impl SmallSteps {
    pub fn new(model: &Model, options: &Options) -> SmallSteps {
        let nodes = model.nodes();
        let mut bodies = Bodies::new(nodes);
        for (i, mass) in model.node_mass()[..model.free_nodes()].iter().enumerate() {
            bodies.shift[i].0[3] = 1.0 / mass;
        }
        bodies.rotors = rigid::rotors(model);
        let mut constraints: Vec<Box<dyn Constraints>> = vec![Box::new(Elastic::new(model, options, &mut bodies))];
        let substeps = options.get(&SUBSTEPS);
        if let Some(fluids) = Fluids::of(model, substeps, &bodies) {
            constraints.push(Box::new(fluids));
        }
        if let Some(joints) = Joints::of(model) {
            constraints.push(Box::new(joints));
        }
        if let Some(touching) = Touching::of(model) {
            constraints.push(Box::new(touching));
        }
        if let Some(collisions) = model.collisions() {
            constraints.push(Box::new(Contacts::new(model, collisions)));
        }
        SmallSteps {
            substeps,
            passes: options.get(&PASSES),
            bodies,
            constraints,
            f: vec![0.0; model.dofs()],
            x: vec![0.0; 3 * nodes],
            v: vec![0.0; 3 * nodes],
            constraint_forces: vec![0.0; 3 * nodes],
            has_stepped: false,
        }
    }

    /// Sets nodes to the beginning of the step, and their shifts to those of one substep.
    fn begin(&mut self, model: &Model, state: &State, dt: f64) {
        rigid::begin(model, state, dt, &mut self.bodies);
        self.x.copy_from_slice(&state.x);
        let Bodies { start, shift, .. } = &mut self.bodies;
        for ((start, shift), (x, v)) in start.iter_mut().zip(shift).zip(state.x.chunks(3).zip(state.v.chunks(3))) {
            start.0[..3].copy_from_slice(x);
            (0..3).for_each(|c| shift.0[c] = dt * v[c]);
        }
    }

    /// Ends a substep: the next one begins at the current positions.
    fn advance(&mut self) {
        let Bodies { start, shift, .. } = &mut self.bodies;
        start.par_iter_mut().zip(shift).with_min_len(NODES_A_TASK).for_each(|(start, shift)| {
            (0..3).for_each(|c| start.0[c] += shift.0[c]);
        });
    }

    /// Predicts the shifts of the next substep from loads and velocities alone; scripted nodes go to their prescribed
    /// positions. `advances` if the substep before has not been ended yet.
    fn predict(&mut self, model: &Model, t: f64, dt: f64, advances: bool) {
        self.add_turning_damping(model, dt);
        // Only the velocity is slowed: a body hanging at rest carries its whole weight.
        let kept = 1.0 / (1.0 + model.damping().mass * dt);
        rigid::predict(&mut self.bodies, kept);
        let (free, f) = (model.free_nodes(), &self.f);
        let Bodies { start, shift, .. } = &mut self.bodies;
        let nodes = start[..free].par_iter_mut().zip(&mut shift[..free]).zip(f.as_chunks::<3>().0);
        // The same for all four numbers of a quad, so that they stay side by side in a register.
        let (moves, kept) = (f64::from(advances), [kept, kept, kept, 1.0]);
        let moves = [moves, moves, moves, 0.0];
        nodes.with_min_len(NODES_A_TASK).for_each(|((start, shift), &[x, y, z])| {
            let (f, pull) = ([x, y, z, 0.0], shift.0[3] * dt * dt);
            for c in 0..4 {
                start.0[c] = moves[c].mul_add(shift.0[c], start.0[c]);
                shift.0[c] = pull.mul_add(f[c], kept[c] * shift.0[c]);
            }
        });
        if model.is_scripted() {
            model.place(t + dt, &mut self.x, &mut self.v);
        }
        for i in free..model.nodes() {
            (0..3).for_each(|c| {
                if advances {
                    start[i].0[c] += shift[i].0[c];
                }
                shift[i].0[c] = if model.is_scripted() { self.x[3 * i + c] - start[i].0[c] } else { 0.0 }
            });
        }
    }

    /// f += -beta (K - sum k grad C grad C^T) v: damping by the rotation of the constraints' gradients.
    fn add_turning_damping(&mut self, model: &Model, dt: f64) {
        let beta = model.damping().stiffness;
        if beta == 0.0 {
            return;
        }
        for (i, (start, shift)) in self.bodies.start.iter().zip(&self.bodies.shift).enumerate() {
            for c in 0..3 {
                self.x[3 * i + c] = start.0[c];
                self.v[3 * i + c] = shift.0[c] / dt;
            }
        }
        model.add_stiffness_times(-beta, &self.x, &self.v, &mut self.f);
        model.terms().iter().for_each(|term| term.add_block_stiffness_times(beta, &self.x, &self.v, &mut self.f));
    }

    /// Writes positions and velocities to the state if all are finite.
    fn end(&mut self, model: &Model, state: &mut State, h: f64, dt: f64) -> Result<(), StepError> {
        for (i, shift) in self.bodies.shift.iter().enumerate() {
            for c in 0..3 {
                self.x[3 * i + c] = self.bodies.start[i].0[c];
                self.v[3 * i + c] = shift.0[c] / dt;
            }
        }
        let finite = check_finite(model, &state.x, &self.x).and_then(|()| check_finite(model, &state.x, &self.v));
        finite.map_err(|error| self.constraints.iter().find_map(|constraints| constraints.fault()).unwrap_or(error))?;
        self.bodies.rotors.iter().try_for_each(|rotor| {
            let node = model.origin(rotor.node as usize);
            let is_sound = is_finite(&rotor.swing) && is_finite(&rotor.orientation);
            if is_sound { Ok(()) } else { Err(StepError::NonFinite { node }) }
        })?;
        let (bodies, scale) = (&mut self.bodies, 1.0 / (dt * dt));
        self.constraint_forces.clear();
        self.constraint_forces.extend(bodies.pushes.iter().flat_map(|push| [0, 1, 2].map(|c| scale * push.0[c])));
        self.has_stepped = true;
        bodies.pushes.fill(Quad::default());
        state.t += h;
        state.x.copy_from_slice(&self.x);
        state.v.copy_from_slice(&self.v);
        model.place(state.t, &mut state.x, &mut state.v);
        rigid::end(model, &self.bodies, dt, state);
        Ok(())
    }

    fn step_here(&mut self, model: &Model, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let (substeps, passes) = (self.substeps, self.passes);
        let dt = h / substeps as f64;
        self.begin(model, state, dt);
        model.load_force(state.t, &mut self.f);
        let ahead = Ahead { t: state.t, h, dt, loads: &self.f };
        for constraints in &mut self.constraints {
            constraints.begin_step(model, &self.bodies, &ahead)?;
        }
        let changes = model.has_changing_loads() || model.damping().stiffness != 0.0;
        // Where nothing reads nodes between two substeps, the end of one and the beginning of the next share one sweep.
        let in_one_sweep =
            self.constraints.len() == 1 && self.bodies.rotors.is_empty() && model.damping().stiffness == 0.0;
        for k in 0..substeps {
            let t = state.t + k as f64 * dt;
            if k > 0 && changes {
                model.load_force(t, &mut self.f);
            }
            self.predict(model, t, dt, in_one_sweep && k > 0);
            self.bodies.is_recorded = k + 1 == substeps;
            for pass in 0..passes {
                interrupt::check()?;
                let substep = Substep { t, dt, pass, passes };
                self.constraints.iter_mut().for_each(|constraints| constraints.solve(&mut self.bodies, &substep));
            }
            if !in_one_sweep || k + 1 == substeps {
                self.advance();
                self.constraints.iter_mut().for_each(|constraints| constraints.end_substep(&mut self.bodies, dt));
            }
        }
        self.end(model, state, h, dt)?;
        self.constraints.iter_mut().for_each(|constraints| constraints.end_step());
        let (forces, substeps) = ((substeps * passes) as u64, substeps as u64);
        let mut report = StepReport { forces, substeps, ..StepReport::default() };
        self.constraints.iter().for_each(|constraints| constraints.report(&mut report));
        Ok(report)
    }
}

impl SmallSteps {
    /// Restores the result of `memory`; `None` if the numbers are impossible.
    fn recall_all(&mut self, memory: &[f64]) -> Option<()> {
        let (forces, mut rest) = taken(memory)?;
        let sound = forces.len() == self.constraint_forces.len() && is_finite(forces);
        sound.then(|| self.constraint_forces.copy_from_slice(forces))?;
        for constraints in &mut self.constraints {
            let (kept, more) = taken(rest)?;
            constraints.recall(kept).then_some(())?;
            rest = more;
        }
        rest.is_empty().then_some(())
    }
}

impl Stepper for SmallSteps {
    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        // Otherwise each colour of each pass would be submitted to the thread pool and awaited; this way a step is
        // submitted once.
        match model.nodes() {
            0..NODES_OF_ONE_THREAD => self.step_here(model, state, h),
            _ => interrupt::carry(|watched| rayon::scope(|_| watched.during(|| self.step_here(model, state, h)))),
        }
    }

    fn constraint_forces(&self) -> Option<&[f64]> {
        Some(&self.constraint_forces)
    }

    fn forget(&mut self) {
        self.constraints.iter_mut().for_each(|constraints| constraints.forget());
    }

    /// Returns the forces, which frames written before the next step need, and the memory of each kind of constraints;
    /// each after its length.
    fn memory(&self) -> Vec<f64> {
        if !self.has_stepped {
            return Vec::new();
        }
        let mut memory = Vec::new();
        let mut add = |numbers: &[f64]| {
            memory.push(numbers.len() as f64);
            memory.extend(numbers);
        };
        add(&self.constraint_forces);
        let mut kept = Vec::new();
        for constraints in &self.constraints {
            kept.clear();
            constraints.memory(&mut kept);
            add(&kept);
        }
        memory
    }

    fn recall(&mut self, memory: &[f64]) -> bool {
        self.forget();
        self.has_stepped = !memory.is_empty() && self.recall_all(memory).is_some();
        if !self.has_stepped {
            self.constraint_forces.fill(0.0);
            self.forget();
        }
        self.has_stepped || memory.is_empty()
    }
}

/// Splits off numbers stored after their length.
fn taken(memory: &[f64]) -> Option<(&[f64], &[f64])> {
    let (length, rest) = memory.split_first()?;
    let whole = *length >= 0.0 && length.fract() == 0.0 && *length <= rest.len() as f64;
    whole.then(|| rest.split_at(*length as usize))
}
