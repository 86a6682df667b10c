//! Asynchronous backward Euler: regions take m small steps while the rest takes one large step; both are solved
//! together.
//!
//! For each region S with small step s = h / m (eqs. 10 to 14), with f linearised at the beginning of the large step:
//!
//!   M (v_r - v_(r-1)) = s f(x_r, v_r),   x_r = x_(r-1) + s v_r,   r = 1..m    on S
//!
//! The rest L takes one step of length h, by either of two rules (`coupling`). "conserving":
//!
//!   M (v_m - v_0) = h f'(x_m, v_m) + s sum_r f"(x_r, v_r),   x_r = x_0 + r s V,   V = v_0 + theta (v_m - v_0)   on L
//!
//! L moves along a straight line, and S sees it there. f" is the force of the elements between S and L (`seam.rs`),
//! which act on both sides at every small step with equal and opposite forces; f' is the force of all other elements;
//! theta = (m + 1) / (2 m) for the largest m. Bodies that nothing holds fall as a whole, and their parts move relative
//! to that (`fall.rs`).
//!
//! "paper", the default (eqs. 21, 22): L takes one step of backward Euler and feels S only at its end,
//!
//!   M (v_m - v_0) = h f(x_m, v_m),   x_m = x_0 + h v_m   on L
//!
//! and S sees L at v_r = v_0 + (r / m) (v_m - v_0) and x_r = x_0 + r s v_r. The paper does not state the latter, but
//! its B_r (eq. 26) needs it, and it agrees with x_m.
//!
//! The unknowns are changes of velocity dv since the beginning. Eliminating S leaves a system of L's size:
//!
//!   symbols   A^S, A^L, B_r, E, F, H^LL*, b   as in the paper;   y_r: dv of S after r small steps
//!   code      `substeps.rs` Algorithm 1, y = (H^SS)^-1 b;   `border.rs` B_r, E, F;   `region.rs` Y = (H^SS)^-1 H^SL;
//!             `rest.rs` H^LL* = A^L - sum H^LS Y;   `partition.rs` assignment of nodes to regions and rest
//!
//! Loads and scripts act on S at its small steps, on L at the end of the large step. Nonlinear materials keep the force
//! and stiffness of the beginning of the large step throughout (Algorithm 2), as in linearly implicit Euler, which this
//! method is without regions. Penalties are part of both; with `contact = "small"` those of regions are evaluated again
//! at each small step (`touch.rs`).
//!
//! Cost: with a linear model everything is factorised once. Then a step is one product with K, m solves per region, one
//! solve of L, and one product with the columns of each border. Otherwise everything is made anew in each step: a
//! factor per part and m solves of those columns. Regions run in parallel. Long small steps run beside the part of L's
//! solve that does not depend on them. Short ones run beside the part of it that is serial: their effect on L is then
//! computed beforehand (`region.rs`).
//! Properties: first order; m = 1 is linearly implicit Euler, and so are m small steps where the region is everything.
//! Regions are damped as by backward Euler at their own step, and the rest less than by backward Euler at the large
//! step. "conserving" keeps linear momentum, bodies fall without strain, and with a lumped mass the energy of an
//! undamped linear body never grows, whatever the ratios (`docs/decisions/0019-coupling.md`). "paper" does none of
//! these: above m = 10 motions may grow, mostly without stiffness damping, and with it where the step is long compared
//! with beta.
//! Citation: Zhao, Li, Barbic 2016; the conserving coupling is our own.

mod border;
mod columns;
mod fall;
mod monitor;
mod outside;
mod parameters;
mod partition;
pub mod propose;
mod region;
mod rest;
pub(crate) mod schroeder;
mod seam;
pub mod storage;
mod substeps;
#[cfg(test)]
mod tests;
mod touch;

