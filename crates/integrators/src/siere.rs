//! SIERE: exponential Rosenbrock-Euler for the s modes nearest to zero, linearly implicit Euler for the rest.
//!
//! With K U = M U Lam, U^T M U = I the modes of the stiffness at the start of the step, w = U^T M v and g = U^T f,
//!
//!   dv_H = Q A^-1 h (f - h K v),    A = M + h D + h^2 K,    Q = I - U U^T M
//!   v+ = v + dv_H + U dv_r,         x+ = x + h (v - U w + dv_H) + U dx_r
//!   dx_r = (S + d R) w + R g,       dv_r = S g - lam R w      mode by mode
//!
//! where S and R are the responses of y'' + d y' + lam y = 0 to an impulse and to a constant load over the step, for
//! any sign of lam, and d = alpha + beta max(lam, 0). This is eq. (5) with (10) of the paper: since P = U U^T M
//! commutes with M^-1 K and M^-1 D, the 2n x 2n system with its rank-s corrections decouples into one symmetric solve.
//! With damping by the stiffness at rest it does not: see `at_rest`.
//!
//! The solve with f - h K v is part of the block solve that updates the modes, so that the factor is read once. The
//! alternative is to remove the modal part from the right-hand side first, A dv_H = h (Q^T f - h K (v - U w)). It is
//! the same for exact modes, needs a second solve, and is no better for approximate ones: over 60 steps of a swinging
//! bar it was 1.3 to 2.5 times further from the trajectory with converged modes (a test prints both). It is used where
//! a captured mode makes A nearly singular, |1 + h d + h^2 lam| < 1e-3, and rounding would dominate the plain solution.
//!
//! Modes are carried from step to step, rotated with the body (`numerics::rotation`), and improved by passes of block
//! Davidson (`numerics::modes`) until they are within `modes_tolerance` [rad] of the exact ones. The change that siere
//! makes to linearly implicit Euler, for short steps h^2/2 M^-1 K P v, is as accurate as they are. The coupling of
//! inexact modes to the rest, U^T K v - Lam w, acts as a ramp.
//!
//! `capture` chooses the captured modes. The search finds the lowest ones. Where the stiffness is indefinite, modes far
//! below zero are found in addition, and passed over.
//!
//! Loads are those of the end of the step; the displacement of scripted nodes acts as a ramp on the modes. With s = 0
//! this is linearly implicit Euler, bit for bit; with s = n it is exponential Rosenbrock-Euler with loads of the end of
//! the step.
//!
//! Cost per step: that of linearly implicit Euler, one product of s + 3 columns with K, and for each pass of the search
//! a block solve, a product of s + 3 columns and thin products. There are zero to three passes, depending on how far
//! the body has moved; ten where modes are clustered, as on a truss bridge. Where the modes are not much slower than
//! the step, the first pass shares the sweep over the factor of the step; elsewhere there is a second factor
//! (`shifted`), which is kept.
//! Properties: first order; conserves the energy of the captured modes, damps all others like backward Euler. s counts
//! all modes: the six rigid motions of a free body are modes, so ask for six more (the authors' s counts without them).
//! It can fail wherever linearly implicit Euler fails.
//! Citation: Chen, Sheen, Ascher, Pai 2020.

mod at_rest;
mod capture;
mod parameters;
mod pencil;
mod rayleigh;
mod rigid;
mod shifted;
#[cfg(test)]
mod tests;

use crate::linear_system::{self, LinearSystem, join, split};
use crate::linearly_implicit_euler::{LINEARISE_AT, LineariseAt, LinearlyImplicitEuler};
use crate::method::{ELASTIC, EnergyBehaviour, Family, Method};
use crate::one_mode::{self, OneMode};
use crate::options::Options;
use crate::stepper::{StepError, StepReport, Stepper, check_finite};
use at_rest::DampedAtRest;
use capture::{Choice, MOST_BESIDE};
use model::{Model, State};
use numerics::linear::LinearError;
use numerics::mat3::{IDENTITY, Mat3};
use numerics::modes::{LowestModes, Stop, Task};
use numerics::rotation;
pub use parameters::{MODES, MODES_TOLERANCE, Modes};
use pencil::{StepPencil, mass_times};
use rigid::{is_free, rigid_motions, translations};
use shifted::Shifted;

