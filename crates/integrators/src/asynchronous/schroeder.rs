//! The asynchronous scheme of 2011: regions run ahead by small steps as if the rest did not exist, and one implicit
//! solve of everything ends the large step.
//!
//! Elements with all nodes in a region S, with small step s = h / m, are its own (subscript S); all others, also those
//! across its border, belong to the rest (L).
//!
//!   (M + s D_S) v_r = M v_(r-1) + s (f_S(x_(r-1)) + loads),   x_r = x_(r-1) + s v_r,   r = 1..m-1,   on S
//!
//! explicit in the elastic force and implicit in damping. Then everything is solved together. On S v* and x* are the
//! values after these steps, on L those of the beginning; w is the step of each node, s on S and h on L:
//!
//!   M (v - v*) = s (f_S(x*) - D_S v) + h (f_L(x_0 + h v) - D_L v) + w loads,   x = x* + w v
//!
//! f_L is linearised at x_0. Our description of the scheme is second-hand (section 2 of Zhao, Li, Barbic 2016). Three
//! facts are taken from the public program of its authors (PhysBAM): the division of elements, that the last small step
//! is the coupled one, and that the elements of the rest act in it with the impulse of the whole large step from their
//! position at its beginning.
//! Left out: their averaged velocities (trapezoidal rule). K of D is that of the beginning of the large step, or of
//! rest.
//!
//! Cost per step: m evaluations of the elements of each region, with stiffness damping as many solves of its size, and
//! one solve of everything. With a linear model all is factorised once.
//! Properties: first order; momentum is conserved. Without regions it is linearly implicit Euler. Where the region is
//! everything it is m steps of symplectic Euler, damping apart. Stable only while s w < 2 for the fastest frequency w
//! of a region by itself, and not always then. S meets the rest once per large step: a load on it pulls it away for
//! most of the step, so the border is too soft, more so for longer large steps (Figure 9 of the 2016 paper).
//! Use asynchronous-backward-euler; this method exists for comparison.
//! Citation: Schroeder, Kwatra, Zheng, Fedkiw 2011.

use super::partition::{self, Subdomain};
use super::region::negative;
use super::{check_part, failed, recall_step};
use crate::feature::Feature;
use crate::last_step::LastStep;
use crate::method::{EnergyBehaviour, Family, Method};
use crate::one_mode;
use crate::stepper::{StepError, StepReport, Stepper, check_finite};
use model::energy::{Configuration, Term};
use model::{Model, State};
use numerics::blocks::BlockMatrix;
use numerics::interrupt;
use numerics::linear::{Cholesky, LinearError, LinearSolver, Work};

/// The facts of schroeder.
pub(crate) const METHOD: Method = Method {
    name: "schroeder",
    aliases: &[],
    description: "regions run ahead by small explicit steps without the rest, then one implicit solve of everything; for comparison with asynchronous-backward-euler",
    citation: "Schroeder, Kwatra, Zheng, Fedkiw 2011",
    order: 1,
    exact_on_linear: false,
    energy: EnergyBehaviour::Damps,
    family: Family::Implicit,
    parameters: &[],
    one_mode: one_mode::IMPLICIT_EULER,
    keeps_factor: false,
    linearises_once: true,
    has_explicit_regions: true,
    conserves_momentum: |_| true,
    serves: &[Feature::DampingAtRest, Feature::Impulses, Feature::Regions],
    make: |model, _| Ok(Box::new(Schroeder::new(model)?)),
};

/// A region treated as if the rest did not exist.
struct Alone {
    part: Subdomain,
    ratio: usize,
    terms: Vec<Box<dyn Term>>,
    /// Factor of M + s D, and that matrix, where the stiffness damps.
    damped: Option<(Cholesky, BlockMatrix)>,
    v: Vec<f64>,
}

impl Alone {
    /// Computes the force of its elements on its nodes over a small step between two times. Scripted nodes act by their
    /// position at the first time, and through D by their velocity at the second.
    fn force(
        &self,
        m: &Model,
        at: Configuration<'_>,
        [from, to]: [f64; 2],
        now: &mut State,
        given: &mut [f64],
        f: &mut [f64],
    ) {
        self.part.for_each(|_, i| f[i] = 0.0);
        m.place(from, &mut now.x, &mut now.v);
        self.terms.iter().for_each(|term| term.add_force(&now.x, f));
        m.place(to, &mut now.x, &mut now.v);
        drag(m, &self.terms, at, &now.v, given, f);
    }
}

/// Elements of the rest, including those across borders, and the matrices of the large step.
pub(crate) struct Schroeder {
    regions: Vec<Alone>,
    between: Vec<Box<dyn Term>>,
    /// Factor of the matrix of everything.
    factor: Cholesky,
    /// K of `between`.
    stiffness: BlockMatrix,
    /// D, with each element's part multiplied by the step it is damped in.
    damping: BlockMatrix,
    /// Scratch for matrices of the model.
    whole: BlockMatrix,
    /// Step that the factors were made for [s]; only for a linear model without contact.
    held: Option<f64>,
    /// The same of the run before a restart: its factors are made again and not counted again [s].
    recalled: Option<f64>,
    is_linear: bool,
    now: State,
    last_step: LastStep,
    /// Step of each free node [s].
    steps: Vec<f64>,
    force: Vec<f64>,
    loads: Vec<f64>,
    dv: Vec<f64>,
    /// Velocities or displacements of all nodes, zero for the free ones.
    given: Vec<f64>,
}

