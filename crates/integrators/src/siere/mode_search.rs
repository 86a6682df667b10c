//! Search for the slowest modes of the current stiffness, carried from step to step, and choice of those to capture.

use super::capture::{Choice, MOST_BESIDE};
use super::parameters::{MODES, MODES_TOLERANCE, Modes};
use super::pencil::StepPencil;
use super::rigid::{is_free, rigid_motions, translations};
use super::shifted::Shifted;
use crate::linear_system::{LinearSystem, join, split};
use crate::options::Options;
use crate::stepper::StepReport;
use model::Model;
use numerics::linear::LinearError;
use numerics::mat3::{IDENTITY, Mat3};
use numerics::modes::{LowestModes, Stop, Task};
use numerics::rotation;
use std::cell::OnceCell;

/// Limit of searches where modes nearer to zero may have been missed.
const SEARCHES: usize = 3;
/// Modes looked for in the first step, where their number is chosen automatically.
const AUTO_FIRST: usize = 5;
/// Fewest and most modes looked for later. One is always watched: it may become slow.
const AUTO: [usize; 2] = [1, 40];
/// Bounds of h omega for modes chosen automatically: a mode enters below the first and leaves above the second. At 1 a
/// period has six steps, and linearly implicit Euler loses nine tenths of the energy per period. Faster modes must not be
/// captured: where the body turns by theta per step, an exponential mode grows once theta h omega is above about 2.6.
pub(super) const SLOW: [f64; 2] = [1.0, 1.2];

/// Largest turn per step times h omega of a mode of a given number, for the same reason. A body that does not turn has any.
const RESOLVED: f64 = 0.25;
/// h omega up to which such modes are captured whatever turns: two steps per period.
const KEPT: f64 = 3.0;

/// Modes with their memory of earlier steps.
pub(crate) struct ModeSearch {
    choice: Modes,
    /// Modes wanted in the next step, and those to find in addition.
    pub(super) count: usize,
    beside: usize,
    captures: Choice,
    pub(super) modes: LowestModes,
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
}

/// A right-hand side that is solved in the same sweep over the factor as the modes.
pub(crate) struct Rider<'a> {
    /// The right-hand side, overwritten with the solution.
    pub solution: &'a mut [f64],
    /// Scratch: right-hand side after one sweep over the factor.
    pub near: &'a mut [f64],
}

/// The step that modes are searched for [s].
#[derive(Clone, Copy)]
pub(crate) struct Steps<'a> {
    /// Whole step.
    pub h: f64,
    /// Step q of the implicit matrix M + q D + q^2 K, which the system is prepared for.
    pub implicit: f64,
    /// Computes the angle by which elements turn in the whole step [rad].
    pub turn: &'a dyn Fn() -> f64,
}

impl ModeSearch {
    pub fn new(model: &Model, options: &Options) -> Result<ModeSearch, LinearError> {
        let n = model.dofs();
        let choice = options.get(&MODES);
        let count = match choice {
            Modes::Count(count) => count.min(n),
            Modes::Auto => AUTO_FIRST.min(n),
        };
        Ok(ModeSearch {
            choice,
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
        })
    }

    /// Returns true if there is never a mode to find.
    pub fn is_idle(&self) -> bool {
        self.count == 0
    }