/// The facts of siere.
pub(crate) const METHOD: Method = Method {
    name: "siere",
    aliases: &[],
    description: "the slowest modes exactly, the rest by linearly implicit Euler",
    citation: "Chen, Sheen, Ascher, Pai 2020",
    order: 1,
    exact_on_linear: false,
    energy: EnergyBehaviour::Damps,
    family: Family::Exponential,
    parameters: &[
        MODES.parameter,
        MODES_TOLERANCE.parameter,
        linear_system::SOLVER.parameter,
        linear_system::SOLVER_TOLERANCE.parameter,
    ],
    // For a captured mode; without captured modes, for all others.
    one_mode: OneMode {
        roots: one_mode::TWO,
        radius: |options, z| {
            let one =
                if options.get(&MODES) == Modes::Count(0) { one_mode::IMPLICIT_EULER } else { one_mode::UNDAMPED };
            (one.radius)(options, z)
        },
    },
    keeps_factor: true,
    has_explicit_regions: false,
    conserves_momentum: |_| true,
    serves: ELASTIC,
    make: |model, options| Ok(Box::new(Siere::new(model, options)?)),
};

/// Below this the plain solution has lost three digits of sixteen.
const NEARLY_SINGULAR: f64 = 1e-3;
/// Limit of searches where modes nearer to zero may have been missed.
const SEARCHES: usize = 3;
/// Modes looked for in the first step, where their number is chosen automatically.
const AUTO_FIRST: usize = 5;
/// Fewest and most modes looked for later. One is always watched: it may become slow.
const AUTO: [usize; 2] = [1, 40];
/// Bounds of h omega for modes chosen automatically: a mode enters below the first and leaves above the second. At 1 a
/// period has six steps, and linearly implicit Euler loses nine tenths of the energy per period. Faster modes must not be
/// captured: where the body turns by theta per step, an exponential mode grows once theta h omega is above about 2.6.
const SLOW: [f64; 2] = [1.0, 1.2];

pub(crate) struct Siere {
    euler: LinearlyImplicitEuler,
    damped_at_rest: Option<DampedAtRest>,
    choice: Modes,
    /// Least |1 + h d + h^2 lam| of a captured mode for which the plain solution is used.
    nearly_singular: f64,
    /// Modes wanted in the next step, and those to find in addition.
    count: usize,
    beside: usize,
    captures: Choice,
    modes: LowestModes,
    /// `None` where there is never a mode to find.
    shifted: Option<Shifted>,
    /// Captured modes and their eigenvalues, where they are not the first ones found.
    captured: Vec<f64>,
    captured_values: Vec<f64>,
    /// Positions of the free nodes when the stored modes were found.
    origin: Vec<f64>,
    weights: Vec<f64>,
    rotations: Vec<Mat3>,
    translations: Vec<f64>,
    vectors: Vectors,
    scratch: Vec<f64>,
}

/// Vectors of a step, by name.
struct Vectors {
    /// M v, the force without damping, K v, and M dv, side by side.
    products: Vec<f64>,
    /// dx and dv, side by side.
    change: Vec<f64>,
    /// Whole force with damping.
    force: Vec<f64>,
    /// Force of scripted nodes by their displacement.
    ramp: Vec<f64>,
    /// h (f - h K v), and the solution.
    solution: Vec<f64>,
    /// Right-hand side after one sweep over the factor.
    near: Vec<f64>,
    /// Displacements and velocities of scripted nodes, over all nodes.
    way: Vec<f64>,
    v: Vec<f64>,
}

/// Data shared by the two kinds of damping.
struct Parts<'a> {
    model: &'a Model,
    state: &'a State,
    h: f64,
    /// Captured modes, side by side, and their eigenvalues.
    u: &'a [f64],
    values: &'a [f64],
    vectors: &'a mut Vectors,
    system: &'a mut LinearSystem,
    scratch: &'a mut Vec<f64>,
    report: &'a mut StepReport,
}

