//! SIERE: exponential Rosenbrock-Euler for the s lowest modes, linearly implicit Euler for the rest.
//!
//! With K U = M U Lam, U^T M U = I the modes of the stiffness at the start of the step, w = U^T M v and g = U^T f,
//!
//!   dv_H = Q A^-1 h (f - h K v),    A = M + h D + h^2 K,    Q = I - U U^T M
//!   v+ = v + dv_H + U dv_r,         x+ = x + h (v - U w + dv_H) + U dx_r
//!   dx_r = (S + d R) w + R g,       dv_r = S g - lam R w      mode by mode
//!
//! where S and R are the responses of y'' + d y' + lam y = 0 to an impulse and to a constant load over the step, of any
//! sign of lam, and d = alpha + beta max(lam, 0). That is eq. (5) with (10) of the paper: since P = U U^T M commutes with
//! M^-1 K and M^-1 D, the 2n x 2n system with its rank-s corrections falls apart into one symmetric solve. With damping
//! by the stiffness at rest it does not: see `siere_damping`.
//!
//! The solve with f - h K v rides in the block solve that brings the modes up to date, so that the factor is read
//! once. To take the modal part out of the right-hand side first, A dv_H = h (Q^T f - h K (v - U w)), is the same for
//! exact modes, needs a second solve, and is no better for approximate ones: over 60 steps of a swinging bar it was two
//! to four times further from the trajectory with converged modes (a test prints both). It is done where a captured mode makes A nearly singular,
//! |1 + h d + h^2 lam| < 1e-3, and the plain solution would drown what is wanted of it in rounding.
//!
//! Modes are carried from step to step, turned with the body (`model::rotation`), and improved by one pass of block
//! Davidson (`numerics::modes`), more if a residual is above 5e-2. They need not be better: the error of a step is
//! quadratic in theirs. What they feel of the rest because they are not exact, U^T K v - Lam w, acts as a ramp.
//!
//! Loads are those of the end of the step; the way of scripted nodes acts as a ramp on the modes. With s = 0 this is
//! linearly implicit Euler to the bit, with s = n exponential Rosenbrock-Euler with loads of the end of the step.
//!
//! Cost a step: that of linearly implicit Euler and s + 3 columns in its solve, a product with K, and thin products.
//! Properties: first order; keeps the energy of the captured modes, damps all others like backward Euler. The six rigid
//! motions of a free body are modes: ask for six more. Fails where linearly implicit Euler does, later.
//! Modes that grow more than e^6-fold in a step (of inverted elements) are left to linearly implicit Euler, which
//! damps them: the linearisation says nothing that far.
//! Citation: Chen, Sheen, Ascher, Pai 2020.

use crate::choice::Modes;
use crate::linearly_implicit_euler::LinearlyImplicitEuler;
use crate::options::Options;
use crate::siere_damping::DampedAtRest;
use crate::siere_pencil::{StepPencil, mass_times};
use crate::stepper::{StepError, StepReport, Stepper, check_finite};
use model::{Model, State, rotation};
use numerics::functions::scalar::response;
use numerics::linear::LinearError;
use numerics::mat3::{IDENTITY, Mat3};
use numerics::modes::{LowestModes, Stop, Task, add_combinations, inner_products};

/// Where the plain solution has lost three digits of sixteen.
const NEARLY_SINGULAR: f64 = 1e-3;
/// Most negative h^2 lam of a mode that is captured.
const TOO_UNSTABLE: f64 = -36.0;
/// Largest h^2 |K t| / |M t| of a translation t that counts as free.
const FREE: f64 = 1e-9;
/// Fewest and most modes that are chosen automatically.
const AUTO: [usize; 2] = [5, 40];
/// Modes with h omega up to the first are taken in, above the second let go: at 1 there are six steps a period, which
/// can be seen, and of which linearly implicit Euler loses nine tenths a period.
const SLOW: [f64; 2] = [1.0, 1.2];

#[cfg(test)]
mod tests;

pub(crate) struct Siere {
    euler: LinearlyImplicitEuler,
    damped_at_rest: Option<DampedAtRest>,
    choice: Modes,
    /// Least |1 + h d + h^2 lam| of a captured mode with which the plain solution serves.
    nearly_singular: f64,
    /// Modes wanted in the next step.
    count: usize,
    modes: LowestModes,
    /// Where the free nodes were when the kept modes were found.
    origin: Vec<f64>,
    rotations: Vec<Mat3>,
    translations: Vec<f64>,
    vectors: Vectors,
    room: Vec<f64>,
}