use crate::feature::Feature;
use crate::last_step::LastStep;
use crate::linear_system::{join, split};
use crate::method::{EnergyBehaviour, Family, Method};
use crate::one_mode;
use crate::options::Options;
use crate::stepper::{StepError, StepReport, Stepper, check_finite};
use fall::Fall;
use model::{Model, State};
use monitor::Monitor;
use numerics::blocks::BlockMatrix;
use numerics::interrupt;
use numerics::linear::{LinearError, Work};
use numerics::vectors::{dot, is_finite};
use outside::Outside;
pub use parameters::{CONTACT, COUPLING, ContactStep, Coupling, SYMMETRIC};
use partition::Subdomain;
use rayon::prelude::*;
use region::Region;
use rest::Rest;

/// The facts of asynchronous-backward-euler.
pub(crate) const METHOD: Method = Method {
    name: "asynchronous-backward-euler",
    aliases: &["async"],
    description: "backward Euler with one linearisation per step; regions take several small steps per step of the rest",
    citation: "Zhao, Li, Barbic 2016",
    order: 1,
    exact_on_linear: false,
    energy: EnergyBehaviour::Damps,
    family: Family::Implicit,
    parameters: &[COUPLING.parameter, SYMMETRIC.parameter, CONTACT.parameter],
    one_mode: one_mode::IMPLICIT_EULER,
    keeps_factor: false,
    linearises_once: true,
    has_explicit_regions: false,
    conserves_momentum: |options| options.get(&COUPLING).conserves_momentum(),
    serves: &[Feature::ConsistentMass, Feature::DampingAtRest, Feature::Impulses, Feature::Regions],
    make: |model, options| Ok(Box::new(Asynchronous::new(model, options)?)),
};

/// The coupling of regions and the rest.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Rule {
    Paper,
    Conserving {
        /// The rest goes by v_0 + theta (v_m - v_0).
        theta: f64,
    },
}

impl Rule {
    /// Chooses the rule; theta is the mean of r / m for the largest ratio.
    fn new(model: &Model, coupling: Coupling) -> Rule {
        let most = model.regions().iter().map(|region| region.ratio).max().unwrap_or(1);
        match coupling {
            Coupling::Paper => Rule::Paper,
            Coupling::Conserving => Rule::Conserving { theta: mean(most) },
        }
    }

    fn theta(self) -> f64 {
        match self {
            Rule::Paper => 1.0,
            Rule::Conserving { theta } => theta,
        }
    }
}

/// Returns the mean of r / m over r = 1..m.
fn mean(ratio: usize) -> f64 {
    (ratio + 1) as f64 / (2 * ratio) as f64
}

pub(crate) struct Asynchronous {
    rule: Rule,
    regions: Vec<Region>,
    rest: Rest,
    stiffness: BlockMatrix,
    /// Scratch for matrices of the whole model.
    whole: BlockMatrix,
    /// Step that the factors were made for [s]; only for a linear model without contact.
    held: Option<f64>,
    /// The same of the run before a restart: its factors are made again and not counted again [s].
    recalled: Option<f64>,
    is_linear: bool,
    outside: Option<Outside>,
    fall: Fall,
    last_step: LastStep,
    /// Displacements, then velocities, and K times both.
    motion: Vec<f64>,
    products: Vec<f64>,
    /// f - D v [N].
    push: Vec<f64>,
    monitor: Monitor,
}

impl Asynchronous {
    pub fn new(model: &Model, options: &Options) -> Result<Asynchronous, LinearError> {
        let (part, cuts) = partition::cut(model)?;
        let rule = Rule::new(model, options.get(&COUPLING));
        let touches = options.get(&CONTACT) == ContactStep::Small;
        let regions = cuts.into_iter().map(|cut| Region::new(model, cut, rule, touches));
        let mut regions = regions.collect::<Result<Vec<_>, _>>()?;
        let zeros = BlockMatrix::zeros(model.pattern().clone());
        let dofs = model.dofs();
        Ok(Asynchronous {
            rest: Rest::new(model, part, &mut regions, rule, options.get(&SYMMETRIC))?,
            rule,
            regions,
            stiffness: zeros.clone(),
            whole: zeros,
            held: None,
            recalled: None,
            is_linear: model.is_linear(),
            outside: Outside::new(model),
            fall: Fall::new(model, rule),
            last_step: LastStep::new(model),
            motion: vec![0.0; 2 * dofs],
            products: vec![0.0; 2 * dofs],
            push: vec![0.0; dofs],
            monitor: Monitor::default(),
        })
    }