impl Schroeder {
    pub fn new(model: &Model) -> Result<Schroeder, LinearError> {
        let (cuts, ..) = partition::cut_out(model, model.regions());
        let alone = |(r, cut): (usize, partition::Cut)| {
            let (part, ratio) = (cut.part, cut.ratio);
            let damped = match model.damping().stiffness {
                0.0 => None,
                _ => Some((Cholesky::new(&part.pattern)?, BlockMatrix::zeros(part.pattern.clone()))),
            };
            Ok::<_, LinearError>(Alone { ratio, terms: model.terms_within(r), damped, v: vec![0.0; part.dofs()], part })
        };
        let zeros = BlockMatrix::zeros(model.pattern().clone());
        let dofs = vec![0.0; model.dofs()];
        Ok(Schroeder {
            regions: cuts.into_iter().enumerate().map(alone).collect::<Result<_, _>>()?,
            between: model.terms_between(),
            factor: Cholesky::new(model.pattern())?,
            stiffness: zeros.clone(),
            damping: zeros.clone(),
            whole: zeros,
            held: None,
            recalled: None,
            is_linear: model.is_linear(),
            now: model.state_at_rest(),
            last_step: LastStep::new(model),
            steps: vec![0.0; model.free_nodes()],
            force: dofs.clone(),
            loads: dofs.clone(),
            dv: dofs,
            given: vec![0.0; 3 * model.nodes()],
        })
    }

    fn work(&self) -> Work {
        let factors = self.regions.iter().filter_map(|region| region.damped.as_ref()).map(|(factor, _)| factor.work());
        factors.fold(self.factor.work(), |mut sum, work| {
            sum += work;
            sum
        })
    }

    /// Prepares the matrices of a step from x and their factors.
    fn prepare(&mut self, model: &Model, x: &[f64], h: f64) -> Result<(), StepError> {
        let Schroeder { regions, between, factor, stiffness, damping, whole, steps, last_step, .. } = self;
        let at = last_step.to(x);
        let kind = model.stiffness_kind();
        let assemble = |terms: &[Box<dyn Term>], at: Configuration<'_>, k: &mut BlockMatrix| {
            k.clear();
            terms.iter().for_each(|term| term.add_stiffness(kind, at, k));
        };
        steps.fill(h);
        for region in &*regions {
            region.part.nodes.iter().for_each(|&i| steps[i as usize] = h / region.ratio as f64);
        }
        let (alpha, beta) = (model.damping().mass, model.damping().stiffness);
        let of_damping = if model.damping().at_rest.is_some() { model.rest().into() } else { at };
        damping.clear();
        add_diagonal(damping, |i| alpha * steps[i] * model.node_mass()[i]);
        if beta != 0.0 {
            for region in &mut *regions {
                assemble(&region.terms, of_damping, whole);
                damping.add_scaled(beta * h / region.ratio as f64, whole);
            }
            whole.set_scaled(1.0, damping);
            add_diagonal(whole, |i| model.node_mass()[i]);
            for region in &mut *regions {
                let Some((factor, matrix)) = &mut region.damped else { continue };
                region.part.take(whole, matrix);
                factor.prepare(matrix).map_err(|error| failed(model, &region.part, error))?;
            }
            assemble(between, of_damping, whole);
            damping.add_scaled(beta * h, whole);
        }
        assemble(between, at, stiffness);
        whole.set_scaled(h * h, stiffness);
        whole.add_scaled(1.0, damping);
        add_diagonal(whole, |i| model.node_mass()[i]);
        factor.prepare(whole).map(|_| ()).map_err(|error| StepError::linear(model, error))
    }

    /// Takes all small steps of the regions but the last.
    fn run_ahead(&mut self, model: &Model, state: &State, h: f64) -> Result<(), StepError> {
        let Schroeder { regions, now, force, loads, given, last_step, .. } = self;
        let (alpha, mass) = (model.damping().mass, model.node_mass());
        for region in regions {
            let s = h / region.ratio as f64;
            for r in 1..region.ratio {
                let times = [state.t + (r - 1) as f64 * s, state.t + r as f64 * s];
                region.force(model, last_step.to(&state.x), times, now, given, force);
                if model.has_changing_loads() {
                    model.load_force(times[1], loads);
                }
                let Alone { part, damped, v: new, .. } = region;
                let State { x, v, .. } = &mut *now;
                part.for_each(|a, i| new[a] = mass[i / 3] * v[i] + s * (force[i] + loads[i]));
                check_part(model, part, new).or_else(|error| check_finite(model, x, force).and(Err(error)))?;
                match damped {
                    None => part.for_each(|a, i| new[a] /= mass[i / 3] * (1.0 + alpha * s)),
                    Some((factor, _)) => {
                        factor.solve_factored(new, 1).map_err(|error| failed(model, part, error))?;
                    }
                }
                part.for_each(|a, i| {
                    v[i] = new[a];
                    x[i] += s * new[a];
                });
            }
        }
        Ok(())
    }

    /// Solves for the change of velocity of everything.
    fn solve(&mut self, model: &Model, state: &State, h: f64) -> Result<(), StepError> {
        let Schroeder { regions, between, factor, stiffness, damping, now, steps, force, loads, dv, given, .. } = self;
        let at = self.last_step.to(&state.x);
        let (dofs, end) = (model.dofs(), state.t + h);
        model.load_force(end, loads);

        // h (f_L - h K v*), where scripted nodes have the displacement of their script.
        force.fill(0.0);
        between.iter().for_each(|term| term.add_force(&state.x, force));
        if model.is_scripted() {
            given.copy_from_slice(&state.x);
            model.place(end, given, &mut now.v);
            for i in 0..given.len() {
                given[i] = if i < dofs { h * now.v[i] } else { given[i] - state.x[i] };
            }
            let kind = model.stiffness_kind();
            between.iter().for_each(|term| term.add_stiffness_times(kind, -1.0, at, given, force));
        } else {
            stiffness.multiply_add(-h, &now.v[..dofs], force);
        }
        drag(model, between, at, &now.v, given, force);
        dv.iter_mut().zip(&*force).for_each(|(dv, f)| *dv = h * f);

        // s f_S.
        for region in regions {
            let s = h / region.ratio as f64;
            region.force(model, at, [end - s, end], now, given, force);
            region.part.for_each(|_, i| dv[i] += s * force[i]);
        }
        dv.iter_mut().zip(&*loads).enumerate().for_each(|(i, (dv, f))| *dv += steps[i / 3] * f);
        damping.multiply_add(-1.0, &now.v[..dofs], dv);
        check_finite(model, &now.x, dv)?;
        factor.solve_factored(dv, 1).map_err(|error| StepError::linear(model, error))?;
        check_finite(model, &state.x, dv)
    }
}