/// Vectors of a step, by name.
pub(crate) struct Vectors {
    /// M v, the force without damping, K v, and M dv, side by side.
    pub products: Vec<f64>,
    /// dx and dv, side by side.
    pub change: Vec<f64>,
    /// The whole force with damping.
    pub force: Vec<f64>,
    /// The force of scripted nodes that go their way.
    pub ramp: Vec<f64>,
    /// h (f - h K v), and the solution.
    pub solution: Vec<f64>,
    /// Of all nodes: where scripted ones go.
    way: Vec<f64>,
    v: Vec<f64>,
}

impl Siere {
    pub fn new(model: &Model, options: &Options) -> Result<Siere, LinearError> {
        let n = model.dofs();
        let count = match options.modes {
            Modes::Count(count) => count.min(n),
            Modes::Auto => AUTO[0].min(n),
        };
        let damping = model.damping();
        let is_at_rest = damping.at_rest.is_some() && damping.stiffness != 0.0;
        let zeros = |size: usize| vec![0.0; if count == 0 { 0 } else { size }];
        let all = 3 * model.nodes();
        Ok(Siere {
            euler: LinearlyImplicitEuler::new(model, options)?,
            damped_at_rest: is_at_rest.then(DampedAtRest::default),
            choice: options.modes,
            nearly_singular: NEARLY_SINGULAR,
            count,
            modes: LowestModes::new(n, Stop::default()),
            origin: Vec::new(),
            rotations: vec![IDENTITY; if count == 0 { 0 } else { model.free_nodes() }],
            translations: translations(model),
            vectors: Vectors {
                products: zeros(4 * n),
                change: zeros(2 * n),
                force: zeros(n),
                ramp: zeros(n),
                solution: zeros(n),
                way: zeros(all),
                v: zeros(all),
            },
            room: Vec::new(),
        })
    }

    /// Stiffness, forces and the right-hand side of linearly implicit Euler.
    fn forces(&mut self, model: &Model, state: &State, h: f64, report: &mut StepReport) -> Result<(), StepError> {
        let (n, t, x) = (model.dofs(), state.t + h, &state.x);
        let k = &mut self.euler.system.stiffness;
        let Vectors { products, force, ramp, solution, way, v, .. } = &mut self.vectors;
        let (mass_v, rest) = products.split_at_mut(n);
        let (undamped, rest) = rest.split_at_mut(n);
        let stiff = &mut rest[..n];

        model.stiffness(model.stiffness_kind(), x, k);
        report.assemblies += 1;
        model.static_force(t, x, undamped);
        report.forces += 1;
        check_finite(model, x, undamped)?;
        k.multiply(&state.v[..n], stiff);
        mass_times(model, &state.v[..n], mass_v, 1);

        let damping = model.damping();
        if model.is_scripted() {
            way.copy_from_slice(x);
            v.fill(0.0);
            model.place(t, way, v);
            way[..n].fill(0.0);
            way[n..].iter_mut().zip(&x[n..]).for_each(|(way, x)| *way -= x);
            ramp.fill(0.0);
            model.add_stiffness_times(-1.0, x, way, ramp);
            if damping.stiffness != 0.0 {
                let x = if damping.at_rest.is_some() { model.rest() } else { x };
                model.add_stiffness_times(-damping.stiffness, x, v, undamped);
            }
        }
        force.copy_from_slice(undamped);
        force.iter_mut().zip(&*mass_v).for_each(|(f, mv)| *f -= damping.mass * mv);
        match &damping.at_rest {
            _ if damping.stiffness == 0.0 => {}
            Some(at_rest) => at_rest.multiply_add(-damping.stiffness, &state.v[..n], force),
            None => force.iter_mut().zip(&*stiff).for_each(|(f, kv)| *f -= damping.stiffness * kv),
        }
        for i in 0..n {
            solution[i] = h * (force[i] + ramp[i] - h * stiff[i]);
        }
        Ok(())
    }