    fn work(&self) -> Work {
        self.regions.iter().map(Region::work).fold(self.rest.work(), |mut sum, work| {
            sum += work;
            sum
        })
    }

    /// Prepares the matrices of a step from this state and their factors; `they_last` if they stay valid while h does.
    fn prepare(
        &mut self,
        model: &Model,
        x: &[f64],
        h: f64,
        they_last: bool,
        report: &mut StepReport,
    ) -> Result<(), StepError> {
        let Asynchronous { regions, rest, stiffness, whole, last_step, .. } = self;
        let at = last_step.to(x);
        model.stiffness(model.stiffness_kind(), at, stiffness);
        report.assemblies += 1;
        let stiffness = &*stiffness;
        in_parallel(model, regions, |region| region.prepare(model, stiffness, h, they_last))?;
        rest.prepare(model, at, stiffness, h, regions, whole).map_err(|error| failed(model, &rest.part, error))
    }

    /// Computes f - D v at the beginning with the loads at the end, and K v. Prepares the matrices first where needed.
    fn forces(&mut self, model: &Model, state: &State, h: f64, report: &mut StepReport) -> Result<(), StepError> {
        let (dofs, end, x) = (model.dofs(), state.t + h, &state.x);
        let is_constant = self.is_linear && !model.is_touching(x);
        self.motion[dofs..].copy_from_slice(&state.v[..dofs]);
        self.last_step.take(h, &state.v);
        let is_new = !is_constant || self.held != Some(h);
        if is_new {
            self.held = None;
            // Where a force is not finite the stiffness is not either, and the force tells which element it is.
            model.static_force(end, x, &mut self.push);
            check_finite(model, x, &self.push)?;
            self.prepare(model, x, h, is_constant, report)?;
            self.held = is_constant.then_some(h);
        }
        let Asynchronous { motion, products, push, stiffness, .. } = self;
        if is_constant && !model.is_scripted() {
            // K also gives the elastic force, so one pass over it serves both.
            for (u, (x, rest)) in motion[..dofs].iter_mut().zip(x.iter().zip(model.rest())) {
                *u = x - rest;
            }
            stiffness.multiply_columns(motion, products, 2);
            model.load_force(end, push);
            push.iter_mut().zip(&*products).for_each(|(f, ku)| *f -= ku);
            report.linear.products += 2;
        } else {
            if !is_new {
                model.static_force(end, x, push);
            }
            stiffness.multiply(&motion[dofs..], &mut products[dofs..]);
            report.linear.products += 1;
        }
        report.forces += 1;
        let (v, kv) = (&motion[dofs..], &products[dofs..]);
        let damping = model.damping();
        if damping.mass != 0.0 {
            model.mass().multiply_add(-damping.mass, v, push);
        }
        match &damping.at_rest {
            _ if damping.stiffness == 0.0 => {}
            Some(at_rest) => at_rest.multiply_add(-damping.stiffness, v, push),
            None => push.iter_mut().zip(kv).for_each(|(f, kv)| *f -= damping.stiffness * kv),
        }
        check_finite(model, x, push)?;
        self.fall.begin(model, x, h, push);
        Ok(())
    }

    /// Computes the right-hand side of the rest, and the pushes on regions at each small step where they depend on
    /// time.
    fn right_hand_sides(&mut self, model: &Model, state: &State, h: f64) {
        let Asynchronous { regions, rest, outside, motion, products, push, stiffness, last_step, .. } = self;
        let at = last_step.to(&state.x);
        let (end, dofs) = (state.t + h, model.dofs());
        rest.push(h, stiffness, push, [&motion[dofs..], &products[dofs..]]);
        let Some(outside) = outside else { return };
        if model.is_scripted() {
            rest.push_from_outside(model, state.t, at, h, outside);
        }
        for region in regions {
            let (ratio, n) = (region.ratio(), region.part().dofs());
            let small = h / ratio as f64;
            let time = |r: usize| if r == ratio { end } else { state.t + r as f64 * small };
            region.later.clear();
            if !model.is_scripted() && (1..ratio).all(|r| model.has_same_loads(time(r), end)) {
                continue;
            }
            let mut later = std::mem::take(&mut region.later);
            later.resize(ratio * n, 0.0);
            for (r, later) in later.chunks_exact_mut(n).enumerate() {
                region.part().gather(outside.at(model, at, end, time(r + 1)), later, |f| small * f);
            }
            region.later = later;
        }
    }