    /// Finds the modes of the stiffness of `system` at x and chooses those to capture; in the same sweep a right-hand
    /// side becomes the solution.
    pub fn find(
        &mut self,
        model: &Model,
        system: &mut LinearSystem,
        x: &[f64],
        steps: Steps,
        mut rider: Option<Rider>,
        report: &mut StepReport,
    ) -> Result<(), LinearError> {
        let ModeSearch { modes, shifted, origin, weights, rotations, translations, beside, captures, .. } = self;
        let count = self.count.min(model.dofs());
        let Steps { h, implicit, turn: turn_of_step } = steps;
        let is_auto = self.choice == Modes::Auto;
        let turned = OnceCell::new();
        let fastest = |values: &[f64]| match is_auto {
            true => SLOW[1],
            false if values.iter().all(|lam| h * h * lam <= KEPT * KEPT) => KEPT,
            false => (RESOLVED / turned.get_or_init(turn_of_step)).max(KEPT),
        };
        let Some(shifted) = shifted else { return Ok(()) };
        let known: &[f64] = if is_free(model, &system.stiffness, translations, h) { translations } else { &[] };
        let guess = if modes.kept().values.is_empty() { rigid_motions(model, x) } else { Vec::new() };
        let guess = guess.get(known.len()..).unwrap_or_default();
        rotation::weights(&system.stiffness, weights);
        let mut turn = |columns: &mut [f64], _: usize| {
            rotation::rotations(model.pattern(), weights, origin, &x[..model.dofs()], rotations);
            rotation::turn(rotations, columns);
        };
        if let Some(Rider { solution, near }) = &mut rider {
            system.begin(solution, report);
            near.copy_from_slice(solution);
        }
        let mut find = |system: &mut LinearSystem, rider: &mut [f64], report: &mut StepReport| {
            let guards = (count / 5).max(3);
            let mut has_ridden = false;
            for _ in 0..SEARCHES {
                let rider = if has_ridden { &mut [][..] } else { &mut *rider };
                let wanted = (count + *beside).min(model.dofs());
                let task = Task { wanted, guards, known, turn: &mut turn, guess, rider };
                shifted.begin();
                has_ridden |= modes.find(&mut StepPencil { model, system, shifted, h: implicit, report }, task)?;
                shifted.end();
                report.mode_passes += modes.passes() as u64;
                let values = &modes.found().values;
                let values_of_wanted = &values[..wanted.min(values.len())];
                captures.choose(values_of_wanted, count, steps, fastest(values_of_wanted));
                let was_enough = captures.beside <= *beside || wanted >= values.len();
                *beside = captures.beside;
                if was_enough {
                    break;
                }
            }
            Ok::<_, LinearError>(has_ridden)
        };
        let Some(Rider { solution, near }) = rider else {
            find(system, &mut [], report)?;
            return Ok(());
        };
        let has_ridden = find(system, near, report)?;
        let factor = system.decision();
        system.finish(0.0, solution, has_ridden.then_some(&*near), report)?;
        if has_ridden && system.decision() != factor {
            // The factor belonged to a body too different from this one and has been replaced, so its residuals said
            // nothing about the modes.
            find(system, &mut [], report)?;
        }
        Ok(())
    }

    /// Returns the captured modes, side by side, and their eigenvalues [1/s^2].
    pub fn captured(&mut self, n: usize, report: &mut StepReport) -> (&[f64], &[f64]) {
        let found = self.modes.found();
        let places = &self.captures.places;
        let count = places.len();
        report.modes = report.modes.max(count as u64);
        report.mode_angle = places.iter().fold(report.mode_angle, |m, &place| m.max(found.angles[place]));
        if places.iter().enumerate().all(|(k, &place)| k == place) {
            return (&found.vectors[..count * n], &found.values[..count]);
        }
        self.captured.clear();
        self.captured_values.clear();
        for &place in places {
            self.captured.extend_from_slice(&found.vectors[place * n..(place + 1) * n]);
            self.captured_values.push(found.values[place]);
        }
        (&self.captured, &self.captured_values)
    }

    /// Returns the positions of the free nodes where the last step began; none without such a step.
    pub fn before(&self) -> &[f64] {
        &self.origin
    }

    /// Keeps the modes found at x, positions of the free nodes, for the next step.
    pub fn keep(&mut self, x: &[f64], h: f64) {
        let next = self.next_count(x.len(), h);
        self.origin.clear();
        self.origin.extend_from_slice(x);
        self.modes.keep();
        self.count = next;
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

    pub fn forget(&mut self) {
        self.modes.forget();
        self.origin.clear();
        self.beside = 0;
        // The count is reset as well: a stepper that forgets continues like a new one.
        if self.choice == Modes::Auto {
            self.count = AUTO_FIRST.min(3 * self.rotations.len());
        }
    }

    /// Returns the numbers of unknowns, of modes wanted and additional, and of known vectors; the positions of the
    /// modes; the vectors. `system` is the memory of the step's own system.
    pub fn memory(&self, system: Vec<f64>) -> Vec<f64> {
        let kept = self.modes.kept();
        let head = [self.origin.len(), self.count, self.beside, kept.known].map(|k| k as f64);
        let own = match kept.values.is_empty() {
            true => Vec::new(),
            false => head.into_iter().chain(self.origin.iter().copied()).chain(kept.vectors.iter().copied()).collect(),
        };
        let shifted = self.shifted.as_ref().map(Shifted::memory).unwrap_or_default();
        let trend = if own.is_empty() { Vec::new() } else { self.modes.trend() };
        join(own, join(trend, join(system, shifted)))
    }

    /// Restores the result of `memory`; false if the numbers are impossible.
    pub fn recall(&mut self, memory: &[f64], system: &mut LinearSystem) -> bool {
        self.forget();
        system.recall(&[]);
        self.shifted.as_mut().map(|shifted| shifted.recall(&[]));
        let Some((own, rest)) = split(memory) else { return false };
        let Some((trend, rest)) = split(rest) else { return false };
        let Some((of_system, factor)) = split(rest) else { return false };
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
        if !is_mine || !self.modes.recall_trend(trend, n) || !system.recall(of_system) {
            self.modes.forget();
            return false;
        }
        let is_recalled = match &mut self.shifted {
            Some(shifted) => shifted.recall(factor),
            None => factor.is_empty(),
        };
        if !is_recalled {
            system.recall(&[]);
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