    /// Finds the modes at hand; tells whether the right-hand side has become the solution by the way.
    fn find_modes(&mut self, model: &Model, x: &[f64], h: f64, report: &mut StepReport) -> Result<bool, LinearError> {
        let Siere { euler, modes, origin, rotations, vectors, count, translations, .. } = self;
        let known: &[f64] = if is_free(model, euler, translations, h) { translations } else { &[] };
        let guess = if modes.kept().values.is_empty() { rigid_motions(model, x) } else { Vec::new() };
        let mut turn = |columns: &mut [f64], _: usize| {
            rotation::rotations(model.pattern(), origin, &x[..model.dofs()], rotations);
            rotation::turn(rotations, columns);
        };
        let task = Task {
            wanted: *count,
            guards: (*count / 5).max(3),
            known,
            turn: &mut turn,
            guess: &guess,
            rider: if self.damped_at_rest.is_none() { &mut vectors.solution } else { &mut [] },
        };
        modes.find(&mut StepPencil { model, system: &mut euler.system, h, report }, task)
    }

    /// How many modes the next step should want.
    fn next_count(&self, n: usize, h: f64) -> usize {
        if self.choice != Modes::Auto {
            return self.count;
        }
        let values = &self.modes.found().values;
        let slower = |bound: f64| values.iter().filter(|&&lam| h * h * lam <= bound * bound).count();
        let [most, least] = [slower(SLOW[1]), slower(SLOW[0])];
        self.count.clamp(least, most).clamp(AUTO[0], AUTO[1]).min(n)
    }
}

impl Stepper for Siere {
    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        if self.count == 0 {
            return self.euler.step(model, state, h);
        }
        let mut report = StepReport::default();
        let n = model.dofs();
        self.forces(model, state, h, &mut report)?;
        let failed = |error| StepError::linear(model, error);
        self.euler.system.prepare(model, [1.0, h, h * h], None, &mut report).map_err(failed)?;
        let is_solved = self.find_modes(model, &state.x, h, &mut report).map_err(failed)?;

        // The modes that are captured.
        let found = self.modes.found();
        let last = self.count.min(found.values.len());
        let unstable = found.values[..last].iter().filter(|&&lam| h * h * lam < TOO_UNSTABLE).count();
        let first = if unstable == 0 { 0 } else { found.known + unstable };
        let (u, values) = (&found.vectors[first * n..last.max(first) * n], &found.values[first..last.max(first)]);
        report.modes = values.len() as u64;

        let Vectors { products, change, force, ramp, solution, .. } = &mut self.vectors;
        let room = &mut self.room;
        let system = &mut self.euler.system;
        if let Some(damped) = &mut self.damped_at_rest {
            damped
                .change(model, state, h, (u, values), &mut self.vectors, system, room, &mut report)
                .map_err(failed)?;
        } else {
            let alpha_beta = [model.damping().mass, model.damping().stiffness];
            let damping = |lam: f64| alpha_beta[0] + alpha_beta[1] * lam.max(0.0);
            let is_near = |&lam: &f64| {
                (1.0 + h * (alpha_beta[0] + alpha_beta[1] * lam) + h * h * lam).abs() < self.nearly_singular
            };
            if values.iter().any(is_near) {
                // Without the captured part of the right-hand side, nothing large is in the solution.
                let s = values.len();
                change[..n].copy_from_slice(force);
                change[..n].iter_mut().zip(&*ramp).for_each(|(f, r)| *f += r);
                let g = inner_products(u, &change[..n], n, room);
                let w = inner_products(u, &products[..n], n, room);
                let modal: Vec<f64> = (0..s).map(|k| -h * g[k]).chain((0..s).map(|k| h * h * w[k])).collect();
                change.fill(0.0);
                add_combinations(u, &modal, change, n);
                let (inside, moving) = change.split_at(n);
                mass_times(model, inside, solution, 1);
                system.stiffness.multiply_add(1.0, moving, solution);
                for i in 0..n {
                    solution[i] += h * (force[i] + ramp[i] - h * products[2 * n + i]);
                }
                system.solve(solution, &mut report).map_err(failed)?;
            } else if !is_solved {
                system.solve(solution, &mut report).map_err(failed)?;
            }
            check_finite(model, &state.x, solution)?;

            // The captured part is overwritten by its exact motion.
            mass_times(model, solution, &mut products[3 * n..], 1);
            let s = values.len();
            let modal = inner_products(u, products, n, room);
            let ramp = if model.is_scripted() { inner_products(u, ramp, n, room) } else { vec![0.0; s] };
            let mut corrections = vec![0.0; 2 * s];
            for (k, &lam) in values.iter().enumerate() {
                let [w, g, kv, e] = [0, 1, 2, 3].map(|column| modal[column * s + k]);
                // What a mode that is not quite one feels of the rest, which goes on as it did.
                let coupling = kv - lam * w;
                let (g, ramp) = (g - alpha_beta[1] * coupling, ramp[k] / h - coupling);
                let d = damping(lam);
                let by = response(h, lam, d);
                let [r0, r1, ..] = by.loaded;
                corrections[k] = by.impulse * w + r0 * g + r1 * ramp - h * (w + e);
                corrections[s + k] = by.impulse * g + r0 * ramp - (lam * r0 + d * by.impulse) * w - e;
            }
            for i in 0..n {
                change[i] = h * (state.v[i] + solution[i]);
                change[n + i] = solution[i];
            }
            add_combinations(u, &corrections, change, n);
        }
        let change = &self.vectors.change;
        check_finite(model, &state.x, change)?;