    /// Solves for the changes of velocity. Returns the kinetic and elastic energy of the state [J] where it is
    /// monitored.
    fn solve(&mut self, model: &Model, state: &State, report: &mut StepReport) -> Result<Option<f64>, StepError> {
        let is_watched = self.is_watched(model);
        let Asynchronous { regions, rest, motion, products, push, fall, .. } = self;
        let (ku, kv) = products.split_at(model.dofs());
        if rest.begins_early() {
            // The longest first: the rest fills the threads that become idle.
            let mut done: Vec<_> = regions.iter().map(|_| Ok(())).collect();
            interrupt::carry(|watched| {
                rayon::scope_fifo(|scope| {
                    for (region, done) in regions.iter_mut().zip(&mut done) {
                        scope.spawn_fifo(|_| *done = watched.during(|| region.begin(push, kv)));
                    }
                    scope.spawn_fifo(|_| rest.begin_solve());
                });
            });
            for (region, done) in regions.iter().zip(done) {
                done.map_err(|error| failed(model, region.part(), error))?;
            }
        } else {
            in_parallel(model, regions, |region| region.begin(push, kv))?;
        }
        regions.iter().for_each(|region| region.add_reaction(&mut rest.dv));
        let (mut ended, mut energy) = (Ok(()), None);
        let is_ahead = regions.iter().any(Region::is_ahead);
        let mut look = || energy = is_watched.then(|| 0.5 * dot(&motion[..ku.len()], ku) + model.kinetic(state));
        let solved = if is_ahead {
            rest.solve_beside(|| {
                ended = in_parallel(model, regions, Region::end);
                look();
            })
        } else {
            look();
            rest.solve()
        };
        ended?;
        let corrected = solved.and_then(|()| rest.correct(regions));
        let left = corrected.map_err(|error| failed(model, &rest.part, error))?;
        report.asymmetry = report.asymmetry.max(left);
        let (dv, fall) = (&rest.dv, &*fall);
        in_parallel(model, regions, |region| region.substitute(dv, &state.x, &state.v, fall))?;
        report.substeps += model.regions().iter().map(|region| region.ratio as u64).sum::<u64>();
        Ok(energy)
    }

    /// Returns true where the energy can show growth of the steps.
    fn is_watched(&self, model: &Model) -> bool {
        !self.regions.is_empty() && self.held.is_some() && !model.is_scripted() && !model.has_given_forces()
    }

    /// Returns the monitor after a step that begins at `state` with this energy; an error if the last steps created
    /// energy.
    fn watch(&self, model: &Model, state: &State, h: f64, energy: Option<f64>) -> Result<Monitor, StepError> {
        let mut monitor = self.monitor;
        let Some(energy) = energy else {
            monitor.pause();
            return Ok(monitor);
        };
        let ratio = self.regions.iter().map(Region::ratio).max().unwrap_or(1);
        let loads = model.load_potential(state.t, &state.x);
        // A load that ends just now may or may not have acted in the step before.
        if !model.has_same_loads(state.t - h, state.t) {
            monitor.pause();
        }
        monitor.look(energy, loads, ratio)?;
        // Loads that change between small steps do work that the monitor does not count.
        let is_steady = self.regions.iter().all(|region| region.later.iter().all(|push| *push == 0.0));
        if is_steady && model.has_same_loads(state.t, state.t + h) {
            monitor.begin(energy + loads);
        }
        Ok(monitor)
    }