impl Siere {
    pub fn new(model: &Model, options: &Options) -> Result<Siere, LinearError> {
        let n = model.dofs();
        let choice = options.get(&MODES);
        let count = match choice {
            Modes::Count(count) => count.min(n),
            Modes::Auto => AUTO_FIRST.min(n),
        };
        let damping = model.damping();
        let is_at_rest = damping.at_rest.is_some() && damping.stiffness != 0.0;
        let zeros = |size: usize| vec![0.0; if count == 0 { 0 } else { size }];
        let all = 3 * model.nodes();
        Ok(Siere {
            euler: LinearlyImplicitEuler::new(model, &options.clone().with(&LINEARISE_AT, LineariseAt::Current))?,
            damped_at_rest: is_at_rest.then(DampedAtRest::default),
            choice,
            nearly_singular: NEARLY_SINGULAR,
            count,
            beside: 0,
            captures: Choice::default(),
            modes: LowestModes::new(n, Stop::at(options.get(&MODES_TOLERANCE))),
            shifted: if count == 0 { None } else { Some(Shifted::new(model, options)?) },
            captured: Vec::new(),
            captured_values: Vec::new(),
            origin: Vec::new(),
            weights: Vec::new(),
            rotations: vec![IDENTITY; if count == 0 { 0 } else { model.free_nodes() }],
            translations: translations(model),
            vectors: Vectors {
                products: zeros(4 * n),
                change: zeros(2 * n),
                force: zeros(n),
                ramp: zeros(n),
                solution: zeros(n),
                near: zeros(n),
                way: zeros(all),
                v: zeros(all),
            },
            scratch: Vec::new(),
        })
    }