impl Stepper for Schroeder {
    fn step(&mut self, model: &Model, state: &mut State, h: f64) -> Result<StepReport, StepError> {
        let mut report = StepReport::default();
        let mut before = self.work();
        interrupt::check()?;
        let is_constant = self.is_linear && !model.is_touching(&state.x);
        if !is_constant || self.held != Some(h) {
            self.held = None;
            // Where a force is not finite the stiffness is not either, and the force tells which element it is.
            model.static_force(state.t + h, &state.x, &mut self.force);
            check_finite(model, &state.x, &self.force)?;
            self.last_step.take(h, &state.v);
            self.prepare(model, &state.x, h)?;
            report.assemblies += 1;
            self.held = is_constant.then_some(h);
        }
        if self.recalled.take().is_some_and(|recalled| self.held == Some(recalled)) {
            before = self.work();
            report.assemblies = 0;
        }
        self.now.clone_from(state);
        model.load_force(state.t + h, &mut self.loads);
        self.run_ahead(model, state, h)?;
        interrupt::check()?;
        self.solve(model, state, h)?;
        report.forces += 1;
        report.substeps += self.regions.iter().map(|region| region.ratio as u64).sum::<u64>();
        for (i, dv) in self.dv.iter().enumerate() {
            state.v[i] = self.now.v[i] + dv;
            state.x[i] = self.now.x[i] + self.steps[i / 3] * state.v[i];
        }
        state.t += h;
        model.place(state.t, &mut state.x, &mut state.v);
        report.linear += self.work() - before;
        report.negative_pivots = negative(self.factor.definiteness());
        Ok(report)
    }

    fn memory(&self) -> Vec<f64> {
        self.held.or(self.recalled).into_iter().collect()
    }

    fn recall(&mut self, memory: &[f64]) -> bool {
        let recalled = recall_step(memory, self.is_linear);
        (self.held, self.recalled) = (None, recalled.flatten());
        recalled.is_some()
    }
}

/// f -= beta K v for scripted nodes, whose velocities are in v.
fn drag(model: &Model, terms: &[Box<dyn Term>], at: Configuration<'_>, v: &[f64], given: &mut [f64], f: &mut [f64]) {
    let damping = model.damping();
    if !model.is_scripted() || damping.stiffness == 0.0 {
        return;
    }
    let dofs = model.dofs();
    given[..dofs].fill(0.0);
    given[dofs..].copy_from_slice(&v[dofs..]);
    let at = if damping.at_rest.is_some() { model.rest().into() } else { at };
    let kind = model.stiffness_kind();
    terms.iter().for_each(|term| term.add_stiffness_times(kind, -damping.stiffness, at, given, f));
}

/// Adds a number to the diagonal of each block row.
fn add_diagonal(matrix: &mut BlockMatrix, number: impl Fn(usize) -> f64) {
    let pattern = matrix.pattern().clone();
    for i in 0..pattern.rows() {
        let block = &mut matrix.values[pattern.diagonal(i)];
        (0..3).for_each(|c| block[c][c] += number(i));
    }
}