    /// Adds the changes of velocity to the state.
    fn accept(&self, model: &Model, state: &mut State, h: f64) {
        let State { x, v, .. } = state;
        for region in &self.regions {
            let ([last, sum], small) = (region.result(), h / region.ratio() as f64);
            region.part().for_each(|a, i| {
                x[i] += h * v[i] + small * sum[a];
                v[i] += last[a];
            });
        }
        let theta = self.rule.theta();
        self.rest.part.for_each(|a, i| {
            x[i] += h * (v[i] + theta * self.rest.dv[a]);
            v[i] += self.rest.dv[a];
        });
        self.fall.end(theta, x, v);
        state.t += h;
        model.place(state.t, &mut state.x, &mut state.v);
    }
}

impl Stepper for Asynchronous {
    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let mut report = StepReport::default();
        let mut before = self.work();
        interrupt::check()?;
        self.forces(model, state, h, &mut report)?;
        if self.recalled.take().is_some_and(|recalled| self.held == Some(recalled)) {
            before = self.work();
            report.assemblies = 0;
        }
        interrupt::check()?;
        self.right_hand_sides(model, state, h);
        let energy = self.solve(model, state, &mut report)?;
        let monitor = self.watch(model, state, h, energy)?;
        for region in &self.regions {
            region.result().into_iter().try_for_each(|change| check_part(model, region.part(), change))?;
        }
        check_part(model, &self.rest.part, &self.rest.dv)?;
        self.accept(model, state, h);
        self.monitor = monitor;
        report.linear += self.work() - before;
        let signs = self.regions.iter().map(Region::negative_pivots).chain([self.rest.negative_pivots()]);
        report.negative_pivots = signs.max().unwrap_or(0);
        Ok(report)
    }

    fn may_grow(&self) -> bool {
        self.rule == Rule::Paper
    }

    fn forget(&mut self) {
        self.monitor.pause();
    }

    fn memory(&self) -> Vec<f64> {
        join(self.monitor.memory(), self.held.or(self.recalled).into_iter().collect())
    }

    fn recall(&mut self, memory: &[f64]) -> bool {
        let parts = split(memory).and_then(|(monitor, held)| {
            let monitor = Monitor::recall(monitor).filter(|_| monitor.is_empty() || !self.regions.is_empty())?;
            Some((monitor, recall_step(held, self.is_linear)?))
        });
        self.held = None;
        (self.monitor, self.recalled) = parts.unwrap_or_default();
        parts.is_some()
    }
}

/// Step that factors of a linear model were made for, from a checkpoint: none or one. `None` if the numbers are
/// neither.
fn recall_step(memory: &[f64], is_linear: bool) -> Option<Option<f64>> {
    match *memory {
        [] => Some(None),
        [h] if is_linear && h > 0.0 && h.is_finite() => Some(Some(h)),
        _ => None,
    }
}

/// Runs `work` on every region; returns the error of the first that fails.
fn in_parallel(
    model: &Model,
    regions: &mut [Region],
    work: impl Fn(&mut Region) -> Result<(), LinearError> + Sync,
) -> Result<(), StepError> {
    let work = |region: &mut Region| work(region).map_err(|error| failed(model, region.part(), error));
    match regions {
        [] => Ok(()),
        [one] => work(one),
        many => interrupt::carry(|watched| {
            let work = |region: &mut Region| watched.during(|| work(region));
            many.par_iter_mut().with_max_len(1).map(work).collect::<Vec<_>>().into_iter().collect()
        }),
    }
}

/// Turns the error of a subdomain's linear solve into one that names nodes of the mesh.
fn failed(model: &Model, part: &Subdomain, error: LinearError) -> StepError {
    let node = |row: usize| part.nodes.get(row).map_or(row, |&node| node as usize);
    StepError::linear(
        model,
        match error {
            LinearError::Singular { row: Some(row) } => LinearError::Singular { row: Some(node(row)) },
            LinearError::NonFinite { row } => LinearError::NonFinite { row: node(row) },
            other => other,
        },
    )
}

/// Returns `Ok` if every number of a subdomain is finite.
fn check_part(model: &Model, part: &Subdomain, values: &[f64]) -> Result<(), StepError> {
    if is_finite(values) {
        return Ok(());
    }
    let first = values.iter().position(|value| !value.is_finite()).unwrap_or(0);
    Err(StepError::NonFinite { node: model.origin(part.nodes[first / 3] as usize) })
}