    /// Computes stiffness, forces and the right-hand side of linearly implicit Euler.
    fn forces(&mut self, model: &Model, state: &State, h: f64, report: &mut StepReport) -> Result<(), StepError> {
        let (n, t, x) = (model.dofs(), state.t + h, &state.x);
        let system = &mut self.euler.system;
        let Vectors { products, force, ramp, solution, way, v, .. } = &mut self.vectors;
        let (mass_v, rest) = products.split_at_mut(n);
        let (undamped, rest) = rest.split_at_mut(n);
        let stiff = &mut rest[..n];

        system.assemble(model, model.stiffness_kind(), x, report);
        model.static_force(t, x, undamped);
        report.forces += 1;
        check_finite(model, x, undamped)?;
        system.stiffness.multiply(&state.v[..n], stiff);
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

    /// Finds the current modes; in the same sweep the right-hand side becomes the solution, unless damping is by the
    /// stiffness at rest.
    fn find_modes(&mut self, model: &Model, x: &[f64], h: f64, report: &mut StepReport) -> Result<(), LinearError> {
        let Siere { euler, modes, shifted, origin, weights, rotations, vectors, translations, .. } = self;
        let (count, beside, captures) = (self.count.min(model.dofs()), &mut self.beside, &mut self.captures);
        let fastest = if self.choice == Modes::Auto { SLOW[1] } else { f64::INFINITY };
        let Some(shifted) = shifted else { return Ok(()) };
        let known: &[f64] = if is_free(model, &euler.system.stiffness, translations, h) { translations } else { &[] };
        let guess = if modes.kept().values.is_empty() { rigid_motions(model, x) } else { Vec::new() };
        let guess = guess.get(known.len()..).unwrap_or_default();
        rotation::weights(&euler.system.stiffness, weights);
        let mut turn = |columns: &mut [f64], _: usize| {
            rotation::rotations(model.pattern(), weights, origin, &x[..model.dofs()], rotations);
            rotation::turn(rotations, columns);
        };
        // With damping at rest the solution is not used, but the work to find it shows the quality of the factor.
        let is_riding = self.damped_at_rest.is_none() || !euler.system.is_exact();
        if is_riding {
            euler.system.begin(&mut vectors.solution, report);
        }
        vectors.near.copy_from_slice(&vectors.solution);
        let mut find = |system: &mut LinearSystem, rider: &mut [f64], report: &mut StepReport| {
            let guards = (count / 5).max(3);
            let mut has_ridden = false;
            for _ in 0..SEARCHES {
                let rider = if has_ridden { &mut [][..] } else { &mut *rider };
                let wanted = (count + *beside).min(model.dofs());
                let task = Task { wanted, guards, known, turn: &mut turn, guess, rider };
                shifted.begin();
                has_ridden |= modes.find(&mut StepPencil { model, system, shifted, h, report }, task)?;
                shifted.end();
                report.mode_passes += modes.passes() as u64;
                let values = &modes.found().values;
                captures.choose(&values[..wanted.min(values.len())], count, h, fastest);
                let was_enough = captures.beside <= *beside || wanted >= values.len();
                *beside = captures.beside;
                if was_enough {
                    break;
                }
            }
            Ok::<_, LinearError>(has_ridden)
        };
        let system = &mut euler.system;
        let has_ridden = find(system, if is_riding { &mut vectors.near } else { &mut [] }, report)?;
        if is_riding {
            let factor = system.decision();
            system.finish(0.0, &mut vectors.solution, has_ridden.then_some(&vectors.near), report)?;
            if has_ridden && system.decision() != factor {
                // The factor belonged to a body too different from this one and has been replaced, so its residuals
                // said nothing about the modes.
                find(system, &mut [], report)?;
            }
        }
        Ok(())
    }

    /// Returns the number of modes wanted in the next step.
    fn next_count(&self, n: usize, h: f64) -> usize {
        if self.choice != Modes::Auto {
            return self.count;
        }
        let values = &self.modes.found().values;
        let slower = |bound: f64| values.iter().filter(|&&lam| h * h * lam.abs() <= bound * bound).count();
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
        self.find_modes(model, &state.x, h, &mut report).map_err(failed)?;

        // Captured modes.
        let found = self.modes.found();
        let places = &self.captures.places;
        let count = places.len();
        let (u, values) = if places.iter().enumerate().all(|(k, &place)| k == place) {
            (&found.vectors[..count * n], &found.values[..count])
        } else {
            self.captured.clear();
            self.captured_values.clear();
            for &place in places {
                self.captured.extend_from_slice(&found.vectors[place * n..(place + 1) * n]);
                self.captured_values.push(found.values[place]);
            }
            (&self.captured[..], &self.captured_values[..])
        };
        report.modes = count as u64;
        report.mode_angle = places.iter().fold(0.0, |m, &place| m.max(found.angles[place]));

        let parts = Parts {
            model,
            state,
            h,
            u,
            values,
            vectors: &mut self.vectors,
            system: &mut self.euler.system,
            scratch: &mut self.scratch,
            report: &mut report,
        };
        match &mut self.damped_at_rest {
            Some(damped) => damped.change(parts),
            None => rayleigh::change(parts, self.nearly_singular),
        }
        .map_err(failed)?;
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
        self.beside = 0;
        // The count is reset as well: a stepper that forgets continues like a new one.
        if self.choice == Modes::Auto {
            self.count = AUTO_FIRST.min(3 * self.rotations.len());
        }
    }

    /// Returns the numbers of unknowns, of modes wanted and additional, and of known vectors; the positions of the
    /// modes; the vectors.
    fn memory(&self) -> Vec<f64> {
        let kept = self.modes.kept();
        let head = [self.origin.len(), self.count, self.beside, kept.known].map(|k| k as f64);
        let own = match kept.values.is_empty() {
            true => Vec::new(),
            false => head.into_iter().chain(self.origin.iter().copied()).chain(kept.vectors.iter().copied()).collect(),
        };
        let shifted = self.shifted.as_ref().map(Shifted::memory).unwrap_or_default();
        join(own, join(self.euler.memory(), shifted))
    }

    fn recall(&mut self, memory: &[f64]) -> bool {
        self.forget();
        self.euler.recall(&[]);
        self.shifted.as_mut().map(|shifted| shifted.recall(&[]));
        let Some((own, rest)) = split(memory) else { return false };
        let Some((system, factor)) = split(rest) else { return false };
        let n = 3 * self.rotations.len();
        let is_mine = match own {
            [] => true,
            [size, count, beside, known, rest @ ..] => {
                n > 0
                    && *size == n as f64
                    && (1.0..=n as f64).contains(count)
                    && count.fract() == 0.0
                    && (0.0..=MOST_BESIDE as f64).contains(beside)
                    && beside.fract() == 0.0
                    && (*known == 0.0 || *known == 3.0)
                    && rest.len() > n
                    && rest.len() % n == 0
                    && rest.len() / n <= n + 1
            }
            _ => false,
        };
        if !is_mine || !self.euler.recall(system) {
            return false;
        }
        let is_recalled = match &mut self.shifted {
            Some(shifted) => shifted.recall(factor),
            None => factor.is_empty(),
        };
        if !is_recalled {
            self.euler.recall(&[]);
            return false;
        }
        if let [_, count, beside, known, rest @ ..] = own {
            (self.count, self.beside) = (*count as usize, *beside as usize);
            self.origin.extend_from_slice(&rest[..n]);
            self.modes.recall(*known as usize, &rest[n..], n);
        }
        true
    }
}
