//! A factor of K + sigma M to search for modes much slower than the step.
//!
//! The step's own matrix separates modes by (1 + h^2 lam_j) / (1 + h^2 lam): hardly at all, where the modes beyond the
//! wanted ones have h^2 lam << 1. With sigma of the size of their lam a pass gains a factor of about five, however
//! short the step. The factor only has to be near the matrix: it is kept from step to step, rotated with the body, and
//! made anew when searches take longer, so it costs little (`numerics::linear::stale`).

use crate::linear_system::{LinearSystem, SOLVER};
use crate::options::Options;
use crate::stepper::StepReport;
use model::Model;
use numerics::linear::{LinearError, SolverKind};

/// Least h^2 sigma for which the step's own matrix is used.
const SERVES: f64 = 0.25;
/// Share of the largest eigenvalue below which a shift is lost in rounding: then all modes are rigid motions.
const ROUNDING: f64 = 1e-11;
/// Factor by which sigma may differ from its best value.
const DRIFT: f64 = 16.0;
/// Passes with a factor of an earlier step after which a new one is made.
const PATIENCE: usize = 5;
/// Cost of a pass with some columns, in iterations of one column: the factor is read once.
const ITERATIONS_A_PASS: usize = 3;

pub(super) struct Shifted {
    system: LinearSystem,
    /// Shift of the factor; zero if there is none.
    sigma: f64,
    /// True if it is prepared for the current stiffness; and the passes with it.
    is_on: bool,
    passes: usize,
}

impl Shifted {
    pub fn new(model: &Model, options: &Options) -> Result<Shifted, LinearError> {
        // An approximate factor is enough here.
        let options = match options.get(&SOLVER) {
            SolverKind::Direct => &options.clone().with(&SOLVER, SolverKind::Auto),
            _ => options,
        };
        let system = LinearSystem::new(model, options)?;
        Ok(Shifted { system, sigma: 0.0, is_on: false, passes: 0 })
    }

    /// Returns sigma and the origin of the factor with its length, as numbers; empty where there was none.
    pub fn memory(&self) -> Vec<f64> {
        if self.sigma == 0.0 {
            return Vec::new();
        }
        let system = self.system.memory();
        [self.sigma, system.len() as f64].into_iter().chain(system).collect()
    }

    /// Restores the result of `memory`; false if the numbers are impossible.
    pub fn recall(&mut self, memory: &[f64]) -> bool {
        self.sigma = 0.0;
        self.system.recall(&[]);
        let [sigma, length, system @ ..] = memory else { return memory.is_empty() };
        let is_mine = *sigma > 0.0 && sigma.is_finite() && *length == system.len() as f64 && self.system.recall(system);
        if is_mine {
            self.sigma = *sigma;
        }
        is_mine
    }

    /// Begins a search.
    pub fn begin(&mut self) {
        (self.is_on, self.passes) = (false, 0);
    }

    /// Prepares the factor if these Ritz values need one. `fastest` is about the largest eigenvalue.
    pub fn aim(
        &mut self,
        model: &Model,
        of_step: &LinearSystem,
        values: &[f64],
        [h, fastest]: [f64; 2],
        report: &mut StepReport,
    ) -> Result<(), LinearError> {
        let largest = values.iter().fold(0.0_f64, |m, lam| m.max(lam.abs()));
        let lowest = values.first().copied().unwrap_or(0.0);
        // Positive definite, as far as is known.
        let sigma = (0.25 * largest).max(-2.0 * lowest);
        if sigma <= ROUNDING * fastest || h * h * sigma >= SERVES {
            self.is_on = false;
            return Ok(());
        }
        let is_near = self.sigma <= DRIFT * sigma && sigma <= DRIFT * self.sigma;
        let system = &mut self.system;
        let is_slow = self.is_on && self.passes == PATIENCE && system.age() > 0;
        self.passes += 1;
        if self.is_on && is_near && !is_slow {
            return Ok(());
        }
        if !is_near || is_slow {
            system.forget_factor();
            self.sigma = sigma;
        }
        self.is_on = true;
        work_of(report, |report| system.prepare_like(of_step, model, [self.sigma, 0.0, 1.0], report))
    }

    /// Ends a search.
    pub fn end(&mut self) {
        if self.is_on {
            self.system.record(ITERATIONS_A_PASS * self.passes);
        }
    }

    /// Returns the factor, where it is used.
    pub fn system(&mut self) -> Option<&mut LinearSystem> {
        self.is_on.then_some(&mut self.system)
    }

    /// Returns its sigma, where it is used.
    pub fn sigma(&self) -> Option<f64> {
        self.is_on.then_some(self.sigma)
    }

    /// Returns true if the factor is that of the current matrix.
    pub fn is_exact(&self) -> bool {
        self.is_on && self.system.is_direct()
    }
}

/// Reports the work, but not the findings about a matrix that is not the step's.
pub(super) fn work_of<T>(report: &mut StepReport, work: impl FnOnce(&mut StepReport) -> T) -> T {
    let mut own = StepReport::default();
    let done = work(&mut own);
    report.linear += own.linear;
    done
}