        let next = self.next_count(n, h);
        self.origin.clear();
        self.origin.extend_from_slice(&state.x[..n]);
        self.modes.keep();
        self.count = next;
        for i in 0..n {
            state.x[i] += change[i];
            state.v[i] += change[n + i];
        }
        state.t += h;
        model.place(state.t, &mut state.x, &mut state.v);
        Ok(report)
    }

    fn forget(&mut self) {
        self.modes.forget();
        self.origin.clear();
    }

    /// Unknowns, modes wanted, how many of the vectors were known; where the modes are from; the vectors.
    fn memory(&self) -> Vec<f64> {
        let kept = self.modes.kept();
        if kept.values.is_empty() {
            return Vec::new();
        }
        let head = [self.origin.len(), self.count, kept.known].map(|k| k as f64);
        head.into_iter().chain(self.origin.iter().copied()).chain(kept.vectors.iter().copied()).collect()
    }

    fn recall(&mut self, memory: &[f64]) -> bool {
        self.forget();
        if memory.is_empty() {
            return true;
        }
        let n = 3 * self.rotations.len();
        let [size, count, known, rest @ ..] = memory else { return false };
        let is_mine = n > 0
            && *size == n as f64
            && (1.0..=n as f64).contains(count)
            && (*known == 0.0 || *known == 3.0)
            && rest.len() > n
            && rest.len() % n == 0
            && rest.len() / n <= n + 1;
        if is_mine {
            self.count = *count as usize;
            self.origin.extend_from_slice(&rest[..n]);
            self.modes.recall(*known as usize, &rest[n..], n);
        }
        is_mine
    }
}

/// The three translations of the free nodes, side by side, each with kinetic energy 1/2; none where nodes are held.
fn translations(model: &Model) -> Vec<f64> {
    let n = model.dofs();
    if model.free_nodes() < model.nodes() || n == 0 {
        return Vec::new();
    }
    let total: f64 = model.node_mass().iter().sum();
    (0..3).flat_map(|c| (0..n).map(move |i| if i % 3 == c { 1.0 / total.sqrt() } else { 0.0 })).collect()
}

/// Whether nothing holds the body: the stiffness does not feel translations. A contact may, from one step to the next.
fn is_free(model: &Model, euler: &LinearlyImplicitEuler, translations: &[f64], h: f64) -> bool {
    let n = model.dofs();
    let k = &euler.system.stiffness;
    !translations.is_empty()
        && (0..model.free_nodes()).all(|i| {
            // A translation is the same at all nodes: sums of blocks tell.
            (0..3).all(|c| {
                let row = k.row_times(i, &translations[c * n..(c + 1) * n]);
                let bound = FREE * model.node_mass()[i] * translations[0];
                row.iter().all(|r| h * h * r.abs() <= bound)
            })
        })
}

/// Translations, and rotations about the middle, of the free nodes at x.
fn rigid_motions(model: &Model, x: &[f64]) -> Vec<f64> {
    let (n, nodes) = (model.dofs(), model.free_nodes());
    let middle: [f64; 3] = std::array::from_fn(|c| x[..n].iter().skip(c).step_by(3).sum::<f64>() / nodes.max(1) as f64);
    let mut motions = vec![0.0; 6 * n];
    for i in 0..nodes {
        let arm: [f64; 3] = std::array::from_fn(|c| x[3 * i + c] - middle[c]);
        for c in 0..3 {
            motions[c * n + 3 * i + c] = 1.0;
            motions[(3 + c) * n + 3 * i + (c + 1) % 3] = -arm[(c + 2) % 3];
            motions[(3 + c) * n + 3 * i + (c + 2) % 3] = arm[(c + 1) % 3];
        }
    }
    motions
}
